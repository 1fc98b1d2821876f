"""What a report says, and that it says it safely."""

from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ordlink as ol
from ordlink.errors import InputError, InputKindError
from ordlink.metrics import triplet_distance
from ordlink.plotting import plot_hierarchy
from ordlink.report import Evidence, Making, gather_evidence, making_time, report_page
from ordlink.report._evidence import choose_method, choose_n_bootstrap
from ordlink.report._tree import HEIGHT, WIDTH, thumbnails
from ordlink.report._words import _members, summary_html
from ordlink.validation import CANDIDATES, MethodComparison
from tests.candidates import FAST, only_candidates

MAKING = Making(
    command="ordlink report 'a <b>.csv'",
    source="a <b>.csv",
    checksum="0" * 64,
    made_at=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
)
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Reads a page: its elements, its text, and whether every element is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.data: dict[str, str] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            identifier = self.elements[-1][1].get("id")
            if identifier:
                self.data[identifier] = self.data.get(identifier, "") + data
        elif not self.open or self.open[-1] != "style":
            self.text += data


@pytest.fixture(scope="session")
def text(evidence: Evidence, pictures: list[Path | None]) -> str:
    return report_page(evidence, title="A <title>", making=MAKING, pictures=pictures)


@pytest.fixture(scope="session")
def page(text: str) -> Page:
    return Page(text)


def test_every_element_is_closed_in_order(page: Page) -> None:
    assert page.open == []


def test_the_parts_stand_under_headings_in_order(page: Page, text: str) -> None:
    assert re.findall(r"<h2 id=\"(\w+)\">", text) == [
        "summary", "tree", "consensus", "data", "crowd", "methods", "curve", "paper", "making",
        "citations",
    ]  # fmt: skip
    assert [tag for tag, _ in page.elements].count("h1") == 1
    links = {a["href"] for tag, a in page.elements if tag == "a"}
    assert links == {"#" + key for key in re.findall(r"<h2 id=\"(\w+)\">", text)}


def test_names_of_objects_and_people_are_text_and_never_markup(page: Page, names, crowd) -> None:
    allowed = {"application/json", None}
    scripts = [a for tag, a in page.elements if tag == "script"]
    assert len(scripts) == 3
    assert {a.get("type") for a in scripts} == allowed
    assert not any("onerror" in a for _, a in page.elements)
    for image in (a for tag, a in page.elements if tag == "img"):  # only our thumbnails
        assert sorted(image) == ["alt", "height", "src"]
        assert str(image["src"]).startswith("data:image/")
    assert json.loads(page.data["tree-all-data"])["names"] == names
    for person in set(crowd.details.annotators) - {"bob"}:
        assert person in page.text


def test_nothing_is_loaded_from_elsewhere(page: Page, text: str) -> None:
    for _, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "action"):
            value = attributes.get(name) or "#"
            assert value.startswith(("#", "data:"))
    assert "url(" not in text
    assert "@import" not in text
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)


def test_every_table_has_a_caption_and_every_figure_one(page: Page) -> None:
    tags = [tag for tag, _ in page.elements]
    assert tags.count("table") == tags.count("caption") >= 6
    assert tags.count("figure") == tags.count("figcaption") >= 3
    for tag, attributes in page.elements:
        if tag == "svg":
            assert attributes["aria-label"]


def test_the_data_of_the_tree_is_the_tree(page: Page, evidence: Evidence, pictures) -> None:
    data = json.loads(page.data["tree-all-data"])

    assert data["merges"] == evidence.tree.merges.tolist()
    assert data["support"] == evidence.tree.support.tolist()
    assert data["scores"] == evidence.tree.scores.tolist()
    assert data["shares"] == evidence.support.shares.tolist()
    assert data["transfers"] == evidence.support.transfers.tolist()
    assert [one is None for one in data["pictures"]] == [path is None for path in pictures]
    consensus = json.loads(page.data["tree-consensus-data"])
    assert consensus["merges"] == evidence.consensus.merges.tolist()
    assert consensus["threshold"] == 50
    assert consensus["shares"] is consensus["transfers"] is None


