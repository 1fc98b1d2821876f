"""Real answers: what their authors say about them holds for what is loaded."""

from __future__ import annotations

import dataclasses
import gzip
import io
import struct
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
import requests

from ordlink import datasets
from ordlink.comparisons import pair_members
from ordlink.datasets import CATALOGUE, _source_table, _sources, _tables
from ordlink.datasets._rda import read_data_frame
from ordlink.errors import InputError, MissingDataError


def _share_same_class(data, *, more_similar: bool) -> float:
    columns = [0, 1] if more_similar else [2, 3]
    i, j = data.comparisons.quadruplets[:, columns].T
    return float(np.mean(data.classes[i] == data.classes[j]))


@pytest.mark.parametrize(
    ("answers", "n_answers"),
    [("T_ALL_REDUCED", 6056), ("T_ALL", 6757), ("ALL_REDUCED", 6338), ("ALL", 7097)],
)
def test_car_has_the_published_numbers_of_answers(answers, n_answers, data_folder):
    car = datasets.fetch_car(answers, data_home=data_folder)

    assert car.comparisons.n_answers == n_answers
    assert car.comparisons.n_comparisons == 2 * n_answers
    assert car.names == car.comparisons.names == tuple(map(str, range(1, 61)))


def test_car_is_the_set_of_the_paper_by_default_with_classes_and_pictures(data_folder):
    car = datasets.fetch_car(data_home=data_folder)

    assert car.comparisons.n_comparisons == 12_112
    assert np.bincount(car.classes).tolist() == [24, 15, 17, 4]
    assert car.class_names[car.classes[14]] == "sports"
    assert [path.name for path in car.pictures] == [f"{n}.jpg" for n in range(1, 61)]
    assert _share_same_class(car, more_similar=True) == pytest.approx(0.373, abs=5e-4)
    assert _share_same_class(car, more_similar=False) == pytest.approx(0.136, abs=5e-4)
    assert "Kleindessner" in car.citation
    assert car.terms
    assert car.description


def test_the_car_survey_says_the_same_as_all_answers_and_more(data_folder):
    every = datasets.fetch_car("ALL", data_home=data_folder)

    survey = datasets.fetch_car("survey", data_home=data_folder)

    np.testing.assert_array_equal(survey.comparisons.quadruplets, every.comparisons.quadruplets)
    details, columns = survey.comparisons.details, survey.answer_columns
    assert set(columns) == {"left", "middle", "right", "survey_round"}
    assert len(columns["left"]) == 7097
    assert len(set(details.annotators.tolist())) == 146
    # The first answer: round 1, car 32 chosen of 32, 16, 30 after 11.108 seconds.
    assert details.annotators[0] == "1"
    assert details.response_times[0] == 11.108
    assert [int(columns[side][0]) for side in ("left", "middle", "right")] == [31, 15, 29]
    assert survey.comparisons.quadruplets[:2].tolist() == [[15, 31, 15, 29], [29, 31, 15, 29]]


def test_faces_have_their_answers_without_attention_checks(data_folder):
    faces = datasets.fetch_faces(data_home=data_folder)

    assert faces.comparisons.n_comparisons == 37_234
    assert faces.n_objects == 36
    assert faces.class_names == ("A", "F", "HO")
    assert np.bincount(faces.classes).tolist() == [12, 12, 12]
    assert len(set(faces.comparisons.details.annotators.tolist())) == 39
    assert _share_same_class(faces, more_similar=True) == pytest.approx(0.44, abs=5e-3)
    assert _share_same_class(faces, more_similar=False) == pytest.approx(0.20, abs=5e-3)
    # The first row of the source: 15 is like 6, not 0; 6 was on the right.
    assert faces.comparisons.quadruplets[0].tolist() == [6, 15, 0, 15]
    low, high = pair_members(faces.comparisons.winners, 36)
    left = faces.answer_columns["left"]
    chose_left = (low == left) | (high == left)
    assert np.array_equal(faces.comparisons.details.chose_first, chose_left.astype(float))
    assert faces.names[15] == "CFD-BM-038-007-HO"
    assert faces.comparisons.details.response_times[0] == 8728


