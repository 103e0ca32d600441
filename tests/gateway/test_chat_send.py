"""ChatSend: a message from outside makes its session if need be, and starts a run of kind CHAT."""

from __future__ import annotations

from typing import Any

import pytest

from sessiond.gateway.chat_send import ChatQuery, chat_send
from sessiond.gateway.sessions_delete import DeleteQuery, sessions_delete
from sessiond.gateway.sessions_reset import ResetQuery, sessions_reset
from sessiond.model.errors import (
    AgentNotFound,
    InvalidField,
    InvalidKey,
    MessageTooLarge,
    QueueFull,
    SessionBusy,
    SessionNotFound,
)
from sessiond.model.keys import ChatType
from sessiond.model.messages import Image, ProvenanceKind, Text
from sessiond.model.sessions import Route
from sessiond.store.codec import decode
from sessiond.store.schema import deliveries
from sessiond.store.schema import sessions as sessions_table
from sessiond.tools.sessions_history import HistoryQuery, sessions_history
from tests.making import OWNER, count, make_session, session_of
from tests.runtime.engine import A, B, Engine

pytest_plugins = ["tests.runtime.fixtures"]

GROUP = "agent:main:telegram:group:-100"
ROUTE = Route("telegram", "-100", "bot", "7")


async def test_first_contact_makes_the_session(engine: Engine) -> None:  # K9
    answer = await engine.chat(GROUP)

    assert (answer.status, answer.session_key, answer.queue_position) == ("queued", GROUP, 0)
    assert await count(engine.db, sessions_table) == 1
    run = await engine.run(answer.run_id)
    assert (run.kind, run.state) == ("chat", "queued")


async def test_the_gateway_tells_what_the_chat_is_and_where_it_is_reached(engine: Engine) -> None:  # K10, K11
    await engine.chat("agent:main:room", route=ROUTE, chat_type=ChatType.GROUP, group_subject="Team")

    session = await session_of(engine.db, "agent:main:room")

    assert session is not None
    assert (session.route, session.chat_type, session.group_subject, session.kind) == (ROUTE, "group", "Team", "group")


async def test_a_message_without_facts_leaves_those_that_are_known(engine: Engine) -> None:
    await engine.chat(GROUP, route=ROUTE, group_subject="Team")
    before = await session_of(engine.db, GROUP)
    await engine.chat(GROUP)

    session = await session_of(engine.db, GROUP)

    assert session is not None
    assert before is not None
    assert (session.route, session.group_subject, session.etag) == (ROUTE, "Team", before.etag)


async def test_the_message_is_the_users(engine: Engine) -> None:
    answer = await engine.chat(GROUP, "  as typed\n")

    page = await sessions_history(engine.db, engine.rules, OWNER, HistoryQuery(GROUP))

    message = decode(page.messages[0])
    assert (message.text, message.id) == ("  as typed\n", answer.message_id)
    assert message.draft.provenance is not None
    assert message.draft.provenance.kind is ProvenanceKind.USER


async def test_the_reply_goes_out_the_way_the_message_came(engine: Engine) -> None:  # D4
    await engine.chat(GROUP, route=ROUTE)
    await engine.chat(GROUP, route=Route("telegram", "-200"))  # the session moves on before the first is answered

    taken = await engine.take()

    assert taken.placed.run.route == ROUTE


async def test_nothing_goes_out_for_a_message_that_wants_no_answer(engine: Engine) -> None:  # D4
    await engine.chat(GROUP, deliver=False)
    await engine.complete(await engine.take(), "reply")

    assert await count(engine.db, deliveries) == 0


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": " \n"}, "text"),
        ({"route": Route("telegram", "")}, "route"),
        ({"route": Route("", "1")}, "route"),
        ({"group_subject": "x" * 513}, "group_subject"),
    ],
)
async def test_bad_input_is_refused_before_anything_is_stored(
    engine: Engine, query: dict[str, Any], field: str
) -> None:  # X1
    before = await engine.rows()

    with pytest.raises(InvalidField) as refused:
        await engine.chat(GROUP, **query)

    assert [each.field for each in refused.value.fields] == [field]
    assert await engine.rows() == before


@pytest.mark.parametrize("size", [1_048_576, 2 * 1_048_576])
async def test_a_message_too_large_makes_no_session(engine: Engine, size: int) -> None:  # H6
    with pytest.raises(MessageTooLarge):
        await engine.chat(GROUP, "x" * size)

    assert await count(engine.db, sessions_table) == 0


