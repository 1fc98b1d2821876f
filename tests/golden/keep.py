"""Files of today for the versions of tomorrow: ``python -m tests.golden.keep``.

They are made once for each format and stay as they are: that later versions read them is tested.
"""

from __future__ import annotations

import json
import pickle
import sqlite3
import warnings

import ordlink as ol
from tests.golden.files import FORMATS, example_answers
from tests.golden.study import DATABASE, KEPT, make_study_database

SUPPORT = [0.25, 1, 0.5, 0.75, 0.955, 0.125, 1]


def make_tree() -> ol.Hierarchy:
    """Return the tree that is kept."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ol.errors.OrdlinkWarning)
        tree = ol.cluster(example_answers()["full"], "4-AL", initial_clusters=[[0, 5]])
    return tree.with_support(SUPPORT)


def main() -> None:
    """Write all that is not there yet."""
    KEPT.mkdir(exist_ok=True)
    tree = make_tree()
    if not (KEPT / "tree.pickle").exists():
        (KEPT / "tree.pickle").write_bytes(pickle.dumps(tree, protocol=4))
        tree.save(KEPT / "tree.json")
        fields = {
            "merges": tree.merges.tolist(),
            "scores": tree.scores.tolist(),
            "tied": tree.tied.tolist(),
            "support": tree.support.tolist(),
            "names": tree.names,
            "method": tree.method,
            "parameters": tree.parameters,
        }
        (KEPT / "tree-fields.json").write_text(json.dumps(fields, ensure_ascii=False) + "\n")
        for extension in FORMATS:
            ol.write_comparisons(example_answers()["full"], KEPT / f"answers.{extension}")
    if not DATABASE.exists():
        make_study_database(DATABASE)
        with sqlite3.connect(DATABASE) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("VACUUM")


if __name__ == "__main__":
    main()