@pytest.mark.parametrize(("classes", "n_classes"), [("person", 12), ("group", 4)])
def test_faces_have_other_classes_too(classes, n_classes, data_folder):
    faces = datasets.fetch_faces(classes, data_home=data_folder)

    assert np.bincount(faces.classes).tolist() == [36 // n_classes] * n_classes


@pytest.mark.parametrize("task", ["matching", "discrimination"])
@pytest.mark.parametrize(
    "palette", ["color", "shape", "size", "shapecolor", "shapesize", "sizecolor"]
)
def test_perceptual_kernels_ask_every_person_about_every_three(palette, task, data_folder):
    data = datasets.fetch_perceptual_kernels(palette, task, data_home=data_folder)

    n_objects, n_each = (10, 120) if palette in ("color", "shape", "size") else (16, 560)
    assert data.n_objects == n_objects
    assert data.comparisons.n_answers == 20 * n_each
    people, counts = np.unique(data.comparisons.details.annotators, return_counts=True)
    assert set(people) == {str(person) for person in range(1, 21)}
    assert set(counts.tolist()) == {n_each * (2 if task == "discrimination" else 1)}


@pytest.mark.parametrize(
    ("task", "file", "at_least"), [("discrimination", "td", 0.95), ("matching", "tm", 0.75)]
)
def test_perceptual_kernels_agree_with_the_published_distances(task, file, at_least, data_folder):
    distances = np.loadtxt(
        data_folder / "perceptual_kernels" / "kernels" / f"shape-{file}.txt", delimiter=","
    )

    data = datasets.fetch_perceptual_kernels("shape", task, data_home=data_folder)

    i, j, k, l = data.comparisons.quadruplets.T  # noqa: E741 - the paper's letters
    assert np.mean(distances[i, j] < distances[k, l]) > at_least


@pytest.mark.parametrize(
    ("experiment", "n_objects", "n_answers"),
    [
        ("AutumnLab", 10, 210),
        ("Transparency", 10, 2520),
        ("kk1", 11, 330),
        ("kk2", 11, 330),
        ("kk3", 11, 330),
        ("kktriad", 11, 165),
    ],
)
def test_mlds_has_the_published_numbers_and_a_line_behind_them(
    experiment, n_objects, n_answers, data_folder
):
    data = datasets.fetch_mlds(experiment, data_home=data_folder)

    assert data.n_objects == n_objects
    assert data.comparisons.n_comparisons == n_answers
    scale = [float(name) for name in data.names]
    assert scale == sorted(scale)
    i, j, k, l = data.comparisons.quadruplets.T  # noqa: E741 - the paper's letters
    short, long = np.abs(i - j), np.abs(k - l)
    assert np.mean((short < long)[short != long]) > 0.6
    if experiment == "Transparency":
        people, counts = np.unique(data.comparisons.details.annotators, return_counts=True)
        assert people.tolist() == [f"O{number}" for number in range(1, 7)]
        assert set(counts.tolist()) == {420}


def _r_number(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}i", *numbers)


def _r_text(text: str) -> bytes:
    return _r_number(9, len(text)) + text.encode()


def _r_texts(*texts: str) -> bytes:
    return _r_number(16, len(texts)) + b"".join(map(_r_text, texts))


def _r_entry(name: bytes, value: bytes) -> bytes:
    return _r_number(0x402) + name + value


def test_a_data_frame_of_r_is_read_with_factors_as_words(tmp_path):
    names, levels = (_r_number(1) + _r_text(word) for word in ("names", "levels"))
    nothing = _r_number(254)
    whole = _r_number(13, 3, 7, 8, -9)
    real = _r_number(14, 3) + struct.pack(">3d", 0.5, 1e9, -2)
    factor = _r_number(0x20D, 3, 2, 3, 1) + _r_entry(levels, _r_texts("a", "b", "c")) + nothing
    column_names = _r_entry(names, _r_texts("whole", "real", "word"))
    again = _r_entry(_r_number(0x2FF), _r_texts("kept"))  # the second symbol of the file: levels
    frame = _r_number(0x213, 3) + whole + real + factor + column_names + again + nothing
    everything = _r_entry(_r_number(1) + _r_text("frame"), frame) + nothing
    path = tmp_path / "frame.rda"
    path.write_bytes(gzip.compress(b"RDX2\nX\n" + _r_number(2, 0, 0) + everything))

    columns, attributes = read_data_frame(path)

    assert columns["whole"].tolist() == [7, 8, -9]
    assert columns["real"].tolist() == [0.5, 1e9, -2]
    assert columns["word"].tolist() == ["b", "c", "a"]
    assert attributes == {"names": ["whole", "real", "word"], "levels": ["kept"]}


def test_what_r_did_not_save_is_refused(tmp_path):
    path = tmp_path / "other.rda"
    path.write_bytes(gzip.compress(b"something else"))

    with pytest.raises(InputError, match="not a file that R saved"):
        read_data_frame(path)


def _put(folder: Path, path: str, content: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(content)


@pytest.fixture
def made_up(tmp_path, monkeypatch) -> Path:
    """Return a folder in which every file counts as published."""
    monkeypatch.setattr(_sources, "_checksums", dict)
    return tmp_path


def test_the_third_of_things_is_the_odd_one(made_up):
    _put(made_up, "things/data1854_batch5_test10.txt", "0 1 2\n3 2 0\n")
    header = "Word\tWordnet ID\tc\td\te\tuniqueID\n"
    rows = "".join(f"bat\tx\tx\tx\tx\tbat{n}\n" for n in range(1, 5))
    _put(made_up, "things/items1854names.tsv", header + rows)

    things = datasets.fetch_things(data_home=made_up)

    assert things.names == ("bat1", "bat2", "bat3", "bat4")
    assert things.comparisons.quadruplets.tolist() == [
        [0, 1, 0, 2],
        [0, 1, 1, 2],
        [2, 3, 0, 3],
        [2, 3, 0, 2],
    ]


def test_musicseer_leaves_out_headings_and_lines_without_three_artists(made_up):
    _put(
        made_up,
        "musicseer/musicseer-results-2002-04-29.txt",
        "judgement survey user target chosen other\n"
        "1 S u1 70 20 50\n1 S u1 70 20 20\n2 G u2 50 70 \n2 G u2 50 70\n3 G u2 20 50 70\n"
        "(5 rows)\n",
    )

    music = datasets.fetch_musicseer(data_home=made_up)

    assert music.names == ("20", "50", "70")
    assert music.comparisons.quadruplets.tolist() == [[0, 2, 1, 2], [0, 1, 0, 2]]
    assert music.comparisons.details.annotators.tolist() == ["u1", "u2"]
    assert music.answer_columns["kind"].tolist() == ["S", "G"]
    assert music.answer_columns["judgement"].tolist() == ["1", "3"]


def test_crowdtsc_turns_the_answer_by_eval(made_up):
    _put(
        made_up, "crowdtsc/food/food_category_list.csv", "index,category\n0,soup\n1,bread\n2,soup\n"
    )
    _put(made_up, "crowdtsc/food/food_tsclabels.csv", "A,B,C,eval,worker\n0,2,1,1,w1\n0,1,2,0,w2\n")

    food = datasets.fetch_crowdtsc("food", data_home=made_up)

    assert food.names == ("soup 0", "bread 1", "soup 2")
    assert food.comparisons.quadruplets.tolist() == [[0, 2, 0, 1], [0, 2, 0, 1]]
    assert food.comparisons.details.annotators.tolist() == ["w1", "w2"]
    assert [food.class_names[label] for label in food.classes] == ["soup", "bread", "soup"]


@pytest.fixture
def posts(made_up) -> Path:
    """Return a folder with 30 posts of three groups, and others that are no training posts."""
    (made_up / "20news").mkdir()
    rng = np.random.default_rng(0)
    with tarfile.open(made_up / "20news" / "20news-bydate.tar.gz", "w:gz") as archive:
        for group, subject in (("sci.space", "rocket"), ("rec.autos", "wheel"), ("alt.x", "chess")):
            for number in range(91, 101):
                words = rng.choice([subject, subject + "s", "people", "time", "caf\xe9"], 12)
                for part in ("train", "test"):
                    content = " ".join(words).encode("latin-1")
                    shown = number if part == "train" else number + 500
                    member = tarfile.TarInfo(f"20news-bydate-{part}/{group}/{shown}")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
    return made_up


def test_20news_samples_training_posts_in_the_order_of_their_numbers(posts):
    every = datasets.fetch_20news(30, n_features=3, data_home=posts)
    some = datasets.fetch_20news(7, n_features=3, seed=1, data_home=posts)

    assert every.names[0] == "alt.x/91"
    assert every.names[9:11] == ("alt.x/100", "rec.autos/91")
    assert every.class_names == ("alt.x", "rec.autos", "sci.space")
    assert np.bincount(every.classes).tolist() == [10, 10, 10]
    assert every.features.shape == (30, 3)
    np.testing.assert_allclose(every.features.mean(axis=0), 0, atol=1e-12)
    rows = [every.names.index(name) for name in some.names]
    assert rows == sorted(rows)
    np.testing.assert_array_equal(some.features, every.features[rows])
    assert some.names == datasets.fetch_20news(7, n_features=3, seed=1, data_home=posts).names
    assert some.names != datasets.fetch_20news(7, n_features=3, seed=2, data_home=posts).names


def test_20news_components_are_those_of_the_centred_word_table(posts):
    from sklearn.feature_extraction.text import CountVectorizer

    table = datasets.fetch_20news(30, n_features=4, weighting="counts", data_home=posts)

    texts = _tables._read_posts(posts / "20news" / "20news-bydate.tar.gz")
    words = CountVectorizer(min_df=2, stop_words="english")
    counts = words.fit_transform([texts[name] for name in table.names]).toarray()
    centred = counts - counts.mean(axis=0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    expected = left[:, :4] * values[:4]
    np.testing.assert_allclose(np.abs(table.features), np.abs(expected), atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_objects": 31}, "n_objects: expected at most 30 posts, got 31"),
        ({"n_objects": 1}, "n_objects: expected a whole number of at least 2"),
        ({"n_features": 30}, "n_features: expected fewer than"),
        ({"weighting": "words"}, "weighting: expected 'tfidf' or 'counts', got 'words'"),
    ],
)
def test_20news_refuses_what_it_cannot_do(parameters, words, posts):
    with pytest.raises(InputError, match=words):
        datasets.fetch_20news(**{"n_objects": 10, "n_features": 3, **parameters}, data_home=posts)


def test_20news_has_all_training_posts(data_folder):
    texts = _tables._read_posts(data_folder / "20news" / "20news-bydate-train.tar.xz")

    assert len(texts) == 11_314
    assert len({name.partition("/")[0] for name in texts}) == 20


@pytest.mark.parametrize(
    ("fetch", "argument", "words"),
    [
        (datasets.fetch_car, "SOME", "answers: expected 'T_ALL_REDUCED', .*got 'SOME'"),
        (datasets.fetch_faces, "age", "classes: expected 'expression', "),
        (datasets.fetch_perceptual_kernels, "sound", "palette: expected 'shape', "),
        (datasets.fetch_mlds, "kk4", "experiment: expected 'Transp"),
        (datasets.fetch_crowdtsc, "cars", "subject: expected 'food' or 'scene', got 'cars'"),
    ],
)
def test_a_part_that_does_not_exist_is_refused_with_those_that_do(fetch, argument, words, tmp_path):
    with pytest.raises(InputError, match=words):
        fetch(argument, data_home=tmp_path)


def test_an_unknown_task_is_refused(tmp_path):
    with pytest.raises(InputError, match="task: expected 'matching' or 'discrimination'"):
        datasets.fetch_perceptual_kernels("shape", "naming", data_home=tmp_path)


@pytest.fixture
def offline(monkeypatch):
    """Let every download fail as it does without network."""

    def refuse(*_, **__):
        raise requests.ConnectionError

    monkeypatch.setattr("requests.get", refuse)


@pytest.mark.parametrize("name", CATALOGUE)
def test_without_network_and_folder_everything_says_where_to_get_it(name, tmp_path, offline):
    fetched = CATALOGUE[name]

    for fetch in fetched.parts.values():
        with pytest.raises(MissingDataError) as caught:
            fetch(data_home=tmp_path)
        assert fetched.source.page in str(caught.value)
        assert str(tmp_path / name) in str(caught.value)


def test_car_is_downloaded_with_its_pictures_from_one_archive(
    data_folder, site, tmp_path, monkeypatch
):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file in _source_table.CAR.files:
            archive.write(data_folder / file.path, file.member)
    site.pages["/cars.zip"] = buffer.getvalue()
    files = tuple(
        dataclasses.replace(file, url=f"{site.address}/cars.zip")
        for file in _source_table.CAR.files
    )
    monkeypatch.setattr(_source_table, "CAR", dataclasses.replace(_source_table.CAR, files=files))

    car = datasets.fetch_car(data_home=tmp_path)

    assert car.comparisons == datasets.fetch_car(data_home=data_folder).comparisons
    assert all(path.is_file() for path in car.pictures)
    assert datasets.fetch_car("survey", data_home=tmp_path).comparisons.n_answers == 7097
    assert site.requests == ["/cars.zip"]


def test_car_without_pictures_is_still_car(data_folder, tmp_path):
    path = "car/ordinal_data_preprocessed/T_ALL_REDUCED.csv"
    _put(tmp_path, path, (data_folder / path).read_text())

    assert datasets.fetch_car(data_home=tmp_path).pictures is None


def test_answer_sets_cannot_be_changed(data_folder):
    survey = datasets.fetch_car("survey", data_home=data_folder)

    with pytest.raises(ValueError, match="read-only"):
        survey.classes[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        survey.answer_columns["left"][0] = 1
    with pytest.raises(TypeError):
        survey.answer_columns["left"] = None


def test_every_fetched_set_is_cited_and_has_terms_and_public_addresses():
    for name, fetched in CATALOGUE.items():
        source = fetched.source
        assert source.name == name
        assert source.citation
        assert source.terms
        assert source.description.endswith(".")
        for file in source.files:
            assert file.path.startswith(f"{name}/")
            assert file.url.startswith(("https://", "http://"))
