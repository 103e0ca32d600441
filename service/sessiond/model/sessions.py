"""A session as stored, and what is told from it (K10, K11, L8)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sessiond.model.keys import INTERNAL_CHANNEL, UNKNOWN_CHANNEL, ChatType, SessionKey, SessionKind


class PolicyAction(StrEnum):
    """What a send policy rule, or a session's override, says."""

    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True)
class Route:
    """Where an outgoing text goes."""

    channel: str
    to: str
    account_id: str = ""
    thread_id: str = ""


# As columns have it that name no route.
NOWHERE = Route("", "")


class Routed:
    """A row with a route in its columns."""

    __slots__ = ()

    route_channel: str
    route_to: str
    route_account_id: str
    route_thread_id: str

    @property
    def route(self) -> Route | None:
        """Where its texts go; None when there is nowhere."""
        if not self.route_channel:
            return None
        return Route(self.route_channel, self.route_to, self.route_account_id, self.route_thread_id)


# Over all parts, in bytes: deliveries are found by their route, and an index can hold no more.
MAX_ROUTE_BYTES = 2048


def route_problem(route: Route | None) -> str:
    """What is wrong with a route that a caller gave; empty when nothing is."""
    if route is None:
        return ""
    parts = (route.channel, route.to, route.account_id, route.thread_id)
    if not (route.channel.strip() and route.to.strip()):
        return "needs channel and to"
    if any("\0" in part for part in parts):
        return "contains a NUL character"
    size = sum(len(part.encode()) for part in parts)
    return f"has {size} bytes, more than the limit of {MAX_ROUTE_BYTES}" if size > MAX_ROUTE_BYTES else ""


class SessionRow(NamedTuple):
    """The columns of a session; a tuple, because rows are many and their making is felt."""

    id: int
    key: str
    agent_id: str
    kind: str
    generation: int
    session_id: str
    created_ms: int
    updated_ms: int
    archived_ms: int | None
    label: str
    display_name: str
    model: str
    thinking_level: str
    verbose_level: str
    send_policy: str | None
    chat_type: str | None
    group_subject: str
    route_channel: str
    route_to: str
    route_account_id: str
    route_thread_id: str
    system_sent: int
    aborted_last_run: int
    context_tokens: int | None
    total_tokens: int | None
    spawned_by: str
    spawn_path: str
    spawn_depth: int
    sandboxed: int
    last_sequence: int
    tool_results: int
    settings_version: int
    active_run_id: str
    active_run_state: str | None
    last_run_order: int
    unfinished_runs: int
    tool_policy: str

    @property
    def etag(self) -> str:
        """Changes whenever a setting of the session does, not with its messages."""
        return f"{self.id}-{self.settings_version}"


def kind_of(key: SessionKey, chat_type: ChatType | None) -> SessionKind:
    """The kind of a session whose stored chat type may say more than its key (K10)."""
    if key.kind is SessionKind.OTHER and chat_type in (ChatType.GROUP, ChatType.CHANNEL):
        return SessionKind.GROUP
    return key.kind


def channel_of(kind: str, key_channel: str, route_channel: str) -> str:
    """The channel a session is shown under (K11)."""
    if kind in (SessionKind.CRON, SessionKind.HOOK, SessionKind.NODE):
        return INTERNAL_CHANNEL
    return route_channel or key_channel or UNKNOWN_CHANNEL


def key_channel(stored_key: str) -> str:
    """The channel that a group's or direct peer's key names, else empty."""
    parts = stored_key.split(":", 4)
    named = len(parts) == 5 and parts[3] in ("group", "channel", "direct") and parts[2] != "subagent"
    return parts[2] if named else ""


def key_chat_type(stored_key: str) -> str | None:
    """The chat type that a group's or direct peer's key names, if any."""
    return stored_key.split(":", 4)[3] if key_channel(stored_key) else None


def display_name_of(session: Session) -> str:
    """Stored name, else a group's `<channel>:<subject>` slug, else the label (L8)."""
    if session.display_name:
        return session.display_name
    if session.kind == SessionKind.GROUP and session.group_subject.strip():
        channel = channel_of(session.kind, key_channel(session.key), session.route_channel)
        return f"{channel}:{_slug(session.group_subject)}"
    return session.label


def _slug(subject: str) -> str:
    """A subject as one word: white space becomes a dash, a leading # stays."""
    return re.sub(r"\s+", "-", subject.strip().lower())


class Session(Routed, SessionRow):
    """One row of sessions, in the order in which the store selects it."""

    __slots__ = ()
