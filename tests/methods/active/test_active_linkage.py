"""Single and complete linkage from an oracle, against literal loops over the similarities."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordlink as ol
from ordlink.errors import InputError, InputKindError
from ordlink.oracles import FunctionOracle, NoisyOracle, NoisySimilarityOracle, SimilarityOracle

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
ACTIVE = {name: partial(ol.cluster, method=name) for name in ("SL", "CL")}
both = pytest.mark.parametrize("method", ["SL", "CL"])


def literal_linkage(w, method, initial_clusters=()):
    """Algorithm alg:hc word by word: every cluster pair anew, the first in order among ties."""
    n = len(w)
    merges, tied, node = [], [], {(i,): i for i in range(n)}

    def merge(p, q, is_tied):
        merges.append([node.pop(p), node.pop(q)])
        tied.append(is_tied)
        node[tuple(sorted(p + q))] = n + len(merges) - 1

    for cluster in sorted(sorted(cluster) for cluster in initial_clusters):
        for size in range(1, len(cluster)):
            merge(tuple(cluster[:size]), (cluster[size],), False)
    choose = max if method == "SL" else min
    while len(node) > 1:
        clusters = sorted(node, key=min)
        best, candidates = None, []
        for a in range(len(clusters)):
            for b in range(a + 1, len(clusters)):
                value = choose(w[i][j] for i in clusters[a] for j in clusters[b])
                if best is None or value > best:
                    best, candidates = value, []
                if value == best:
                    candidates.append((clusters[a], clusters[b]))
        merge(*candidates[0], len(candidates) > 1)
    return merges, tied


def symmetric(values):
    upper = np.triu(values, 1)
    return upper + upper.T


def draw_similarities(kind, n, rng):
    if kind == "continuous":
        return symmetric(rng.normal(size=(n, n)))
    if kind == "equal":
        return np.ones((n, n))
    if kind == "line":
        position = rng.integers(0, n, size=n)
        return -np.abs(position[:, None] - position).astype(float)
    return symmetric(
        rng.integers(0, {"two values": 2, "few values": 5, "n values": n}[kind], (n, n))
    )


KINDS = ["continuous", "equal", "line", "two values", "few values", "n values"]


def draw_initial_clusters(n, rng):
    labels = rng.integers(0, max(2, n // 2), size=n)
    clusters = [rng.permutation(np.flatnonzero(labels == label)).tolist() for label in range(n)]
    # Some clusters are not given: their objects stay single.
    return [cluster for cluster in clusters if cluster and rng.random() < 0.7]


class AskedTwice(Exception):
    pass


class StrictOracle:
    """A third-party oracle that refuses to hear a question again, in any form."""

    def __init__(self, w):
        self.w = np.asarray(w)
        self.n_objects = len(self.w)
        self.heard = set()

    def compare(self, quadruplets):
        assert len(quadruplets) > 0
        answers = []
        for i, j, k, l in quadruplets.tolist():  # noqa: E741
            question = frozenset([frozenset([i, j]), frozenset([k, l])])
            assert len(question) == 2
            if question in self.heard:
                raise AskedTwice(question)
            self.heard.add(question)
            answers.append(np.sign(self.w[i, j] - self.w[k, l]))
        return np.array(answers, dtype=np.int8)


@both
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("with_initial_clusters", [False, True])
def test_tree_equals_literal_greedy_and_no_question_is_asked_twice(
    method, kind, with_initial_clusters
):
    rng = np.random.default_rng(KINDS.index(kind))
    for trial in range(60):
        n = 2 + trial % 11
        w = draw_similarities(kind, n, rng)
        initial = draw_initial_clusters(n, rng) if with_initial_clusters else None

        tree = ACTIVE[method](StrictOracle(w), initial_clusters=initial)

        merges, tied = literal_linkage(w.tolist(), method, initial or [])
        assert tree.merges.tolist() == merges
        assert tree.tied.tolist() == tied
        assert np.isnan(tree.scores).all()


@both
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_tree_equals_literal_greedy_on_any_weak_order(method, data):
    n = data.draw(st.integers(2, 9))
    values = data.draw(
        st.lists(st.integers(0, 6), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2)
    )
    w = np.zeros((n, n))
    w[np.triu_indices(n, 1)] = values
    w += w.T

    tree = ACTIVE[method](StrictOracle(w))

    merges, tied = literal_linkage(w.tolist(), method)
    assert tree.merges.tolist() == merges
    assert tree.tied.tolist() == tied


@both
def test_larger_trees_equal_the_literal_greedy(method):
    rng = np.random.default_rng(3)
    for n, values in ((40, 10**6), (40, 60), (40, 3)):
        w = symmetric(rng.integers(0, values, (n, n)))

        tree = ACTIVE[method](StrictOracle(w))

        merges, tied = literal_linkage(w.tolist(), method)
        assert tree.merges.tolist() == merges
        assert tree.tied.tolist() == tied


@both
def test_two_objects_need_no_question(method):
    oracle = SimilarityOracle([[0, 1], [1, 0]])

    tree = ACTIVE[method](oracle)

    assert tree.merges.tolist() == [[0, 1]]
    assert oracle.n_questions == 0


@both
def test_one_initial_cluster_of_all_objects_needs_no_question(method):
    oracle = SimilarityOracle(np.zeros((4, 4)))

    tree = ACTIVE[method](oracle, initial_clusters=[[3, 1, 0, 2]])

    assert tree.merges.tolist() == [[0, 1], [4, 2], [5, 3]]
    assert oracle.n_questions == 0


def planted_similarities(n, rng):
    half = np.arange(n) // (n // 8)
    level = np.frexp((half[:, None] ^ half).astype(float))[1]  # 0 if equal, else highest bit
    return symmetric(0.8 - 0.2 * level + rng.normal(0, 0.1, (n, n)))


@pytest.mark.parametrize(("method", "most"), [("SL", 1.3), ("CL", 4.0)])
@pytest.mark.parametrize("kind", ["planted", "flat", "few values", "plane"])
def test_questions_at_240_objects_stay_within_bounds(method, most, kind):
    n = 240
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n, 2))
    w = {
        "planted": lambda: planted_similarities(n, rng),
        "flat": lambda: symmetric(rng.normal(size=(n, n))),
        "few values": lambda: symmetric(rng.integers(0, 5, (n, n))),
        "plane": lambda: -np.linalg.norm(points[:, None] - points, axis=2),
    }[kind]()
    oracle = SimilarityOracle(w)

    ACTIVE[method](oracle)

    assert oracle.n_questions <= most * n * (n - 1) / 2


@both
def test_relabelling_objects_relabels_the_tree(method):
    rng = np.random.default_rng(5)
    w = symmetric(rng.normal(size=(30, 30)))
    order = rng.permutation(30)

    tree = ACTIVE[method](SimilarityOracle(w))
    relabelled = ACTIVE[method](SimilarityOracle(w[np.ix_(order, order)]))

    clusters = [frozenset(members.tolist()) for _, members in tree.clusters()]
    found = [frozenset(order[members].tolist()) for _, members in relabelled.clusters()]
    assert found[-29:] == clusters[-29:]


@both
@pytest.mark.parametrize("flip_probability", [0.1, 0.5])
def test_contradictory_answers_still_give_a_tree(method, flip_probability):
    w = symmetric(np.random.default_rng(1).integers(0, 20, (40, 40)))
    for seed in range(5):
        flipping = NoisyOracle(SimilarityOracle(w), flip_probability, seed=seed)
        blurred = NoisySimilarityOracle(w, noise=10.0, seed=seed)

        assert ACTIVE[method](flipping).n_objects == 40
        assert ACTIVE[method](blurred, initial_clusters=[[0, 5, 9], [3, 4]]).n_objects == 40


@both
@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 9), answers=st.randoms(use_true_random=False))
def test_arbitrary_answers_still_give_a_tree(method, n, answers):
    oracle = FunctionOracle(lambda *question: answers.choice([-1, 0, 1]), n)

    assert ACTIVE[method](oracle).merges.shape == (n - 1, 2)


@both
def test_names_of_the_oracle_reach_the_tree(method):
    oracle = SimilarityOracle(np.zeros((3, 3)), names=["ant", "bee", "cat"])

    assert ACTIVE[method](oracle).names == ("ant", "bee", "cat")


@both
def test_progress_counts_up_to_the_end(method):
    calls = []

    ACTIVE[method](SimilarityOracle(np.zeros((5, 5))), progress=lambda *call: calls.append(call))

    assert calls[-1] == (4, 4)
    assert calls == sorted(calls)


@both
def test_what_is_no_oracle_is_refused(method):
    with pytest.raises(InputKindError, match="expected a square matrix of real numbers"):
        ACTIVE[method]("oracle")


@both
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda m: np.zeros(m + 1), r"expected an array of shape"),
        (lambda m: np.full(m, 2), r"answer 0: expected -1, 0 or 1, got 2"),
        (lambda m: np.full(m, np.nan), r"answer 0: expected -1, 0 or 1, got nan"),
        (lambda m: ["yes"] * m, r"expected the numbers -1, 0 or 1"),
    ],
)
def test_answers_that_are_none_are_refused(method, wrong, message):
    class Wrong:
        n_objects = 5

        def compare(self, quadruplets):
            return wrong(len(quadruplets))

    with pytest.raises(InputError, match=message):
        ACTIVE[method](Wrong())


@both
def test_a_single_object_is_refused(method):
    with pytest.raises(InputError, match="at least two objects"):
        ACTIVE[method](SimilarityOracle([[0.0]]))


@pytest.mark.parametrize("shape", ["line", "circle"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_equal_steps_along_a_line_or_circle_take_about_two_questions_a_pair(shape, shuffled):
    n = 120
    steps = np.abs(np.arange(n)[:, None] - np.arange(n))
    w = -(steps if shape == "line" else np.minimum(steps, n - steps)).astype(float)
    if shuffled:
        order = np.random.default_rng(0).permutation(n)
        w = w[np.ix_(order, order)]
    oracle = SimilarityOracle(w)

    ol.cluster(oracle, "SL")

    assert oracle.n_questions <= (1.8 if shuffled else 2.1) * n * (n - 1) / 2


@both
@pytest.mark.parametrize(
    "clusters", [np.array([[0, 1], [2, 3]]), ((0, 1), (2, 3)), [range(2), np.array([3, 2])]]
)
def test_initial_clusters_come_in_any_container(method, clusters):
    w = -np.abs(np.arange(5.0)[:, None] - np.arange(5.0))

    tree = ACTIVE[method](SimilarityOracle(w), initial_clusters=clusters)

    assert tree.merges[:2].tolist() == [[0, 1], [2, 3]]


@both
@pytest.mark.parametrize(
    ("clusters", "error", "message"),
    [
        ([[0, 1, 0]], InputError, "initial cluster 0: object 0 is listed twice"),
        ([[0, 1], [2, 0]], InputError, "initial cluster 1: object 0 is already in .* cluster 0"),
        ([[0, 9]], InputError, r"object 9 is out of range: there are 5 objects \(0 to 4\)"),
        ([0, 1], InputError, "initial cluster 0: expected a list of object numbers"),
        (["01"], InputError, "initial cluster 0: expected a list of object numbers"),
        ("01", InputKindError, "expected a list of lists of object numbers.* got str"),
        (3, InputKindError, "expected a list of lists of object numbers.* got int"),
        (iter([[0, 1]]), InputKindError, "got list_iterator"),
        ([iter([0, 1])], InputError, "initial cluster 0: expected a list of object numbers"),
    ],
)
def test_wrong_initial_clusters_are_refused(method, clusters, error, message):
    with pytest.raises(error, match=message):
        ACTIVE[method](SimilarityOracle(np.zeros((5, 5))), initial_clusters=clusters)
