"""The drawing: every leaf labelled once, nothing clipped, files written whole."""

from __future__ import annotations

import itertools
import os
import sys
import warnings

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image

from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.plotting import plot_hierarchy, save_plot

NAMES = ["ant", "a $5 bee", "cat", "dog", "a rather long name for an eel"]
TREE = Hierarchy([[0, 3], [1, 4], [5, 6], [7, 2]], names=NAMES)
IN_ORDER = [NAMES[i] for i in TREE.leaf_order]


def random_tree(n_objects: int, seed: int) -> Hierarchy:
    rng = np.random.default_rng(seed)
    alive, merges = list(range(n_objects)), []
    while len(alive) > 1:
        a, b = (alive.pop(rng.integers(len(alive))) for _ in range(2))
        merges.append([a, b])
        alive.append(n_objects + len(merges) - 1)
    return Hierarchy(merges, names=[f"object number {i}" for i in range(n_objects)])


SHAPES = ["left", "top", "radial"]


def labels(ax):
    return [text for text in ax.texts if str(text.get_gid()).startswith("leaf-")]


def drawn_lines(ax):
    return [c for c in ax.collections if isinstance(c, LineCollection)]


@pytest.mark.parametrize("orientation", SHAPES)
@pytest.mark.parametrize("n_clusters", [None, 2])
def test_each_leaf_is_labelled_once_and_each_merge_drawn_once(orientation, n_clusters):
    ax = plot_hierarchy(TREE, orientation=orientation, n_clusters=n_clusters)

    assert [label.get_text() for label in labels(ax)] == IN_ORDER
    links, *stems = drawn_lines(ax)
    assert len(links.get_segments()) == 4
    assert [len(s.get_segments()) for s in stems] == ([2] if n_clusters else [])


def test_first_leaf_is_on_top_and_the_root_on_the_left():
    ax = plot_hierarchy(TREE)

    first, last = labels(ax)[0], labels(ax)[-1]
    assert first.get_position()[1] > last.get_position()[1]
    root = drawn_lines(ax)[0].get_segments()[-1]
    assert root[1][0] < min(root[0][0], root[-1][0])


@pytest.mark.parametrize("orientation", SHAPES)
@pytest.mark.parametrize("n_objects", [1, 2, 12, 100, 400])
def test_no_name_is_clipped_and_no_two_overlap(orientation, n_objects):
    tree = random_tree(n_objects, seed=n_objects)
    ax = plot_hierarchy(tree, orientation=orientation, n_clusters=1)
    width, height = ax.figure.get_size_inches() * 25.4
    assert width <= 181
    assert height <= 254
    ax.figure.canvas.draw()

    boxes = [label.get_window_extent() for label in labels(ax)]
    figure = ax.figure.bbox
    for box in boxes:
        assert box.x0 >= figure.x0
        assert box.x1 <= figure.x1
        assert box.y0 >= figure.y0
        assert box.y1 <= figure.y1
    for box, following in itertools.pairwise(boxes if orientation != "radial" else ()):
        assert not box.overlaps(following)
    assert labels(ax)[0].get_fontsize() >= 5


def test_clusters_have_their_colours_and_what_joins_them_is_neutral():
    palette = ["#ff0000", "#00ff00"]
    ax = plot_hierarchy(TREE, n_clusters=2, palette=palette)

    links, stems = drawn_lines(ax)
    assert [to_hex(c) for c in links.get_colors()] == ["#ff0000"] * 3 + ["#6b6b6b"]
    assert [to_hex(c) for c in stems.get_colors()] == palette
    colours = [to_hex(label.get_color()) for label in labels(ax)]
    assert len(set(colours[:4])) == 1
    assert colours[4] != colours[0]


@pytest.mark.parametrize("orientation", SHAPES)
def test_pictures_stand_at_their_leaves_without_overlap(tmp_path, orientation):
    path = tmp_path / "a.png"
    Image.new("RGB", (300, 150), "red").save(path)
    floats, grey = np.random.default_rng(0).random((40, 20, 3)), np.zeros((9, 9), dtype=np.uint8)
    pictures = [path, str(path), floats, grey, None]
    ax = plot_hierarchy(TREE, orientation=orientation, pictures=pictures)
    ax.figure.canvas.draw()

    names = labels(ax)
    extents = [image.get_window_extent() for image in ax.images]
    assert len(extents) == 4
    if orientation != "radial":
        across = 1 if orientation == "left" else 0
        of_names = [
            name.get_position()[across] * ax.figure.dpi
            for name in names
            if "eel" not in name.get_text()
        ]
        middles = [(box.min[across] + box.max[across]) / 2 for box in extents]
        assert middles == pytest.approx(of_names, abs=0.6)  # the eel has no picture
    texts = [name.get_window_extent() for name in names]
    for i, extent in enumerate(extents):
        others = extents[:i] + extents[i + 1 :] + texts
        assert not any(extent.overlaps(other) for other in others)


