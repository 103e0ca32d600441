"""TLS from PEM files, tried before use so that a wrong file is named, and read again when they change."""

from __future__ import annotations

import logging
import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from sessiond.rpc.addresses import ListenProblem

log = logging.getLogger("sessiond.certificates")

# What tells a file from the one that was there before: when it was written, how large it is, which one it is.
_Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class TlsFiles:
    """The server's certificate chain and key; with `client_ca`, clients must show a certificate of that authority."""

    cert: Path
    key: Path
    client_ca: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """Every file."""
        return (self.cert, self.key) if self.client_ca is None else (self.cert, self.key, self.client_ca)


def server_credentials(tls: TlsFiles) -> grpc.ServerCredentials:
    """What grpc serves TLS with: for each new connection, the files as they are then."""
    certificates = Certificates(tls)
    return grpc.dynamic_ssl_server_credentials(
        certificates.latest,
        certificates.newer,  # type: ignore[arg-type]  # None means no change, which the types leave out
        require_client_authentication=tls.client_ca is not None,
    )


class Certificates:
    """The newest good state of the files; one that is wrong, or half written, is passed over and named in the log."""

    def __init__(self, tls: TlsFiles) -> None:
        self._tls = tls
        self._stamps = _stamps(tls)
        self.latest = _configuration(tls)

    def newer(self) -> grpc.ServerCertificateConfiguration | None:
        """What to serve with from now on; None when nothing changed. Called by grpc before each handshake."""
        try:
            stamps = _stamps(self._tls)
            if stamps == self._stamps:
                return None
            self._stamps = stamps  # whatever they hold is looked at once
            self.latest = _configuration(self._tls)
        except ListenProblem as problem:
            log.error("the certificates changed and can't be used; serving with those before: %s", problem)  # noqa: TRY400
            return None
        log.info("serving with the changed certificates")
        return self.latest


def _stamps(tls: TlsFiles) -> tuple[_Stamp, ...]:
    return tuple(_stamp(path) for path in tls.paths)


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError as problem:
        raise ListenProblem(f"can't read {path}: {problem.strerror}") from problem
    return found.st_mtime_ns, found.st_size, found.st_ino


def _configuration(tls: TlsFiles) -> grpc.ServerCertificateConfiguration:
    """The files' content; grpc takes any bytes, and with wrong ones fails later without saying why."""
    pair = (_read(tls.key), _read(tls.cert))
    authority = None if tls.client_ca is None else _read(tls.client_ca)
    _require_pair(tls)
    if tls.client_ca is not None:
        _require_authority(tls.client_ca)
    return grpc.ssl_server_certificate_configuration([pair], authority)


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
