"""
Support and consensus
=====================

Which branches would be found again with other answers of the same kind? The bootstrap draws the
answers again and builds the tree of each sample.
"""

import matplotlib.pyplot as plt

import ordlink as ol

planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=6, gap=0.2, seed=0)
rows = ol.datasets.simulate_answers(planted.similarities, 1500, error_rate=0.15, seed=0)
answers = ol.Comparisons.from_triplets(rows, names=planted.names)
result = ol.validation.branch_support(answers, "AddS-AL", n_bootstrap=100, seed=0)

# %%
# A black dot marks firm branches (95 % or more), a white one hints (50 % or more); grey branches
# should not be interpreted.

fig, ax = plt.subplots(figsize=(6, 5))
result.tree.plot(ax=ax)
plt.show()

# %%
# The consensus tree has only the branches of more than half of the samples; what the answers do not
# resolve stays unresolved.

fig, ax = plt.subplots(figsize=(6, 5))
result.consensus().plot(ax=ax, heights="cladogram")
plt.show()
