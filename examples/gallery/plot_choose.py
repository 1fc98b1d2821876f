"""
Choosing a method
=================

Without a known truth, methods are compared by how well their trees predict answers that were held
out. Differences within one standard error count as ties.
"""

import matplotlib.pyplot as plt

import ordlink as ol

planted = ol.datasets.planted_hierarchy(depth=3, leaf_size=4, gap=0.15, seed=1)
rows = ol.datasets.simulate_answers(planted.similarities, 2000, error_rate=0.1, seed=1)
answers = ol.Comparisons.from_triplets(rows)
comparison = ol.validation.compare_methods(answers, ["spectral", "4K-AL", "4-AL", "AddS-AL"])
print(comparison.recommended, "-", comparison.reason)

# %%
# Here the truth is known, so the choice can be checked: higher accuracy should mean higher AARI.

labels = [score.label for score in comparison.scores]
for label in labels:
    tree = ol.cluster(answers, label)
    print(f"{label:10} AARI {ol.metrics.aari(planted.levels, tree):.2f}")

# %%

fig, ax = plt.subplots(figsize=(6, 2.8))
ax.errorbar(
    [score.held_out.accuracy for score in comparison.scores],
    labels,
    xerr=[score.held_out.accuracy_error for score in comparison.scores],
    fmt="o",
    capsize=3,
)
ax.invert_yaxis()
ax.set(xlabel="held-out accuracy, with standard error")
fig.tight_layout()
plt.show()
