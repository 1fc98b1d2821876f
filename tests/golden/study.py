"""The study that was kept: how it was made, and what the server shows of it."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from tests.collect.conftest import PASSWORD, Place, post, serve, text_study
from tests.golden.files import Texts, content_of
from tests.waiting import wait_until

KEPT = Path(__file__).parent / "kept"
DATABASE = KEPT / "study.db"
DOWNLOADS = (
    "trials.csv", "answers.csv", "answers.parquet", "answers-of-everybody.csv",
    "answers-of-everybody.parquet",
    "participants.csv", "events.jsonl", "study.yaml",
)  # fmt: skip


def kept_study() -> Any:
    """Return the study of the kept database."""
    return text_study(
        8, name="Eight things", questions_per_person=10, practice=1, catch_trials=1,
        repeat_share=0.2, method="AddS-AL", sampler="random", seed=5, abandon_after=1.0,
    )  # fmt: skip


def make_study_database(path: Path) -> None:
    """Let four people take part: one guesses and is excluded, one undoes, one leaves half way.

    What the last one left open has been taken back, so that nothing changes with time any more.
    """
    with serve(kept_study(), path) as place:
        csrf = place.log_in()
        for person, search in enumerate(["?PROLIFIC_PID=5f0c", "", "?participant=%3Dx", ""]):
            browser = place.another_browser()
            state = place.join(browser, search)
            while state["phase"] != "done" and not (person == 3 and state["number"] > 5):
                if state["stimuli"]:
                    state = _answer(place, browser, state, person)
                else:
                    state = post(browser, "/api/continue", phase=state["phase"])
                if person == 1 and state["number"] == 6 and state["undoable"]:
                    state = post(browser, "/api/undo", number=state["undoable"])
        wait_until(lambda: '"open"' not in place.browser.get("/owner/download/events.jsonl").text)
        place.browser.post(
            "/owner/participants/3/exclude", data={"csrf": csrf, "reason": "guesses"}
        )
        place.browser.post("/owner/state", data={"csrf": csrf, "state": "complete"})


def show_study() -> Texts:
    """Open a copy of the kept database by the server, and return all that the owner gets."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "study.db"
        shutil.copy(DATABASE, database)
        with serve(kept_study(), database) as place:
            browser = place.browser
            reply = browser.post("/owner/login", data={"password": PASSWORD})
            assert reply.status_code == 200, reply.text
            tree = _wait_for_tree(browser)
            texts = {"tree.txt": _as_text(tree)}
            texts["participants.txt"] = _as_text(browser.get("/owner/api/participants").json())
            for name in DOWNLOADS:
                reply = browser.get(f"/owner/download/{name}")
                assert reply.status_code == 200, reply.text
                path = Path(folder) / name
                path.write_bytes(reply.content)
                texts[name] = content_of(path)
    texts["events.jsonl"] = _of_the_past(texts["events.jsonl"])
    return texts


def _answer(place: Place, browser: Any, state: dict[str, Any], person: int) -> Any:
    """Answer a triplet: things of the same half are alike; the third person guesses."""
    anchor, *others = (int(one["text"].split()[1]) for one in state["stimuli"])
    farther = [abs(anchor - other) + 10 * (anchor // 4 != other // 4) for other in others]
    number = state["number"]
    choice = [number % 2] if person == 2 else [farther.index(min(farther))]
    if person == 1 and number in (3, 8):
        choice = []  # can't tell
    return place.answer(
        state, choice, browser, seconds=0.5 + number / 8, blurs=int(number == 4),
        device=("mouse", "touch", "keyboard", "")[person],
    )  # fmt: skip


def _wait_for_tree(browser: Any) -> dict[str, Any]:
    """Return the trees as soon as they have grown."""
    wait_until(lambda: browser.get("/owner/api/tree").json()["kept"] is not None)
    tree: dict[str, Any] = browser.get("/owner/api/tree").json()
    return {key: value for key, value in tree.items() if key != "n_stable"}


OPENING = ("owner logged in", "settings")
"""Events of opening the study again: a login, and settings that have come since."""


def _of_the_past(events: str) -> str:
    """Return the events without those of opening the study again."""
    records = [json.loads(line) for line in events.splitlines()]
    for record in records:
        record.pop("leased_by", None)
        record.pop("leased_at", None)
    return "".join(
        json.dumps(record, ensure_ascii=False) + "\n"
        for record in records
        if record.get("kind") not in OPENING or record["id"] == 1
    )


def _as_text(content: Any) -> str:
    """Return JSON with a line for each entry of the first level."""
    entries = content.items() if isinstance(content, dict) else enumerate(content)
    return "".join(f"{key}: {json.dumps(one, ensure_ascii=False)}\n" for key, one in entries)
