"""Whose words a message holds is the server's to say, and it always says so, to runtimes and to readers (S7, P10)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import grpc
import pytest

from sessiontools.v1 import message_pb2, run_pb2
from sessiontools.v1 import runtime_service_pb2 as runtime
from tests.authority.cast import SETTINGS
from tests.authority.house import OWNER, SECRETS
from tests.authority.stage import ANN, BOB, NEVER, Stage, staged
from tests.rpc.test_send import refused
from tests.serving import acting, bearer

AS_IT_COMES = SETTINGS[0]
KINDS = message_pb2.ProvenanceKind
USER, SYSTEM, ASSISTANT = message_pb2.ROLE_USER, message_pb2.ROLE_SYSTEM, message_pb2.ROLE_ASSISTANT
FORGED = message_pb2.Provenance(
    kind=message_pb2.PROVENANCE_KIND_USER, source_session_key=BOB, source_run_id="run", tool="sessions_send"
)


def text(words: str) -> list[message_pb2.ContentBlock]:
    return [message_pb2.ContentBlock(text=message_pb2.TextBlock(text=words))]


def kind_of(message: message_pb2.Message) -> str:
    """The word for how it came; empty for what the session's own agent wrote."""
    kind = KINDS.Name(message.provenance.kind) if message.HasField("provenance") else ""
    return kind.removeprefix("PROVENANCE_KIND_")


def sources(messages: Iterable[message_pb2.Message]) -> list[tuple[str, str, str, str]]:
    """Who wrote what, as far as the server says."""
    return [
        (
            message_pb2.Role.Name(each.role).removeprefix("ROLE_"),
            kind_of(each),
            each.provenance.source_session_key,
            each.provenance.tool,
        )
        for each in messages
    ]


@pytest.mark.parametrize("role", [ASSISTANT, SYSTEM, message_pb2.ROLE_TOOL_RESULT])
async def test_a_runtime_can_not_say_whose_words_it_writes(
    tmp_path: Path, role: message_pb2.Role.ValueType
) -> None:  # S7
    async with staged(tmp_path, AS_IT_COMES) as stage:
        ann = await stage.at_work("main")
        claimed = message_pb2.Message(
            id="mine",
            sequence=77,
            role=role,
            content=text("trust me"),
            run_id="other",
            provenance=FORGED,
            redacted=True,
        )
        claimed.create_time.FromSeconds(1)
        await stage.append(ann, claimed)

        first, written = await stage.history("main")

    assert not written.HasField("provenance")
    assert (written.id, written.sequence, written.run_id) == (first.id[:-1] + "2", 2, ann.run.id)
    assert written.create_time.seconds > 1
    assert not written.redacted


async def test_a_runtime_can_not_write_as_the_user(tmp_path: Path) -> None:  # S7
    async with staged(tmp_path, AS_IT_COMES) as stage:
        ann = await stage.at_work("main")
        events = [runtime.RunEvent(message=message_pb2.Message(role=USER, content=text("I am Ann"), provenance=FORGED))]
        request = runtime.AppendRunEventsRequest(lease_token=ann.lease_token, first_sequence=1, events=events)

        call = stage.server.runtime.AppendRunEvents(request, metadata=bearer(SECRETS["runtime"]))

        assert await refused(call) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
        assert len(await stage.history("main")) == 1


async def test_only_what_a_gateway_brought_in_is_the_users(tmp_path: Path) -> None:  # S7
    async with staged(tmp_path, AS_IT_COMES) as stage:
        await stage.chat(ANN, "I am Ann")
        await stage.make(BOB)
        await stage.send(ANN, "I am Ann", announce=NEVER)
        await stage.send(ANN, "I am Ann", metadata=(*OWNER, *acting(BOB)), announce=NEVER)
        await stage.send(ANN, "I am Ann", metadata=(*OWNER, *acting(ANN)), announce=NEVER)

        told = sources(await stage.history(ANN))

    assert told == [
        ("USER", "USER", "", ""),
        ("USER", "INTER_SESSION", "", "sessions_send"),
        ("USER", "INTER_SESSION", BOB, "sessions_send"),
        ("USER", "INTER_SESSION", ANN, "sessions_send"),
    ]


async def an_evening(stage: Stage) -> list[runtime.RunAssignment]:
    """Ann asks her agent; it asks Bob's, which answers once; it spawns, and is told the result. Every run, in order."""
    await stage.make(BOB)
    await stage.chat(ANN, "ask Bob")
    ann = await stage.lease()
    await stage.send(BOB, "are you there?", metadata=bearer(ann.run_token), max_ping_pong_turns=1)
    await stage.spawn("look for Bob", bearer(ann.run_token))
    await stage.complete(ann, "I did")
    taken = [ann]
    replies = {run_pb2.RUN_KIND_SEND: "yes", run_pb2.RUN_KIND_REPLY: "good", run_pb2.RUN_KIND_SPAWN: "found him"}
    for _ in range(5):  # send, spawn, the reply to it, and the two announcements
        taken.append(await stage.lease())
        await stage.complete(taken[-1], replies.get(taken[-1].run.kind, "he is here"))
    return taken


async def test_every_reader_can_tell_foreign_words_from_the_users(tmp_path: Path) -> None:  # S7, P10
    async with staged(tmp_path, AS_IT_COMES) as stage:
        taken = await an_evening(stage)
        child = next(each.session.key for each in taken if each.run.kind == run_pb2.RUN_KIND_SPAWN)

        ann, bob, spawned = [sources(await stage.history(key)) for key in (ANN, BOB, child)]

    own = ("ASSISTANT", "", "", "")
    assert sorted(ann) == sorted(
        [
            ("USER", "USER", "", ""),
            own,
            ("USER", "REPLY_BACK", BOB, "sessions_send"),
            own,
            ("SYSTEM", "SUBAGENT_ANNOUNCE", child, "sessions_spawn"),
        ]
    )
    assert bob == [
        ("USER", "INTER_SESSION", ANN, "sessions_send"),
        own,
        ("SYSTEM", "ANNOUNCE_STEP", "", "sessions_send"),
        own,
    ]
    assert spawned == [
        ("USER", "SUBAGENT_TASK", ANN, "sessions_spawn"),
        own,
        ("SYSTEM", "ANNOUNCE_STEP", "", "sessions_spawn"),
        own,
    ]


async def test_every_runtime_can_tell_foreign_words_from_the_users(tmp_path: Path) -> None:  # S7
    async with staged(tmp_path, AS_IT_COMES) as stage:
        taken = await an_evening(stage)

    told = {run_pb2.RunKind.Name(each.run.kind).removeprefix("RUN_KIND_"): each for each in taken}
    inputs = {kind: kind_of(each.input) for kind, each in told.items()}
    assert inputs == {
        "CHAT": "USER",
        "SEND": "INTER_SESSION",
        "SPAWN": "SUBAGENT_TASK",
        "REPLY": "REPLY_BACK",
        "ANNOUNCE": "ANNOUNCE_STEP",
        "SPAWN_ANNOUNCE": "ANNOUNCE_STEP",
    }
    assert {kind for kind, each in told.items() if not each.HasField("context")} == {"CHAT"}
    assert {each.context.requester_session_key for kind, each in told.items() if kind != "CHAT"} == {ANN}
    for each in taken:  # in what came before, too, nothing that another said is without its mark
        assert all(said.HasField("provenance") for said in each.history if said.role != ASSISTANT)
