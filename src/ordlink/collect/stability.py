"""The stop rule: over how many checks in a row the tree stayed the same.

A check counts only after enough new answers, or nothing would be checked: as many as there are
objects. "Can't tell" is no such answer, nor is one that is undone and given again, nor are answers
of people who are excluded or taken in again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ordlink.collect.worker import Trees


@dataclass(frozen=True)
class Stability:
    """How long the tree has been the same.

    Attributes
    ----------
    n_stable : int
        Checks in a row with the same tree.
    newick : str or None
        The tree, without excluded people.
    n_told : int
        Answers other than "can't tell" at the last check that counted.
    n_told_kept : int
        The same without excluded people; fewer, where somebody was excluded since.
    """

    n_stable: int = 0
    newick: str | None = None
    n_told: int = 0
    n_told_kept: int = 0

    def after(self, trees: Trees, *, fewest_new: int) -> Stability:
        """Return how long the tree has been the same, now that trees were grown again."""
        newick = None if trees.kept is None else trees.kept["newick"]
        if newick is None or newick != self.newick:
            return Stability(0, newick, trees.n_told, trees.n_told_kept)
        n_new = min(trees.n_told - self.n_told, trees.n_told_kept - self.n_told_kept)
        if n_new >= fewest_new:
            return Stability(self.n_stable + 1, newick, trees.n_told, trees.n_told_kept)
        return replace(self, n_told_kept=min(self.n_told_kept, trees.n_told_kept))
