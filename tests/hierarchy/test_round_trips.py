"""Trees written to other formats and read back, by us and by other programs."""

from __future__ import annotations

import shutil
import subprocess
import warnings

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from tests.strategies import NAMES, hierarchies

ODD = (
    *("polar bear", "it's", "a,b", "Müller", "😀 emoji", "(x)[y]:1;", "a_b", 'say "hi"', "x=y"),
    *("#hash", "a/b", "1e5", "'q'", "a|b", "&amp", "a\\b", "{c}", "  two  blanks ", "熊猫", "0"),
)
"""Names with everything that is special in some program."""
ODD_TREE = Hierarchy.from_scikit(
    [[0, 1], *([len(ODD) + t, t + 2] for t in range(len(ODD) - 2))], names=ODD
)


@st.composite
def annotated(draw: st.DrawFn, **options: int) -> Hierarchy:
    """Draw a tree with support and names of branches, both for some of them."""
    tree = draw(hierarchies(**options))
    n_merges = tree.n_objects - 1
    one_each = {"min_size": n_merges, "max_size": n_merges}
    shares = st.just(np.nan) | st.integers(0, 1000).map(lambda share: share / 1000)
    tree = tree.with_support(draw(st.lists(shares, **one_each)))
    return tree.with_branch_names(draw(st.lists(st.none() | NAMES, **one_each)))


@given(annotated())
def test_json_gives_the_same_tree(tree):
    again = Hierarchy.from_json(tree.to_json())

    assert again == tree
    assert again.branch_names == tree.branch_names


@given(annotated())
def test_networkx_gives_the_same_tree(tree):
    assert Hierarchy.from_networkx(tree.to_networkx()) == tree


@given(hierarchies())
def test_linkage_gives_the_same_merges(tree):
    again = Hierarchy.from_linkage(tree.linkage, names=tree.names)

    assert np.array_equal(again.merges, tree.merges)
    assert again.names == tree.names
    assert not again.has_heights or tree.n_objects == 1


@given(hierarchies(min_objects=2), st.randoms())
def test_linkage_keeps_heights(tree, random):
    heights = np.sort([random.random() for _ in range(tree.n_objects - 1)])
    tall = Hierarchy(tree.merges, heights=heights)
    again = Hierarchy.from_linkage(tall.to_linkage())

    assert np.array_equal(again.merges, tree.merges)
    assert np.array_equal(again.heights, heights)
    ranks = Hierarchy.from_linkage(tall.to_linkage(), heights="rank")
    assert np.array_equal(ranks.merges, tree.merges)
    assert not ranks.has_heights


@pytest.mark.parametrize("spelling", ["plain", "quoted"])
@given(tree=annotated())
def test_newick_gives_the_same_tree(spelling, tree):
    # Scores and tie marks are in no Newick file, nor is support of the root.
    support = tree.support.copy()
    support[-1:] = np.nan
    expected = Hierarchy(
        tree.merges, names=tree.names, support=support, branch_names=tree.branch_names
    )
    text = tree.to_newick(names=spelling)

    if len(set(tree.labels_text)) == tree.n_objects:
        assert (
            Hierarchy.from_newick(text, names=tree.labels_text).with_names(tree.names) == expected
        )
    ordered = Hierarchy.from_newick(text)
    order = tree.leaf_order.tolist()
    if ordered.names is not None:
        assert ordered == expected.with_names(expected.labels_text).restrict(order)


@given(hierarchies(min_objects=2), st.randoms())
def test_newick_keeps_heights_to_six_digits(tree, random):
    heights = np.sort([random.random() for _ in range(tree.n_objects - 1)])
    tall = Hierarchy(tree.merges, heights=heights)
    again = Hierarchy.from_newick(tall.to_newick())

    ours = {tuple(members): tall.heights[t] for t, (_, members) in enumerate(tall.clusters())}
    for t, (_, members) in enumerate(again.clusters()):
        assert again.heights[t] == pytest.approx(ours[tuple(members)], abs=1e-4)


