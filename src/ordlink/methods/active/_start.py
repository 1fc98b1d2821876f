"""What active linkage does first: check the oracle, put a memory before it, set up the slots."""

from __future__ import annotations

from collections.abc import Sequence

from ordlink._typing import AnyArray
from ordlink.errors import InputError
from ordlink.linkage._initial_partition import InitialPartition, initial_partition
from ordlink.oracles import AskOnce, Oracle, check_oracle


def start_asking(
    oracle: Oracle, initial_clusters: Sequence[Sequence[int] | AnyArray] | None
) -> tuple[InitialPartition, AskOnce]:
    """Return the clusters to start from and an oracle that asks each question once.

    Raises
    ------
    InputError, InputKindError
        If `oracle` is not an oracle, has a single object, or the clusters do not fit.
    """
    n_objects = int(check_oracle(oracle).n_objects)
    if n_objects < 2:
        raise InputError("a tree needs at least two objects, got one")
    return initial_partition(n_objects, initial_clusters), AskOnce(oracle)
