"""Each client's quick start: in its README, short, and working."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from tests.clients.languages import LANGUAGES, Language, build, here
from tests.clients.servers import server_of

MAX_LINES = 20
RUN_S = 60


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_the_readme_prints_the_program_in_at_most_twenty_lines(language: Language) -> None:
    program = (language.folder / language.quickstart).read_text(encoding="utf-8")
    readme = (language.folder / "README.md").read_text(encoding="utf-8")

    assert program in [block.partition("\n")[2] for block in readme.split("```")[1::2]]
    assert len(program.splitlines()) <= MAX_LINES


@pytest.mark.parametrize("language", here(), ids=lambda language: language.name)
async def test_the_program_sends_and_waits(language: Language, tmp_path: Path) -> None:
    await build(language)
    server = server_of("echo", tmp_path)
    await server.start()
    try:
        async with asyncio.timeout(RUN_S):
            command = (str(language.driver / "quickstart"), f"127.0.0.1:{server.port}")
            process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=STDOUT)
            said, _ = await process.communicate()
    finally:
        await server.end()

    assert process.returncode == 0, said.decode()
    assert "echo: hello" in said.decode()
