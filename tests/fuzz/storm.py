"""Many callers at once who mean no good; every answer is judged, and all that went wrong is told at the end."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc

from tests.fuzz.finds import Finds
from tests.fuzz.shots import Shooter, Shot
from tests.fuzz.verdict import Answer, answer_of, breach

WORKERS = 40
READ_MESSAGES = 200
SHOWN_BREACHES = 20


@dataclass
class Tally:
    """What the storm came to."""

    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    breaches: list[str] = field(default_factory=list)

    def note(self, shot: Shot, answer: Answer) -> bool:
        """One call more; whether all was right with it."""
        self.calls[shot.method.name, answer.code.name] += 1
        problem = breach(shot, answer)
        if problem:
            self.breaches.append(f"{problem}\n{shot}")
        return not problem

    def told(self) -> str:
        """What went wrong, the first of it with all that is needed to repeat it."""
        shown = "\n\n".join(self.breaches[:SHOWN_BREACHES])
        return f"{len(self.breaches)} answers were wrong\n{shown}"

    def __str__(self) -> str:
        by_status: Counter[str] = Counter()
        for (_, code), times in self.calls.items():
            by_status[code] += times
        shown = ", ".join(f"{times:,} {code}" for code, times in by_status.most_common())
        return f"{self.calls.total():,} calls: {shown}"


async def storm(
    channels: Sequence[grpc.aio.Channel], finds: Finds, tally: Tally, seed: str, over: float, *, may_purge: bool
) -> None:
    """Call everything, until a time of the loop's clock."""
    async with asyncio.TaskGroup() as tasks:
        for number in range(WORKERS):
            rng = random.Random(f"{seed} {number}")  # noqa: S311 - not for secrets
            shooter = Shooter(rng, finds, may_purge)
            tasks.create_task(_worker(channels[number % len(channels)], shooter, finds, tally, over))


async def _worker(channel: grpc.aio.Channel, shooter: Shooter, finds: Finds, tally: Tally, over: float) -> None:
    loop = asyncio.get_running_loop()
    while loop.time() < over:
        shot = shooter.next()
        answer = await fire(channel, shot)
        is_right = tally.note(shot, answer)
        for response in answer.responses if is_right else ():
            finds.note(shot.method, shot.read(), shot.method.read_response(response))


async def fire(channel: grpc.aio.Channel, shot: Shot) -> Answer:
    """Make the call, and see how it ends."""
    call = _begun(channel, shot)
    leaving = _leaving(call, shot)
    read: list[bytes] = []
    try:
        async for response in _responses(call, shot):
            read.append(response)
            if len(read) == READ_MESSAGES:
                call.cancel()
        return Answer(await call.code(), responses=tuple(read))
    except grpc.aio.AioRpcError as problem:
        return answer_of(problem, tuple(read))
    except asyncio.CancelledError:
        if not call.cancelled():  # it is the storm that ends, not the call
            raise
        return Answer(grpc.StatusCode.CANCELLED, "Locally cancelled by application!", responses=tuple(read))
    finally:
        if leaving is not None:
            leaving.cancel()


def _begun(channel: grpc.aio.Channel, shot: Shot) -> Any:
    """The call, as bytes."""
    begin = channel.unary_stream if shot.method.is_streaming else channel.unary_unary
    call: Any = begin(shot.method.path)
    return call(shot.request, timeout=shot.timeout_s, metadata=shot.metadata, compression=shot.compression)


async def _responses(call: Any, shot: Shot) -> AsyncIterator[bytes]:
    if shot.method.is_streaming:
        async for response in call:
            yield response
    else:
        yield await call


def _leaving(call: Any, shot: Shot) -> asyncio.TimerHandle | None:
    if shot.leaves_after_s is None:
        return None
    return asyncio.get_running_loop().call_later(shot.leaves_after_s, call.cancel)
