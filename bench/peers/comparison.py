"""Ours and the peer in turns: sends that are answered when the work is done, and gets of that work."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.load import MAX_PROCESSES, Load
from bench.options import Options
from bench.peers.install import version
from bench.peers.servers import Pair, running_pairs
from bench.peers.side import Side
from bench.peers.trial import Trial
from bench.report import Bar, Table
from bench.stores import Bench
from bench.turns import Measure, in_turns

# By how many calls are under way at a time.
LEAST_RATIOS = {1: 2, 16: 5, 64: 5}
PACKAGE = "a2a-sdk"


@dataclass(frozen=True)
class Cycle:
    """A send, the get that follows it, and the share of sends that failed."""

    send: Load
    get: Load
    failed: float

    @property
    def rps(self) -> float:
        """How many of both, one after the other, in a second."""
        return 1 / (1 / self.send.rps + 1 / self.get.rps)


@dataclass(frozen=True)
class Both:
    """The same work done by ours and by the peer."""

    ours: Cycle
    peer: Cycle

    @property
    def ratio(self) -> float:
        """Of whole sends: stored, executed, stored, answered."""
        return self.ours.send.rps / self.peer.send.rps

    @property
    def cells(self) -> list[str]:
        """As a row of a table; _HEADERS are their names."""
        return [
            f"{self.ours.send.rps:,.0f}",
            f"{self.peer.send.rps:,.0f}",
            f"{self.ratio:.1f}",
            f"{self.ours.send.p50_ms:.1f}",
            f"{self.peer.send.p50_ms:.1f}",
            f"{self.ours.rps:,.0f}",
            f"{self.peer.rps:,.0f}",
            f"{self.ours.rps / self.peer.rps:.1f}",
            f"{self.peer.failed:.1%}",
        ]

    @property
    def generator_share(self) -> float:
        """The most of a core that the generator took."""
        return max(load.share for cycle in (self.ours, self.peer) for load in (cycle.send, cycle.get))


async def tables(python: Path, bench: Bench) -> list[Table]:
    """The ratios on each kind of store, at each concurrency, with the peer that this Python has."""
    peer = f"{PACKAGE} {await asyncio.to_thread(version, python, PACKAGE)}"
    async with running_pairs(python, bench) as pairs:
        found = {concurrency: await _cycles(pairs, concurrency, bench.options) for concurrency in LEAST_RATIOS}
    both = {
        (pair.name, concurrency): Both(found[concurrency][pair.ours], found[concurrency][pair.peer])
        for pair in pairs
        for concurrency in LEAST_RATIOS
    }
    return [
        Table(
            f"Beside the gRPC server of {peer}",
            _about(peer, pairs, bench.options, list(both.values())),
            _HEADERS,
            [[store, str(concurrency), *each.cells] for (store, concurrency), each in both.items()],
            bars=[
                Bar(f"To {PACKAGE}: a send, {concurrency} at once, {store}", each.ratio, LEAST_RATIOS[concurrency])
                for (store, concurrency), each in both.items()
            ],
        )
    ]


async def _cycles(pairs: Sequence[Pair], concurrency: int, options: Options) -> dict[Side, Cycle]:
    """Every side at this concurrency, all of them in turns."""
    sides = dict.fromkeys(side for pair in pairs for side in (pair.ours, pair.peer))
    trials = {side: Trial(side, concurrency) for side in sides}
    measures: dict[tuple[Side, str], Measure] = {}
    for side, trial in trials.items():
        measures |= {(side, "send"): trial.send, (side, "get"): trial.get}
    taken = await in_turns(measures, options)
    return {
        side: Cycle(taken[side, "send"], taken[side, "get"], trial.failed / trial.calls)
        for side, trial in trials.items()
    }


_HEADERS = (
    "store",
    "at once",
    "sends/s",
    "peer's",
    "ratio",
    "p50 (ms)",
    "peer's",
    "send and get/s",
    "peer's",
    "ratio",
    "peer's failed",
)


def _about(peer: str, pairs: Sequence[Pair], options: Options, both: Sequence[Both]) -> str:
    share = max(each.generator_share for each in both)
    stores = "; ".join(
        f"{pair.name}: {pair.ours.running.stores} (ours), {pair.peer.running.stores} (the peer's)" for pair in pairs
    )
    return (
        f"Session Tools with its echo runtime, and {peer} as its documentation shows it: its handlers on a grpc.aio "
        "server, its DatabaseTaskStore, and an executor that echoes and publishes the two events that an executor "
        "should, the task and its completion; its tracing is off, our `maxConcurrent` is 64. A send "
        "(SessionsSend with a wait; SendMessage) is answered when the work is done, a get (GetRun; GetTask) asks for "
        "that work again by its id; `send and get` is what both take one after the other, by their rates. "
        f"Medians of {options.turns} turns of {options.seconds:g} s after one that "
        "does not count. Before each turn the answer to every caller is looked at, after it the complete work in the "
        "store is counted, and a send that failed is not counted as one. In each turn our sends go into as many new "
        f"sessions as there are callers, up to {MAX_PROCESSES}; each of the peer's makes a task in a new context.\n\n"
        "What is on the disk by the answer: ours has the message, the run and its exchange before the run is executed, "
        "then its lease, then the reply and the run's end; the peer has the task as submitted, then as completed, one "
        "row with its messages as JSON. On SQLite the peer is shown with SQLAlchemy's defaults, and tuned: a "
        "write-ahead log, and one connection so that its writers don't meet. How the databases say they store: "
        f"{stores}. The generator took {share:.2f} of a core at most."
    )
