"""Study files, folders and tables of stimuli, and what is said when they are wrong."""

from __future__ import annotations

import csv
import tracemalloc
from pathlib import Path

import pytest
import yaml
from PIL import Image

from ordlink.collect.exports import export_study
from ordlink.collect.stimuli import (
    Media,
    check_readable,
    encode_picture,
    stimuli_of_folder,
    stimulus_keys,
)
from ordlink.collect.study import demo_study, load_study
from ordlink.errors import InputError

LIST = "stimuli: [cat, dog, bee, ant]\n"


def save(folder: Path, text: str, name: str = "study.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def pictures(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        Image.new("RGB", (40, 30), "red").save(folder / name)
    return folder


def test_a_folder_is_a_study_in_natural_order(tmp_path: Path) -> None:
    folder = pictures(tmp_path / "cars", "car 10.png", "car 2.jpg", "car 1.png")
    (folder / "notes.md").write_text("no stimulus")

    study = load_study(folder)

    assert study.names == ("car 1", "car 2", "car 10")
    assert study.name == "cars"
    assert {one.kind for one in study.stimuli} == {"picture"}


def test_a_text_among_pictures_is_not_shown_without_asking(tmp_path: Path) -> None:
    folder = pictures(tmp_path / "cars", "car 1.png", "car 2.jpg", "car 3.png")
    (folder / "notes.txt").write_text("from the web")

    with pytest.raises(InputError, match=r"beside 3 pictures there is 'notes\.txt'"):
        load_study(folder)
    (folder / "notes.txt").rename(folder / "_notes.txt")
    assert load_study(folder).n_objects == 3


def test_a_csv_names_files_and_texts(tmp_path: Path) -> None:
    pictures(tmp_path, "a.png")
    path = save(tmp_path, "name,file,text\nred,a.png,\nA,,some text\nB,,more\n", "s.csv")

    study = load_study(path)

    assert [(one.name, one.kind, one.text) for one in study.stimuli] == [
        ("A", "text", "some text"),
        ("B", "text", "more"),
        ("red", "picture", ""),
    ]


def test_a_csv_of_one_column_is_a_list_of_texts(tmp_path: Path) -> None:
    assert load_study(save(tmp_path, "cat\ndog\nbee\n", "s.csv")).names == ("bee", "cat", "dog")


def test_yaml_and_toml_say_the_same(tmp_path: Path) -> None:
    yaml = save(tmp_path, LIST + "question: quadruplet\nsampler: SL\ntexts: {agree: Ja}\n")
    toml = save(
        tmp_path,
        'stimuli = ["cat", "dog", "bee", "ant"]\nquestion = "quadruplet"\nsampler = "SL"\n'
        '[texts]\nagree = "Ja"\n',
        "study.toml",
    )

    assert load_study(yaml) == load_study(toml)
    assert load_study(yaml).text("agree") == "Ja"
    assert load_study(yaml).text("consent_title") == "Before you begin"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("question: quadrupel", r"study.yaml: question: expected .* did you mean 'quadruplet'\?"),
        ("qestion: triplet", r"unknown key 'qestion'; did you mean 'question'\?"),
        ("random_share: 2", "random_share: expected a number from 0.05 to 1, got 2"),
        ("practice: two", "practice: expected a whole number from 0 to 50, got 'two'"),
        ("practice: true", "practice: expected a whole number"),
        ("undo: 1", "undo: expected true or false, got 1"),
        ("sampler: SL", "SL compares any two pairs, expected question: quadruplet"),
        ("question: rank-2-of-8", "shows 9 stimuli at a time, there are 4"),
        ("texts: {hello: x}", "texts: hello: expected prompt, language"),
        ("completion_codes: {won: x}", "completion_codes: won: expected completed"),
        ("completion_url: 'javascript:alert(1)'", "starts with https://"),
        ("method: SL", "method: expected 4K-AL"),
        ("name: [", "cannot be read as a study file"),
        (
            "consent: {pay: 3 EUR, links: [Who?]}",
            "line 2: .*; put texts with .* in quotation marks",
        ),
        ("name: 7", "name: expected a text; put it in quotation marks, got 7"),
        (f"currency: {'x' * 11}", "currency: expected at most 10 characters, got 11"),
        ("budget: 0", "budget: expected a whole number from 1 to 1000000000, got 0"),
        ("texts: {agree: 3}", "texts: agree: expected a text; put it in quotation marks, got 3"),
        ("texts: hello", "texts: expected keys and texts, got 'hello'"),
        ("seconds: 3", "unknown key 'seconds'"),
        ("min_seconds: .nan", "min_seconds: expected a number from 0 to 60, got nan"),
    ],
)
def test_what_is_wrong_is_said_precisely(tmp_path: Path, lines: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_study(save(tmp_path, LIST + lines + "\n"))


@pytest.mark.parametrize(
    ("stimuli", "message"),
    [
        ("[cat, dog]", "at least 3 stimuli, got 2"),
        ("[cat, dog, cat]", "two stimuli are called 'cat'"),
        ("[cat, dog, 3]", "stimulus 3 is 3; expected text"),
        ("[cat, dog, ../secret.png]", "no file '../secret.png' in"),
        ("[cat, dog, /etc/hostname.txt]", "no file '/etc/hostname.txt' in"),
        ("nowhere", "expected a folder, a .csv file or a list"),
    ],
)
def test_wrong_stimuli_are_refused(tmp_path: Path, stimuli: str, message: str) -> None:
    save(tmp_path, "", "secret.png")
    inner = tmp_path / "inner"
    inner.mkdir()

    with pytest.raises(InputError, match=message):
        load_study(save(inner, f"stimuli: {stimuli}\n"))


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    pictures(tmp_path, "secret.png")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "link.png").symlink_to(tmp_path / "secret.png")

    with pytest.raises(InputError, match=r"no file 'link\.png'"):
        load_study(save(inner, "stimuli: [cat, dog, link.png]\n"))


