"""`sessiontools serve`: the server itself."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from typing import Any

from sessiond import logs
from sessiond.app import running
from sessiond.settings import Settings, load

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
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT, then drain."""
    flags = {"server.listen": args.listen, "server.insecure": True if args.insecure else None}
    settings = load(args.config, os.environ, flags).settings
    logs.setup(settings.log.format, settings.log.level)
    asyncio.run(_serve(settings, args.hints))
    return 0


async def _serve(settings: Settings, with_hints: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with running(settings) as app:
        host = settings.server.listen.rpartition(":")[0]
        address = f"{host}:{app.port}"
        print(f"sessiontools is ready on {address}", flush=True)
        if with_hints:
            print(_HINTS.format(address=address, service="sessiontools.v1.SessionToolsService"), flush=True)
        await stop.wait()
