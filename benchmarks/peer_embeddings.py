"""Run by the Python of the peer's environment: time cblearn's embeddings on files of triplets."""

import json
import sys
import time
import warnings

import numpy as np
from cblearn.embedding import FORTE, TSTE

EMBEDDINGS = {"t-STE": TSTE, "FORTE": FORTE}


def main(method: str, dimension: int, n_objects: int, files: list[str]) -> None:
    warnings.simplefilter("ignore")
    seconds = []
    for file in files:
        estimator = EMBEDDINGS[method](dimension, random_state=0)
        triplets = np.load(file)
        start = time.perf_counter()
        estimator.fit(triplets, n_objects=n_objects)
        seconds.append(time.perf_counter() - start)
        np.save(f"{file}.points.npy", estimator.embedding_)
    print(json.dumps(seconds))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
