"""What a send or a spawn sets off: a pure function from a finished run to what follows (S9-S14, P7-P10)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sessiond.model.keys import SessionKey
from sessiond.model.runs import Ending, RunKind, RunState
from sessiond.model.sessions import Route, Routed, Session

REPLY_SKIP = "REPLY_SKIP"
ANNOUNCE_SKIP = "ANNOUNCE_SKIP"
_SKIP_TOKENS = frozenset({REPLY_SKIP, ANNOUNCE_SKIP})


class AnnouncePolicy(StrEnum):
    """Whether the outcome of a send is announced in the target's channel (S13)."""

    MODEL_MAY_SKIP = "model_may_skip"
    NEVER = "never"


class ExchangeKind(StrEnum):
    """What began an exchange."""

    SEND = "send"
    SPAWN = "spawn"


class Suppressed(StrEnum):
    """Why a text did not go out."""

    SKIPPED = "SKIPPED"
    EMPTY = "EMPTY"
    RUN_FAILED = "RUN_FAILED"
    NO_ROUTE = "NO_ROUTE"
    POLICY = "POLICY"
    DISCARDED = "DISCARDED"


class ExchangeRow(NamedTuple):
    """The columns of an exchange; a tuple, as of sessions."""

    id: str
    kind: str
    state: str
    target_session: int
    requester_session: int | None
    primary_run_id: str
    request_place: int
    max_turns: int
    announce: str
    cleanup: str
    route_channel: str
    route_to: str
    route_account_id: str
    route_thread_id: str
    first_reply: str | None
    latest_reply: str | None
    created_ms: int
    settled_ms: int | None

    @property
    def is_settled(self) -> bool:
        """Whether loop, announce and delivery have an outcome."""
        return self.state == "settled"

    @property
    def can_talk(self) -> bool:
        """Whether there is somebody to reply back to (S10)."""
        return self.max_turns > 0 and self.requester_session not in (None, self.target_session)


@dataclass(frozen=True)
class NextTurn:
    """The other side takes a turn on this reply."""

    session: int
    turn: int
    text: str


@dataclass(frozen=True)
class AnnounceTurn:
    """The target's agent, or the child's, is asked for an announcement."""

    session: int


@dataclass(frozen=True)
class Publish:
    """The announcement of a send goes out, or the reason why it does not is kept."""

    text: str
    suppressed: Suppressed | None = None


@dataclass(frozen=True)
class Report:
    """A sub-agent's outcome goes to its requester; `reply` is what its agent said about it, None if none was asked."""

    reply: str | None
    suppressed: Suppressed | None = None


@dataclass(frozen=True)
class Settled:
    """Nothing follows."""


Step = NextTurn | AnnounceTurn | Publish | Report | Settled


def follow_up(exchange: Exchange, kind: RunKind, turn: int, session: int, ending: Ending) -> Step:
    """What a finished run of an exchange leads to."""
    match kind:
        case RunKind.SEND if ending.state is not RunState.SUCCEEDED:
            return Settled()  # S9: a failed primary starts neither loop nor announce
        case RunKind.SEND | RunKind.REPLY:
            return _talk_on(exchange, turn, session, ending)
        case RunKind.ANNOUNCE:
            return Publish(ending.reply or "", _silence(ending))
        case RunKind.SPAWN:
            return AnnounceTurn(session) if ending.state is RunState.SUCCEEDED else Report(None)
        case RunKind.SPAWN_ANNOUNCE:
            asked = ending.state is RunState.SUCCEEDED
            skipped = Suppressed.SKIPPED if ending.is_skipped else None
            return Report((ending.reply or "") if asked else None, skipped)
        case RunKind.CHAT:
            return Settled()


def _talk_on(exchange: Exchange, turn: int, session: int, ending: Ending) -> Step:
    """The loop ends on silence, an empty reply, a run that did not succeed, or the last turn (S11)."""
    reply = ending.reply or ""
    talks = ending.state is RunState.SUCCEEDED and not ending.is_skipped and bool(reply.strip())
    if talks and exchange.can_talk and turn < exchange.max_turns:
        target, requester = exchange.target_session, exchange.requester_session
        return NextTurn(requester if session == target and requester else target, turn + 1, reply)
    if exchange.announce == AnnouncePolicy.NEVER:
        return Settled()
    return AnnounceTurn(exchange.target_session)


def _silence(ending: Ending) -> Suppressed | None:
    """Why an announce run's end is no announcement (S12)."""
    if ending.state is not RunState.SUCCEEDED:
        return Suppressed.RUN_FAILED
    if ending.is_skipped:
        return Suppressed.SKIPPED
    return None if (ending.reply or "").strip() else Suppressed.EMPTY


def is_skip(reply: str) -> bool:
    """Whether a reply is chosen silence: exactly a skip token, but for white space around it.

    Either token counts in any step: a model that takes the wrong one still chose silence, and neither may be shown.
    """
    return reply.strip() in _SKIP_TOKENS


def may_become_skip(beginning: str) -> bool:
    """Whether a reply that begins like this can still turn out to be a skip."""
    return any(token.startswith(beginning.strip()) for token in _SKIP_TOKENS)


def skip_token_of(kind: RunKind) -> str:
    """The token by which the agent of such a run chooses silence; empty where it has no such choice."""
    match kind:
        case RunKind.SEND | RunKind.REPLY:
            return REPLY_SKIP
        case RunKind.ANNOUNCE | RunKind.SPAWN_ANNOUNCE:
            return ANNOUNCE_SKIP
        case _:
            return ""


def route_from(key: SessionKey, session: Session) -> Route | None:
    """Where texts for a session go: a group's place from its key, else where it was last reached (S14)."""
    place = key.group_place
    if place is None:
        return session.route
    account = session.route_account_id if session.route_channel == place.channel else ""
    return Route(place.channel, place.group_id, account, place.thread_id)


class Exchange(Routed, ExchangeRow):
    """One row of exchanges, in the order in which the store selects it."""

    __slots__ = ()