def test_it_says_how_it_was_made(page: Page) -> None:
    for part in (MAKING.command, MAKING.checksum, "2026-01-02 03:04 UTC", "a <b>.csv", "numpy"):
        assert part in page.text


def test_who_was_left_out_is_named_with_the_effect(page: Page, evidence: Evidence) -> None:
    assert evidence.exclusion is not None
    assert "bob" not in [person.name for person in evidence.crowd.annotators]
    assert "Excluded on request: bob, with 200 comparisons" in page.text
    assert "1 person was excluded on request (bob)" in page.text


def test_how_far_ties_alone_would_change_the_tree_is_said(evidence: Evidence) -> None:
    def said(agreement_of_ties: float) -> str:
        effect = replace(evidence.exclusion, agreement=0.912, agreement_of_ties=agreement_of_ties)
        return Page(report_page(replace(evidence, exclusion=effect))).text

    assert "91 % of the triples of objects in the same way (unrelated trees: 33 %)." in said(1.0)
    tied = "(unrelated trees: 33 %; trees that differ in ties only: 80 %)."
    assert tied in said(0.8)


def test_flagged_people_are_still_in_the_tree(page: Page, evidence: Evidence) -> None:
    assert evidence.crowd.flagged == ("eve",)
    assert evidence.summary.n_annotators == 5
    assert "Of 5 people, one looks unusual" in page.text
    assert "no better than guessing" in page.text


def test_it_says_what_the_folds_keep_together(page: Page, evidence: Evidence) -> None:
    scores = tuple(
        replace(one, held_out=replace(one.held_out, folds_by="answers"))
        for one in evidence.methods.scores
    )
    by_answers = replace(evidence, methods=replace(evidence.methods, scores=scores))

    other = Page(report_page(by_answers)).text

    assert "Folds are by people" in page.text
    assert "of the comparisons by people it has not seen" in page.text
    assert "Folds are by answers" in other
    assert "of the comparisons in answers it has not seen" in other


def test_the_same_evidence_gives_the_same_page(evidence: Evidence) -> None:
    assert report_page(evidence, making=MAKING) == report_page(evidence, making=MAKING)


def test_the_summary_counts_branches_by_their_support(evidence: Evidence) -> None:
    known = [0.97, 0.95, 0.9499, 0.5, 0.4999, 0.2, 1.0, 0.6, 0.3, 0.99, 1.0]  # the last is the root
    support = replace(evidence.support, tree=evidence.tree.with_support(known))

    summary = Page(summary_html(replace(evidence, support=support))).text

    assert "Of 10 branches below the root, 4 are firm (support of at least 95 %)" in summary
    assert "3 are uncertain (50 to 95 %), and 3 are not supported (below 50 %)" in summary
    assert "There is structure that a tree can express." in summary


@pytest.mark.parametrize(
    ("n_reached", "said"),
    [
        (0, "express. Trees built from one half of the pairs of objects predict"),
        (1, "better than chance (p = 0.002)"),
        (49, "better than chance (p = 0.050)"),
        (50, "There is no significant evidence of a hierarchy."),
    ],
)
def test_the_p_value_decides_what_is_said(evidence: Evidence, n_reached: int, said: str) -> None:
    test = replace(evidence.test, null_statistics=np.zeros(999), p_value=(1 + n_reached) / 1000)

    summary = Page(summary_html(replace(evidence, test=test))).text

    assert said in summary
    assert ("smallest this test can give" in summary) == (n_reached == 0)


