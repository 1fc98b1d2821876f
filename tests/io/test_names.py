"""Lists of object names."""

from __future__ import annotations

import io

import pytest

from ordlink.errors import InputError
from ordlink.io import find_delimiter, read_names


@pytest.mark.parametrize(
    ("file_name", "content", "expected"),
    [
        ("names.txt", "cat\ndog\n", ["cat", "dog"]),
        ("names.txt", "\ufeffcat \r\n dog\r\n\r\n", ["cat", "dog"]),
        ("names.txt", "frog\nfrog", ["frog", "frog"]),
        ("names.txt", "name\nb", ["name", "b"]),
        ("names.txt", "a, b\nü\u2028x\n", ["a, b", "ü\u2028x"]),
        ("names.csv", "name\ncat\n", ["cat"]),
        ("names.csv", 'Name,class\n"a, b",1\n"say ""hi""",2\n\n', ["a, b", 'say "hi"']),
        ("names.csv", "cat;1\ndog;2\n", ["cat", "dog"]),
        ("names.tsv", "cat\t1\nd,g\t2\n", ["cat", "d,g"]),
    ],
)
def test_names_are_read_in_order(tmp_path, file_name, content, expected):
    path = tmp_path / file_name
    path.write_bytes(content.encode())

    assert read_names(path) == expected


def test_names_from_a_file_object():
    assert read_names(io.BytesIO(b"cat\ndog")) == ["cat", "dog"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"\n\n", "no names"),
        (b"cat\n\ndog\n", "name 2 is empty"),
        ("ü\n".encode() + b"\xe9\n", "line 2: .*not UTF-8"),
        (b"cat\ndo\x07g\n", "control characters"),
    ],
)
@pytest.mark.parametrize("extension", ["txt", "csv"])
def test_bad_lists_are_refused(tmp_path, content, message, extension):
    path = tmp_path / f"names.{extension}"
    path.write_bytes(content)

    with pytest.raises(InputError, match=message) as caught:
        read_names(path)
    assert str(caught.value).startswith(str(path))


def test_a_missing_list_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_names(tmp_path / "names.txt")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a,b,c", "d,e,f"], ","),
        (["a;b;1,5", "c;d;2,5"], ";"),
        (["a\tb\tc,d,e,f"], "\t"),
        (['"x;y;z";1', '"u;v;w";2'], ";"),
        (["name"], ","),
        ([], ","),
    ],
)
def test_the_delimiter_is_what_all_lines_have_equally_often(lines, expected):
    assert find_delimiter(lines) == expected
