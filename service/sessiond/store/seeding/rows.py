"""From an invented identity to a row of sessions: its age, its habits, its place among the spawned."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from sessiond.model.keys import SessionKind
from sessiond.model.sessions import PolicyAction
from sessiond.model.tools import ToolPolicy, subagent_policy
from sessiond.store.seeding.conversations import CONVERSATIONS, Transcript
from sessiond.store.seeding.identities import Identity
from sessiond.store.seeding.ids import growing_uuid

DAY_MS = 24 * 60 * 60 * 1000
OLDEST_MS = 90 * DAY_MS
ARCHIVED_AFTER_MS = 30 * DAY_MS
CONTEXT_TOKENS = 200_000
TOKENS_PER_MESSAGE = 120
SUBAGENT_TOOLS = subagent_policy((), (), ToolPolicy()).stored()  # as where the configuration lifts and denies nothing
LABELS = ("release", "release", "triage", "travel", "taxes", "research")


class SessionRow(NamedTuple):
    """The columns of sessions that are filled; the others have their defaults."""

    id: int
    key: str
    agent_id: str
    kind: str
    generation: int
    session_id: str
    created_ms: int
    updated_ms: int
    archived_ms: int | None
    is_archived: int
    label: str
    send_policy: str | None
    chat_type: str | None
    group_subject: str
    route_channel: str
    route_to: str
    route_thread_id: str
    system_sent: int
    context_tokens: int | None
    total_tokens: int | None
    spawned_by: str
    spawn_path: str
    spawn_root: int | None
    spawn_depth: int
    last_sequence: int
    tool_results: int
    tool_policy: str


class GenerationRow(NamedTuple):
    """The columns of session_generations that are filled."""

    id: int
    session: int
    session_id: str
    created_ms: int


class Life(NamedTuple):
    """When a session was last used, and when it was put away, if it was."""

    updated_ms: int
    archived_ms: int | None


def created_at(part: float, now_ms: int) -> int:
    """The moment at which this part of all sessions was there."""
    return now_ms - int(OLDEST_MS * (1 - part))


def life_of(identity: Identity, rng: Random, now_ms: int) -> Life:
    """Jobs, hooks and sub-agents are over within a day; chats go on, most of them until recently."""
    age_ms = now_ms - identity.created_ms
    if identity.chat_type is None:
        age_ms = max(0, age_ms - int(DAY_MS * rng.random()))
    else:
        age_ms = int(age_ms * rng.random() ** 2)
    is_archived = age_ms > ARCHIVED_AFTER_MS and identity.kind is not SessionKind.MAIN and rng.random() < 0.4
    updated_ms = now_ms - age_ms
    return Life(updated_ms, updated_ms + ARCHIVED_AFTER_MS if is_archived else None)


def transcript_of(identity: Identity, life: Life, generation: int, length: int, rng: Random) -> Transcript:
    """What the session has said in its life."""
    session_id = growing_uuid(identity.created_ms, rng)
    conversation = int(rng.random() * CONVERSATIONS)
    return Transcript(generation, session_id, conversation, length, identity.created_ms, life.updated_ms)


def row_of(
    identity: Identity, session: int, life: Life, transcript: Transcript, written: int, rng: Random
) -> SessionRow:
    """The session's row when this many messages of its transcript are there."""
    parent = identity.parent
    path = parent.children_path if parent else ""
    return SessionRow(
        id=session,
        key=identity.key,
        agent_id=identity.agent_id,
        kind=identity.kind.value,
        generation=transcript.generation,
        session_id=transcript.session_id,
        created_ms=identity.created_ms,
        updated_ms=life.updated_ms,
        archived_ms=life.archived_ms,
        is_archived=int(life.archived_ms is not None),
        label=LABELS[int(rng.random() * len(LABELS))] if rng.random() < 0.3 else "",
        send_policy=PolicyAction.DENY.value if rng.random() < 0.01 else None,
        chat_type=identity.chat_type.value if identity.chat_type else None,
        group_subject=identity.subject,
        route_channel=identity.channel,
        route_to=identity.to,
        route_thread_id=identity.thread_id,
        system_sent=int(written > 0),
        context_tokens=CONTEXT_TOKENS if written else None,
        total_tokens=TOKENS_PER_MESSAGE * transcript.length if written else None,
        spawned_by=parent.key if parent else "",
        spawn_path=path,
        spawn_root=int(path.split("/", 2)[1]) if parent else None,
        spawn_depth=parent.spawn_depth + 1 if parent else 0,
        last_sequence=written,
        tool_results=transcript.tool_results(written),
        tool_policy=SUBAGENT_TOOLS if parent else "",
    )
