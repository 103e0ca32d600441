"""Invented sessions: whose they are, where they happen, and who spawned them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import NamedTuple, TypeVar

from sessiond.model.keys import ChatType, SessionKind, main_key_of
from sessiond.store.seeding.ids import growing_number, growing_uuid
from sessiond.store.seeding.plan import SeedPlan

MAX_DEPTH = 3
REMEMBERED_PARENTS = 64

CHANNELS = ("whatsapp", "telegram", "discord", "signal", "imessage", "webchat")
JOBS = ("nightly-report", "backup-check", "inbox-digest", "weather", "price-watch")
SUBJECTS = ("Family", "Release crew", "#general", "#incidents", "Book club", "House meeting", "Board")
# Of forty sessions that are nobody's main one.
_MIX = {"group": 12, "subagent": 10, "direct": 9, "cron": 4, "hook": 3, "node": 2}

Item = TypeVar("Item")
Maker = Callable[[int], "Identity"]


class Parent(NamedTuple):
    """A session that others may be spawned from."""

    id: int
    key: str
    agent_id: str
    spawn_path: str
    spawn_depth: int

    @property
    def children_path(self) -> str:
        """The spawn path of what it spawns."""
        return f"{self.spawn_path or '/'}{self.id}/"


class Identity(NamedTuple):
    """What a session is, before it has an id and an age."""

    agent_id: str
    key: str
    kind: SessionKind
    created_ms: int
    chat_type: ChatType | None = None
    channel: str = ""
    to: str = ""
    thread_id: str = ""
    subject: str = ""
    parent: Parent | None = None


class Identities:
    """Invents one session after another; `mains` are the main sessions that the store has already."""

    def __init__(self, plan: SeedPlan, rng: Random, mains: Iterable[Parent]) -> None:
        self._rng = rng
        self._agents = _busiest_first(plan.agents)
        self._mains = {main.agent_id: main for main in mains}
        self._missing = [agent for agent in reversed(plan.agents) if agent not in self._mains]
        self._keys = plan.keys
        self._spawners: list[Parent] = []
        self._mix = self._makers(has_direct_chats=not plan.keys.direct_chats_share_main)

    def next(self, created_ms: int) -> Identity:
        """The main sessions that are missing come first, so that every sub-agent has somebody above it."""
        return self._main(created_ms) if self._missing else self._pick(self._mix)(created_ms)

    def talkative(self, created_ms: int) -> Identity:
        """The session of the one long transcript, in the busiest agent."""
        key = f"agent:{self._agents[0]}:archive-{self._number(created_ms):x}"
        return Identity(self._agents[0], key, SessionKind.OTHER, created_ms)

    def remember(self, identity: Identity, session: int) -> None:
        """Keep main sessions, and some of the latest others, as those that sub-agents are spawned from."""
        above = identity.parent
        path, depth = (above.children_path, above.spawn_depth + 1) if above else ("", 0)
        parent = Parent(session, identity.key, identity.agent_id, path, depth)
        if identity.kind is SessionKind.MAIN:
            self._mains[identity.agent_id] = parent
        elif depth < MAX_DEPTH and len(self._spawners) < REMEMBERED_PARENTS:
            self._spawners.append(parent)
        elif depth < MAX_DEPTH:
            self._spawners[int(self._rng.random() * REMEMBERED_PARENTS)] = parent

    def _makers(self, has_direct_chats: bool) -> list[Maker]:
        """Each kind's maker as often as the mix has it."""
        makers: dict[str, Maker] = {
            "group": self._group,
            "subagent": self._subagent,
            "direct": self._direct,
            "cron": self._cron,
            "hook": self._hook,
            "node": self._node,
        }
        names = [name for name in _MIX if has_direct_chats or name != "direct"]
        return [makers[name] for name in names for _ in range(_MIX[name])]

    def _main(self, created_ms: int) -> Identity:
        agent, channel, peer = self._missing.pop(), self._pick(CHANNELS), str(self._number(created_ms))
        key = str(main_key_of(agent, self._keys))
        return Identity(agent, key, SessionKind.MAIN, created_ms, ChatType.DIRECT, channel, peer)

    def _group(self, created_ms: int) -> Identity:
        agent, channel, place = self._agent(), self._pick(CHANNELS), str(self._number(created_ms))
        is_discord = channel == "discord"
        chat_type = ChatType.CHANNEL if is_discord else ChatType.GROUP
        key = f"agent:{agent}:{channel}:{chat_type.value}:{place}"
        thread = str(self._rng.getrandbits(20)) if self._rng.random() < 0.2 else ""
        if thread:
            key += f":thread:{thread}" if is_discord else f":topic:{thread}"
        subject = self._pick(SUBJECTS)
        return Identity(agent, key, SessionKind.GROUP, created_ms, chat_type, channel, place, thread, subject)

    def _direct(self, created_ms: int) -> Identity:
        agent, channel, peer = self._agent(), self._pick(CHANNELS), str(self._number(created_ms))
        key = f"agent:{agent}:{channel}:direct:{peer}"
        if self._rng.random() < 0.2:  # known by its key, but no gateway has told a route yet
            return Identity(agent, key, SessionKind.OTHER, created_ms, ChatType.DIRECT)
        return Identity(agent, key, SessionKind.OTHER, created_ms, ChatType.DIRECT, channel, peer)

    def _subagent(self, created_ms: int) -> Identity:
        is_of_main = not self._spawners or self._rng.random() < 0.8
        parent = self._mains[self._agent()] if is_of_main else self._pick(self._spawners)
        agent = parent.agent_id if self._rng.random() < 0.9 else self._agent()
        key = f"agent:{agent}:subagent:{growing_uuid(created_ms, self._rng)}"
        return Identity(agent, key, SessionKind.OTHER, created_ms, parent=parent)

    def _cron(self, created_ms: int) -> Identity:
        job = f"{self._pick(JOBS)}-{self._number(created_ms):x}"
        return self._internal(SessionKind.CRON, f"cron:{job}", created_ms)

    def _hook(self, created_ms: int) -> Identity:
        return self._internal(SessionKind.HOOK, f"hook:{growing_uuid(created_ms, self._rng)}", created_ms)

    def _node(self, created_ms: int) -> Identity:
        return self._internal(SessionKind.NODE, f"node-{self._number(created_ms):x}", created_ms)

    def _internal(self, kind: SessionKind, rest: str, created_ms: int) -> Identity:
        agent = self._agent()
        return Identity(agent, f"agent:{agent}:{rest}", kind, created_ms)

    def _agent(self) -> str:
        return self._pick(self._agents)

    def _number(self, created_ms: int) -> int:
        return growing_number(created_ms, self._rng)

    def _pick(self, items: Sequence[Item]) -> Item:
        return items[int(self._rng.random() * len(items))]


def _busiest_first(agents: Sequence[str]) -> list[str]:
    """Each agent as often as it has sessions: half for the first, a quarter for the second, and so on."""
    return [agent for place, agent in enumerate(agents) for _ in range(max(1, 32 >> place))]
