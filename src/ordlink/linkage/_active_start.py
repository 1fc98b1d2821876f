"""What active linkage does first: check the oracle, put a memory before it, set up the slots."""

from __future__ import annotations

from collections.abc import Sequence

from ordlink.errors import InputError
from ordlink.linkage._start import Start, start_from
from ordlink.oracles import AskOnce, Oracle, check_oracle
from ordlink.typing import AnyArray


def start_asking(
    oracle: Oracle, initial_clusters: Sequence[Sequence[int] | AnyArray] | None
) -> tuple[Start, AskOnce]:
    """Return the clusters to start from and an oracle that asks each question once.

    Raises
    ------
    InputError, InputKindError
        If `oracle` is not an oracle, has a single object, or the clusters do not fit.
    """
    n_objects = int(check_oracle(oracle).n_objects)
    if n_objects < 2:
        raise InputError("a tree needs at least two objects, got one")
    return start_from(n_objects, initial_clusters), AskOnce(oracle)
