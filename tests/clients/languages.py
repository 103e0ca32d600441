"""The languages that there is a client for, and what each needs to be built."""

from __future__ import annotations

import asyncio
import os
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DRIVERS = Path(__file__).parent / "drivers"


@dataclass(frozen=True)
class Language:
    """One client: its name is that of its folder under clients/ and under drivers/."""

    name: str
    title: str
    programs: tuple[str, ...]  # without which it can't be built
    needs: str  # for people
    quickstart: str  # in its folder

    @property
    def folder(self) -> Path:
        """Where the client is."""
        return ROOT / "clients" / self.name

    @property
    def driver(self) -> Path:
        """Where its driver is: the programs `build`, `run` and `quickstart`."""
        return DRIVERS / self.name

    @property
    def missing(self) -> str:
        """The first program that is not installed; empty when the client can be built."""
        return next((program for program in self.programs if shutil.which(program) is None), "")


LANGUAGES = (
    Language("python", "Python", (), "Python 3.11", "examples/quickstart.py"),
    Language("go", "Go", ("go",), "Go 1.26", "examples/quickstart/main.go"),
    Language("typescript", "TypeScript", ("node", "npm"), "Node.js 20", "examples/quickstart.ts"),
    Language("java", "Java", ("java", "mvn"), "Java 17", "examples/Quickstart.java"),
    Language("rust", "Rust", ("cargo",), "Rust 1.88", "examples/quickstart.rs"),
)


def here() -> list[Language]:
    """The languages whose toolchain is installed."""
    return [language for language in LANGUAGES if not language.missing]


def left_out() -> list[str]:
    """A line for every language whose toolchain is not installed."""
    return [
        f"left out: clients/{each.name}, since {each.missing} is not installed" for each in LANGUAGES if each.missing
    ]


def must_be_complete() -> bool:
    """Whether a language that is left out is a failure, as in CI."""
    return bool(os.environ.get("CI"))


async def build(language: Language) -> None:
    """Build the client, its driver and its quick start; quick when nothing has changed."""
    process = await asyncio.create_subprocess_exec(
        str(language.driver / "build"), stdin=DEVNULL, stdout=PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, f"{language.driver / 'build'} failed:\n{said.decode(errors='replace')[-4000:]}"
