"""`sessiontools serve`: the server itself."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from functools import partial
from typing import Any

from sessiond import logs
from sessiond.commands.signals import on_signals
from sessiond.model.problems import Problem
from sessiond.rpc.addresses import split_address
from sessiond.settings import Loaded, Settings, load
from sessiond.store.attention import AttentiveLoop
from sessiond.workers import Workers, reserve

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
    # Only now: whoever starts others needs nothing of the server, and they would be ready as much later.
    from sessiond.commands.serve_here import serve_here

    read = partial(load, loaded.file, os.environ, flags)
    say_ready = partial(_say_ready, with_hints=args.hints)
    with asyncio.Runner(loop_factory=AttentiveLoop if _is_shared(loaded.settings) else None) as runner:
        runner.run(serve_here(loaded, lambda: read().settings, say_ready, is_worker=args.is_worker))
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
        on_signals({signal.SIGTERM: workers.stop, signal.SIGINT: workers.stop, signal.SIGHUP: workers.reload})
        return await workers.run(lambda: _say_ready(address, with_hints=args.hints))


def _worker_command(loaded: Loaded, args: argparse.Namespace, address: str) -> list[str]:
    command = [sys.executable, "-m", "sessiond", "serve", "--is-worker", "--listen", address]
    config = ["--config", str(loaded.file)] if loaded.file else []
    return command + config + (["--insecure"] if args.insecure else [])


def _say_ready(address: str, *, with_hints: bool) -> None:
    print(f"sessiontools is ready on {address}", flush=True)
    if with_hints:
        print(_HINTS.format(address=address, service="sessiontools.v1.SessionToolsService"), flush=True)
