"""Trial logs: roles from names and content, what is refused, what is left out."""

from __future__ import annotations

import io
import json
import random

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from tests.io import make_samples as make

HEADER = "participant,trial,item1,item2,item3,response,rt"


def read(text: str, **options):
    return ol.read_answers(io.BytesIO(text.encode()), **options)


def odd_rows(said=make.by_name) -> list[list[object]]:
    return make.odd(HEADER, 1, said)


def test_a_file_that_can_be_read_in_two_ways_is_refused_with_both():
    with pytest.raises(InputError) as caught:
        read(make.text(odd_rows()))

    message = str(caught.value)
    assert "2 ways" in message
    assert "S01 chose" in message or "chose" in message
    for words in ("as the odd one out", "as the most central", "form=odd-one-out"):
        assert words in message


def test_the_first_row_is_told_in_words():
    told: list[str] = []
    text = "vp,reiz1,reiz2,reiz3,antwort\nS01,Löwe,Tiger,Lachs,Lachs\nS01,Löwe,Wal,Lachs,Löwe\n"

    read(text + "S02,Wal,Tiger,Lachs,Tiger\n", form="odd-one-out", tell=told.append)

    assert told == ["Row 1 read as: of Löwe, Tiger, Lachs, S01 chose Lachs as the odd one out."]


def test_columns_that_ignore_a_response_are_refused():
    for options in (
        {"columns": ["item1", "item2", "item3"], "form": "triplet"},
        {"columns": "item1,item2,item3", "form": "odd-one-out"},
    ):
        with pytest.raises(InputError, match="'response', which is not among the chosen columns"):
            read(make.text(odd_rows()), **options)


def test_a_response_that_is_not_understood_is_refused():
    text = make.text(odd_rows(lambda _, k: ("red", "green", "blue")[k]))

    words = r"line 2: the response '(red|green|blue)' in 'response' is none of the items .*'item1'"
    with pytest.raises(InputError, match=words):
        read(text, form="odd-one-out")


def test_one_key_alone_is_no_scale_of_keys():
    text = make.text(odd_rows(lambda *_: "d"))  # the third of a, s, d? the second of g, d?

    with pytest.raises(InputError, match="the response 'd' in 'response' is none of the items"):
        read(text, form="odd-one-out")


def pair_rows(rng: random.Random, *, apart: bool) -> list[list[str]]:
    """Return two pairs, of four different objects or not, of which the first is more alike."""
    names = [f"{group}{number}" for group in "abc" for number in range(4)]
    rows = []
    while len(rows) < 60:
        one, two, three, four = rng.sample(names, 4) if apart else rng.choices(names, k=4)
        if one[0] == two[0] and one != two and three[0] != four[0]:
            rows.append([one, two, three, four])
    return rows


@pytest.mark.parametrize(
    ("said", "apart"), [(("left", "right"), True), (("f", "j"), True), (("1", "2"), False)]
)
def test_sides_are_pairs_if_the_response_or_a_repeated_object_says_so(said, apart):
    rng = random.Random(1)
    lines = ["left_1,left_2,right_1,right_2,response"]
    rows = pair_rows(rng, apart=apart)
    for row in rows:
        first = rng.random() < 0.5
        lines.append(",".join([*(row if first else row[2:] + row[:2]), said[not first]]))

    found = read("\n".join(lines))

    names = np.array(found.names)[found.quadruplets]
    pairs = [[{*row[:2]}, {*row[2:]}] for row in names.tolist()]
    assert pairs == [[{*row[:2]}, {*row[2:]}] for row in rows]


def test_sides_by_number_may_be_pairs_or_their_members():
    rng = random.Random(1)
    lines = ["left_1,left_2,right_1,right_2,response"]
    lines += [",".join([*row, rng.choice("12")]) for row in pair_rows(rng, apart=True)]

    with pytest.raises(InputError, match="2 ways"):
        read("\n".join(lines))


