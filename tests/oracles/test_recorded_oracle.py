"""The oracle whose answers survive an interruption."""

import contextlib

import numpy as np
import pytest

from ordlink.errors import BudgetExhaustedError, InputError, InputKindError
from ordlink.methods import cluster
from ordlink.oracles import (
    AskOnce,
    BudgetedOracle,
    FunctionOracle,
    NoisyOracle,
    RecordedOracle,
    RepeatedOracle,
    SimilarityOracle,
)

HEADER = '{"format": "ordlink-record", "version": 1, "n_objects": 4}\n'
W = np.array([[0, 9, 5, 1], [9, 0, 5, 2], [5, 5, 0, 7], [1, 2, 7, 0]], dtype=float)


class Tired(Exception):
    pass


class TiringOracle:
    """Answers a number of batches, remembers what it was asked, then raises."""

    def __init__(self, w, n_batches):
        self.truth = SimilarityOracle(w)
        self.n_objects = len(w)
        self.n_batches = n_batches
        self.heard = []

    def compare(self, quadruplets):
        if not self.n_batches:
            raise Tired
        self.n_batches -= 1
        self.heard += [tuple(row) for row in quadruplets.tolist()]
        return self.truth.compare(quadruplets)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.jsonl"


@pytest.mark.parametrize("method", ["SL", "CL"])
def test_an_interrupted_run_goes_on_without_asking_anything_twice(path, method):
    w = np.random.default_rng(0).normal(size=(25, 25))
    w = w + w.T
    straight = SimilarityOracle(w)
    expected = cluster(straight, method)

    heard, tree = [], None
    while tree is None:
        inner = TiringOracle(w, n_batches=20)
        with contextlib.suppress(Tired):
            tree = cluster(RecordedOracle(inner, path), method)
        heard += inner.heard

    assert np.array_equal(tree.merges, expected.merges)
    assert len(heard) == len(set(heard)) == straight.n_questions


def test_answers_before_a_failure_within_a_batch_are_kept(path):
    heard = []

    def function(i, j, k, l):  # noqa: E741
        if len(heard) == 2:
            raise Tired
        heard.append((i, j, k, l))
        return bool(W[i, j] > W[k, l])

    questions = [[0, 1, 0, 2], [2, 3, 0, 1], [0, 1, 1, 3], [0, 1, 0, 3]]
    oracle = RecordedOracle(FunctionOracle(function, 4), path)
    with pytest.raises(Tired):
        oracle.compare(questions)

    assert path.read_text() == HEADER + "[0, 1, 0, 2, 1]\n[0, 1, 2, 3, 1]\n"
    assert oracle.compare(questions[:2]).tolist() == [1, -1]
    assert RecordedOracle(SimilarityOracle(W), path).n_questions == 2


def test_answers_are_on_disk_when_they_are_returned(path):
    oracle = RecordedOracle(SimilarityOracle(W), path)
    assert path.read_text() == HEADER

    oracle.compare([[3, 2, 0, 1], [0, 2, 1, 2]])
    assert path.read_text() == HEADER + "[0, 1, 2, 3, 1]\n[0, 2, 1, 2, 0]\n"

    oracle.compare([[0, 1, 2, 3], [0, 3, 0, 1]])
    assert path.read_text().splitlines()[3:] == ["[0, 1, 0, 3, 1]"]


def test_a_record_fixes_the_answers_of_a_noisy_oracle(path):
    questions = np.array([[0, 1, 0, 2], [0, 1, 0, 3], [0, 1, 1, 3], [2, 3, 1, 3]] * 5)
    first = RecordedOracle(NoisyOracle(SimilarityOracle(W), 0.5, seed=0), path).compare(questions)

    again = RecordedOracle(NoisyOracle(SimilarityOracle(W), 0.5, seed=1), path).compare(questions)

    assert np.array_equal(first, again)


def test_what_was_learnt_comes_back_as_comparisons(path):
    RecordedOracle(SimilarityOracle(W), path).compare([[1, 3, 0, 1], [0, 2, 1, 2]])

    oracle = RecordedOracle(SimilarityOracle(W, names=["a", "b", "c", "d"]), path)

    learnt = oracle.comparisons()
    assert learnt.quadruplets.tolist() == [[0, 1, 1, 3]]
    assert learnt.names == ("a", "b", "c", "d")
    assert oracle.n_questions == 2


