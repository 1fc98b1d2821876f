"""
Cars, with their pictures
=========================

60 pictures of cars; people said which of three is the most central (Kleindessner and von Luxburg,
2017). The data are fetched once, or read from the folder that ``ORDLINK_DATA`` names. Where neither
works, this example goes on with simulated answers and without pictures.
"""

import matplotlib.pyplot as plt
from sklearn.metrics import adjusted_rand_score

import ordlink as ol

try:
    car = ol.datasets.fetch_car()
    answers, classes, pictures = car.comparisons, car.classes, car.pictures
    print(car.citation)
except ol.errors.MissingDataError as error:
    print("Simulated answers, since the cars are not here:", str(error).splitlines()[0])
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=15, gap=0.2, seed=0)
    rows = ol.datasets.simulate_answers(
        planted.similarities, 6000, form="most-central", error_rate=0.2, seed=0
    )
    answers = ol.Comparisons.from_most_central(rows)
    classes, pictures = planted.labels, None
print(answers.summary())

# %%
# A tree
# ------
# ``spectral`` takes a second. The default method, ``auto``, tries more and takes longer.

tree = ol.cluster(answers, "spectral")
clusters = tree.partition(4)
print(len(clusters.set_aside), "objects are set aside")

# %%
# The authors know four classes of cars. How well do the four clusters agree with them? (Adjusted
# Rand index: 1 is perfect, 0 is chance; objects set aside count as a class of their own.)

print(round(adjusted_rand_score(classes, clusters.labels), 2))

# %%
# The figure
# ----------

fig, ax = plt.subplots(figsize=(7, 9))
tree.plot(ax=ax, n_clusters=4, pictures=pictures)
plt.show()
