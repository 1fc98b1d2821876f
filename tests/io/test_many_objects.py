"""Files about more objects than pair ids of 32 bits allow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ordlink as ol


@pytest.mark.parametrize("suffix", ["parquet", "npz", "jsonl", "csv"])
def test_files_of_more_than_65_535_objects_are_read_back(tmp_path: Path, suffix: str) -> None:
    rows = np.array([[0, 99_999, 1], [70_000, 80_000, 2], [99_998, 99_999, 0]])
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=100_000)
    path = tmp_path / f"answers.{suffix}"

    ol.write_comparisons(comparisons, path)

    found = ol.read_comparisons(path)
    assert found.n_objects == 100_000
    assert (found.quadruplets == comparisons.quadruplets).all()
