"""All readings of a table that the names of its columns and their content allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ordlink._typing import BoolArray, Int64Array
from ordlink.comparisons._answers import find_form
from ordlink.io._families import Family, families
from ordlink.io._options import Options
from ordlink.io._pairs import name_pairs, named_pairs, without_repeats
from ordlink.io._responses import SMALLEST_SHARE, TrialCells, decode
from ordlink.io._table import find_columns
from ordlink.io._trials import Reading, complete
from ordlink.io._words import (
    ABOVE,
    DETAILS,
    FORM_WORDS,
    KIND_COLUMNS,
    NO_RESPONSE,
    PLACES,
    RANKS,
    YES_NO,
    forms_in_title,
    forms_said,
    is_less,
    is_no_answer,
    is_random,
    is_reference,
    is_response,
    tokens,
)

MOST_CANDIDATES = 12
"""More columns that could be the reference, or the response, are trials side by side."""
BESIDE = "by the cells beside"
FEWEST_JUDGED = 20
"""With so many rows, an item that is never chosen is the reference."""


def find_readings(cells: TrialCells, options: Options, rows: BoolArray) -> list[Reading]:
    """Return all readings of a table that names and content allow."""
    plain = cells.plain
    given_response = _chosen(cells, options.response)
    given_reference = _chosen(cells, options.reference and [options.reference])
    found, with_names = _groups(cells, options)
    groups = [*found, *(Family("", pairs) for pairs in with_names)]
    readings: list[Reading] = []
    for family, items in item_families(cells, options, rows):
        others = [at for at in range(len(plain)) if at not in family.members]
        own = [_without(name, family.stem) for name in plain]  # ref of ref_id, beside left_id
        references = [at for at in others if is_reference(plain[at]) or is_reference(own[at])]
        above = [at for at in others if _is_above(plain[at], family.stem)]
        named = _near(family.stem, references, plain) or references or above
        if not named and len(family.members) == 2:
            apart = [set(f.members) for f in groups if not set(f.members) & set(family.members)]
            alone = set(others).difference(*apart)  # in no family of their own
            alike = [at for at in sorted(alone) if _may_be_reference(cells, at, items, rows)]
            named = alike if len(alike) == 1 else []
        if len(named) > MOST_CANDIDATES and not given_reference:
            continue
        wanted: list[int | None] = [*(given_reference or named), None]
        n_before = len(readings)
        for reference in wanted[:1] if given_reference else wanted:
            compared = readings[n_before:] if reference is None and len(family.members) == 3 else []
            if any(complete(reading, cells)[rows].mean() > 0.5 for reading in compared):
                continue  # three options beside a reference
            others_alike = [f for f in found if len(f.members) == len(family.members)]
            responses = given_response or [
                at
                for at in others
                if is_response(plain[at])
                or any(is_response(_without(plain[at], f.stem)) for f in others_alike)  # chosen_id
            ]
            if family.members in with_names:  # our own files have details such as chose_first
                responses = [at for at in responses if plain[at] not in DETAILS]
            if not responses and family.members in with_names:
                responses = [at for at in others if is_unknown(plain[at])]
            free = [at for at in responses if at != reference]
            keys = {at for other in others_alike for at in other.members}  # key_for_a, key_for_b
            free = [at for at in free if at not in keys] or free
            near = (_near(family.stem, free, plain) or free)[: MOST_CANDIDATES + 1]
            if len(near) > MOST_CANDIDATES:
                continue
            columns = [tuple(free)] if given_response else [(at,) for at in near]
            if not given_response:
                columns += [f.members for f in families(plain) if set(f.members) <= set(near)]
            for response in columns:
                readings += _check(cells, family, reference, response, options, rows)
    if not given_response:
        readings = (
            readings or _ranked(cells, groups, rows) or _by_content(cells, found, options, rows)
        )
    if any(reading.how == BESIDE for reading in readings):  # key_for_a itself is no response
        readings = [reading for reading in readings if reading.how in (BESIDE, "by name")]
    # Of several choices in a row, all count; a column that always says the same is a setting.
    sets = [set(reading.response) for reading in readings]
    whole = [r for r, own in zip(readings, sets, strict=True) if not any(own < s for s in sets)]
    whole = [reading for reading in whole if _varies(reading, rows)] or whole
    return without_repeats(whole, cells, rows)


def _chosen(cells: TrialCells, columns: Sequence[str] | None) -> list[int]:
    """Return the positions of columns that the user named; a list stands for its entries."""
    found = find_columns(cells.table.names or (), columns or (), cells.table.where)
    return [entry for at in found for entry in cells.entries.get(at, (at,))]


def _groups(cells: TrialCells, options: Options) -> tuple[list[Family], list[tuple[int, ...]]]:
    """Return the families of columns, or what the user named, and the columns of named pairs."""
    if given := _chosen(cells, options.items):
        return [Family("", tuple(given))], []
    return families(cells.plain), named_pairs(cells.plain)


def item_families(
    cells: TrialCells, options: Options, rows: BoolArray
) -> Iterator[tuple[Family, Int64Array]]:
    """Yield the families of columns that may be items, with their codes."""
    found, with_names = _groups(cells, options)
    for family in [*found, *(Family("", pairs) for pairs in with_names)]:
        if options.items is None and _are_responses(family, cells.plain):
            continue
        items = cells.matrix(family.members)
        if items is not None and _are_items(items, rows):
            yield family, items


def _without(plain: str, stem: str) -> str:
    """Return a name without the words that it shares with a family of items."""
    return "_".join(word for word in plain.split("_") if word not in stem.split("_"))


def _may_be_reference(cells: TrialCells, at: int, items: Int64Array, rows: BoolArray) -> bool:
    """Return whether a column of unknown name holds the same objects as two options beside it."""
    codes = cells.codes(at) if is_unknown(cells.plain[at]) else None
    if codes is None or is_response(cells.plain[at]):
        return False
    whole = rows & (codes >= 0) & (items >= 0).all(axis=1)
    apart = (items[whole] != codes[whole, None]).all(axis=1)
    return bool(whole.any() and np.isin(codes[whole], items[whole]).all() and apart.mean() > 0.9)


def is_unknown(plain: str) -> bool:
    """Return whether nothing is known about a column: it may be a response."""
    known = {name for detail, names in DETAILS.items() for name in (detail, *names)}
    return plain not in known and not tokens(plain) & (KIND_COLUMNS | NO_RESPONSE)


def _are_responses(family: Family, plain: Sequence[str]) -> bool:
    """Return whether columns are several responses: choice_a, choice_b beside a choice are not."""
    if not any(is_response(plain[at]) for at in family.members):
        return False
    others = [name for at, name in enumerate(plain) if at not in family.members]
    return family.stem not in ("choice", "answer") or not any(map(is_response, others))


def _varies(reading: Reading, rows: BoolArray) -> bool:
    if not reading.response:
        return True
    said = np.empty(0) if reading.chosen is None else reading.chosen[rows]
    return len(np.unique(said[said >= 0])) > 1


def _is_above(plain: str, stem: str) -> bool:
    """Return whether a column is what stands above two options: top beside left and right."""
    words = set(plain.split("_"))
    return bool(words & ABOVE) and words - ABOVE == set(stem.split("_")) - {""}


def _near(stem: str, positions: Sequence[int], plain: Sequence[str]) -> list[int]:
    """Return the columns that share the rest of their name with a family: head_file, left_file."""
    words = frozenset(stem.split("_")) - {""}
    return [at for at in positions if words and words <= tokens(plain[at])]


def _are_items(items: Int64Array, rows: BoolArray) -> bool:
    """Return whether columns share names, as those of the same objects do."""
    sets = [set(np.unique(column[rows & (column >= 0)]).tolist()) for column in items.T]
    if (rows & (items >= 0).all(axis=1)).sum() < FEWEST_JUDGED:  # too few to meet again
        return len(set().union(*sets)) >= 3 and all(sets)
    return len(set().union(*sets)) >= 3 and all(
        any(one & other for k, other in enumerate(sets) if k != i) for i, one in enumerate(sets)
    )


def _ranked(cells: TrialCells, groups: Sequence[Family], rows: BoolArray) -> list[Reading]:
    """Return readings of options in the order of their similarity to a reference."""
    references = [at for at, name in enumerate(cells.plain) if is_reference(name)]
    ranked = [family.members for family in groups if tokens(family.stem) & RANKS]
    return [
        Reading("triplet", members, reference, how="by rank")
        for members in ranked
        for reference in references
        if (items := cells.matrix((reference, *members))) is not None and _are_items(items, rows)
    ]


def _by_content(
    cells: TrialCells, groups: Sequence[Family], options: Options, rows: BoolArray
) -> list[Reading]:
    """Return readings whose response column has an unknown name, but always repeats an item."""
    readings: list[Reading] = []
    for family in groups:
        if (items := cells.matrix(family.members)) is None or not _are_items(items, rows):
            continue
        references = [at for at, name in enumerate(cells.plain) if is_reference(name)]
        if len(references) > MOST_CANDIDATES:
            continue
        responses: list[tuple[int, ...]]
        responses = [own for own in cells.entries.values() if len(own) < len(family.members)]
        for at in range(len(cells.plain)):
            response = None if at in family.members else cells.codes(at)
            if response is None:
                continue
            hits = items == response[:, None]
            given = rows & (response >= 0)
            if (
                given.any()
                and hits[given].any(axis=1).all()
                and len(set(hits[given].argmax(1))) > 1
            ):
                responses.append((at,))
        for reference in (None, *references):
            for columns in responses:
                if reference not in (*columns, *family.members):
                    readings += _check(cells, family, reference, columns, options, rows)
    return readings


def _check(
    cells: TrialCells,
    family: Family,
    reference: int | None,
    response: tuple[int, ...],
    options: Options,
    rows: BoolArray,
) -> list[Reading]:
    """Return the readings with these columns that the content allows."""
    members, wanted = family.members, options.form and find_form(options.form).name
    if reference is None and wanted == "triplet" and len(members) >= 3:
        # The first item is what the others are compared with.
        reference, members = members[0], members[1:]
    items = cells.matrix(members)
    codes = [cells.codes(at) for at in response]
    anchor = None if reference is None else cells.codes(reference)
    if (
        items is None
        or any(code is None for code in codes)
        or (reference is not None and anchor is None)
    ):
        return []
    whole = rows & (items >= 0).all(axis=1)
    n, is_pairs = len(members), reference is None and len(members) == 4
    labels = [cells.plain[at] for at in members]
    places = keys = True
    if is_pairs:
        labels, places, keys = name_pairs(labels)
    elif not any(set(name.split("_")) & PLACES for name in labels) and is_random(cells.title):
        places = keys = False  # nobody knows what was on the left
    if anchor is not None:
        whole = whole & (anchor >= 0)
        shared = np.isin(anchor[whole], items[whole])
        if not len(shared) or shared.mean() < 0.5:
            return []
    flags = _flags(cells, response, n)
    if n < 2 or (reference is None and n not in (3, 4)) or (len(response) >= n and flags is None):
        return []
    less = is_less(cells.plain[response[0]])
    if reference is not None and "odd-one-out" in forms_said(cells.plain[response[0]]) and not less:
        return []
    ways: list[list[tuple[str, Int64Array]]] = []
    for at, code in zip(response, codes, strict=True):
        assert code is not None
        targets = np.full((len(code), 2), -9) if is_pairs else items
        found = decode(
            *(code, targets, labels, cells, whole),
            one_based=options.one_based,
            places=places,
            keys=keys,
            about=_about(cells.plain[at], labels),
            known=options.words,
        )
        beside = [] if options.words else _by_cells_beside(cells, code, members, whole)
        found = beside + [way for way in found if not beside or way[0] != "by key"]
        ways.append(
            [
                way
                for way in found
                if anchor is None or way[0] != "by name" or _avoids(code, anchor, whole)
            ]
        )
    if flags is not None:
        ways = [[("by marks", column)] for column in flags.T]
    readings = []
    for how, chosen in _alike(ways):
        counts = np.bincount(chosen[whole & (chosen >= 0).all(axis=1)].ravel(), minlength=n)
        used_all = is_pairs or n == 2 or (counts[:n] > 0).all()
        fewest = FEWEST_JUDGED * (n if reference is not None else 1)
        if whole.sum() >= fewest and not used_all:
            continue
        forms = _forms(cells, response, reference, n, wanted)
        if how == "by pair":  # the third one is the odd one out
            forms = [form for form in forms if form == "odd-one-out" and not reference]
        if reference is None and len(response) == 2 and n == 3:  # which two are alike
            third = np.where(chosen[:, 0] == chosen[:, 1], -2, 3 - chosen.sum(axis=1))
            chosen = np.where((chosen < 0).any(axis=1), chosen.min(axis=1), third)[:, None]
            forms = [form for form in forms if form == "odd-one-out"]
        for form in forms:
            each = cells.asks_less | less
            readings.append(Reading(form, members, reference, response, how, chosen, each))
    return readings


def _alike(ways: Sequence[list[tuple[str, Int64Array]]]) -> Iterator[tuple[str, Int64Array]]:
    """Yield the ways in which all response columns can be decoded alike, one column each."""
    others = [dict(reversed(found)) for found in ways[1:]]
    for how, chosen in ways[0]:
        if all(how in found for found in others):
            yield how, np.stack([chosen, *(found[how] for found in others)], axis=1)


def _flags(cells: TrialCells, response: Sequence[int], n: int) -> Int64Array | None:
    """Return the positions of the items whose own column of responses says yes, if all have one."""
    codes = cells.matrix(response)
    if len(response) != n or codes is None:
        return None
    words = [word.casefold() for word in cells.vocabulary]
    yes, no = (np.array([word in {p[k] for p in YES_NO} for word in words]) for k in (0, 1))
    if not (yes[codes] | no[codes] | (codes < 0)).all():
        return None
    marked = yes[codes] & (codes >= 0)
    n_marked = np.bincount(marked.sum(axis=1), minlength=2)[1:].argmax() + 1
    ordered = np.argsort(~marked, axis=1, kind="stable")[:, :n_marked]
    return np.where(marked.sum(axis=1, keepdims=True) == n_marked, ordered, -1)


def _about(plain: str, labels: Sequence[str]) -> int | None:
    """Return which of two items a column such as chose_left is about."""
    words = set(plain.split("_"))
    if len(labels) != 2:
        return None
    own = [set(label.split("_")) | {label} for label in labels]
    spoken = [
        bool(words & ({*mine, order} - other)) or label in plain
        for mine, other, label, order in zip(
            own, own[::-1], labels, ("first", "second"), strict=True
        )
    ]
    return spoken.index(True) if sum(spoken) == 1 else None


def _by_cells_beside(
    cells: TrialCells, response: Int64Array, members: tuple[int, ...], rows: BoolArray
) -> list[tuple[str, Int64Array]]:
    """Return the choice if a response repeats cells beside the items: left_id, or key_for_a."""
    given = rows & (response >= 0)
    for family in families(cells.plain):
        codes = None if set(family.members) & set(members) else cells.matrix(family.members)
        if codes is None or len(family.members) != len(members):
            continue
        hits = codes == response[:, None]
        chosen = hits.argmax(axis=1)
        once = given & (hits.sum(axis=1) == 1)
        if once.sum() >= SMALLEST_SHARE * given.sum() and len(set(chosen[once].tolist())) > 1:
            silent = np.array([is_no_answer(word) for word in cells.vocabulary])[response]
            missing = np.where((response < 0) | silent, -1, -2)
            return [(BESIDE, np.where(hits.any(axis=1), chosen, missing))]
    return []


def _avoids(code: Int64Array, anchor: Int64Array, rows: BoolArray) -> bool:
    return not (rows & (code >= 0) & (code == anchor)).any()


def _forms(
    cells: TrialCells, response: tuple[int, ...], reference: int | None, n: int, wanted: str | None
) -> list[str]:
    """Return the possible forms: as given by the user, as the response's name says, or several."""
    if reference is not None:
        forms = ["triplet"]
    elif n == 4:
        forms = ["quadruplet"]
    else:
        forms = (
            forms_said(cells.plain[response[0]]) or forms_in_title(cells.title) or list(FORM_WORDS)
        )
    return (
        forms
        if wanted is None
        else [wanted]
        if wanted in forms or (n == 3 and reference is None and wanted in FORM_WORDS)
        else []
    )
