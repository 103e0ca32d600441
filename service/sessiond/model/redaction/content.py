"""Messages and structured values with their credentials masked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sessiond.model.messages import Block, Message, Text, Thinking, ToolCall, ToolResult
from sessiond.model.redaction.names import Proof, credential_named
from sessiond.model.redaction.plausible import is_credential
from sessiond.model.redaction.spans import mask
from sessiond.model.redaction.texts import redact

_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})
_NAME_KEYS = ("name", "key")
_VALUE_KEY = "value"
_MIN_NUMBER = 1000  # as many digits as the shortest password that counts


def redacted_message(message: Message) -> Message:
    """The message with every credential in it masked; the same object when there is none."""
    content = tuple(_redacted_block(block) for block in message.draft.content)
    if _are_same(content, message.draft.content):
        return message
    return message._replace(draft=message.draft._replace(content=content))


def _redacted_block(block: Block) -> Block:
    match block:
        case Text(text) | ToolResult(text=text):
            masked = redact(text)
            return block if masked is text else replace(block, text=masked)
        case Thinking(text):
            masked = redact(text)
            # The signature vouches for words that are no longer there.
            return block if masked is text else Thinking(masked)
        case ToolCall(arguments=arguments):
            shown = redacted_value(arguments)
            return block if shown is arguments else replace(block, arguments=shown)
        case _:
            return block


def redacted_value(value: Any) -> Any:
    """A JSON value with every credential masked, in texts and under names of credentials; the same when none is."""
    match value:
        case str():
            return redact(value)
        case dict():
            return _redacted_object(value)
        case list():
            return _redacted_list(value)
        case _:
            return value


def _redacted_object(given: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for key, value in given.items():
        name = _said_beside(given) if key == _VALUE_KEY else key
        shown[_free(redact(key), shown)] = _redacted_under(name, value)
    return given if list(shown) == list(given) and _are_same(shown.values(), given.values()) else shown


def _said_beside(given: dict[str, Any]) -> str:
    """What a value is called by its neighbour, as in `{"name": "API_KEY", "value": "..."}`."""
    return next((given[key] for key in _NAME_KEYS if isinstance(given.get(key), str)), _VALUE_KEY)


def _free(key: str, taken: dict[str, Any]) -> str:
    """The key, numbered if it is taken: keys that differed only in what is masked stay apart."""
    return key if key not in taken else _free(f"{key} {len(taken)}", taken)


def _redacted_list(given: list[Any], name: str = "") -> list[Any]:
    """The list; what follows a flag of a command, as in `["--token", "..."]`, is that flag's value."""
    flags = [_flag(each) for each in given]
    names = [(before or name) if not flag else "" for before, flag in zip(["", *flags], flags, strict=False)]
    shown = [_redacted_under(called, each) for called, each in zip(names, given, strict=True)]
    return given if _are_same(shown, given) else shown


def _flag(argument: object) -> str:
    """The name of a command's flag; empty when the argument is none."""
    return argument.lstrip("-") if isinstance(argument, str) and argument.startswith("-") else ""


def _redacted_under(name: str, value: Any) -> Any:
    """The value of something with this name."""
    match value:
        case str():
            return _redacted_text(name, value)
        case list():
            return _redacted_list(value, name)
        case bool():
            return value
        case int() | float():
            named = credential_named(name)
            return mask(named.kind) if named and named.proof is Proof.NONE and abs(value) >= _MIN_NUMBER else value
        case _:
            return redacted_value(value)


def _redacted_text(name: str, text: str) -> str:
    if name.lower() in _HEADERS:
        header = f"{name}: "
        masked = redact(header + text).removeprefix(header)
        return text if masked == text else masked
    named = credential_named(name)
    if named and is_credential(text, named.proof, is_quoted=True):
        return mask(named.kind)
    return redact(text)


def _are_same(some: Iterable[object], others: Iterable[object]) -> bool:
    """Whether nothing was replaced."""
    return all(one is other for one, other in zip(some, others, strict=True))
