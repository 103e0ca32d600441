"""Addresses, protection and certificates, and one clear line for each thing that can be wrong with them."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import grpc
import pytest

from sessiond.rpc.addresses import is_loopback, require_free, split_address
from sessiond.rpc.guard import Guard
from sessiond.rpc.health import Health, add_health
from sessiond.rpc.listening import ListenProblem, TlsFiles, listen
from sessiond.rpc.server import build_server
from tests.pems import certificate
from tests.rpc.serving import raw_call

ELSEWHERE = "192.0.2.1:0"  # an address for documentation, which no machine has: nothing is ever opened there


@pytest.fixture
async def server() -> AsyncIterator[grpc.aio.Server]:
    server = build_server(Guard())
    add_health(server, Health([]))
    yield server
    await server.stop(None)


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


@pytest.fixture(scope="module")
def pems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of a server, a client, and a client nobody knows; and the server's key behind a password."""
    folder = tmp_path_factory.mktemp("pems")
    for name in ("server", "client", "stranger"):
        certificate(folder, name)
    lock = ["openssl", "ec", "-aes256", "-passout", "pass:x", "-in", "server.key", "-out", "locked.key"]
    subprocess.run(lock, cwd=folder, check=True, capture_output=True)
    return folder


def client_credentials(pems: Path, name: str | None) -> grpc.ChannelCredentials:
    authority = (pems / "server.pem").read_bytes()
    if name is None:
        return grpc.ssl_channel_credentials(authority)
    return grpc.ssl_channel_credentials(
        authority, (pems / f"{name}.key").read_bytes(), (pems / f"{name}.pem").read_bytes()
    )


async def health_code(channel: grpc.aio.Channel) -> grpc.StatusCode:
    async with channel:
        code: grpc.StatusCode = await raw_call(channel, "grpc.health.v1.Health/Check").code()
        return code


@pytest.mark.parametrize("host", ["localhost", "LocalHost", "127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_known_in_all_its_forms(host: str) -> None:  # V2
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    ["0.0.0.0", "::", "10.0.0.1", "::ffff:10.0.0.1", "example.com", "localhost.example.com", "127.1"],  # noqa: S104
)
def test_what_others_may_reach_is_not_loopback(host: str) -> None:  # V2
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("127.0.0.1:50551", ("127.0.0.1", 50551)),
        ("localhost:0", ("localhost", 0)),
        ("[::1]:65535", ("::1", 65535)),
    ],
)
def test_an_address_is_a_host_and_a_port(address: str, parts: tuple[str, int]) -> None:
    assert split_address(address) == parts


@pytest.mark.parametrize(
    "address", ["", "50551", ":50551", "127.0.0.1", "127.0.0.1:", "h:65536", "h:-1", "h:x", "h:٣", "::1:80", "[]:80"]
)
def test_any_other_form_of_address_is_refused_with_an_example(address: str) -> None:
    with pytest.raises(ListenProblem, match=r"is not HOST:PORT, such as 127\.0\.0\.1:50551"):
        split_address(address)


async def test_port_zero_takes_a_free_port_and_tells_it(server: grpc.aio.Server) -> None:
    port = listen(server, "127.0.0.1:0")
    await server.start()

    assert await health_code(grpc.aio.insecure_channel(f"127.0.0.1:{port}")) is grpc.StatusCode.OK


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_taken_port_is_refused_in_one_line(server: grpc.aio.Server, taken_port: int, host: str) -> None:
    with pytest.raises(ListenProblem) as caught:
        listen(server, f"{host}:{taken_port}")

    assert str(caught.value).startswith(f"can't listen on {host}:{taken_port}: another program listens there")
    assert "\n" not in str(caught.value)


async def test_two_servers_never_share_a_port_in_silence(server: grpc.aio.Server) -> None:
    port = listen(server, "127.0.0.1:0")
    second = build_server(Guard())

    with pytest.raises(ListenProblem, match="another program listens there"):
        listen(second, f"127.0.0.1:{port}")


