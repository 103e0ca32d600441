"""Addresses to listen on: their form, whether others can reach them, and whether they are free."""

from __future__ import annotations

import errno
import ipaddress
import socket
from typing import Any

from sessiond.model.problems import Problem

# Addresses of a name that this machine has no network for, such as ::1 for localhost without IPv6.
NOT_HERE = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})
EXPLAINED = {
    errno.EADDRINUSE: "another program listens there; stop it, or choose another port (0: any free one)",
    errno.EACCES: "this user may not use that port; choose one above 1023",
    errno.EADDRNOTAVAIL: "it is not an address of this machine",
}


class ListenProblem(Problem):
    """The server can't listen as configured; the text says why and what to do."""


def split_address(address: str) -> tuple[str, int]:
    """Host and port; an IPv6 host stands in brackets."""
    host, _, port = address.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    is_host = bool(host.strip("[]")) and (is_bracketed or ":" not in host)
    if not (is_host and port.isascii() and port.isdigit() and int(port) <= 65535):
        raise ListenProblem(f"{address!r} is not HOST:PORT, such as 127.0.0.1:50551 or [::1]:50551")
    return host.strip("[]"), int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it; a name other than localhost may come to mean anything, so it can't."""
    if host.lower() == "localhost":
        return True
    try:
        parsed = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return (mapped or parsed).is_loopback


def require_free(host: str, port: int, *, reuse_port: bool = False) -> None:
    """Bind every address of the host once and let go: grpc would listen on some, and not tell why others failed."""
    problems = [_bind_problem(family, where, reuse_port) for family, where in _resolved(host, port)]
    failed = [each for each in problems if each is not None]
    real = [each for each in failed if each.errno not in NOT_HERE]
    if real or len(failed) == len(problems):
        problem = (real or failed)[0]
        reason = EXPLAINED.get(problem.errno or 0, problem.strerror)
        raise ListenProblem(f"can't listen on {host}:{port}: {reason}") from problem


def _resolved(host: str, port: int) -> list[tuple[int, Any]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as problem:
        raise ListenProblem(f"can't listen on {host}:{port}: the host name is not known") from problem
    return [(family, where) for family, _, _, _, where in found]


def _bind_problem(family: int, where: Any, reuse_port: bool) -> OSError | None:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as grpc does: past connections don't count
            if reuse_port:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            trial.bind(where)
    except OSError as problem:
        return problem
    return None
