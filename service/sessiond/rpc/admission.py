"""Who comes in: the credential names the caller, the table says what it may call, the rate how fast (V1, V6, X6)."""

from __future__ import annotations

from sessiond.model.errors import RequestTooLarge
from sessiond.rpc.authority import PolicyOf, authorize
from sessiond.rpc.calls import current_call
from sessiond.rpc.credentials import Credentials
from sessiond.rpc.door import Door
from sessiond.rpc.guard import Admit, Context
from sessiond.rpc.rate import RateLimit

# What HTTP/2 counts for every entry beside its name and value.
_ENTRY_BYTES = 32


def admission(
    door: Door, credentials: Credentials, policy_of: PolicyOf, rate: RateLimit, max_metadata_bytes: int
) -> Admit:
    """The guard's `admit`: notes the caller, so that those refused for what they may are logged with it, too."""

    async def admit(method: str, context: Context) -> None:
        await door.enter()
        metadata = context.invocation_metadata() or ()
        size = 0  # counted in a loop: a generator is a call for each entry, of every call that comes in
        for name, value in metadata:
            size += len(name) + len(value) + _ENTRY_BYTES
        if size > max_metadata_bytes:
            raise RequestTooLarge("metadata", size, max_metadata_bytes, "server.maxMetadataBytes")
        caller = await credentials.caller(metadata)
        current_call().caller = caller
        await authorize(caller, method.removeprefix("/"), policy_of)
        rate.take(caller)

    return admit
