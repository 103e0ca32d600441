"""Who comes in: the credential names the caller, the table says what it may call (V1, V6)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sessiond.model.callers import RunToken
from sessiond.model.errors import RoleDenied, Unauthenticated
from sessiond.rpc.authority import may_call
from sessiond.rpc.calls import current_call
from sessiond.rpc.credentials import Credentials
from sessiond.rpc.guard import Admit, Context

REFLECTION = "/grpc.reflection."


def admission(credentials: Credentials, is_live: Callable[[RunToken], Awaitable[bool]]) -> Admit:
    """The guard's `admit`: notes the caller, so that refused calls too are logged with it."""

    async def admit(method: str, context: Context) -> None:
        caller = credentials.caller(context.invocation_metadata() or ())
        current_call().caller = caller
        if caller.run_token is not None and not await is_live(caller.run_token):
            raise Unauthenticated
        is_reflection = method.startswith(REFLECTION)  # every credential may read the contract
        if not is_reflection and not may_call(caller.role, method):
            raise RoleDenied(caller.role, method.removeprefix("/"))

    return admit
