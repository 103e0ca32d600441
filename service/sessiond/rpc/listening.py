"""Where the server listens, and what must protect it there (V2)."""

from __future__ import annotations

import grpc

from sessiond.rpc.addresses import ListenProblem, is_loopback, require_free, split_address
from sessiond.rpc.certificates import TlsFiles, server_credentials

__all__ = ["ListenProblem", "TlsFiles", "listen"]


def listen(
    server: grpc.aio.Server,
    address: str,
    *,
    tls: TlsFiles | None = None,
    has_tokens: bool = False,
    insecure: bool = False,
    reuse_port: bool = False,
) -> int:
    """Open HOST:PORT on the server and return the port, which is the system's choice for port 0."""
    host, port = split_address(address)
    if not (insecure or is_loopback(host)):
        _require_protection(address, has_tokens=has_tokens, has_tls=tls is not None)
    credentials = None if tls is None else server_credentials(tls)
    require_free(host, port, reuse_port=reuse_port)
    try:
        if credentials is None:
            return server.add_insecure_port(address)
        return server.add_secure_port(address, credentials)
    except RuntimeError as problem:  # grpc says no more than that it failed
        raise ListenProblem(f"can't listen on {address}: it was taken at this very moment") from problem


def _require_protection(address: str, *, has_tokens: bool, has_tls: bool) -> None:
    missing = " and ".join(name for name, has in (("auth.tokens", has_tokens), ("server.tls", has_tls)) if not has)
    if missing:
        raise ListenProblem(
            f"{address} can be reached from other machines, which needs {missing};"
            " listen on 127.0.0.1 instead, or allow it as it is with --insecure"
        )
