"""The downloads as data: trials and participants that join, and the tree that they give."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import ordlink as ol
from ordlink.cli import run
from ordlink.collect.question_types import QUESTION_TYPES
from ordlink.collect.stimuli import Stimulus
from ordlink.collect.study import make_study
from tests.collect.conftest import Place, post, text_study
from tests.collect.test_owner import grown

TYPES = sorted(QUESTION_TYPES)


def number_of(stimulus: dict[str, Any]) -> int:
    return int(stimulus["text"].split()[1])


def answer_all(place: Place, browser: Any, state: dict[str, Any], *, wild: bool = False) -> None:
    """Answer until the end: things with close numbers are alike; every tenth can't be told."""
    kind = place.running.study.kind
    while state["phase"] != "done":
        if not state["stimuli"]:
            state = post(browser, "/api/continue", phase=state["phase"])
            continue
        numbers = [number_of(one) for one in state["stimuli"]]
        if kind.form == "quadruplet":
            gaps = [abs(numbers[0] - numbers[1]), abs(numbers[2] - numbers[3])]
            order = [gaps.index(min(gaps)), 1]
        else:
            anchor = numbers[0] if kind.has_anchor else sorted(numbers)[1]
            options = numbers[1:] if kind.has_anchor else numbers
            order = sorted(range(len(options)), key=lambda at: abs(options[at] - anchor))
            if kind.form == "odd-one-out":
                order.reverse()
        choice = order[: kind.n_chosen] if state["number"] % 10 and not wild else []
        state = place.answer(state, choice or [0, 1][: kind.n_chosen] * wild, browser, seconds=1.5)


def run_study(place: Place) -> list[dict[str, str]]:
    """Let three people take part, exclude the last, and return the trials."""
    for person in range(3):
        browser = place.another_browser()
        answer_all(place, browser, place.join(browser, f"?participant={person}"), wild=person == 2)
    csrf = place.log_in()
    place.browser.post("/owner/participants/3/exclude", data={"csrf": csrf, "reason": "wild"})
    text = place.browser.get("/owner/download/trials.csv").text
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("question", TYPES)
def test_trials_of_every_type_are_read_as_a_trial_log(
    open_place: Callable, tmp_path: Path, question: str
) -> None:
    study = text_study(
        12, question=question, sampler="random", method="AddS-AL", practice=2, catch_trials=3,
        repeat_share=0.2, questions_per_person=30,
    )  # fmt: skip
    with open_place(study) as place:
        rows = run_study(place)
        for name in ("trials.csv", "answers.csv"):
            (tmp_path / name).write_bytes(place.browser.get(f"/owner/download/{name}").content)

    said: list[str] = []
    read = ol.read_comparisons(tmp_path / "trials.csv", tell=said.append)
    answers = ol.read_comparisons(tmp_path / "answers.csv")

    assert {"practice", "main", "catch", "repeat"} == {row["kind"] for row in rows}
    assert {row["excluded"] for row in rows if row["participant"] == "P3"} == {"1"}
    counted = [r for r in rows if (r["kind"], r["cant_tell"], r["excluded"]) == ("main", "0", "0")]
    assert read.n_answers == len(counted) > 40
    assert set(read.details.annotators) == {"P1", "P2"}
    assert not any("missing" in one for one in said), said
    if question != "rank-2-of-8":  # a trial log does not know which of two was chosen first
        assert read.quadruplets.tolist() == answers.quadruplets.tolist()


def test_stimuli_called_by_numbers_keep_their_names(open_place: Callable, tmp_path: Path) -> None:
    stimuli = tuple(Stimulus(str(n), "text", f"thing {n}") for n in range(101, 110))
    settings = {"practice": 0, "catch_trials": 0, "questions_per_person": 20}
    with open_place(make_study({**settings, "question": "most-central"}, stimuli)) as place:
        run_study(place)
        answers = place.browser.get("/owner/download/answers.csv").content
    (tmp_path / "answers.csv").write_bytes(answers)

    read = ol.read_comparisons(tmp_path / "answers.csv")

    assert set(read.names) == {one.name for one in stimuli}


def test_trials_name_what_was_shown_and_chosen(open_place: Callable) -> None:
    with open_place(text_study(practice=1, catch_trials=2, questions_per_person=10)) as place:
        rows = run_study(place)

    for row in rows:
        options = [row["option_1"], row["option_2"]]
        if row["cant_tell"] == "1":
            assert (row["response"], row["position"]) == ("", "")
        else:
            assert row["response"] == options[int(row["position"]) - 1]
        assert (row["correct"] != "") == (row["kind"] == "catch")
        assert (row["sampler"] != "") == (row["kind"] == "main") == (row["reason"] != "")
        assert float(row["response_time"]) == 1.5
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", row["time"])
    first = [row for row in rows if row["participant"] == "P1"]
    assert [int(row["trial"]) for row in first] == list(range(1, len(first) + 1))


