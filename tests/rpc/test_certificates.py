"""Certificates that change while the server runs."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from sessiond.rpc.certificates import TlsFiles
from sessiond.rpc.guard import Guard
from sessiond.rpc.health import Health, add_health
from sessiond.rpc.listening import listen
from sessiond.rpc.server import build_server
from tests.pems import certificate
from tests.rpc.serving import raw_call


@pytest.fixture
def tls(tmp_path: Path) -> TlsFiles:
    cert, key = certificate(tmp_path, "server")
    client_ca, _ = certificate(tmp_path, "client")
    return TlsFiles(cert, key, client_ca)


@pytest.fixture
async def address(tls: TlsFiles) -> AsyncIterator[str]:
    server = build_server(Guard())
    add_health(server, Health([]))
    port = listen(server, "127.0.0.1:0", tls=tls)
    await server.start()
    yield f"127.0.0.1:{port}"
    await server.stop(None)


def replace(old: Path, new: Path) -> None:
    """Put one file in the place of another in one step, as tools that renew certificates do."""
    copy = old.with_suffix(".new")
    copy.write_bytes(new.read_bytes())
    copy.replace(old)


def credentials(trusted: Path, client: tuple[Path, Path]) -> grpc.ChannelCredentials:
    cert, key = client
    return grpc.ssl_channel_credentials(trusted.read_bytes(), key.read_bytes(), cert.read_bytes())


async def code(address: str, trusted: Path, client: tuple[Path, Path]) -> grpc.StatusCode:
    """What a new connection that trusts this certificate, and shows that one, gets."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.secure_channel(address, credentials(trusted, client), options) as channel:
        found: grpc.StatusCode = await raw_call(channel, "grpc.health.v1.Health/Check").code()
        return found


def of(folder: Path, name: str) -> tuple[Path, Path]:
    return folder / f"{name}.pem", folder / f"{name}.key"


async def test_a_new_certificate_serves_new_connections_and_old_ones_go_on(
    tls: TlsFiles, address: str, tmp_path: Path
) -> None:
    before = (tmp_path / "before.pem", tmp_path / "client.key")
    before[0].write_bytes(tls.cert.read_bytes())
    renewed, key = certificate(tmp_path, "renewed")
    client = of(tmp_path, "client")
    async with grpc.aio.secure_channel(address, credentials(tls.cert, client)) as channel:
        assert await raw_call(channel, "grpc.health.v1.Health/Check").code() is grpc.StatusCode.OK

        replace(tls.key, key)
        replace(tls.cert, renewed)

        assert await code(address, renewed, client) is grpc.StatusCode.OK
        assert await code(address, before[0], client) is grpc.StatusCode.UNAVAILABLE
        assert await raw_call(channel, "grpc.health.v1.Health/Check").code() is grpc.StatusCode.OK


async def test_a_new_authority_lets_new_clients_in_and_old_ones_no_more(
    tls: TlsFiles, address: str, tmp_path: Path
) -> None:
    other = certificate(tmp_path, "other")
    assert tls.client_ca is not None
    assert await code(address, tls.cert, other) is grpc.StatusCode.UNAVAILABLE
    old = of(tmp_path, "client")
    kept = (tmp_path / "kept.pem", old[1])
    kept[0].write_bytes(old[0].read_bytes())

    replace(tls.client_ca, other[0])

    assert await code(address, tls.cert, other) is grpc.StatusCode.OK
    assert await code(address, tls.cert, kept) is grpc.StatusCode.UNAVAILABLE


async def test_files_that_are_wrong_or_half_there_change_nothing_and_are_named(
    tls: TlsFiles, address: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client = of(tmp_path, "client")
    good = tmp_path / "good.pem"
    good.write_bytes(tls.cert.read_bytes())
    renewed, key = certificate(tmp_path, "renewed")

    replace(tls.cert, renewed)  # its key is still the old one
    assert await code(address, good, client) is grpc.StatusCode.OK
    tls.cert.unlink()
    assert await code(address, good, client) is grpc.StatusCode.OK
    named = [each.getMessage() for each in caplog.records if each.levelno == logging.ERROR]
    assert any(str(tls.key) in each for each in named)
    assert any(f"can't read {tls.cert}" in each for each in named)

    replace(tls.key, key)
    replace(tls.cert, renewed)
    assert await code(address, renewed, client) is grpc.StatusCode.OK
