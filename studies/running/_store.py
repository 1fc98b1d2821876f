"""Results on disk: one small file per finished cell, gathered into one table."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ordlink._atomic import replacing
from ordlink._locks import try_lock
from ordlink.errors import InputError
from studies.running._experiment import Experiment, Record, cell_key

CELL = "cell"
"""Column that holds the cell's key."""


class Store:
    """The finished cells of one experiment and version.

    A finished cell is a part file, named by its key and written whole or not at all, or rows of
    the table ``results-v1.parquet``. `gather` moves the rows of the parts into the table.

    Parameters
    ----------
    folder : Path
        Folder of all experiments; the files are in the folder of the experiment's name.
    name : str
        Name of the experiment.
    version : int
        Its version; other versions have other files.
    """

    def __init__(self, folder: Path, name: str, version: int) -> None:
        self.lock_path = folder / f".{name}.lock"
        self.table_path = folder / name / f"results-v{version}.parquet"
        self.parts_folder = folder / name / f"parts-v{version}"

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder, made if missing: two runs would do the same work and spoil each other's.

        What a killed run left half-written is removed.
        """
        with contextlib.ExitStack() as stack:
            try:
                self.parts_folder.mkdir(parents=True, exist_ok=True)
                file = stack.enter_context(self.lock_path.open("ab"))
                if not try_lock(file):
                    raise InputError(
                        f"{self.table_path.parent}: another run is at work in this folder; wait "
                        "until it is done, or choose another folder"
                    )
                for folder in (self.parts_folder, self.table_path.parent):
                    for leftover in folder.glob(".ordlink-*.tmp"):
                        leftover.unlink()
            except OSError as error:
                raise InputError(
                    f"{self.parts_folder}: cannot write into this folder ({error.strerror}); "
                    "choose another one"
                ) from error
            yield

    def finished(self) -> set[str]:
        """Return the keys of the finished cells."""
        in_table = set(self._read_table([CELL])[CELL].to_pylist()) if self._has_table else set()
        return in_table | {part.stem for part in self._parts()}

    def save(self, key: str, rows: list[Record]) -> None:
        """Save the rows of one cell at once."""
        with replacing(self.parts_folder / f"{key}.parquet") as file:
            _write([{CELL: key, **row} for row in rows], file)

    def gather(self) -> None:
        """Move the rows of all parts into the table; interrupted anywhere, nothing is lost."""
        parts = self._parts()
        if parts:
            rows = sorted(self.rows(), key=lambda row: str(row[CELL]))  # stable within a cell
            with replacing(self.table_path) as file:
                _write(rows, file)
            for part in parts:
                part.unlink()
        with contextlib.suppress(OSError):
            self.parts_folder.rmdir()

    def rows(self) -> list[Record]:
        """Return the rows of all finished cells."""
        rows: list[Record] = self._read_table(None).to_pylist() if self._has_table else []
        known = {row[CELL] for row in rows}  # a gathering that was killed leaves both
        for part in self._parts():
            if part.stem not in known:
                rows += _read(part).to_pylist()
        return rows

    @property
    def _has_table(self) -> bool:
        return self.table_path.is_file()

    def _parts(self) -> list[Path]:
        return sorted(self.parts_folder.glob("*.parquet"))

    def _read_table(self, columns: list[str] | None) -> Any:
        return _read(self.table_path, columns)


def load_results(experiment: Experiment, folder: str | Path) -> list[Record]:
    """Return the rows of the experiment's finished cells, in the order of its cells.

    Results of cells that the experiment does not have are left out, so that a small grid and a
    large one can share a folder.

    Parameters
    ----------
    experiment : Experiment
        Whose results.
    folder : path
        The folder given to `run_cells`.

    Returns
    -------
    list of dict
        The cell's parameters, the record's values (None where a record has no such value),
        `cell_seconds` and `cell_cpu_seconds`, the time that the cell took on the clock and on
        the processor, and `cell`, its key.
    """
    by_cell: dict[str, list[Record]] = {}
    for row in Store(Path(folder), experiment.name, experiment.version).rows():
        by_cell.setdefault(row[CELL], []).append(row)
    keys = (cell_key(parameters) for parameters in experiment.cells)
    return [row for key in keys for row in by_cell.get(key, [])]


def _read(path: Path, columns: list[str] | None = None) -> Any:
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path, columns=columns)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path}: cannot be read as results ({error}); remove it, and its cells run again"
        ) from error


def _write(rows: Iterable[Record], file: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = list(rows)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    table = pa.table({name: [row.get(name) for row in rows] for name in columns})
    pq.write_table(table, file, compression="zstd")
