"""Tables that others wrote: columns, forms, headers, objects."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

from ordlink.comparisons import Comparisons
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from ordlink.io import read_comparisons


def read(text, **options):
    content = text if isinstance(text, bytes) else text.encode()
    return read_comparisons(io.BytesIO(content), **options)


def quadruplets(text, **options):
    return read(text, **options).quadruplets.tolist()


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("anchor,closer,farther", [[0, 1, 0, 2]]),
        ("Head, Winner ,LOSER", [[0, 1, 0, 2]]),
        ("anchor,positive,negative", [[0, 1, 0, 2]]),
        ("negative,anchor,positive", [[1, 2, 0, 1]]),
        ("central,other_1,other_2", [[0, 1, 1, 2], [0, 2, 1, 2]]),
        ("alike_1,alike_2,odd", [[0, 1, 0, 2], [0, 1, 1, 2]]),
    ],
)
def test_column_names_tell_the_form(header, expected):
    assert quadruplets(f"{header}\n0,1,2\n") == expected


def test_four_columns_are_quadruplets():
    assert quadruplets("0,1,2,3\n") == [[0, 1, 2, 3]]
    assert quadruplets("l,k,j,i\n0,1,2,3\n") == [[2, 3, 0, 1]]


def test_three_columns_without_a_form_list_the_forms():
    with pytest.raises(InputError) as caught:
        read("0,1,2\n")

    for word in ("triplet", "most-central", "odd-one-out", "closer", "central", "odd", "pass form"):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "0,1,2\n2,0,1\n",
        "0;1;2\n2;0;1\n",
        "0\t1\t2\n2\t0\t1\n",
        "0,1,2\r\n2,0,1\r\n",
        "0,1,2\r2,0,1\r",
        "\ufeff0,1,2\n2,0,1\n",
        '"0","1","2"\n"2","0","1"\n',
        "0,1,2 \n 2 , 0,1\n",
        "\n# about\n\n0,1,2\n\n   \n2,0,1\n\n\n",
        "0,1,2\n2,0,1",
        "0.0,1.0,2.0\n2,0,1\n",
        "x,y,z\n0,1,2\n2,0,1\n",
    ],
)
def test_ways_to_write_the_same_table(text):
    assert quadruplets(text, form="triplet") == [[0, 1, 0, 2], [0, 2, 1, 2]]


def test_names_are_objects_in_natural_order():
    comparisons = read('car 10,"a, b",car 2\ncar 2,"say ""hi""",car 10\n', form="triplet")

    assert comparisons.names == ("a, b", "car 2", "car 10", 'say "hi"')
    assert comparisons.quadruplets.tolist() == [[0, 2, 1, 2], [1, 3, 1, 2]]


def test_a_first_object_with_a_hash_is_no_comment():
    assert read("#f00,#0f0,#00f\n", form="triplet").names == ("#00f", "#0f0", "#f00")


def test_names_with_commas_between_semicolons():
    comparisons = read("Doe, J;Fox, A;Cox, B\nFox, A;Doe, J;Cox, B\n", form="triplet")

    assert comparisons.names == ("Cox, B", "Doe, J", "Fox, A")


def test_columns_that_go_along_are_kept():
    comparisons = read(
        "note,head,winner,loser,worker_id,RT,timestamp,count\n"
        "x,0,1,2, ann ,3.5,2024-01-01,2\n"
        "y,1,0,2,,NA,,1\n"
    )

    details = comparisons.details
    assert comparisons.counts.tolist() == [2, 1]
    assert details.annotators.tolist() == ["ann", ""]
    assert details.times.tolist() == ["2024-01-01", ""]
    np.testing.assert_array_equal(details.response_times, [3.5, np.nan])
    assert details.answers is None


def test_which_option_was_chosen_may_be_a_number_a_word_or_unknown():
    rows = "anchor,closer,farther,chose_first\n0,1,2,1\n1,0,2,FALSE\n0,2,1,\n1,2,0,true\n"

    np.testing.assert_array_equal(read(rows).details.chose_first, [1, 0, np.nan, 1])


