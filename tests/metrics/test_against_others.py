"""Measures against a known truth, held against the libraries of others."""

import dendropy
import higra
import numpy as np
import pytest
from dendropy.calculate import treecompare
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet
from scipy.sparse import csr_matrix
from scipy.spatial.distance import squareform
from sklearn.metrics import fowlkes_mallows_score
from sknetwork.hierarchy import dasgupta_cost as sknetwork_cost

from ordlink import Comparisons
from ordlink.metrics import (
    comparison_accuracy,
    cophenetic_correlation,
    dendrogram_purity,
    fowlkes_mallows,
    moseley_wang_revenue,
    normalised_robinson_foulds,
    robinson_foulds,
    triplet_distance,
)
from tests.strategies import hierarchies


def random_similarities(seed, n_objects):
    upper = np.triu(np.random.default_rng(seed).random((n_objects, n_objects)), 1)
    return upper + upper.T


def in_higra(tree):
    parents = tree.parents.astype(np.int64)
    parents[-1] = len(parents) - 1
    return higra.Tree(parents)


def in_dendropy(tree, taxa):
    return dendropy.Tree.get(
        data=tree.to_newick(), schema="newick", taxon_namespace=taxa, rooting="force-rooted"
    )


@given(hierarchies(3, 15), st.integers(0, 10**6))
def test_moseley_wang_revenue_is_what_scikit_network_leaves_of_the_most(tree, seed):
    similarities = random_similarities(seed, tree.n_objects)

    revenue = moseley_wang_revenue(similarities, tree)

    # scikit-network's cost is a mean over edges, in single precision
    total = similarities.sum() / 2
    cost = sknetwork_cost(csr_matrix(similarities), tree.linkage) * total
    assert revenue == pytest.approx(
        tree.n_objects * total - cost, abs=1e-5 * total * tree.n_objects
    )


@given(hierarchies(2, 15), st.data())
def test_dendrogram_purity_is_that_of_higra(tree, data):
    n = tree.n_objects
    labels = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    if len(set(labels)) == n:
        labels[1] = labels[0]  # higra divides by the number of pairs of one class

    purity = dendrogram_purity(labels, tree)

    assert purity == pytest.approx(higra.dendrogram_purity(in_higra(tree), np.array(labels)))


@given(st.integers(3, 15).flatmap(lambda n: st.tuples(hierarchies(n, n), hierarchies(n, n))))
def test_robinson_foulds_is_that_of_dendropy(trees):
    truth, tree = (type(tree)(tree.merges) for tree in trees)
    taxa = dendropy.TaxonNamespace([str(i) for i in range(tree.n_objects)])

    distance = robinson_foulds(truth, tree)

    theirs = treecompare.symmetric_difference(in_dendropy(truth, taxa), in_dendropy(tree, taxa))
    assert distance == theirs
    assert normalised_robinson_foulds(truth, tree) == distance / (2 * (tree.n_objects - 2))


@given(hierarchies(3, 15), st.integers(0, 10**6))
def test_cophenetic_correlation_is_that_of_scipy(tree, seed):
    similarities = random_similarities(seed, tree.n_objects)

    correlation = cophenetic_correlation(similarities, tree)

    distances = squareform(1 - similarities, checks=False)
    assert correlation == pytest.approx(cophenet(tree.linkage, distances)[0])


@given(st.integers(3, 12).flatmap(lambda n: st.tuples(hierarchies(n, n), hierarchies(n, n))))
def test_fowlkes_mallows_is_that_of_scikit_learn_at_every_cut(trees):
    truth, tree = (type(tree)(tree.merges) for tree in trees)
    cuts = range(1, tree.n_objects)

    agreement = fowlkes_mallows(truth, tree, n_clusters=cuts)

    theirs = [fowlkes_mallows_score(truth.cut(k), tree.cut(k)) for k in cuts]
    assert agreement == pytest.approx(theirs)
    assert fowlkes_mallows(truth, tree) == pytest.approx(theirs[1:])


@given(hierarchies(3, 12), st.integers(0, 10**6))
def test_accuracy_on_a_ranking_is_that_on_all_its_comparisons_listed(tree, seed):
    similarities = np.round(random_similarities(seed, tree.n_objects), 1)
    ranked = Comparisons.from_similarities(similarities)
    if not ranked.n_comparisons:
        return

    accuracy = comparison_accuracy(ranked, tree)

    assert accuracy == pytest.approx(comparison_accuracy(ranked.listed(), tree), abs=1e-12)


@given(hierarchies(3, 12), st.integers(0, 10**6))
def test_triplet_distance_to_a_relabelled_tree_counts_what_higra_joins_first(tree, seed):
    n = tree.n_objects
    order = np.random.default_rng(seed).permutation(n)
    truth = type(tree)(tree.merges).restrict(order)
    truth, tree = type(tree)(truth.merges), type(tree)(tree.merges)

    distance = triplet_distance(truth, tree)

    i, j, k = np.array([(a, b, c) for a in range(n) for b in range(a) for c in range(b)]).T
    firsts = []
    for graph in (in_higra(truth), in_higra(tree)):
        areas = higra.attribute_area(graph)
        meet = [areas[graph.lowest_common_ancestor(x, y)] for x, y in ((i, j), (i, k), (j, k))]
        firsts.append(np.argmin(meet, axis=0))
    assert distance == pytest.approx(np.mean(firsts[0] != firsts[1]))
