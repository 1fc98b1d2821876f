"""How well participants answer: catch trials, repeats, speed, agreement; only flags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import sqlalchemy as sa

from ordlink.collect.participants import removal_requests
from ordlink.collect.question_types import passes_catch
from ordlink.collect.schema import answer, participant, read_objects, serving
from ordlink.collect.study import Study

FAST_SHARE = 0.2  # a larger share of too fast answers is flagged
LEAST_REPEAT_AGREEMENT = 0.6
LEAST_TREE_AGREEMENT = 0.55
FEWEST_TO_JUDGE = 5


@dataclass(frozen=True)
class ParticipantQuality:
    """The quality of one participant's answers."""

    person: int
    source: str
    external_id: str | None
    phase: str
    outcome: str | None
    n_answers: int  # main answers
    median_seconds: float | None
    n_fast: int  # faster than the study's `min_seconds`
    n_cant_tell: int
    n_blurs: int  # how often they left the page
    n_catches: int
    n_failed: int  # failed catch trials
    n_repeats: int  # repeats with sides swapped
    n_same: int  # repeats with the same answer
    agreement: float | None  # share of their comparisons that the tree of everybody agrees with
    excluded: bool
    excluded_for: str
    flags: tuple[str, ...]  # what looks wrong
    asks_removal: bool = False  # asked on another device to have the answers removed

    def as_json(self) -> dict[str, Any]:
        """Return it for the dashboard."""
        return asdict(self)


def judge_participants(
    connection: sa.Connection, study: Study, agreement: Mapping[int, float]
) -> list[ParticipantQuality]:
    """Return the quality of all participants' answers, in the order in which they joined."""
    rows = connection.execute(
        sa.select(
            answer.c.participant_id,
            serving.c.role,
            serving.c.shown,
            answer.c.choice,
            answer.c.seconds,
            answer.c.n_blurs,
        )
        .select_from(answer.join(serving))
        .where(~answer.c.undone)
        .order_by(answer.c.id)
    )
    by_person: dict[int, list[Any]] = {}
    for row in rows:
        by_person.setdefault(row.participant_id, []).append(row)
    people = connection.execute(sa.select(participant).order_by(participant.c.id))
    asking = removal_requests(connection)
    return [
        replace(
            _judge(person, by_person.get(person.id, []), study, agreement.get(person.id)),
            asks_removal=person.id in asking,
        )
        for person in people
    ]


def overall_agreement(people: list[ParticipantQuality]) -> float | None:
    """Return the mean agreement, weighted by the numbers of answers; None without any."""
    known = [(one.agreement, one.n_answers) for one in people if one.agreement is not None]
    total = sum(number for _, number in known)
    return sum(share * number for share, number in known) / total if total else None


def _judge(
    person: Any, rows: list[Any], study: Study, agreement: float | None
) -> ParticipantQuality:
    kind = study.kind
    main = [row for row in rows if row.role == "main"]
    catches = [row for row in rows if row.role == "catch"]
    seconds = sorted(row.seconds for row in main)
    first = {kind.identity(read_objects(row.shown)): row for row in reversed(main)}
    repeats = [
        (first.get(kind.identity(read_objects(row.shown))), row)
        for row in rows
        if row.role == "repeat"
    ]
    pairs = [(before, again) for before, again in repeats if before is not None]
    n_same = sum(_chosen(kind, before) == _chosen(kind, again) for before, again in pairs)
    n_failed = sum(
        not passes_catch(kind, read_objects(row.shown), read_objects(row.choice)) for row in catches
    )
    n_fast = sum(value < study.min_seconds for value in seconds)
    flags = []
    if main and n_fast > FAST_SHARE * len(main):
        flags.append(f"{n_fast} of {len(main)} answers in under {study.min_seconds:g} s")
    if n_failed:
        flags.append(f"{n_failed} of {len(catches)} catch trials failed")
    if len(pairs) >= FEWEST_TO_JUDGE and n_same < LEAST_REPEAT_AGREEMENT * len(pairs):
        flags.append(f"{n_same} of {len(pairs)} repeats answered the same")
    is_judged = agreement is not None and len(main) >= 4 * FEWEST_TO_JUDGE
    if agreement is not None and is_judged and agreement < LEAST_TREE_AGREEMENT:
        flags.append(f"{agreement:.0%} agreement with the tree")
    return ParticipantQuality(
        person=person.id,
        source=person.source,
        external_id=person.external_id,
        phase=person.phase,
        outcome=person.outcome,
        n_answers=len(main),
        median_seconds=seconds[len(seconds) // 2] if seconds else None,
        n_fast=n_fast,
        n_cant_tell=sum(row.choice == "" for row in main),
        n_blurs=sum(row.n_blurs for row in main),
        n_catches=len(catches),
        n_failed=n_failed,
        n_repeats=len(pairs),
        n_same=n_same,
        agreement=agreement,
        excluded=person.excluded,
        excluded_for=person.excluded_for,
        flags=tuple(flags),
    )


def _chosen(kind: Any, row: Any) -> tuple[int, ...]:
    return tuple(kind.chosen_objects(read_objects(row.shown), read_objects(row.choice)))
