"""What the owner sees of a study: its progress, the participants' quality."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Hashable
from typing import Any

import sqlalchemy as sa

from ordlink.collect.samplers import RANDOM_REASONS
from ordlink.collect.schema import answer, draw, participant, question, read_objects, serving
from ordlink.collect.session import IS_COMPLETED, count_people
from ordlink.collect.site import Site
from ordlink.collect.study import Study
from ordlink.collect.worker import count_main_answers

PAGE_SIZE = 100  # participants on a page of the dashboard
CHUNK_SIZE = 1000  # rows or participants that are read at a time
N_BARS = 60  # bars of the chart of answers over time
FAST_SHARE = 0.2  # a larger share of answers too fast, or longer than possible, is flagged
LEAST_REPEAT_AGREEMENT = 0.6
LEAST_TREE_AGREEMENT = 0.55
FEWEST_TO_JUDGE = 5
CLOCK_SECONDS, CLOCK_RATIO = 1.0, 1.1  # by which a browser's clock may differ from the server's
_COPIED = (  # columns of a participant, beside what their answers say
    *("condition", "source", "external_id", "phase", "outcome", "excluded", "excluded_for"),
    *("asks_removal", "questionnaire", "created_at", "finished_at"),
)


def overview_of(connection: sa.Connection, site: Site) -> dict[str, Any]:
    """Return the state of the study and its counts, as JSON."""
    c, study, pay = participant.c, site.running.study, site.running.study.pay_per_person
    outcomes = count_people(connection, by=c.outcome)
    completed = count_people(connection, IS_COMPLETED, ~c.excluded)
    excluded = count_people(connection, IS_COMPLETED, c.excluded)
    settings = ("n_objects", "question", "sampler", "method", "budget", "stable_trees", "currency")
    return {
        **{name: getattr(study, name) for name in settings},
        "state": site.running.state,
        "why_over": site.running.why_over(connection),
        "ends": " or ".join(study.endings) or "when you end it",
        "n_stable": site.running.stability.n_stable,
        "missing": list(site.running.media.missing),
        "cost_ahead": round(outcomes[None] * pay, 2),
        "cost": round(outcomes["completed"] * pay, 2),
        "n_asking": count_people(connection, c.asks_removal).total(),
        "n_answers": count_main_answers(connection),
        "participants": {outcome or "taking part": one for outcome, one in outcomes.items()},
        "conditions": {
            name: {"quota": one.quota, "completed": completed[name], "excluded": excluded[name]}
            for name, one in study.conditions.items()
        },
        "answers_by_sampler": _by_sampler(connection),
        "over_time": _over_time(connection),
    }


def _by_sampler(connection: sa.Connection) -> dict[str, int]:
    """Return how many main answers there are to the questions of each sampler."""
    sampler = sa.case((question.c.reason.in_(RANDOM_REASONS), "random"), else_=draw.c.sampler)
    drawn, is_open = question.join(draw), sa.text("serving.status = 'open'")  # as in its index
    counts: Counter[str] = Counter()
    # A question counts how often it was shown: without looking up its answers.
    for tables, number, which in (
        (drawn, sa.func.sum(question.c.n_served), sa.true()),
        (drawn.join(serving), -sa.func.count(), is_open),
    ):
        query = sa.select(sampler.label("drawn_by"), number).select_from(tables).where(which)
        counts.update(dict(connection.execute(query.group_by(sa.literal_column("drawn_by"))).all()))
    counts["listed"] = count_main_answers(connection) - counts.total()
    return {name: int(number) for name, number in counts.items() if number > 0}


def _over_time(connection: sa.Connection) -> dict[str, Any]:
    """Return the numbers of main answers in equal intervals from the first one until now."""
    first = connection.scalar(sa.select(sa.func.min(answer.c.received_at)))
    if first is None:
        return {"start": None, "seconds": None, "counts": []}
    now = time.time()
    first = min(first, now - N_BARS)  # a bar is a second at least
    width = (now - first) / N_BARS
    place_of = sa.cast(sa.func.floor((answer.c.received_at - first) / width), sa.Integer)
    all_answers = sa.select(place_of.label("place")).where(~answer.c.undone)
    # All but the few that are not main answers: without looking up the question of each.
    others = all_answers.select_from(answer.join(serving)).where(serving.c.role != "main")
    counts = [0] * N_BARS
    for query, sign in ((all_answers, 1), (others, -1)):
        # PostgreSQL groups by columns: an expression with parameters is another one each time.
        bars = query.subquery()
        grouped = sa.select(bars.c.place, sa.func.count()).group_by(bars.c.place)
        for place, number in connection.execute(grouped):
            counts[min(max(int(place), 0), N_BARS - 1)] += sign * int(number)
    return {"start": first, "seconds": width, "counts": counts}


def judge(
    connection: sa.Connection, site: Site, which: sa.Select[tuple[int]]
) -> list[dict[str, Any]]:
    """Return participants and the quality of their answers, in the order of the query for ids.

    The fields are `_COPIED`, `person` and those of `_judge`; PARTICIPANT_COLUMNS says what they
    mean.
    """
    study, trees = site.running.study, site.running.trees
    agreement = trees.agreement if trees else {}
    a = answer.c
    ids: list[Any] = list(connection.scalars(which))
    rows = connection.execute(
        sa.select(
            a.participant_id,
            *(serving.c.role, serving.c.shown, a.choice, a.seconds, a.n_blurs),
            (a.received_at - serving.c.served_at).label("passed"),  # by the server's clock
        )
        .select_from(answer.join(serving))
        .where(~a.undone, a.participant_id.in_(ids))
        .order_by(a.id)
    )
    by_person: dict[int, list[Any]] = {person: [] for person in ids}  # in the order asked for
    for row in rows:
        by_person[row.participant_id].append(row)
    found = connection.execute(sa.select(participant).where(participant.c.id.in_(ids)))
    people = {one.id: one for one in found}
    return [
        {name: getattr(people[person], name) for name in _COPIED}
        | {"person": person}
        | _judge(answers, study.in_condition(people[person].condition), agreement.get(person))
        for person, answers in by_person.items()
    ]


def newest_participants(page: int) -> sa.Select[tuple[int]]:
    """Return the query for a page of the dashboard: first those who ask to be removed."""
    c = participant.c
    newest = sa.select(c.id).order_by(c.asks_removal.desc(), c.id.desc())
    return newest.limit(PAGE_SIZE).offset((page - 1) * PAGE_SIZE)


def participants_after(person: int) -> sa.Select[tuple[int]]:
    """Return the query for the next participants in the order in which they joined."""
    c = participant.c
    return sa.select(c.id).where(c.id > person).order_by(c.id).limit(CHUNK_SIZE)


def _judge(rows: list[Any], study: Study, agreement: float | None) -> dict[str, Any]:
    """Return what the answers of a participant say about their quality."""
    kind = study.kind

    def asked(row: Any) -> Hashable:
        return kind.identity(read_objects(row.shown))

    def chosen(row: Any) -> tuple[int, ...]:
        return kind.chosen_objects(read_objects(row.shown), read_objects(row.choice))

    main, catches, repeats = (
        [row for row in rows if row.role == role] for role in ("main", "catch", "repeat")
    )
    seconds = sorted(row.seconds for row in main)
    first = {asked(row): row for row in reversed(main)}
    pairs = [(first[asked(row)], row) for row in repeats if asked(row) in first]
    n_same = sum(chosen(before) == chosen(again) for before, again in pairs)
    n_failed = sum(
        not study.passes_catch(read_objects(row.shown), read_objects(row.choice)) for row in catches
    )
    # A browser can say what it likes: an answer cannot take longer than it was on its way.
    n_fast = sum(min(row.seconds, row.passed) < study.min_seconds for row in main)
    n_odd = sum(row.seconds > CLOCK_RATIO * row.passed + CLOCK_SECONDS for row in main)
    most = max(1, FAST_SHARE * len(main))  # one may be a clock that was set, or a slip
    flags = []
    if n_odd > most:
        flags.append(f"{n_odd} of {len(main)} response times are longer than the time that passed")
    if n_fast > most:
        flags.append(f"{n_fast} of {len(main)} answers in under {study.min_seconds:g} s")
    if n_failed:
        flags.append(f"{n_failed} of {len(catches)} catch trials failed")
    if len(pairs) >= FEWEST_TO_JUDGE and n_same < LEAST_REPEAT_AGREEMENT * len(pairs):
        flags.append(f"{n_same} of {len(pairs)} repeats answered the same")
    has_enough = len(main) >= 4 * FEWEST_TO_JUDGE
    if agreement is not None and has_enough and agreement < LEAST_TREE_AGREEMENT:
        flags.append(f"{agreement:.0%} agreement with the tree of the others")
    return {
        "n_answers": len(main),
        "median_seconds": seconds[len(seconds) // 2] if seconds else None,
        "n_fast": n_fast,
        "n_cant_tell": sum(row.choice == "" for row in main),
        "n_blurs": sum(row.n_blurs for row in main),
        "n_catches": len(catches),
        "n_failed": n_failed,
        "n_repeats": len(pairs),
        "n_same": n_same,
        "agreement": agreement,
        "flags": tuple(flags),
    }
