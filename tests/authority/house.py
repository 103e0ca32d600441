"""The house that is asked about: sessions in every relation to every caller, each with a run, ids and a label."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import run_pb2
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.authority.acts import Made
from tests.authority.cast import AGENTS, ANN, BOX, BOXED_SUB, GROUP, MAIN, PLACES, REQUESTERS, SUB, Caller, Place
from tests.serving import Metadata, Served, acting, bearer

ROLES = ("owner", "gateway", "runtime")
SECRETS = {role: f"{role}-token-0123456789" for role in ROLES}
OWNER, RUNTIME = bearer(SECRETS["owner"]), bearer(SECRETS["runtime"])
UNUSED_AGENT = "lab"  # it is configured, and nobody has ever spoken to it
# Who may spawn under whom, when the house is asked.
ALLOWED: dict[str, set[str]] = {"main": {"ops"}, "box": set(), "ops": set()}
SPAWNED_UNDER = [*ALLOWED, "nobody"]  # the last one is not configured
KEYS = {
    f"{ANN.name}/own": "agent:main:telegram:direct:ann",
    f"{MAIN.name}/own": "agent:main:main",
    f"{GROUP.name}/own": "agent:main:telegram:group:crew",
    f"{BOX.name}/own": "agent:box:main",
    "nightly": "agent:main:cron:nightly",
    "boxed nightly": "agent:box:cron:nightly",
    **{f"{agent}/idle": f"agent:{agent}:discord:channel:idle" for agent in AGENTS},
    **{f"{agent}/archived": f"agent:{agent}:hook:archived" for agent in AGENTS},
    "ops/main": "agent:ops:main",
    "expired": "agent:main:hook:expired",
}
SILENT = (run_pb2.RUN_KIND_ANNOUNCE, run_pb2.RUN_KIND_SPAWN_ANNOUNCE)


def config(sections: Mapping[str, Any], *, is_building: bool = False) -> dict[str, Any]:
    """A configuration with these sections; while the house is built, everybody may spawn under everybody, and deep."""
    agents = [
        {
            "id": agent,
            "runtime": "external",
            "sandbox": {"mode": "all" if agent == "box" else "off"},
            "subagents": {"allowAgents": ["*"] if is_building else sorted(ALLOWED.get(agent, ()))},
        }
        for agent in (*AGENTS, UNUSED_AGENT)
    ]
    defaults: dict[str, Any] = {**sections["agents"]["defaults"], "maxConcurrent": 100}
    defaults["subagents"] = {"maxSpawnDepth": 3 if is_building else 1, "maxConcurrent": 100}
    return {
        **sections,
        "agents": {"list": agents, "defaults": defaults},
        "auth": {"tokens": [{"name": role, "role": role, "token": SECRETS[role]} for role in ROLES]},
        "runtime": {"leaseSeconds": 3600},
        "session": {"agentToAgent": {"maxRunsPerTrace": 10_000}},
    }


@dataclass
class House:
    """What was made, by name, and the run tokens of those that act."""

    made: dict[str, Made] = field(default_factory=dict)
    run_tokens: dict[str, str] = field(default_factory=dict)  # by the name of the place, and `expired`

    def credential(self, caller: Caller) -> Metadata:
        """What a caller shows."""
        if caller.role == "agent":
            assert caller.place is not None
            return bearer(self.run_tokens[caller.place.name])
        if caller.role:
            place = acting(self.made[f"{caller.place.name}/own"].key) if caller.place else ()
            return (*bearer(SECRETS[caller.role]), *place)
        known = {"expired run token": self.run_tokens["expired"], "wrong token": "not-a-token-0123456789"}
        return bearer(known[caller.name]) if caller.name in known else ()


async def build(server: Served) -> House:
    """Make all sessions, let each have a run and a generation that ended, and lease a run wherever somebody acts."""
    builder = _Builder(server)
    for name, key in KEYS.items():
        await builder.make(name, key)
    await builder.finish_all()
    for place in PLACES:
        await builder.spawn_for(place)
    await builder.finish_all()
    for name in [*builder.keys]:
        await builder.begin_anew(name)
    house = House({name: builder.told(name) for name in builder.keys})
    house.run_tokens = await builder.lease([MAIN, GROUP, BOX, SUB, BOXED_SUB])
    return house


def absent(agent: str, length: int = 0) -> Made:
    """Names of nothing; the key as long as some other one."""
    random = str(uuid.uuid4())
    key = f"agent:{agent}:{random}"
    return Made(key[:length] if length else key, *(str(uuid.uuid4()) for _ in range(4)))


class _Builder:
    def __init__(self, server: Served) -> None:
        self._server = server
        self.keys: dict[str, str] = {}
        self._runs: dict[str, str] = {}
        self._ids: dict[str, tuple[str, str]] = {}

    def told(self, name: str) -> Made:
        return Made(self.keys[name], *self._ids[name], label=f"label of {name}", run_id=self._runs[name])

    async def make(self, name: str, key: str) -> None:
        patch = gateway.SessionPatch(label=f"label of {name}")
        request = gateway.SessionsPatchRequest(session_key=key, patch=patch, allow_missing=True)
        await self._server.gateway.SessionsPatch(request, metadata=OWNER)
        self.keys[name] = key
        self._runs[name] = await self._send(key)

    async def spawn_for(self, place: Place) -> None:
        """A sub-agent to act from, if the place is one; then what it spawns."""
        if place in REQUESTERS:
            await self._spawn(f"{place.name}/own", REQUESTERS[place][0], place.agent)
        await self._spawn(f"{place.name}/spawned", f"{place.name}/own", place.agent)
        await self._spawn(f"{place.name}/elsewhere", f"{place.name}/own", "ops")
        await self._spawn(f"{place.name}/deep", f"{place.name}/spawned", place.agent)

    async def begin_anew(self, name: str) -> None:
        """A new generation; what is to be archived is, after that."""
        request = gateway.SessionsResetRequest(session_key=self.keys[name])
        answer = await self._server.gateway.SessionsReset(request, metadata=OWNER)
        self._ids[name] = (answer.session.session_id, answer.previous_session_id)
        if name.endswith("/archived"):
            delete = gateway.SessionsDeleteRequest(session_key=self.keys[name])
            await self._server.gateway.SessionsDelete(delete, metadata=OWNER)

    async def finish_all(self) -> None:
        """Execute whatever is queued, and what follows from that."""
        while taken := await self._acquire():
            for each in taken:
                await self._complete(each, "ANNOUNCE_SKIP" if each.run.kind in SILENT else "done")

    async def lease(self, places: list[Place]) -> dict[str, str]:
        """A run under way in each place; of one more, only its token is left."""
        wanted = {await self._send(self.keys[f"{place.name}/own"]): place.name for place in places}
        wanted[await self._send(self.keys["expired"])] = "expired"
        taken: list[runtime.RunAssignment] = []
        while len(taken) < len(wanted):
            taken += await self._acquire()
        for each in taken:
            if wanted[each.run.id] == "expired":
                await self._complete(each, "done")
        return {wanted[each.run.id]: each.run_token for each in taken}

    async def _spawn(self, name: str, by: str, agent: str) -> None:
        request = tools.SessionsSpawnRequest(task="dig", label=f"label of {name}", agent_id=agent)
        metadata = (*OWNER, *acting(self.keys[by]))
        answer = await self._server.tools.SessionsSpawn(request, metadata=metadata)
        self.keys[name], self._runs[name] = answer.child_session_key, answer.run_id

    async def _send(self, key: str) -> str:
        never = tools.ANNOUNCE_POLICY_NEVER
        request = tools.SessionsSendRequest(session_key=key, message="hello", timeout_seconds=0, announce=never)
        return (await self._server.tools.SessionsSend(request, metadata=OWNER)).run_id

    async def _acquire(self) -> list[runtime.RunAssignment]:
        request = runtime.AcquireRunsRequest(runtime_id="rt", max_runs=100)
        return [*(await self._server.runtime.AcquireRuns(request, metadata=RUNTIME)).runs]

    async def _complete(self, taken: runtime.RunAssignment, reply: str) -> None:
        request = runtime.CompleteRunRequest(lease_token=taken.lease_token, reply=reply)
        await self._server.runtime.CompleteRun(request, metadata=RUNTIME)


def sessions_of(house: House) -> Iterator[str]:
    """The keys of all sessions in which nobody is at work."""
    busy = {f"{name}/own" for name in house.run_tokens}
    yield from (made.key for name, made in house.made.items() if name not in busy)
