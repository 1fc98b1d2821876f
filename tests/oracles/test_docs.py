"""The programs in docs/oracles.md run, one after the other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.oracles.chat_server import serving

PAGE = (Path(__file__).parents[2] / "docs" / "oracles.md").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_the_programs_of_the_page_run(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    programs = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(programs) == 3
    known: dict[str, object] = {}
    with serving() as server:
        server.behave = lambda server, body: json.dumps({str(n): "A" for n in range(1, 11)})
        for program in programs:
            exec(program.replace("http://localhost:8000/v1", server.url), known)

    assert known["tree"].names == tuple(known["animals"])
    printed = capsys.readouterr().out
    assert '1. Is "' in printed
    assert "n_requests=6, " in printed
    assert "consistent=0.0, chose_first=1.0" in printed
    assert (tmp_path / "my-model.jsonl").exists()
