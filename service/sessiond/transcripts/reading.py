"""Lines of JSON back to messages: our own form, and the one that agents commonly write.

{"id": …, "session_key": …, "sequence": 1, "time": …, "role": "user", "content": […]}
{"type": "session", "id": …, "key": …}
{"type": "message", "timestamp": …, "message": {"role": "user", "content": "…" or […]}}
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn

from sessiond.model.messages import Draft, Provenance, ProvenanceKind, Role, Usage
from sessiond.transcripts.blocks import Unreadable, blocks_of, text_at

__all__ = ["Entry", "Header", "Unreadable", "parse_line"]

_ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "toolresult": Role.TOOL_RESULT,
    "tool_result": Role.TOOL_RESULT,
    "tool": Role.TOOL_RESULT,
}
_SECONDS_UNTIL = 100_000_000_000  # a smaller number is seconds since 1970, any other milliseconds
_LATEST_MS = 253_402_300_799_999  # the end of the year 9999
_MOST_TOKENS = 2**32 - 1


@dataclass(frozen=True)
class Header:
    """What a file says of its session; empty where it says nothing."""

    session_id: str = ""
    session_key: str = ""


@dataclass(frozen=True)
class Entry:
    """One message, and its time if it has one."""

    draft: Draft
    created_ms: int | None = None
    header: Header = Header()  # our own lines say on each where they belong


def parse_line(raw: bytes) -> Header | Entry:
    """What a line says; Unreadable tells why it is neither."""
    line = _object(raw)
    kind = line.get("type", "message")
    if kind == "session":
        return Header(text_at(line, "id"), text_at(line, "key", "sessionKey", "session_key"))
    if kind != "message":
        raise Unreadable(f"is of type {str(kind)[:40]!r}, not a message")
    message = line.get("message", line)
    if not isinstance(message, dict):
        raise Unreadable("`message` is not an object")
    session_id = text_at(line, "id").rpartition(":")[0]
    return Entry(_draft(line, message), _time(line, message), Header(session_id, text_at(line, "session_key")))


def _object(raw: bytes) -> dict[str, Any]:
    try:
        line = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_number)
    except UnicodeDecodeError:
        raise Unreadable("is not UTF-8") from None
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"is not JSON: {problem}") from None
    if not isinstance(line, dict):
        raise Unreadable("is not a JSON object")
    return line


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _draft(line: dict[str, Any], message: dict[str, Any]) -> Draft:
    word = message.get("role")
    role = _ROLES.get(word.lower()) if isinstance(word, str) else None
    if role is None:
        raise Unreadable(f"has the role {str(word)[:40]!r}; expected user, assistant, toolResult or system")
    content = blocks_of(role, message)
    if not content:
        raise Unreadable("has no content")
    return Draft(
        role,
        content,
        provenance=_provenance(line.get("provenance")),
        run_id=text_at(line, "run_id"),
        model=text_at(message, "model"),
        usage=_usage(message.get("usage")),
    )


def _time(line: dict[str, Any], message: dict[str, Any]) -> int | None:
    for value in (line.get("time"), line.get("timestamp"), message.get("timestamp")):
        if value is not None:
            return _millis(value)
    return None


def _millis(value: Any) -> int:
    millis = None
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
            millis = round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
        except (ValueError, OverflowError):
            millis = None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        millis = round(value * 1000 if abs(value) < _SECONDS_UNTIL else value)
    if millis is None or not 0 <= millis <= _LATEST_MS:
        raise Unreadable(f"has the time {str(value)[:40]!r}; expected ISO 8601 or milliseconds since 1970")
    return millis


def _provenance(source: Any) -> Provenance | None:
    if not isinstance(source, dict):
        return None
    try:
        kind = ProvenanceKind(text_at(source, "kind"))
    except ValueError:
        return None
    return Provenance(kind, *(text_at(source, name) for name in ("source_session_key", "source_run_id", "tool")))


def _usage(usage: Any) -> Usage | None:
    """Tokens and cost; numbers that make no sense count as not given."""
    if not isinstance(usage, dict):
        return None
    cost = usage.get("cost_usd", usage.get("cost"))
    cost = cost.get("total") if isinstance(cost, dict) else cost
    return Usage(
        _tokens(usage, "input_tokens", "input"),
        _tokens(usage, "output_tokens", "output"),
        _tokens(usage, "total_tokens", "totalTokens", "total"),
        float(cost) if isinstance(cost, int | float) and type(cost) is not bool and cost >= 0 else None,
    )


def _tokens(usage: dict[str, Any], *names: str) -> int:
    found = next((usage[name] for name in names if name in usage), 0)
    return found if type(found) is int and 0 <= found <= _MOST_TOKENS else 0