@pytest.mark.parametrize(
    ("agreement", "said"),
    [
        (1.0, "agree in 100 % of cases."),
        (0.998, "agree in more than 99 % of cases, so no tree could predict all."),
        (0.78, "agree in 78 % of cases, so no tree could predict more than 87 % of them."),
    ],
)
def test_only_people_who_disagree_are_a_limit_to_every_tree(
    evidence: Evidence, agreement: float, said: str
) -> None:
    between = replace(evidence.crowd.between, n_pairs=50, agreement=agreement)
    crowd = replace(evidence.crowd, between=between)

    text = Page(summary_html(replace(evidence, crowd=crowd))).text

    assert said in text
    assert ("no tree could predict" in text) == (agreement < 1)


def test_support_has_the_same_percent_in_words_text_and_plot(evidence: Evidence) -> None:
    """100 * 0.58 and 100 * 0.29 are a little less than 58 and 29."""
    support = [0.58, 0.29, 0.9499, 1.0]
    tree = ol.Hierarchy([[0, 1], [2, 3], [4, 6], [5, 7]]).with_support(support)

    drawing = tree.to_text(width=90)
    texts = plot_hierarchy(tree, support="numbers").texts
    numbers = {text.get_text() for text in texts if str(text.get_gid()).startswith("support")}

    assert [number in drawing for number in ("58", "29", "94")] == [True] * 3
    assert numbers == {"58", "29", "94"}
    assert [_members(tree, t).rsplit(" (", 1)[1] for t in range(3)] == ["58 %)", "29 %)", "94 %)"]


