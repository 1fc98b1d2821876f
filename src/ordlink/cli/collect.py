"""`ordlink collect`: collect answers in a web browser, and watch the tree grow."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path

import click

from ordlink._text import counted
from ordlink.cli import _options
from ordlink.cli._app import Command
from ordlink.errors import InputError, MissingDependencyError

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command(
    "collect",
    cls=Command,
    epilog="\b\nExamples:\n"
    "  ordlink collect pictures\n"
    "  ordlink collect study.yaml --data answers --port 8000\n"
    "  ordlink collect study.yaml --database postgresql://me@localhost/study\n"
    "  ordlink collect backup study-answers monday.db\n"
    "  ordlink collect restore monday.db new-answers\n"
    "  ordlink collect --demo",
)
@click.argument("source", metavar="[FOLDER|CSV|STUDY]", required=False)
@click.argument("paths", metavar="", nargs=-1)
@_options.flag("--demo", help="Demo study: names of the animals in the Zoo data.")
@_options.folder(
    "--data", help="Folder for the answers (default: the study's name followed by '-answers')."
)
@click.option("--database", metavar="URL", help="PostgreSQL URL, instead of a file in --data.")
@click.option(
    "--host",
    default="127.0.0.1",
    help="Address to listen on; by default only this machine can connect.",
)
@click.option("--port", type=click.IntRange(1, 65535), default=8765, help="Port.")
@_options.flag("--https", help="The server is behind a proxy that provides https.")
@_options.repeated(
    "--allow-host",
    "names",
    help="Further host name of the server, besides localhost; can be repeated.",
)
@_options.repeated(
    "--proxy",
    "proxies",
    help="Address or network of a proxy on another host; can be repeated.",
)
@click.option(
    "--path",
    "root",
    default="",
    help="URL path at which the proxy serves the study, such as /faces.",
)
@_options.flag("--paused", help="Start paused; resume on the dashboard.")
@_options.flag("--reset-password", help="Reset the owner's password.")
def command(
    source: str | None,
    paths: tuple[str, ...],
    demo: bool,
    data: str | None,
    database: str | None,
    host: str,
    port: int,
    https: bool,
    names: tuple[str, ...],
    proxies: tuple[str, ...],
    root: str,
    paused: bool,
    reset_password: bool,
) -> None:
    """Run a study: a FOLDER of pictures, sounds or videos, a CSV of stimuli, or a STUDY file.

    'backup DATA FILE' copies the answers of a running study, 'restore FILE DATA' brings them back.
    """
    if source in ("backup", "restore") and len(paths) == 2:
        _copy(source, *map(Path, paths))
        return
    if paths:
        raise click.UsageError("give one folder, CSV or study file; backup and restore take two")
    if demo == (source is not None):
        raise click.UsageError("give either a folder, CSV or study file, or --demo")
    if database is not None and database.startswith("sqlite"):
        raise InputError(
            "expected a URL like postgresql://user@host/name",
            parameter="database",
            remedy="for SQLite omit it, and choose the folder with {data}",
        )
    try:
        from ordlink.collect.database import one_process_only, open_database
        from ordlink.collect.people import reset_password as forget_password
        from ordlink.collect.server import Address, serve
        from ordlink.collect.stimuli import check_readable
        from ordlink.collect.study import load_study
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            f"ordlink collect needs more packages ({error.name} is missing); install them with "
            "pip install 'ordlink[collect]'"
        ) from error
    if source is None:
        from ordlink.collect.study import demo_study

        study = demo_study()
    else:
        study = load_study(source)
    check_readable(study.stimuli)
    lock = nullcontext()
    if database is None:
        folder = Path(data or f"{_file_name(study.name)}-answers")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"cannot be created ({error.strerror})",
                where=str(folder),
                remedy="choose another folder with {data}",
            ) from error
        file = (folder / "study.db").resolve()
        database = f"sqlite:///{file}"
        lock = one_process_only(file)  # type: ignore[assignment]
    with lock:
        if reset_password:
            engine = open_database(database)
            with engine.begin() as connection:
                forget_password(connection)
            engine.dispose()
        if host not in LOOPBACK:
            click.echo("warning: anyone who can reach this machine can connect", err=True)
        address = Address(host, port, https, names, proxies, _check_root(root))
        serve(study, database, address, is_paused=paused, say=click.echo)


def _copy(what: str, source: Path, target: Path) -> None:
    from ordlink.collect.backup import back_up, restore

    n_answers = (back_up if what == "backup" else restore)(source, target)
    click.echo(f"{counted(n_answers, 'answer')} copied to {target}")


def _check_root(root: str) -> str:
    if not re.fullmatch(r"(/[\w.~-]+)*", root, re.ASCII):
        problem = f"expected a path such as /faces, without a slash at the end, got {root!r}"
        raise InputError(problem, parameter="root")
    return root


def _file_name(name: str) -> str:
    return re.sub(r"[^\w-]+", "-", name).strip("-") or "study"