async def test_a_port_lost_between_the_look_and_the_opening_is_one_line_too(
    server: grpc.aio.Server, taken_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessiond.rpc.listening.require_free", lambda *where, **how: None)

    with pytest.raises(ListenProblem, match=f"can't listen on 127.0.0.1:{taken_port}: it was taken"):
        listen(server, f"127.0.0.1:{taken_port}")


def test_a_port_may_be_shared_when_both_say_so() -> None:
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as other:
        port = other.getsockname()[1]

        require_free("127.0.0.1", port, reuse_port=True)
        with pytest.raises(ListenProblem, match="another program listens there"):
            require_free("127.0.0.1", port)


def test_a_host_without_address_is_refused_by_name() -> None:
    with pytest.raises(ListenProblem, match=r"nowhere\.invalid:1: the host name is not known"):
        require_free("nowhere.invalid", 1)


@pytest.mark.parametrize(
    ("has_tokens", "has_tls", "missing"),
    [
        (False, False, r"needs auth\.tokens and server\.tls;"),
        (True, False, r"needs server\.tls;"),
        (False, True, r"needs auth\.tokens;"),
    ],
)
async def test_an_address_that_others_reach_needs_tokens_and_tls(  # V2
    server: grpc.aio.Server, pems: Path, has_tokens: bool, has_tls: bool, missing: str
) -> None:
    tls = TlsFiles(pems / "server.pem", pems / "server.key") if has_tls else None

    with pytest.raises(ListenProblem, match=missing):
        listen(server, ELSEWHERE, tls=tls, has_tokens=has_tokens)


@pytest.mark.parametrize("insecure", [False, True])
async def test_with_both_or_when_told_so_the_address_is_tried(  # V2
    server: grpc.aio.Server, pems: Path, insecure: bool
) -> None:
    tls = None if insecure else TlsFiles(pems / "server.pem", pems / "server.key")

    with pytest.raises(ListenProblem, match="it is not an address of this machine"):
        listen(server, ELSEWHERE, tls=tls, has_tokens=not insecure, insecure=insecure)


async def test_tls_is_served_from_the_files(server: grpc.aio.Server, pems: Path) -> None:
    port = listen(server, "127.0.0.1:0", tls=TlsFiles(pems / "server.pem", pems / "server.key"))
    await server.start()

    encrypted = grpc.aio.secure_channel(f"localhost:{port}", client_credentials(pems, None))
    assert await health_code(encrypted) is grpc.StatusCode.OK
    assert await health_code(grpc.aio.insecure_channel(f"127.0.0.1:{port}")) is grpc.StatusCode.UNAVAILABLE


@pytest.mark.parametrize(
    ("client", "code"),
    [
        ("client", grpc.StatusCode.OK),
        ("stranger", grpc.StatusCode.UNAVAILABLE),
        (None, grpc.StatusCode.UNAVAILABLE),
    ],
)
async def test_with_a_client_authority_only_its_clients_come_in(
    server: grpc.aio.Server, pems: Path, client: str | None, code: grpc.StatusCode
) -> None:
    files = TlsFiles(pems / "server.pem", pems / "server.key", client_ca=pems / "client.pem")
    port = listen(server, "127.0.0.1:0", tls=files)
    await server.start()

    channel = grpc.aio.secure_channel(f"localhost:{port}", client_credentials(pems, client))
    assert await health_code(channel) is code


@pytest.mark.parametrize(
    ("cert", "key", "client_ca", "problem"),
    [
        ("missing.pem", "server.key", None, r"can't read .*missing\.pem: No such file"),
        ("server.pem", "missing.key", None, r"can't read .*missing\.key: No such file"),
        ("server.pem", "server.key", "missing.pem", r"can't read .*missing\.pem: No such file"),
        ("server.pem", "client.key", None, r"server\.pem and .*client\.key are not a certificate and its key"),
        ("server.key", "server.pem", None, r"are not a certificate and its key"),
        ("server.pem", "locked.key", None, r"without a password"),
        ("server.pem", "server.key", "server.key", r"server\.key holds no certificate"),
    ],
)
async def test_a_wrong_file_is_named(
    server: grpc.aio.Server, pems: Path, cert: str, key: str, client_ca: str | None, problem: str
) -> None:
    files = TlsFiles(pems / cert, pems / key, pems / client_ca if client_ca else None)

    with pytest.raises(ListenProblem, match=problem):
        listen(server, "127.0.0.1:0", tls=files)