def test_roles_can_be_said_by_hand():
    text = make.text(odd_rows()).replace(HEADER, "a,b,x,y,z,w,v")

    by_hand = read(text, form="odd-one-out", items=["x", "y", "z"], response="w", header=True)

    expected = read(make.text(odd_rows()), form="odd-one-out")
    assert by_hand.quadruplets.tolist() == expected.quadruplets.tolist()


def test_a_reference_can_be_said_by_hand():
    rows = make.near("p,u,v,w,q", 3, lambda r, o, k: [r, *o, o[k]])
    named = make.near("p,reference,left,right,response", 3, lambda r, o, k: [r, *o, o[k]])

    found = read(make.text(rows), items=["v", "w"], response="q", reference="u", header=True)

    assert found.quadruplets.tolist() == read(make.text(named)).quadruplets.tolist()


def test_positions_that_may_count_from_0_or_1_are_refused():
    rows = make.near("p,reference,left,right,response", 3, lambda r, o, k: [r, *o, 1])

    with pytest.raises(InputError, match=r"2 ways: .*one_based=True"):
        read(make.text(rows))
    assert read(make.text(rows), one_based=True) != read(make.text(rows), one_based=False)


def test_more_than_a_fifth_of_the_trials_is_never_left_out():
    rows = odd_rows()
    for row in rows[1:60]:
        row[5] = ""

    with pytest.raises(InputError, match="59 of 240 trials would be skipped, more than a fifth"):
        read(make.text(rows), form="odd-one-out")


def test_missing_answers_are_left_out_and_told_or_refused():
    rows = odd_rows()
    whole = make.text([row for number, row in enumerate(rows) if number != 7])
    rows[7][5] = "NA"

    with pytest.warns(OrdlinkWarning, match="1 trial skipped: the answer is missing"):
        found = read(make.text(rows), form="odd-one-out")
    assert found == read(whole, form="odd-one-out")
    with pytest.raises(InputError, match="line 8: the answer is missing"):
        read(make.text(rows), form="odd-one-out", missing="error")


def test_slips_in_names_are_told_and_merged():
    rows = odd_rows()
    number, column = next(
        (n, k) for n, row in enumerate(rows) for k in (2, 3, 4) if row[k] == "Löwe" != row[5]
    )
    rows[number][column] = "Lowe"

    with pytest.warns(OrdlinkWarning, match="'Lowe' occurs once; did you mean 'Löwe'"):
        assert read(make.text(rows), form="odd-one-out").n_objects == 13
    expected = read(make.text(odd_rows()), form="odd-one-out")
    for merge in (True, {"Lowe": "Löwe"}):
        merged = read(make.text(rows), form="odd-one-out", merge_names=merge, tell=lambda _: None)
        assert merged == expected


def test_a_response_with_a_slip_is_refused_with_its_line():
    rows = odd_rows()
    rows[4][5] = "Tigre"

    with pytest.raises(InputError, match="line 5: the response 'Tigre' is not one of the items"):
        read(make.text(rows), form="odd-one-out")


def test_files_with_the_same_stem_in_two_folders_stay_apart():
    rows = make.near("p,reference,left,right,response", 3, lambda r, o, k: [r, *o, o[k]])
    file = {name: f"{'abc'[make.GROUP[name]]}/{k % 4}.png" for k, name in enumerate(make.GROUP)}
    for row in rows[1:]:
        row[1:] = [file[str(name)] for name in row[1:]]

    assert read(make.text(rows)).n_objects == 12


def frames():
    import pandas
    import polars
    import pyarrow

    return {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "arrow": pyarrow.table}


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_frames_are_read_by_column_name_in_any_order(kind):
    header, *rows = odd_rows()
    columns = {str(n): list(c) for n, c in zip(header, zip(*rows, strict=True), strict=True)}
    expected = read(make.text([header, *rows]), form="odd-one-out")
    draw = random.Random(0)
    for _ in range(5):
        names = list(columns)
        draw.shuffle(names)
        frame = frames()[kind]({name: columns[name] for name in names})
        assert ol.read_answers(frame, form="odd-one-out") == expected


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_frame_with_a_missing_cell_is_that_without_the_row(kind):
    rows = np.argsort(np.random.default_rng(0).random((30, 8)))[:, :3].astype(str)
    names = ("anchor", "closer", "farther")
    columns = {name: column.tolist() for name, column in zip(names, rows.T, strict=True)}
    whole = ol.read_answers(frames()[kind]({name: cells[1:] for name, cells in columns.items()}))
    columns["closer"][0] = None

    with pytest.warns(OrdlinkWarning, match="1 of 30 rows skipped"):
        assert ol.read_answers(frames()[kind](columns)) == whole


