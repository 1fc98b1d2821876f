"""What answers cost."""

from __future__ import annotations

from dataclasses import dataclass

from ordlink.datasets._checks import check_number

SECONDS_PER_ANSWER = 4.0


@dataclass(frozen=True)
class Cost:
    """What answers cost: the time of those who answer, and money if the pay is known."""

    hours: float
    money: float | None


def answers_cost(
    n_answers: float,
    *,
    seconds_per_answer: float = SECONDS_PER_ANSWER,
    pay_per_hour: float | None = None,
) -> Cost:
    """Return what so many answers cost.

    Examples
    --------
    >>> answers_cost(900, seconds_per_answer=4, pay_per_hour=12)
    Cost(hours=1.0, money=12.0)
    """
    seconds = check_number(seconds_per_answer, "seconds_per_answer", smallest=0)
    hours = n_answers * seconds / 3600
    if pay_per_hour is None:
        return Cost(hours, None)
    return Cost(hours, hours * check_number(pay_per_hour, "pay_per_hour", smallest=0))
