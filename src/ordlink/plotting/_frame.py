"""Where (position, height) of a layout is on paper: from the left, from the top, or around."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from ordlink._typing import AnyArray, FloatArray

Numbers: TypeAlias = AnyArray | float

ARC_STEP = math.radians(2.0)  # of the lines that stand for an arc
OPEN = 0.02  # share of the circle left free between the first and the last leaf


@dataclass(frozen=True)
class Frame(ABC):
    """The tree occupies a box or a disc; beyond the leaves come names, pictures and clusters."""

    n_leaves: int
    top: float  # the height of the root

    @abstractmethod
    def at(self, positions: Numbers, heights: Numbers) -> FloatArray:
        """Return points (..., 2) in inches."""

    @abstractmethod
    def beyond(self, position: float, distance: float) -> tuple[float, float]:
        """Return the point so many inches beyond the leaf line."""

    @abstractmethod
    def text(self, position: float, *, upright: bool = False) -> dict[str, Any]:
        """Return the options of a text that starts beyond the leaf line."""

    @abstractmethod
    def pitch(self, distance: float = 0.0) -> float:
        """Return the inches between two leaves, so far beyond the leaf line."""

    @abstractmethod
    def length(self, box: tuple[float, float]) -> float:
        """Return the room that a box (width, height) needs along the leaves."""

    def trace(self, points: FloatArray) -> list[FloatArray]:
        """Return the lines through points (n, m, 2) of (position, height)."""
        return list(self.at(points[..., 0], points[..., 1]))

    def band(self, first: float, last: float, distance: float) -> FloatArray:
        """Return the line beyond the leaves from one position to another."""
        return np.array([self.beyond(first, distance), self.beyond(last, distance)])


@dataclass(frozen=True)
class Left(Frame):
    """The root is on the left; the first leaf on top."""

    left: float
    leaf_line: float  # x of the leaves
    bottom: float
    high: float  # of all leaves

    def at(self, positions: Numbers, heights: Numbers) -> FloatArray:
        x = self.leaf_line - (self.leaf_line - self.left) * np.asarray(heights) / self.top
        y = self.bottom + self.high - (np.asarray(positions) + 0.5) * self.pitch()
        return np.stack(np.broadcast_arrays(x, y), axis=-1)

    def beyond(self, position: float, distance: float) -> tuple[float, float]:
        return self.leaf_line + distance, float(self.at(position, 0.0)[1])

    def text(self, position: float, *, upright: bool = False) -> dict[str, Any]:
        return {"ha": "left", "va": "center_baseline", "rotation": 0}

    def pitch(self, distance: float = 0.0) -> float:
        return self.high / self.n_leaves

    def length(self, box: tuple[float, float]) -> float:
        return box[1]


@dataclass(frozen=True)
class Top(Frame):
    """The root is on top; the first leaf on the left."""

    left: float
    wide: float  # of all leaves
    leaf_line: float  # y of the leaves
    upper: float

    def at(self, positions: Numbers, heights: Numbers) -> FloatArray:
        x = self.left + (np.asarray(positions) + 0.5) * self.pitch()
        y = self.leaf_line + (self.upper - self.leaf_line) * np.asarray(heights) / self.top
        return np.stack(np.broadcast_arrays(x, y), axis=-1)

    def beyond(self, position: float, distance: float) -> tuple[float, float]:
        return float(self.at(position, 0.0)[0]), self.leaf_line - distance

    def text(self, position: float, *, upright: bool = False) -> dict[str, Any]:
        if upright:
            return {"ha": "center", "va": "top", "rotation": 0}
        return {"ha": "center", "va": "top", "rotation": 90}

    def pitch(self, distance: float = 0.0) -> float:
        return self.wide / self.n_leaves

    def length(self, box: tuple[float, float]) -> float:
        return box[0]


@dataclass(frozen=True)
class Around(Frame):
    """The root is in the middle; leaves run clockwise from the top."""

    centre: tuple[float, float]
    radius: float  # of the leaf line

    def angles(self, positions: Numbers) -> FloatArray:
        """Return the angles of positions, counter-clockwise from the right."""
        share = (np.asarray(positions) + 0.5) / self.n_leaves
        return np.asarray(math.pi / 2 - 2 * math.pi * (OPEN / 2 + (1 - OPEN) * share))

    def at(self, positions: Numbers, heights: Numbers) -> FloatArray:
        angle = self.angles(positions)
        radius = self.radius * (1 - np.asarray(heights) / self.top)
        x, y = (
            self.centre[0] + radius * np.cos(angle),
            self.centre[1] + radius * np.sin(angle),
        )
        return np.stack(np.broadcast_arrays(x, y), axis=-1)

    def beyond(self, position: float, distance: float) -> tuple[float, float]:
        angle, radius = float(self.angles(position)), self.radius + distance
        return (
            self.centre[0] + radius * math.cos(angle),
            self.centre[1] + radius * math.sin(angle),
        )

    def text(self, position: float, *, upright: bool = False) -> dict[str, Any]:
        degrees = math.degrees(float(self.angles(position))) % 360
        if upright:
            return {"ha": "center", "va": "center", "rotation": 0}
        turned = 90 < degrees < 270
        return {
            "ha": "right" if turned else "left",
            "va": "center_baseline",
            "rotation": degrees - 180 if turned else degrees,
            "rotation_mode": "anchor",
        }

    def pitch(self, distance: float = 0.0) -> float:
        return 2 * math.pi * (1 - OPEN) * (self.radius + distance) / self.n_leaves

    def length(self, box: tuple[float, float]) -> float:
        return math.hypot(*box)

    def trace(self, points: FloatArray) -> list[FloatArray]:
        return [self._bend(line) for line in points]

    def band(self, first: float, last: float, distance: float) -> FloatArray:
        positions = np.linspace(first, last, self._steps(last - first))
        return np.array([self.beyond(float(one), distance) for one in positions])

    def _steps(self, positions: float) -> int:
        turn = abs(positions) * 2 * math.pi / self.n_leaves
        return 2 + math.ceil(turn / ARC_STEP)

    def _bend(self, line: FloatArray) -> FloatArray:
        parts = [line[:1]]
        for one, other in pairwise(line):
            steps = self._steps(other[0] - one[0])
            parts.append(one + (other - one) * np.linspace(0, 1, steps)[1:, None])
        bent = np.concatenate(parts)
        return self.at(bent[:, 0], bent[:, 1])