def test_a_frame_without_known_names_is_refused():
    import pandas

    frame = pandas.DataFrame({"x": [0, 1], "y": [1, 2], "z": [2, 0]})

    with pytest.raises(InputError, match="three things"):
        ol.read_answers(frame)
    assert len(ol.read_answers(frame, columns=["z", "x", "y"], form="triplet")) == 2
    with pytest.raises(InputError, match="expected the columns anchor, closer, farther"):
        ol.Comparisons.from_triplets(frame)


def test_frames_given_to_from_triplets_are_read_by_name():
    import pandas

    frame = pandas.DataFrame({"farther": [2, 0], "anchor": [0, 1], "closer": [1, 2]})

    expected = ol.Comparisons.from_triplets([[0, 1, 2], [1, 2, 0]])
    assert ol.Comparisons.from_triplets(frame) == expected
    frame["closer"] = [1, None]
    with pytest.raises(InputError, match="row 1: rows: the cell of closer is missing"):
        ol.Comparisons.from_triplets(frame)


def test_names_that_are_none_are_refused():
    for names in ({"a": 1}, {"a", "b", "c"}, ["a", None, "c"]):
        with pytest.raises(InputKindError, match="names"):
            ol.Comparisons.from_triplets([[0, 1, 2]], names=names)


@pytest.mark.parametrize(
    ("file", "n_answers", "n_objects"),
    [
        ("exports/next_eggs300.csv", 17_611, 300),
        ("exports/salmon_responses.csv", 1_000, 30),
        ("exports/jspsych_triplets_one_person.csv", 220, 32),
        ("car/survey_data.csv", 7_097, 60),
        ("faces_cfd36/cfd36_triplets_individual.csv", 37_234, 36),
    ],
)
def test_real_files_are_read_as_they_are(data_folder, file, n_answers, n_objects):
    found = ol.read_answers(data_folder / file, tell=lambda _: None)

    assert (found.n_answers, found.n_objects) == (n_answers, n_objects)


def near_rows(header: str, said, seed: int = 3) -> str:
    return make.text(make.near(header, seed, said))


def test_what_is_less_alike_is_the_farther_one():
    more = near_rows("p,reference,left,right,response", lambda r, o, k: [r, *o, o[k]])
    less = near_rows("p,reference,left,right,least_similar", lambda r, o, k: [r, *o, o[1 - k]])

    assert read(less) == read(more)


@pytest.mark.parametrize(
    ("name", "words"),
    [("chose_left", (1, 0)), ("right_chosen", ("no", "yes")), ("chose_first", ("TRUE", "FALSE"))],
)
def test_a_yes_is_about_the_option_that_the_column_names(name, words):
    by_name = near_rows("p,reference,left,right,response", lambda r, o, k: [r, *o, o[k]])
    yes_no = near_rows(f"p,reference,left,right,{name}", lambda r, o, k: [r, *o, words[k]])

    assert read(yes_no).quadruplets.tolist() == read(by_name).quadruplets.tolist()


def test_a_response_that_is_sometimes_no_answer_is_missing_or_refused_by_its_row():
    told: list[str] = []
    header = "p,reference,left,right,response"
    rows = make.near(header, 5, lambda r, o, k: [r, *o, ("left", "right")[k]])
    for row, word in zip(rows[1::30], ("-99", "timeout", "no response", "-"), strict=False):
        row[4] = word

    comparisons = read(make.text(rows), tell=told.append)
    rows[7][4] = "unsure"

    assert comparisons.n_answers == make.N_TRIALS - 4
    assert any("4 trials skipped: the answer is missing" in sentence for sentence in told)
    with pytest.raises(InputError, match=r"line 8: the response 'unsure' is not one of the items"):
        read(make.text(rows))


