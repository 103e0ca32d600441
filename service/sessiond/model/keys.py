"""Session keys: one canonical form, one way to show it, and what a key says about its session (K1-K11)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from sessiond.model.errors import InvalidKey

MAX_KEY_LENGTH = 512
RESERVED = frozenset({"global", "unknown"})
INTERNAL_CHANNEL = "internal"
UNKNOWN_CHANNEL = "unknown"

_AGENT_ID = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}")
_GROUP_WORDS = frozenset({"group", "channel"})
_THREAD_WORDS = frozenset({"thread", "topic"})
_CHAT_WORDS = _GROUP_WORDS | {"direct"}
_LEADING_WORDS = frozenset({"cron", "hook", "subagent"}) | _GROUP_WORDS


class SessionKind(StrEnum):
    """What a session is for, told from its key (K10)."""

    MAIN = "main"
    GROUP = "group"
    CRON = "cron"
    HOOK = "hook"
    NODE = "node"
    OTHER = "other"


class ChatType(StrEnum):
    """The shape of the chat behind a session."""

    DIRECT = "direct"
    GROUP = "group"
    CHANNEL = "channel"


@dataclass(frozen=True, eq=False)
class KeyRules:
    """The configuration that keys depend on; one object a server, told apart as such: what is kept is found faster."""

    main_key: str = "main"
    default_agent: str = "main"
    direct_chats_share_main: bool = False


@dataclass(frozen=True)
class GroupPlace:
    """Where a group chat's key says it happens."""

    channel: str
    chat_type: ChatType
    group_id: str
    thread_id: str


@dataclass(frozen=True)
class SessionKey:
    """A canonical key, taken apart."""

    agent_id: str
    rest: str
    is_main: bool

    def __str__(self) -> str:
        return f"agent:{self.agent_id}:{self.rest}"

    @property
    def is_reserved(self) -> bool:
        """Whether no session of this key may ever exist (K7)."""
        return self.rest in RESERVED

    @property
    def is_subagent(self) -> bool:
        """Whether the key names a sub-agent's session (K4)."""
        return self.rest.startswith("subagent:")

    @property
    def kind(self) -> SessionKind:
        """The kind the key alone gives (K10)."""
        if self.is_main:
            return SessionKind.MAIN
        for kind, prefix in _KIND_PREFIXES:
            if self.rest.startswith(prefix):
                return kind
        in_group = any(word in _GROUP_WORDS for word in self.rest.split(":")[:-1])
        return SessionKind.GROUP if in_group else SessionKind.OTHER

    @cached_property  # keys are kept, and every send asks
    def group_place(self) -> GroupPlace | None:
        """Channel, group and thread of a `<channel>:group|channel:<id>` key (K4)."""
        parts = self.rest.split(":")
        if not _is_chat(parts) or parts[1] not in _GROUP_WORDS:
            return None
        at = _thread_marker(parts)
        group = ":".join(parts[2:at])
        thread = ":".join(parts[at + 1 :]) if at is not None else ""
        return GroupPlace(parts[0], ChatType(parts[1]), group, thread)

    @property
    def direct_channel(self) -> str:
        """The channel of a `<channel>:direct:<peer>` key, else empty."""
        parts = self.rest.split(":")
        return parts[0] if _is_chat(parts) and parts[1] == "direct" else ""

    @property
    def chat_type(self) -> ChatType | None:
        """The chat type the key alone gives, if any."""
        place = self.group_place
        if place:
            return place.chat_type
        return ChatType.DIRECT if self.direct_channel else None


# The same few keys are asked for again and again; each has one meaning as long as the configuration is the same.
_KEPT = 4096
_KIND_PREFIXES = ((SessionKind.CRON, "cron:"), (SessionKind.HOOK, "hook:"), (SessionKind.NODE, "node-"))


@lru_cache(_KEPT)
def canonical(reference: str, rules: KeyRules, agent_id: str | None = None, field: str = "session_key") -> SessionKey:
    """The one canonical form of a key as written by a caller acting for `agent_id` (K1-K5, K7)."""
    text = reference.strip()
    _check_text(text, field)
    word, _, tail = text.partition(":")
    if word.lower() == "agent" and tail:
        owner, _, rest = tail.partition(":")
        key = _in_agent(agent_id_of(owner, field), rest.strip(), rules, field)
    else:
        key = _in_agent(agent_id or rules.default_agent, text, rules, field)
    _check_text(str(key), field)  # a bare key grows by its agent: what comes out must be accepted when it comes back
    return key


