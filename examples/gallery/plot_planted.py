"""
Recovering a planted tree, as in the paper
==========================================

The paper plants a binary tree, draws noisy similarities, observes a random share of all
comparisons, and asks how well each method recovers the tree. The score is AARI: 1 is perfect, 0 is
chance. This is a small version; :doc:`/reproduction` has the full one.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordlink as ol

methods = ["spectral", "4-AL", "4K-AL", "AddS-AL"]
gaps = [0.05, 0.1, 0.2, 0.3]
scores = np.zeros((len(methods), len(gaps), 3))
for column, gap in enumerate(gaps):
    for seed in range(3):
        planted = ol.datasets.planted_hierarchy(depth=3, leaf_size=5, gap=gap, noise=0.1, seed=seed)
        answers = ol.Comparisons.from_similarities(planted.similarities, proportion=0.02, seed=seed)
        for row, method in enumerate(methods):
            tree = ol.cluster(answers, method)
            scores[row, column, seed] = ol.metrics.aari(planted.levels, tree)

# %%
# The larger the gap between levels, compared with the noise, the easier the tree.

fig, ax = plt.subplots(figsize=(6, 4))
for method, values in zip(methods, scores, strict=True):
    ax.errorbar(gaps, values.mean(axis=1), values.std(axis=1), marker="o", capsize=3, label=method)
ax.set(xlabel="drop in similarity per level (noise 0.1)", ylabel="AARI, mean of 3 seeds")
ax.legend()
plt.show()