def test_two_columns_of_responses_are_two_readings_not_two_choices():
    first = near_rows(
        "p,reference,left,right,first_response,second_response",
        lambda r, o, k: [r, *o, o[k], o[1 - k]],
    )

    with pytest.raises(InputError, match=r"2 ways: first_response .*second_response"):
        read(first)


def test_trials_side_by_side_are_refused_soon():
    names = [f"T{n}_{role}" for n in range(60) for role in ("ref", "left", "right", "resp")]
    row = ["lion", "tiger", "trout", "left", "lion", "eagle", "tiger", "right"] * 30

    with pytest.raises(InputError, match="one row per trial"):
        read(make.text([names, row, row[::-1], row]))


def test_titles_above_the_header_are_left_out_and_told():
    told: list[str] = []
    text = near_rows("p,reference,left,right,response", lambda r, o, k: [r, *o, o[k]])

    titled = read("Study 3, spring\nby the lab\n\n" + text, tell=told.append)

    assert titled == read(text)
    assert told[0] == "skipped above the table: 'Study 3, spring', 'by the lab'"


def test_screens_that_never_have_a_response_are_not_missing_answers():
    header = "p,screen,reference,left,right,response"
    rows = make.near(header, 6, lambda r, o, k: ["choice", r, *o, o[k]])
    screens = [[*row[:1], "fixation", *row[2:5], ""] for row in rows[1:]]

    with pytest.warns(OrdlinkWarning, match="240 rows skipped: other screens"):
        assert read(make.text([*rows, *screens])).n_answers == make.N_TRIALS
    for row in screens:
        row[1] = "choice"
    with pytest.raises(InputError, match="more than a fifth"):
        read(make.text([*rows, *screens]))


@pytest.mark.parametrize(
    "header", ["reference,chosen,unchosen", "Target,Winner,Loser", "ref_image,near_image,far_image"]
)
def test_plain_triplets_have_many_names(header):
    text = f"{header}\nimg/lion.png,img/tiger.png,img/trout.png\n"

    comparisons = read(text)

    assert comparisons.names == ("lion", "tiger", "trout")
    assert comparisons.quadruplets.tolist() == [[0, 1, 0, 2]]


def test_questions_in_the_header_are_a_survey():
    header = "Timestamp,Is trout or tiger closer to lion?,Is eagle or lion closer to tiger?"
    rows = f"{header},Which of eagle and trout is more like lion?\n1,tiger,lion,eagle\n"

    comparisons = read(rows + "2,tiger,lion,eagle\n3,trout,lion,trout\n")

    lion, tiger, trout = (comparisons.names.index(name) for name in ("lion", "tiger", "trout"))
    assert comparisons.n_answers == 9
    assert comparisons.quadruplets[0].tolist() == [
        *sorted((lion, tiger)),
        *sorted((lion, trout)),
    ]


def test_two_pairs_with_a_column_that_may_be_the_response_are_refused():
    draw = random.Random(1)
    rows = [[*draw.sample(range(8), 4), draw.choice([1, 2])] for _ in range(40)]
    text = make.text([["i", "j", "k", "l", "column"], *rows])

    with pytest.raises(InputError, match=r"2 ways: .*those whose order is the answer with columns"):
        read(text)

    assert read(text, columns=["i", "j", "k", "l"]).n_answers == 40


def test_many_names_that_look_like_typos_are_refused():
    draw = random.Random(1)
    animals = ["lion", "tiger", "trout", "salmon"]
    rows = [draw.sample(animals, 3) for _ in range(60)]
    rows += [[name.upper(), *(other for other in animals if other != name)][:3] for name in animals]
    text = "\n".join(["anchor,closer,farther", *map(",".join, rows)]) + "\n"

    with pytest.raises(InputError, match=r"4 of 8 names look like typos .*'LION' occurs once"):
        read(text)

    with pytest.warns(OrdlinkWarning, match="names merged"):
        assert read(text, merge_names=True).n_objects == 4
    assert read(text, merge_names={}).n_objects == 8


