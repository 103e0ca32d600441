"""What is loaded only where it is used, so that commands answer and servers start as soon as they can."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sessiond.__main__ import main

OPENED = """
import asyncio
from sessiond.commands.serve_here import serve_here
from sessiond.store.opening import open_database
async def open_and_close():
    await (await open_database("sqlite:///store.db", print)).close()
asyncio.run(open_and_close())
"""
# What a process must not have loaded after it has done this.
APART = [
    ("import sessiond.__main__", "sessiond.commands.serve"),  # of the commands only the one that is asked for
    ("import sessiond.commands.serve", "grpc"),  # what starts workers is no server itself
    ("import sessiond.commands.call", "sqlalchemy"),
    (OPENED, "psycopg"),  # a server on SQLite does not need it
]


@pytest.mark.parametrize(("done", "apart"), APART)
def test_what_is_not_needed_is_not_loaded(done: str, apart: str, tmp_path: Path) -> None:
    look = f"{done}\nimport sys; sys.exit({apart!r} in sys.modules)"

    assert subprocess.run([sys.executable, "-c", look], cwd=tmp_path, check=False).returncode == 0


def test_every_command_is_listed_and_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    names = re.findall(r"^ {4}(\S+)", capsys.readouterr().out, re.MULTILINE)
    assert len(names) >= 12

    for name in names:
        with pytest.raises(SystemExit) as done:
            main([name, "--help"])

        assert done.value.code == 0
        assert f"usage: sessiontools {name}" in capsys.readouterr().out


def test_an_unknown_command_is_told_which_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["sevre"])

    assert done.value.code == 2
    assert "'serve'" in capsys.readouterr().err
