"""Messages from a chat that are orders to the service, not words to the agent (Q2)."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.model.sessions import PolicyAction


@dataclass(frozen=True)
class Stop:
    """`/stop`: abort what the session is doing."""


@dataclass(frozen=True)
class SetSendPolicy:
    """`/send on|off|inherit`: the session's own send policy; None = the configured one decides."""

    action: PolicyAction | None


Command = Stop | SetSendPolicy

_SEND_WORDS = {
    "on": PolicyAction.ALLOW,
    "allow": PolicyAction.ALLOW,
    "off": PolicyAction.DENY,
    "deny": PolicyAction.DENY,
    "inherit": None,
    "default": None,
    "reset": None,
}


def command_in(text: str) -> Command | None:
    """The order that a message is, if it stands alone; with other words around it, it is an ordinary message."""
    words = text.lower().split()
    if words == ["/stop"]:
        return Stop()
    if len(words) == 2 and words[0] == "/send" and words[1] in _SEND_WORDS:
        return SetSendPolicy(_SEND_WORDS[words[1]])
    return None
