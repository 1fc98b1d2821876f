"""How Sphinx builds the documentation: `make docs`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from docutils.nodes import Element  # noqa: E402
from pygments.lexers import TextLexer  # noqa: E402
from sphinx.addnodes import pending_xref  # noqa: E402
from sphinx.application import Sphinx  # noqa: E402
from sphinx.environment import BuildEnvironment  # noqa: E402

import ordlink  # noqa: E402
from studies.pages.reference import home_of, public_names, write_reference  # noqa: E402

write_reference(HERE / "reference")
# Examples use few answers, so that they are quick; what that means for a tree is said elsewhere.
warnings.filterwarnings("ignore", category=ordlink.errors.OrdlinkWarning)

project = "ordlink"
author = "the ordlink authors"
copyright = author
version = release = ordlink.__version__
language = "en"
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "**/README.md"]
templates_path = ["_templates"]
default_role = "code"
nitpicky = True
nitpick_ignore = [
    ("py:func", "scipy.spatial.distance.cdist"),
    ("py:meth", "_answer"),  # what oracles of one's own define
    ("py:attr", "ordlink.Hierarchy.heights"),
]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

# Types are in the docstrings, in words; signatures stay short.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
numpydoc_show_class_members = False

copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "within_subsection_order": "ExampleTitleSortKey",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 0,
    "write_computation_times": False,
}

html_theme = "furo"
html_title = "ordlink"
html_static_path = ["_static"]
html_css_files = ["ordlink.css"]
html_js_files = ["ordlink.js"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"top_of_page_buttons": [], "navigation_with_keys": True}


def _leave_out_nameless(_app: object, _context: object, lines: list[str]) -> None:
    """Leave out arguments that are hidden in the usage, such as those of `collect backup`."""
    for number, line in enumerate(lines):
        if line.strip() == ".. option::":
            lines[number:] = [
                later for later in lines[number + 1 :] if "Optional argument" not in later
            ]


def _find_at_home(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: Element
) -> Element | None:
    """Resolve `ordlink.cluster`, whose page is that of `ordlink.methods.cluster`."""
    name, dot, rest = node["reftarget"].removeprefix("ordlink.").partition(".")
    if name not in public_names("ordlink") or node.get("refdomain") != "py":
        return None
    target = f"{home_of('ordlink', name)}.{name}{dot}{rest}"
    domain, place = env.get_domain("py"), node["refdoc"]
    return domain.resolve_xref(env, place, app.builder, node["reftype"], target, node, content)


def setup(app: Sphinx) -> None:
    """Connect what changes pages while they are built."""
    app.connect("missing-reference", _find_at_home)
    app.add_lexer("csv", TextLexer)  # Pygments has none
    app.connect("sphinx-click-process-arguments", _leave_out_nameless)
