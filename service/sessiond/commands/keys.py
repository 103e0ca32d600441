"""`sessiontools keys rotate`: a new key for signing run tokens, while servers run (V1)."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from sessiond.settings import load
from sessiond.signing import new_key
from sessiond.store import signing_keys
from sessiond.store.opening import open_database
from sessiond.store.signing_keys import SigningKey
from sessiond.store.transaction import Tx

T = TypeVar("T")


def add_parser(subparsers: Any, parents: list[argparse.ArgumentParser]) -> None:
    """Register `keys` with its subcommands."""
    group = subparsers.add_parser("keys", help="the keys that sign run tokens")
    actions = group.add_subparsers(dest="action", required=True, metavar="ACTION")
    about = "add a key; servers sign with it within a minute, and older keys are read until their last token is dead"
    rotate = actions.add_parser("rotate", parents=parents, help=about, description=about)
    rotate.set_defaults(run=run_rotate)
    about = "the keys by name, the one that signs first; never what they are"
    listing = actions.add_parser("list", parents=parents, help=about, description=about)
    listing.set_defaults(run=run_list)


def run_rotate(args: argparse.Namespace) -> int:
    """Add a key and name it."""
    print(f"run tokens are signed with key {_in_store(args, new_key).id} from now on")
    return 0


def run_list(args: argparse.Namespace) -> int:
    """One line a key."""
    for key in _in_store(args, signing_keys.newest_first):
        print(_line(key))
    return 0


def _line(key: SigningKey) -> str:
    return f"{key.id}  made {datetime.fromtimestamp(key.created_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _in_store(args: argparse.Namespace, work: Callable[[Tx], T]) -> T:
    url = load(args.config, os.environ, {}).settings.store.url

    async def done() -> T:
        db = await open_database(url, on_commit=lambda topics: None)
        try:
            return await db.write(work)
        finally:
            await db.close()

    return asyncio.run(done())
