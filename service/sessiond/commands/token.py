"""`sessiontools token new`: a credential, shown once; the configuration keeps its hash (V1)."""

from __future__ import annotations

import argparse
import json
import secrets
from typing import Any

from sessiond.rpc.credentials import hash_of

TOKEN_BYTES = 32
PREFIX = "st_"  # so that a token is recognised where it should not be: in logs, code and chats


def add_parser(subparsers: Any, parents: list[argparse.ArgumentParser]) -> None:
    """Register `token` with its subcommand."""
    group = subparsers.add_parser("token", help="credentials of callers")
    actions = group.add_subparsers(dest="action", required=True, metavar="ACTION")
    about = "make a token, show it once, and print the entry for auth.tokens, which holds only its hash"
    new = actions.add_parser("new", help=about, description=about)
    new.add_argument("name", help="name of the caller in logs and run events")
    new.add_argument("--role", choices=("owner", "gateway", "runtime"), required=True, help="what its holder may do")
    new.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print a new token and its entry."""
    token = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    entry = {"name": args.name, "role": args.role, "tokenHash": hash_of(token)}
    print(
        f"The token, shown only now:\n  {token}\nThe entry for auth.tokens:\n  {json.dumps(entry, ensure_ascii=False)}"
    )
    return 0
