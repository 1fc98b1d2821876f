"""An oracle that queries a slow one in parallel and retries failed calls."""

from __future__ import annotations

import heapq
import random
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TypeAlias

import numpy as np

from ordlink._text import counted
from ordlink._typing import Int8Array, Int32Array, Int64Array, Progress
from ordlink._validate import check_number, check_whole_number
from ordlink.errors import InputKindError, OracleError, OrdlinkError
from ordlink.oracles._base import Oracle, Parts, WrappingOracle, ask
from ordlink.oracles._questions import Questions

BUGS = (TypeError, NameError, AttributeError, ImportError, NotImplementedError)
"""Errors of a program, which fails again."""
LONGEST_PAUSE = 60.0
LONGEST_WAIT = 0.5  # seconds without looking for Ctrl-C, which some systems do not tell a waiter


class ConcurrentOracle(WrappingOracle):
    """Queries a slow oracle in parallel and retries failed calls.

    Each call runs in its own thread; if `compare` is a coroutine, it is awaited there. After
    Ctrl-C, or when a call has failed for good, no further question is asked; calls in progress are
    completed, and their answers reach a :class:`RecordedOracle` around this one. A second Ctrl-C
    stops at once. Oracles that remember answers, such as records and budgets, belong outside.

    Parameters
    ----------
    oracle : Oracle
        Answers the questions; several threads may call it at the same time.
    n_parallel : int
        Maximum number of calls in progress.
    batch_size : int, optional
        Number of questions per call; by default that of the oracle if it has one
        (:class:`ChatOracle`), otherwise 1.
    rate : float, optional
        Maximum number of calls per second.
    timeout : float, optional
        Seconds after which a call counts as failed. A coroutine is cancelled. Other calls cannot be
        stopped; a late answer is used if the question is still open.
    n_retries : int
        Number of retries of a failed call. Errors that would recur are not retried: programming
        errors such as a TypeError, and any :class:`~ordlink.errors.OrdlinkError` other than
        :class:`~ordlink.errors.OracleError`.
    backoff : float
        Approximate number of seconds before the first retry; doubled for each further one, up to a
        minute. An error with `retry_after` pauses all calls for that long, and does not count as
        a retry as long as other calls succeed.
    cost_per_question : float
        Cost of an answer, in any currency.
    progress : callable, optional
        Called with (questions answered, questions asked) as answers arrive.

    Attributes
    ----------
    n_calls, n_failed_calls, n_answers : int
        Calls made, those that failed, and questions answered.

    Examples
    --------
    >>> from ordlink.oracles import FunctionOracle
    >>> slow = FunctionOracle(lambda i, j, k, l: j - i < l - k, 5)
    >>> oracle = ConcurrentOracle(slow, n_parallel=4, cost_per_question=0.25)
    >>> oracle.compare([[0, 1, 0, 2], [0, 4, 1, 2]]), oracle.cost
    (array([ 1, -1], dtype=int8), 0.5)
    """

    def __init__(
        self,
        oracle: Oracle,
        n_parallel: int = 16,
        *,
        batch_size: int | None = None,
        rate: float | None = None,
        timeout: float | None = None,
        n_retries: int = 10,
        backoff: float = 1.0,
        cost_per_question: float = 0.0,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(oracle)
        _refuse_memory(oracle)
        if batch_size is None:
            batch_size = getattr(oracle, "batch_size", 1)
        self._n_parallel = check_whole_number(n_parallel, "n_parallel", lowest=1)
        self._batch_size = check_whole_number(batch_size, "batch_size", lowest=1)
        self._spacing = 0.0 if rate is None else 1 / check_number(rate, "rate", lowest=1e-9)
        self._timeout = None if timeout is None else check_number(timeout, "timeout", lowest=0)
        self._n_retries = check_whole_number(n_retries, "n_retries", lowest=0)
        self._backoff = check_number(backoff, "backoff", lowest=0)
        self._price = check_number(cost_per_question, "cost_per_question", lowest=0)
        self._progress = progress
        self._next_start = 0.0  # of a call, by the monotonic clock
        self._n_asked = 0
        self.n_calls = self.n_failed_calls = self.n_answers = 0

    @property
    def cost(self) -> float:
        """Cost of the answers so far."""
        return self.n_answers * self._price

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        answers = np.empty(len(quadruplets), dtype=np.int8)
        for rows, given in self._calls(quadruplets):
            answers[rows] = given
        return answers

    def answers_in_parts(self, quadruplets: Int32Array) -> Parts:
        """Yield the answers to distinct questions in standard form as they arrive."""
        keys = Questions.of(quadruplets, self.n_objects).keys
        for rows, answers in self._calls(quadruplets):
            self._asked.add(keys[rows], answers)
            yield rows, answers

    def _calls(self, quadruplets: Int32Array) -> Parts:
        """Make all calls of a batch and yield the answers of those that have ended."""
        batch = _Batch(quadruplets, self._batch_size)
        self._n_asked += len(quadruplets)
        stop: BaseException | None = None
        while batch.running or (batch.waiting and stop is None):
            arrived: list[_Call] = []
            try:
                if stop is None:
                    self._start_calls(batch)
                arrived = batch.wait(self._seconds_to_wait(batch, is_starting=stop is None))
            except KeyboardInterrupt as error:
                if stop is not None:
                    raise
                stop = error
            parts = [call.part for call in arrived if batch.settle(call)]
            for call in [*arrived, *batch.overdue(time.monotonic())]:
                if call.error is not None and not call.part.is_answered:
                    failed = self._note_failure(batch, call)
                    stop = stop or failed
            if parts:
                rows = np.concatenate([part.rows for part in parts])
                self.n_answers += len(rows)
                if self._progress is not None:
                    self._progress(self.n_answers, self._n_asked)
                yield rows, np.concatenate([part.answers for part in parts])
        if stop is not None:
            self._n_asked = self.n_answers
            raise stop

    def _start_calls(self, batch: _Batch) -> None:
        """Start as many calls as the limits allow now."""
        while batch.waiting and len(batch.running) < self._n_parallel:
            now = time.monotonic()
            if now < max(self._next_start, batch.waiting[0][0]):
                return
            part = heapq.heappop(batch.waiting)[-1]
            if part.is_answered:  # by a call that had been given up
                continue
            self._next_start = now + self._spacing
            self.n_calls += 1
            batch.start(part, self._oracle, self._timeout, now)

    def _seconds_to_wait(self, batch: _Batch, *, is_starting: bool) -> float:
        """Return the time until a call can start or is overdue."""
        times = [call.deadline for call in batch.running]
        if is_starting and batch.waiting and len(batch.running) < self._n_parallel:
            times.append(max(self._next_start, batch.waiting[0][0]))
        return min(max(0.0, min(times) - time.monotonic()), LONGEST_WAIT) if times else 0.0

    def _note_failure(self, batch: _Batch, call: _Call) -> BaseException | None:
        """Put a failed call back; return the error if it has failed for good."""
        self.n_failed_calls += 1
        error, part = call.error, call.part
        if not isinstance(error, Exception) or isinstance(error, BUGS):
            return error
        if isinstance(error, OrdlinkError) and not isinstance(error, OracleError):
            return error
        retry_after = getattr(error, "retry_after", None)
        if retry_after is not None and self.n_answers > part.n_answers_then:
            part.n_calls -= 1  # it has to wait for its turn
        part.n_answers_then = self.n_answers
        if part.n_calls > self._n_retries:
            problem = f"{counted(part.n_calls, 'call')} failed, the last with: {_in_words(error)}"
            failed = OracleError(problem, where=type(self._oracle).__name__)
            failed.__cause__ = error
            return failed
        now = time.monotonic()
        pause = min(self._backoff * 2.0 ** max(0, part.n_calls - 1), LONGEST_PAUSE)
        if retry_after is not None:
            self._next_start = max(self._next_start, now + float(retry_after))
        batch.put(part, now + pause * random.uniform(0.5, 1.0))
        return None


@dataclass(eq=False)
class _Part:
    """Some rows of a batch that are asked in one call."""

    rows: Int64Array
    quadruplets: Int32Array
    answers: Int8Array = field(default_factory=lambda: np.empty(0, dtype=np.int8))
    is_answered: bool = False
    n_calls: int = 0
    n_answers_then: int = 0  # of the oracle, when the last call failed


@dataclass(eq=False)
class _Call:
    part: _Part
    deadline: float
    answers: Int8Array | None = None
    error: BaseException | None = None


_Waiting: TypeAlias = tuple[float, int, _Part]  # not before, order, what to ask


class _Batch:
    """The calls of a batch: those that wait and those that run."""

    def __init__(self, quadruplets: Int32Array, size: int) -> None:
        starts = range(0, len(quadruplets), size)
        rows = np.arange(len(quadruplets))
        self.waiting: list[_Waiting] = [
            (0.0, start, _Part(rows[start : start + size], quadruplets[start : start + size]))
            for start in starts
        ]
        self.running: set[_Call] = set()
        self._arrived: list[_Call] = []
        self._ended: SimpleQueue[_Call] = SimpleQueue()

    def put(self, part: _Part, not_before: float) -> None:
        """Let a part be asked again."""
        heapq.heappush(self.waiting, (not_before, int(part.rows[0]), part))

    def start(self, part: _Part, oracle: Oracle, timeout: float | None, now: float) -> None:
        """Make a call in a daemon thread, which does not keep the program from ending."""
        part.n_calls += 1
        call = _Call(part, deadline=np.inf if timeout is None else now + timeout)
        self.running.add(call)
        arguments = (call, oracle, timeout, self._ended)
        threading.Thread(target=_run, args=arguments, daemon=True).start()

    def wait(self, seconds: float) -> list[_Call]:
        """Return the calls that have ended, after waiting for at least one."""
        with suppress(Empty):
            self._arrived.append(self._ended.get(timeout=seconds))
            while True:
                self._arrived.append(self._ended.get_nowait())
        arrived, self._arrived = self._arrived, []  # Ctrl-C above loses none
        return arrived

    def settle(self, call: _Call) -> bool:
        """Take the answers of a call that has ended, unless there are any."""
        if call not in self.running:
            call.error = None  # it was given up before, and counted as failed
        self.running.discard(call)
        part = call.part
        if call.answers is None or part.is_answered:
            return False
        part.answers, part.is_answered = call.answers, True
        return True

    def overdue(self, now: float) -> list[_Call]:
        """Give up the calls that take too long, and return them."""
        late = [call for call in self.running if call.deadline <= now]
        self.running.difference_update(late)
        return [_Call(call.part, call.deadline, error=TimeoutError("no answer")) for call in late]


def _run(call: _Call, oracle: Oracle, timeout: float | None, ended: SimpleQueue[_Call]) -> None:
    from ordlink.oracles._awaiting import TIMEOUT

    TIMEOUT.set(timeout)  # in the context of this thread
    try:
        call.answers = ask(oracle, call.part.quadruplets)
    except BaseException as error:  # the thread that waits for it raises it
        call.error = error
    ended.put(call)


def _refuse_memory(oracle: object) -> None:
    inner: object | None = oracle
    while inner is not None:
        if callable(getattr(inner, "knows", None)):
            kind = type(inner).__name__
            raise InputKindError(
                f"{kind} cannot be called from several threads",
                remedy=f"wrap the other way round: {kind}(ConcurrentOracle(oracle), ...)",
            )
        inner = getattr(inner, "_oracle", None)


def _in_words(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
