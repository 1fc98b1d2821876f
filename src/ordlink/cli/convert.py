"""`ordlink convert`: any file of answers as a plain one."""

from __future__ import annotations

from typing import Any

import click

from ordlink._text import counted
from ordlink.cli import _options
from ordlink.cli._answers import read_answers
from ordlink.cli._console import progress_bar, progress_flag
from ordlink.cli._output import check_file, refuse_overwrite
from ordlink.io import write_comparisons


@_options.command(
    "convert",
    "ordlink convert trials.xlsx answers.csv --form odd-one-out",
    "ordlink convert folder-of-participants answers.parquet",
    "ordlink convert p1.csv p2.csv p3.csv answers.csv",
)
@_options.answers
@click.argument("output", metavar="OUTPUT")
@progress_flag
def command(answers: tuple[str, ...], output: str, reading: dict[str, Any]) -> None:
    """Read ANSWERS, files or a folder, and write their comparisons to OUTPUT.

    OUTPUT ends in .csv, .tsv, .jsonl, .parquet or .npz, and can be read without options.
    """
    check_file(output, "output")
    refuse_overwrite(answers, [output])
    comparisons = read_answers(answers, **reading)
    with progress_bar(f"writing {output}"):
        write_comparisons(comparisons, output)
    about = f"{counted(comparisons.n_answers, 'answer')} about {comparisons.n_objects} objects"
    click.echo(f"wrote {output}: {about}")
