"""What notebooks show of trees, comparisons and results."""

from __future__ import annotations

import html
import json
import re

import pytest

import ordlink as ol
from ordlink import _tree_view
from ordlink.hierarchy import Hierarchy
from tests.collect.visitors import open_chromium

TREE = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["<ant>", "bee", "cat", "dog"])


def content(shown: str) -> str:
    """Return the page within the frame."""
    found = re.search(r'srcdoc="([^"]*)"', shown)
    assert found is not None
    return html.unescape(found[1])


def test_a_tree_is_a_page_of_its_own_that_loads_nothing():
    shown = TREE.name_branches({4: "insects"})._repr_html_()
    page = content(shown)

    assert 'sandbox="allow-scripts"' in shown
    assert "default-src 'none'" in page
    assert "http" not in re.sub(r"http://www\.w3\.org/\S+", "", page).replace("http-equiv", "")
    data = json.loads(re.search(r'id="tree-data">(.*?)</script>', page)[1])
    assert data["names"] == list(TREE.names)
    assert data["branchNames"] == ["insects", None, None]
    assert data["rows"] == _tree_view.ROWS
    # the tree as text, for notebooks that are not trusted
    assert "&lt;ant&gt; ─┬" in shown.split("<iframe")[0]


def test_a_tree_that_is_too_large_is_shown_as_text_only(monkeypatch):
    monkeypatch.setattr(_tree_view, "LARGEST_SHOWN", 3)

    assert TREE._repr_html_() is None


def test_a_plot_is_a_picture_and_an_svg_text():
    from matplotlib.figure import Figure

    assert TREE.plot()._repr_png_().startswith(b"\x89PNG")
    assert "bee" in TREE.to_svg(title="Animals")
    assert "Animals" in TREE.to_svg(title="Animals")
    own = Figure().add_subplot()
    assert TREE.plot(ax=own) is own


def test_comparisons_and_results_are_tables():
    c = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]], names=["<a>", "b", "c"])

    shown = c._repr_html_()
    assert "<th>contradictions</th><td>1</td>" in shown
    assert "<p>" in shown  # the warning about it
    assert c.summary()._repr_html_().partition("<table>")[2] == shown.partition("<table>")[2]
    partition = TREE.partition(2)._repr_html_()
    assert "<th>n_clusters</th><td>2</td>" in partition
    with pytest.warns(ol.errors.OrdlinkWarning, match="tie"):
        support = ol.validation.branch_support(c, method="AddS-AL", n_bootstrap=2)
    assert "<iframe" in support._repr_html_()
    assert "&lt;a&gt;" in support._repr_html_()


VSCODE_POLICY = (
    "default-src 'none'; script-src {0} 'unsafe-inline' 'unsafe-eval'; style-src {0} "
    "'unsafe-inline'; img-src {0} https: http: data:; font-src {0} https:; connect-src https:; "
    "child-src https: data:;"
)
"""Of the frame in which VS Code shows the outputs of a notebook."""
OUTER = """<!doctype html><title>editor</title><iframe src="outputs.html"
sandbox="allow-same-origin allow-scripts allow-forms" style="width:900px;height:700px"></iframe>"""
OUTPUTS = """<!doctype html><meta http-equiv="Content-Security-Policy" content="{policy}">
<title>outputs</title><div id="output"></div>
<script type="application/json" id="html">{html}</script>
<script>document.getElementById("output").innerHTML =
  JSON.parse(document.getElementById("html").textContent);</script>"""


@pytest.mark.slow
def test_a_tree_is_drawn_under_the_policy_of_vs_code_and_asks_for_nothing():
    """As VS Code does: the HTML is put into a frame of its own, with a policy."""
    data = json.dumps(TREE._repr_html_()).replace("</", "<\\/")
    with open_chromium() as browser:
        page = browser.new_page()
        asked, problems = [], []
        policy = VSCODE_POLICY.format("http://vs.test")
        pages = {
            "index.html": OUTER,
            "outputs.html": OUTPUTS.format(policy=policy, html=data),
        }

        def answer(route):
            asked.append(route.request.url)
            text = pages.get(route.request.url.rpartition("/")[2])
            route.fulfill(body=text, content_type="text/html") if text else route.abort()

        page.route("**/*", answer)
        page.on("console", lambda said: said.type == "error" and problems.append(said.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto("http://vs.test/index.html")
        tree = page.frame_locator("iframe").frame_locator("iframe")
        tree.locator("svg text", has_text="dog").wait_for()
        tree.get_by_role("button").first.click()

        assert "<ant>" in tree.locator("svg").text_content()
        assert asked == ["http://vs.test/index.html", "http://vs.test/outputs.html"]
        assert problems == []


@pytest.mark.slow
def test_where_scripts_may_not_run_the_tree_is_text():
    outer = f'<iframe sandbox srcdoc="{html.escape(TREE._repr_html_())}"></iframe>'
    with open_chromium() as browser:
        page = browser.new_page()
        page.set_content(outer)
        page.frame_locator("iframe").frame_locator("iframe").locator("noscript pre").wait_for()

        text = page.frames[-1].evaluate("document.body.innerText")
        assert "<ant> ─┬" in text
