"""Files as labs have them: each is read with at most its form, and gives the three groups."""

from __future__ import annotations

from pathlib import Path

import pytest

import ordlink as ol
from tests.io.make_samples import FOLDER, FORMS, GROUP, GROUPS

SAMPLES = sorted(path for path in FOLDER.iterdir() if not path.name.startswith("."))
NUMBERED = {str(number + 1): name for number, name in enumerate(GROUP)}


def form_of(path: Path) -> str | None:
    return next(form for start, form in FORMS.items() if path.name.startswith(start))


def groups_of(comparisons, method: str = "AddS-AL") -> set[frozenset[str]]:
    tree = ol.cluster(comparisons, method)
    labels = tree.cut(3)
    names = [NUMBERED.get(name, name) for name in comparisons.names]
    return {
        frozenset(name for name, label in zip(names, labels, strict=True) if label == number)
        for number in range(3)
    }


def test_there_are_enough_samples():
    assert len(SAMPLES) >= 90


@pytest.mark.filterwarnings("ignore:.*(tie|both ways)")
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_samples_give_the_groups(path):
    told: list[str] = []

    comparisons = ol.read_comparisons(path, form=form_of(path), tell=told.append)

    assert groups_of(comparisons) == {frozenset(group) for group in GROUPS}
    assert comparisons.n_objects == 12
    if "plain" not in path.name:
        assert any("read as: " in sentence for sentence in told)


@pytest.mark.filterwarnings("ignore:.*(tie|both ways)")
@pytest.mark.parametrize("path", SAMPLES[::20], ids=lambda path: path.name)
def test_the_default_method_gives_the_groups_too(path):
    comparisons = ol.read_comparisons(path, form=form_of(path), tell=lambda _: None)

    assert groups_of(comparisons, "auto") == {frozenset(group) for group in GROUPS}
