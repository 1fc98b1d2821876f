"""
Planning a study
================

How many answers are enough? ``plan_answers`` simulates studies like yours; ``learning_curve``
extrapolates a pilot.
"""

import matplotlib.pyplot as plt

import ordlink as ol

plan = ol.planning.plan_answers(
    16, n_clusters=4, difficulty="easy", method="AddS-AL", target=0.8, n_jobs=1, n_runs=24
)
print("enough:", plan.n_answers, "answers; between", plan.interval)

# %%
# The chance that a study reaches the target, by its number of answers:

fig, ax = plt.subplots(figsize=(6, 3.5))
numbers = [point.n_answers for point in plan.curve]
ax.semilogx(numbers, [plan.chance(n) for n in numbers], marker="o")
ax.axhline(plan.confidence, color="grey", linestyle="--")
ax.set(xlabel="answers", ylabel="chance of reaching the target", ylim=(0, 1))
fig.tight_layout()
plt.show()

# %%
# With a pilot of 400 answers: what would 400 more gain?

planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=0.2, seed=0)
rows = ol.datasets.simulate_answers(planted.similarities, 400, error_rate=0.1, seed=0)
pilot = ol.Comparisons.from_triplets(rows)
curve = ol.validation.learning_curve(pilot, "AddS-AL", n_repetitions=2)
print(curve.what_next(400))
print(curve.verdict())