@pytest.mark.usefixtures("fast_candidates")
def test_answers_by_coin_toss_are_said_to_have_no_hierarchy() -> None:
    rng = np.random.default_rng(3)
    rows = np.array([rng.permutation(10)[:3] for _ in range(600)])
    coins = ol.Comparisons.from_triplets(rows, n_objects=10)

    evidence = gather_evidence(coins, method="AddS-AL", n_bootstrap=20, seed=1)

    assert evidence.test is not None
    assert evidence.test.p_value > 0.05
    summary = Page(summary_html(evidence)).text
    assert "There is no significant evidence of a hierarchy" in summary
    assert "should not be read as a finding" in summary


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize(
    "rows", [[[0, 1, 2]], [[0, 1, 2], [2, 1, 0]], [[0, 1, 2], [3, 4, 5], [3, 5, 4], [0, 1, 2]]]
)
def test_few_answers_make_a_page_that_says_so(rows: list[list[int]]) -> None:
    answers = ol.Comparisons.from_triplets(rows)
    evidence = gather_evidence(answers, n_bootstrap=5)

    page = Page(report_page(evidence))

    assert evidence.methods is evidence.curve is None
    assert "too few" in page.text
    assert page.open == []
    assert evidence.tree.merges.tolist() == ol.cluster(answers, "auto").merges.tolist()


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize("n_rows", [3, 19])
def test_answers_with_counts_are_held_out_row_by_row(n_rows: int) -> None:
    """Rows cannot be torn apart: 30 answers in 3 rows make no five folds."""
    rows = [[i % 4, (i + 1) % 4, (i + 2 + i // 4 % 2) % 4] for i in range(n_rows)]
    rows = [row if len(set(row)) == 3 else [0, 1, 2] for row in rows]
    counted = ol.Comparisons.from_triplets(rows, n_objects=4, counts=[10] * n_rows)

    evidence = gather_evidence(counted, n_bootstrap=1)

    assert evidence.methods is evidence.curve is None
    assert "too few answers for cross-validation" in Page(report_page(evidence)).text
    taken = ol.cluster(counted, "auto")
    assert evidence.reason == f"{taken.parameters['reason']}."
    assert evidence.tree.merges.tolist() == taken.merges.tolist()


def test_two_objects_make_a_page() -> None:
    tree_of_two = ol.Comparisons.from_triplets(np.empty((0, 3), dtype=int), n_objects=2)

    page = Page(report_page(gather_evidence(tree_of_two, n_bootstrap=2)))

    assert "0 answers about 2 objects" in page.text


@pytest.mark.usefixtures("fast_candidates")
def test_evidence_is_the_same_for_the_same_seed(crowd) -> None:
    first, second = (gather_evidence(crowd, method="4-AL", n_bootstrap=10) for _ in range(2))

    assert first.tree == second.tree
    assert first.consensus == second.consensus
    assert first.test.p_value == second.test.p_value
    assert first.tree.method == "4-AL"


def _with_accuracies(methods: MethodComparison, accuracies: dict[str, float]) -> MethodComparison:
    """Return the comparison with other accuracies on held-out answers, best first."""
    scores = [
        replace(
            methods[label], held_out=replace(methods[label].held_out, accuracies=np.full((1, 5), x))
        )
        for label, x in sorted(accuracies.items(), key=lambda item: -item[1])
    ]
    return replace(methods, scores=tuple(scores))


def test_the_default_method_is_taken_where_its_bootstrap_is_fast(evidence: Evidence, crowd) -> None:
    methods = evidence.methods
    assert methods is not None
    default = replace(methods.scores[0], label="auto", method="auto")

    chosen, reason = choose_method(replace(methods, scores=(*methods.scores, default)), crowd, 1)

    assert (chosen, reason) == (CANDIDATES["auto"], "")  # the tree says why


@pytest.mark.parametrize(
    ("accuracies", "n_bootstrap", "label", "said"),
    [
        (
            {"spectral": 0.70, "tSTE-AL 2-D": 0.65, "AddS-AL": 0.68},
            400,
            "AddS-AL",
            "of the methods that process 400 bootstrap samples in two minutes, AddS-AL predicts "
            "held-out answers best; spectral is 2.0 percentage points more accurate, so request "
            "it by name if its support is worth the wait.",
        ),
        (
            {"spectral": 0.69, "tSTE-AL 2-D": 0.65, "AddS-AL": 0.70},
            400,
            "AddS-AL",
            "AddS-AL predicts held-out answers best; spectral, which is preferred where the two "
            "do not differ significantly, is too slow for 400 bootstrap samples.",
        ),
        (
            {"spectral": 0.70, "tSTE-AL 2-D": 0.7204, "AddS-AL": 0.72},
            200_000,
            "AddS-AL",
            "of the methods that process 200,000 bootstrap samples in two minutes, AddS-AL "
            "predicts held-out answers best; tSTE-AL 2-D is less than 0.1 percentage points more "
            "accurate, so request it by name if its support is worth the wait.",
        ),
        (
            {"spectral": 0.72, "tSTE-AL 2-D": 0.70, "AddS-AL": 0.70},
            10**9,
            "AddS-AL",
            "no method processes 1,000,000,000 bootstrap samples in two minutes, and AddS-AL is "
            "the fastest; spectral is 2.0 percentage points more accurate, so request it by name "
            "if its support is worth the wait.",
        ),
    ],
)
def test_a_method_that_is_not_the_recommended_one_is_taken_for_a_true_reason(
    evidence: Evidence, crowd, accuracies, n_bootstrap: int, label: str, said: str
) -> None:
    methods = replace(_with_accuracies(evidence.methods, accuracies), recommended="spectral")

    chosen, reason = choose_method(methods, crowd, n_bootstrap)

    assert chosen.label == label
    assert reason == said


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize("n_answers", [1, 19, 20, pytest.param(40, marks=pytest.mark.slow)])
def test_report_and_auto_take_the_same_method(crowd, n_answers: int) -> None:
    some = crowd.take(np.arange(crowd.n_rows) < n_answers)

    with only_candidates("auto", "AddS-AL"):
        evidence = gather_evidence(some, n_bootstrap=1)

    taken = ol.cluster(some, "auto")
    assert evidence.chosen.label == "auto"
    assert evidence.reason == f"{taken.parameters['reason']}."
    assert evidence.tree.merges.tolist() == taken.merges.tolist()
    assert (evidence.methods is None) == (n_answers < 20)


def test_where_the_threshold_is_checked_is_said_with_the_methods(
    evidence: Evidence, page: Page
) -> None:
    checked = "validates the 95 % threshold on planted data, for 4-AL and AddS-AL"
    other = report_page(replace(evidence, chosen=CANDIDATES["tSTE-AL 2-D"]))

    assert f"{checked}." in page.text
    assert f"{checked}, not for tSTE-AL." in Page(other).text
    own = report_page(replace(evidence, chosen=CANDIDATES["spectral"]))
    assert f"{checked} and, in a smaller study, spectral." in Page(own).text


@pytest.mark.parametrize(
    ("label", "n_objects", "n_answers", "n_bootstrap", "why"),
    [
        ("AddS-AL", 60, 12_000, 200, "the default"),
        ("spectral", 20, 3_000, 96, "about as many as spectral processes in two minutes"),
        ("spectral", 60, 12_000, 55, "about as many as spectral processes in two minutes"),
        ("spectral", 60, 400_000, 50, "few, because spectral is slow on this many answers"),
    ],
)
def test_a_slow_method_gets_fewer_replicates_but_at_least_fifty(
    label: str, n_objects: int, n_answers: int, n_bootstrap: int, why: str
) -> None:
    rows = np.arange(3 * n_answers).reshape(-1, 3) % n_objects
    answers = ol.Comparisons.from_triplets(rows, n_objects=n_objects)

    assert choose_n_bootstrap(CANDIDATES[label], answers) == (n_bootstrap, why)


def test_the_page_says_how_many_replicates_and_why(evidence: Evidence, page: Page) -> None:
    slow = replace(evidence, n_bootstrap=96, bootstrap_reason="as many as fit")

    assert "Support is from 40 bootstrap samples (as requested)" in page.text
    assert "Support is from 96 bootstrap samples (as many as fit)" in Page(report_page(slow)).text


def _with_trees(
    evidence: Evidence, trees: dict[str, list[list[int]]], tied: int, error: float = 0.01
) -> str:
    """Return the summary if methods had these trees, and only the first ones tied with the best.

    The second one is 0.01 behind the first, and so on; the error grows as well.
    """
    scores = [
        replace(
            evidence.methods.scores[0],
            label=label,
            tree=ol.Hierarchy(merges),
            difference=0.01 * number,
            difference_error=error * number if number < tied else 0.0,
        )
        for number, (label, merges) in enumerate(trees.items())
    ]
    methods = replace(evidence.methods, scores=tuple(scores))
    summary = replace(evidence.summary, n_objects=6)
    chosen = replace(evidence.chosen, label="one")
    return Page(
        summary_html(replace(evidence, methods=methods, summary=summary, chosen=chosen))
    ).text


def test_equally_good_methods_that_split_the_objects_differently_are_named(
    evidence: Evidence,
) -> None:
    """Of {0 1} {2 3} {4 5}, the first tree parts off {4 5} and the others {0 1}."""
    one = [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    other = [[0, 1], [2, 3], [4, 5], [7, 8], [6, 9]]
    alike = 100 * (1 - triplet_distance(ol.Hierarchy(one), ol.Hierarchy(other)))
    said = f"with two, 2 of 6 objects are on the other side ({alike:.0f} % of triples resolved in"

    both = _with_trees(evidence, {"one": one, "two": other, "three": other}, tied=2)

    assert "Methods disagree about the top of the tree" in both
    assert said in both
    assert "with three" not in both
    assert "Compared with one:" in both
    shown_is_behind = _with_trees(evidence, {"best": other, "one": one}, tied=2, error=0.006)
    assert "with best, 2 of 6 objects" in shown_is_behind  # and against what is shown
    assert "Compared with one:" in shown_is_behind
    assert "disagree" not in _with_trees(evidence, {"one": one, "two": other}, tied=1)
    worse = _with_trees(evidence, {"best": other, "one": one}, tied=2, error=0.004)
    assert "disagree" not in worse  # what is shown is not as good as the best
    assert "disagree" not in _with_trees(evidence, {"one": one, "two": one}, tied=2)


def test_what_was_used_is_cited(evidence: Evidence, page: Page) -> None:
    own = Page(report_page(replace(evidence, chosen=CANDIDATES["spectral"]))).text
    untested = Page(report_page(replace(evidence, test=None, methods=None))).text

    for text, used in [
        ("A revenue function for comparison-based", "(revenue)"),
        ("Mantel, N. (1967)", "(permutation test)"),
        ("docs/trust.md", "(bootstrap samples, test for structure)"),
        ("Near-optimal comparison based clustering", "(the method of the tree, AddS-AL)"),
    ]:
        assert text in page.text
        assert used in page.text
        assert (text in untested) == (text.startswith(("docs", "Near")))
    assert "docs/fewest-answers.md" in own
    assert "docs/fewest-answers.md" not in page.text


@pytest.mark.usefixtures("fast_candidates")
def test_the_page_says_what_weights_of_people_do(crowd) -> None:
    """Eve guesses: her answers would hardly count."""
    found = gather_evidence(crowd, method="4K-AL", n_bootstrap=2, weigh_people=True)

    text = report_page(found)

    weights = ol.validation.annotator_weights(crowd)
    assert found.weighting.weights == weights
    assert found.weighting.method == "4-AL"  # 4K-AL cannot count by weights
    assert "Annotator weights, on request" in text
    assert f"{min(weights.values()):.2f} to {max(weights.values()):.2f}" in text
    assert f">{weights['eve']:.2f}</td>" in text
    assert "weights, on request" not in report_page(replace(found, weighting=None))


def test_weights_that_mean_nothing_are_refused_before_the_work(names) -> None:
    nobody = ol.Comparisons.from_triplets([[0, 1, 2], [1, 2, 0]], names=names)

    with pytest.raises(InputError, match="at least 3 annotators"):
        gather_evidence(nobody, weigh_people=True)


def test_unknown_methods_and_people_are_refused(crowd) -> None:
    with pytest.raises(InputError, match="unknown method 'foo'"):
        gather_evidence(crowd, method="foo")
    with pytest.raises(InputError, match="SL needs an oracle"):
        gather_evidence(crowd, method="SL")
    with pytest.raises(InputError, match="no annotator 'zoe'"):
        gather_evidence(crowd, exclude=["zoe"])
    with pytest.raises(InputKindError, match="listed one by one"):
        gather_evidence(ol.Comparisons.from_similarities(np.eye(4)))  # type: ignore[arg-type]


def test_thumbnails_are_small_and_hold_nothing_but_pixels(tmp_path: Path, pictures) -> None:
    exif = Image.Exif()
    exif[0x010E] = "secret place"
    exif[0x0112] = 6  # turned by 90 degrees
    Image.new("RGB", (400, 100), "red").save(tmp_path / "turned.jpg", exif=exif)

    small = thumbnails([*pictures, tmp_path / "turned.jpg"])

    assert small[11] is None
    for one in small:
        if one is not None:
            head, _, data = str(one["uri"]).partition(",")
            assert head in ("data:image/png;base64", "data:image/jpeg;base64")
            image = Image.open(io.BytesIO(base64.b64decode(data)))
            assert image.size == (one["width"], one["height"])
            assert image.width <= WIDTH
            assert image.height <= HEIGHT
            assert b"secret" not in base64.b64decode(data)
    assert small[12]["width"] < small[12]["height"]


def test_a_picture_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "no.png").write_bytes(b"nothing")

    with pytest.raises(InputError, match=r"no\.png: this picture cannot be read"):
        thumbnails([tmp_path / "no.png"])


def test_the_time_of_making_can_be_fixed() -> None:
    assert making_time("0") == datetime(1970, 1, 1, tzinfo=UTC)
    assert abs((making_time(None) - datetime.now(UTC)).total_seconds()) < 60
    assert making_time("soon").year >= 2026


@pytest.mark.parametrize(
    ("n_inside", "said"),
    [
        (8, "0, 1, 2, 3, 4, 5, 6, 7 (95 %)"),
        (9, "9 objects: 0, 1, 2, 3, 4, 5, 6, 7 and 1 more (95 %)"),
        (31, "31 objects, all but 31, 32, 33, 34, 35, 36, 37, 38 and 1 more (95 %)"),
        (38, "38 objects, all but 38, 39 (95 %)"),
    ],
)
def test_a_branch_is_known_by_some_members_or_all_that_are_outside(
    n_inside: int, said: str
) -> None:
    chain = [[0, 1], *([i + 1, 40 + i - 1] for i in range(1, 39))]
    tree = ol.Hierarchy(chain).with_support([0.95] * 39)

    assert _members(tree, n_inside - 2) == said


def test_a_single_person_is_not_called_usual_or_unusual(evidence: Evidence) -> None:
    alone = replace(evidence.crowd, annotators=evidence.crowd.annotators[:1])

    summary = Page(summary_html(replace(evidence, crowd=alone, exclusion=None))).text

    assert "All answers are by one person, who cannot be compared with others." in summary
    assert "unusual" not in summary


def test_a_quick_report_compares_fast_methods_only_and_says_so(
    crowd: ol.ListedComparisons, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seconds(method: str, *_: object) -> float:
        return 100.0 if method == "spectral" else 0.01

    monkeypatch.setattr("ordlink.validation.estimate_seconds", seconds)

    with only_candidates("spectral", *FAST):
        evidence = gather_evidence(crowd, method="AddS-AL", quick=True)

    assert evidence.methods is not None
    assert evidence.methods.left_out == {"spectral": "too slow for a quick report"}
    assert "spectral" not in [one.label for one in evidence.methods.scores]
    assert (evidence.n_bootstrap, evidence.bootstrap_reason) == (50, "few, for a first look")
    assert "too slow for a quick report" in Page(report_page(evidence)).text


def test_a_quick_report_of_a_slow_method_draws_fewer_samples(
    crowd: ol.ListedComparisons, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ordlink.validation.estimate_seconds", lambda *_: 0.3)

    evidence = gather_evidence(crowd, method="AddS-AL", quick=True)

    assert (evidence.n_bootstrap, evidence.bootstrap_reason) == (30, "few, for a first look")
    assert "30 bootstrap samples" in Page(report_page(evidence)).text


@pytest.mark.slow
@pytest.mark.usefixtures("fast_candidates")
def test_a_report_does_not_depend_on_the_number_of_processes(crowd: ol.ListedComparisons) -> None:
    pages = [
        report_page(gather_evidence(crowd, method="spectral", n_bootstrap=3, n_jobs=n_jobs))
        for n_jobs in (1, 2)
    ]

    without_seconds = [re.sub(r"<td[^>]*>\d+\.\d\d</td></tr>", "", page) for page in pages]
    assert without_seconds[0] == without_seconds[1]


def test_groups_of_people_are_compared_on_request(
    crowd: ol.ListedComparisons, fast_candidates: None
) -> None:
    assert crowd.details is not None and crowd.details.annotators is not None
    people = crowd.details.annotators
    labels = np.where(np.isin(people, ["ann", "bob", "cat"]), "<b>", "rest")
    evidence = gather_evidence(
        crowd, method="AddS-AL", n_bootstrap=10, quick=True, groups=labels, exclude=["bob"]
    )
    shown = report_page(evidence)

    assert evidence.groups is not None and evidence.groups.n_answers == (400, 600)
    assert 'id="groups"' in shown and "permutation test over people" in shown
    assert "&lt;b&gt;: the tree of 400 answers" in shown and "<b>" not in shown
    assert "Branches of the overall tree" in shown and "without this person" in shown


def test_a_report_has_no_groups_unless_they_are_asked_for(evidence: Evidence) -> None:
    assert 'id="groups"' not in report_page(evidence)
