"""The user's options for a file, and the reports on it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

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
    response: str | Sequence[str] | None = None
    reference: str | None = None
    words: Sequence[str] = ()
    """What the response says for each of the items, if the user says it."""
    missing: str = "skip"
    merge_names: bool | Mapping[str, str] = False
    sheet: str | None = None
    tell: Callable[[str], None] | None = None

    def with_words(self) -> Options:
        """Return the options with a response such as "key=f/j" taken apart."""
        given = [self.response] if isinstance(self.response, str) else list(self.response or ())
        name, _, words = given[0].partition("=") if len(given) == 1 else ("", "", "")
        if "/" in words:
            return replace(self, response=[name], words=words.split("/"))
        return replace(self, response=given or None)

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
