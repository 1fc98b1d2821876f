"""Damaged files of every kind through the whole command line: exit code 0 or 2, no traceback."""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import pytest

import ordlink as ol
from ordlink.cli import run
from tests.damage import mutate

N_MUTATIONS = int(os.environ.get("ORDLINK_FUZZ", "300"))
"""Damaged files in all; more with the environment variable ORDLINK_FUZZ."""
N_CHUNKS = 5

PIECES = (
    b"\n", b"\r", b",", b";", b"\t", b'"', b"'", b"\0", b"-1", b"0", b"1", b"7", b"300",
    b"99999999999999999999", b"1_0", b"3.5", b"1e400", b"nan", b"name", b"object,name,cluster\n",
    b"\xff\xfe", b"\xe9", b"\xe2\x80\xa8", b"[" * 3000, b"(", b")", b"null", b"ant", b"frog,frog\n",
)  # fmt: skip
NAMES = ("ant", "bee", "cat", "dog", "frog", "frog", "gnu", "hen")
COMMANDS = {
    "answers.csv": ["cluster", "answers.csv", "--clusters", "2"],
    "answers.jsonl": ["cluster", "answers.jsonl", "--method", "4K-AL"],
    "own.csv": ["describe", "own.csv"],
    "own.npz": ["cluster", "own.npz", "--method", "AddS-AL"],
    "held-out.csv": ["evaluate", "tree.json", "--answers", "held-out.csv"],
    "tree.json": ["evaluate", "tree.json", "--truth", "truth.json", "--classes", "classes.csv"],
    "truth.json": ["evaluate", "tree.json", "--truth", "truth.json"],
    "classes.csv": ["evaluate", "tree.json", "--classes", "classes.csv"],
    "numbered.csv": ["evaluate", "truth.json", "--classes", "numbered.csv"],
    "start.csv": ["cluster", "answers.csv", "--initial-clusters", "start.csv"],
    "named.csv": ["cluster", "own.csv", "--initial-clusters", "named.csv"],
    "names.txt": ["cluster", "answers.csv", "--names", "names.txt"],
    "names.csv": ["describe", "answers.csv", "--names", "names.csv"],
    "w.npy": ["evaluate", "tree.json", "--similarities", "w.npy"],
    "w.csv": ["evaluate", "tree.json", "--similarities", "w.csv"],
    "table.csv": ["simulate", "--table", "table.csv", "--answers", "20", "--out", "simulated"],
}
"""Files, and the command that reads each of them."""


def _write_valid_files(folder: Path) -> None:
    rng = np.random.default_rng(0)
    rows = np.argsort(rng.random((40, 8)), axis=1)[:, :3]
    text = "".join(f"{i},{j},{k}\n" for i, j, k in rows.tolist())
    lines = "".join(
        f'{{"anchor": {i}, "closer": {j}, "farther": {k}}}\n' for i, j, k in rows.tolist()
    )
    comparisons = ol.Comparisons.from_triplets(rows, names=NAMES)
    for name in ("own.csv", "own.npz"):
        ol.write_comparisons(comparisons, folder / name)
    tree = ol.Hierarchy([[0, 1], *([8 + i, 2 + i] for i in range(6))], names=NAMES)
    tree.save(folder / "tree.json")
    ol.datasets.planted_hierarchy(depth=2, leaf_size=2, seed=0).tree.save(folder / "planted.json")
    truth = ol.Hierarchy.load(folder / "planted.json")
    ol.Hierarchy(truth.merges, method="planted", parameters={"depth": 2}).save(
        folder / "truth.json"
    )
    similarities = rng.random((8, 8))
    similarities += similarities.T
    np.save(folder / "w.npy", similarities)
    features = "".join(f"{name},{name[0]},{i},2.5\n" for i, name in enumerate(NAMES))
    texts = {
        "answers.csv": "anchor,closer,farther\n" + text,
        "answers.jsonl": lines,
        "held-out.csv": "anchor,closer,farther\n" + text,
        "classes.csv": "name,kind,finer\n" + "".join(f"{n},{n[0]},{n}\n" for n in NAMES),
        "numbered.csv": "".join(f"{i},{i // 4}\n" for i in range(8)),
        "start.csv": "0,1\n2,3,4\n",
        "named.csv": "ant,bee\ncat,dog\n6\n",
        "names.txt": "\n".join(NAMES),
        "names.csv": "name,legs\n" + "".join(f"{name},4\n" for name in NAMES),
        "w.csv": "\n".join(",".join(map(repr, row)) for row in similarities.tolist()),
        "table.csv": "name,class,a,b\n" + features,
    }
    for name, content in texts.items():
        (folder / name).write_text(content)


@pytest.fixture
def files(tmp_path: Path, monkeypatch) -> dict[str, bytes]:
    """Return the valid files, which lie in the current folder."""
    monkeypatch.chdir(tmp_path)
    _write_valid_files(tmp_path)
    return {name: (tmp_path / name).read_bytes() for name in COMMANDS}


@pytest.mark.filterwarnings("ignore")
def test_the_files_that_are_damaged_here_are_valid(files) -> None:
    assert {name: run(words) for name, words in COMMANDS.items()} == dict.fromkeys(COMMANDS, 0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chunk", range(N_CHUNKS))
def test_damaged_files_give_a_result_or_one_line(files, capsys, chunk: int) -> None:
    others = list(files.values())
    codes = []

    for number in range(chunk, N_MUTATIONS, N_CHUNKS):
        draw = random.Random(number)
        name = draw.choice(list(COMMANDS))
        Path(name).write_bytes(mutate(files[name], others, PIECES, draw))
        try:
            codes.append(run(COMMANDS[name]))
        except BaseException:
            Path("culprit").write_bytes(Path(name).read_bytes())
            print(f"number {number}: {name}, kept as {Path('culprit').resolve()}")
            raise
        finally:
            Path(name).write_bytes(files[name])
        said = capsys.readouterr()
        notes = ("warning: ", "ordlink: compiling ")
        errors = [line for line in said.err.splitlines() if not line.startswith(notes)]
        assert [line[:7] for line in errors] == ["error: "] * (codes[-1] == 2), (number, said.err)

    assert set(codes) == {0, 2}
