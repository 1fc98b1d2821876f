"""Study files and folders that somebody else made, stimuli that vanish, answers of programs."""

from __future__ import annotations

import asyncio
import http.client
import logging
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from PIL import Image

from ordlink.collect import results, running
from ordlink.collect.schema import answer, participant, serving
from ordlink.collect.stimuli import Media, stimuli_of_folder
from ordlink.collect.study import Study, load_study, make_study
from ordlink.errors import InputError
from tests.collect.conftest import Place, post, serve, serve_on_loopback, text_study
from tests.waiting import wait_until

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefghij", "bcdefghijk", strict=True)
)
MERGES = "a: &a {x: 1}\n" + "".join(
    f"b{n}: &b{n} {{<<: [{', '.join([f'*b{n - 1}' if n else '*a'] * 9)}]}}\n" for n in range(12)
)


@pytest.mark.parametrize(
    "content",
    [
        BOMB, MERGES, "seed: " + ":".join(["1"] * 4000), "seed: 1:30", "min_seconds: 1:30.5",
        "seed: 0x" + "f" * 9000, "texts: " + "[" * 900 + "]" * 900, "name: \"\\e[31mred\\a\"",
        "a: &x [*x]", "stimuli: [0x" + "f" * 9000 + ", b, c]",
    ],
)  # fmt: skip
def test_a_study_file_that_is_a_trap_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    file = tmp_path / "study.yaml"
    if not content.startswith("stimuli"):
        content += "\nstimuli: [a, b, c]\n"
    file.write_text(content)
    begun = time.thread_time()

    with pytest.raises(InputError) as caught:
        load_study(file)

    assert str(caught.value).isprintable() and len(str(caught.value)) < 1000
    assert time.thread_time() - begun < 2  # of CPU time


def test_a_study_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("ordlink.collect.study_files.LARGEST_FILE", 50)
    file = tmp_path / "study.yaml"
    file.write_text("stimuli: [a, b, c]\n" + "#" * 50)

    with pytest.raises(InputError, match="more than 50 bytes"):
        load_study(file)


def test_a_toml_file_with_a_number_too_large_to_print_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text("stimuli = ['a', 'b', 0x" + "f" * 9000 + "]")

    with pytest.raises(InputError, match="stimulus 3"):
        load_study(file)


def picture_study(folder: Path, n_pictures: int = 5, **settings: Any) -> Study:
    for number in range(n_pictures):
        shade = (40 * number, 255 - 40 * number, 128)
        Image.new("RGB", (64, 48), shade).save(folder / f"house {number}.png")
    plain = {"practice": 0, "catch_trials": 0, "repeat_share": 0.0, "break_every": 0}
    return make_study({**plain, **settings}, stimuli_of_folder(folder))


def test_a_link_out_of_a_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "films"
    folder.mkdir()
    (tmp_path / "secret").write_text("root:x")
    for name in "ab":
        (folder / f"{name}.mp4").write_bytes(b"film")
    (folder / "c.mp4").symlink_to(tmp_path / "secret")

    with pytest.raises(InputError, match=r"c\.mp4"):
        stimuli_of_folder(folder)


def test_a_link_that_is_put_in_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "films"
    folder.mkdir()
    (tmp_path / "secret").write_text("root:x")
    for name in "abc":
        (folder / f"{name}.mp4").write_bytes(b"film")
    study = make_study({}, stimuli_of_folder(folder))
    with serve(study, tmp_path / "study.db") as place:
        (folder / "a.mp4").unlink()
        (folder / "a.mp4").symlink_to(tmp_path / "secret")

        assert place.browser.get(f"/stimuli/{place.running.keys[0]}").status_code == 404


