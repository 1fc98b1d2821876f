"""`ordlink ask`: the answers of a language or vision model."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from ordlink._text import counted, percent
from ordlink._typing import Progress
from ordlink.cli import _options
from ordlink.cli._console import progress_bar, progress_flag
from ordlink.cli._objects import read_objects
from ordlink.cli._output import check_file, refuse_overwrite
from ordlink.comparisons import AnswerDetails, ListedComparisons, concatenate, pair_ids
from ordlink.errors import BudgetExhaustedError, InputError
from ordlink.io import read_comparisons, write_comparisons
from ordlink.methods import METHODS, cluster, find_method
from ordlink.oracles import (
    PROMPT,
    AskOnce,
    BudgetedOracle,
    ChatOracle,
    ConcurrentOracle,
    CostEstimate,
    Oracle,
    RecordedOracle,
    agreement_with_people,
    position_bias,
    random_questions,
)

RANDOM, PEOPLE = "random", "people"
_ACTIVE = [method.name for method in METHODS.values() if method.needs == "an oracle"]


@_options.command(
    "ask",
    "ordlink ask animals.txt --model MODEL --base-url http://localhost:8000/v1 --budget 500 "
    "--dry-run",
    "ordlink ask animals.txt --model MODEL --base-url http://localhost:8000/v1 --budget 500 "
    "--out answers.csv",
    "ordlink ask pictures --model MODEL --base-url http://localhost:8000/v1 --budget 500 "
    "--people people.csv --check-order 50 --out answers.csv",
)
@click.argument("objects", metavar="OBJECTS")
@click.option("--model", metavar="NAME", required=True, help="Name of the model.")
@click.option(
    "--base-url",
    metavar="URL",
    required=True,
    help="URL of a server with an OpenAI-compatible chat API, up to /v1.",
)
@_options.count(
    "--budget",
    required=True,
    help="Total number of questions, including those recorded by earlier runs.",
)
@_options.file("--out", help="File for the answers; its extension sets the format (see 'convert').")
@_options.flag("--dry-run", help="Ask nothing; print the first message and the expected cost.")
@click.option(
    "--method",
    default=RANDOM,
    help=f"How questions are chosen: at random, or by {', '.join(_ACTIVE)}.",
)
@_options.choice(
    "--question",
    ("triplet", "quadruplet"),
    default="triplet",
    help="Form of random questions. triplet: is A closer to B or to C? quadruplet: which pair is "
    "more alike, A and B or C and D?",
)
@_options.file("--tree", "tree_file", help="With --method: write its tree to this file (JSON).")
@_options.file(
    "--prompt", "prompt_file", help="Prompt file; {questions} is replaced by the questions."
)
@_options.count("--per-request", "batch_size", default=10, help="Number of questions per request.")
@_options.count("--parallel", "n_parallel", default=8, help="Number of parallel requests.")
@click.option("--rate", type=float, help="Maximum number of requests per second.")
@click.option("--timeout", default=60.0, help="Seconds to wait for a reply.")
@_options.count(
    "--retries",
    "n_retries",
    lowest=0,
    default=10,
    help="Number of times to retry a failed request.",
)
@click.option(
    "--prices",
    metavar="IN,OUT",
    help="Prices per million prompt tokens and reply tokens, to print the cost.",
)
@_options.repeated(
    "--parameter",
    "given",
    metavar="NAME=VALUE",
    help="Extra request field, such as temperature=0; can be repeated.",
)
@click.option(
    "--key-variable",
    metavar="NAME",
    default="OPENAI_API_KEY",
    help="Environment variable with the API key, if the server needs one.",
)
@_options.file(
    "--people",
    help="People's answers about the same objects, in a file that can be read without options (see "
    "'convert'). The model is asked some of the same questions, its agreement is printed, and the "
    "output includes the people's answers.",
)
@_options.count(
    "--calibration", default=100, help="With --people: number of their questions to ask the model."
)
@_options.count(
    "--check-order",
    lowest=0,
    default=0,
    help="Number of questions to repeat with the alternatives in reverse order, to print the "
    "position bias; part of the budget.",
)
@_options.file("--record", help="File that saves each answer for resuming (default: OUT.record).")
@_options.seed(default=0, help="Random seed of the questions.")
@progress_flag
def command(
    objects: str,
    budget: int,
    out: str | None,
    dry_run: bool,
    method: str,
    question: str,
    tree_file: str | None,
    prompt_file: str | None,
    prices: str | None,
    given: tuple[str, ...],
    people: str | None,
    calibration: int,
    check_order: int,
    record: str | None,
    seed: int,
    **settings: Any,
) -> None:
    """Ask a model which of OBJECTS are more alike, and save its answers.

    OBJECTS is a text file with one name per line, a CSV file with a column 'name' and optionally
    'description', or a folder of pictures. To stop, press Ctrl-C; the same command resumes
    without repeating a question.
    """
    if out is None and not dry_run:
        raise click.UsageError("give --out, or --dry-run")
    chosen = None if method == RANDOM else _find_active(method)
    if tree_file is not None and chosen is None:
        raise click.UsageError("--tree requires --method")
    if 2 * check_order >= budget:
        raise click.UsageError("--check-order must be less than half of --budget")
    limits = {name: settings.pop(name) for name in ("n_parallel", "rate", "n_retries")}
    things, names = read_objects(objects)
    chat = ChatOracle(
        things,
        names=names,
        prompt=PROMPT if prompt_file is None else _read_prompt(prompt_file),
        prices=None if prices is None else _read_prices(prices),
        parameters=dict(_read_parameter(text) for text in given),
        **settings,
    )
    said = None if people is None else _read_people(people, chat)
    # Random questions are asked in the one order anyway.
    reserved = check_order * (1 if chosen is None else 2)
    questions = random_questions(chat.n_objects, budget - reserved, form=question, seed=seed)
    if dry_run:
        click.echo(chat.preview(questions[: chat.batch_size]))
        click.echo(f"\n{_in_words(chat.estimate(len(questions) + reserved))}")
        return
    assert out is not None
    files = [out, record or f"{out}.record", f"{record or out}.other-order"]
    _check_files([objects, people, prompt_file], files, tree_file)
    if not Path(out).exists():
        _write(AskOnce(chat), chat, said, out)  # what cannot be written is not paid for

    def asked_by(oracle: Oracle, path: str, progress: Progress | None = None) -> RecordedOracle:
        return RecordedOracle(ConcurrentOracle(oracle, **limits, progress=progress), path)

    with progress_bar("ask") as bar:
        recorded = asked_by(chat, files[1], lambda done, _: bar(done, max(left, done)))
        left = max(0, budget - reserved - recorded.n_questions)
        budgeted = BudgetedOracle(recorded, left)
        notes, tree = [], None
        try:
            with suppress(BudgetExhaustedError):
                if said is not None:
                    n_again = min(calibration, max(1, budget // 2))
                    notes.append(_in_words_agreement(budgeted, said, n_again, seed))
                if chosen is None:
                    budgeted.compare(questions)
                else:
                    offered: dict[str, Any] = {"seed": seed, "question": question}
                    offered["budget"] = budget - reserved
                    options = {name: offered[name] for name in chosen.options if name in offered}
                    tree = cluster(budgeted, chosen.name, **options)
            if check_order:
                notes.append(
                    _in_words_bias(
                        chat,
                        check_order,
                        lambda each: recorded if each is chat else asked_by(each, files[2]),
                        form=question,
                        seed=seed,
                    )
                )
        except BaseException:  # also Ctrl-C
            kept = counted(recorded.n_questions, "answer")
            click.echo(f"{kept} so far kept in {files[1]}; the same command resumes", err=True)
            raise
        finally:
            _write(recorded, chat, said, out)
    click.echo(_in_words_asked(recorded, chat))
    for note in notes:
        click.echo(note)
    if tree is not None and tree_file is not None:
        tree.save(tree_file)
    click.echo(f"wrote {' and '.join(filter(None, [out, tree_file]))}")


def _find_active(name: str) -> Any:
    method = find_method(name)
    if method.needs != "an oracle":
        problem = f"{method.name} asks no questions"
        remedy = f"use {RANDOM} or one of {', '.join(_ACTIVE)}"
        raise InputError(problem, parameter="method", remedy=remedy)
    return method


def _read_prompt(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"cannot be read ({reason})", where=path) from error


def _read_prices(text: str) -> tuple[float, float]:
    try:
        first, second = map(float, text.split(","))
    except ValueError as error:
        problem = f"expected two numbers such as 0.15,0.6, got {text!r}"
        raise InputError(problem, parameter="prices") from error
    return first, second


def _read_parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise InputError(f"expected NAME=VALUE, got {text!r}", parameter="given")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _read_people(path: str, chat: ChatOracle) -> ListedComparisons:
    """Return the answers of people about the objects of the model, each with an annotator."""
    names, n = chat.names or (), chat.n_objects
    comparisons = read_comparisons(path)
    if comparisons.names is None:
        comparisons = read_comparisons(path, names=names)
    unknown = [name for name in comparisons.names or () if name not in names]
    if unknown:
        problem = f"the answers name {unknown[0]!r}, which is not among the objects"
        raise InputError(problem, where=path, remedy="use the names of the objects")
    places = np.array([names.index(name) for name in comparisons.names or ()], dtype=np.int32)
    i, j, k, l = places[comparisons.quadruplets].T  # noqa: E741 - the paper's letters
    details = comparisons.details or AnswerDetails()
    who = np.full(comparisons.n_rows, PEOPLE, dtype=object)
    if details.annotators is not None:
        who = np.where(details.annotators == "", who, details.annotators)
    return replace(
        comparisons,
        n_objects=n,
        names=names,
        winners=pair_ids(i, j, n),
        losers=pair_ids(k, l, n),
        details=replace(details, annotators=who),
    )


def _check_files(inputs: list[str | None], files: list[str], tree_file: str | None) -> None:
    out, record = files[:2]
    check_file(out, "out")
    check_file(record, "record")
    check_file(tree_file, "tree_file")
    refuse_overwrite(inputs, [*files, tree_file])
    if Path(out).exists() and not Path(record).exists():
        problem = f"this file exists, but not the record {record} of the run that wrote it"
        raise InputError(problem, where=out, remedy="choose another name with {out}")


def _write(
    known: AskOnce | RecordedOracle, chat: ChatOracle, said: ListedComparisons | None, out: str
) -> None:
    """Write the answers so far, each with its annotator."""
    answers = known.comparisons()
    rows = answers.quadruplets
    details = AnswerDetails(
        annotators=np.full(len(rows), chat.model, dtype=object),
        chose_first=chat.shows_first(rows).astype(float),
    )
    answers = replace(answers, details=details)
    write_comparisons(answers if said is None else concatenate([said, answers]), out)


def _in_words(expected: CostEstimate) -> str:
    tokens = f"{expected.prompt_tokens:,} tokens in, {expected.completion_tokens:,} out"
    cost = "" if expected.cost is None else f", cost about {expected.cost:.4g}"
    requests = counted(expected.n_requests, "request")
    return f"{counted(expected.n_questions, 'question')}, {requests}, about {tokens}{cost}"


def _in_words_asked(recorded: RecordedOracle, chat: ChatOracle) -> str:
    n_told = recorded.comparisons().n_rows
    usage = chat.usage
    asked = f"{counted(recorded.n_questions, 'question')}, {counted(n_told, 'answer')}"
    cost = "" if chat.cost is None else f", cost {chat.cost:.4g}"
    tokens = f"{usage.prompt_tokens:,} tokens in, {usage.completion_tokens:,} out"
    unread = f", {usage.n_unreadable:,} unreadable" if usage.n_unreadable else ""
    return f"{asked}{unread}; this run: {counted(usage.n_requests, 'request')}, {tokens}{cost}"


def _in_words_agreement(oracle: Oracle, said: ListedComparisons, number: int, seed: int) -> str:
    found = agreement_with_people(oracle, said, number, seed=seed)
    share = f"{percent(found.agreement)} (standard error {percent(found.error)})"
    return f"agrees with people in {share} of {counted(found.n_answers, 'answer')}, 50 % by chance"


def _in_words_bias(
    chat: ChatOracle, number: int, wrap: Callable[[ChatOracle], Oracle], **drawn: Any
) -> str:
    found = position_bias(chat, number, wrap=wrap, **drawn)
    return (
        f"position bias: of {counted(found.n_questions, 'question')} in both orders, "
        f"{percent(found.consistent)} got the same answer; the first alternative was chosen in "
        f"{percent(found.chose_first)}"
    )
