"""Who calls: every class of caller, and nobody; with metadata that fits, and with metadata that does not."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.fuzz.finds import Finds
from tests.fuzz.methods import Method
from tests.fuzz.texts import mangled

Metadata = tuple[tuple[str, str | bytes], ...]

TOKENS = {"owner": "owner-secret", "gateway": "gateway-secret", "runtime": "runtime-secret"}
CONFIGURED = [{"name": role, "role": role, "token": token} for role, token in TOKENS.items()]
CLASSES = (
    ("owner",) * 6 + ("owner acting", "agent", "gateway") * 3 + ("gateway acting",) * 2 + ("runtime", "nobody", "wrong")
)
KNOWN_TRACES = 20
ODD = 0.1

_REFERENCES = ("main", "agent:far:main", "agent:box:main", "cron:1", "agent:x", "agent::y", " ", "../x", "x" * 600)
_BAD_TRACES = ("", "00", "-", f"00-{'0' * 32}-{'1' * 16}-01", f"00-{'G' * 32}-{'1' * 16}-01", f"ff-{'a' * 500}")
_BAD_BEARERS = (
    *("Bearer", "Bearer ", "bearer  x", "Basic eDp5", "Bearer run.", "Bearer run...", "Bearer run.x.1.y"),
    *("Bearer run.x.-1.y", f"Bearer run.x.{'9' * 400}.y", "Bearer run.'--.1.y", "Bearer " + "x" * 8000, "owner-secret"),
)


def bearer(token: str) -> tuple[str, str]:
    """The credential as it travels."""
    return "authorization", f"Bearer {token}"


class Callers:
    """Picks who calls, most often somebody who may."""

    def __init__(self, rng: random.Random, finds: Finds) -> None:
        self._rng = rng
        self._finds = finds

    def metadata(self, method: Method) -> Metadata:
        """What the caller of this method shows."""
        who = self._rng.choice(CLASSES)
        if "Runtime" in method.service and self._rng.random() < 0.8:
            who = "runtime"
        shown = self._credential(who)
        if who.endswith("acting"):
            shown += (("acting-session", self._reference()),)
        if self._rng.random() < 0.1:
            shown += (("traceparent", self._trace()),)
        return shown + self._odd() if self._rng.random() < ODD else shown

    def _credential(self, who: str) -> Metadata:
        if who == "nobody":
            return ()
        if who == "wrong":
            return (("authorization", self._rng.choice(_BAD_BEARERS)),)
        if who != "agent":
            return (bearer(TOKENS[who.split()[0]]),)
        token = self._finds.one(self._rng, "run_token") or "run.none.1.x"
        return (bearer(token if self._rng.random() < 0.8 else _printable(mangled(self._rng, token))),)

    def _reference(self) -> str:
        found = self._finds.one(self._rng, self._rng.choice(("session_key", "session_id")))
        return _printable(found) if found and self._rng.random() < 0.7 else self._rng.choice(_REFERENCES)

    def _trace(self) -> str:
        known = f"00-{self._rng.randrange(1, KNOWN_TRACES):032x}-{'1' * 16}-01"
        return known if self._rng.random() < 0.7 else self._rng.choice(_BAD_TRACES)

    def _odd(self) -> Metadata:
        odd: list[Callable[[], Metadata]] = [
            lambda: (("x", "y" * self._rng.choice((1000, 12_000, 17_000))),),
            lambda: (("x-bin", self._rng.randbytes(50)), ("authorization-bin", b"\x00"), ("traceparent-bin", b"\xff")),
            lambda: (bearer("wrong"), bearer(TOKENS["owner"])),
            lambda: (("acting-session", "main"), ("acting-session", self._reference())),
            lambda: tuple((f"x-{at}", "y") for at in range(100)),
        ]
        return self._rng.choice(odd)()


def _printable(text: str) -> str:
    """What metadata may hold; a client that is asked to send more refuses by itself."""
    return "".join(letter for letter in text if " " <= letter <= "~")
