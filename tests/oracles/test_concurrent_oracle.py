"""The oracle that asks several questions at a time."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import ordlink
from ordlink.errors import BudgetExhaustedError, InputError, InputKindError, OracleError
from ordlink.methods import cluster
from ordlink.oracles import (
    AskOnce,
    BudgetedOracle,
    ConcurrentOracle,
    FunctionOracle,
    NoisyOracle,
    RecordedOracle,
    RepeatedOracle,
    SimilarityOracle,
)
from tests.oracles import killed_run
from tests.waiting import PATIENCE

N = 12
QUESTIONS = np.array([[0, i, 0, j] for i in range(1, N) for j in range(i + 1, N)])


def closer(i, j, k, l):  # noqa: E741
    return j - i < l - k


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.jsonl"


class Meeting:
    """Counts how many calls are under way, and lets them wait for each other."""

    def __init__(self, n_expected):
        self.lock, self.n_now, self.n_most = threading.Lock(), 0, 0
        self.n_expected, self.met = n_expected, threading.Event()

    def __call__(self, *question):
        with self.lock:
            self.n_now += 1
            self.n_most = max(self.n_most, self.n_now)
            if self.n_now == self.n_expected:
                self.met.set()
        self.met.wait(PATIENCE)
        with self.lock:
            self.n_now -= 1
        return closer(*question)


def test_so_many_calls_are_under_way_and_no_more():
    meeting = Meeting(n_expected=5)
    oracle = ConcurrentOracle(FunctionOracle(meeting, N), n_parallel=5)

    answers = oracle.compare(QUESTIONS)

    assert meeting.met.is_set()
    assert meeting.n_most == 5
    assert answers.tolist() == [1] * len(QUESTIONS)
    assert (oracle.n_calls, oracle.n_answers, oracle.n_questions) == (len(QUESTIONS),) * 3


def test_coroutines_run_at_the_same_time_on_one_loop():
    loops, arrived = set(), []

    class Mine:
        n_objects = N

        async def compare(self, quadruplets):
            loops.add(asyncio.get_running_loop())
            arrived.append(len(quadruplets))
            deadline = time.monotonic() + PATIENCE
            while len(arrived) < 4 and time.monotonic() < deadline:
                await asyncio.sleep(0.001)
            return np.ones(len(quadruplets), dtype=np.int8)

    answers = ConcurrentOracle(Mine(), n_parallel=4).compare(QUESTIONS[:4])

    assert answers.tolist() == [1] * 4
    assert arrived == [1] * 4
    assert len(loops) == 1


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize("method", ["SL", "CL", "4K-AL-act"])
def test_a_coroutine_is_an_oracle_like_any_other(method):
    w = np.random.default_rng(0).normal(size=(N, N))
    w = w + w.T

    class Mine:
        n_objects = N

        async def compare(self, quadruplets):
            await asyncio.sleep(0)
            return SimilarityOracle(w).compare(quadruplets)

    async def in_a_notebook():  # where a loop is running already
        return cluster(Mine(), method)

    expected = cluster(SimilarityOracle(w), method).merges
    assert np.array_equal(cluster(Mine(), method).merges, expected)
    assert np.array_equal(asyncio.run(in_a_notebook()).merges, expected)


def test_a_function_may_be_a_coroutine():
    async def function(*question):
        await asyncio.sleep(0)
        return closer(*question)

    assert FunctionOracle(function, N).compare([[0, 1, 0, 2], [0, 5, 0, 2]]).tolist() == [1, -1]


def test_failures_are_asked_again_and_nothing_is_paid_twice(path):
    rng, lock, answered, tried = np.random.default_rng(0), threading.Lock(), [], Counter()

    def function(*question):
        with lock:
            tried[question] += 1
            if rng.random() < 0.2 and tried[question] < 4:
                raise ConnectionError("the line is dead")
            answered.append(question)
        return closer(*question)

    inner = ConcurrentOracle(FunctionOracle(function, N), 8, backoff=1e-4)
    answers = RecordedOracle(inner, path).compare(QUESTIONS)

    assert answers.tolist() == [1] * len(QUESTIONS)
    assert sorted(answered) == sorted(map(tuple, QUESTIONS.tolist()))
    assert inner.n_failed_calls == tried.total() - len(QUESTIONS) > 0
    assert inner.n_calls == tried.total()
    assert inner.n_answers == len(QUESTIONS)


def test_a_call_that_fails_for_good_ends_the_batch_and_keeps_the_others(path):
    def function(*question):
        if question == (0, 3, 0, 4):
            raise ConnectionError("the line\nis dead")
        return closer(*question)

    inner = ConcurrentOracle(FunctionOracle(function, N), 2, n_retries=2, backoff=1e-4)
    oracle = RecordedOracle(inner, path)
    with pytest.raises(
        OracleError,
        match="FunctionOracle: 3 calls failed, the last with: ConnectionError: the line is dead",
    ) as caught:
        oracle.compare(QUESTIONS)

    assert isinstance(caught.value.__cause__, ConnectionError)
    assert inner.n_failed_calls == 3
    n_written = len(path.read_text().splitlines()) - 1
    assert n_written == oracle.n_questions == inner.n_answers > 0


def test_what_cannot_get_better_is_not_tried_again():
    calls = []
    oracle = FunctionOracle(lambda *question: calls.append(question) or "yes", N)

    with pytest.raises(InputError, match="must answer True"):
        ConcurrentOracle(oracle, n_parallel=1).compare(QUESTIONS)

    assert len(calls) == 1
    with pytest.raises(TypeError, match="missing 2 required"):
        ConcurrentOracle(FunctionOracle(lambda a, b, c, d, e, f: 0, N)).compare(QUESTIONS[:1])


def test_a_call_that_takes_too_long_is_made_again():
    hang, tried = threading.Event(), Counter()

    def function(*question):
        tried[question] += 1
        if question == (0, 1, 0, 3) and tried[question] == 1:
            hang.wait(PATIENCE)
        return closer(*question)

    limits = {"timeout": 0.2, "backoff": 1e-4, "n_retries": 100}
    oracle = ConcurrentOracle(FunctionOracle(function, N), 4, **limits)
    answers = oracle.compare(QUESTIONS[:6])
    hang.set()

    assert answers.tolist() == [1] * 6
    assert tried[0, 1, 0, 3] > 1
    assert oracle.n_failed_calls > 0
    assert oracle.n_answers == 6


def test_a_late_answer_is_taken_if_the_question_is_open():
    tried, release = Counter(), threading.Event()

    def function(*question):
        tried[question] += 1
        if tried[question] == 1:
            release.wait(PATIENCE)
            return closer(*question)
        release.set()
        raise ConnectionError

    limits = {"timeout": 0.05, "backoff": 0, "n_retries": 10**6}
    oracle = ConcurrentOracle(FunctionOracle(function, N), 1, **limits)

    assert oracle.compare([[0, 1, 0, 2]]).tolist() == [1]
    assert oracle.n_answers == 1


def test_a_coroutine_that_takes_too_long_is_cancelled():
    cancelled, tried = threading.Event(), Counter()

    async def function(*question):
        tried[question] += 1
        if tried[question] == 1:
            try:
                await asyncio.sleep(PATIENCE)
            except asyncio.CancelledError:
                cancelled.set()
                raise
        return closer(*question)

    limits = {"timeout": 0.05, "backoff": 1e-4, "n_retries": 100}
    oracle = ConcurrentOracle(FunctionOracle(function, N), **limits)

    assert oracle.compare([[0, 1, 0, 2]]).tolist() == [1]
    assert cancelled.wait(PATIENCE)


def test_the_rate_and_the_pause_that_an_oracle_asks_for_are_kept(monkeypatch):
    module = sys.modules[ConcurrentOracle.__module__]
    start, starts, asked_to_wait = module._Batch.start, [], []

    def noted(batch, part, oracle, timeout, now):
        starts.append(now)
        start(batch, part, oracle, timeout, now)

    def function(*question):
        if question == (0, 1, 0, 3) and not asked_to_wait:
            error = OracleError("too many calls")
            error.retry_after = 0.1
            asked_to_wait.append(time.monotonic())
            raise error
        return closer(*question)

    monkeypatch.setattr(module._Batch, "start", noted)
    ConcurrentOracle(FunctionOracle(function, N), 1, rate=100, backoff=0).compare(QUESTIONS[:6])

    assert len(starts) == 7
    assert min(np.diff(starts)) >= 0.01
    assert starts[2] - asked_to_wait[0] >= 0.1


def test_waiting_for_its_turn_is_no_failure_of_a_question():
    calls = []

    def function(*question):
        calls.append(question)
        if len(calls) % 2:  # every other call, so that some questions wait five times
            error = OracleError("too many calls")
            error.retry_after = 0
            raise error
        return closer(*question)

    oracle = ConcurrentOracle(FunctionOracle(function, N), 1, n_retries=1, backoff=0)

    assert oracle.compare(QUESTIONS).tolist() == [1] * len(QUESTIONS)
    assert max(Counter(calls).values()) > 3


def test_many_questions_fit_into_a_call():
    heard = []

    class Mine:
        n_objects = N
        batch_size = 10

        def compare(self, quadruplets):
            heard.append(len(quadruplets))
            return np.ones(len(quadruplets), dtype=np.int8)

    ConcurrentOracle(Mine(), 3).compare(QUESTIONS[:25])
    assert sorted(heard) == [5, 10, 10]
    heard.clear()
    ConcurrentOracle(Mine(), 3, batch_size=25).compare(QUESTIONS[:25])
    assert heard == [25]


def test_costs_and_progress_are_told():
    told = []
    oracle = ConcurrentOracle(
        FunctionOracle(closer, N),
        cost_per_question=0.5,
        progress=lambda done, total: told.append((done, total)),
    )
    oracle.compare(QUESTIONS[:3])
    oracle.compare(QUESTIONS[3:5])

    assert oracle.cost == 2.5
    assert told[-1] == (5, 5)
    assert {total for _, total in told} == {3, 5}
    assert told == sorted(told)


@pytest.mark.parametrize(
    "session",
    [
        lambda oracle, path: BudgetedOracle(RecordedOracle(oracle, path), 10),
        lambda oracle, path: RecordedOracle(BudgetedOracle(oracle, 10), path),
    ],
)
def test_answers_before_a_failure_are_kept_through_all_wrappers(path, session):
    """Each answer is recorded when it arrives, not when its batch is complete."""
    gate, n_seen = threading.Event(), []

    def function(*question):
        if question == (0, 1, 0, 9):
            gate.wait(PATIENCE)
        return closer(*question)

    def progress(done, _):
        n_seen.append((done, len(path.read_text().splitlines()) - 1))
        if done == 9:
            gate.set()

    inner = ConcurrentOracle(FunctionOracle(function, N), 4, progress=progress)
    with pytest.raises(BudgetExhaustedError):
        session(inner, path).compare(QUESTIONS)

    assert len(path.read_text().splitlines()) - 1 == 10 == inner.n_answers
    # When the last answer came, those of earlier parts were in the file.
    assert n_seen[-1][1] == n_seen[-2][0]


def test_ctrl_c_waits_for_the_calls_under_way_and_records_them(path, monkeypatch):
    meeting = Meeting(n_expected=3)
    inner = ConcurrentOracle(FunctionOracle(meeting, N), n_parallel=3)
    module = sys.modules[ConcurrentOracle.__module__]
    wait, pressed = module._Batch.wait, []

    def interrupted(batch, seconds):
        if not pressed and meeting.met.is_set():
            pressed.append(True)
            raise KeyboardInterrupt
        return wait(batch, seconds) if meeting.met.is_set() else []

    monkeypatch.setattr(module._Batch, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        RecordedOracle(inner, path).compare(QUESTIONS)

    assert inner.n_calls == inner.n_answers == 3 == len(path.read_text().splitlines()) - 1


def test_a_second_ctrl_c_does_not_wait(monkeypatch):
    gate = threading.Event()
    inner = ConcurrentOracle(FunctionOracle(lambda *question: gate.wait(PATIENCE), N), 2)

    def interrupted(batch, seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules[ConcurrentOracle.__module__]._Batch, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        inner.compare(QUESTIONS)
    gate.set()

    assert inner.n_answers == 0


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_a_killed_run_asks_nothing_again_that_it_had_heard(tmp_path):
    record, log = tmp_path / "record.jsonl", tmp_path / "log.txt"
    source = str(Path(ordlink.__file__).parents[1])

    codes = []
    for n_answers in (150, 300, 10_000):
        words = [sys.executable, killed_run.__file__, str(record), str(log), str(n_answers)]
        done = subprocess.run(words, env={**os.environ, "PYTHONPATH": source}, check=False)
        codes.append(done.returncode)

    answered = log.read_text().splitlines()
    assert codes == [-9, -9, 0]
    assert len(set(answered)) == len(killed_run.QUESTIONS)
    # Each kill loses at most the calls whose answers had not arrived: four at a time.
    assert len(answered) - len(killed_run.QUESTIONS) <= 2 * 4
    assert len(record.read_text().splitlines()) - 1 == len(killed_run.QUESTIONS)


@pytest.mark.parametrize(
    "memory",
    [
        lambda truth, path: RecordedOracle(truth, path),
        lambda truth, path: NoisyOracle(AskOnce(truth), 0.1),
        lambda truth, path: BudgetedOracle(truth, 5),
    ],
)
def test_a_memory_inside_is_refused(path, memory):
    truth = SimilarityOracle(np.eye(4))

    with pytest.raises(InputKindError, match="several threads; wrap the other way round"):
        ConcurrentOracle(memory(truth, path))


def test_votes_are_asked_in_parallel():
    meeting = Meeting(n_expected=4)
    oracle = RepeatedOracle(ConcurrentOracle(FunctionOracle(meeting, N), 4), 3)

    assert oracle.compare(QUESTIONS[:4]).tolist() == [1] * 4
    assert meeting.n_most == 4


@pytest.mark.parametrize(
    ("option", "value"),
    [("n_parallel", 0), ("rate", 0), ("timeout", -1), ("n_retries", -1), ("batch_size", 0)],
)
def test_wrong_limits_are_refused(option, value):
    with pytest.raises(InputError, match=option):
        ConcurrentOracle(FunctionOracle(closer, N), **{option: value})


def test_counting_bears_several_threads(monkeypatch):
    module = sys.modules[SimilarityOracle.__mro__[1].__module__]
    add, inside, overlaps = module.QuestionLog.add, [], []

    def slow_add(log, keys, answers):
        overlaps.extend(inside)
        inside.append(log)
        time.sleep(1e-3)  # long enough for another thread
        add(log, keys, answers)
        inside.remove(log)

    truth = SimilarityOracle(np.eye(N))
    oracle = ConcurrentOracle(truth, 16)
    monkeypatch.setattr(module.QuestionLog, "add", slow_add)
    list(oracle._calls(QUESTIONS))

    assert truth.n_questions == len(QUESTIONS)
    assert overlaps == []
