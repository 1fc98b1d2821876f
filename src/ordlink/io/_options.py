"""The user's options for a file, and the reports on it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ordlink.errors import OrdlinkWarning


@dataclass(frozen=True)
class Options:
    """The user's options for a file, see :func:`read_comparisons`."""

    form: str | None = None
    names: Sequence[str] | None = None
    n_objects: int | None = None
    one_based: bool | None = None
    columns: Sequence[str] | None = None
    header: bool | None = None
    skip_repeated: bool = False
    items: Sequence[str] | None = None
    response: Sequence[str] | None = None
    reference: str | None = None
    missing: str = "skip"
    merge_names: bool | Mapping[str, str] = False
    sheet: str | None = None
    tell: Callable[[str], None] | None = None

    def say(self, sentence: str) -> None:
        """Report how the file was read, if the user wants to know."""
        if self.tell is not None:
            self.tell(sentence)

    def note(self, sentence: str) -> None:
        """Report what was skipped or looks wrong."""
        if self.tell is not None:
            self.tell(sentence)
        else:
            warnings.warn(sentence, OrdlinkWarning, stacklevel=2)
