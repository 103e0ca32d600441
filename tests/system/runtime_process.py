"""The small runtime in a process of its own, to be killed and started again."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.system.outsider import Outsider

PROGRAM = Path(__file__).with_name("small_runtime.py")


class RuntimeProcess(Outsider):
    """One runtime at a time, all of them with one journal."""

    def __init__(self, folder: Path, address: str) -> None:
        self._journal = folder / "executed.txt"
        super().__init__(folder / "runtime.log", str(PROGRAM), address, str(self._journal))

    def executed(self) -> Counter[str]:
        """How often each run was begun by any of them."""
        return Counter(self._journal.read_text(encoding="utf-8").split())


@asynccontextmanager
async def executing(folder: Path, address: str) -> AsyncIterator[RuntimeProcess]:
    """A started runtime for the time of the context."""
    runtime = RuntimeProcess(folder, address)
    try:
        await runtime.start()
        yield runtime
    finally:
        await runtime.kill()
