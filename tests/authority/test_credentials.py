"""Who is let in, and as whom: credentials alone decide, and what is in no table is refused to everybody (V1, V6)."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from sessiond.rpc.authority import REQUIRED
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.authority.cast import SETTINGS
from tests.authority.house import OWNER, RUNTIME, SECRETS
from tests.authority.stage import ANN, staged
from tests.rpc.serving import error_info, raw_call, rich_status
from tests.rpc.test_send import refused
from tests.serving import EXTERNAL, Metadata, acting, bearer, served

AS_IT_COMES = SETTINGS[0]
LIST = tools.SessionsListRequest()
UNAUTHENTICATED = (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")
ROLE_DENIED = (grpc.StatusCode.PERMISSION_DENIED, "ROLE_DENIED")


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        bearer("wrong"),
        bearer(""),
        (("authorization", SECRETS["owner"]),),
        (("authorization", f"Basic {SECRETS['owner']}"),),
        bearer("run.no-such-run.1." + "0" * 64),
        bearer("run.x.1"),
        bearer(f"{SECRETS['owner']}, {SECRETS['owner']}"),
        (("authorization", f"Bearer {SECRETS['owner']}"), ("authorization", "Bearer wrong")),
    ],
)
async def test_a_missing_or_wrong_credential_is_unauthenticated(tmp_path: Path, metadata: Metadata) -> None:  # V1
    async with staged(tmp_path, AS_IT_COMES) as stage:
        assert await refused(stage.server.tools.SessionsList(LIST, metadata=metadata)) == UNAUTHENTICATED


@pytest.mark.parametrize("metadata", [OWNER, RUNTIME])
async def test_a_method_that_is_not_in_the_table_is_refused_to_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, metadata: Metadata
) -> None:  # V5
    path = "sessiontools.v1.RuntimeService/HeartbeatRuns"
    async with staged(tmp_path, AS_IT_COMES) as stage:
        request = runtime.HeartbeatRunsRequest()
        await stage.server.runtime.HeartbeatRuns(request, metadata=metadata)
        monkeypatch.delitem(REQUIRED, path)

        assert await refused(stage.server.runtime.HeartbeatRuns(request, metadata=metadata)) == ROLE_DENIED


async def test_a_method_that_there_is_not_tells_nothing_to_those_without_a_credential(tmp_path: Path) -> None:  # V1
    async with staged(tmp_path, AS_IT_COMES) as stage:
        call = raw_call(stage.server.channel, "sessiontools.v1.SessionToolsService/NoSuchMethod")

        assert await call.code() is grpc.StatusCode.UNAUTHENTICATED
        assert error_info(await rich_status(call)).reason == "UNAUTHENTICATED"


async def test_a_run_token_dies_with_its_run(tmp_path: Path) -> None:  # V1
    async with served(tmp_path, EXTERNAL) as server:  # also where no tokens are configured
        send = tools.SessionsSendRequest(session_key="main", message="hello", timeout_seconds=0)
        await server.tools.SessionsSend(send)
        answer = await server.runtime.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt", wait_seconds=30))
        (lease,) = answer.runs
        agent = bearer(lease.run_token)
        listed = await server.tools.SessionsList(LIST, metadata=agent)
        assert [each.key for each in listed.sessions] == ["main"]
        poll = server.runtime.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt"), metadata=agent)
        assert await refused(poll) == ROLE_DENIED

        await server.runtime.CompleteRun(runtime.CompleteRunRequest(lease_token=lease.lease_token, reply="done"))

        assert await refused(server.tools.SessionsList(LIST, metadata=agent)) == UNAUTHENTICATED


async def test_only_owners_and_gateways_act_from_a_session_of_their_choice(tmp_path: Path) -> None:  # V1
    async with staged(tmp_path, AS_IT_COMES) as stage:
        await stage.make(ANN)
        agent = await stage.at_work("main")
        for role in ("owner", "gateway"):
            metadata = (*bearer(SECRETS[role]), *acting("agent:ops:main"))
            assert not (await stage.server.tools.SessionsList(LIST, metadata=metadata)).sessions
        for token in (agent.run_token, SECRETS["runtime"]):
            call = stage.server.tools.SessionsList(LIST, metadata=(*bearer(token), *acting(ANN)))
            assert await refused(call) == ROLE_DENIED


@pytest.mark.parametrize("key", ["agent:main:nope", "agent:nobody:main"])
async def test_an_acting_session_that_is_not_there_is_not_found(tmp_path: Path, key: str) -> None:  # V3
    async with served(tmp_path, EXTERNAL) as server:
        call = server.tools.SessionsList(LIST, metadata=acting(key))

        assert await refused(call) == (grpc.StatusCode.NOT_FOUND, "SESSION_NOT_FOUND")
