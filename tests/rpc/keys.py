"""Signing keys that a test makes for itself."""

from __future__ import annotations

from sessiond.rpc.run_tokens import RunTokens
from sessiond.store.signing_keys import SigningKey

KEY = SigningKey("first", b"1" * 32, created_ms=1)
NEW = SigningKey("second", b"2" * 32, created_ms=2)


class Keys:
    """Keys as a store has them, the newest first; what is in the list may change, and looks are counted."""

    def __init__(self, *keys: SigningKey) -> None:
        self.keys = list(keys)
        self.looks = 0

    async def load(self) -> list[SigningKey]:
        """What is there now."""
        self.looks += 1
        return list(self.keys)


async def ring(*keys: SigningKey, life_s: float = 3600) -> RunTokens:
    """One that has looked at these keys; one key if none is named."""
    tokens = RunTokens(Keys(*(keys or (KEY,))).load, life_s)
    await tokens.refresh()
    return tokens