def test_which_option_was_chosen_may_be_true_or_false_in_json():
    rows = (
        '{"anchor": 0, "closer": 1, "farther": 2, "chose_first": true}\n'
        '{"anchor": 1, "closer": 0, "farther": 2, "chose_first": null}\n'
    )

    np.testing.assert_array_equal(read(rows, format="jsonl").details.chose_first, [1, np.nan])


@pytest.mark.parametrize("cell", ["2", "left"])
def test_a_side_that_is_none_is_refused(cell):
    with pytest.raises(InputError, match=r"line 3: chose_first '.*' is not 1, 0 or empty"):
        read(f"anchor,closer,farther,chose_first\n0,1,2,1\n1,0,2,{cell}\n")


def test_answers_of_two_comparisons_share_their_details():
    comparisons = read("central,other_1,other_2,subject\n0,1,2,a\n1,0,2,b\n")

    assert comparisons.details.answers.tolist() == [0, 0, 1, 1]
    assert comparisons.details.annotators.tolist() == ["a", "a", "b", "b"]


def test_a_column_answer_groups_quadruplets_and_is_ignored_beside_triplets():
    grouped = read("i,j,k,l,answer\n0,1,0,2,7\n0,1,1,2,7\n")
    triplets = read("head,winner,loser,Answer\n0,1,2,left\n")

    assert grouped.details.answers.tolist() == [7, 7]
    assert triplets.details is None


def test_columns_picks_objects_by_name():
    text = "q,A,B,C,eval\n9,0,1,2,x\n"

    assert quadruplets(text, columns=["B", "a", "C"], form="triplet") == [[0, 1, 1, 2]]
    assert quadruplets("x,loser,head,winner\n9,0,1,2\n", columns=["head", "winner", "loser"]) == [
        [1, 2, 0, 1]
    ]


def test_a_column_answer_is_ignored_beside_chosen_columns():
    text = "S1,S2,S3,S4,answer\n0,1,2,3,left\n"

    assert read(text, columns=["S1", "S2", "S3", "S4"]).details is None


def test_header_can_be_forced():
    text = "head,winner,loser\ncat,dog,bee\n"

    assert len(read(text)) == 1
    assert len(read(text, header=False, form="triplet")) == 2
    assert len(read("cat,dog,bee\ndog,cat,bee\n", header=True, form="triplet")) == 1


def test_numbers_are_numbers_also_where_names_are_given():
    comparisons = read("0,1,2\n", form="triplet", names=["c", "b", "a"])

    assert comparisons.names == ("c", "b", "a")
    assert comparisons.quadruplets.tolist() == [[0, 1, 0, 2]]


def test_numbers_are_looked_up_if_all_names_are_numbers():
    names = ["30", "20", "10"]

    assert quadruplets("10,20,30\n", form="triplet", names=names) == [[1, 2, 0, 2]]
    assert quadruplets("1,2,3\n", form="triplet", names=["3", "2", "1"], one_based=True) == [
        [0, 1, 0, 2]
    ]


def test_objects_never_named_are_known_from_n_objects():
    assert read("0,1,2\n", form="triplet", n_objects=60).n_objects == 60


def test_columns_of_names_hold_names_even_if_these_are_numbers():
    rows = "7,101,12\n101,7,b\n"

    found = read(f"anchor_name,closer_name,farther_name\n{rows}")

    assert found.names == ("7", "12", "101", "b")
    assert found.quadruplets.tolist() == [[0, 2, 0, 1], [0, 2, 2, 3]]
    assert read("anchor_name,closer_name,farther_name\n1,2,3\n", one_based=True).n_objects == 3


def test_one_based_numbers():
    assert quadruplets("1,2,3\n", form="triplet", one_based=True) == [[0, 1, 0, 2]]


