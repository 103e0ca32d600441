"""The client: everything that a program calls."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from math import inf
from types import TracebackType
from typing import NoReturn, Self

import grpc

from sessiontools.assignment import Execute
from sessiontools.calls import Calls, Credentials
from sessiontools.deliveries import Gateway, Send
from sessiontools.methods import Methods
from sessiontools.pauses import Clock
from sessiontools.runs import Runtime
from sessiontools.v1.session_tools_service_pb2 import WaitRunRequest, WaitRunResponse
from sessiontools.waiting import Waiting


class Client(Methods):
    """Calls a server. One per program is enough; it belongs to the event loop that it was made in."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        *,
        token: str = "",
        acting_session: str = "",
        closes_channel: bool = False,
        clock: Clock | None = None,
    ) -> None:
        """Over a channel of your own; `connect` makes one. `clock` is for tests."""
        self._who = Credentials(token, acting_session)
        super().__init__(Calls(channel, self._who))
        self._channel = channel
        self._closes_channel = closes_channel
        self._clock = clock or Clock()

    def acting_as(self, session_key: str) -> Client:
        """A client that acts as a session, over the same connection. Owners and gateways may do so."""
        return Client(self._channel, token=self._who.token, acting_session=session_key, clock=self._clock)

    def with_token(self, token: str) -> Client:
        """A client with another token, over the same connection. With a run's token, it is the agent of that run."""
        return Client(self._channel, token=token, clock=self._clock)

    async def close(self) -> None:
        """End the connection and every call on it; on a client that shares another's connection, do nothing."""
        if self._closes_channel:
            await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def wait_run(
        self, request: WaitRunRequest, *, timeout: float | None = None
    ) -> AsyncGenerator[WaitRunResponse, None]:
        """Follow a run: one snapshot, every event in order without gap or repeat, heartbeats, and last `ended`.

            async for event in client.wait_run(WaitRunRequest(run_id=run_id)):

        When the connection is cut, or the server ends the stream before the run is over, it opens another one from the
        last cursor, as often as it has to. What the caller sees is one stream: the snapshots and ends in between are
        left out. It goes on until the run is over, max_wait_seconds have passed, `timeout` seconds have passed
        (`DeadlineError`), its task is cancelled, or the server refuses. Leaving the loop closes the stream.
        """
        return Waiting(self.WaitRun, request, self._clock, timeout).events()

    async def serve_runs(
        self,
        execute: Execute,
        *,
        runtime_id: str,
        agent_ids: Iterable[str] = (),
        max_runs: int = 1,
        heartbeat_seconds: float = inf,
    ) -> NoReturn:
        """Be a runtime: take runs, renew their leases, stop those that are cancelled, and complete them.

        `execute` takes one turn of an agent and returns its reply. It is cancelled when the run is to stop, and
        `Assignment.stopped` tells why; whatever it raises then, the run is ended as cancelled, left alone, or given
        back. Any other exception fails the run: a `RunError` as it says, else with the reason `RUNTIME_ERROR`.

        It goes on through restarts of the server until its task is cancelled, which stops the runs under way and gives
        them back; or until the server refuses the runtime. `runtime_id` names the runtime, for people. `agent_ids` are
        the agents that it executes: none means every agent with an external runtime. `max_runs` is how many it executes
        at the same time. `heartbeat_seconds` is how soon it notices a cancellation, at most a third of a lease.
        """
        await Runtime(self, self._clock, execute, runtime_id, [*agent_ids], max_runs, heartbeat_seconds).serve()

    async def serve_deliveries(self, send: Send, *, channels: Iterable[str] = (), max_deliveries: int = 10) -> NoReturn:
        """Be the sending half of a gateway: take outgoing texts, have them sent, and tell the outcome.

        `send` sends one text to the outside and returns the provider's receipt, which may be empty. The delivery's id
        stays the same however often it is offered; a provider that takes an idempotency key gets it. The text must be
        sent before the delivery's lease_expires. An exception offers the delivery again later; a `DeliveryError` may
        say otherwise.

        It goes on through restarts of the server until its task is cancelled, after which the sends under way are
        finished; or until the server refuses the gateway. `channels` are those that it serves: none means all.
        `max_deliveries` is how many it sends at the same time.
        """
        await Gateway(self, self._clock, send, [*channels], max_deliveries).serve()
