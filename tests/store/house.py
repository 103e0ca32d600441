"""A house full of sessions, and a plain reading of the rules to compare the store's lists with (L1-L5, L7, V3)."""

from __future__ import annotations

from random import Random

from sessiond.model.sessions import Session
from sessiond.model.visibility import NO_AGENT, ActingSession, Scope
from sessiond.store import sessions
from sessiond.store.session_pages import ListFilter
from sessiond.store.transaction import Tx
from tests.fakes.clock import START_MS
from tests.making import put_session, standing_in

AGENTS = ("ada", "bob", "cyd", "dan", "eve", "fay")
LABELS = ("", "", "red", "blue")
MINUTE_MS = 60_000
_RESTS = ("main", "cron:{}", "hook:{}", "node-{}", "telegram:group:{}", "Other:{}", "other:{}")
SIZE = 90


class House:
    """Every session of the store, and who spawned whom."""

    def __init__(self, tx: Tx) -> None:
        self._dice = Random(7)  # noqa: S311 - dice, not secrets
        self._parents: dict[str, str] = {}
        self.sessions: list[Session] = []
        self.root = self._add(tx, "agent:ada:main")
        child = self._add(tx, "agent:ada:subagent:child", self.root)
        self.middle = self._add(tx, "agent:bob:subagent:grandchild", child)
        self._add(tx, "agent:fay:subagent:great-grandchild", self.middle)
        while len(self.sessions) < SIZE:
            self._add_any(tx)

    def _add_any(self, tx: Tx) -> None:
        agent = self._dice.choice(AGENTS)
        number = len(self.sessions)
        if number % 4 == 0:
            self._add(tx, f"agent:{agent}:subagent:{number}", self._dice.choice(self.sessions))
        else:
            self._add(tx, f"agent:{agent}:{self._dice.choice(_RESTS).format(number)}")

    def _add(self, tx: Tx, key: str, parent: Session | None = None) -> Session:
        if any(each.key == key for each in self.sessions):
            return self.root
        tx.now_ms = START_MS - self._dice.randrange(8) * MINUTE_MS  # few instants, so that many sessions tie
        session = put_session(tx, key, parent)
        session = sessions.change(tx, session, {"label": self._dice.choice(LABELS)})
        if self._dice.random() < 0.2:
            session = sessions.archive(tx, session)
        if parent:
            self._parents[key] = parent.key
        self.sessions.append(session)
        return session

    def scopes(self) -> dict[str, Scope]:
        """Every form that a scope takes."""
        root, middle = standing_in(self.root), standing_in(self.middle)
        not_yet = ActingSession(0, "agent:zoe:main", "zoe")
        return {
            "everything": Scope("all"),
            "self": Scope("self", NO_AGENT, middle),
            "tree from the root": Scope("tree", NO_AGENT, root, sees_spawned=True),
            "tree from the middle": Scope("tree", NO_AGENT, middle, sees_spawned=True),
            "tree of a session without a row": Scope("tree", NO_AGENT, not_yet, sees_spawned=True),
            "agent": Scope("agent", frozenset({"ada"}), root, sees_spawned=True),
            "a few agents": Scope("all", frozenset({"ada", "bob", "cyd"}), root, sees_spawned=True),
            "many agents": Scope("all", frozenset(AGENTS[:5]), middle, sees_spawned=True),
            "a few agents but not its own": Scope("all", frozenset({"cyd", "dan"}), root, sees_spawned=True),
            "many agents but not its own": Scope("all", frozenset(AGENTS[1:]), root, sees_spawned=True),
        }

    def expected(self, scope: Scope, wanted: ListFilter) -> list[str]:
        """The keys that a complete list has, in order."""
        listed = [each for each in self.sessions if self._is_wanted(each, wanted) and self.is_visible(each, scope)]
        return [each.key for each in sorted(listed, key=lambda each: (-each.updated_ms, each.key))]

    def is_visible(self, session: Session, scope: Scope) -> bool:
        """V3, word for word."""
        if scope.agents is None or session.agent_id in scope.agents:
            return True
        own = scope.own.key if scope.own else ""
        return session.key == own or (scope.sees_spawned and self._is_below(session.key, own))

    def _is_below(self, key: str, ancestor: str) -> bool:
        parent = self._parents.get(key)
        return parent is not None and (parent == ancestor or self._is_below(parent, ancestor))

    def _is_wanted(self, session: Session, wanted: ListFilter) -> bool:
        return (
            (not wanted.kinds or session.kind in wanted.kinds)
            and (not wanted.agent_id or session.agent_id == wanted.agent_id)
            and (not wanted.label or session.label == wanted.label)
            and (wanted.active_since_ms is None or session.updated_ms >= wanted.active_since_ms)
            and (wanted.include_archived or session.archived_ms is None)
        )
