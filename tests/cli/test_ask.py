"""`ordlink ask` against a small server of our own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ordlink as ol
from tests.oracles.chat_server import KEY, ChatServer, serving

VALUES = [0, 10, 21, 33, 46, 60, 75, 91]


@pytest.fixture
def server(monkeypatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as chat:
        yield chat


@pytest.fixture
def objects(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.txt"
    path.write_text("".join(f"{value}\n" for value in VALUES))
    return path


@pytest.fixture
def ask(ordlink, server: ChatServer, tmp_path: Path):
    def call(objects: Path, *words: object, budget: int = 60):
        return ordlink(
            "ask", objects, "--model", "tiny", "--base-url", server.url, "--budget", budget, *words
        )

    return call


def n_asked(server: ChatServer) -> int:
    return sum(len(server.letters(body)) for body in server.requests)


def test_answers_are_written_with_their_source(ask, server, objects, tmp_path) -> None:
    out = tmp_path / "answers.csv"

    result = ask(objects, "--out", out, "--prices", "1,2", "--parameter", "temperature=0")

    assert (result.code, result.err) == (0, "")
    answers = ol.read_comparisons(out)
    assert result.out.splitlines() == [
        f"60 questions, {answers.n_rows} answers; this run: 6 requests, 600 tokens in, 60 out, "
        "cost 0.00072",
        f"wrote {out}",
    ]
    assert answers.names == tuple(map(str, VALUES))
    assert set(answers.details.annotators) == {"tiny"}
    i, j, k, l = np.array(VALUES)[answers.quadruplets].T  # noqa: E741
    assert (abs(i - j) <= abs(k - l)).all()
    assert 15 < answers.details.chose_first.sum() < 45
    assert {body["temperature"] for body in server.requests} == {0}


def test_a_dry_run_asks_nothing_and_writes_nothing(ask, server, objects, tmp_path) -> None:
    result = ask(objects, "--dry-run", "--prices", "1,2", "--question", "quadruplet", budget=35)

    assert (result.code, server.requests) == (0, [])
    lines = result.out.splitlines()
    assert lines[0].startswith("You judge how similar things are.")
    assert lines[2].startswith("1. Which two are more similar to each other, A: ")
    assert lines[-1].startswith("35 questions, 4 requests, about ")
    assert ", cost about " in lines[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["numbers.txt"]


def test_a_run_that_failed_resumes_and_asks_nothing_twice(ask, server, objects, tmp_path) -> None:
    out = tmp_path / "answers.csv"
    server.behave = lambda server, body: (404, {}, "gone") if len(server.requests) == 4 else None
    words = ("--out", out, "--parallel", 1)

    failed = ask(objects, *words)
    n_first, n_kept = len(server.answered), ol.read_comparisons(out).n_rows
    server.answered.clear()
    server.behave = lambda server, body: None
    resumed = ask(objects, *words)
    n_second = len(server.answered)
    again = ask(objects, *words)

    assert failed.code == 2
    assert "30 answers so far kept in" in failed.err
    assert f"error: {server.url}: HTTP 404: gone" in failed.err
    assert (n_first, n_second) == (30, 30)
    assert 25 < n_kept <= 30
    assert (resumed.code, again.code) == (0, 0)
    assert len(server.answered) == 30
    assert "this run: 0 requests" in again.out


def test_ctrl_c_keeps_the_answers(ask, server, objects, tmp_path, monkeypatch) -> None:
    out, pressed = tmp_path / "answers.csv", threading.Event()

    def interrupt(server: ChatServer, body) -> None:
        if len(server.requests) == 3:
            pressed.set()

    server.behave = interrupt
    oracle = ol.oracles.ConcurrentOracle
    ask_calls = oracle._start_calls

    def start_calls(self, batch) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        ask_calls(self, batch)

    monkeypatch.setattr(oracle, "_start_calls", start_calls)
    result = ask(objects, "--out", out, "--parallel", 1)

    assert result.code == 130
    assert "30 answers so far kept in" in result.err
    assert "the same command resumes" in result.err
    assert ol.read_comparisons(out).n_rows > 25


def test_pictures_and_descriptions_are_objects(ask, server, tmp_path) -> None:
    folder = tmp_path / "greys"
    folder.mkdir()
    for number in (1, 2, 10):
        Image.new("L", (20, 20), 20 * number).save(folder / f"grey {number}.png")
    table = tmp_path / "table.csv"
    table.write_text('name,description\nlow,"3"\nhigh,"90"\nhigher,"95"\n')

    pictures = ask(folder, "--out", tmp_path / "a.csv", budget=3)
    described = ask(table, "--out", tmp_path / "b.csv", budget=3)

    assert (pictures.code, described.code) == (0, 0)
    assert ol.read_comparisons(tmp_path / "a.csv").names == ("grey 1", "grey 2", "grey 10")
    answers = ol.read_comparisons(tmp_path / "b.csv")
    assert answers.names == ("low", "high", "higher")
    tree = ol.cluster(answers)
    assert tree.merges[0].tolist() == [1, 2]


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_an_active_method_chooses_the_questions(ask, server, objects, tmp_path) -> None:
    tree_file = tmp_path / "tree.json"
    words = ("--method", "sl", "--tree", tree_file, "--per-request", 3)

    whole = ask(objects, "--out", tmp_path / "a.csv", *words, budget=500)
    tree = ol.Hierarchy.load(tree_file)
    part = ask(objects, "--out", tmp_path / "b.csv", *words, budget=10)

    assert (whole.code, part.code) == (0, 0)
    assert tree.method == "SL"
    distances = -np.abs(np.subtract.outer(VALUES, VALUES)).astype(float)
    assert np.array_equal(tree.merges, ol.cluster(distances, "SL").merges)
    assert ol.Hierarchy.load(tree_file).parameters["asked_by"] == "SL"
    assert ol.read_comparisons(tmp_path / "b.csv").n_rows <= 10
    assert "warning: the budget ran out after 10 questions" in part.err


def test_people_and_the_model_are_compared(ask, ordlink, server, objects, tmp_path) -> None:
    people, out = tmp_path / "people.csv", tmp_path / "answers.csv"
    rows = ol.datasets.simulate_answers(
        -np.abs(np.subtract.outer(VALUES, VALUES)).astype(float), 300, error_rate=0.2, seed=0
    )
    lines = [",".join(str(VALUES[i]) for i in row) + ",ann" for row in rows.tolist()]
    lines[0] = lines[0].removesuffix("ann")
    people.write_text("anchor,closer,farther,annotator\n" + "\n".join(lines) + "\n")
    words = ("--people", people, "--calibration", 40, "--check-order", 10, "--out", out)

    asked = ask(objects, *words, budget=120)
    compared = ordlink("compare-groups", out, "--by", "annotator", "--group", "tiny")

    assert asked.code == 0
    share = int(asked.out.split("agrees with people in ")[1].split(" %")[0])
    assert 60 < share < 100
    assert "position bias: of 10 questions in both orders, 100 % got the same" in asked.out
    assert n_asked(server) == 120
    answers = ol.read_comparisons(out)
    assert set(answers.details.annotators) == {"ann", "people", "tiny"}
    assert compared.code == 0
    assert "tiny: 1" in compared.out
    assert "others: 300 answers, auto" in compared.out


def test_people_may_name_the_objects_in_another_order(ask, server, tmp_path) -> None:
    (tmp_path / "animals.txt").write_text("tuna\nlion\ntiger\neagle\n")
    people = ol.Comparisons.from_triplets([["lion", "tiger", "tuna"]], annotators=["ann"])
    ol.write_comparisons(people, tmp_path / "people.csv")
    (tmp_path / "others.csv").write_text("anchor,closer,farther\nlion,tiger,ox\n")
    server.behave = lambda server, body: json.dumps({str(n): "A" for n in range(1, 13)})
    words = ("--out", tmp_path / "a.csv")

    result = ask(tmp_path / "animals.txt", "--people", tmp_path / "people.csv", *words, budget=12)
    refused = ask(tmp_path / "animals.txt", "--people", tmp_path / "others.csv", *words)

    assert result.code == 0
    answers = ol.read_comparisons(tmp_path / "a.csv")
    assert answers.names == ("tuna", "lion", "tiger", "eagle")
    assert answers.quadruplets[0].tolist() == [1, 2, 0, 1]
    assert answers.details.annotators[:2].tolist() == ["ann", "tiny"]
    assert refused.code == 2
    assert "the answers name 'ox', which is not among the objects" in refused.err


def test_the_key_is_in_no_file_and_no_message(ask, server, objects, tmp_path) -> None:
    server.behave = lambda server, body: (401, {}, f"what is {KEY}?")

    result = ask(objects, "--out", tmp_path / "answers.csv")

    assert result.code == 2
    assert "the server refused the key (HTTP 401); set the environment" in result.err
    files = [path.read_text() for path in tmp_path.iterdir()]
    assert not [text for text in (result.out, result.err, *files) if KEY in text]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give --out, or --dry-run"),
        (("--out", "x.docx"), "x.docx"),
        (("--out", "x.csv", "--method", "4-AL"), "--method: 4-AL asks no questions; use random"),
        (("--out", "x.csv", "--method", "4-BL"), "--method: unknown method"),
        (("--out", "x.csv", "--tree", "t.json"), "--tree requires --method"),
        (("--out", "x.csv", "--prices", "1"), "--prices: expected two numbers"),
        (("--out", "x.csv", "--parameter", "hot"), "--parameter: expected NAME=VALUE"),
        (("--out", "x.csv", "--prompt", "gone.txt"), "gone.txt: cannot be read"),
        (("--out", "x.csv", "--check-order", 30), "--check-order must be less than half"),
        (("--out", "numbers.txt"), "would overwrite an input file"),
        (("--out", "x.csv", "--rate", 0), "--rate: expected a finite number"),
    ],
)
def test_bad_input_is_refused_before_anything_is_asked(
    ask, server, objects, monkeypatch, words, message
) -> None:
    monkeypatch.chdir(objects.parent)

    result = ask(objects, *words)

    assert [path.name for path in Path().iterdir() if path.name[0] != "x"] == ["numbers.txt"]
    assert not Path("x.docx.record").exists()

    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert len(result.err.splitlines()) == 1
    assert server.requests == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("two.txt", "a\nb\n", "two.txt: expected at least three objects, got 2"),
        ("twice.txt", "a\nb\na\n", "twice.txt: the name 'a' occurs twice"),
        ("t.csv", "name,text\na,1\nb\nc,2\n", "t.csv, line 3: the name or the text is missing"),
        ("gone.txt", None, "gone.txt"),
    ],
)
def test_bad_objects_are_refused(ask, tmp_path, name, content, message) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)

    result = ask(tmp_path / name, "--dry-run")

    assert result.code == 2
    assert message in result.err


def test_answers_of_another_run_are_not_overwritten(ask, server, objects, tmp_path) -> None:
    out = tmp_path / "answers.csv"
    out.write_text("precious")

    result = ask(objects, "--out", out)

    assert result.code == 2
    assert "this file exists, but not the record" in result.err
    assert out.read_text() == "precious"


def test_json_prompts_are_taken_from_a_file(ask, server, objects, tmp_path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text('{"task": "compare"}\n{questions}')

    ask(objects, "--prompt", prompt, "--out", tmp_path / "a.csv", budget=5)

    (body,) = server.requests
    assert body["messages"][0]["content"].startswith('{"task": "compare"}\n1. Is ')
    assert json.dumps(body)
