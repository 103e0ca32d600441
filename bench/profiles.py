"""Where each hot path spends its time: the server under cProfile and load, written to docs/profiles as text."""

from __future__ import annotations

import json
import os
import signal
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.groups import echo
from bench.groups.cycles import cycles
from bench.groups.deltas import fan_out
from bench.options import SMALL
from bench.profiled import PROFILE, Figures, Seen
from bench.requests import a_history, a_list
from bench.serving import Server, serving
from bench.sides import asking, send_sides
from bench.stores import DATABASES, UNTOUCHED, Bench, Filled

PROGRAM = ("-m", "bench.profiled")
LINES = 25
LEAST_S = 0.05  # a thread that did less than this is left out
CONCURRENCY = 16
Drive = Callable[[Server, Filled | None, float], Awaitable[object]]
HEADER = """{name}: {about}, on {database}

Taken by `python -m bench --only profiles --page` with cProfile, which makes every call dearer: read it for where time
goes, not for how much. Times are of the clock, so that waiting for work, for the interpreter's lock or for the disk is
among them. The {lines} places with the most time of their own, for each kind of thread, in {seconds:g} s of load.
"""


@dataclass(frozen=True)
class HotPath:
    """What is profiled, how it is driven, and on what."""

    name: str
    about: str
    drive: Drive
    config: Mapping[str, Any] | None = None
    is_filled: bool = False


async def _sends(server: Server, store: Filled | None, seconds: float) -> None:
    async with send_sides({"": server}) as sides:
        await sides.at(CONCURRENCY)[""](seconds)


async def _echoes(server: Server, store: Filled | None, seconds: float) -> None:
    async with send_sides({"": server}, waits=True) as sides:
        await sides.at(CONCURRENCY)[""](seconds)


async def _lists(server: Server, store: Filled | None, seconds: float) -> None:
    await (await asking(server, a_list(200), CONCURRENCY))(seconds)


async def _histories(server: Server, store: Filled | None, seconds: float) -> None:
    key = store.transcript_key if store else ""
    await (await asking(server, a_history(key, 200), CONCURRENCY))(seconds)


async def _waits(server: Server, store: Filled | None, seconds: float) -> None:
    await fan_out(server, seconds)


async def _cycles(server: Server, store: Filled | None, seconds: float) -> None:
    await cycles(server, CONCURRENCY, seconds)


PATHS = (
    HotPath("send", f"SessionsSend without a wait, {CONCURRENCY} at once", _sends),
    HotPath("send-and-wait", f"SessionsSend with a wait on echo, {CONCURRENCY} at once", _echoes, echo.CONFIG),
    HotPath("list", f"SessionsList of 200, {CONCURRENCY} at once", _lists, UNTOUCHED, is_filled=True),
    HotPath("history", f"SessionsHistory of 200, {CONCURRENCY} at once", _histories, UNTOUCHED, is_filled=True),
    HotPath("wait", "deltas to 100 WaitRun streams", _waits),
    HotPath("acquire-complete", f"AcquireRuns and CompleteRun, {CONCURRENCY} at once, and the sends before", _cycles),
)


async def write_profiles(bench: Bench) -> None:
    """One file for each path, both databases in it; printed only, where no page is written."""
    folder = bench.options.page.parent / "profiles" if bench.options.page else None
    seconds = bench.options.seconds
    for path in PATHS:
        texts = [_text(path, name, seconds, await _profile(bench, path, name, seconds)) for name in DATABASES]
        if folder is None:
            print("\n".join(texts), flush=True)
        else:
            folder.mkdir(exist_ok=True)
            (folder / f"{path.name}.txt").write_text("\n".join(texts), encoding="utf-8")
            print(f"written to {folder / path.name}.txt", flush=True)


async def _profile(bench: Bench, path: HotPath, database: str, seconds: float) -> Seen:
    store = await bench.filled(database, SMALL) if path.is_filled else None
    with tempfile.TemporaryDirectory(prefix="bench-profile-") as folder:
        file = Path(folder) / "profile"
        url = store.url if store else bench.empty(database)
        async with serving(url, config=path.config, program=PROGRAM, environment={PROFILE: str(file)}) as server:
            await path.drive(server, store, seconds / 4)  # what is made at first use
            os.kill(server.pid, signal.SIGUSR1)
            await path.drive(server, store, seconds)
        seen: Seen = json.loads(file.read_text(encoding="utf-8"))
    return seen


def _text(path: HotPath, database: str, seconds: float, seen: Seen) -> str:
    about = HEADER.format(name=path.name, about=path.about, database=database, lines=LINES, seconds=seconds)
    return "\n".join([about, *(_section(kind, places) for kind, places in seen.items() if _busy_s(places) > LEAST_S)])


def _section(kind: str, places: Mapping[str, Figures]) -> str:
    ranked = sorted(places.items(), key=lambda each: each[1][1], reverse=True)[:LINES]
    lines = [f"{own:8.3f} {total:8.3f} {calls:9,}  {place}" for place, (calls, own, total) in ranked]
    return "\n".join([f"-- {kind}", "   own s  total s     calls  where", *lines, ""])


def _busy_s(places: Mapping[str, Figures]) -> float:
    return sum(own for place, (_, own, _) in places.items() if not place.startswith("<method 'poll'"))
