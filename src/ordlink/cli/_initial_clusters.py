"""The file of initial clusters."""

from __future__ import annotations

from collections.abc import Sequence

from ordlink.cli._messages import counted, did_you_mean, shown
from ordlink.cli._tables import read_rows
from ordlink.errors import InputError


def read_initial_clusters(
    path: str, *, n_objects: int, names: Sequence[str] | None, one_based: bool
) -> list[list[int]]:
    """Return clusters from a file with one cluster per line.

    Objects are separated by commas, semicolons or tabs. They are names, where the objects have
    names and the entry is one of them, else numbers.
    """
    objects = _Objects(n_objects, names, one_based)
    clusters = []
    line_of: dict[int, int] = {}
    for line, cells in read_rows(path):
        cluster: list[int] = []
        for cell in filter(None, cells):
            try:
                item = objects.find(cell)
            except InputError as error:
                raise InputError(f"{path}, line {line}: {error}") from error
            if item in cluster:
                raise InputError(
                    f"{path}, line {line}: {objects.name_of(item)} is listed twice; remove one"
                )
            if item in line_of:
                raise InputError(
                    f"{path}, line {line}: {objects.name_of(item)} is already in the cluster on "
                    f"line {line_of[item]}; initial clusters must not overlap"
                )
            cluster.append(item)
        line_of.update(dict.fromkeys(cluster, line))
        clusters.append(cluster)
    if not clusters:
        raise InputError(f"{path} is empty; expected one cluster per line, objects between commas")
    return clusters


class _Objects:
    """Objects by name or number, as a user writes them."""

    def __init__(self, n_objects: int, names: Sequence[str] | None, one_based: bool) -> None:
        self.n_objects = n_objects
        self.names = names
        self.first = int(one_based)
        self.index = {name: number for number, name in enumerate(names or ())}

    def name_of(self, item: int) -> str:
        return shown(str(item + self.first) if self.names is None else self.names[item])

    def find(self, cell: str) -> int:
        if cell in self.index:
            item = self.index[cell]
            if self.names is not None and self.names.index(cell) != item:
                raise InputError(f"several objects are named {shown(cell)}; use numbers")
            return item
        is_number = cell.isascii() and cell.isdecimal() and len(cell) < 10
        item = int(cell) - self.first if is_number else -1
        if not 0 <= item < self.n_objects:
            last = self.n_objects - 1 + self.first
            known = counted(self.n_objects, "object")
            remedy = "" if self.names is None else ", or use their names"
            raise InputError(
                f"{shown(cell)} is not one of the {known}, {self.first} to {last}{remedy}"
                f"{did_you_mean(cell, self.index)}"
            )
        return item