@given(hierarchies(), st.data())
def test_collapsed_branches_come_back_as_ties_without_support(tree, data):
    share = st.sampled_from([0.2, 0.9])
    support = data.draw(st.lists(share, min_size=tree.n_objects - 1, max_size=tree.n_objects - 1))
    text = Hierarchy(tree.merges, support=support).to_newick(min_support=0.5)
    again = Hierarchy.from_newick(text)

    assert again.n_tied_merges == sum(share < 0.5 for share in support[:-1])
    assert (again.support[again.tied] == 0).all()
    kept = {tuple(m) for t, (_, m) in enumerate(again.clusters()) if not again.tied[t]}
    ours = {tuple(m) for t, (_, m) in enumerate(tree.clusters()) if support[t] > 0.5}
    assert kept == ours | {tuple(range(tree.n_objects))} - {(0,)}


def test_foreign_newick_is_read():
    tree = Hierarchy.from_newick(
        "[&R] (('Homo sapiens':1.5[a comment],Pan_troglodytes:1.5)\n  97:1,\n Mus:2.5,Rattus:2)99;"
    )

    assert tree.names == ("Homo sapiens", "Pan troglodytes", "Mus", "Rattus")
    assert tree.support.tolist() == [0.97, 0.0, 0.99]
    assert tree.tied.tolist() == [False, True, False]
    assert tree.heights.tolist() == [1.5, 2.5, 2.5]
    assert Hierarchy.from_newick("((a_b,c),d);", underscores=True).names == ("a_b", "c", "d")
    assert Hierarchy.from_newick("(((a)x,b)y)z;").branch_names == ("y",)
    assert Hierarchy.from_newick("((a,b)1950,c)2000;").branch_names == ("1950", "2000")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected ';' at the end"),
        ("(a,b)", "expected ';' at the end .* truncated"),
        ("((a,b);", r"character 7: expected '\)' for each '\('"),
        ("(a,b));", "expected ';' after the last bracket"),
        ("(a:x,b);", "character 4: expected a length after ':', got 'x'"),
        ("(a,b);(c,d);", r"expected one tree, but '\(c,d\);' follows"),
        ("(a,);", "leaf 2 has no name"),
        ("(a b,c);", "got 'b'"),
        ("('a,b);", "character 2: expected a closing quotation mark"),
        ("(a:-1,b:1);", "has the length -1, which is negative"),
        ("(a(b,c));", "before a new bracket"),
    ],
)
def test_broken_newick_is_refused_with_its_place(text, message):
    with pytest.raises(InputError, match=message):
        Hierarchy.from_newick(text)


@given(st.text("(),;:'[]ab1.0 ", max_size=30))
def test_any_text_gives_a_tree_or_a_clean_error(text):
    try:
        tree = Hierarchy.from_newick(text)
    except InputError:
        return
    assert Hierarchy.from_newick(tree.to_newick()).n_objects == tree.n_objects


def test_names_number_the_objects():
    tree = Hierarchy.from_newick("((c:1,a:1):1,b:2);", names=["a", "b", "c"])

    assert tree.merges.tolist() == [[0, 2], [3, 1]]
    with pytest.raises(InputError, match=r"the 3 leaves .* only one of both has 'b', 'x'"):
        Hierarchy.from_newick("((c,a),b);", names=["a", "x", "c"])


def test_graphs_that_are_no_trees_are_refused():
    for edges in ([(0, 1), (1, 0)], [(0, 1), (2, 1)], [(0, 1), (2, 3)], [(0, 1), (2, 3), (3, 2)]):
        with pytest.raises(InputError, match="expected a tree with one root"):
            Hierarchy.from_networkx(networkx.DiGraph(edges))
    with pytest.raises(InputKindError, match="direct edges"):
        Hierarchy.from_networkx(networkx.Graph([(0, 1)]))


def test_a_fitted_scikit_model_gives_its_tree():
    from sklearn.cluster import AgglomerativeClustering

    points = np.array([[0.0], [1.0], [5.0], [9.0]])
    model = AgglomerativeClustering(distance_threshold=0, n_clusters=None).fit(points)
    tree = Hierarchy.from_scikit(model, names=list("abcd"))

    assert np.array_equal(np.sort(tree.merges), np.sort(model.children_))
    assert np.array_equal(tree.heights, model.distances_)
    with pytest.raises(InputKindError, match="expected a fitted model"):
        Hierarchy.from_scikit(AgglomerativeClustering())