def test_a_picture_that_vanishes_pauses_the_study_and_answers_without_it_do_not_count(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    study = picture_study(folder, 3)  # every question shows all of them
    with serve(study, tmp_path / "study.db") as place:
        state = place.answer(place.join(), [0])
        assert place.browser.get(f"/stimuli/{place.running.keys[1]}").status_code == 200
        (folder / "house 1.png").rename(tmp_path / "away.png")
        assert place.browser.get(f"/stimuli/{place.running.keys[1]}").status_code == 404

        late = place.answer(state, [0])
        place.log_in()
        page = place.browser.get("/owner").text
        with place.running.engine.connect() as connection:
            n_stored = len(connection.execute(sa.select(answer)).all())

        assert (late["stored"], late["open"], n_stored) == (False, False, 1)
        assert "Cannot be read and shown: house 1" in page
        (tmp_path / "away.png").rename(folder / "house 1.png")
        place.running.media.look_again()
        assert not place.running.media.missing


@pytest.mark.parametrize(
    "damage",
    [lambda file: file.write_bytes(b"0" * 100), lambda file: file.write_bytes(b""), Path.mkdir],
    ids=["cut", "empty", "a folder"],
)
@pytest.mark.parametrize("extension", ["png", "mp4"])
def test_a_file_that_is_there_but_cannot_be_read_stays_noticed_until_it_can(
    tmp_path: Path, monkeypatch, damage: Callable[[Path], Any], extension: str
) -> None:
    monkeypatch.setattr(running, "UPKEEP_SECONDS", 0.01)
    folder = tmp_path / "stimuli"
    folder.mkdir()
    picture_study(folder, 3)
    for file in folder.glob("*.png"):
        file.rename(file.with_suffix(f".{extension}"))
    study = make_study({"practice": 0}, stimuli_of_folder(folder))
    with serve(study, tmp_path / "study.db") as place:
        state, media = place.join(), place.running.media
        file = folder / f"house 1.{extension}"
        file.rename(tmp_path / "away")
        damage(file)
        url = f"/stimuli/{place.running.keys[1]}"
        assert place.browser.get(url).status_code == 404

        for _ in range(3):  # it cannot be resumed either
            asyncio.run(place.running.set_state("open"))
            wait_until(lambda: not place.running.is_open)
        assert list(media.missing) == ["house 1"]
        assert not place.answer(state, [0])["stored"]
        file.rmdir() if file.is_dir() else file.unlink()
        (tmp_path / "away").rename(file)
        wait_until(lambda: not media.missing)
        assert place.browser.get(url).status_code == 200


def test_a_damaged_picture_stays_noticed_though_some_have_seen_it_before(tmp_path: Path) -> None:
    study = picture_study(tmp_path, 3)
    media = Media(study.stimuli, "abc", "def")
    media.respond("a")
    file = tmp_path / "house 0.png"
    file.write_bytes(b"0" * file.stat().st_size)

    with pytest.raises(InputError):
        media.respond("d")
    media.respond("a")
    media.look_again()

    assert list(media.missing) == ["house 0"]


def test_a_film_that_is_cut_while_it_is_sent_ends_without_a_traceback(
    tmp_path: Path, caplog
) -> None:
    folder = tmp_path / "films"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.mp4").write_bytes(b"0" * 300_000)
    study = make_study({}, stimuli_of_folder(folder))
    with serve_on_loopback(study, tmp_path / "study.db") as (site, url):
        media = site.running.media
        respond = media.respond

        def cut(key: str) -> Any:
            found = respond(key)
            (folder / "a.mp4").write_bytes(b"0" * 70_000)
            return found

        media.respond = cut  # type: ignore[method-assign]
        with (
            urllib.request.urlopen(f"{url}/stimuli/{site.running.keys[0]}") as reply,
            pytest.raises(http.client.IncompleteRead),
        ):
            reply.read()

    said = [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
    assert said == ["a reply was cut short (RuntimeError)"]


def test_addresses_do_not_give_catch_trials_away(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    study = picture_study(folder, catch_trials=20, questions_per_person=40)
    with serve(study, tmp_path / "study.db") as place:
        state = place.join()
        seen: dict[str, bytes] = {}
        n_catches = 0
        while state["phase"] != "done":
            urls = [one["url"] for one in state["stimuli"]]
            again = place.browser.get("/api/state").json()
            assert [one["url"] for one in again["stimuli"]] == urls  # the same after a reload
            assert len(set(urls)) == 3
            for url in urls:
                seen.setdefault(url, place.browser.get(url).content)
            assert len({seen[url] for url in urls}) == 3  # not by their bytes either
            state = place.answer(state, [0])
        with place.running.engine.connect() as connection:
            roles = list(connection.scalars(sa.select(serving.c.role)))
        n_catches = roles.count("catch")

    assert n_catches > 5
    assert len(seen) == 10  # two addresses for each picture, so browsers can keep them


def test_a_program_that_answers_at_once_is_flagged_whatever_it_says(
    open_place: Callable[..., Any],
) -> None:
    with open_place(text_study(questions_per_person=69)) as place:
        state = place.join()
        while state["phase"] != "done":
            state = place.answer(state, [0], seconds=2.5)
        with place.running.engine.begin() as connection:  # however slow this machine is
            connection.execute(answer.update().values(received_at=0.01))
            connection.execute(serving.update().values(served_at=0.0))
        flags = quality_of(place).flags

    assert any(flag.startswith("69 of 69 answers in under 0.4 s") for flag in flags)
    assert any("longer than the time that passed" in flag for flag in flags)


def answer_after(place: Place, passed: float, seconds: list[float]) -> None:
    """Answer questions that were shown so long ago, with what the browser says it took."""
    state = place.join()
    for said in seconds:
        with place.running.engine.begin() as connection:
            open_now = serving.update().where(serving.c.status == "open")
            connection.execute(open_now.values(served_at=serving.c.served_at - passed))
        state = place.answer(state, [0], seconds=said)


@pytest.mark.parametrize(
    ("passed", "seconds"),
    [
        (2, [1.8] * 6),
        (2, [1.8] * 2 + [60]),  # a browser's clock that was set once
        (2, [1.8] * 2 + [0.1]),
        (30, [32] * 6),  # or that is fast
    ],
)
def test_neither_a_person_who_takes_their_time_nor_one_odd_answer_is_flagged(
    place: Place, passed: float, seconds: list[float]
) -> None:
    answer_after(place, passed, seconds)

    assert quality_of(place).flags == ()


@pytest.mark.parametrize("seconds", [[60.0] * 2 + [1.8] * 4, [0.1] * 2 + [1.8] * 4])
def test_several_odd_answers_are_flagged(place: Place, seconds: list[float]) -> None:
    answer_after(place, 2, seconds)

    assert len(quality_of(place).flags) == 1


def quality_of(place: Place) -> SimpleNamespace:
    with place.running.engine.connect() as connection:
        (found,) = results.judge(connection, place.site, results.participants_after(0))
    return SimpleNamespace(**found)


@pytest.mark.parametrize("who", ["person", "owner"])
def test_after_a_withdrawal_no_file_names_the_person(tmp_path: Path, who: str) -> None:
    secret_id = "a-name-nobody-else-has"
    with serve(text_study(questions_per_person=300), tmp_path / "study.db") as place:
        others = [place.another_browser() for _ in range(3)]
        states = [place.join(one, f"?participant=other{n}") for n, one in enumerate(others)]
        state = place.join(search=f"?participant={secret_id}")
        token = place.running.engine.connect().scalar(
            sa.select(participant.c.token_hash).where(participant.c.external_id == secret_id)
        )
        for _ in range(30):
            state = place.answer(state, [0])
            states = [place.answer(s, [1], one) for s, one in zip(states, others, strict=True)]
        files = [file for file in tmp_path.iterdir() if file.name.startswith("study")]
        assert any(secret_id.encode() in file.read_bytes() for file in files)

        if who == "person":
            post(place.browser, "/api/withdraw", confirm=True)
        else:
            csrf = place.log_in()
            place.browser.post("/owner/participants/4/withdraw", data={"csrf": csrf})
        names = [secret_id.encode(), str(token).encode()]
        wait_until(lambda: not any(name in file.read_bytes() for file in files for name in names))

        with place.running.engine.connect() as connection:
            row = connection.execute(
                sa.select(participant).where(participant.c.outcome == "withdrawn")
            ).one()
    assert (row.last_number, row.excluded_for, row.created_at, row.source) == (0, "", 0, "link")


@pytest.mark.parametrize("reason", ["somebody reads it", "somebody withdraws meanwhile"])
def test_a_log_that_was_not_emptied_is_emptied_later(
    open_place: Callable[..., Any], monkeypatch, reason: str
) -> None:
    modes: list[str] = []
    places: list[Place] = []

    def fail_twice(_engine: sa.Engine, mode: str) -> bool:
        modes.append(mode)
        if places and "TRUNCATE" not in modes:  # somebody withdraws
            places[0].running.wants_truncation = True
        if mode == "PASSIVE" or modes.count("TRUNCATE") == 3:
            return True
        if reason == "somebody reads it":
            return False
        places[0].running.wants_truncation = True  # after this one has looked
        return True

    monkeypatch.setattr(running, "checkpoint", fail_twice)
    monkeypatch.setattr(running, "UPKEEP_SECONDS", 0.01)
    with open_place(text_study()) as place:
        places.append(place)
        wait_until(lambda: "TRUNCATE" in modes and modes[-1] == "PASSIVE")

    assert modes.count("TRUNCATE") == 3
