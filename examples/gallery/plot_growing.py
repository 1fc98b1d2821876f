"""
Growing a tree
==============

New objects arrive after the tree is built. ``insert`` finds their places with a few questions each;
the old part of the tree does not change.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordlink as ol
from ordlink.oracles import SimilarityOracle

planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=8, gap=0.3, noise=0.05, seed=0)
order = np.random.default_rng(0).permutation(planted.n_objects)
old, new = order[:28], order[28:]
known = planted.similarities[np.ix_(old, old)]
tree = ol.cluster(SimilarityOracle(known), "adaptive", budget=40 * len(old), seed=0)

# %%
# Four new objects, numbered from 28 on:

everything = planted.similarities[np.ix_(order, order)]
grown = tree.insert(SimilarityOracle(everything), seed=0)
print("certainty of their places:", np.round(grown.probabilities, 2))
print("planted clusters:", planted.labels[new])

# %%

fig, ax = plt.subplots(figsize=(6, 6))
grown.tree.plot(ax=ax, n_clusters=4)
plt.show()