def test_pictures_are_encoded_anew_upright_and_small(tmp_path: Path) -> None:
    picture = Image.new("RGB", (3000, 1000), "red")
    exif = picture.getexif()
    exif[0x0112] = 6  # lies on its side
    exif[0x010E] = "a secret"
    picture.save(tmp_path / "a.jpg", exif=exif)

    content, media_type = encode_picture(tmp_path / "a.jpg")

    (tmp_path / "b.jpg").write_bytes(content)
    with Image.open(tmp_path / "b.jpg") as seen:
        assert seen.size == (341, 1024)
        assert not seen.getexif()
    assert media_type == "image/jpeg"
    assert b"secret" not in content


def test_a_file_that_is_no_picture_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("<script>alert(1)</script>")

    with pytest.raises(InputError, match="cannot be read as a picture"):
        encode_picture(tmp_path / "a.png")


def test_stimuli_are_found_by_their_keys_alone(tmp_path: Path) -> None:
    study = load_study(pictures(tmp_path / "p", "a.png", "b.png", "c.png"))
    keys = stimulus_keys(b"secret", 3)
    media = Media(study.stimuli, keys)

    assert media.respond(keys[0]).media_type == "image/jpeg"
    assert len(set(keys)) == 3
    assert keys != stimulus_keys(b"another", 3)
    for wrong in ("a", "0", "../a.png", keys[0][:-1]):
        with pytest.raises(KeyError):
            media.respond(wrong)


def test_a_picture_in_a_format_that_is_not_listed_is_never_decoded(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4), "red").save(tmp_path / "a.png", "PPM")

    with pytest.raises(InputError, match="cannot be read as a picture"):
        encode_picture(tmp_path / "a.png")