@pytest.mark.parametrize("cut", range(1, 17))
def test_a_torn_last_line_is_mended(path, cut):
    whole = HEADER + "[0, 1, 0, 2, 1]\n[0, 1, 2, 3, 1]\n"
    path.write_text(whole[:-cut])

    oracle = RecordedOracle(SimilarityOracle(W), path)

    # Only the newline is missing: the answer is there.
    assert oracle.n_questions == (2 if cut == 1 else 1)
    assert path.read_text() == (whole if cut == 1 else whole[:-16])
    oracle.compare([[0, 1, 2, 3], [0, 1, 1, 3]])
    assert path.read_text() == whole + "[0, 1, 1, 3, 1]\n"


@pytest.mark.parametrize("length", [0, 1, 20, len(HEADER) - 1])
def test_a_torn_header_is_mended(path, length):
    path.write_text(HEADER[:length])

    RecordedOracle(SimilarityOracle(W), path)

    assert path.read_text() == HEADER


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER + "[0, 1, 0, 2\n[0, 1, 0, 3, 1]\n", r"line 2: expected \[i, j, k, l, answer\]"),
        (HEADER + "[0, 1, 0, 3, 1]\n\n", "line 3"),
        (HEADER + "[0, 1, 0, 3, 1]\n[0, 1, 0, 9, 1]\n", "line 3: expected objects from 0 to 3"),
        (HEADER + "[0, 1, 0, 3, 2]\n", "line 2: .*answer -1, 0 or 1"),
        (HEADER + "[0, 3, 0, 1, 1]\n", "line 2"),
        (HEADER + "[0, 1, 0, 3, true]\n", "line 2"),
        (HEADER + "[0, 1, 0, 3, 1]\n[0, 1, 0, 3, -1]\n", "line 3: the question was answered 1"),
        (HEADER.replace("4", "5"), "line 1: expected n_objects 4.*choose the file of these"),
        (HEADER.replace("1,", "2,"), "line 1: expected version 1"),
        ("my diary", "line 1: expected .*ordlink-record.*got 'my diary'"),
        ("i,j,k,l\n0,1,2,3\n", "line 1"),
        ("\x00\xff\n", "line 1"),
    ],
)
def test_other_damage_is_refused_and_nothing_is_overwritten(path, content, message):
    path.write_bytes(content.encode("latin-1"))

    with pytest.raises(InputError, match=f"answers.jsonl, {message}"):
        RecordedOracle(SimilarityOracle(W), path)

    assert path.read_bytes() == content.encode("latin-1")


def test_a_folder_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"nowhere.*cannot be written.*choose a folder"):
        RecordedOracle(SimilarityOracle(W), tmp_path / "nowhere" / "answers.jsonl")
    with pytest.raises(InputError, match="cannot be read"):
        RecordedOracle(SimilarityOracle(W), tmp_path)


def test_batch_size_limits_what_a_failure_loses(path):
    inner = TiringOracle(W, n_batches=2)
    oracle = RecordedOracle(inner, path, batch_size=2)

    with pytest.raises(Tired):
        oracle.compare([[0, 1, 0, 2], [0, 1, 0, 3], [0, 1, 1, 2], [0, 1, 1, 3], [0, 1, 2, 3]])

    assert oracle.n_questions == 4 == len(path.read_text().splitlines()) - 1
    with pytest.raises(InputError, match="batch_size"):
        RecordedOracle(inner, path, batch_size=0)


def test_another_run_on_the_same_file_loses_nothing(path):
    first = RecordedOracle(SimilarityOracle(W), path)
    second = RecordedOracle(SimilarityOracle(W), path)
    first.compare([[0, 1, 0, 2]])

    with pytest.raises(InputError, match=r"another run has changed it; nothing was overwritten"):
        second.compare([[0, 1, 0, 3]])

    assert path.read_text() == HEADER + "[0, 1, 0, 2, 1]\n"
    first.compare([[0, 1, 1, 2]])
    assert RecordedOracle(SimilarityOracle(W), path).n_questions == 2


def test_a_record_that_was_cut_or_removed_is_not_written_over(path):
    oracle = RecordedOracle(SimilarityOracle(W), path)
    oracle.compare([[0, 1, 0, 2]])

    path.write_text(HEADER)
    with pytest.raises(InputError, match="another run has changed it"):
        oracle.compare([[0, 1, 0, 3]])
    path.unlink()
    with pytest.raises(InputError, match="cannot be written"):
        oracle.compare([[0, 1, 0, 3]])

    assert not path.exists()


