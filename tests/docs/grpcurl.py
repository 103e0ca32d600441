"""Playing docs/grpcurl.md: its commands in one shell, top to bottom, against the servers that it speaks of."""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import json5

from tests.docs.cookbook import Block
from tests.system.server_process import serving

DEFAULT_ADDRESS = "127.0.0.1:50551"
# Long enough that only a command that hangs ever takes it.
COMMAND_S = 60
# One shell for all blocks, since later ones use the variables and functions of earlier ones.
_SHELL = 'while read -r _block; do . "$_block" </dev/null >"$_block.out" 2>&1; echo "$?"; done'


@dataclass(frozen=True)
class Played:
    """What a block printed, its exit code, and the variables that its answer speaks of."""

    printed: str
    code: int
    values: Mapping[str, str]


class Shell:
    """A bash that runs one piece of text after the other."""

    def __init__(self, process: Process, folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._numbers = count(1)

    async def run(self, text: str) -> tuple[str, int]:
        """What it printed on both outputs, and its exit code."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        name = f"{next(self._numbers)}.sh"
        (self._folder / name).write_text(text, encoding="utf-8")
        self._process.stdin.write(f"{self._folder / name}\n".encode())
        async with asyncio.timeout(COMMAND_S):
            code = await self._process.stdout.readline()
        printed = (self._folder / f"{name}.out").read_text(encoding="utf-8")
        assert code, f"the shell ended at\n{text}\n{printed}"
        return printed, int(code)


@asynccontextmanager
async def open_shell(folder: Path, programs: Path) -> AsyncIterator[Shell]:
    """A shell that works in this folder and finds programs in that one first."""
    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    process = await asyncio.create_subprocess_exec(
        "bash", "--norc", "-c", _SHELL, cwd=folder, env=env, stdin=PIPE, stdout=PIPE
    )
    try:
        yield Shell(process, _made(folder / "scripts"))
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def play(blocks: Iterable[Block], folder: Path, programs: Path) -> dict[Block, Played]:
    """Run every `sh` block, and start a server for every `json5` block."""
    played: dict[Block, Played] = {}
    async with AsyncExitStack() as stack:
        shell = await stack.enter_async_context(open_shell(folder, programs))
        addresses = {DEFAULT_ADDRESS: await _start(stack, _made(folder / "default"), "{}")}
        for block in blocks:
            if block.kind == "json5":
                # It starts where the shell works, since its configuration names files by their names alone.
                addresses[json5.loads(block.text)["server"]["listen"]] = await _start(stack, folder, block.text)
            elif block.kind == "sh":
                played[block] = await _play(shell, block, addresses)
    return played


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


async def _start(stack: AsyncExitStack, folder: Path, config: str) -> str:
    url = f"sqlite:///{folder / 'store.db'}"
    server = await stack.enter_async_context(serving(folder, url, **json5.loads(config)))
    return server.address


async def _play(shell: Shell, block: Block, addresses: Mapping[str, str]) -> Played:
    text = block.text
    for documented, real in addresses.items():
        text = text.replace(documented, real)
    printed, code = await shell.run(text)
    values = {name: (await shell.run(f'printf %s "${name}"'))[0] for name in block.variables}
    return Played(printed, code, values)
