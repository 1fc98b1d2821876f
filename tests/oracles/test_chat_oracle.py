"""The oracle that asks a chat model, against a small server of our own."""

import json
import logging
import pickle
import threading
import time
import traceback

import numpy as np
import pytest
from PIL import Image

import ordlink as ol
from ordlink.errors import InputError, InputKindError, OracleError
from ordlink.oracles import (
    ChatOracle,
    ConcurrentOracle,
    RecordedOracle,
    agreement_with_people,
    position_bias,
    random_questions,
)
from ordlink.oracles._chat_client import Usage
from tests.oracles.chat_server import KEY, serving

VALUES = [0, 10, 21, 33, 46, 60, 75, 91]
TEXTS = [str(value) for value in VALUES]
QUESTIONS = random_questions(8, 40, form="triplet", seed=1)


def truth(questions):
    i, j, k, l = np.array(VALUES)[questions].T  # noqa: E741
    return np.sign(abs(k - l) - abs(i - j))


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as chat:
        yield chat


@pytest.fixture
def make(server):
    def chat_oracle(objects=TEXTS, **options):
        return ChatOracle(objects, **{"model": "tiny", "base_url": server.url} | options)

    return chat_oracle


@pytest.mark.parametrize("form", ["triplet", "quadruplet"])
def test_a_model_answers_questions_of_both_forms(server, make, form):
    questions = random_questions(8, 25, form=form)
    oracle = make(batch_size=10)

    answers = oracle.compare(questions)

    told = truth(questions) != 0
    assert np.array_equal(answers[told], truth(questions)[told])
    assert [len(server.letters(body)) for body in server.requests] == [10, 10, 5]
    assert oracle.usage.n_requests == 3
    assert oracle.names == tuple(TEXTS)


def test_pictures_are_sent_small_and_once_per_request(server, make, tmp_path):
    for number, value in enumerate(VALUES):
        Image.new("L", (1200, 300), 2 * value).save(tmp_path / f"grey {number}.png")
    pictures = sorted(tmp_path.iterdir())

    oracle = make(pictures, batch_size=20)
    answers = oracle.compare(QUESTIONS[:20])

    told = truth(QUESTIONS[:20]) != 0
    assert np.array_equal(answers[told], truth(QUESTIONS[:20])[told])
    (body,) = server.requests
    kinds = [part["type"] for part in body["messages"][0]["content"]]
    assert kinds == ["text", "image_url"] * 8 + ["text"]
    assert oracle.names == tuple(f"grey {number}" for number in range(8))
    assert "[a picture of" in oracle.preview(QUESTIONS[:1])
    assert oracle.estimate(20).prompt_tokens > make().estimate(20).prompt_tokens


def test_another_picture_of_the_same_name_is_another_source(make, tmp_path):
    sources = set()
    for grey in (10, 10, 200):
        Image.new("L", (30, 30), grey).save(tmp_path / "it.png")
        sources.add(make([tmp_path / "it.png"]).source)

    assert len(sources) == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [("x.png", b"no picture", "not a picture"), ("gone.png", None, "cannot be read")],
)
def test_a_file_that_is_no_picture_is_refused(make, tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)

    with pytest.raises(InputError, match=f"{name}: .*{message}"):
        make([tmp_path / name])


def test_either_pair_may_be_shown_first_and_always_the_same(server, make):
    questions = random_questions(8, 100)

    first = make().shows_first(questions)

    assert 30 < first.sum() < 70
    assert np.array_equal(make().shows_first(questions), first)
    assert np.array_equal(make().shows_first(questions[:, [2, 3, 0, 1]]), ~first)
    assert not np.array_equal(make(seed=1).shows_first(questions), first)
    server.behave = lambda server, body: json.dumps(["A"] * len(server.letters(body)))
    assert np.array_equal(make().compare(questions) > 0, first)


TALK = [
    "Of course! Here you are:\n```json\n%s\n```\nLet me know if you need more.",
    '<think>Maybe {"answers": {"1": "?"}}</think>%s',
    'The format is {"answers": {"1": "A"}}. So: %s',
    "%s {and a brace",
]


@pytest.mark.parametrize("talk", TALK)
def test_talkative_replies_are_understood(server, make, talk):
    server.behave = lambda server, body: talk % json.dumps({"answers": server.letters(body)})

    answers = make(batch_size=7).compare(QUESTIONS)

    told = truth(QUESTIONS) != 0
    assert np.array_equal(answers[told], truth(QUESTIONS)[told])


