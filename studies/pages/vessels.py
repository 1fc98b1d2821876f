"""`python -m studies.pages.vessels FOLDER`: 60 drawn vessels, and simulated answers about them.

They are the stimuli of a tutorial: cups, mugs and bowls; bottles, vases and jugs. The answers are
triplets of people who compare the shapes, with errors.
"""

from __future__ import annotations

import csv
from dataclasses import astuple, dataclass
from pathlib import Path

import click
import numpy as np
from PIL import Image, ImageDraw

from ordlink.datasets import simulate_answers

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


def draw_vessels(seed: int = 0) -> dict[str, Vessel]:
    """Return 60 vessels by name: each kind with small changes of its lengths."""
    rng = np.random.default_rng(seed)
    found = {}
    for kind, typical in KINDS.items():
        for number in range(1, PER_KIND + 1):
            changes = rng.normal(1, 0.12, size=6)
            found[f"{kind}-{number:02}"] = Vessel(*(np.array(astuple(typical)) * changes))
    return found


def picture(vessel: Vessel) -> Image.Image:
    """Return the picture of a vessel: its outline, filled, with a handle if it has one."""
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


def write_answers(vessels: dict[str, Vessel], path: Path, seed: int = 0) -> None:
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


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--answers", type=click.Path(path_type=Path), help="Write simulated answers too.")
def main(folder: Path, answers: Path | None) -> None:
    """Draw 60 vessels into FOLDER."""
    folder.mkdir(parents=True, exist_ok=True)
    vessels = draw_vessels()
    for name, vessel in vessels.items():
        picture(vessel).save(folder / f"{name}.png")
    if answers is not None:
        write_answers(vessels, answers)


if __name__ == "__main__":
    main()
