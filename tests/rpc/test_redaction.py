"""Who is shown credentials, and who sees marks in their place (H7)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import message_pb2 as message
from sessiontools.v1 import run_pb2
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.serving import EXTERNAL, Metadata, Served, acting, bearer, served

SECRET = "ghp_" + "A1b2C3d4E5" * 3 + "f6G7h8"
GROUP = "agent:main:telegram:group:1"
MARK = "[redacted: github token]"
OWN = ("main", acting("main"))
OTHER = (GROUP, acting(GROUP))
NOBODY: Metadata = ()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path, EXTERNAL) as server:
        await chat(server, GROUP, "hello")
        await finished(server)
        yield server


async def chat(server: Served, key: str, text: str) -> str:
    return (await server.gateway.ChatSend(gateway.ChatSendRequest(session_key=key, text=text))).run_id


async def taken(server: Served) -> runtime.RunAssignment:
    answer = await server.runtime.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt", wait_seconds=30))
    return answer.runs[0]


async def finished(server: Served, reply: str = "done", **outcome: Any) -> runtime.RunAssignment:
    lease = await taken(server)
    said = outcome or {"reply": reply}
    await server.runtime.CompleteRun(runtime.CompleteRunRequest(lease_token=lease.lease_token, **said))
    return lease


async def history(server: Served, metadata: Metadata, key: str = "main") -> list[message.Message]:
    request = tools.SessionsHistoryRequest(session_key=key, include_tools=True)
    return list((await server.tools.SessionsHistory(request, metadata=metadata)).messages)


async def run_of(server: Served, run_id: str, metadata: Metadata) -> run_pb2.Run:
    return (await server.tools.GetRun(tools.GetRunRequest(run_id=run_id), metadata=metadata)).run


async def events(server: Served, run_id: str, metadata: Metadata) -> list[tools.WaitRunResponse]:
    request = tools.WaitRunRequest(run_id=run_id, include_deltas=True)
    return [each async for each in server.tools.WaitRun(request, metadata=metadata)]


async def test_history_is_masked_for_another_session_and_whole_for_its_own_and_for_owners(server: Served) -> None:
    await chat(server, "main", f"the key is {SECRET}, keep it")

    (theirs,), (own,), (stored,) = [await history(server, who) for who in (acting(GROUP), acting("main"), NOBODY)]

    assert theirs.content[0].text.text == f"the key is {MARK}, keep it"
    assert theirs.redacted
    assert own.content[0].text.text == stored.content[0].text.text == f"the key is {SECRET}, keep it"
    assert not own.redacted
    assert not stored.redacted


async def test_every_block_with_words_is_masked_and_the_rest_is_as_stored(server: Served) -> None:
    await chat(server, "main", "hello")
    lease = await taken(server)
    call = message.ToolCallBlock(id="1", name="curl")
    call.arguments.update({"headers": {"Authorization": f"Bearer {SECRET}"}, "retries": 3})
    result = message.ToolResultBlock(tool_call_id="1", name="curl", text=f"token={SECRET}")
    blocks = [
        message.ContentBlock(thinking=message.ThinkingBlock(text=f"use {SECRET}", signature="s")),
        message.ContentBlock(tool_call=call),
        message.ContentBlock(image=message.ImageBlock(mime_type="image/png", data=SECRET.encode())),
    ]
    said = [
        runtime.RunEvent(message=message.Message(role=message.ROLE_ASSISTANT, content=blocks)),
        runtime.RunEvent(
            message=message.Message(role=message.ROLE_TOOL_RESULT, content=[message.ContentBlock(tool_result=result)])
        ),
    ]
    await server.runtime.AppendRunEvents(
        runtime.AppendRunEventsRequest(lease_token=lease.lease_token, first_sequence=1, events=said)
    )

    _, thought, answered = await history(server, acting(GROUP))

    assert thought.redacted
    assert thought.content[0].thinking.text == f"use {MARK}"
    assert SECRET not in str(thought.content[1])
    assert thought.content[1].tool_call.arguments["retries"] == 3
    assert thought.content[2].image.data == SECRET.encode()
    assert SECRET not in answered.content[0].tool_result.text


async def test_messages_in_a_list_are_masked_row_by_row(server: Served) -> None:
    await chat(server, "main", SECRET)
    await chat(server, GROUP, SECRET)

    request = tools.SessionsListRequest(message_limit=1)
    answer = await server.tools.SessionsList(request, metadata=acting(GROUP))

    texts = {each.key: each.messages[0].content[0].text.text for each in answer.sessions}
    assert texts == {"main": MARK, GROUP: SECRET}


async def test_what_a_run_says_and_why_it_failed_is_masked_for_those_it_was_not_said_to(server: Served) -> None:
    said = await chat(server, "main", "hello")
    await finished(server, f"here: {SECRET}")
    failed = await chat(server, "main", "hello")
    await finished(server, failure=run_pb2.RunFailure(reason="BROKEN", message=f"401 for {SECRET}"))

    run = await run_of(server, said, acting(GROUP))
    broken = await run_of(server, failed, acting(GROUP))

    assert (run.reply, run.redacted) == (f"here: {MARK}", True)
    assert (broken.failure.message, broken.redacted) == (f"401 for {MARK}", True)
    for who in (acting("main"), NOBODY):
        assert (await run_of(server, said, who)).reply == f"here: {SECRET}"
        assert not (await run_of(server, said, who)).redacted


async def test_the_session_that_asked_gets_the_answer_as_it_was_said(server: Served) -> None:  # S4
    request = tools.SessionsSendRequest(session_key="main", message="the key?", timeout_seconds=0)
    sent = await server.tools.SessionsSend(request, metadata=acting(GROUP))
    await finished(server, f"here: {SECRET}")

    run = await run_of(server, sent.run_id, acting(GROUP))
    again = await server.tools.SessionsSend(request, metadata=acting(GROUP))

    assert (run.reply, run.redacted) == (f"here: {SECRET}", False)
    assert again.status == tools.SEND_STATUS_ACCEPTED


async def test_a_wait_is_masked_as_history_is_and_brings_no_pieces(server: Served) -> None:  # W8
    run_id = await chat(server, "main", "hello")
    lease = await taken(server)
    pieces = [runtime.RunEvent(delta=SECRET[:10]), runtime.RunEvent(delta=SECRET[10:])]
    await server.runtime.AppendRunEvents(
        runtime.AppendRunEventsRequest(lease_token=lease.lease_token, first_sequence=1, events=pieces)
    )
    await server.runtime.CompleteRun(runtime.CompleteRunRequest(lease_token=lease.lease_token, reply=SECRET))

    theirs = await events(server, run_id, acting(GROUP))
    own = await events(server, run_id, acting("main"))

    assert SECRET not in str(theirs)
    assert not [each for each in theirs if each.HasField("output_delta")]
    assert [each.message_appended.message.redacted for each in theirs if each.HasField("message_appended")] == [True]
    assert theirs[-1].ended.run.reply == MARK
    assert "".join(each.output_delta.text for each in own if each.HasField("output_delta")) == SECRET
    assert theirs[-1].cursor == own[-1].cursor


async def test_a_run_token_reads_as_its_session_does(server: Served) -> None:  # V1
    await chat(server, "main", SECRET)
    await finished(server)
    await chat(server, GROUP, "read it")
    lease = await taken(server)

    told = await history(server, bearer(lease.run_token))

    assert told[0].content[0].text.text == MARK


@pytest.mark.parametrize(("setting", "own", "other"), [("off", SECRET, SECRET), ("always", MARK, MARK)])
async def test_the_setting_decides(tmp_path: Path, setting: str, own: str, other: str) -> None:
    async with served(tmp_path, {**EXTERNAL, "tools": {"sessions": {"redact": setting}}}) as server:
        await chat(server, GROUP, "hello")
        await chat(server, "main", SECRET)

        assert [(await history(server, who))[0].content[0].text.text for who in (acting("main"), acting(GROUP))] == [
            own,
            other,
        ]
        assert (await history(server, NOBODY))[0].content[0].text.text == SECRET


async def test_a_short_text_may_grow_by_its_mark(server: Served) -> None:
    await chat(server, "main", "pwd=hunter2x")

    assert (await history(server, acting(GROUP)))[0].content[0].text.text == "pwd=[redacted: password]"


async def test_a_text_of_nothing_but_credentials_still_fits_a_page(server: Served) -> None:  # H5
    short = "password=a1B2c3\n"
    await chat(server, "main", short * (1_000_000 // len(short)))
    await chat(server, "main", SECRET)

    told = await history(server, acting(GROUP))

    assert all(each.redacted for each in told)
    assert "a1B2c3" not in str(told)