def test_answers_that_are_missing_are_asked_for_again_and_no_others(server, make):
    def half(server, body):
        letters = server.letters(body)
        kept = dict(list(letters.items())[: (len(letters) + 1) // 2])
        return json.dumps({"answers": kept})

    server.behave = half
    oracle = make(batch_size=4)
    answers = oracle.compare(QUESTIONS[:4])

    assert [len(server.letters(body)) for body in server.requests] == [4, 2, 1]
    told = truth(QUESTIONS[:4]) != 0
    assert np.array_equal(answers[told], truth(QUESTIONS[:4])[told])
    assert oracle.usage.n_unreadable == 0


def test_an_answer_that_stays_unreadable_is_no_answer(server, make):
    server.behave = lambda server, body: "I like all animals."
    oracle = make(batch_size=3)

    assert oracle.compare(QUESTIONS[:3]).tolist() == [0, 0, 0]
    assert (oracle.usage.n_requests, oracle.usage.n_unreadable) == (3, 3)
    with pytest.raises(InputError, match=r"tiny: 12 of 12 answers could not be parsed.*I like all"):
        oracle.compare(QUESTIONS[3:20])


def test_the_prompt_can_be_replaced(server, make):
    make(prompt="Vergleiche {questions} als {JSON}").compare(QUESTIONS[:1])

    text = server.requests[0]["messages"][0]["content"]
    assert text.startswith("Vergleiche 1. Is ")
    assert text.endswith("? als {JSON}")
    with pytest.raises(InputError, match=r"prompt: expected a text with '\{questions\}'"):
        make(prompt="Compare them.")


def test_parameters_reach_the_server_and_unknown_formats_are_left_out(server, make):
    def strict(server, body):
        if "response_format" in body:
            return 400, {}, json.dumps({"error": {"message": "unknown field response_format"}})
        return None

    server.behave = strict
    make(parameters={"temperature": 0}, batch_size=2).compare(QUESTIONS[:4])

    assert ["response_format" in body for body in server.requests] == [True, False, False]
    assert {body["temperature"] for body in server.requests} == {0}
    assert {body["model"] for body in server.requests} == {"tiny"}


@pytest.mark.parametrize("header", ["0.05", "Wed, 21 Oct 2015 07:28:00 GMT", "soon", None])
def test_a_server_that_limits_the_rate_is_asked_again(server, make, header):
    def busy(server, body):
        if len(server.requests) <= 3:
            headers = {} if header is None else {"Retry-After": header}
            return 429, headers, json.dumps({"error": {"message": "slow down"}})
        return None

    server.behave = busy
    oracle = ConcurrentOracle(make(), 2, backoff=1e-3)

    told = truth(QUESTIONS) != 0
    assert np.array_equal(oracle.compare(QUESTIONS)[told], truth(QUESTIONS)[told])
    assert oracle.n_failed_calls == 3


def test_retry_after_is_in_seconds_from_now(server, make):
    server.behave = lambda server, body: (503, {"Retry-After": "2.5"}, "later")

    with pytest.raises(OracleError, match=r"/v1: HTTP 503: later") as caught:
        make().compare(QUESTIONS[:1])

    assert caught.value.retry_after == 2.5


def test_failures_lose_and_repeat_no_answer(server, make, tmp_path):
    """A fifth of the requests fail, and some replies are incomplete: each answer is paid once."""
    rng, lock = np.random.default_rng(0), threading.Lock()

    def failing(server, body):
        with lock:
            luck = rng.random()
        if luck < 0.1:
            return 500, {}, "out of order"
        if luck < 0.2:
            return 200, {}, "<html>no completion</html>"
        if luck < 0.4:
            letters = server.letters(body)
            return json.dumps({"answers": dict(list(letters.items())[:2])})
        return None

    server.behave = failing
    questions = random_questions(8, 150)
    inner = ConcurrentOracle(make(batch_size=4), 8, backoff=1e-3, n_retries=50)
    oracle = RecordedOracle(inner, tmp_path / "record.jsonl")
    answers = oracle.compare(questions)

    told = truth(questions) != 0
    assert np.array_equal(answers[told], truth(questions)[told])
    assert inner.n_failed_calls > 0
    assert inner.n_answers == 150


def test_answers_before_a_failure_within_a_call_are_not_asked_again(server, make):
    def once(server, body):
        if len(server.requests) == 1:
            return json.dumps({"answers": {"1": server.letters(body)["1"]}})
        return (500, {}, "out of order") if len(server.requests) == 2 else None

    server.behave = once
    ConcurrentOracle(make(batch_size=3), backoff=1e-3).compare(QUESTIONS[:3])

    assert [len(server.letters(body)) for body in server.requests] == [3, 2, 2]


def test_a_server_that_does_not_answer_in_time_or_at_all_is_named(server, make):
    gate = threading.Event()
    server.behave = lambda server, body: "late" if gate.wait(30) else None

    with pytest.raises(OracleError, match=r"/v1: no answer .*timed out"):
        make(timeout=0.05).compare(QUESTIONS[:1])
    gate.set()
    with pytest.raises(OracleError, match=r"no answer .*refused"):
        make(base_url="http://127.0.0.1:9/v1").compare(QUESTIONS[:1])


@pytest.mark.parametrize(
    ("code", "text", "message"),
    [
        (404, '{"error": {"message": "no model tiny"}}', "HTTP 404: no model tiny; check the addr"),
        (400, "bad\nrequest", "HTTP 400: bad request"),
        (429, '{"error": {"message": "pay", "code": "insufficient_quota"}}', "HTTP 429: pay"),
        (302, "", "HTTP 302"),
    ],
)
def test_what_another_request_cannot_mend_ends_the_run(server, make, code, text, message):
    server.behave = lambda server, body: (code, {"Location": "http://127.0.0.1:9/"}, text)

    with pytest.raises(InputError, match=message):
        ConcurrentOracle(make(batch_size=1), 1, backoff=1e-3).compare(QUESTIONS)

    assert len(server.requests) == 1


def test_the_key_is_sent_and_shown_nowhere(server, make, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    seen = []
    oracle = make(batch_size=1, prices=(1.0, 2.0))
    recorded = RecordedOracle(
        ConcurrentOracle(oracle, 2, n_retries=1, backoff=1e-3), tmp_path / "r"
    )
    recorded.compare(QUESTIONS[:2])
    for answer in (
        (401, {}, f"wrong key {KEY}"),
        (400, {}, f"wrong {KEY}"),
        (500, {}, f"{KEY} broken"),
        (200, {}, f"{KEY} is no completion"),
        f"{KEY} is no letter",
    ):
        server.behave = lambda server, body, answer=answer: answer
        try:
            recorded.compare(QUESTIONS[2:4])
        except ol.errors.OrdlinkError as error:
            seen += [*traceback.format_exception(error), repr(error), repr(vars(error))]

    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    assert len(seen) > 8
    seen += [repr(oracle), repr(vars(oracle)), repr(vars(oracle._client)), oracle.source]
    seen += [(tmp_path / "r").read_text(), caplog.text, str(pickle.dumps(oracle))]
    assert not [text for text in seen if KEY in text]


@pytest.mark.parametrize("key", [f"{KEY} {KEY}", f"{KEY}\nX-Other: 1", f"{KEY}\u00e9"])
def test_what_is_no_key_is_refused_without_showing_it(make, monkeypatch, key):
    monkeypatch.setenv("OTHER_KEY", key)

    with pytest.raises(InputError, match="OTHER_KEY does not hold a key") as caught:
        make(key_variable="OTHER_KEY").compare(QUESTIONS[:1])

    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_server_without_keys_gets_none(server, make, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")

    make().compare(QUESTIONS[:1])

    assert "Authorization" not in server.headers[0]


@pytest.mark.parametrize(
    "url",
    ["localhost:8000", "ftp://x/v1", "", "http://", "http://a:secret@x/v1", "http://x/?key=s"],
)
def test_wrong_addresses_are_refused_without_their_secrets(url):
    with pytest.raises(InputError, match="base_url") as caught:
        ChatOracle(TEXTS, model="tiny", base_url=url)

    assert "secret" not in str(caught.value)


def test_other_wrong_arguments_are_refused(make):
    with pytest.raises(InputKindError, match="objects: expected a list"):
        make("lion")
    with pytest.raises(InputError, match="a Path for object 1, got ''"):
        make(["lion", ""])
    with pytest.raises(InputError, match="model"):
        make(model=" ")
    with pytest.raises(InputError, match="batch_size"):
        make(batch_size=0)
    with pytest.raises(InputError, match="prices"):
        make(prices=(-1, 0))


def test_costs_are_estimated_before_and_counted_after(server, make):
    oracle = make(prices=(2.0, 10.0), batch_size=10)

    expected = oracle.estimate(95)
    oracle.compare(QUESTIONS)

    assert (expected.n_questions, expected.n_requests) == (95, 10)
    n_characters = len(oracle.content(random_questions(8, 10)))
    assert expected.prompt_tokens == round(10 * n_characters / 4)
    total = 2 * expected.prompt_tokens + 10 * expected.completion_tokens
    assert expected.cost == pytest.approx(total / 1e6)
    assert oracle.cost == pytest.approx((2 * 400 + 10 * 40) / 1e6)  # as the server counts them
    assert make().cost is None
    assert make().estimate(5).cost is None


def test_position_bias_is_measured_in_both_orders(server, make):
    straight = position_bias(make(), 30)
    server.behave = lambda server, body: json.dumps(["A"] * len(server.letters(body)))
    biased = position_bias(make(), 30)

    assert straight.consistent > 0.9  # ties of the numbers aside
    assert straight.chose_first == pytest.approx(0.5, abs=0.1)
    assert (biased.consistent, biased.chose_first, biased.n_questions) == (0.0, 1.0, 30)
    server.behave = lambda server, body: json.dumps(["?"] * len(server.letters(body)))
    with pytest.raises(InputError, match="no question in both orders"):
        position_bias(make(), 5)
    with pytest.raises(InputKindError, match="expected a ChatOracle"):
        position_bias(ConcurrentOracle(make()), 5)


def test_agreement_with_people_is_measured_on_their_questions(server, make):
    questions = QUESTIONS[truth(QUESTIONS) != 0]
    wrong = np.arange(len(questions)) % 4 == 0
    turned = np.where((truth(questions) > 0) ^ wrong, 1, -1)
    rows = np.where(turned[:, None] > 0, questions, questions[:, [2, 3, 0, 1]])
    people = ol.Comparisons.from_quadruplets(rows, n_objects=8)

    found = agreement_with_people(make(), people, 1000)
    sample = agreement_with_people(make(), people, 10)

    assert found.agreement == pytest.approx(1 - wrong.mean())
    assert found.n_questions == found.n_answers == len(questions)
    assert found.error == pytest.approx(np.sqrt(0.75 * 0.25 / len(questions)), rel=0.1)
    assert sample.n_questions == 10
    with pytest.raises(InputError, match="answers about 8 objects, got 4"):
        agreement_with_people(make(), ol.Comparisons.from_triplets([[0, 1, 3]], n_objects=4))


def test_a_record_belongs_to_the_model_the_objects_and_the_prompt(make, tmp_path):
    path = tmp_path / "record.jsonl"
    RecordedOracle(make(), path).compare(QUESTIONS[:5])

    assert RecordedOracle(make(batch_size=2, seed=3), path).n_questions == 5
    other_texts = make([f"number {text}" for text in TEXTS], names=TEXTS)
    others = (make(model="huge"), make(prompt="{questions}?"), make(parameters={"temperature": 1}))
    for other in (*others, other_texts, make(names=[f"no {text}" for text in TEXTS])):
        with pytest.raises(InputError, match="line 1: expected answers of"):
            RecordedOracle(other, path)


def test_usage_is_counted_by_all_threads(server, make):
    class SlowUsage(Usage):
        def __getattribute__(self, name):
            value = super().__getattribute__(name)
            if isinstance(value, int):
                time.sleep(1e-4)  # long enough for another thread
            return value

    oracle = make(batch_size=1)
    oracle._client.usage = SlowUsage()
    questions = random_questions(8, 120)

    ConcurrentOracle(oracle, 16).compare(questions)

    assert oracle.usage.n_requests == oracle.usage.n_questions == 120 == len(server.requests)
    assert oracle.usage.prompt_tokens == 100 * 120


def test_random_questions_are_distinct_and_begin_alike():
    few, many = (random_questions(9, n, seed=3) for n in (20, 200))

    assert np.array_equal(many[:20], few)
    assert len({tuple(row) for row in many.tolist()}) == 200
    assert len(set(few[:, 0].tolist())) > 3
    assert np.array_equal(random_questions(60, 20_000)[:20], random_questions(60, 20))
    assert len(random_questions(9, 10**6)) == 3 * 84
    assert len(random_questions(9, 10**6, form="quadruplet")) == 3 * 126
    assert random_questions(2, 5).shape == (0, 4)
    with pytest.raises(InputError, match="form"):
        random_questions(9, 5, form="pair")