def test_everything_comes_in_one_file_that_explains_every_column(
    open_place: Callable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"method": "AddS-AL", "questions_per_person": 40, "sampler": "random"}
    with open_place(text_study(**settings)) as place:
        run_study(place)
        content = place.browser.get("/owner/download/data.zip").content
        parquet = place.browser.get("/owner/download/trials.parquet").content
        newick = grown(place)["kept"]["newick"]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(tmp_path)
    readme = (tmp_path / "README.md").read_text()
    tables = {}
    for name in ("trials", "participants"):
        with (tmp_path / f"{name}.csv").open() as file:
            tables[name] = list(csv.DictReader(file))
    command = next(line for line in readme.splitlines() if line.strip().startswith("ordlink"))
    words = command.replace("trials.csv", str(tmp_path / "trials.csv")).split()[1:]

    assert run([*words, "--out", str(tmp_path / "tree")]) == 0

    assert ol.Hierarchy.load(tmp_path / "tree" / "tree.json").to_newick(heights="rank") == newick
    for rows in tables.values():
        assert [name for name in rows[0] if f"| `{name}` | " not in readme] == []
    people = {row["participant"]: row for row in tables["participants"]}
    assert {row["participant"] for row in tables["trials"]} == set(people)
    for name, row in people.items():
        own = [one for one in tables["trials"] if one["participant"] == name]
        assert sum(one["kind"] == "main" for one in own) == int(row["n_answers"])
    table = pq.read_table(io.BytesIO(parquet))
    assert table.num_rows == len(tables["trials"])
    assert table.column_names == list(tables["trials"][0])


ODD: dict[str, Any] = {"question": "odd-one-out"}


@pytest.mark.parametrize(
    ("before", "after"),
    [({}, {"x": ODD, "y": ODD}), ({"a": {}, "b": ODD}, {"b": ODD})],
    ids=["without conditions", "a condition"],
)
def test_what_people_without_a_condition_now_were_asked_is_exported(
    open_place: Callable, tmp_path: Path, before: dict[str, Any], after: dict[str, Any]
) -> None:
    trials, answers = [], []
    for conditions in (before, after):
        with open_place(text_study(questions_per_person=5, conditions=conditions)) as place:
            for _ in range(2 * (conditions is before)):
                browser = place.another_browser()
                state = place.join(browser)
                while state["phase"] != "done":
                    state = place.answer(state, [0], browser)
            if conditions is before:
                place.log_in()
                cookies = place.browser.cookies
            place.browser.cookies = cookies
            get = place.browser.get
            assert get("/owner/download/data.zip").status_code == 200
            assert "| `reference` |" in get("/owner/download/README.md").text
            rows = csv.DictReader(io.StringIO(get("/owner/download/trials.csv").text))
            trials.append([{name: one for name, one in row.items() if one} for row in rows])
            (tmp_path / "answers.csv").write_text(get("/owner/download/answers.csv").text)
        read = ol.read_comparisons(tmp_path / "answers.csv")
        named = [[read.names[one] for one in row] for row in read.quadruplets]
        answers.append(sorted([sorted(row[:2]), sorted(row[2:])] for row in named))

    assert trials[0] == trials[1]
    assert answers[0] == answers[1]
    triplets = [row for row in trials[1] if "reference" in row]
    assert len(triplets) == (5 if before else 10)
    assert all(row["response"] == row["option_1"] for row in triplets)
    for row in triplets:
        near, far = (sorted([row["reference"], row[name]]) for name in ("option_1", "option_2"))
        assert [near, far] in answers[1]


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_the_documented_r_script_makes_a_table(open_place: Callable, tmp_path: Path) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "collect.md").read_text()
    script = docs.split("```r\n")[1].split("```")[0]
    conditions: dict[str, Any] = {"far": {}, "near": {}}
    study = text_study(6, questions_per_person=5, practice=1, catch_trials=1, conditions=conditions)
    with open_place(study) as place:
        for person in range(4):
            browser = place.another_browser()
            state = place.join(browser, f"?participant={person}")
            while state["phase"] != "done":
                if state["stimuli"]:
                    seconds = 10.0 * person + state["number"] / 8
                    state = place.answer(state, [0], browser, seconds=seconds)
                else:
                    state = post(browser, "/api/continue", phase=state["phase"])
        csrf = place.log_in()
        place.browser.post("/owner/participants/2/exclude", data={"csrf": csrf})
        for name in ("trials.csv", "participants.csv"):
            (tmp_path / name).write_bytes(place.browser.get(f"/owner/download/{name}").content)

    made = subprocess.run(
        ["Rscript", "-e", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    with (tmp_path / "trials.csv").open() as file:
        rows = [one for one in csv.DictReader(file) if one["kind"] == "main"]
    kept = [one for one in rows if one["participant"] != "P2"]
    for name in conditions:
        times = [float(one["response_time"]) for one in kept if one["condition"] == name]
        shown = re.search(rf"{name} +([\d.]+)", made.stdout)
        assert shown and float(shown[1]) == pytest.approx(sum(times) / len(times), rel=1e-5)
        assert len(times) in (5, 10)
