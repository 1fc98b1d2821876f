"""Trees grown in another order of the objects, literally: subset, cluster, number back."""

import warnings

import numpy as np

import ordlink as ol
from ordlink.errors import OrdlinkWarning


def grow_in_order(comparisons, method, order, **options):
    """Return the tree of objects that come in this order, in their own numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        tree = ol.cluster(comparisons.subset(order), method, **options)
    own = {k: int(item) for k, item in enumerate(order)}
    merges = [[own.get(node, node) for node in merge] for merge in tree.merges.tolist()]
    return ol.Hierarchy(np.array(merges), scores=tree.scores, tied=tree.tied)


def grow_without_fold(comparisons, method, folds, fold, seed, **options):
    """Return the tree of all other folds, as held-out scores grow it."""
    order = np.random.default_rng([seed, 1 + fold]).permutation(comparisons.n_objects)
    return grow_in_order(comparisons.take(folds != fold), method, order, **options)
