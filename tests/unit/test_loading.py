"""What is loaded only where it is used, so that commands answer and servers start as soon as they can."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from sessiond.__main__ import main

# What a process must not have loaded after it has imported a module.
APART = [
    ("sessiond.__main__", "sessiond.commands.serve"),  # a command: only the one that is asked for
    ("sessiond.commands.serve", "grpc"),  # what starts workers is no server itself
    ("sessiond.commands.call", "sqlalchemy"),
    ("sessiond.commands.serve_here", "psycopg"),  # on SQLite nobody needs it
]


@pytest.mark.parametrize(("module", "apart"), APART)
def test_what_is_not_needed_is_not_loaded(module: str, apart: str) -> None:
    look = f"import sys, {module}; sys.exit({apart!r} in sys.modules)"

    assert subprocess.run([sys.executable, "-c", look], check=False).returncode == 0


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
