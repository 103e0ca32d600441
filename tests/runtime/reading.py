"""Readers of waits: what a client of WaitRun or WaitRuns gets, message by message."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from sessiond.following import Follow, Told
from sessiond.gateway.acquire_deliveries import AcquireQuery, acquire_deliveries
from sessiond.gateway.answer_delivery import AckQuery, ack_delivery
from sessiond.model.callers import Caller
from sessiond.model.events import Delta
from sessiond.model.exchanges import AnnouncePolicy
from sessiond.model.messages import Role, Usage
from sessiond.model.waits import WaitUntil
from sessiond.rpc.convert.runs import wait_response, waits_response
from sessiond.runtime.append_run_events import AppendQuery, Brought, append_run_events
from sessiond.tools.wait_run import WaitQuery, wait_run
from sessiond.tools.wait_runs import WaitsQuery, wait_runs
from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.making import OWNER, acting_as, tool_result, words
from tests.runtime.engine import LONG_S, A, Engine, token_of

GROUP = "agent:main:telegram:group:7"
EVERYTHING: dict[str, Any] = {"until": WaitUntil.SETTLED, "include_deltas": True}
NO_EVENTS = ("snapshot", "heartbeat", "ended")


async def stream(
    engine: Engine, run_id: str, cursor: str = "", caller: Caller = OWNER, **how: Any
) -> AsyncGenerator[pb.WaitRunResponse, None]:
    """WaitRun, as its servicer writes it."""
    query = WaitQuery(run_id, cursor, Follow(**how))
    following = wait_run(engine.db, engine.rules, engine.waits, caller, query)
    async with aclosing(_told(following)) as told:
        async for each in told:
            yield wait_response(engine.rules, following, each)


async def streams(
    engine: Engine, *runs: str | tuple[str, str], caller: Caller = OWNER, **how: Any
) -> AsyncGenerator[pb.WaitRunsResponse, None]:
    """WaitRuns, as its servicer writes it."""
    named = tuple((each, "") if isinstance(each, str) else each for each in runs)
    following = wait_runs(engine.db, engine.rules, engine.waits, caller, WaitsQuery(named, Follow(**how)))
    async with aclosing(_told(following)) as told:
        async for each in told:
            yield waits_response(engine.rules, following, each)


async def _told(following: Any) -> AsyncGenerator[Told, None]:
    async with aclosing(following.told()) as told:
        async for each in told:
            yield each


async def read(responses: AsyncIterator[Any]) -> list[Any]:
    """Every message up to the end; a wait that would hang fails instead."""
    async with asyncio.timeout(LONG_S):
        return [each async for each in responses]


@asynccontextmanager
async def reading(engine: Engine, responses: AsyncIterator[Any], sleepers: int = 1) -> AsyncIterator[asyncio.Task[Any]]:
    """A reader that has seen all there is and waits for more; at the end of the context it is waited for."""
    task = asyncio.create_task(read(responses))
    await engine.asleep(sleepers)
    yield task
    await task


def events(messages: list[Any]) -> list[Any]:
    """Those messages that say what happened to the run."""
    return [each for each in messages if kind(each) not in NO_EVENTS]


def kind(message: Any) -> str:
    """What a message is."""
    return str(message.WhichOneof("event"))


def end_of(messages: list[Any]) -> str:
    """Why a healthy stream ended."""
    assert [kind(each) for each in messages].index("ended") == len(messages) - 1
    return run_pb2.EndReason.Name(messages[-1].ended.reason).removeprefix("END_REASON_")


async def play(engine: Engine, run_id: str) -> None:
    """Let a send from A to the group run its whole course: deltas, tools, reply turn, announcement, delivery."""
    primary = await engine.take(run_id)
    brought: list[Brought] = [*map(Delta, "abc"), words("calling", Role.ASSISTANT), tool_result(), Usage(1, 2, 3)]
    for first, event in enumerate(brought, 1):
        await append_run_events(engine.db, engine.rules, AppendQuery(token_of(primary), first, (event,)))
    await engine.complete(primary, "the reply")
    await engine.complete(await engine.take(), "and back")
    await engine.complete(await engine.take(), "announced")
    await deliver(engine)


async def deliver(engine: Engine) -> None:
    """Take the one text that is to go out, and say that it went."""
    (taken,) = await acquire_deliveries(engine.db, engine.rules, engine.waits, AcquireQuery(("telegram",)))
    await ack_delivery(engine.db, AckQuery(taken.delivery.id, taken.delivery.lease_token, "receipt"))


async def begin(engine: Engine) -> str:
    """A send from A to the group, accepted and not yet begun."""
    await engine.sessions(A, GROUP)
    policy = AnnouncePolicy.MODEL_MAY_SKIP
    return await engine.queue(GROUP, "request", acting_as(A), max_turns=1, announce=policy)