def test_other_files_in_a_folder_are_skipped_and_told(tmp_path):
    told: list[str] = []
    for name in ("p1.csv", "p2.csv"):
        (tmp_path / name).write_text("anchor,closer,farther\nlion,tiger,trout\n", encoding="utf-8")
    (tmp_path / "README.txt").write_text("Raw data.\n", encoding="utf-8")

    comparisons = ol.read_answers(tmp_path, tell=told.append)

    assert comparisons.n_answers == 2
    assert "1 file ending in .txt skipped: most files end in .csv" in " ".join(told)


def test_a_column_of_numbers_beside_names_is_no_object():
    rows = [["item1", "item2", "similarity"], *[["lion", "tiger", 1 + k % 7] for k in range(20)]]

    with pytest.raises(InputError, match="object '1' is a number, as all objects in this column"):
        read(make.text(rows), form="triplet", header=True)


def test_an_empty_column_of_responses_is_told():
    rows = near_rows("p,reference,option1,option2,choice", lambda r, o, k: [r, *o, ""])

    with pytest.raises(InputError, match="'choice', is empty"):
        read(rows)


def chosen_pairs() -> list[list[object]]:
    """Return three items and the two that are alike, joined in a cell."""
    draw = random.Random(4)
    rows: list[list[object]] = [["item_1", "item_2", "item_3", "most_similar_pair"]]
    for _ in range(60):
        items, odd_one = make.threes(draw)
        rows.append([*items, "-".join(name for k, name in enumerate(items) if k != odd_one)])
    return rows


@pytest.mark.parametrize("name", ["most_similar_pair", "column"])
@pytest.mark.parametrize("form", ["odd-one-out", "triplet"])
def test_columns_that_ignore_a_pair_in_a_cell_are_refused(form, name):
    rows = [["item_1", "item_2", "item_3", name], *chosen_pairs()[1:]]
    if name == "column":  # of an unknown name, the cells say it
        rows = [[*row[:3], row[3].replace("-", ", ")] for row in rows]

    with pytest.raises(InputError, match=f"'{name}', which is not among the chosen columns"):
        read(make.text(rows), columns=["item_1", "item_2", "item_3"], form=form)


@pytest.mark.parametrize(
    ("name", "words"), [("response", (0, 1)), ("chose_left", ("yes", "no")), ("Taste", "fj")]
)
def test_columns_that_ignore_a_column_named_as_the_response_are_refused(name, words):
    text = near_rows(f"p,reference,left,right,{name}", lambda r, o, k: [r, *o, words[k]])

    with pytest.raises(InputError, match=f"'{name}', which is not among the chosen columns"):
        read(text, columns=["reference", "left", "right"], form="triplet")


@pytest.mark.parametrize("more", [["left", "right", "answer"], ["left", "right"], ["answer"]])
def test_columns_whose_order_is_what_the_response_says_are_read(more):
    names = ["anchor", "closer", "farther", "left", "right", "answer"]
    header = ",".join(["p", *names])
    rows = make.near(header, 3, lambda r, o, k: [r, o[k], o[1 - k], *o, o[k]])
    expected = read(make.text([row[1:4] for row in rows]))
    kept = [1, 2, 3, *(names.index(name) + 1 for name in more)]
    text = make.text([[row[at] for at in kept] for row in rows])

    named = read(text, columns=["anchor", "closer", "farther"])
    unnamed = read(text.replace("anchor,closer,farther", "x,y,z"), columns="x,y,z", form="triplet")

    assert named == unnamed == expected


def test_columns_and_a_response_are_refused_together():
    options = {"columns": ["reference", "left", "right"], "form": "triplet"}
    text = near_rows("p,reference,left,right,response", lambda r, o, k: [r, *o, o[k]])

    with pytest.raises(InputError, match="either the order of columns is the answer"):
        read(text, response="response", **options)


