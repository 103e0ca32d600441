"""What callers ask for while things go wrong; each request is kept with the answer that it got, if any."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any

from sessiontools import Client, SessionToolsError
from sessiontools.errors import is_temporary
from sessiontools.v1 import delivery_pb2, run_pb2
from sessiontools.v1 import gateway_service_pb2 as gateway_pb
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.system.scripts import Script, script_for

CALL_S = 10.0
WAIT_S = 4  # of a send that waits for its reply
PAUSE_S = 0.2  # after a call without an answer
WAITS = 24  # open at the same time
REPEATED = 0.2  # of all that was answered, to see that the answer stays
KINDS = {"chat": 30, "send": 20, "waiting send": 15, "exchange": 15, "spawn": 10, "cancel": 10}


@dataclass
class Request:
    """One request and all that its caller knows of it."""

    number: int
    kind: str
    key: str
    script: Script
    acting: str = ""
    aim: str = ""  # of a cancel: the run
    sent_s: float = inf
    answered_s: float = inf
    was_unknown: bool = False  # at the first try
    run_id: str = ""
    reply: str | None = None
    refusal: str = ""
    repeats: list[str] = field(default_factory=list)  # the runs that later tries were told

    @property
    def request_id(self) -> str:
        """The same at every try (R8)."""
        return f"request-{self.number}"

    @property
    def is_answered(self) -> bool:
        """Whether its caller knows what became of it."""
        return self.answered_s < inf


@dataclass
class Wait:
    """What one waiter was told."""

    run_id: str
    until: run_pb2.WaitUntil.ValueType
    events: list[pb.WaitRunResponse] = field(default_factory=list)


class Workload:
    """Several callers at once, each with one request after the other."""

    def __init__(self, client: Client, rng: random.Random, keys: list[str]) -> None:
        self._client, self._rng, self._keys = client, rng, keys
        self._moved = asyncio.Condition()
        self._answered = 0
        self._is_over = False
        self._room = asyncio.Semaphore(WAITS)
        self.requests: list[Request] = []
        self.waits: list[Wait] = []

    async def make_sessions(self) -> None:
        """All that is written to, with no message yet."""
        for key in self._keys:
            await self._client.SessionsPatch(gateway_pb.SessionsPatchRequest(session_key=key, allow_missing=True))

    async def run(self, callers: int) -> None:
        """Ask until told to end, and return when every wait is over, too."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(callers):
                tasks.create_task(self._ask_for_ever(tasks))

    def end(self) -> None:
        """No new requests."""
        self._is_over = True

    async def answered_more(self, number: int) -> None:
        """Return when so many more requests have been answered."""
        async with self._moved:
            aim = self._answered + number
            await self._moved.wait_for(lambda: self._answered >= aim)

    async def learn_the_truth(self, callers: int) -> None:
        """Ask again, with the same request_id, whatever was not answered, and some of what was (R8)."""
        again = iter([each for each in self.requests if not each.is_answered or self._rng.random() < REPEATED])

        async def ask() -> None:
            for request in again:
                while not await self._ask(request):  # noqa: ASYNC110 - nobody tells when a service is back
                    await asyncio.sleep(PAUSE_S)

        async with asyncio.TaskGroup() as tasks:
            for _ in range(callers):
                tasks.create_task(ask())

    async def _ask_for_ever(self, tasks: asyncio.TaskGroup) -> None:
        while not self._is_over:
            request = self._next()
            if not await self._ask(request):
                await asyncio.sleep(PAUSE_S)
            elif request.run_id and request.kind != "cancel" and self._rng.random() < 0.5:
                await self._room.acquire()
                tasks.create_task(self._wait(request.run_id))

    def _next(self) -> Request:
        kind = self._rng.choices([*KINDS], [*KINDS.values()])[0]
        aims = [each.run_id for each in self.requests[-30:] if each.run_id and each.kind != "cancel"]
        if kind == "cancel" and not aims:
            kind = "chat"
        number = len(self.requests)
        key = self._rng.choice(self._keys)
        request = Request(number, kind, key, script_for(self._rng, number, key))
        if kind in ("exchange", "spawn"):
            request.acting = self._rng.choice(self._keys)
        if kind == "cancel":
            request.aim = self._rng.choice(aims)
        self.requests.append(request)
        return request

    async def _ask(self, request: Request) -> bool:
        """One try; whether there is an answer now."""
        request.sent_s = min(request.sent_s, time.monotonic())
        try:
            run_id = await self._calls[request.kind](self, request)
        except SessionToolsError as problem:
            if is_temporary(problem):
                request.was_unknown = True
                return False
            request.refusal = str(problem)
            run_id = ""
        if request.is_answered:
            request.repeats.append(run_id)
        else:
            request.run_id, request.answered_s = run_id, time.monotonic()
        async with self._moved:
            self._answered += 1
            self._moved.notify_all()
        return True

    async def _chat(self, request: Request) -> str:
        route = delivery_pb2.Route(channel="telegram", to=request.key)
        chat = gateway_pb.ChatSendRequest(
            session_key=request.key, text=request.script.text, route=route, request_id=request.request_id
        )
        return (await self._client.ChatSend(chat, timeout=CALL_S)).run_id

    async def _send(self, request: Request, **fields: Any) -> str:
        quiet = {"timeout_seconds": 0, "announce": pb.ANNOUNCE_POLICY_NEVER, "max_ping_pong_turns": 0, **fields}
        send = pb.SessionsSendRequest(
            session_key=request.key, message=request.script.text, request_id=request.request_id, **quiet
        )
        client = self._client.acting_as(request.acting) if request.acting else self._client
        answer = await client.SessionsSend(send, timeout=CALL_S)
        request.reply = answer.reply if answer.status == pb.SEND_STATUS_OK else request.reply
        return answer.run_id

    async def _waiting_send(self, request: Request) -> str:
        return await self._send(request, timeout_seconds=WAIT_S)

    async def _exchange(self, request: Request) -> str:
        policy = pb.ANNOUNCE_POLICY_MODEL_MAY_SKIP
        return await self._send(request, announce=policy, max_ping_pong_turns=2)

    async def _spawn(self, request: Request) -> str:
        spawn = pb.SessionsSpawnRequest(
            task=request.script.text, agent_id=request.key.split(":")[1], request_id=request.request_id
        )
        return (await self._client.acting_as(request.acting).SessionsSpawn(spawn, timeout=CALL_S)).run_id

    async def _cancel(self, request: Request) -> str:
        cancel = pb.CancelRunRequest(run_id=request.aim, reason="by chance", request_id=request.request_id)
        answer = await self._client.CancelRun(cancel, timeout=CALL_S)
        return answer.runs[0].id if answer.runs else ""

    async def _wait(self, run_id: str) -> None:
        """Follow a run through whatever happens, and keep all that is told."""
        until = self._rng.choice([run_pb2.WAIT_UNTIL_REPLY, run_pb2.WAIT_UNTIL_SETTLED])
        wait = Wait(run_id, until)
        self.waits.append(wait)
        try:
            request = pb.WaitRunRequest(run_id=run_id, until=until, include_deltas=True)
            async for event in self._client.wait_run(request):
                wait.events.append(event)
        finally:
            self._room.release()

    _calls: dict[str, Callable[[Workload, Request], Awaitable[str]]] = {  # noqa: RUF012 - never changed
        "chat": _chat,
        "send": _send,
        "waiting send": _waiting_send,
        "exchange": _exchange,
        "spawn": _spawn,
        "cancel": _cancel,
    }
