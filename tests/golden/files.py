"""Every file that is written and what commands print, as texts without versions and times."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import ordlink as ol
from ordlink.cli import run
from tests.golden.codes import code

FORMATS = ("csv", "tsv", "jsonl", "parquet", "npz")
FIGURES = (".pdf", ".svg", ".png")
Texts = dict[str, str]
Making = Callable[[Path], Texts]
NAMES = ("ant", "bee", 'cat "Tom"', "dög", "eel, big", "fox", "gnu", "hen")


def makings() -> Iterator[tuple[str, Making]]:
    """Yield the name of each group of files, and what makes them in an empty folder."""
    yield "answers", write_answers
    yield "tree", write_tree
    yield "simulate", simulate
    yield "cluster", cluster
    yield "evaluate", evaluate
    yield "compare", compare
    yield "plan", plan
    yield "report", report


def make(making: Making) -> Texts:
    """Return the texts that a making leaves behind, without what changes from run to run."""
    fixed = {"COLUMNS": "90", "SOURCE_DATE_EPOCH": "0", "ORDLINK_DATA": os.devnull}
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, fixed),
        contextlib.chdir(folder),
    ):
        texts = making(Path())
    return {name: normalise(text) for name, text in texts.items()}


def normalise(text: str) -> str:
    """Return a text without versions and the time that things took."""
    text = text.replace(f"ordlink {ol.__version__}", "ordlink VERSION")
    text = text.replace(f"(version {ol.__version__})", "(version VERSION)")
    text = re.sub(r"(numpy|scipy|scikit-learn|numba) \d[\w.]*", r"\1 VERSION", text)
    text = re.sub(r"(>Python</t[dh]><td>)[\d.]+", r"\1VERSION", text)
    text = re.sub(r"<(style|script)>(.+?)</\1>", _hashed, text, flags=re.DOTALL)
    return text.replace("\r\n", "\n")


def _hashed(found: re.Match[str]) -> str:
    """Return a style or script by its hash, since it is long."""
    kind, content = found.groups()
    return f"<{kind}>{hashlib.sha256(content.encode()).hexdigest()}</{kind}>"


# --- the library ----------------------------------------------------------------------------------


def example_answers() -> dict[str, ol.ListedComparisons]:
    """Return answers as small as can be, with all that a file may hold."""
    rng = np.random.default_rng(0)
    rows = np.argsort(rng.random((9, 8)), axis=1)[:, :3]
    plain = ol.Comparisons.from_triplets(rows[:4])
    full = ol.Comparisons.from_odd_one_out(
        rows,
        names=NAMES,
        counts=rng.integers(1, 4, 9),
        annotators=["ann", "bob", 'eve "x", y'] * 3,
        response_times=np.where(np.arange(9) % 4 == 1, np.nan, np.arange(9) / 4 + 0.1),
    )
    return {"plain": plain, "full": full}


def write_answers(folder: Path) -> Texts:
    """Return each format of answers: text as it is, the others by what they hold."""
    texts = {}
    for name, comparisons in example_answers().items():
        for extension in FORMATS:
            path = folder / f"{name}.{extension}"
            ol.write_comparisons(comparisons, path)
            texts[path.name] = content_of(path)
            assert ol.read_comparisons(path) == comparisons
    return texts


def content_of(path: Path) -> str:
    """Return a file as text; of others the types and the values, a line for each column."""
    if path.suffix == ".parquet":
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path)
        about = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        about.pop("ARROW:schema", None)
        types = {field.name: str(field.type) for field in table.schema}
        content: Any = {"metadata": about, "types": types, **table.to_pydict()}
    elif path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            content = {
                name: {"type": array.dtype.str, "values": array.tolist()}
                for name, array in arrays.items()
            }
    elif path.suffix == ".npy":
        content = code(np.load(path))
    else:
        return path.read_bytes().decode()
    return "".join(
        f"{key}: {json.dumps(one, ensure_ascii=False, default=repr)}\n"
        for key, one in content.items()
    )


def write_tree(folder: Path) -> Texts:
    """Return each form of a tree that the library writes."""
    tree = ol.cluster(example_answers()["full"], "AddS-AL", initial_clusters=[[0, 5]])
    tree = tree.with_support([0.25, 1, 0.5, np.nan, 0.955, 2 / 3, 1])
    tree.save(folder / "tree.json")
    graph = tree.to_networkx()
    return {
        "tree.json": (folder / "tree.json").read_text(encoding="utf-8"),
        "tree.nwk": tree.to_newick() + "\n" + tree.to_newick(min_support=0.5) + "\n",
        "tree.txt": tree.to_text(width=80) + "\n\n" + tree.to_text(width=60, n_clusters=3),
        "ascii.txt": tree.to_text(width=60, ascii=True, min_support=0.5, labels=False),
        "networkx.txt": "\n".join(map(str, [*graph.nodes(data=True), *graph.edges(data=True)])),
        "linkage.txt": "\n".join(map(str, tree.linkage.tolist())),
    }


# --- the command line -----------------------------------------------------------------------------


def call(*words: object) -> str:
    """Return what a command prints on both streams, with its exit code."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    out, err = streams
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        exit_code = run([str(word) for word in words])
        for stream in streams:
            stream.flush()
    printed = [stream.buffer.getvalue().decode() for stream in streams]  # type: ignore[attr-defined]
    command = " ".join(str(word) for word in words)
    return f"$ ordlink {command}\n{printed[0]}--- stderr\n{printed[1]}--- exit code {exit_code}\n"


