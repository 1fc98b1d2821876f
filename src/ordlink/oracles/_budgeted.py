"""An oracle that answers a limited number of questions."""

from __future__ import annotations

import numpy as np

from ordlink._typing import AnyArray, Int8Array, Int32Array
from ordlink.comparisons._pairs import check_pair_ids_fit
from ordlink.errors import BudgetExhaustedError, InputError
from ordlink.oracles._protocol import Oracle
from ordlink.oracles._remembering import RememberingOracle, known_to


class BudgetedOracle(RememberingOracle):
    """Passes questions on until the budget is used up.

    A question that was answered before is free, also one that the inner oracle knows already
    (its ``knows(quadruplets)`` says so, as that of :class:`RecordedOracle`). Of a batch that does
    not fit, as much as fits is still asked; then :class:`~ordlink.errors.BudgetExhaustedError`
    gives all that was learnt. With a record, inside or outside, each run asks at most `budget` new
    questions and goes on where the last one stopped.

    Parameters
    ----------
    oracle : Oracle
        Answers the questions.
    budget : int
        Number of distinct new questions.

    Examples
    --------
    >>> from ordlink.errors import BudgetExhaustedError
    >>> from ordlink.oracles import BudgetedOracle, SimilarityOracle
    >>> oracle = BudgetedOracle(SimilarityOracle([[0, 5, 1], [5, 0, 2], [1, 2, 0]]), budget=1)
    >>> try:
    ...     oracle.compare([[0, 2, 0, 1], [0, 1, 1, 2]])
    ... except BudgetExhaustedError as error:
    ...     print(error.n_questions, error.comparisons.quadruplets.tolist())
    1 [[0, 1, 0, 2]]
    """

    def __init__(self, oracle: Oracle, budget: int) -> None:
        super().__init__(oracle)
        if isinstance(budget, bool) or not isinstance(budget, (int, np.integer)) or budget < 0:
            raise InputError(f"budget is a whole number of questions, 0 or more; got {budget!r}.")
        check_pair_ids_fit(self.n_objects)  # or what was learnt could not be given back
        self._budget = int(budget)
        self._n_charged = 0

    @property
    def budget(self) -> int:
        """Number of distinct new questions that are answered in all."""
        return self._budget

    @property
    def n_questions_left(self) -> int:
        """Number of new questions that will still be answered."""
        return self._budget - self._n_charged

    def _ask(self, keys: AnyArray, quadruplets: Int32Array) -> Int8Array:
        new = ~known_to(self._oracle, quadruplets)
        fits = ~new | (np.cumsum(new) <= self.n_questions_left)
        if fits.all():
            answers = super()._ask(keys, quadruplets)
            self._n_charged += int(new.sum())
            return answers
        if fits.any():
            self._asked.add(keys[fits], super()._ask(keys[fits], quadruplets[fits]))
            self._n_charged += int((new & fits).sum())
        raise BudgetExhaustedError(
            f"the budget of {self._budget} questions is used up; what was learnt is in this "
            "error's `comparisons`. Raise the budget, or cluster these with a passive method.",
            comparisons=self.comparisons(),
            n_questions=self.n_questions,
        )
