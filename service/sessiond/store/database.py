"""The database as the use cases see it: `await db.write(work)` and `await db.read(work)`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from sessiond.model.problems import Problem
from sessiond.store.transaction import Tx

log = logging.getLogger("sessiond.store")

# Works that arrive while others are being committed are written together, up to so many.
MAX_GROUP = 256
# So many read together what may be a page each; on SQLite nothing else happens meanwhile.
MAX_READS = 32

Item = TypeVar("Item")
Result = TypeVar("Result")
Work = Callable[[Tx], Result]
# What is done for several callers at once: for each item, in their order, its result or why it is refused.
Batch = Callable[[Tx, Sequence[Item]], "Sequence[Result | Exception]"]
# Gets the topics of a commit, and what is told of each; None: whoever wants to know looks.
OnCommit = Callable[[Mapping[str, Any]], None]


def tell_of_commit(tell: Callable[[], None]) -> None:
    """Tell who waits. It is committed: a fault in this may neither have it run again nor leave it unanswered."""
    try:
        tell()
    except Exception:
        log.exception("what was committed could not be told; who waits for it looks by itself")


class StoreProblem(Problem):
    """Why a database can't be opened, in one line."""


def alone(batch: Batch[Item, Result], item: Item) -> Work[Result]:
    """A batch of one, as a work that raises what its item is refused for."""

    def work(tx: Tx) -> Result:
        results = batch(tx, [item])
        tx.do_rest()
        (result,) = results
        if isinstance(result, Exception):
            raise result
        return result

    return work


def settle(answer: asyncio.Future[Any], result: Any) -> None:
    """Give a result, or why there is none, to whoever asked; if they have gone, what was committed stays committed."""
    if answer.done():
        return
    if isinstance(result, BaseException):
        answer.set_exception(result)
    else:
        answer.set_result(result)


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

    async def write_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """As write, for a kind of work that can be done for many at once: with whatever items of it wait meanwhile.

        A batch writes nothing for an item that it refuses. One that raises is run again, each item alone.
        """

    async def read(self, work: Work[Result]) -> Result:
        """Run the work on one consistent view; it must not write."""

    async def glance(self, work: Work[Result]) -> Result:
        """As read, for a work that mostly asks before it looks at an answer, so that nothing has to be begun.

        When it asks for more after that, it is run again as a read.
        """

    async def glance_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """As glance, for what is asked for many at once: with whatever items of it are asked for in this moment."""

    async def read_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """As read, for what is asked for many at once: with whatever items of it are asked for in this moment."""

    async def close(self) -> None:
        """Finish what is under way and let go of every connection."""
