"""
Adaptive questions
==================

If each answer is expensive, let the method choose the questions. ``adaptive`` is compared with
random questions at the same number of answers; one answer in ten is wrong.
"""

import matplotlib.pyplot as plt

import ordlink as ol
from ordlink.oracles import AskOnce, NoisyOracle, SimilarityOracle, random_questions

planted = ol.datasets.planted_hierarchy(depth=3, leaf_size=15, gap=0.2, noise=0.1, seed=0)
n = planted.n_objects
per_object = [10, 20, 40]
chosen, random = [], []
for budget in per_object:
    people = NoisyOracle(SimilarityOracle(planted.similarities), 0.1, seed=budget)
    tree = ol.cluster(people, "adaptive", budget=budget * n, seed=0)
    chosen.append(ol.metrics.aari(planted.levels, tree))

    asked = AskOnce(NoisyOracle(SimilarityOracle(planted.similarities), 0.1, seed=budget))
    asked.compare(random_questions(n, budget * n, seed=0))
    tree = ol.cluster(asked.comparisons(), "spectral")
    random.append(ol.metrics.aari(planted.levels, tree))

# %%
# :doc:`/fewest-questions` has the measurements for other trees, sizes and errors, and where random
# questions do better.

fig, ax = plt.subplots(figsize=(6, 3.5))
ax.plot(per_object, chosen, marker="o", label="adaptive")
ax.plot(per_object, random, marker="s", label="random questions, spectral")
ax.set(xlabel="questions per object", ylabel="AARI", ylim=(0, 1.05))
ax.legend()
fig.tight_layout()
plt.show()