def everything(folder: Path) -> Texts:
    """Return all files of a folder; of pictures only that they are there."""
    return {
        str(path.relative_to(folder)): (
            path.read_bytes()[1:4].decode() + "\n" if path.suffix in FIGURES else content_of(path)
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def simulate(folder: Path) -> Texts:
    printed = call("simulate", "--depth", 1, "--leaf-size", 3, "--answers", 12, "--out", "planted")
    for extension in FORMATS:
        printed += call(
            "simulate", "--depth", 1, "--leaf-size", 3, "--form", "triplet", "--answers", 5,
            "--errors", 0.2, "--seed", 3, "--format", extension, "--out", extension,
        )  # fmt: skip
    Path("table.csv").write_text(
        "name,class,size,legs\nant,insect,1,6\nbee,insect,2,6\ncat,mammal,9,4\ndog,mammal,12,4\n"
    )
    printed += call(
        "simulate", "--table", "table.csv", "--metric", "euclidean", "--proportion", 1,
        "--out", "table",
    )  # fmt: skip
    for extension in FORMATS[1:]:  # the truth is the same for all
        for name in ("truth.json", "classes.csv", "similarities.npy"):
            Path(extension, name).unlink()
    Path("table.csv").unlink()
    return everything(folder) | {"printed.txt": printed}


def _answers_of_people() -> None:
    """Write answers.csv: 240 triplets of four people about 8 animals."""
    truth = ol.datasets.planted_hierarchy(depth=2, leaf_size=2, gap=0.4, noise=0.05, seed=0)
    rows = ol.datasets.simulate_answers(truth.similarities, 240, error_rate=0.05, seed=0)
    rows[180::2] = rows[180::2, [0, 2, 1]]  # dan guesses
    comparisons = ol.Comparisons.from_triplets(
        rows,
        names=NAMES,
        annotators=np.repeat(["ann", "bob", "cat", "dan"], 60),
        response_times=np.random.default_rng(1).integers(5, 40, 240) / 8,
    )
    ol.write_comparisons(comparisons, "answers.csv")
    Path("classes.csv").write_text(
        "name,class\n" + "".join(f'"{n.replace(chr(34), 2 * chr(34))}",{i // 4}\n'
                                 for i, n in enumerate(NAMES))
    )  # fmt: skip
    np.save("similarities.npy", truth.similarities)


def cluster(folder: Path) -> Texts:
    _answers_of_people()
    printed = call("cluster", "answers.csv", "--method", "4-AL", "--clusters", 3, "--out", "plain")
    printed += call(
        "cluster", "answers.csv", "--method", "AddS-AL", "--support", 20, "--min-support", 60,
        "--consensus", "--test-hierarchy", "--exclude", "dan", "--seed", 1, "--out", "support",
    )  # fmt: skip
    printed += call("cluster", "answers.csv", "--method", "4K-AL", "--no-self-comparisons")
    printed += call("cluster", "answers.csv", "--weigh-people", "--repeats", "net")
    printed += call("cluster", "nowhere.csv")
    printed += call("describe", "answers.csv")
    for name in ("answers.csv", "classes.csv", "similarities.npy"):
        Path(name).unlink()
    return everything(folder) | {"printed.txt": printed}


def evaluate(folder: Path) -> Texts:
    _answers_of_people()
    call("cluster", "answers.csv", "--method", "AddS-AL", "--out", "tree")
    printed = call(
        "evaluate", "tree/tree.json", "--classes", "classes.csv", "--truth", "tree/tree.json",
        "--similarities", "similarities.npy", "--answers", "answers.csv", "--json", "scores.json",
    )  # fmt: skip
    return {"scores.json": Path("scores.json").read_text(), "printed.txt": printed}


def compare(folder: Path) -> Texts:
    _answers_of_people()
    printed = call(
        "compare", "answers.csv", "--methods", "4-AL,AddS-AL,4K-AL", "--processes", 1,
        "--out", "compared",
    )  # fmt: skip
    texts = everything(Path("compared")) | {"printed.txt": printed}
    return {name: _without_seconds(text) for name, text in texts.items()}


def _without_seconds(text: str) -> str:
    """Return a comparison of methods (CSV, HTML or a printed table) without the time they took."""
    if text.startswith("candidate,"):
        rows = list(csv.reader(text.splitlines()))
        at = rows[0].index("seconds")
        return "".join(",".join(row[:at] + row[at + 1 :]) + "\n" for row in rows)
    number = r'<td class="number">[^<]*'
    text = re.sub(rf"((?:{number}±[^<]*</td>){{3}}{number}</td>{number[:-5]})[\d.]+", r"\1-", text)
    return re.sub(r"(?m)(( ±.*){3} [\d.]+) +[\d.]+$", r"\1", text)


def plan(folder: Path) -> Texts:
    _answers_of_people()
    printed = call(
        "plan", "--objects", 12, "--clusters", 3, "--difficulty", "easy", "--method", "AddS-AL",
        "--processes", 1, "--most", 2000, "--pay", 12, "--csv", "plan.csv",
    )  # fmt: skip
    printed += call(
        "plan", "--answers", "answers.csv", "--method", "AddS-AL", "--csv", "curve.csv",
        "--png", "curve.png",
    )  # fmt: skip
    return {
        "plan.csv": Path("plan.csv").read_text(),
        "curve.csv": Path("curve.csv").read_text(),
        "printed.txt": printed,
    }


def report(folder: Path) -> Texts:
    _answers_of_people()
    printed = call(
        "report", "answers.csv", "--method", "AddS-AL", "--replicates", 12, "--exclude", "dan",
        "--out", "report.html",
    )  # fmt: skip
    page = Path("report.html").read_text(encoding="utf-8")
    return {"report.html": _without_seconds(page), "printed.txt": printed}
