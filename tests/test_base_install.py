"""What works without the extras: scikit-learn, networkx, pandas, the survey's packages."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink.errors import InputError
from ordlink.metrics import adjusted_rand_index

WITHOUT = ("sklearn", "networkx", "polars", "fastapi", "sqlalchemy", "pydantic", "dask")
BLOCKED = f"import sys\nsys.modules.update(dict.fromkeys({WITHOUT}))\n"


def run_without(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BLOCKED + program],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_answers_become_a_tree_a_figure_and_scores(tmp_path: Path) -> None:
    rows = ["lion,tiger,salmon", "tiger,lion,eagle", "eagle,hawk,lion", "hawk,eagle,salmon"]
    (tmp_path / "a.csv").write_text("anchor,closer,farther\n" + "\n".join(rows) + "\n")
    (tmp_path / "c.csv").write_text(
        "name,class\nlion,a\ntiger,a\nsalmon,b\neagle,b\nhawk,b\n", encoding="utf-8"
    )
    program = """
from ordlink.cli import run
assert run(["cluster", "a.csv", "--method", "AddS-AL", "--out", "out"]) == 0
assert run(["evaluate", "out/tree.json", "--classes", "c.csv"]) == 0
"""
    done = run_without(program, tmp_path)

    assert done.returncode == 0, done.stderr
    assert "ARI" in done.stdout
    assert (tmp_path / "out" / "tree.pdf").exists()


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import ordlink; ordlink.OrdinalClustering()", r"pip install 'ordlink\[scikit-learn\]'"),
        (
            "sys.modules['pandas'] = None; import ordlink; ordlink.Hierarchy([[0, 1]]).to_pandas()",
            "pip install pandas",
        ),
        ("import ordlink; ordlink.Hierarchy([[0, 1]]).to_networkx()", "pip install networkx"),
        ("from ordlink.cli import run; run(['collect', '--demo'])", r"'ordlink\[collect\]'"),
    ],
)
def test_what_is_missing_says_what_to_install(program: str, message: str, tmp_path: Path) -> None:
    done = run_without(program, tmp_path)

    assert re.search(message, done.stderr), done.stderr


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_the_adjusted_rand_index_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import adjusted_rand_score

    one, other = np.array(pairs).T

    assert adjusted_rand_index(one, other) == adjusted_rand_score(one, other)


def test_labels_of_other_objects_are_refused() -> None:
    with pytest.raises(InputError, match="one label per object"):
        adjusted_rand_index([0, 1], [0, 1, 1])
