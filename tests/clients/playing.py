"""A case being played in one language: each step in turn, what the client sees noted and compared."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from tests.clients.case import Case, Step
from tests.clients.contract import METHODS, Method
from tests.clients.driver import Driver
from tests.clients.matching import differences
from tests.clients.scripted import Scripted
from tests.clients.stage import Place
from tests.clients.transcript import steady
from tests.clients.values import filled

MANY = 100_000  # messages of a wait, taken at a time
ERROR = {"code", "reason", "message", "metadata", "fields", "retry_after_seconds"}


class Mismatch(AssertionError):  # noqa: N818 - it says what is so
    """The client saw something else than what the case expects."""


@dataclass(frozen=True)
class Seen:
    """What the client saw: a response, or messages of a wait; and the error that ended it, if one did."""

    value: Any
    error: dict[str, Any] | None = None


@dataclass
class Wait:
    """A wait that is open in the driver."""

    number: int
    request: dict[str, Any]
    told: list[dict[str, Any]] = field(default_factory=list)  # since it was opened
    is_over: bool = False


class Playing:
    """One case, in one language."""

    def __init__(self, case: Case, place: Place, driver: Driver) -> None:
        self._case = case
        self._place = place
        self._driver = driver
        self._names: dict[str, Any] = {}
        self._waits: dict[str, Wait] = {}
        self._later: dict[str, asyncio.Task[Seen]] = {}
        self.at = "the beginning"  # where it is, for people
        self.transcript: list[Any] = []

    async def play(self) -> None:
        """Dial, and do the steps, in every round."""
        credentials = {"token": "", "acting_session": "", **self._case.dial}
        await self._driver.ask("dial", target=self._place.proxy.address, **credentials).done()
        try:
            for names in self._case.rounds():
                self._names = {"case": self._case.name, **names}
                for number, step in enumerate(self._case.steps, 1):
                    self.at = " ".join([f"step {number}, {step}", *(f"({name} {names[name]})" for name in names)])
                    await getattr(self, f"_{step.verb}")(step)
                await self._leave_waits()
        finally:
            for task in self._later.values():
                task.cancel()

    async def _leave_waits(self) -> None:
        for wait in self._waits.values():
            if not wait.is_over:
                await self._driver.ask("cancel", wait=wait.number).done()
        self._waits = {}

    async def _call(self, step: Step) -> None:
        method = METHODS[step.what]
        request = method.asked(self._filled(step, "with", {}))
        op = "stream" if method.is_stream else "call"
        asked = self._driver.ask(op, method=method.name, request=_text(request), **self._how(step))

        async def take() -> Seen:
            *events, last = await asked.answers()
            error = _checked(last["error"]) if "error" in last else None
            if method.is_stream:
                return Seen([_told(method, each["event"]) for each in events], error)
            return Seen(None if error else _told(method, last["response"]), error)

        await self._take(step, take())

    async def _directly(self, step: Step) -> None:
        who = self._filled(step, "as", {})
        credentials = {"token": who.get("token", ""), "acting": who.get("acting_session", "")}
        answer = await self._place.directly(step.what, self._filled(step, "with", {}), **credentials)
        self._compare(step, Seen(answer))

    async def _wait(self, step: Step) -> None:
        request = self._filled(step, "with", {})
        asked = self._driver.ask("wait", request=_text(METHODS["WaitRun"].asked(request)), **self._how(step))
        await asked.done()
        self._waits[step.what] = Wait(asked.number, request)

    async def _next(self, step: Step) -> None:
        expected = self._filled(step, "expect", [{}])
        wants_heartbeats = any("heartbeat" in each for each in expected)
        count = self._filled(step, "count", len(expected))
        await self._take(step, self._messages(self._waits[step.what], count, wants_heartbeats))

    async def _rest(self, step: Step) -> None:
        wait = self._waits[step.what]
        await self._take(step, self._messages(wait, MANY))
        if step.options.get("whole"):
            replayed = [steady(each) for each in await self._place.replayed(wait.request)]
            told = [steady(each) for each in wait.told if "heartbeat" not in each]
            _raise(differences(replayed, told, "of all that the wait told, compared with an uncut one, it"))

    async def _cancel(self, step: Step) -> None:
        await self._driver.ask("cancel", wait=self._waits[step.what].number).done()

    async def _answer(self, step: Step) -> None:
        self._see(step, await self._later.pop(step.what))

    async def _proxy(self, step: Step) -> None:
        if isinstance(step.what, dict):
            self._place.proxy.delay_s = step.what["delay"]
        else:
            getattr(self._place.proxy, step.what)()

    async def _server(self, step: Step) -> None:
        await getattr(self._place.server, step.what)()

    async def _asked(self, step: Step) -> None:
        assert isinstance(self._place.server, Scripted)
        self._see(step, Seen(self._place.server.asked[step.what]))

    async def _messages(self, wait: Wait, count: int, wants_heartbeats: bool = False) -> Seen:
        """Take so many messages, heartbeats not counted unless they are wanted; fewer when the wait ends before."""
        found: list[dict[str, Any]] = []
        while len(found) < count:
            *events, last = await self._driver.ask("next", wait=wait.number, count=count - len(found)).answers()
            told = [_told(METHODS["WaitRun"], each["event"]) for each in events]
            wait.told += told
            found += [each for each in told if wants_heartbeats or "heartbeat" not in each]
            wait.is_over = "done" not in last
            if wait.is_over:
                return Seen(found, _checked(last["error"]) if "error" in last else None)
        return Seen(found)

    async def _take(self, step: Step, taking: Coroutine[Any, Any, Seen]) -> None:
        """See what comes of it, now or when a later step asks for it."""
        if name := step.options.get("later"):
            self._later[name] = asyncio.create_task(taking)
            await asyncio.sleep(0)  # so that its command is given before the next one
        else:
            self._see(step, await taking)

    def _see(self, step: Step, seen: Seen) -> None:
        """Note what the client saw, for the comparison with other languages, and compare it with the case."""
        self.transcript.append({"at": self.at, "saw": seen.value, "error": seen.error})
        self._compare(step, seen)

    def _compare(self, step: Step, seen: Seen) -> None:
        refused = self._filled(step, "refused", None)
        if refused is None and seen.error is not None:
            raise Mismatch(f"it was refused: {seen.error}")
        if refused is not None and seen.error is None:
            raise Mismatch(f"it was not refused, but told {seen.value}")
        if refused is not None:
            _raise(differences(refused, seen.error, "the error"))
        if "expect" in step.options:
            _raise(differences(self._filled(step, "expect", None), seen.value))
        if name := step.options.get("save"):
            self._names[name] = seen.value

    def _how(self, step: Step) -> dict[str, Any]:
        who = self._filled(step, "as", {})
        return {"deadline_seconds": step.options.get("deadline"), **who}

    def _filled(self, step: Step, option: str, otherwise: Any) -> Any:
        return filled(step.options.get(option, otherwise), self._names)


def _text(message: bytes) -> str:
    return base64.b64encode(message).decode()


def _told(method: Method, text: str) -> dict[str, Any]:
    return method.told(base64.b64decode(text))


def _checked(error: dict[str, Any]) -> dict[str, Any]:
    """An error with exactly the fields that errors have."""
    if set(error) != ERROR:
        raise Mismatch(f"an error has the fields {', '.join(sorted(ERROR))}, not {error}")
    return {**error, "retry_after_seconds": round(float(error["retry_after_seconds"]), 3)}


def _raise(problems: Any) -> None:
    if found := list(problems):
        raise Mismatch("\n".join(found[:10]))
