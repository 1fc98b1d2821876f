"""Quality of the answers, as a section of the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ordlink import validation
from ordlink._html import Html, escape, table
from ordlink._text import counted, percent
from ordlink.report._evidence import Evidence
from ordlink.report._words import named

MOST_PEOPLE = 200  # with more people than this, only those with flags are listed
SAME_WEIGHTS = 0.005  # weights that differ by less are called equal
FEWEST_FOR_ERROR = 20  # for fewer answers a standard error is itself too uncertain to be shown


def crowd_section(evidence: Evidence) -> str:
    """Return exclusions, weights, repeats, consistency and the table of people."""
    crowd, weights = evidence.crowd, {}
    parts = []
    if evidence.exclusion is not None:
        parts.append(_exclusion(evidence.exclusion))
    if evidence.weighting is not None:
        weights = evidence.weighting.weights
        parts.append(_weighting(evidence.weighting))
    parts += [_repeats(crowd), _consistency(crowd)]
    if crowd.annotators:
        parts.append(_people(crowd, weights))
    else:
        parts.append("<p>The file does not say who gave which answer.</p>")
    return "\n".join(parts)


def _exclusion(effect: validation.ExclusionEffect) -> str:
    return (
        f"<p><strong>Excluded on request:</strong> {named(effect.excluded, 50)}, "
        f"with {counted(effect.n_left_out, 'comparison')}. The trees with and without them resolve "
        f"{_agreement(effect)}. The tree with them agrees with {percent(effect.accuracy_with)} of "
        "the remaining comparisons, the tree without them with "
        f"{percent(effect.accuracy_without)}.</p>"
    )


def _weighting(effect: validation.WeightingEffect) -> str:
    low, high = min(effect.weights.values()), max(effect.weights.values())
    if high - low < SAME_WEIGHTS:
        found = "Annotator weights do not differ, so all answers count equally."
    else:
        found = (
            f"Annotator weights range from {low:.2f} to {high:.2f}, by how well each person agrees "
            f"with the tree of the others. The {escape(effect.method)} trees with and without "
            f"weights resolve {_agreement(effect)}. They agree with "
            f"{percent(effect.accuracy_with)} and {percent(effect.accuracy_without)} of the "
            "comparisons, counted by weight."
        )
    return (
        f"<p><strong>Annotator weights, on request:</strong> {found} The tree on this page weights "
        "all answers equally; <code>ordlink cluster --weigh-people</code> builds the weighted "
        "one.</p>"
    )


def _agreement(effect: validation.TwoTrees) -> str:
    ties = ""
    if effect.agreement_of_ties < 1:
        ties = f"; trees that differ in ties only: {percent(effect.agreement_of_ties)}"
    return (
        f"{percent(effect.agreement)} of the triples of objects in the same way (unrelated trees: "
        f"33 %{ties})"
    )


def _repeats(crowd: validation.CrowdQuality) -> str:
    if not crowd.repeats.n_pairs:
        return (
            "<p>No question was asked twice, so agreement on the same question is unknown. Repeat "
            "some questions in the next survey to measure it.</p>"
        )
    kinds = {
        "any two answers": crowd.repeats,
        "two answers by one person": crowd.within,
        "answers by two people": crowd.between,
    }
    return table(
        ("agreement of", "questions", "pairs of answers", "agree", "by chance", "beyond chance"),
        [_repeat_row(name, found) for name, found in kinds.items() if found.n_pairs],
        caption="Answers to the same question: share of pairs of answers that agree, mean over "
        "questions, ± one standard error. Beyond chance: 0 for guessing, 100 % for perfect "
        "agreement.",
    )


def _repeat_row(name: str, found: validation.RepeatAgreement) -> tuple[str, ...]:
    agree, numbers = _share(found.agreement, found.error), (found.n_questions, found.n_pairs)
    chances = percent(found.chance), percent(found.corrected)
    return name, *(f"{number:,}" for number in numbers), agree, *chances


def _share(share: float, error: float) -> str:
    shown = f" ± {100 * error:.0f}" if math.isfinite(error) else ""
    return f"{100 * share:.0f}{shown} %"


def _consistency(crowd: validation.CrowdQuality) -> str:
    cycles = crowd.cycles
    text = (
        f"<p>{counted(crowd.n_contradictions, 'comparison was', 'comparisons were')} answered both "
        f"ways, of {crowd.n_distinct:,} different ones."
    )
    if cycles.n_triads:
        drawn = "" if cycles.is_exact else " drawn at random"
        text += (
            f" Of {counted(cycles.n_triads, 'triad')}{drawn} (three pairs of objects that were all "
            f"compared with each other), {percent(cycles.share)} are circular: a over b, b over c, "
            "c over a. Guessing would give 25 %, answers without lapses 0 %."
        )
    return text + "</p>"


def _people(crowd: validation.CrowdQuality, weights: Mapping[str, float]) -> str:
    people: Sequence[validation.AnnotatorQuality] = crowd.annotators
    note = ""
    if len(people) > MOST_PEOPLE:
        people = [person for person in people if person.flags]
        note = f" Only the {len(people)} people with a flag are listed."
    people = sorted(people, key=lambda one: (not one.flags, _or_last(one.accuracy)))
    columns: list[tuple[str, str, list[str | Html]]] = [
        ("person", "", [escape(one.name) for one in people]),
        ("answers", "", [f"{one.n_answers:,}" for one in people]),
        (
            "agrees with the tree of others",
            f"share of their comparisons that the tree of all others ({crowd.method}) predicts, ± "
            "one standard error; guessing gives 50 %",
            [_accuracy(one) for one in people],
        ),
        (
            "p",
            "probability that somebody as reliable as the others would agree this little",
            [_number(one.p_value, ".3f") for one in people],
        ),
        (
            "consistent",
            "share of repeated questions that they answered in the same way, and their number",
            [_own(one) for one in people],
        ),
        (
            "correct (estimate)",
            "estimated share of correct answers to questions that others answered too (Dawid-Skene "
            "model)",
            [percent(one.skill) for one in people],
        ),
        (
            "first option",
            f"share of answers for the option shown first; {_chances(people)} by chance",
            [percent(one.first_share) for one in people],
        ),
        (
            "median time",
            f"per answer, in the unit of the file; typically {_number(crowd.usual_time, ',.4g')}",
            [_number(one.median_time, ",.4g") for one in people],
        ),
        (
            "fast",
            "share of answers in less than a quarter of the typical time",
            [percent(one.fast_share) for one in people],
        ),
        (
            "weight",
            "annotator weight; 1 is typical, 0 is guessing",
            [_number(weights.get(one.name, math.nan), ".2f") for one in people],
        ),
    ]
    kept = [column for column in columns if any(cell != "-" for cell in column[2])]
    flags: list[str | Html] = [
        Html(f'<span class="flag">{escape("; ".join(one.flags))}</span>') if one.flags else ""
        for one in people
    ]
    if any(flags):
        kept.append(("flags", "", flags))
    rows = list(zip(*(cells for _, _, cells in kept), strict=True))
    meanings = "".join(
        f"<li><strong>{escape(name)}</strong>: {escape(meaning)}</li>"
        for name, meaning, _ in kept
        if meaning
    )
    return (
        "<h3>People</h3><p>A flag is a reason to look at somebody's answers. Nobody is excluded or "
        f"down-weighted automatically.{note}</p>"
        + table([name for name, _, _ in kept], rows, caption="Each person's answers.")
        + f'<ul class="note">{meanings}</ul>'
    )


def _accuracy(person: validation.AnnotatorQuality) -> str:
    if not math.isfinite(person.accuracy):
        return "-"
    many = person.n_answers >= FEWEST_FOR_ERROR
    return _share(person.accuracy, person.accuracy_error if many else math.nan)


def _own(person: validation.AnnotatorQuality) -> str:
    own = person.repeats
    text = f"{percent(own.agreement)} of {own.n_questions:,}" if own.n_pairs else "-"
    return text.replace(" ", "\u00a0")  # in one line, whatever the width


def _chances(people: Sequence[validation.AnnotatorQuality]) -> str:
    """Return how often chance picks the first option; a range where forms differ."""
    found = sorted({percent(one.first_chance) for one in people if one.n_placed})
    return found[0] if len(found) == 1 else " to ".join((found[0], found[-1])) if found else "-"


def _number(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else "-"


def _or_last(value: float) -> float:
    return value if math.isfinite(value) else 2.0