def agent_id_of(text: str, field: str = "agent_id") -> str:
    """A well-formed agent id in its stored form (K1)."""
    agent_id = text.strip()
    if not _AGENT_ID.fullmatch(agent_id):  # before lower(), which turns the Kelvin sign into a k
        raise InvalidKey(f"{text!r} is not an agent id; expected 1-64 of a-z 0-9 _ -, starting with a-z 0-9", field)
    return agent_id.lower()


def main_key_of(agent_id: str, rules: KeyRules) -> SessionKey:
    """The key of an agent's main session (K2)."""
    return SessionKey(agent_id, rules.main_key, is_main=True)


@lru_cache(_KEPT)
def parse(stored: str, rules: KeyRules) -> SessionKey:
    """A canonical key back from its stored text."""
    _, agent_id, rest = stored.split(":", 2)
    return SessionKey(agent_id, rest, is_main=rest == rules.main_key)


@lru_cache(_KEPT)
def shown(stored: str, rules: KeyRules, agent_id: str | None) -> str:
    """How a key is shown to a caller acting for `agent_id`: its own internal sessions bare, the rest in full (K6)."""
    key = parse(stored, rules)
    if key.agent_id != (agent_id or rules.default_agent):
        return stored
    if key.is_main:
        return "main"
    is_bare = key.kind in (SessionKind.CRON, SessionKind.HOOK, SessionKind.NODE)
    return key.rest if is_bare else stored


def _check_text(text: str, field: str) -> None:
    if not text:
        raise InvalidKey("is blank; give a session key, 'main' or a session id", field)
    if len(text) > MAX_KEY_LENGTH:
        raise InvalidKey(f"is longer than {MAX_KEY_LENGTH} characters", field)
    if not text.isprintable():
        raise InvalidKey("contains a control character or another that can't be printed", field)


def _in_agent(agent_id: str, rest: str, rules: KeyRules, field: str) -> SessionKey:
    if not rest or rest.startswith(":") or rest.endswith(":"):
        raise InvalidKey("is malformed; expected agent:<agentId>:<rest>, and no part empty", field)
    if rest.lower() in ("main", rules.main_key.lower()):
        return main_key_of(agent_id, rules)
    settled = _settled_rest(rest, field)
    if rules.direct_chats_share_main and SessionKey(agent_id, settled, is_main=False).direct_channel:
        return main_key_of(agent_id, rules)
    return SessionKey(agent_id, settled, is_main=False)


def _settled_rest(rest: str, field: str) -> str:
    """The rest with its words in lower case and every opaque id as written (K5)."""
    parts = rest.split(":")
    first = parts[0].lower()
    if len(parts) == 1:
        return _settled_word(rest, field)
    if first in _LEADING_WORDS:
        return ":".join([first, *parts[1:]])
    if first.startswith("node-"):
        return _settled_word(rest, field)
    if _is_chat(parts):
        return ":".join(_settled_chat([first, _settled_chat_word(parts[1]), *parts[2:]], field))
    return rest


def _is_chat(parts: list[str]) -> bool:
    """Whether a rest in parts is `<channel>:<type word>:<id>`; a job, hook, node or sub-agent has no channel."""
    first = parts[0].lower()
    has_channel = first not in _LEADING_WORDS and not first.startswith("node-")
    return has_channel and len(parts) >= 3 and _settled_chat_word(parts[1]) in _CHAT_WORDS


def _settled_chat_word(word: str) -> str:
    lower = word.lower()
    return "direct" if lower == "dm" else lower


def _settled_word(rest: str, field: str) -> str:
    """`node-<id>` and the reserved words, whose word part has no case; anything else is opaque."""
    lower = rest.lower()
    if lower in RESERVED:
        return lower
    if not lower.startswith("node-"):
        return rest
    if len(rest) == len("node-"):
        raise InvalidKey("is malformed; expected node-<nodeId>", field)
    return "node-" + rest[len("node-") :]


def _settled_chat(parts: list[str], field: str) -> list[str]:
    if not parts[2]:
        raise InvalidKey(f"is malformed; expected <channel>:{parts[1]}:<id> with no part empty", field)
    at = _thread_marker(parts)
    if at is not None and parts[1] in _GROUP_WORDS:
        parts[at] = parts[at].lower()
    return parts


def _thread_marker(parts: list[str]) -> int | None:
    """Where the last `thread`/`topic` word stands in a group key, if an id stands on both sides of it."""
    for at in range(len(parts) - 2, 2, -1):
        if parts[at].lower() in _THREAD_WORDS:
            return at
    return None
