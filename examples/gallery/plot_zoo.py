"""
A zoo of 100 animals
====================

The Zoo data ship with ordlink: 100 animals with 16 features. Simulated people see three animals and
say which one is the odd one out, by comparing the features.
"""

import matplotlib.pyplot as plt

import ordlink as ol

zoo = ol.datasets.load_zoo()
rows = ol.datasets.simulate_answers(
    zoo.similarities(), 20_000, form="odd-one-out", error_rate=0.1, seed=0
)
answers = ol.Comparisons.from_odd_one_out(rows, names=zoo.names)
tree = ol.cluster(answers, "AddS-AL")
print(tree)

# %%
# The seven classes of the table (mammals, birds, ...) were not used. How well does the tree find
# them?

print(round(ol.metrics.dendrogram_purity(zoo.classes, tree), 2))

# %%
# Trees of more than about 110 objects do not fit a page with all names. ``max_leaves`` draws large
# groups as triangles.

fig, ax = plt.subplots(figsize=(7, 7))
tree.plot(ax=ax, n_clusters=7, max_leaves=40)
plt.show()
