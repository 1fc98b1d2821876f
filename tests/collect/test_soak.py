"""Short versions of the long runs, with real server processes on loopback; see `make soak`."""

from __future__ import annotations

import asyncio
import time
import urllib.request

import pytest
import sqlalchemy as sa
from PIL import Image

from ordlink.collect.database import make_engine
from soak.__main__ import running
from soak.browser import Browser
from soak.kill import count_over_served, kill_under_load
from soak.load import measure_load
from soak.servers import Server, free_port, missing_postgres, postgres

needs_postgres = pytest.mark.skipif(bool(missing_postgres()), reason=missing_postgres())


def test_nothing_acknowledged_is_lost_when_the_server_is_killed() -> None:
    with running(people_per_question=2, method="AddS-AL") as (servers, database):
        result = asyncio.run(kill_under_load(servers, database, n_kills=2, n_people=8, seconds=0.5))

    assert result.is_good, result
    assert result.n_stored >= result.n_acknowledged > 20


@needs_postgres
def test_two_servers_on_postgresql_serve_no_question_too_often_and_lose_nothing() -> None:
    with (
        postgres() as url,
        running(n_servers=2, database=url, people_per_question=2, method="AddS-AL") as (
            servers,
            database,
        ),
    ):
        ports = [server.port for server in servers]
        load = asyncio.run(measure_load(ports, n_people=8, seconds=1.0))
        killed = asyncio.run(kill_under_load(servers, database, n_kills=2, n_people=8, seconds=0.5))
        engine = make_engine(database)
        with engine.connect() as connection:
            n_over_served = count_over_served(connection)
            n_processes = connection.execute(
                sa.text("SELECT count(DISTINCT leased_by) FROM question")
            ).scalar()
        engine.dispose()

    assert load.n_errors == 0
    assert load.n_answers > 0
    assert killed.is_good, killed
    assert n_over_served == 0
    assert n_processes >= 2


def test_from_a_folder_of_pictures_to_the_first_question_with_one_command(tmp_path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(20):
        Image.new("RGB", (200, 200), (10 * number, 0, 0)).save(folder / f"{number}.png")
    server = Server(folder, free_port(), "--data", str(tmp_path / "data"))
    begun = time.perf_counter()

    server.start()
    try:
        browser = Browser(server.port, 0)
        state = asyncio.run(_first_question(browser))
        url = f"http://127.0.0.1:{server.port}{state['stimuli'][0]['url']}"
        with urllib.request.urlopen(url) as reply:
            media_type = reply.headers["content-type"]
    finally:
        server.stop()

    assert media_type == "image/jpeg"
    assert (tmp_path / "data" / "study.db").exists()
    print(f"first question after {time.perf_counter() - begun:.1f} s")


async def _first_question(browser: Browser) -> dict:
    state = await browser.join()
    browser.close()
    return state