def test_a_write_of_its_own_that_failed_is_mended(path, monkeypatch):
    oracle = RecordedOracle(SimilarityOracle(W), path)

    def full(number):
        path.write_bytes(path.read_bytes()[:-5])  # the disk took only a part of it
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(InputError, match="No space left"):
            oracle.compare([[0, 1, 0, 2]])
    oracle.compare([[0, 1, 0, 3]])

    assert path.read_text() == HEADER + "[0, 1, 0, 3, 1]\n"


def test_a_record_says_what_it_knows(path):
    RecordedOracle(SimilarityOracle(W), path).compare([[0, 1, 0, 2]])

    oracle = RecordedOracle(SimilarityOracle(W), path)

    assert oracle.knows([[2, 0, 1, 0], [0, 1, 0, 3]]).tolist() == [True, False]
    assert oracle.knows(np.empty((0, 4), dtype=int)).shape == (0,)


class Forgetful:
    """A budget of somebody else's making, which does not say what it knows."""

    n_objects = 4

    def __init__(self, oracle):
        self.compare = oracle.compare


@pytest.mark.parametrize("wrap", [lambda oracle: oracle, Forgetful])
def test_the_batch_in_which_a_budget_runs_out_is_recorded(path, wrap):
    oracle = RecordedOracle(wrap(BudgetedOracle(SimilarityOracle(W), 3)), path)

    with pytest.raises(BudgetExhaustedError):
        oracle.compare([[0, 1, 0, 2], [0, 2, 1, 2], [2, 3, 0, 1], [0, 1, 1, 3]])

    tie = [] if wrap is Forgetful else ["[0, 2, 1, 2, 0]"]
    expected = ["[0, 1, 0, 2, 1]", *tie, "[0, 1, 2, 3, 1]"]
    assert path.read_text().splitlines()[1:] == expected
    assert oracle.compare([[2, 3, 0, 1]]).tolist() == [-1]


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize(
    "session",
    [
        lambda truth, path: BudgetedOracle(RecordedOracle(truth, path), 30),
        lambda truth, path: RecordedOracle(BudgetedOracle(truth, 30), path),
    ],
)
def test_sessions_with_a_budget_go_on_where_the_last_one_stopped(path, session):
    w = np.random.default_rng(0).integers(0, 40, (12, 12)).astype(float)
    w = np.triu(w, 1) + np.triu(w, 1).T
    straight = SimilarityOracle(w)
    expected = cluster(straight, "SL")

    tree, n_asked = None, []
    while tree is None or tree.method != "SL":  # the tree of the answers so far
        truth = SimilarityOracle(w)
        tree = cluster(session(truth, path), "SL")
        n_asked.append(truth.n_questions)

    assert np.array_equal(tree.merges, expected.merges)
    assert n_asked[:-1] == [30] * (len(n_asked) - 1)
    assert sum(n_asked) == straight.n_questions > 60


def test_a_record_of_another_source_is_refused(path):
    class Model(SimilarityOracle):
        source = "model A"

    RecordedOracle(Model(W), path).compare([[0, 1, 0, 2]])
    kept = path.read_text()

    assert kept.startswith('{"format": "ordlink-record", "version": 1, "n_objects": 4, "source": ')
    assert RecordedOracle(NoisyOracle(Model(W), 0.1), path).n_questions == 1
    Model.source = "model B"
    with pytest.raises(InputError, match=r"line 1: expected answers of 'model B'.*another file"):
        RecordedOracle(Model(W), path)
    with pytest.raises(InputError, match="line 1: expected answers of None"):
        RecordedOracle(SimilarityOracle(W), path)
    assert path.read_text() == kept


@pytest.mark.parametrize(
    "memory", [lambda oracle, path: RecordedOracle(oracle, path), lambda oracle, _: AskOnce(oracle)]
)
def test_votes_on_a_memory_are_refused(path, memory):
    remembered = memory(NoisyOracle(SimilarityOracle(W), 0.3), path)

    with pytest.raises(InputKindError, match=r"caches its answers.*RepeatedOracle\(oracle, 5\)"):
        RepeatedOracle(remembered, 5)

    assert RepeatedOracle(NoisyOracle(remembered, 0.2), 5).calls_per_question == 5  # drawn outside
