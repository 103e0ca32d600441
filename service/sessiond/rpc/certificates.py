"""TLS from PEM files, tried before use so that a wrong file is named."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from sessiond.rpc.addresses import ListenProblem


@dataclass(frozen=True)
class TlsFiles:
    """The server's certificate chain and key; with `client_ca`, clients must show a certificate of that authority."""

    cert: Path
    key: Path
    client_ca: Path | None = None


def server_credentials(tls: TlsFiles) -> grpc.ServerCredentials:
    """What grpc serves TLS with; it takes any bytes, and with wrong ones fails later without saying why."""
    pair = (_read(tls.key), _read(tls.cert))
    authority = None if tls.client_ca is None else _read(tls.client_ca)
    _require_pair(tls)
    if tls.client_ca is not None:
        _require_authority(tls.client_ca)
    return grpc.ssl_server_credentials([pair], authority, require_client_auth=authority is not None)


def _require_pair(tls: TlsFiles) -> None:
    trial = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        trial.load_cert_chain(tls.cert, tls.key, password=_no_password)
    except (ssl.SSLError, ValueError) as problem:
        raise ListenProblem(
            f"{tls.cert} and {tls.key} are not a certificate and its key without a password, both as PEM"
        ) from problem


def _no_password() -> str:
    """Stands in the way of OpenSSL's question on the terminal."""
    return ""


def _require_authority(path: Path) -> None:
    trial = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        trial.load_verify_locations(path)
    except ssl.SSLError as problem:
        raise ListenProblem(f"{path} holds no certificate as PEM") from problem


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise ListenProblem(f"can't read {path}: {problem.strerror}") from problem
