"""`sessiontools serve`: the server itself."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from collections.abc import Callable
from functools import partial
from typing import Any

from sessiond import logs
from sessiond.app import running
from sessiond.reloading import reload_for_ever
from sessiond.settings import Loaded, Settings, load

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
    loaded = load(args.config, os.environ, flags)
    logs.setup(loaded.settings.log.format, loaded.settings.log.level)
    read = partial(load, loaded.file, os.environ, flags)
    asyncio.run(_serve(loaded, lambda: read().settings, args.hints))
    return 0


async def _serve(loaded: Loaded, read: Callable[[], Settings], with_hints: bool) -> None:
    stop, reload = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    for number, event in ((signal.SIGTERM, stop), (signal.SIGINT, stop), (signal.SIGHUP, reload)):
        loop.add_signal_handler(number, event.set)
    settings = loaded.settings
    async with running(settings) as app, asyncio.TaskGroup() as tasks:
        reloading = tasks.create_task(reload_for_ever(loaded.file, read, settings, app.credentials, reload))
        host = settings.server.listen.rpartition(":")[0]
        address = f"{host}:{app.port}"
        print(f"sessiontools is ready on {address}", flush=True)
        if with_hints:
            print(_HINTS.format(address=address, service="sessiontools.v1.SessionToolsService"), flush=True)
        await stop.wait()
        reloading.cancel()
