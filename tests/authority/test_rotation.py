"""A restart, a new token, a new certificate and a new signing key, under load and without a failed call (V1, X4)."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import jwt

from sessiontools import Client, SessionToolsError, connect
from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.authority.load import WORKERS, loaded
from tests.pems import certificate
from tests.system.server_process import PROGRAM, ServerProcess, serving

TEST_S = 240
OLD, NEW = "old-token-0123456789", "new-token-0123456789"
LIST = tools.SessionsListRequest()
# A call that finds no server waits until there is one again. One that loses its server on the way is repeated: it is
# UNAVAILABLE then or, if the server stopped before it had looked at the call at all, CANCELLED.
PATIENCE = {
    "methodConfig": [
        {
            "name": [{}],
            "waitForReady": True,
            "retryPolicy": {
                "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
                "maxAttempts": 5,
                "initialBackoff": "0.2s",
                "maxBackoff": "10s",
                "backoffMultiplier": 2,
            },
        }
    ]
}
OPTIONS = (("grpc.service_config", json.dumps(PATIENCE)), ("grpc.use_local_subchannel_pool", 1))


def owner(*secrets: str) -> list[dict[str, str]]:
    return [{"name": "night", "role": "owner", "token": secret} for secret in secrets]


class Place:
    """A folder with a server's files, and the clients that know its certificates."""

    def __init__(self, folder: Path, server: ServerProcess) -> None:
        self.folder = folder
        self.server = server

    def dial(self) -> Client:
        """A client that shows its certificate, and trusts the server's old and new one."""
        trusted = b"".join((self.folder / name).read_bytes() for name in ("known.pem", "renewed.pem"))
        own = [(self.folder / f"client.{kind}").read_bytes() for kind in ("key", "pem")]
        return connect(self.server.address, tls=grpc.ssl_channel_credentials(trusted, *own), options=OPTIONS)

    async def code(self, token: str) -> grpc.StatusCode:
        """What a caller with this token gets."""
        async with self.dial() as client:
            try:
                await client.with_token(token).SessionsList(LIST)
            except SessionToolsError as problem:
                return problem.code
        return grpc.StatusCode.OK

    async def until(self, token: str, code: grpc.StatusCode) -> None:
        """Ask until this is the answer: a change of the file is seen within a second."""
        while await self.code(token) is not code:
            pass

    def put_tokens(self, tokens: list[dict[str, str]]) -> None:
        """Replace the configuration in one step."""
        file = self.folder / "sessiontools.json5"
        changed = json.loads(file.read_text()) | {"auth": {"tokens": tokens}}
        new = file.with_suffix(".new")
        new.write_text(json.dumps(changed))
        new.replace(file)

    async def shown_certificate(self) -> bytes:
        """What the server shows to a new connection."""
        trust = ssl.create_default_context(cafile=str(self.folder / "renewed.pem"))
        trust.load_verify_locations(self.folder / "known.pem")
        trust.load_cert_chain(self.folder / "client.pem", self.folder / "client.key")
        trust.set_alpn_protocols(["h2"])
        _, writer = await asyncio.open_connection("127.0.0.1", self.server.port, ssl=trust, server_hostname="localhost")
        found: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        writer.close()
        return found

    async def rotate_keys(self) -> None:
        """`sessiontools keys rotate`."""
        command = (str(PROGRAM), "keys", "rotate", "--config", "sessiontools.json5")
        process = await asyncio.create_subprocess_exec(*command, cwd=self.folder)
        assert await process.wait() == 0


@asynccontextmanager
async def placed(folder: Path) -> AsyncIterator[Place]:
    """A server behind mutual TLS, with one session for each worker."""
    for name in ("server", "client", "renewed"):
        certificate(folder, name)
    (folder / "known.pem").write_bytes((folder / "server.pem").read_bytes())
    config: dict[str, Any] = {
        "server": {"tls": {"cert": "server.pem", "key": "server.key", "clientCa": "client.pem"}},
        "auth": {"tokens": owner(OLD)},
        "agents": {"list": [{"id": "main"}, {"id": "far", "runtime": "external"}]},
        "runtime": {"leaseSeconds": 600},
    }
    async with asyncio.timeout(TEST_S), serving(folder, f"sqlite:///{folder / 'store.db'}", **config) as server:
        place = Place(folder, server)
        async with place.dial() as client:
            for number in range(WORKERS):
                request = gateway.SessionsPatchRequest(session_key=f"agent:main:load-{number}", allow_missing=True)
                await client.with_token(OLD).SessionsPatch(request)
        yield place


async def run_token(client: Client, key: str) -> str:
    """The token of a run under way."""
    request = tools.SessionsSendRequest(session_key=key, message="hello", timeout_seconds=0)
    run_id = (await client.SessionsSend(request)).run_id
    taken = await client.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt", wait_seconds=30))
    assert [each.run.id for each in taken.runs] == [run_id]
    return taken.runs[0].run_token


def key_of(token: str) -> str:
    return str(jwt.get_unverified_header(token)["kid"])


async def test_a_restart_and_a_new_signing_key_fail_no_call(tmp_path: Path) -> None:  # X4, V1
    async with placed(tmp_path) as place, place.dial() as dialed:
        client = dialed.with_token(OLD)
        await client.SessionsPatch(gateway.SessionsPatchRequest(session_key="agent:far:second", allow_missing=True))
        before = await run_token(client, "agent:far:main")
        async with loaded(place.dial, OLD) as load:
            await place.rotate_keys()
            await dialed.with_token(before).SessionsList(LIST)

            assert await place.server.stop() == 0
            await place.server.start()

            await dialed.with_token(before).SessionsList(LIST)
            after = await run_token(client, "agent:far:second")
            await dialed.with_token(after).SessionsList(LIST)

    assert load.failed == []
    assert key_of(after) != key_of(before)


async def test_a_new_token_fails_no_call_and_the_old_one_opens_nothing_any_more(tmp_path: Path) -> None:  # V1
    async with placed(tmp_path) as place, loaded(place.dial, OLD) as load:
        place.put_tokens(owner(OLD, NEW))
        await place.until(NEW, grpc.StatusCode.OK)
        load.token = NEW
        await load.go_on()
        place.put_tokens(owner(NEW))
        await place.until(OLD, grpc.StatusCode.UNAUTHENTICATED)

    assert load.failed == []


async def test_a_new_certificate_fails_no_call_and_is_shown_to_new_connections(tmp_path: Path) -> None:
    async with placed(tmp_path) as place, loaded(place.dial, OLD) as load:
        before = await place.shown_certificate()
        for kind in ("key", "pem"):  # one after the other: in between, the two do not fit
            copy = place.folder / f"copy.{kind}"
            copy.write_bytes((place.folder / f"renewed.{kind}").read_bytes())
            copy.replace(place.folder / f"server.{kind}")
            await load.go_on(rounds=1)
        after = await place.shown_certificate()

    assert load.failed == []
    shown = [ssl.PEM_cert_to_DER_cert((tmp_path / f"{name}.pem").read_text()) for name in ("known", "renewed")]
    assert [before, after] == shown
