"""The site builds without a warning, can be searched, and works on a desktop and on a phone."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ordlink.cli import COMMANDS
from tests.collect.visitors import check_with_axe, open_chromium
from tests.test_public_names import NAMES

ROOT = Path(__file__).parents[2]
PAGES = (
    "index.html",
    "start/install.html",
    "tutorials/pictures.html",
    "tutorials/triplets.html",
    "concepts/methods.html",
    "howto/index.html",
    "reference/commands/cluster.html",
    "reference/api/ordlink.methods.cluster.html",
    "glossary.html",
    "best-tree.html",
    "gallery/index.html",
)
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


@pytest.mark.slow
def test_the_site_builds_and_works_on_a_desktop_and_on_a_phone(tmp_path) -> None:
    """One test, since the site takes long to build."""
    site = build(tmp_path)

    assert missing_pages(site) == []
    with serving(site) as address, open_chromium() as browser:
        assert {size: problems_of_pages(browser, address, *SIZES[size]) for size in SIZES} == {
            size: {} for size in SIZES
        }
        assert any("support" in link for link in found_by_search(browser, address, "support"))


def build(folder: Path) -> Path:
    """Build the site as `make docs` does, from a copy; warnings, such as dead links, are errors."""
    for part in ("docs", "examples"):
        shutil.copytree(ROOT / part, folder / part)
    for page in ("CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / page, folder)
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "docs", "site"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "site"


def missing_pages(site: Path) -> list[str]:
    """Return commands and packages without a page, and `cluster` if its page does not say so."""
    wanted = [f"reference/commands/{name}.html" for name in COMMANDS]
    wanted += [f"reference/api/{package}.html" for package in NAMES]
    missing = [page for page in wanted if not (site / page).exists()]
    text = (site / "reference/api/ordlink.methods.cluster.html").read_text(encoding="utf-8")
    return missing if 'id="ordlink.methods.cluster"' in text else [*missing, "ordlink.cluster"]


@contextmanager
def serving(site: Path) -> Iterator[str]:
    """Serve the site, and yield its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def problems_of_pages(browser: Any, address: str, width: int, height: int) -> dict[str, list[str]]:
    """Return what axe finds that is serious, and which pages are wider than the screen."""
    page = browser.new_page(viewport={"width": width, "height": height})
    found = {}
    for name in PAGES:
        page.goto(f"{address}/{name}")
        wide = page.evaluate("document.documentElement.scrollWidth")
        problems = [one for one in check_with_axe(page) if one.startswith(("serious", "critical"))]
        if wide > width:
            problems.append(f"{wide} pixels wide")
        if problems:
            found[name] = problems
    page.close()
    return found


def found_by_search(browser: Any, address: str, word: str) -> list[str]:
    """Return the addresses that the site's search finds."""
    page = browser.new_page()
    page.goto(f"{address}/search.html?q={word}")
    page.wait_for_selector("#search-results li a")
    links: list[str] = page.eval_on_selector_all("#search-results li a", "a => a.map(b => b.href)")
    page.close()
    return links
