"""`sessiontools serve`: the server itself."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sessiond import logs
from sessiond.app import running
from sessiond.model.problems import Problem
from sessiond.reloading import reload_for_ever
from sessiond.rpc.addresses import split_address
from sessiond.settings import Loaded, Settings, load
from sessiond.store.attention import AttentiveLoop
from sessiond.workers import Workers, reserve

# So many looks at the younger objects come before one at all of them; Python's own number is 10.
ALL_OBJECTS_AFTER = 100
# And so many new objects before one at those; 700 is its own number, which a busy server makes every few calls.
YOUNG_OBJECTS = 5_000
_HINTS = """
Call it, from another terminal:
  grpcurl -plaintext {address} list
  grpcurl -plaintext {address} describe {service}
  grpcurl -plaintext -d '{{"session_key": "main", "message": "hello"}}' {address} {service}/SessionsSend
  grpcurl -plaintext -d '{{"limit": 5}}' {address} {service}/SessionsList
Without grpcurl (the first sends a message and shows its run to the end):
  .venv/bin/sessiontools send --server {address} main 'hello'
  .venv/bin/sessiontools call --server {address} SessionsList '{{"limit": 5}}'
"""


def add_parser(subparsers: Any, parents: list[argparse.ArgumentParser]) -> None:
    """Register the command."""
    about = "start the server"
    parser = subparsers.add_parser("serve", parents=parents, help=about, description=about)
    parser.add_argument("--listen", metavar="HOST:PORT", help="address; overrides server.listen")
    parser.add_argument("--insecure", action="store_true", help="serve other machines without tokens and TLS")
    parser.add_argument("--hints", action="store_true", help="print how to call it")
    parser.add_argument(
        "--workers",
        type=_workers,
        default=1,
        metavar="N",
        help="processes on the one port; more than 1 needs PostgreSQL",
    )
    parser.add_argument("--is-worker", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def _workers(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 64):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 1 to 64")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT, then drain."""
    flags = {"server.listen": args.listen, "server.insecure": True if args.insecure else None}
    loaded = load(args.config, os.environ, flags)
    logs.setup(loaded.settings.log.format, loaded.settings.log.level)
    if args.workers > 1:
        return asyncio.run(_supervise(loaded, args))
    read = partial(load, loaded.file, os.environ, flags)
    with asyncio.Runner(loop_factory=AttentiveLoop if _is_shared(loaded.settings) else None) as runner:
        runner.run(_serve(loaded, lambda: read().settings, args))
    return 0


def _is_shared(settings: Settings) -> bool:
    """Whether the store is on PostgreSQL."""
    return settings.store.url.startswith("postgresql")


async def _supervise(loaded: Loaded, args: argparse.Namespace) -> int:
    settings = loaded.settings
    if not _is_shared(settings):
        raise Problem("--workers needs PostgreSQL in store.url; on SQLite one process does all there is to do")
    host, port = split_address(settings.server.listen)
    with reserve(host, port) as kept:
        address = f"{settings.server.listen.rpartition(':')[0]}:{kept.getsockname()[1]}"
        workers = Workers(_worker_command(loaded, args, address), args.workers)
        _on_signals({signal.SIGTERM: workers.stop, signal.SIGINT: workers.stop, signal.SIGHUP: workers.reload})
        return await workers.run(lambda: _say_ready(address, args.hints))


def _worker_command(loaded: Loaded, args: argparse.Namespace, address: str) -> list[str]:
    command = [sys.executable, "-m", "sessiond", "serve", "--is-worker", "--listen", address]
    config = ["--config", str(loaded.file)] if loaded.file else []
    return command + config + (["--insecure"] if args.insecure else [])


async def _serve(loaded: Loaded, read: Callable[[], Settings], args: argparse.Namespace) -> None:
    stop, reload = asyncio.Event(), asyncio.Event()
    _on_signals({signal.SIGTERM: stop.set, signal.SIGINT: stop.set, signal.SIGHUP: reload.set})
    if args.is_worker:
        await _stop_without_parent(stop)
    settings = loaded.settings
    async with running(settings, reuse_port=args.is_worker) as app, asyncio.TaskGroup() as tasks:
        reloading = tasks.create_task(reload_for_ever(loaded.file, read, settings, app.credentials, reload))
        _calm_garbage_collection()
        host = settings.server.listen.rpartition(":")[0]
        _say_ready(f"{host}:{app.port}", args.hints)
        await stop.wait()
        reloading.cancel()


def _calm_garbage_collection() -> None:
    """Look at all objects more rarely, and never again at those of the start.

    Such a look stops every call for as long as it takes: with 10,000 idle waits, of some 70 objects each, for about a
    third of a second. It is still needed now and then: waits leave no circles behind, but a few refused calls in a
    hundred leave one that outlasts the looks at younger objects. A few MB more of those are the price.
    """
    gc.collect()
    gc.freeze()
    _, middle, _ = gc.get_threshold()
    gc.set_threshold(YOUNG_OBJECTS, middle, ALL_OBJECTS_AFTER)


def _say_ready(address: str, with_hints: bool) -> None:
    print(f"sessiontools is ready on {address}", flush=True)
    if with_hints:
        print(_HINTS.format(address=address, service="sessiontools.v1.SessionToolsService"), flush=True)


def _on_signals(actions: Mapping[signal.Signals, Callable[[], None]]) -> None:
    loop = asyncio.get_running_loop()
    for number, act in actions.items():
        loop.add_signal_handler(number, act)


async def _stop_without_parent(stop: asyncio.Event) -> None:
    """Stop when our input ends: whoever started us is gone, even if it could not say so."""

    class Input(asyncio.Protocol):
        def connection_lost(self, problem: Exception | None) -> None:
            stop.set()

    await asyncio.get_running_loop().connect_read_pipe(Input, sys.stdin)
