"""How long JupyterLab takes from running a cell that ends in a tree to its first picture.

Needs JupyterLab, Playwright and Chromium: `python -m benchmarks.notebook --jupyter PATH`, where
PATH is the jupyter-lab of an environment that has ordlink.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from soak.servers import free_port

SIZES = (60, 1_000, 10_000)
PATIENCE = 120_000  # milliseconds
OPTIONS = ["--no-sandbox", "--disable-gpu"]


def notebook(n_objects: int) -> dict[str, Any]:
    """Return a notebook whose second cell displays a tree of so many objects."""
    making = f"""\
import numpy as np
import ordlink as ol
rng = np.random.default_rng(0)
nodes, merges = list(range({n_objects})), []
for node in range({n_objects}, 2 * {n_objects} - 1):
    merges.append([nodes.pop(int(rng.integers(len(nodes)))) for _ in range(2)])
    nodes.append(node)
tree = ol.Hierarchy(merges, names=[f"object {{i}}" for i in range({n_objects})])
print("made")"""
    cells = [
        {"cell_type": "code", "id": f"cell{i}", "metadata": {}, "execution_count": None,
         "outputs": [], "source": source}
        for i, source in enumerate((making, "tree"))
    ]  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def measure(jupyter: str, sizes: tuple[int, ...], pictures: Path | None) -> dict[int, float]:
    """Return the seconds from Shift+Enter to the first picture for each number of objects."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for n in sizes:
            (folder / f"{n}.ipynb").write_text(json.dumps(notebook(n)), encoding="utf-8")
        port = free_port()
        server = subprocess.Popen(
            [jupyter, "--no-browser", "--allow-root", f"--ServerApp.port={port}",
             f"--ServerApp.root_dir={folder}", "--IdentityProvider.token=secret"],
            env=os.environ | {"JUPYTER_CONFIG_DIR": str(folder / ".config"), "HOME": place},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            _wait_for(f"http://127.0.0.1:{port}/api?token=secret")
            path = os.environ.get("ORDLINK_CHROMIUM") or shutil.which("chromium")
            with sync_playwright() as running:
                browser = running.chromium.launch(executable_path=path, args=OPTIONS)
                address = f"http://127.0.0.1:{port}/lab/tree/{{}}.ipynb?token=secret&reset"
                return {n: _first_picture(browser, address.format(n), n, pictures) for n in sizes}
        finally:
            server.terminate()
            server.wait(30)


def _wait_for(address: str) -> None:
    ending = time.monotonic() + PATIENCE / 1000
    while True:
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except (urllib.error.URLError, OSError):
            if time.monotonic() > ending:
                raise
            time.sleep(0.2)
        else:
            return


def _first_picture(browser: Any, address: str, n: int, pictures: Path | None) -> float:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    cells.nth(0).locator(".cm-content").click()
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", state="attached")
    page.keyboard.press("Shift+Enter")
    cells.nth(0).locator("pre", has_text="made").wait_for()
    begun = time.perf_counter()
    page.keyboard.press("Shift+Enter")
    frame = cells.nth(1).frame_locator("iframe")
    frame.locator("figure.tree svg text").first.wait_for()
    seconds = time.perf_counter() - begun
    if pictures is not None:
        page.screenshot(path=pictures / f"jupyterlab-{n}.png")
    page.close()
    return seconds


def main() -> None:
    """Print the seconds for each number of objects."""
    parser = argparse.ArgumentParser(prog="benchmarks.notebook", description=__doc__)
    parser.add_argument("--jupyter", default="jupyter-lab", metavar="PATH")
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="keep screenshots here")
    arguments = parser.parse_args()
    for n, seconds in measure(arguments.jupyter, SIZES, arguments.pictures).items():
        print(f"{n:,} objects: first picture after {seconds:.2f} s")


if __name__ == "__main__":
    main()
