"""Arrays that cannot be changed, also after a copy."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

Array = TypeVar("Array", bound=np.ndarray)


def read_only(array: Array) -> Array:
    """Return a view that cannot be written to; the array itself stays as it is."""
    view = array.view()
    view.flags.writeable = False
    return view


class FrozenArrays:
    """Makes the arrays of a frozen dataclass read-only, also in pickled and deep copies.

    What was computed from the fields and kept beside them is left out of copies.
    """

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # subclasses are dataclasses
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, field.name, read_only(value))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        FrozenArrays.__post_init__(self)
