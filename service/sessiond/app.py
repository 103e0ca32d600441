"""Everything built once, started in order, and stopped in the opposite order."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import grpc

from sessiond.access import policy_of
from sessiond.configured import models_of, rules_of, tokens_of
from sessiond.model.rules import Rules
from sessiond.rpc.admission import admission
from sessiond.rpc.credentials import Credentials
from sessiond.rpc.door import Door
from sessiond.rpc.gateway import Gateway
from sessiond.rpc.guard import Guard
from sessiond.rpc.health import Health, add_health
from sessiond.rpc.listening import TlsFiles, listen
from sessiond.rpc.rate import RateLimit
from sessiond.rpc.reflection import add_reflection
from sessiond.rpc.run_tokens import RunTokens
from sessiond.rpc.runtime import Runtime
from sessiond.rpc.server import ServerLimits, build_server, drain
from sessiond.rpc.session_tools import SessionTools
from sessiond.rpc.toolbox import Toolbox
from sessiond.settings import Settings
from sessiond.signing import first_key
from sessiond.store import signing_keys
from sessiond.store.database import Database
from sessiond.store.opening import open_database
from sessiond.waiting import Waits
from sessiond.wake import Wake
from sessiond.worker.loop import Worker
from sessiond.worker.mirror import MirrorHints, mirror_for_ever
from sessiond.worker.providers import close_all, providers_of
from sessiond.worker.store_watch import watch_store, watch_work
from sessiond.worker.sweep import sweep_for_ever
from sessiontools.v1 import gateway_service_pb2_grpc, runtime_service_pb2_grpc, session_tools_service_pb2_grpc

log = logging.getLogger("sessiond.app")

SERVICES = tuple(f"sessiontools.v1.{name}" for name in ("SessionToolsService", "GatewayService", "RuntimeService"))


@dataclass(frozen=True)
class Running:
    """A server that answers calls."""

    port: int
    health: Health
    server: grpc.aio.Server
    credentials: Credentials


@asynccontextmanager
async def running(settings: Settings, *, reuse_port: bool = False) -> AsyncIterator[Running]:
    """A server on these settings for the time of the context; leaving it drains. Others may share its port."""
    async with AsyncExitStack() as stack:
        wake, hints = Wake(), MirrorHints()
        publish = partial(_publish, wake, hints)
        store, rules = settings.store, rules_of(settings)
        waits = Waits(wake, rules.waits)
        db = await open_database(
            store.url,
            publish,
            store.pool_size,
            on_gap=wake.hint_all,
            is_awaited=waits.is_awaited,
            statement_s=store.statement_seconds,
            busy_wait_s=store.busy_wait_microseconds / 1_000_000,
        )
        stack.push_async_callback(db.close)
        health = Health(SERVICES)
        tools = SessionTools(db, rules, waits)
        await db.write(first_key)
        run_tokens = RunTokens(lambda: db.read(signing_keys.newest_first), rules.run_token_ms / 1000)
        await run_tokens.refresh()
        credentials = Credentials(tokens_of(settings), run_tokens)
        door = Door(asyncio.get_running_loop().time)
        server = _server(settings, db, door, credentials, reuse_port)
        _add_services(server, db, rules, waits, tools, run_tokens, health)
        providers = providers_of(models_of(settings, os.environ))
        stack.push_async_callback(close_all, providers)
        worker = Worker(db, rules, waits, providers, Toolbox(tools, partial(policy_of, db)))
        port = listen(
            server,
            settings.server.listen,
            tls=_tls_files(settings),
            has_tokens=bool(settings.auth.tokens),
            insecure=settings.server.insecure,
            reuse_port=reuse_port,
        )
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        works = [
            watch_store(db, health.set_serving),
            watch_work(db, health.set_working, settings.server.max_work_age_seconds),
            worker.run(),
            sweep_for_ever(db, rules),
            run_tokens.refresh_for_ever(),
        ]
        for work in (*works, mirror_for_ever(db, rules.transcripts_dir, hints)):
            stack.callback(tasks.create_task(work).cancel)
        await server.start()
        steps = (waits.drain, worker.release_all, waits.have_ended)
        stack.push_async_callback(drain, server, health, door, settings.server.drain_grace_seconds, steps)
        yield Running(port, health, server, credentials)


def _publish(wake: Wake, hints: MirrorHints, news: Mapping[str, Any]) -> None:
    wake.publish(news)
    hints.publish(news)


def _server(
    settings: Settings, db: Database, door: Door, credentials: Credentials, reuse_port: bool
) -> grpc.aio.Server:
    own, limits = settings.server, settings.limits
    rate = RateLimit(limits.requests_per_second, limits.request_burst, asyncio.get_running_loop().time)
    admit = admission(door, credentials, partial(policy_of, db), rate, own.max_metadata_bytes)
    bounds = ServerLimits(own.max_request_bytes, own.max_metadata_bytes, own.max_concurrent_streams, reuse_port)
    return build_server(Guard(admit, own.max_request_bytes), bounds)


def _add_services(
    server: grpc.aio.Server,
    db: Database,
    rules: Rules,
    waits: Waits,
    tools: SessionTools,
    run_tokens: RunTokens,
    health: Health,
) -> None:
    session_tools_service_pb2_grpc.add_SessionToolsServiceServicer_to_server(tools, server)
    gateway_service_pb2_grpc.add_GatewayServiceServicer_to_server(Gateway(db, rules, waits), server)
    runtime_service_pb2_grpc.add_RuntimeServiceServicer_to_server(Runtime(db, rules, waits, run_tokens), server)
    add_health(server, health)
    add_reflection(server, SERVICES)


def _tls_files(settings: Settings) -> TlsFiles | None:
    tls = settings.server.tls
    if tls.cert is None or tls.key is None:
        return None
    client_ca = Path(tls.client_ca).expanduser() if tls.client_ca else None
    return TlsFiles(Path(tls.cert).expanduser(), Path(tls.key).expanduser(), client_ca)
