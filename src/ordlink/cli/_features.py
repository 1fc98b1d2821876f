"""The table of features that answers are simulated from."""

from __future__ import annotations

import math

import numpy as np

from ordlink.cli._messages import counted, shown
from ordlink.cli._tables import read_rows
from ordlink.datasets import FeatureTable
from ordlink.errors import InputError


def read_features(path: str) -> FeatureTable:
    """Return the features in a CSV file with a header; columns "name" and "class" may be there."""
    rows = read_rows(path)
    if len(rows) < 4:
        raise InputError(
            f"{path}: expected a header and at least three objects, got "
            f"{counted(len(rows), 'line')}"
        )
    titles = rows[0][1]
    header = [cell.lower() for cell in titles]
    columns = [number for number, name in enumerate(header) if name not in {"name", "class"}]
    if not columns:
        raise InputError(f"{path}: expected columns of numbers besides 'name' and 'class'")
    features, names, classes = [], [], []
    for number, (line, cells) in enumerate(rows[1:]):
        where = f"{path}, line {line}"
        if len(cells) != len(header):
            raise InputError(
                f"{where}: expected {counted(len(header), 'column')}, got {len(cells)}"
            )
        features.append(
            [_feature(cells[c], f"{where}, column {shown(titles[c])}") for c in columns]
        )
        names.append(cells[header.index("name")] if "name" in header else f"object {number}")
        if not names[-1]:
            raise InputError(f"{where}: the name is empty; fill it in or leave out the object")
        classes.append(cells[header.index("class")] if "class" in header else "")
    class_names, labels = np.unique(classes, return_inverse=True)
    return FeatureTable(
        features=np.array(features),
        feature_names=tuple(header[column] for column in columns),
        names=tuple(names),
        classes=labels,
        class_names=tuple(map(str, class_names)),
        citation="",
        licence="",
    )


def _feature(cell: str, where: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        got = shown(cell) if cell else "an empty cell"
        raise InputError(
            f"{where}: expected a number, got {got}; fill it in or leave out the object"
        )
    return number
