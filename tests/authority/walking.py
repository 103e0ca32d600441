"""The walk through the matrix: every call is made, and every answer that is not as the rules say is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice

from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.authority.acts import ACTS, DELETE, NO_TARGET, PLAIN, READ, Act, Made, plain_asked, tells
from tests.authority.asking import Answer, ask
from tests.authority.cast import Caller, Setting, Target, targets_of
from tests.authority.house import ALLOWED, OWNER, SPAWNED_UNDER, House, absent, sessions_of
from tests.authority.rules import LISTED, UNLISTED, admitted, spawn_verdict, verdict
from tests.serving import Served

Case = tuple[Caller, Act, Target]


@dataclass
class Walk:
    """One walk: how many cases it had, and what was wrong."""

    server: Served
    house: House
    setting: Setting
    cases: int = 0
    wrong: list[str] = field(default_factory=list)

    async def plain(self, callers: Iterable[Caller]) -> None:
        """Every call that names nothing."""
        for caller in callers:
            for rpc, call in PLAIN.items():
                expected = verdict(self.setting, caller, plain_asked(rpc), NO_TARGET)
                answer = await ask(self.server, rpc, call.request, self.house.credential(caller))
                self._note(f"{caller.name}: {rpc}", expected, answer.reason)

    async def spawns(self, callers: Iterable[Caller]) -> None:
        """A spawn under every agent, and under one that there is not."""
        asked = plain_asked("SessionsSpawn")
        for caller in callers:
            for agent in SPAWNED_UNDER:
                request = tools.SessionsSpawnRequest(task="dig", agent_id=agent)
                answer = await ask(self.server, "SessionsSpawn", request, self.house.credential(caller))
                expected = spawn_verdict(self.setting, caller, asked, agent, ALLOWED)
                self._note(f"{caller.name}: SessionsSpawn under {agent}", expected, answer.reason)

    async def targets(self, cases: Iterable[Case]) -> None:
        """Every call that names a session or a run: what only reads side by side, then what changes something."""
        for phase, group in groupby(sorted(cases, key=_order), key=lambda case: case[1].phase):
            if phase == DELETE:
                await self._quiet()
            together = 50 if phase == READ else 1
            for batch in batched(group, together):
                await asyncio.gather(*(self._ask(*case) for case in batch))

    async def _ask(self, caller: Caller, act: Act, target: Target) -> None:
        made = self.house.made[target.made_as] if target.exists else absent(target.agent)
        answer = await ask(self.server, act.rpc, act.request(made), self.house.credential(caller))
        expected = verdict(self.setting, caller, act.asked, target)
        where = f"{caller.name}: {act}, {target.name}"
        self._note(where, expected, _told(answer, act, made))
        if answer.message is not None and not tells(answer.message, act, made):
            self.wrong.append(f"{where}: the answer is about another one")
        if answer.status is not None:
            self.wrong += (f"{where}: the refusal names {key}" for key in self._leaked(caller, answer.text, made))

    def _leaked(self, caller: Caller, told: str, made: Made) -> Iterator[str]:
        """What a refusal tells of the house, beside what the caller said itself."""
        said = (made.key, made.label)
        for each in self.house.made.values():
            for name in (each.key, each.session_id, each.old_session_id, each.label, each.run_id):
                if name in told and name not in said:
                    yield f"{name} to {caller.name}"

    async def _quiet(self) -> None:
        """Stop what the walk has queued, since a session with something to do is not deleted."""
        for key in sessions_of(self.house):
            await ask(self.server, "ChatAbort", gateway.ChatAbortRequest(session_key=key), OWNER)

    def _note(self, where: str, expected: str, found: str) -> None:
        self.cases += 1
        if found != expected:
            self.wrong.append(f"{where}: expected {expected}, found {found}")


def _order(case: Case) -> int:
    return ACTS.index(case[1])


def batched(cases: Iterable[Case], number: int) -> Iterator[list[Case]]:
    """So many at a time."""
    rest = iter(cases)
    while batch := list(islice(rest, number)):
        yield batch


def _told(answer: Answer, act: Act, made: Made) -> str:
    if not act.lists or answer.message is None:
        return answer.reason
    return LISTED if made.session_id in {each.session_id for each in answer.message.sessions} else UNLISTED


def every_case(callers: Iterable[Caller]) -> list[Case]:
    """Each caller with each call and each target."""
    return [(caller, act, target) for act in ACTS for caller in callers for target in targets_of(caller)]


def cases_of_visibility(setting: Setting, callers: Iterable[Caller]) -> list[Case]:
    """Without those that are refused whatever they name, which is the same under every setting."""
    return [case for case in every_case(callers) if not admitted(setting, case[0], case[1].asked)]


def number_of_cases(callers: Sequence[Caller]) -> int:
    """How many there are as it comes: with a target, without one, and of spawns."""
    return len(every_case(callers)) + len(callers) * (len(PLAIN) + len(SPAWNED_UNDER))
