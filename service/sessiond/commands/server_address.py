"""Reaching a running server from the command line, with the address and token of its own configuration."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc

from sessiond.settings import Settings, load

# Requests and answers up to the server's own limits.
_OPTIONS = [("grpc.max_receive_message_length", 8 * 1024 * 1024)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of every command that talks to a server."""
    parser.add_argument("--server", metavar="HOST:PORT", help="server to call; default: server.listen of the config")
    parser.add_argument("--token", help="bearer token; default: a token that the config has in clear text")
    parser.add_argument("--as", dest="acting_session", metavar="KEY", help="act as this session")


def settings_of(args: argparse.Namespace) -> Settings:
    """The settings that the command line names."""
    return load(args.config, os.environ, {}).settings


@contextmanager
def channel_to_server(args: argparse.Namespace, settings: Settings) -> Iterator[grpc.Channel]:
    """An open channel, with TLS when the server has it."""
    address = args.server or settings.server.listen
    tls = settings.server.tls
    if tls.cert is None:
        channel = grpc.insecure_channel(address, _OPTIONS)
    else:
        roots = Path(tls.cert).expanduser().read_bytes()
        channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(roots), _OPTIONS)
    with channel:
        yield channel


def metadata_of(args: argparse.Namespace, settings: Settings) -> list[tuple[str, str]]:
    """Who calls: token and acting session."""
    token = args.token or _token(settings)
    metadata = [("authorization", f"Bearer {token}")] if token else []
    return metadata + ([("acting-session", args.acting_session)] if args.acting_session else [])


def _token(settings: Settings) -> str:
    """A token that the config holds in clear text; owners can do most."""
    order = ("owner", "gateway", "runtime")
    readable = sorted((each for each in settings.auth.tokens if each.token), key=lambda each: order.index(each.role))
    return readable[0].token.get_secret_value() if readable and readable[0].token else ""
