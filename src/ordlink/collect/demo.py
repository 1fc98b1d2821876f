"""The study of `ordlink collect --demo`: animals, by their names."""

from __future__ import annotations

from ordlink.collect.stimuli import Stimulus
from ordlink.collect.study import Study, make_study
from ordlink.datasets import load_zoo


def demo_study() -> Study:
    """Return a study of the animals of the Zoo data."""
    names = dict.fromkeys(load_zoo().names)  # two animals are called frog: one is enough
    stimuli = tuple(Stimulus(name, "text", name) for name in names)
    settings = {"name": "Animals", "questions_per_person": 30, "break_every": 15}
    return make_study(settings, stimuli, "the demo")
