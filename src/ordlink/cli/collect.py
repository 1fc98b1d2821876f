"""`ordlink collect`: ask people comparisons in their browsers, and watch the tree grow."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path

import click

from ordlink.errors import InputError, MissingDependencyError

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command(
    "collect",
    epilog="\b\nExamples:\n"
    "  ordlink collect pictures\n"
    "  ordlink collect study.yaml --data answers --port 8000\n"
    "  ordlink collect study.yaml --database postgresql://me@localhost/study\n"
    "  ordlink collect --demo",
)
@click.argument("source", metavar="[FOLDER|CSV|STUDY]", required=False)
@click.option("--demo", is_flag=True, help="Compare the animals of the Zoo data, by their names.")
@click.option(
    "--data",
    metavar="DIR",
    help="Folder for the answers (default: the study's name and '-answers').",
)
@click.option("--database", metavar="URL", help="PostgreSQL address, instead of a file in --data.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; by default only this machine can connect.",
)
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8765, show_default=True, help="Port."
)
@click.option("--https", is_flag=True, help="People come by https, through a proxy.")
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="Name by which the server may be called, besides localhost; can be given several times.",
)
@click.option("--paused", is_flag=True, help="Let nobody answer until you resume on the dashboard.")
@click.option("--reset-password", is_flag=True, help="Forget the owner's password.")
def command(
    source: str | None,
    demo: bool,
    data: str | None,
    database: str | None,
    host: str,
    port: int,
    https: bool,
    names: tuple[str, ...],
    paused: bool,
    reset_password: bool,
) -> None:
    """Serve a study: a FOLDER of pictures, sounds or films, a CSV of stimuli, or a STUDY file."""
    if demo == (source is not None):
        raise click.UsageError("give either a folder, CSV or study file, or --demo")
    if database is not None and database.startswith("sqlite"):
        raise InputError(
            "--database: expected an address like postgresql://user@host/name; for SQLite leave it "
            "out, and choose the folder with --data"
        )
    try:
        from ordlink.collect.database import one_process_only, open_database
        from ordlink.collect.media import check_readable
        from ordlink.collect.owner import reset_password as forget_password
        from ordlink.collect.server import Address, serve
        from ordlink.collect.study import load_study
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            f"ordlink collect needs more packages ({error.name} is missing); install them with "
            "pip install 'ordlink[collect]'"
        ) from error
    if source is None:
        from ordlink.collect.demo import demo_study

        study = demo_study()
    else:
        study = load_study(source)
    check_readable(study.stimuli)
    lock = nullcontext()
    if database is None:
        folder = Path(data or f"{_file_name(study.name)}-answers")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"{folder}: cannot be made ({error.strerror}); choose another folder with --data"
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
            click.echo("warning: everybody who can reach this machine can connect", err=True)
        serve(
            study,
            database,
            Address(host, port, https, names),
            is_paused=paused,
            say=click.echo,
        )


def _file_name(name: str) -> str:
    return re.sub(r"[^\w-]+", "-", name).strip("-") or "study"
