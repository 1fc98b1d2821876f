"""Groups of participants, by condition or by an answer to a questionnaire."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import sqlalchemy as sa

from ordlink.collect.schema import participant
from ordlink.collect.study import Study
from ordlink.collect.trees import quick_method, tree_options
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError
from ordlink.validation import GroupComparison, compare_groups

MOST_COMPARED = 2000  # participants: the test takes memory for each two of them


def compare(
    comparisons: ListedComparisons, study: Study, by: str, group_of: Mapping[str, str]
) -> GroupComparison | None:
    """Return the trees of groups and how far they differ; None for fewer than two groups.

    Conditions with different questions or stimuli are not tested: their answers differ anyway.
    """
    details, method = comparisons.details, quick_method(study.method)
    people = [] if details is None or details.annotators is None else details.annotators.tolist()
    labels = [group_of.get(name, "") for name in people]
    if len(set(labels) - {""}) < 2:
        return None
    if len(set(people)) > MOST_COMPARED:
        raise InputError(f"there are more than {MOST_COMPARED:,} participants")
    found = compare_groups(comparisons, labels, method, **tree_options(method))
    seen = [study.in_condition(name) for name in study.conditions]
    if by == "condition" and len({(one.question, one.objects) for one in seen}) > 1:
        return replace(found, p_value=math.nan, branches=())
    return found


def read_groups(connection: sa.Connection, by: str) -> dict[str, str]:
    """Return the condition of each participant, or their answer to an item, if they have one."""
    c = participant.c
    told = {
        person_name(one.id): json.loads(one.questionnaire) | {"condition": one.condition or None}
        for one in connection.execute(sa.select(c.id, c.condition, c.questionnaire))
    }
    return {name: str(one[by]) for name, one in told.items() if one.get(by) is not None}


def iso_time(seconds: float) -> str:
    """Return a moment (UTC) as it is written in exports."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def person_name(person: int) -> str:
    """Return the name of a participant in exports, never their id on a platform."""
    return f"P{person}"
