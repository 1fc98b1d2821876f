"""An oracle whose answers are kept on disk."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from ordlink._typing import AnyArray, Int8Array, Int32Array
from ordlink._validate import check_whole_number
from ordlink.errors import BudgetExhaustedError, InputError
from ordlink.oracles._base import Oracle, ask, known_to
from ordlink.oracles._questions import QuestionLog, Questions
from ordlink.oracles._record_file import RecordFile
from ordlink.oracles._remembering import RememberingOracle
from ordlink.oracles._simulated import FunctionOracle

WRITE_INTERVAL = 1.0
"""Seconds after which answers to a long batch are written before the batch is complete."""


class RecordedOracle(RememberingOracle):
    """Writes every answer to disk, so that an interrupted run resumes where it stopped.

    Answers are on the disk before they are returned. Start the same run again with the same
    file: questions in it are answered from it, and the inner oracle is asked none of them again.
    If the inner oracle fails within a batch, the answers it gave before are kept, also those of
    the batch in which a :class:`BudgetedOracle` runs out. Only one run may use a file at a time:
    if another one wrote to it, an error says so, and nothing is overwritten.

    The file is in JSON lines: a header, then one line ``[i, j, k, l, answer]`` per question, with
    i < j, k < l and (i, j) before (k, l); the answer is 1 if i and j are more alike than k and l,
    -1 if less, 0 for a tie or "can't tell". A torn last line, as a crash leaves it, is mended.

    Parameters
    ----------
    oracle : Oracle
        Answers what is not in the file.
    path : str or Path
        The file; it is made if it does not exist.
    batch_size : int, optional
        Largest number of questions to pass on at once; what the inner oracle answered in an
        unfinished batch is lost when it fails. By default 1 for a :class:`FunctionOracle`,
        which is asked one by one anyway, and no limit otherwise.

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
    >>> RecordedOracle(truth, path).comparisons().quadruplets
    array([[0, 1, 1, 2]], dtype=int32)
    """

    def __init__(self, oracle: Oracle, path: str | Path, *, batch_size: int | None = None) -> None:
        super().__init__(oracle)
        if batch_size is None and isinstance(oracle, FunctionOracle):
            batch_size = 1
        if batch_size is not None:
            batch_size = check_whole_number(batch_size, "batch_size", lowest=1)
        self._batch_size = batch_size
        self._file = RecordFile(path, self.n_objects)
        quadruplets, answers = self._file.load()
        keys = Questions.of(quadruplets, self.n_objects).keys
        self._refuse_contradictions(keys, answers)
        self._asked.add(keys, answers)

    @property
    def path(self) -> Path:
        """Where the record is."""
        return self._file.path

    def _ask(self, keys: AnyArray, quadruplets: Int32Array) -> Int8Array:
        answers = np.zeros(len(keys), dtype=np.int8)
        step = self._batch_size or len(keys)
        n_answered = n_written = 0
        written_at = time.monotonic()
        try:
            while n_answered < len(keys):
                batch = slice(n_answered, n_answered + step)
                try:
                    answers[batch] = super()._ask(keys[batch], quadruplets[batch])
                except BudgetExhaustedError as error:
                    self._keep_learnt(error, keys[batch], quadruplets[batch])
                    raise
                n_answered = min(n_answered + step, len(keys))
                if time.monotonic() - written_at > WRITE_INTERVAL:
                    self._file.append(
                        quadruplets[n_written:n_answered], answers[n_written:n_answered]
                    )
                    n_written, written_at = n_answered, time.monotonic()
        finally:
            if n_written < n_answered:
                self._file.append(quadruplets[n_written:n_answered], answers[n_written:n_answered])
            if n_answered < len(keys):
                self._asked.add(keys[:n_answered], answers[:n_answered])
        return answers

    def _keep_learnt(
        self, error: BudgetExhaustedError, keys: AnyArray, quadruplets: Int32Array
    ) -> None:
        """Record the questions of a batch that were answered before the budget ran out."""
        known = known_to(self._oracle, quadruplets)
        if known.any():
            answers = ask(self._oracle, quadruplets[known])
        else:  # an oracle that cannot say what it knows: without its "can't tell"
            rows = error.comparisons.quadruplets  # type: ignore[attr-defined]  # listed ones
            learnt = Questions.of(rows, self.n_objects)
            log = QuestionLog()
            log.add(learnt.keys, learnt.signs)
            answers, known = log.lookup(keys)
            answers = answers[known]
        if known.any():
            self._file.append(quadruplets[known], answers)
            self._asked.add(keys[known], answers)

    def _refuse_contradictions(self, keys: AnyArray, answers: Int8Array) -> None:
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        differs = answers != answers[first[place]]
        if differs.any():
            row = int(differs.argmax())
            earlier = int(first[place[row]])
            raise InputError(
                f"the question was answered {answers[earlier]} in line {earlier + 2} and "
                f"{answers[row]} here",
                where=f"{self.path}, line {row + 2}",
                remedy="remove one of the two lines",
            )
