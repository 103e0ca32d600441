"""What a caller meets at the edges of several rules at once, through real calls."""

from __future__ import annotations

from pathlib import Path

import jwt

from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import run_pb2
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.rpc.test_send import refused
from tests.serving import EXTERNAL, Served, acting, bearer, served

TALK = "#!\nreply one\n@reply\nreply two\n@reply\nskip\n@announce\nreply told"
LONG = "x" * 5000


async def settled(server: Served, run_id: str, cursor: str, key: str = "") -> list[str]:
    """What a wait until SETTLED tells after a cursor, by kind."""
    request = tools.WaitRunRequest(run_id=run_id, cursor=cursor, until=run_pb2.WAIT_UNTIL_SETTLED, max_wait_seconds=20)
    metadata = acting(key) if key else ()
    return [str(told.WhichOneof("event")) async for told in server.tools.WaitRun(request, metadata=metadata)]


async def test_the_cursor_of_an_answer_leads_to_every_turn_and_delivery(tmp_path: Path) -> None:  # S4, W4
    async with served(tmp_path) as server:
        await server.gateway.ChatSend(gateway.ChatSendRequest(session_key="cron:other", text="hello"))
        request = tools.SessionsSendRequest(session_key="main", message=TALK)
        sent = await server.tools.SessionsSend(request, metadata=acting("cron:other"))

        told = await settled(server, sent.run_id, sent.cursor, "cron:other")

        assert [kind for kind in told if kind in ("turn_changed", "delivery_changed", "ended")] == [
            *("turn_changed", "turn_changed", "turn_changed", "delivery_changed", "ended")
        ]


async def test_a_wait_for_the_reply_leaves_the_rest_to_a_later_one(tmp_path: Path) -> None:  # W2, W4
    async with served(tmp_path) as server:
        await server.gateway.ChatSend(gateway.ChatSendRequest(session_key="cron:other", text="hello"))
        request = tools.SessionsSendRequest(session_key="main", message=TALK)
        sent = await server.tools.SessionsSend(request, metadata=acting("cron:other"))
        whole = await settled(server, sent.run_id, "")
        reply = [told async for told in server.tools.WaitRun(tools.WaitRunRequest(run_id=sent.run_id))]

        rest = await settled(server, sent.run_id, reply[-1].cursor)

        assert [str(told.WhichOneof("event")) for told in reply[:-1]] + rest[1:] == whole


async def test_a_child_that_nobody_asked_for_is_a_subagent_too(tmp_path: Path) -> None:  # P3
    async with served(tmp_path, EXTERNAL) as server:
        child = await server.tools.SessionsSpawn(tools.SessionsSpawnRequest(task="dig"))

        call = server.tools.SessionsSpawn(
            tools.SessionsSpawnRequest(task="deeper"), metadata=acting(child.child_session_key)
        )

        assert (await refused(call))[1] == "SUBAGENT_SPAWN"


async def test_ids_and_routes_are_bounded_before_anything_is_stored(tmp_path: Path) -> None:  # X6
    async with served(tmp_path, EXTERNAL) as server:
        far = gateway.ChatSendRequest(session_key="main", text="hello")
        far.route.channel, far.route.to = "telegram", LONG
        named = gateway.ChatSendRequest(session_key="main", text="hello", request_id=LONG)

        assert (await refused(server.gateway.ChatSend(far)))[1] == "INVALID_FIELD"
        assert (await refused(server.gateway.ChatSend(named)))[1] == "INVALID_FIELD"
        listed = await server.tools.SessionsList(tools.SessionsListRequest())
        assert not listed.sessions


async def test_an_ignored_command_makes_no_session(tmp_path: Path) -> None:  # Q2, K9
    async with served(tmp_path, EXTERNAL) as server:
        request = gateway.ChatSendRequest(session_key="cron:new", text="/send off")

        answer = await server.gateway.ChatSend(request)

        assert (answer.status, answer.session_key, answer.session_id) == (gateway.CHAT_STATUS_IGNORED, "cron:new", "")
        assert not (await server.tools.SessionsList(tools.SessionsListRequest())).sessions


async def test_a_text_on_its_way_out_keeps_its_session_from_being_purged(tmp_path: Path) -> None:  # D1
    async with served(tmp_path) as server:
        chat = gateway.ChatSendRequest(session_key="telegram:group:1", text="hello")
        chat.route.channel, chat.route.to = "Telegram", "1"
        sent = await server.gateway.ChatSend(chat)
        await server.tools.GetRun(tools.GetRunRequest(run_id=sent.run_id, wait_seconds=20))
        purge = gateway.SessionsDeleteRequest(session_key="telegram:group:1", purge=True)

        assert (await refused(server.gateway.SessionsDelete(purge)))[1] == "SESSION_BUSY"

        taken = await server.gateway.AcquireDeliveries(gateway.AcquireDeliveriesRequest(channels=["telegram"]))
        (delivery,) = taken.deliveries
        ack = gateway.AckDeliveryRequest(delivery_id=delivery.id, lease_token=delivery.lease_token)
        await server.gateway.AckDelivery(ack)
        assert (await server.gateway.SessionsDelete(purge)).deleted


async def test_a_made_up_run_token_opens_nothing(tmp_path: Path) -> None:  # V1
    async with served(tmp_path, EXTERNAL) as server:
        made_up = bearer(jwt.encode({"sub": "run"}, b"x" * 32, headers={"typ": "sessiontools-run+jwt", "kid": "mine"}))
        calls = (
            server.tools.SessionsList(tools.SessionsListRequest(), metadata=made_up),
            server.runtime.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt"), metadata=made_up),
        )

        assert [(await refused(call))[1] for call in calls] == ["UNAUTHENTICATED", "UNAUTHENTICATED"]


async def test_an_overlong_failure_is_cut_so_that_every_answer_can_carry_it(tmp_path: Path) -> None:  # X6
    async with served(tmp_path, EXTERNAL) as server:
        await server.tools.SessionsSend(
            tools.SessionsSendRequest(session_key="main", message="hello", timeout_seconds=0)
        )
        (lease,) = (await server.runtime.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt"))).runs
        failure = run_pb2.RunFailure(reason="BROKEN", message="é" * 1_000_000)

        request = runtime.CompleteRunRequest(lease_token=lease.lease_token, failure=failure)
        ended = await server.runtime.CompleteRun(request)

        assert len(ended.run.failure.message) == 16 * 1024
