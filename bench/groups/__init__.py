"""The groups of scenarios: one module each, with one function `tables(bench)`. In this order they are on the page."""

from collections.abc import Awaitable, Callable

from bench.groups import (
    cycles,
    deliveries,
    deltas,
    echo,
    finished,
    group_commit,
    history,
    listing,
    reads,
    request_ids,
    sends,
    startup,
    waits,
    wakeups,
    workers,
)
from bench.report import Table
from bench.stores import Bench

Group = Callable[[Bench], Awaitable[list[Table]]]
GROUPS: dict[str, Group] = {
    "sends": sends.tables,
    "request-ids": request_ids.tables,
    "echo": echo.tables,
    "group-commit": group_commit.tables,
    "workers": workers.tables,
    "reads": reads.tables,
    "listing": listing.tables,
    "history": history.tables,
    "waits": waits.tables,
    "wakeups": wakeups.tables,
    "cycles": cycles.tables,
    "deltas": deltas.tables,
    "deliveries": deliveries.tables,
    "finished": finished.tables,
    "startup": startup.tables,
}
