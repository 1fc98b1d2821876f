"""What an ordinal embedding gives back: points, and how well they were found."""

from __future__ import annotations

from dataclasses import dataclass

from ordlink._typing import FloatArray
from ordlink.comparisons._frozen import FrozenArrays


@dataclass(frozen=True, eq=False, kw_only=True)
class Embedding(FrozenArrays):
    """Points whose distances agree with comparisons.

    Attributes
    ----------
    points : ndarray of shape (N, d), dtype float64
        Coordinates along the principal axes, the widest first; their mean is the origin. Objects
        that were never compared lie at the origin.
    method : str
        Name of the embedding: "t-STE", "FORTE" or "SOE".
    loss : float
        Mean loss per comparison; lower is better, and comparable for the same method and
        comparisons alone.
    accuracy : float
        Share of the comparisons (repeated ones brought down to one) whose more similar pair is
        closer; equal distances count one half. NaN if there are no comparisons.
    converged : bool
        Whether the best run ended because the loss no longer fell.
    n_iter : int
        Number of steps of the best run.
    losses : tuple of float
        Loss of each run; `loss` is the smallest.
    names : tuple of str or None
        Names of the objects.
    """

    points: FloatArray
    method: str
    loss: float
    accuracy: float
    converged: bool
    n_iter: int
    losses: tuple[float, ...]
    names: tuple[str, ...] | None = None

    @property
    def n_objects(self) -> int:
        """Number of objects N."""
        return len(self.points)

    @property
    def n_components(self) -> int:
        """Number of coordinates d."""
        return int(self.points.shape[1])

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not converged"
        return (
            f"Embedding({self.method}, {self.n_objects} objects, dimension {self.n_components}, "
            f"loss {self.loss:.4g}, accuracy {self.accuracy:.4f}, {state} after "
            f"{self.n_iter} iterations)"
        )