def test_one_based_does_not_matter_for_names():
    assert quadruplets("a,b,c\n", form="triplet", one_based=True) == [[0, 1, 0, 2]]


@pytest.mark.parametrize("kind", ["parquet", "npz", "jsonl"])
def test_tables_in_other_formats_mean_the_same(tmp_path, kind):
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"anchor": ["a", "b"], "closer": ["b", "a"], "farther": ["c", "c"], "rt": [1.5, 2.0]}
    path = tmp_path / f"answers.{kind}"
    if kind == "parquet":
        pq.write_table(pa.table({**columns, "__index_level_0__": [5, 6]}), path)
    elif kind == "npz":
        np.savez(path, **columns)
    else:
        path.write_text(
            '{"anchor": "a", "closer": "b", "farther": "c", "rt": 1.5, "more": [1]}\n\n'
            '{"anchor": "b", "closer": "a", "farther": "c", "rt": 2}\n'
        )

    rows = [["a", "b", "c"], ["b", "a", "c"]]
    expected = Comparisons.from_triplets(rows, response_times=[1.5, 2.0])
    assert read_comparisons(path) == expected


def test_row_labels_of_pandas_are_no_objects(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "answers.parquet"
    pq.write_table(pa.table({"a": [0], "b": [1], "c": [2], "__index_level_0__": [5]}), path)

    assert read_comparisons(path, form="triplet").quadruplets.tolist() == [[0, 1, 0, 2]]


def test_an_npz_of_one_matrix_is_a_table(tmp_path):
    path = tmp_path / "answers.npz"
    np.savez_compressed(path, np.asfortranarray([[0, 1, 2], [2, 0, 1]]).astype(">i2"))

    assert read_comparisons(path, form="triplet").quadruplets.tolist() == [
        [0, 1, 0, 2],
        [0, 2, 1, 2],
    ]


def test_typed_parquet_columns(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "answers.parquet"
    table = {
        "i": pa.array([0], pa.uint8()),
        "j": pa.array([1.0]),
        "k": pa.array([2], pa.int64()),
        "l": pa.array(["3"]).dictionary_encode(),
        "worker": pa.array([78972]),
        "time": pa.array([0], pa.timestamp("s")),
    }
    pq.write_table(pa.table(table), path)

    comparisons = read_comparisons(path)

    assert comparisons.quadruplets.tolist() == [[0, 1, 2, 3]]
    assert comparisons.details.annotators.tolist() == ["78972"]
    assert comparisons.details.times.tolist() == ["1970-01-01 00:00:00.000"]


def test_standard_input_is_csv_unless_said_otherwise():
    assert quadruplets("0,1,2,3\n") == [[0, 1, 2, 3]]
    assert quadruplets("0,1,2,3\n", format="csv") == [[0, 1, 2, 3]]
    assert quadruplets('{"i": 0, "j": 1, "k": 2, "l": 3}\n', format="jsonl") == [[0, 1, 2, 3]]
    with pytest.raises(InputError, match="format: expected csv, tsv, parquet, npz, jsonl"):
        read("0,1,2,3\n", format="docx")


def test_a_file_object_of_text_is_refused():
    with pytest.raises(InputKindError, match="binary"):
        read_comparisons(io.StringIO("0,1,2,3\n"))
    with pytest.raises(InputKindError, match="path"):
        read_comparisons(3)


def test_importing_does_not_load_pyarrow():
    code = "import sys, ordlink.io; sys.exit('pyarrow' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_many_rows_equal_the_same_rows_in_memory(tmp_path):
    """Long files are parsed in pieces by several threads: order and lines must hold."""
    rows = np.argsort(np.random.default_rng(0).random((300_000, 30)), axis=1)[:, :3]
    lines = [f"{i},{j},{k}" for i, j, k in rows.tolist()]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines))

    assert read_comparisons(path, form="triplet") == Comparisons.from_triplets(rows)

    lines[250_000] = "1,2,x"
    lines.insert(1000, "")
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match="line 250002: object 'x'"):
        read_comparisons(path, form="triplet")