def test_chunks_of_columns_that_ignore_a_response_are_refused(tmp_path):
    path = tmp_path / "trials.csv"
    path.write_text(near_rows("p,reference,left,right,response", lambda r, o, k: [r, *o, o[k]]))
    options = {"columns": ["reference", "left", "right"], "form": "triplet"}

    with pytest.raises(InputError, match="'response', which is not among the chosen columns"):
        list(ol.read_in_chunks(path, names=list(make.GROUP), **options))


def marks(n: int, k: int) -> list[list[object]]:
    """Return options with a column for each that says yes if it was chosen."""
    draw = random.Random(5)
    options = [f"opt{number}" for number in range(n)]
    rows: list[list[object]] = [["target", *options, *[f"{name}_chosen" for name in options]]]
    for reference, shown, chosen in (make.picks(draw, n, k) for _ in range(60)):
        rows.append([reference, *shown, *[int(name in chosen) for name in shown]])
    return rows


def test_one_of_several_columns_of_marks_is_no_response():
    rows = marks(8, 2)
    names = [str(name) for name in rows[0][9:]]
    expected = read(make.text(rows))

    for response in (["opt3_chosen"], ["opt0_chosen", "opt1_chosen"]):
        with pytest.raises(InputError, match="belong together: all of them say what was chosen"):
            read(make.text(rows), response=response)
    assert read(make.text(rows), response=names) == expected


def test_a_form_that_the_response_contradicts_is_refused():
    text = make.text(make.odd("participant,trial,item1,item2,item3,odd_one,rt", 1, make.by_name))

    with pytest.raises(InputError, match="'odd_one' says odd-one-out, not most-central"):
        read(text, form="most-central")


@pytest.mark.filterwarnings("ignore:168 of 240 rows repeat")
def test_more_than_a_fifth_of_the_rows_is_not_skipped_as_repeats():
    rows = make.odd("participant,trial,item1,item2,item3,odd_one,rt", 1, make.by_name)
    columns = ["odd_one", "item1", "item2"]

    with pytest.raises(InputError, match=r"of 240 rows repeat an object .* too many to skip"):
        read(make.text(rows), form="triplet", columns=columns, skip_repeated=True)


def test_practice_that_only_the_counter_of_its_loop_tells_is_left_out():
    told: list[str] = []

    found = ol.read_answers(make.FOLDER / "auto_loops.csv", tell=told.append)

    assert found.n_answers == make.N_TRIALS
    assert "20 rows skipped: practice.thisN is not empty" in told


def test_a_sheet_of_codes_names_the_objects():
    found = ol.read_answers(make.FOLDER / "auto_codes.xlsx", tell=lambda _: None)

    assert set(found.names) == set(make.GROUP)


def test_a_screen_side_says_nothing_where_sides_were_random():
    text = near_rows("p,target,item_a,item_b,side", lambda r, o, k: [r, *o, ("left", "right")[k]])

    assert read(text.replace("side", "response")).n_answers == make.N_TRIALS
    with pytest.raises(InputError, match=r"'response' in|seems to be the response"):
        read("# the sides of the items were randomised\n" + text.replace("side", "response"))


@pytest.mark.parametrize(("said", "n_missing"), [(("rot", "blau"), 0), (("18", "23"), 5)])
def test_what_a_response_stands_for_can_be_said(said, n_missing):
    rows = make.near("p,target,left,right,key", 7, lambda r, o, k: [r, *o, said[k]])
    by_name = make.near("p,target,left,right,key", 7, lambda r, o, k: [r, *o, o[k]])
    for row in rows[1 : 1 + n_missing]:
        row[4] = "57"

    with pytest.raises(InputError, match=f"such as response=key={said[0]}/{said[1]}|response=key="):
        read(make.text(rows))
    found = read(make.text(rows), response=f"key={'/'.join(said)}", tell=lambda _: None)

    expected = read(make.text([by_name[0], *by_name[1 + n_missing :]]))
    assert found.n_answers == make.N_TRIALS - n_missing
    assert found.quadruplets.tolist()[:9] == expected.quadruplets.tolist()[:9]


