"""The checker of stores finds what it is there to find."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from pathlib import Path

from sessiontools.v1 import gateway_service_pb2 as gateway_pb
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.system.checker import check_store, problems_of
from tests.system.client import Client
from tests.system.house import read_house
from tests.system.server_process import serving

A, B, BUSY = "agent:main:a", "agent:main:b", "agent:main:busy"
TEST_S = 60
TURNS = "@reply\nreply two\n@reply\nreply three\n@reply\nskip"
# By what went wrong: the rows as a bug would leave them.
BREACHES = {
    "a message is lost": "DELETE FROM messages WHERE role = 'assistant'",
    "an input is lost": "DELETE FROM messages WHERE place IN (SELECT input_place FROM runs)",
    "a message is counted twice": "UPDATE sessions SET last_sequence = last_sequence + 1",
    "a tool result is not counted": "UPDATE sessions SET tool_results = 0",
    "a run is lost": "DELETE FROM runs WHERE kind = 'chat'",
    "the first run of an exchange is lost": "DELETE FROM runs WHERE kind = 'send' AND state = 'succeeded'",
    "a run is counted twice": "UPDATE sessions SET unfinished_runs = unfinished_runs + 1",
    "a run is not counted on its trace": "UPDATE traces SET runs = runs - 1",
    "a session forgot its head": "UPDATE sessions SET active_run_id = '', active_run_state = NULL",
    "two runs of a session may start": "UPDATE runs SET is_ready = 1 WHERE state = 'queued'",
    "nobody may start the next run": "UPDATE runs SET state = 'queued', due_ms = NULL WHERE state = 'running'",
    "a run started out of turn": "UPDATE runs SET start_ms = 1 WHERE state = 'queued'",
    "runs changed places": "UPDATE runs SET run_order = 1000 - run_order",
    "a state change is lost": "DELETE FROM run_events WHERE kind = 'state' AND sequence = 2",
    "the last event is lost": "UPDATE runs SET event_count = event_count + 1",
    "a run ended without a word": "UPDATE runs SET state = 'failed', end_ms = 1, due_ms = NULL WHERE state = 'running'",
    "a run ended twice": "UPDATE run_events SET body = (SELECT body FROM run_events AS last WHERE kind = 'state'"
    " AND last.run_id = run_events.run_id ORDER BY sequence DESC LIMIT 1) WHERE kind = 'state' AND sequence = 2",
    "an event after the end": "UPDATE run_events SET kind = 'delta' WHERE kind = 'turn'",
    "a running run that nobody looks after": "UPDATE runs SET due_ms = NULL",
    "a reply that nobody wrote": "UPDATE runs SET reply = reply || '!'",
    "a failed run with a reply": "UPDATE runs SET reply = 'hm' WHERE state = 'failed'",
    "a message told twice": "UPDATE run_events SET message_place = (SELECT max(message_place) FROM run_events AS other"
    " WHERE other.run_id = run_events.run_id) WHERE kind = 'message'",
    "an exchange without an end": "UPDATE exchanges SET state = 'open', settled_ms = NULL",
    "an exchange that ended too early": "UPDATE exchanges SET state = 'settled', settled_ms = 1",
    "an exchange that ended at no time": "UPDATE exchanges SET settled_ms = NULL",
    "a turn taken twice": "UPDATE runs SET turn = 1 WHERE kind = 'reply'",
    "two announcements": "UPDATE runs SET kind = 'announce' WHERE kind = 'reply'",
    "a delivery is lost": "DELETE FROM deliveries",
    "a delivery without a time": "UPDATE deliveries SET end_ms = NULL",
    "a delivery that nobody was told of": "UPDATE deliveries SET state = 'dead', end_ms = 1",
    "a delivery that nobody owed": "UPDATE runs SET deliver = 0",
}


async def test_every_breach_of_what_must_hold_is_found(tmp_path: Path) -> None:
    file = tmp_path / "right.db"
    await _fill(tmp_path, file)
    check_store(f"sqlite:///{file}")

    missed = [name for name, damage in BREACHES.items() if not _is_found(file, damage)]

    assert not missed


async def _fill(folder: Path, file: Path) -> None:
    """A store with something of everything: chats, turns, announcements, deliveries, tools, a failure, a queue."""
    async with asyncio.timeout(TEST_S), serving(folder, f"sqlite:///{file}") as server, server.channel() as channel:
        client = Client(channel)
        await client.make_sessions(A, B, BUSY)
        talk = (
            "#!\ndelta so\ntool look {} -> nothing new\nreply one\n@reply\nreply two\n@reply\nreply three\n@reply\nskip"
        )
        settled = {"announce": pb.ANNOUNCE_POLICY_MODEL_MAY_SKIP, "max_ping_pong_turns": 5}
        over = [
            (await client.gateway.ChatSend(gateway_pb.ChatSendRequest(session_key=A, text="hello"))).run_id,
            (await client.send(B, talk, acting=A, **settled)).run_id,
            (await client.send(A, "#!\nfail BROKEN on purpose")).run_id,
        ]
        for run_id in over:
            await client.settled(run_id)
        hanging = await client.send(BUSY, "#!\ndelta so\nhang")
        await client.send(BUSY, "and I?")
        await client.has_begun(hanging.run_id)
        await server.kill()


def _is_found(file: Path, damage: str) -> bool:
    damaged = Path(shutil.copy(file, file.with_name("damaged.db")))
    connection = sqlite3.connect(damaged)
    changed = connection.execute(damage).rowcount
    connection.commit()
    connection.close()
    assert changed, f"nothing to damage: {damage}"
    return bool(problems_of(read_house(f"sqlite:///{damaged}")))