NAMED = ["cat,dog,bee", "dog,cat,bee", "bee,cat,dog", "ant,bee,cat", "bee,ant,dog"] * 2


def test_a_first_row_whose_names_never_come_again_is_refused():
    text = "\n".join(["first,second,Odd One Out", *NAMED])

    with pytest.raises(InputError, match=r"line 1: the first row looks like a header.*header=True"):
        read(text, form="triplet")

    assert len(read(text, form="triplet", header=True)) == 10
    assert len(read(text, form="triplet", header=False)) == 11
    # Fewer rows, or other names that occur once, do not tell.
    assert len(read("\n".join(["x,y,z", *NAMED[:5]]), form="triplet")) == 6
    assert len(read("\n".join(["x,y,z", *NAMED, "cat,cow,dog"]), form="triplet")) == 12
    assert len(read("\n".join(["x,y,cat", *NAMED]), form="triplet")) == 11


def test_a_number_among_names_is_refused_unless_it_is_a_name():
    text = "\n".join([*NAMED[:4], "cat,3,dog"])

    with pytest.raises(InputError, match=r"line 5: object '3' is a number, but .*names"):
        read(text, form="triplet")

    names = ["3", "ant", "bee", "cat", "dog"]
    assert read(text, form="triplet", names=names).n_objects == 5
    assert len(read("a,b,2\nb,a,2\n", form="triplet")) == 2


def test_messages_about_named_rows_show_the_names():
    with pytest.raises(InputError, match=r"line 2: \('cat', 'dog', 'dog'\) names an object twice"):
        read("cat,dog,bee\ncat,dog,dog\n", form="triplet")


def test_rows_that_repeat_an_object_can_be_skipped():
    text = "i,j,k,l,answer,rt\n0,1,0,2,7,1.5\n0,0,1,2,8,2.5\n0,1,1,2,9,3.5\n"

    with pytest.warns(OrdlinkWarning, match="1 of 3 rows repeats .* is left out.*line 3"):
        kept = read(text, skip_repeated=True)

    assert kept.details.answers.tolist() == [7, 9]
    assert kept.details.response_times.tolist() == [1.5, 3.5]


def test_real_answers_with_attention_checks_are_read(data_folder):
    path = data_folder / "faces_cfd36" / "cfd36_triplets_individual.csv"
    if not path.exists():
        pytest.skip(f"{path} is not there")

    with pytest.warns(OrdlinkWarning, match="2,234 rows skipped: sampleAlg = check"):
        comparisons = read_comparisons(path)

    assert comparisons.n_objects == 36
    assert len(comparisons) == 37_234


def test_a_decimal_comma_is_a_number_between_semicolons():
    header = "head;winner;loser;rt\n"

    times = read(header + "0;1;2;3,5\n1;0;2;4\n2;0;1;0.25\n0;2;1;\n").details.response_times

    np.testing.assert_array_equal(times, [3.5, 4, 0.25, np.nan])
    for wrong in ("1.234,5", "3,5,1", "3,"):
        with pytest.raises(InputError, match="line 2: the response time"):
            read(header + f"0;1;2;{wrong}\n")
    with pytest.raises(InputError, match="line 2: the response time '3,5'"):
        read('head,winner,loser,rt\n0,1,2,"3,5"\n')


def test_a_first_row_with_the_name_of_a_response_is_never_an_answer(tmp_path):
    """However few rows there are: the tree would have `response` as a leaf."""
    path = tmp_path / "short.csv"
    path.write_text("a,b,c,response\nx,y,z,d\nx,z,y,d\n", encoding="utf-8")

    with pytest.raises(InputError, match="line 1: the first row looks like a header"):
        read_comparisons(path)
    with pytest.raises(InputError, match="the response 'd' in 'response' is none of the items"):
        read_comparisons(path, header=True)