def test_films_are_sent_from_the_disk_and_never_held_in_memory(tmp_path: Path) -> None:
    for name in "abc":
        with (tmp_path / f"{name}.mp4").open("wb") as file:
            file.truncate(100_000_000)
    keys = stimulus_keys(b"secret", 3)
    tracemalloc.start()

    film = Media(stimuli_of_folder(tmp_path), keys).respond(keys[0])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert film.media_type == "video/mp4"
    assert film.headers["content-length"] == "100000000"
    assert peak < 2_000_000


def test_the_downloaded_study_file_starts_the_same_study(tmp_path: Path) -> None:
    folder = tmp_path / "things"
    pictures(folder, "a.png")
    pictures(folder / "more", "b.png")
    (folder / "poem.txt").write_text("one\ntwo: three\n")
    table = "name,file,text\nred,a.png,\nblue,more/b.png,\npoem,poem.txt,\ncat.png,,cat.png\n7,,7\n"
    study = load_study(save(folder, table, "stimuli.csv"))
    study = study.model_copy(update={"participant_ids": ["007", "anna"], "signed_links": True})

    again = load_study(save(folder, export_study(study), "study.yaml"))

    assert again == study
    assert [one.digest for one in again.stimuli] == [one.digest for one in study.stimuli]
    assert again.names == ("7", "blue", "cat.png", "poem", "red")


def test_the_downloaded_study_file_of_texts_is_a_plain_list(tmp_path: Path) -> None:
    study = load_study(save(tmp_path, LIST + "question: quadruplet\nbudget: 5\n"))

    exported = export_study(study)

    assert yaml.safe_load(exported)["stimuli"] == ["ant", "bee", "cat", "dog"]
    assert load_study(save(tmp_path, exported, "again.yaml")) == study


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{name: x}", "stimulus 3: expected text under the keys name and file, or name and text"),
        ("{name: x, text: y, file: z}", "expected text under the keys name and file"),
        ("{name: x, text: 3}", "expected text under the keys"),
        ("{name: x, file: ../secret.png}", "stimulus 3: there is no file"),
        ("{name: x, file: study.yaml}", "has no known extension"),
        ("{name: '', text: y}", "has no printable name"),
    ],
)
def test_wrong_entries_of_a_list_are_refused(tmp_path: Path, entry: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_study(save(tmp_path, f"stimuli: [cat, dog, {entry}]\n"))


@pytest.mark.parametrize(
    "content", ['name: "a\\e[2J"\nstimuli: [x, y, z]', 'stimuli: ["a\\e[2J", y, z]']
)
def test_control_characters_of_names_never_reach_a_terminal(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError, match="printable") as caught:
        load_study(save(tmp_path, content))

    assert str(caught.value).isprintable()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_tables_of_spreadsheets_are_read_whatever_separates_the_cells(
    tmp_path: Path, separator: str
) -> None:
    rows = [("name", "text"), ("a", "Anger"), ("b", "Joy"), ("c", "Fear; or not")]
    table = tmp_path / "stimuli.csv"
    with table.open("w", newline="") as file:
        csv.writer(file, delimiter=separator).writerows(rows)

    stimuli = load_study(table).stimuli

    assert [(one.name, one.text) for one in stimuli] == rows[1:]


def test_pictures_that_cannot_be_read_are_named_in_one_line(tmp_path: Path) -> None:
    folder = pictures(tmp_path / "p", *(f"{number}.png" for number in range(10)))
    check_readable(load_study(folder).stimuli)
    check_readable(demo_study().stimuli)
    Image.effect_noise((300, 300), 50).convert("RGB").save(folder / "0.jpg")
    (folder / "0.png").unlink()
    (folder / "0.jpg").write_bytes((folder / "0.jpg").read_bytes()[:5000])
    for number in range(1, 8):
        (folder / f"{number}.png").write_text("no picture")

    with pytest.raises(InputError) as refused:
        check_readable(load_study(folder).stimuli)

    line = str(refused.value)
    assert line.startswith("8 of 10 pictures cannot be read")
    assert ": '0', '1', '2', '3', '4' and 3 more;" in line
    assert "\n" not in line
