"""Why a wait ends (W6)."""

from enum import StrEnum


class EndReason(StrEnum):
    """The last word of a healthy stream."""

    RUN_TERMINAL = "run_terminal"
    SETTLED = "settled"
    MAX_WAIT = "max_wait"
    DEADLINE = "deadline"
    STREAM_AGE = "stream_age"
    DRAINING = "draining"


class WaitUntil(StrEnum):
    """What a wait waits for."""

    REPLY = "reply"
    SETTLED = "settled"


class WaitMode(StrEnum):
    """How many of several runs a wait needs."""

    ANY = "any"
    ALL = "all"