@pytest.mark.parametrize(
    ("linkage", "message"),
    [
        ([[0, 1]], "expected the shape"),
        ([[0, 1.5, 1, 2]], "expected whole numbers, but merge 0 joins node 1.5"),
        ([[0, np.nan, 1, 2]], "expected whole numbers"),
        ([[0, 1, 2, 2], [2, 3, 1, 3]], "heights that rise"),
        ([[0, 1, -1, 2]], "heights that rise"),
    ],
)
def test_wrong_linkages_are_refused(linkage, message):
    with pytest.raises(InputError, match=message):
        Hierarchy.from_linkage(linkage)


def test_files_in_newick_are_loaded(tmp_path):
    path = tmp_path / "tree.nwk"
    path.write_text(ODD_TREE.to_newick() + "\n", encoding="utf-8")

    assert Hierarchy.load(path) == ODD_TREE
    path.write_text("(a,b", encoding="utf-8")
    with pytest.raises(InputError, match=r"tree\.nwk: expected ';'"):
        Hierarchy.load(path)


def test_rare_characters_and_other_blanks_are_quoted():
    names = ["a\u3000b", "a\ufe50b", "a\u00a0b"]
    tree = Hierarchy([[0, 1], [2, 3]], names=names)

    assert tree.to_newick().count("'") == 6
    assert Hierarchy.from_newick(tree.to_newick()) == tree


# What other programs read.


def read_by_dendropy(text: str) -> list[str]:
    dendropy = pytest.importorskip("dendropy")
    tree = dendropy.Tree.get(data=text, schema="newick", preserve_underscores=True)
    return [leaf.taxon.label for leaf in tree.leaf_node_iter()]


def read_by_ete(text: str) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own syntax
        ete3 = pytest.importorskip("ete3", exc_type=ImportError)
    return ete3.Tree(text, format=1).get_leaf_names()


def read_by_toytree(text: str) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        toytree = pytest.importorskip("toytree", exc_type=ImportError)
    return [node.name for node in toytree.tree(text).traverse("preorder") if node.is_leaf()]


def read_by_ape(text: str) -> list[str]:
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    program = (
        "if (!requireNamespace('ape', quietly = TRUE)) quit(status = 9);"
        "con <- file('stdin', encoding = 'UTF-8');"
        "tree <- ape::read.tree(text = readLines(con, encoding = 'UTF-8'));"
        "writeLines(tree$tip.label, useBytes = TRUE)"
    )
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", program], input=text.encode() + b"\n", capture_output=True,
        check=False,
    )  # fmt: skip
    if done.returncode == 9:
        pytest.skip("R's package ape is not installed")
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


READERS = [read_by_dendropy, read_by_ete, read_by_toytree, read_by_ape]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("annotated", [False, True])
def test_other_programs_read_the_same_tips(read, annotated):
    tree = ODD_TREE
    if annotated:
        tree = tree.with_support(np.linspace(0, 1, len(ODD) - 1)).name_branches({20: "b, c"})
    text = tree.to_newick()

    spelt = [Hierarchy([], names=[name]).to_newick()[:-1] for name in ODD]
    assert sorted(read(text)) == sorted(spelt)
    # ... from which our reading makes the names again
    again = [Hierarchy.from_newick(f"{name};").labels_text[0] for name in read(text)]
    assert sorted(again) == sorted(ODD)


@pytest.mark.parametrize("read", READERS[:3])
@settings(max_examples=30, deadline=None)
@given(tree=annotated(min_objects=2))
def test_other_programs_read_any_tree(read, tree):
    names = [f"{i} {name}" for i, name in enumerate(tree.labels_text)]
    text = tree.with_names(names).to_newick()
    if "'" in text:
        return  # a rare character: quoted, as documented

    found = [Hierarchy.from_newick(f"{name};").labels_text[0] for name in read(text)]
    assert sorted(found) == sorted(names)


def test_dendropy_reads_blanks_as_the_format_defines_them():
    dendropy = pytest.importorskip("dendropy")
    tree = dendropy.Tree.get(
        data=Hierarchy([[0, 1]], names=["a b", "c"]).to_newick(), schema="newick"
    )

    assert [leaf.taxon.label for leaf in tree.leaf_node_iter()] == ["a b", "c"]
