"""An oracle that saves its answers to a crash-safe file with one line per answer."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ordlink._locks import wait_for_lock
from ordlink._typing import AnyArray, BoolArray, Int8Array, Int32Array, Int64Array
from ordlink._validate import check_whole_number
from ordlink.errors import BudgetExhaustedError, InputError
from ordlink.oracles._base import Oracle, Parts
from ordlink.oracles._memory import RememberingOracle
from ordlink.oracles._questions import QuestionLog, Questions
from ordlink.oracles._simulated import FunctionOracle

FORMAT = "ordlink-record"
VERSION = 1
SYNC_INTERVAL = 1.0
"""Seconds after which answers to a long batch are made safe against power failure as well."""


class RecordedOracle(RememberingOracle):
    """Writes every answer to disk, so that an interrupted run resumes where it stopped.

    Answers are on the disk before they are returned. Restart the same run with the same file:
    questions that it contains are answered from the file, and the inner oracle is not asked again.
    If the inner oracle fails within a batch, its earlier answers are kept, including those of the
    batch in which a :class:`BudgetedOracle` runs out. The answers of a :class:`ConcurrentOracle`
    are written as they arrive, so that even a killed process loses only the calls in progress.
    Only one run may use a file at a time: if another one wrote to it, an error says so, and
    nothing is overwritten.

    The file is in JSON lines: a header, then one line ``[i, j, k, l, answer]`` per question, with
    i < j, k < l and (i, j) before (k, l); the answer is 1 if i and j are more alike than k and l,
    -1 if less, 0 for a tie or "can't tell". An incomplete last line, left by a crash, is repaired.
    If the oracle has a `source`, as a :class:`ChatOracle` has, the header names it, and a file with
    answers of another source is refused.

    Parameters
    ----------
    oracle : Oracle
        Answers what is not in the file.
    path : str or Path
        The file; it is created if it does not exist.
    batch_size : int, optional
        Maximum number of questions to pass on at once; if the inner oracle fails, its answers to
        the unfinished batch are lost. By default 1 for a :class:`FunctionOracle`, which answers
        one by one anyway, and no limit otherwise.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from ordlink.oracles import SimilarityOracle
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answers.jsonl"
    >>> truth = SimilarityOracle([[0, 5, 1], [5, 0, 2], [1, 2, 0]])
    >>> RecordedOracle(truth, path).compare([[1, 2, 0, 1]])
    array([-1], dtype=int8)
    >>> print(path.read_text(), end="")
    {"format": "ordlink-record", "version": 1, "n_objects": 3}
    [0, 1, 1, 2, 1]
    """

    def __init__(self, oracle: Oracle, path: str | Path, *, batch_size: int | None = None) -> None:
        super().__init__(oracle)
        if batch_size is None and isinstance(oracle, FunctionOracle):
            batch_size = 1
        if batch_size is not None:
            batch_size = check_whole_number(batch_size, "batch_size", lowest=1)
        self._batch_size = batch_size
        self._file = RecordFile(path, self.n_objects, self.source)
        self.path = self._file.path
        quadruplets, answers = self._file.load()
        keys = Questions.of(quadruplets, self.n_objects).keys
        self._refuse_contradictions(keys, answers)
        self._asked.add(keys, answers)

    def _ask(self, quadruplets: Int32Array) -> Parts:
        step = self._batch_size or len(quadruplets)
        n_written, synced_at = 0, time.monotonic()
        for start in range(0, len(quadruplets), step):
            batch = quadruplets[start : start + step]
            for rows, answers in self._ask_batch(batch):
                n_written += len(answers)
                is_due = time.monotonic() - synced_at > SYNC_INTERVAL
                self._file.append(
                    batch[rows], answers, sync=is_due or n_written == len(quadruplets)
                )
                synced_at = time.monotonic() if is_due else synced_at
                yield np.arange(start, start + len(batch))[rows], answers

    def _ask_batch(self, quadruplets: Int32Array) -> Parts:
        n_answered = 0
        try:
            for rows, answers in super()._ask(quadruplets):
                n_answered += len(answers)
                yield rows, answers
        except BudgetExhaustedError as error:
            if not n_answered:  # a budget of others does not give the part that it answered
                yield self._learnt(error, quadruplets)
            raise

    def _learnt(
        self, error: BudgetExhaustedError, quadruplets: Int32Array
    ) -> tuple[Int64Array, Int8Array]:
        """Return the questions of a batch that the error has answers to, and the answers."""
        rows = error.comparisons.quadruplets  # type: ignore[attr-defined]  # listed ones
        learnt = Questions.of(rows, self.n_objects)
        log = QuestionLog()
        log.add(learnt.keys, learnt.signs)
        answers, known = log.lookup(Questions.of(quadruplets, self.n_objects).keys)
        return np.flatnonzero(known), answers[known]

    def _refuse_contradictions(self, keys: AnyArray, answers: Int8Array) -> None:
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        differs = answers != answers[first[place]]
        if differs.any():
            row = int(differs.argmax())
            earlier = int(first[place[row]])
            before = f"{answers[earlier]} in line {earlier + 2}"
            problem = f"the question was answered {before} and {answers[row]} here"
            where = f"{self.path}, line {row + 2}"
            raise InputError(problem, where=where, remedy="remove one of the two lines")


class RecordFile:
    """Answers on disk, in the JSON lines that :class:`RecordedOracle` describes."""

    def __init__(self, path: str | Path, n_objects: int, source: str | None = None) -> None:
        self.path = Path(path)
        self._n_objects = n_objects
        self._source = source
        header: dict[str, object] = {"format": FORMAT, "version": VERSION, "n_objects": n_objects}
        header |= {} if source is None else {"source": source}
        self._header = json.dumps(header).encode() + b"\n"
        self._end = 0  # whatever stands beyond was not written completely
        self._unfinished: tuple[bytes, ...] = (b"",)  # and begins like one of these

    def load(self) -> tuple[Int32Array, Int8Array]:
        """Return the questions and answers in the file, after repairing or creating it."""
        content = self._read()
        if self._header.startswith(content):  # nothing yet, or a crash within the header
            self._end = 0
            self._unfinished = (content,)
            self._write(self._header)
            content = self._header
        first, *lines = content.split(b"\n")
        tail = lines.pop() if lines else b""
        self._check_header(first)
        self._end = len(content) - len(tail)
        self._unfinished = (tail,)
        if tail and _parse(tail) is not None:  # only the newline is missing
            lines.append(tail)
            self._write(tail + b"\n")
        elif tail:
            self._write(b"")
        return self._check_rows(lines)

    def append(self, quadruplets: Int32Array, answers: Int8Array, *, sync: bool) -> None:
        """Add answers that survive the end of the process and, with `sync`, a power failure."""
        rows = np.column_stack([quadruplets, answers]).tolist()
        self._write("".join(f"{row}\n" for row in rows).encode(), sync=sync)

    def _read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            problem = f"cannot be read ({error.strerror})"
            remedy = "choose a file for the record"
            raise InputError(problem, where=str(self.path), remedy=remedy) from error

    def _write(self, lines: bytes, *, sync: bool = True) -> None:
        """Write after the last complete line, over what a write of our own left unfinished."""
        try:
            # Opening for appending makes the file but empties nothing.
            if not self._end:
                self.path.open("ab").close()
            with self.path.open("r+b") as stream, _locked(stream):
                stream.seek(0, os.SEEK_END)
                self._check_untouched(stream)
                self._unfinished = (*self._unfinished, lines)
                stream.truncate(self._end)
                stream.seek(self._end)
                stream.write(lines)
                stream.flush()
                if sync:
                    os.fsync(stream.fileno())
        except OSError as error:
            problem = f"the record cannot be written ({error.strerror})"
            remedy = "choose a folder that exists, has space, and that you may write to"
            raise InputError(problem, where=str(self.path), remedy=remedy) from error
        self._end += len(lines)
        self._unfinished = (b"",)

    def _check_untouched(self, stream: BinaryIO) -> None:
        """Raise InputError if the file is not as this record left it."""
        size = stream.tell()
        if size >= self._end:
            stream.seek(self._end)
            tail = stream.read()
            if any(ours.startswith(tail) for ours in self._unfinished):
                return
        sizes = f"the record has {size} bytes, but this run left {self._end}"
        raise InputError(
            f"{sizes}: another run has changed it; nothing was overwritten",
            where=str(self.path),
            remedy="let one run at a time use the file, then start this one again to resume, or "
            "give it a file of its own",
        )

    def _check_header(self, line: bytes) -> None:
        try:
            header = json.loads(line.decode())
        except ValueError:
            header = None
        n, source = self._n_objects, self._source
        for field, value, expected, remedy in (
            ("format", FORMAT, f'{{"format": "{FORMAT}", ...}}', "choose another file"),
            ("version", VERSION, f"version {VERSION}", "use the ordlink that wrote it"),
            ("n_objects", n, f"n_objects {n}", "choose the file of these objects"),
            ("source", source, f"answers of {source!r}", "choose another file, or remove it"),
        ):
            if not isinstance(header, dict) or header.get(field) != value:
                raise self._damage(1, f"expected {expected}", line, remedy)

    def _check_rows(self, lines: Sequence[bytes]) -> tuple[Int32Array, Int8Array]:
        table = np.zeros((len(lines), 5), dtype=np.int64)
        for number, line in enumerate(lines):
            row = _parse(line)
            if row is None:
                raise self._damage(number + 2, "expected [i, j, k, l, answer]", line)
            table[number] = row
        wrong = ~_in_standard_form(table, self._n_objects)
        if wrong.any():
            number, last = int(wrong.argmax()), self._n_objects - 1
            expected = f"expected objects from 0 to {last} with i < j, k < l, (i, j) before (k, l)"
            expected += ", and answer -1, 0 or 1"
            raise self._damage(number + 2, expected, lines[number])
        return table[:, :4].astype(np.int32), table[:, 4].astype(np.int8)

    def _damage(
        self, line: int, expected: str, got: bytes, remedy: str = "remove the line"
    ) -> InputError:
        problem = f"{expected}, got {got[:80].decode(errors='replace')!r}"
        return InputError(problem, where=f"{self.path}, line {line}", remedy=remedy)


@contextmanager
def _locked(stream: BinaryIO) -> Iterator[None]:
    """Lock the file against other processes, where the file system supports locks."""
    with suppress(OSError):  # some network folders have none
        wait_for_lock(stream)
    yield  # closing the file gives the lock back


def _parse(line: bytes) -> list[int] | None:
    """Return the five numbers of a line, or None if there are not five."""
    try:
        row = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    fits = isinstance(row, list) and len(row) == 5
    if fits and all(type(entry) is int and abs(entry) < 2**31 for entry in row):
        return row  # type: ignore[no-any-return]  # JSON is untyped
    return None


def _in_standard_form(table: Int64Array, n_objects: int) -> BoolArray:
    i, j, k, l, answer = table.T  # noqa: E741 - the paper's letters
    ordered = (i >= 0) & (i < j) & (j < n_objects) & (k >= 0) & (k < l) & (l < n_objects)
    return np.asarray(ordered & ((i < k) | ((i == k) & (j < l))) & (np.abs(answer) <= 1))
