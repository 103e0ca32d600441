"""The database as the use cases see it: `await db.write(work)` and `await db.read(work)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from sessiond.model.problems import Problem
from sessiond.store.transaction import Tx

Result = TypeVar("Result")
Work = Callable[[Tx], Result]
OnCommit = Callable[[Iterable[str]], None]


class StoreProblem(Problem):
    """Why a database can't be opened, in one line."""


class Database(Protocol):
    """One store, whichever database it is on.

    A work is a function of an open transaction. It may run more than once (a deadlock, a lost race), so it changes
    nothing but the transaction. It is answered after the commit; a work that raises is rolled back alone.
    """

    @property
    def name(self) -> str:
        """`sqlite` or `postgresql`."""

    @property
    def connections_in_use(self) -> int:
        """How many connections are under way with a work; 0 when nothing is asked of the store."""

    async def write(self, work: Work[Result]) -> Result:
        """Run the work in a transaction that may write; answer once it is durable."""

    async def read(self, work: Work[Result]) -> Result:
        """Run the work on one consistent view; it must not write."""

    async def close(self) -> None:
        """Finish what is under way and let go of every connection."""