@pytest.mark.parametrize(
    ("pictures", "error", "message"),
    [
        (["a.png"], InputError, "pictures: expected 5 pictures, one per object, got 1"),
        ("a.png", InputKindError, "pictures: expected a list"),
        (
            ["no.png", None, None, None, None],
            InputError,
            r"no\.png .*object 0.: there is no such file",
        ),
        ([None, np.zeros(3), None, None, None], InputKindError, "picture of object 1 must be"),
    ],
)
def test_wrong_pictures_are_refused(pictures, error, message):
    with pytest.raises(error, match=message):
        plot_hierarchy(TREE, pictures=pictures)


@pytest.mark.parametrize("broken", [b"", b"not a picture", b"truncated"])
def test_files_that_are_no_pictures_are_refused_by_name(tmp_path, broken):
    path = tmp_path / "bad.png"
    if broken == b"truncated":
        rng = np.random.default_rng(0)
        Image.fromarray(rng.integers(0, 255, (90, 90, 3), dtype=np.uint8)).save(path)
        broken = path.read_bytes()[:2000]
    path.write_bytes(broken)

    with pytest.raises(InputError, match=r"bad\.png .*object 0"):
        plot_hierarchy(TREE, pictures=[path, None, None, None, None])


def test_drawing_on_given_axes_returns_them():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    grey = [np.zeros((9, 9))] * 5

    assert plot_hierarchy(TREE, ax=left, title="a $ title", pictures=grey) is left
    assert [text.get_text() for text in left.texts if text.get_gid() == "title"] == ["a $ title"]
    assert not right.collections
    figure.canvas.draw()


def test_long_titles_are_wrapped_into_the_figure():
    ax = plot_hierarchy(TREE, title="a long title of a small drawing " * 12)
    ax.figure.canvas.draw()

    (shown,) = [text for text in ax.texts if text.get_gid() == "title"]
    box = shown.get_window_extent()
    assert box.x1 <= ax.figure.bbox.x1
    assert box.y1 <= ax.figure.bbox.y1


def test_hierarchy_plot_is_the_same_drawing_and_pyplot_is_left_alone():
    backend = matplotlib.rcParams._get_backend_or_none()
    pyplot = sys.modules.get("matplotlib.pyplot")
    before = pyplot.get_fignums() if pyplot else []
    ax = TREE.plot(n_clusters=2)

    assert [label.get_text() for label in labels(ax)] == IN_ORDER
    assert matplotlib.rcParams._get_backend_or_none() == backend
    assert (pyplot.get_fignums() if pyplot else []) == before


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89")],
)
def test_files_are_written_in_the_format_of_their_extension(tmp_path, suffix, start):
    path = tmp_path / f"tree.{suffix}"

    assert save_plot(TREE, str(path), n_clusters=2, title="x") == path
    assert path.read_bytes().startswith(start)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_drawings_have_no_more_pixels_than_can_be_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr("ordlink.plotting._dendrogram.LARGEST_PIXELS", 600)
    save_plot(TREE, tmp_path / "tree.png", dpi=400)

    with Image.open(tmp_path / "tree.png") as image:
        assert 590 <= max(image.size) <= 600


def test_dollar_signs_in_names_make_no_formula():
    ax = plot_hierarchy(Hierarchy([[0, 1]], names=["$x_1$", "$\\oops$"]))
    ax.figure.canvas.draw()

    assert not any(label.get_parse_math() for label in labels(ax))


def test_names_in_other_scripts_are_drawn_without_an_error():
    tree = Hierarchy([[0, 1]], names=["熊猫", "two\u2028lines"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # this machine may have no font for them
        ax = plot_hierarchy(tree)
        ax.figure.canvas.draw()

    assert [label.get_text() for label in labels(ax)] == ["熊猫", "two lines"]


def test_impossible_options_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"tree\.bmp: .* \.png, \.svg or \.pdf, got '\.bmp'"):
        save_plot(TREE, tmp_path / "tree.bmp")
    with pytest.raises(InputError, match="no extension"):
        save_plot(TREE, tmp_path / "tree")
    with pytest.raises(InputError, match="there is no folder"):
        save_plot(TREE, tmp_path / "no" / "tree.png")
    with pytest.raises(InputKindError, match="save_plot makes its own figure"):
        save_plot(TREE, tmp_path / "tree.png", ax=None)
    with pytest.raises(InputError, match="orientation: expected 'left', 'top' or 'radial'"):
        plot_hierarchy(TREE, orientation="up")
    with pytest.raises(InputError, match="palette: expected at least one colour"):
        plot_hierarchy(TREE, palette=[])
    with pytest.raises(InputError, match=r"n_clusters: .* from 1 to 5"):
        plot_hierarchy(TREE, n_clusters=6)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save_plot(TREE, tmp_path / "tree.png")
    assert not list(tmp_path.iterdir())
