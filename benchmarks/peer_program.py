"""Run by the Python of the peer's environment: time ComparisonHC on files of triplets."""

import json
import sys
import time
import warnings

import numpy as np
from cblearn.cluster import ComparisonHC

TINY = np.array([[0, 1, 2], [1, 0, 2], [2, 1, 0], [3, 2, 0], [3, 2, 1], [0, 1, 3]])


def main(files: list[str]) -> None:
    warnings.simplefilter("ignore")
    ComparisonHC(2).fit(TINY)  # compiles the sparse arrays
    print(json.dumps([_seconds(np.load(file)) for file in files]))


def _seconds(triplets: np.ndarray) -> float:
    start = time.perf_counter()
    ComparisonHC(2).fit(triplets)
    return time.perf_counter() - start


main(sys.argv[1:])