async def test_a_picture_alone_is_a_message(engine: Engine) -> None:
    query = ChatQuery(GROUP, (Text(""), Image("image/png", b"\x89PNG")), request_id="r1")

    first = await chat_send(engine.db, engine.rules, OWNER, query)

    assert first.run_id == (await chat_send(engine.db, engine.rules, OWNER, query)).run_id
    assert decode((await engine.take()).input).draft.content == query.content


@pytest.mark.parametrize("key", ["agent:nobody:main", "agent:nobody:telegram:direct:1"])
async def test_an_agent_that_is_not_configured_gets_no_session(engine: Engine, key: str) -> None:  # K9
    with pytest.raises(AgentNotFound):
        await engine.chat(key)

    assert await count(engine.db, sessions_table) == 0


@pytest.mark.parametrize("key", ["", "agent::x", "global", "unknown"])
async def test_a_malformed_or_reserved_key_gets_no_session(engine: Engine, key: str) -> None:  # K7, K8
    with pytest.raises(InvalidKey):
        await engine.chat(key)

    assert await count(engine.db, sessions_table) == 0


@pytest.mark.parametrize("text", ["/stop", " /STOP \n"])
async def test_stop_aborts_everything_and_is_no_part_of_the_transcript(engine: Engine, text: str) -> None:  # R6
    await engine.sessions(A)
    running = await engine.running(A)
    queued = [await engine.queue(A) for _ in range(2)]
    before = await session_of(engine.db, A)

    answer = await engine.chat(A, text)

    assert (answer.status, answer.run_id, answer.command_reply) == ("command", "", "Stopped 3 runs.")
    assert await engine.states(running.placed.run.id, *queued) == ["cancelling", "cancelled", "cancelled"]
    after = await session_of(engine.db, A)
    assert before is not None
    assert after is not None
    assert after.last_sequence == before.last_sequence
    assert (await engine.transitions(queued[0]))[-1] == ("cancelled", "olivia", "/stop")


async def test_stop_with_nothing_to_stop_says_so(engine: Engine) -> None:
    assert (await engine.chat(A, "/stop")).command_reply == "Nothing to stop."


@pytest.mark.parametrize("text", ["please /stop", "/stop now", "stop"])
async def test_stop_among_other_words_is_an_ordinary_message(engine: Engine, text: str) -> None:
    assert (await engine.chat(A, text)).status == "queued"


async def test_a_full_queue_takes_no_more_and_can_still_be_stopped(engine: Engine) -> None:  # X6
    engine.limit(queue_depth=1)
    await engine.chat(A)
    with pytest.raises(QueueFull):
        await engine.chat(A)

    assert (await engine.chat(A, "/stop")).command_reply == "Stopped 1 run."
    assert (await engine.chat(A)).status == "queued"


async def test_a_retry_after_a_purge_finds_nothing_and_makes_nothing(engine: Engine) -> None:  # R8
    await engine.chat(A, request_id="r1", deliver=False)
    await engine.complete(await engine.take())
    await sessions_delete(engine.db, engine.rules, OWNER, DeleteQuery(A, purge=True))

    with pytest.raises(SessionNotFound):
        await engine.chat(A, request_id="r1", deliver=False)
    await make_session(engine.db, A)
    with pytest.raises(SessionNotFound):
        await engine.chat(A, request_id="r1", deliver=False)


async def test_the_id_of_an_ended_generation_is_no_new_session(engine: Engine) -> None:  # K8
    session = await make_session(engine.db, A)
    await sessions_reset(engine.db, engine.rules, OWNER, ResetQuery(A))

    with pytest.raises(SessionNotFound):
        await engine.chat(session.session_id)


async def test_a_busy_session_is_neither_reset_nor_deleted(engine: Engine) -> None:
    await engine.sessions(B)
    run_id = await engine.queue(B)
    before = await engine.rows()

    for _ in ("queued", "running", "cancelling"):
        with pytest.raises(SessionBusy) as refused:
            await sessions_reset(engine.db, engine.rules, OWNER, ResetQuery(B))
        assert refused.value.facts == {"run_id": run_id}
        for purge in (False, True):
            with pytest.raises(SessionBusy):
                await sessions_delete(engine.db, engine.rules, OWNER, DeleteQuery(B, purge))
        assert await engine.rows() == before
        if await engine.states(run_id) == ["queued"]:
            lease = await engine.take()
        else:
            await engine.cancel(run_id)
        before = await engine.rows()

    await engine.complete(lease)
    await sessions_reset(engine.db, engine.rules, OWNER, ResetQuery(B))
    assert await sessions_delete(engine.db, engine.rules, OWNER, DeleteQuery(B)) is True
