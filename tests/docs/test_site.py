"""The site builds without a warning, can be searched, and works on a desktop and on a phone."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ordlink.cli import COMMANDS
from tests.collect.visitors import check_with_axe, open_chromium
from tests.test_public_names import NAMES

DOCS = Path(__file__).parents[2] / "docs"
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

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Build the site as `make docs` does; warnings, such as dead links, are errors."""
    place = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", DOCS, place],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return place


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with open_chromium() as browser:
        yield browser


def test_every_command_and_public_name_is_on_the_site(site: Path) -> None:
    for name in COMMANDS:
        assert f"ordlink {name}" in (site / f"reference/commands/{name}.html").read_text("utf-8")
    for package in NAMES:
        assert (site / f"reference/api/{package}.html").exists()
    page = (site / "reference/api/ordlink.methods.cluster.html").read_text("utf-8")
    assert 'id="ordlink.methods.cluster"' in page


@pytest.mark.parametrize("size", SIZES)
def test_pages_fit_and_axe_finds_nothing_serious(address: str, chromium: Any, size: str) -> None:
    width, height = SIZES[size]
    page = chromium.new_page(viewport={"width": width, "height": height})
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

    assert found == {}


def test_the_search_finds_pages(address: str, chromium: Any) -> None:
    page = chromium.new_page()
    page.goto(f"{address}/search.html?q=support")
    page.wait_for_selector("#search-results li a")

    links = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href)")

    page.close()
    assert any("support" in link for link in links)
