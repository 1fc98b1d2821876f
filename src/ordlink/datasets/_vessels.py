"""Sixty drawn vessels and simulated answers about them: pictures for those who have none yet."""

from __future__ import annotations

import csv
from dataclasses import astuple, dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ordlink.datasets._answers import simulate_answers
from ordlink.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image

PIXELS = 360
PER_KIND = 10
PEOPLE = 100
ANSWERS_PER_PERSON = 60


@dataclass(frozen=True)
class Vessel:
    """A shape; lengths are shares of the picture."""

    top: float  # half the width of the opening
    belly: float  # half the width in the middle
    foot: float  # half the width at the bottom
    height: float
    neck: float  # share of the height
    handle: float  # size, 0 for none


KINDS = {
    "cup": Vessel(0.20, 0.18, 0.11, 0.30, 0.0, 0.09),
    "mug": Vessel(0.17, 0.17, 0.17, 0.42, 0.0, 0.13),
    "bowl": Vessel(0.36, 0.30, 0.13, 0.26, 0.0, 0.0),
    "bottle": Vessel(0.05, 0.14, 0.14, 0.72, 0.45, 0.0),
    "vase": Vessel(0.12, 0.19, 0.10, 0.72, 0.30, 0.0),
    "jug": Vessel(0.11, 0.22, 0.15, 0.62, 0.25, 0.16),
}
WEIGHTS = np.array([1.5, 1.0, 1.0, 2.0, 1.5, 2.0])
"""How much people look at each of the lengths."""


def write_vessels(folder: str | PathLike[str], *, seed: int = 0) -> None:
    """Write 60 pictures of vessels, and simulated answers about them.

    The vessels are cups, mugs, bowls, bottles, vases and jugs, ten of each. A hundred people
    compare their shapes: 60 triplets each, one in ten a lapse.

    Parameters
    ----------
    folder : path
        Gets the pictures in `pictures` and the answers in `answers.csv`; made if it is not there.
    seed : int
        Random seed of the shapes and of the answers.

    Raises
    ------
    InputError
        If the folder has a `pictures` or an `answers.csv` already.

    Examples
    --------
    >>> import tempfile, ordlink as ol
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ol.datasets.write_vessels(folder)
    ...     ol.read_comparisons(folder + "/answers.csv").n_objects
    60
    """
    folder = Path(folder)
    for name in ("pictures", "answers.csv"):
        if (folder / name).exists():
            raise InputError(
                f"{name} is there already", where=str(folder), remedy="choose another folder"
            )
    vessels = _draw_vessels(seed)
    (folder / "pictures").mkdir(parents=True)
    for name, vessel in vessels.items():
        _picture(vessel).save(folder / "pictures" / f"{name}.png")
    _write_answers(vessels, folder / "answers.csv", seed)


def _draw_vessels(seed: int) -> dict[str, Vessel]:
    """Return 60 vessels by name: each kind with small changes of its lengths."""
    rng = np.random.default_rng(seed)
    found = {}
    for kind, typical in KINDS.items():
        for number in range(1, PER_KIND + 1):
            changes = rng.normal(1, 0.12, size=6)
            found[f"{kind}-{number:02}"] = Vessel(*(np.array(astuple(typical)) * changes))
    return found


def _picture(vessel: Vessel) -> Image:
    """Return the picture of a vessel: its outline, filled, with a handle if it has one."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (2 * PIXELS, 2 * PIXELS), "white")
    draw = ImageDraw.Draw(image)
    shape = _outline(vessel)
    if vessel.handle:
        high = 0.5 + vessel.height * 0.05
        x, size = 0.5 + vessel.belly, vessel.handle
        box = (x - size * 0.7, high - size, x + size * 0.9, high + size)
        draw.ellipse([2 * PIXELS * v for v in box], outline="#33414e", width=26)
    points = [(2 * PIXELS * x, 2 * PIXELS * y) for x, y in shape]
    draw.polygon(points, fill="#c9d8e6", outline="#33414e", width=10)
    return image.resize((PIXELS, PIXELS), Image.Resampling.LANCZOS)


def _outline(vessel: Vessel) -> list[tuple[float, float]]:
    low, high = 0.5 + vessel.height / 2, 0.5 - vessel.height / 2
    shoulder = high + vessel.neck * vessel.height
    heights = [high, shoulder, (shoulder + low) / 2, low]
    widths = [vessel.top, vessel.top if vessel.neck else vessel.top * 0.98, vessel.belly]
    fine = np.linspace(high, low, 60)
    half = np.interp(fine, heights, [*widths, vessel.foot])
    smooth = np.convolve(np.pad(half, 4, mode="edge"), np.ones(9) / 9, mode="valid")
    right = [(0.5 + w, y) for w, y in zip(smooth, fine, strict=True)]
    return right + [(1 - x, y) for x, y in reversed(right)]


def _write_answers(vessels: dict[str, Vessel], path: Path, seed: int) -> None:
    """Write simulated answers of 100 people, 60 triplets each, one in ten a lapse."""
    lengths = np.array([astuple(vessel) for vessel in vessels.values()])
    scaled = lengths / lengths.std(axis=0) * WEIGHTS
    similarities = -np.linalg.norm(scaled[:, None] - scaled[None], axis=2)
    rows = simulate_answers(
        similarities, PEOPLE * ANSWERS_PER_PERSON, form="triplet", error_rate=0.1, seed=seed
    )
    names = list(vessels)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["anchor", "closer", "farther", "annotator"])
        for number, row in enumerate(rows.tolist()):
            table.writerow([*(names[i] for i in row), f"P{number // ANSWERS_PER_PERSON + 1:03}"])
