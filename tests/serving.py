"""The whole server in this process, on a free loopback port, with typed stubs for whoever calls it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc

from sessiond.app import running
from sessiond.settings import load
from sessiontools.v1 import gateway_service_pb2_grpc as gateway_rpc
from sessiontools.v1 import runtime_service_pb2_grpc as runtime_rpc
from sessiontools.v1 import session_tools_service_pb2_grpc as tools_rpc

if TYPE_CHECKING:
    from sessiontools.v1.gateway_service_pb2_grpc import GatewayServiceAsyncStub
    from sessiontools.v1.runtime_service_pb2_grpc import RuntimeServiceAsyncStub
    from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceAsyncStub

Metadata = tuple[tuple[str, str], ...]
# Its runs are left to the test, which calls RuntimeService for them.
EXTERNAL = {"agents": {"list": [{"id": "main", "runtime": "external"}, {"id": "ops", "runtime": "external"}]}}


@dataclass(frozen=True)
class Served:
    """A server, and a channel to it."""

    address: str
    channel: grpc.aio.Channel

    @property
    def tools(self) -> SessionToolsServiceAsyncStub:
        """SessionToolsService."""
        return tools_rpc.SessionToolsServiceStub(self.channel)

    @property
    def gateway(self) -> GatewayServiceAsyncStub:
        """GatewayService."""
        return gateway_rpc.GatewayServiceStub(self.channel)

    @property
    def runtime(self) -> RuntimeServiceAsyncStub:
        """RuntimeService."""
        return runtime_rpc.RuntimeServiceStub(self.channel)


@asynccontextmanager
async def served(folder: Path, config: Mapping[str, Any] | None = None, store_url: str = "") -> AsyncIterator[Served]:
    """A server with this configuration, its data in this folder; leaving the context drains it."""
    file = folder / "sessiontools.json5"
    file.write_text(json.dumps(config or {}))
    flags = {
        "server.listen": "127.0.0.1:0",
        "server.drainGraceSeconds": 5,
        "store.url": store_url or f"sqlite:///{folder / 'served.db'}",
        "transcripts.enabled": False,
    }
    async with running(load(file, {}, flags).settings) as server:
        address = f"127.0.0.1:{server.port}"
        async with grpc.aio.insecure_channel(address) as channel:
            yield Served(address, channel)


def bearer(token: str) -> Metadata:
    """Metadata that shows a token."""
    return (("authorization", f"Bearer {token}"),)


def acting(key: str) -> Metadata:
    """Metadata that acts from a session."""
    return (("acting-session", key),)
