"""Starting: from the command to the first question with its pictures, as a person waits for it."""

from __future__ import annotations

import asyncio
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from soak.browser import Browser
from soak.servers import Server, free_port

PICTURE_SIZE = (1600, 1200)


def write_pictures(folder: Path, n_pictures: int = 20) -> None:
    """Write different pictures as large as a telephone makes them at its smallest setting."""
    rng = np.random.default_rng(0)
    for number in range(n_pictures):
        colours = rng.integers(0, 256, (30, 40, 3), dtype=np.uint8)
        picture = Image.fromarray(colours).resize(PICTURE_SIZE, Image.Resampling.BICUBIC)
        picture.save(folder / f"picture {number}.jpg", quality=90)


def measure_start(pictures: Path, data: Path) -> float:
    """Return after how many seconds the first question and all its pictures were served.

    Parameters
    ----------
    pictures : Path
        Folder of pictures, the one argument of the command.
    data : Path
        New folder for the answers.
    """
    server = Server(pictures, free_port(), "--data", str(data))
    begun = time.perf_counter()
    server.start()
    try:
        state = asyncio.run(_first_question(server.port))
        for one in state["stimuli"]:
            address = f"http://127.0.0.1:{server.port}{one['url']}"
            with urllib.request.urlopen(address, timeout=30) as reply:
                if not reply.headers["content-type"].startswith("image/") or not reply.read():
                    raise RuntimeError(f"{address}: no picture")
        return time.perf_counter() - begun
    finally:
        server.stop()


async def _first_question(port: int) -> dict[str, Any]:
    browser = Browser(port, 0)
    state = await browser.join()
    browser.close()
    if not state["stimuli"]:
        raise RuntimeError(f"no question was shown: {state}")
    return state