def test_answers_that_name_no_option_are_missing_not_other_questions():
    header = "Timestamp,Is trout or tiger closer to lion?,Is eagle or lion closer to tiger?"
    rows = f"{header},Which of eagle and trout is more like lion?\n1,tiger,lion,eagle\n"

    for word in ("no opinion", "Sans opinion"):
        told: list[str] = []
        found = read(rows + f"2,tiger,{word},eagle\n3,trout,lion,trout\n", tell=told.append)
        assert found.n_answers == 8
        assert any("1 trial skipped: the answer is missing" in sentence for sentence in told)


def test_questions_that_ask_different_things_are_refused():
    header = "Timestamp,Is trout or tiger more like lion?,Is eagle or lion less like tiger?"
    rows = f"{header},Which of eagle and trout is more like lion?\n1,tiger,lion,eagle\n"

    with pytest.raises(InputError, match="its questions ask different things"):
        read(rows + "2,tiger,lion,eagle\n3,trout,lion,trout\n")


def test_the_path_of_the_mouse_is_no_list_of_trials():
    rows = make.near("p,target,left,right,response", 8, lambda r, o, k: [r, *o, o[k]])
    path = [{"x": k, "y": 2 * k, "t": 17 * k, "what": "move"} for k in range(30)]
    header, *cells = rows
    trials = [dict(zip(header, row, strict=True)) | {"mouse": path} for row in cells]
    table = make.text([[*header, "mouse"], *[[*row, json.dumps(path)] for row in cells]])

    expected = read(make.text(rows))
    assert read(table) == expected
    assert read(json.dumps(trials), format="json").quadruplets.tolist() == (
        expected.quadruplets.tolist()
    )


def test_less_similar_turns_an_answer_round_only_in_a_question():
    rows = make.near(
        "p,kind of foil,target,left,right,response", 9, lambda r, o, k: ["", r, *o, o[k]]
    )
    expected = read(make.text([[row[0], *row[2:]] for row in rows]))
    for number, row in enumerate(rows[1:]):
        row[1] = ("a less similar foil", "a more similar foil")[number % 2]

    assert read(make.text(rows)).quadruplets.tolist() == expected.quadruplets.tolist()


def test_a_question_about_other_things_is_no_trial():
    header = "Timestamp,Is trout or tiger closer to lion?,Is eagle or lion closer to tiger?"
    header += ",Is eagle or tiger closer to lion?,Is lion or trout closer to tiger?"
    asked = f"{header},Is eagle or trout closer to lion?,What are you? (man / woman / other)\n"
    rows = [f"{k},tiger,lion,tiger,lion,{('eagle', 'trout')[k % 2]}" for k in range(4)]
    genders = ("woman", "man", "other", "woman")
    told: list[str] = []

    lines = (f"{row},{gender}" for row, gender in zip(rows, genders, strict=True))
    found = read(asked + "\n".join(lines), tell=told.append)

    assert set(found.names) == {"eagle", "lion", "tiger", "trout"}
    assert found.n_answers == 20
    assert any("1 question skipped: the question 'What are you?" in sentence for sentence in told)


def test_people_who_are_compared_are_no_people_who_answer():
    rows = make.odd("p,trial,person1,person2,person3,odd,rt", 10, make.by_name)

    plain = [["person1", "person2", "person3"], *[row[2:5] for row in rows[1:]]]

    assert read(make.text(rows)).n_objects == 12
    assert read(make.text(plain), form="triplet", header=True).n_answers == make.N_TRIALS


def test_a_check_in_a_survey_of_odd_ones_out_is_skipped():
    header = "Timestamp,Odd one out: trout / tiger / lion?,Odd one out: eagle / lion / tiger?"
    header += ",Odd one out: eagle / trout / hawk?,Odd one out: hawk / lion / trout?"
    header += ",Odd one out: lion / hawk / tiger?"
    text = f"{header},Please choose often\n1,trout,eagle,trout,trout,hawk,often\n"

    found = read(text + "2,trout,eagle,trout,hawk,hawk,often\n", tell=lambda _: None)

    assert found.n_answers == 10
    assert "often" not in found.names
