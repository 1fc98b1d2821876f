"""A figure for a page: order of leaves, heights, overview, clusters, pictures, sizes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.plotting import order_leaves, plot_hierarchy, save_plot, save_plots
from ordlink.plotting._overview import overview
from ordlink.plotting._page import LEAST_FONT
from tests.strategies import hierarchies

# {0,1}, {2,3,4}: the second is larger; dissimilarities of its own where a test adds them.
TREE = Hierarchy([[0, 1], [2, 3], [4, 6], [5, 7]], names=["emu", "bee", "dog", "ant", "cat"])
SHAPES = ["left", "top", "radial"]


def texts(ax, prefix):
    return [t.get_text() for t in ax.texts if str(t.get_gid()).startswith(prefix)]


def legend(ax):
    return " ".join(t.get_text() for t in ax.texts if t.get_gid() is None)


def deep_tree(n_objects):
    """Return a tree of one long chain."""
    return Hierarchy([[0, 1], *([n_objects + t, t + 2] for t in range(n_objects - 2))])


# --- order --------------------------------------------------------------------------------------


@given(hierarchies(), st.sampled_from(["tree", "size", "name"]))
def test_every_order_keeps_clusters_together(tree, order):
    found = order_leaves(tree, order)

    place = np.argsort(found)
    for _, members in tree.clusters():
        assert np.ptp(place[members]) == len(members) - 1


def test_orders_flip_branches():
    assert order_leaves(TREE, "tree").tolist() == [0, 1, 2, 3, 4]
    assert order_leaves(TREE, "size").tolist() == [2, 3, 4, 0, 1]
    assert order_leaves(TREE, "name").tolist() == [3, 2, 4, 1, 0]
    assert order_leaves(TREE, ["cat", "emu"]).tolist() == [4, 2, 3, 0, 1]
    drawn = texts(plot_hierarchy(TREE, order="name"), "leaf-")
    assert drawn == ["ant", "dog", "cat", "bee", "emu"]


def test_the_optimal_order_puts_similar_objects_side_by_side():
    similarities = np.zeros((5, 5))
    similarities[0, 4] = similarities[4, 0] = 5.0

    order = order_leaves(TREE, "optimal", similarities).tolist()

    assert abs(order.index(0) - order.index(4)) == 1
    best = _cost(order, similarities)
    for flips in itertools.product([False, True], repeat=4):
        assert best <= _cost(_flipped(TREE, flips), similarities)


def _cost(order, similarities):
    return -sum(similarities[i, j] for i, j in itertools.pairwise(order))


def _flipped(tree, flips):
    under = [[i] for i in range(tree.n_objects)]
    for (left, right), flip in zip(tree.merges.tolist(), flips, strict=True):
        under.append(under[right] + under[left] if flip else under[left] + under[right])
    return under[-1]


@pytest.mark.parametrize(
    ("order", "similarities", "message"),
    [
        ("best", None, "order: expected 'tree'"),
        (["cow"], None, "order: expected names of objects, got 'cow'"),
        ("optimal", None, "needs to know how similar"),
        ("optimal", np.zeros((4, 4)), r"similarities: .*\(5, 5\)"),
    ],
)
def test_impossible_orders_are_refused(order, similarities, message):
    with pytest.raises((InputError, InputKindError), match=message):
        plot_hierarchy(TREE, order=order, similarities=similarities)


# --- heights ------------------------------------------------------------------------------------


@pytest.mark.parametrize("orientation", SHAPES)
def test_without_heights_of_its_own_a_tree_is_a_cladogram_and_says_so(orientation):
    ax = plot_hierarchy(TREE, orientation=orientation)

    assert "lengths of branches have no meaning" in legend(ax)
    assert texts(ax, "heights") == []


@pytest.mark.parametrize("orientation", SHAPES)
@pytest.mark.parametrize("heights", ["rank", "depth"])
def test_ranks_and_depths_are_never_drawn_as_if_they_were_distances(heights, orientation):
    ax = plot_hierarchy(TREE, heights=heights, orientation=orientation)

    assert "not a distance" in " ".join([*texts(ax, "heights"), legend(ax)])


def test_dissimilarities_of_a_tree_are_drawn_if_it_has_them():
    tree = Hierarchy(TREE.merges, heights=[0.1, 0.2, 0.2, 0.8], method="4-AL")

    ax = plot_hierarchy(tree)

    foreign = plot_hierarchy(Hierarchy.from_linkage(tree.to_linkage()))
    assert texts(foreign, "heights") == ["height"]
    assert texts(ax, "heights") == ["probability of being judged less alike than a random pair"]
    links = ax.collections[0].get_segments()
    leaf_line = links[0][0][0]
    assert [(leaf_line - link[1][0]) for link in links] == pytest.approx(
        [(leaf_line - links[-1][1][0]) * h for h in (1 / 8, 1 / 4, 1 / 4, 1)]
    )


def test_heights_that_are_unknown_are_not_drawn():
    assert "no meaning" in legend(plot_hierarchy(TREE))
    with pytest.raises(InputError, match="heights: this tree has no dissimilarities"):
        plot_hierarchy(TREE, heights="dissimilarity")


# --- clusters -----------------------------------------------------------------------------------


def test_clusters_are_numbered_from_1_by_size_with_their_names():
    plain = plot_hierarchy(TREE, n_clusters=2)
    named = plot_hierarchy(TREE, n_clusters=2, cluster_names=["mammals", "birds"])

    assert texts(plain, "cluster-label") == ["2 (2)", "1 (3)"]
    assert texts(named, "cluster-label") == ["2 birds (2)", "1 mammals (3)"]
    with pytest.raises(InputError, match="cluster_names: expected 2 names, one per cluster, got 1"):
        plot_hierarchy(TREE, n_clusters=2, cluster_names=["mammals"])
    with pytest.raises(InputError, match="cluster_names: cluster names need a number of clusters"):
        plot_hierarchy(TREE, cluster_names=["mammals"])


@given(hierarchies(), st.data())
def test_numbers_of_clusters_fall_with_their_size(tree, data):
    k = data.draw(st.integers(1, tree.n_objects))

    found = tree.partition(k)

    assert len(found.sizes) == k
    assert (np.diff(found.sizes) <= 0).all()
    assert len(set(zip(found.labels.tolist(), tree.cut(k).tolist(), strict=True))) == k


def test_objects_set_aside_are_grey_and_named_in_the_legend():
    n = 40
    merges = [[0, 1], *([n + k, k + 2] for k in range(18)), [20, 21]]
    merges += [[len(merges) - 1 + n + k, k + 22] for k in range(17)]
    merges += [[n + 18, n + len(merges) - 1]]
    merges += [[n + len(merges) - 1, 39]]  # one object above both clusters
    evidence = np.zeros(n - 1)
    evidence[-2:] = 50.0
    tree = Hierarchy(merges, evidence=evidence)

    ax = plot_hierarchy(tree, n_clusters=2)

    assert tree.partition(2).set_aside == [39]
    assert tree.to_text(n_clusters=2).splitlines()[-1].startswith("-   39")
    assert texts(ax, "cluster-label") == ["1 (20)", "2 (19)"]
    assert "grey names, set aside: 39" in legend(ax)
    grey = [t.get_text() for t in ax.texts if t.get_color() == "#808080"]
    assert grey == ["39"]


# --- overview -----------------------------------------------------------------------------------


@given(hierarchies(), st.data())
def test_an_overview_holds_every_object_once_in_clusters_of_the_tree(tree, data):
    most = data.draw(st.integers(1, tree.n_objects))
    n_clusters = data.draw(st.integers(1, most))

    found = overview(tree, most, tree.leaf_order, tree.cut_nodes(n_clusters).tolist())

    assert len(found.members) == found.tree.n_objects == most
    assert sorted(np.concatenate(found.members).tolist()) == list(range(tree.n_objects))
    clusters = {tuple(members.tolist()) for _, members in tree.clusters()}
    clusters |= {(i,) for i in range(tree.n_objects)}
    assert {tuple(sorted(group.tolist())) for group in found.members} <= clusters
    cut, numbers = tree.cut(n_clusters), found.tree.cut(n_clusters)
    pairs = {(int(cut[i]), int(numbers[g])) for g, m in enumerate(found.members) for i in m}
    assert len(pairs) == n_clusters


def test_more_leaves_than_are_legible_become_groups():
    ax = plot_hierarchy(deep_tree(3000))

    names = [t for t in ax.texts if str(t.get_gid()).startswith("leaf-")]
    assert 50 < len(names) < 150
    assert min(name.get_fontsize() for name in names) >= 5
    assert "3,000 objects; triangles are groups" in legend(ax)
    assert len(ax.patches) == 1  # of a chain, only the innermost leaf is a group


def test_a_tall_page_shows_every_name_and_max_leaves_fewer():
    tree = deep_tree(300)

    tall, few = plot_hierarchy(tree, page="tall"), plot_hierarchy(tree, max_leaves=10)

    assert len(texts(tall, "leaf-")) == 300
    assert tall.figure.get_size_inches()[1] > 11.7
    assert len(texts(few, "leaf-")) == 10
    assert texts(few, "leaf-")[0].startswith("291 objects: 0, 1, 2")


# --- pictures -----------------------------------------------------------------------------------

GREY = np.full((20, 30), 120, dtype=np.uint8)


@pytest.mark.parametrize("orientation", SHAPES)
@pytest.mark.parametrize("pictures_at", ["leaves", "groups"])
def test_pictures_of_many_leaves_fit_the_page_without_overlap(orientation, pictures_at):
    tree = deep_tree(60)
    ax = plot_hierarchy(
        tree, orientation=orientation, pictures=[GREY] * 60, n_clusters=3, pictures_at=pictures_at
    )

    ax.figure.canvas.draw()
    width, height = ax.figure.get_size_inches() * 25.4
    assert width <= 181
    assert height <= 254
    boxes = [image.get_window_extent() for image in ax.images]
    assert (len(boxes) == 60) == (pictures_at == "leaves")
    page = ax.figure.bbox
    for box in boxes:
        assert page.x0 - 0.5 <= box.x0 < box.x1 <= page.x1 + 0.5
        assert page.y0 - 0.5 <= box.y0 < box.y1 <= page.y1 + 0.5
    for one, other in itertools.combinations(boxes, 2):
        assert not one.padded(-0.6).overlaps(other.padded(-0.6))
    if pictures_at == "leaves" and orientation == "left":
        assert min(box.height for box in boxes) / ax.figure.dpi > 0.35  # 9 mm


def test_long_names_do_not_cover_the_pictures():
    square = np.full((60, 60), 120, dtype=np.uint8)
    tree = deep_tree(60).with_names([f"bottle-{n:02d}" for n in range(60)])

    ax = plot_hierarchy(tree, pictures=[square] * 60)

    ax.figure.canvas.draw()
    pictures = [image.get_window_extent() for image in ax.images]
    captions = [text for text in ax.texts if text.get_fontsize() == LEAST_FONT]
    assert len(captions) == 60
    for text in captions:
        box = text.get_window_extent()
        assert not any(box.padded(-0.6).overlaps(one) for one in pictures)


def test_pictures_of_groups_need_a_cut():
    with pytest.raises(InputError, match="pictures_at: 'groups' needs a cut"):
        plot_hierarchy(TREE, pictures=[GREY] * 5, pictures_at="groups")


# --- sizes and files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "columns", "width"),
    [("A4", 2, 180), ("A4", 1, 87), ("A5", 2, 118), ("letter", 2, 186)],
)
def test_figures_are_as_wide_as_the_text_or_one_column(page, columns, width):
    ax = plot_hierarchy(TREE, page=page, columns=columns)

    assert ax.figure.get_size_inches()[0] * 25.4 == pytest.approx(width, abs=0.6)


def test_given_axes_keep_their_figure_and_hold_the_whole_tree():
    figure = Figure(figsize=(4, 3))
    ax = figure.subplots()

    plot_hierarchy(TREE, ax=ax, n_clusters=2)

    figure.canvas.draw()
    box = ax.get_window_extent()
    assert tuple(figure.get_size_inches()) == (4, 3)
    for text in ax.texts:
        assert box.contains(*text.get_window_extent().min)
        assert box.contains(*text.get_window_extent().max)


def test_the_same_tree_gives_the_same_files(tmp_path):
    for suffix in ("pdf", "svg", "png"):
        first, second = (save_plot(TREE, tmp_path / f"{n}.{suffix}", n_clusters=2) for n in "ab")
        assert first.read_bytes() == second.read_bytes()


def test_text_of_vector_files_stays_text(tmp_path):
    save_plots(TREE, [tmp_path / "a.svg", tmp_path / "a.pdf"])

    assert ">emu<" in (tmp_path / "a.svg").read_text()
    assert b"/Type0" in (tmp_path / "a.pdf").read_bytes()  # TrueType, not outlines


def test_letters_that_no_font_has_are_named_where_they_become_boxes(tmp_path):
    tree = Hierarchy([[0, 1]], names=["𓀀𓀁", "b"])
    with pytest.warns(OrdlinkWarning, match="no font here has the letters 𓀀𓀁, .* install") as said:
        save_plot(tree, tmp_path / "tree.svg")
        save_plot(tree, tmp_path / "tree.png")

    assert len(said) == 1
    assert "𓀀𓀁" in (tmp_path / "tree.svg").read_text(encoding="utf-8")
