"""SessionsSend: a message into another session, and the wait for its run (S1-S8, S14)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from sessiond.ids import new_id
from sessiond.model.callers import Caller
from sessiond.model.errors import FieldProblem, InvalidField
from sessiond.model.rules import Rules
from sessiond.store import runs
from sessiond.store.database import Database
from sessiond.store.run_events import end_topic
from sessiond.tools.sends import Sending, SendQuery, Sent, store_send
from sessiond.turns import require_text_size
from sessiond.waiting import DRAIN_TOPIC, NotedWait, Waits
from sessiond.wake import Listener

Shown = TypeVar("Shown")

DEFAULT_TIMEOUT_S = 30
MAX_TIMEOUT_S = 3600
MAX_TURNS = 5


async def sessions_send(
    db: Database, rules: Rules, waits: Waits, caller: Caller, query: SendQuery, shape: Callable[[Sent], Shown]
) -> Shown:
    """One transaction stores message, run and exchange; then the wait, which holds nothing.

    `shape` makes of it what is answered.
    """
    _check(rules, query)
    timeout_s = DEFAULT_TIMEOUT_S if query.timeout_s is None else query.timeout_s
    if not timeout_s:
        answer: Shown = await store_send(db, Sending(rules, caller, query, new_id(), new_id(), shape))
        return answer
    return shape(await _send_and_wait(db, rules, waits, caller, query, timeout_s))


async def _send_and_wait(
    db: Database, rules: Rules, waits: Waits, caller: Caller, query: SendQuery, timeout_s: float
) -> Sent:
    with waits.slot(caller):
        sending = Sending(rules, caller, query, new_id(), new_id(), as_sent, wait_id=new_id())
        # The answer must be on its way before the caller gives up, or it would not learn what is stored.
        until = asyncio.get_running_loop().time() + min(timeout_s, 0.8 * (query.deadline_s or timeout_s / 0.8))
        with waits.wake.listen(end_topic(sending.run_id), DRAIN_TOPIC) as ended:
            sent: Sent = await store_send(db, sending)
            async with NotedWait(db, (sending.wait_id,) if sent.view.run is not None else ()) as note:
                if sent.placed.run.id != sending.run_id:  # a repeated request has another run, which may be over
                    return await _waited_again(db, waits, sent, note, until)
                if not waits.is_draining:  # it was stored just now, so there is nothing to see yet
                    await ended.wait_at_most(min(until - asyncio.get_running_loop().time(), waits.look_every_s))
                return await _waited(db, waits, sent, note, until, ended)


def as_sent(sent: Sent) -> Sent:
    """For who has use for all of it."""
    return sent


def _check(rules: Rules, query: SendQuery) -> None:
    problems = []
    if query.session_key and query.label:
        problems.append(FieldProblem("label", "give session_key or label, not both"))
    if not (query.session_key or query.label or query.agent_id):
        problems.append(FieldProblem("session_key", "is required, or label, or agent_id alone"))
    if not query.message.strip():
        problems.append(FieldProblem("message", "is blank"))
    if (query.timeout_s or 0) > MAX_TIMEOUT_S:
        problems.append(FieldProblem("timeout_seconds", f"is more than {MAX_TIMEOUT_S}; wait again with WaitRun"))
    if (query.max_turns or 0) > MAX_TURNS:
        problems.append(FieldProblem("max_ping_pong_turns", f"is more than {MAX_TURNS}"))
    if problems:
        raise InvalidField(*problems)
    require_text_size(rules, "message", query.message)


async def _waited_again(db: Database, waits: Waits, sent: Sent, note: NotedWait, until: float) -> Sent:
    with waits.wake.listen(end_topic(sent.placed.run.id), DRAIN_TOPIC) as ended:
        return await _waited(db, waits, sent, note, until, ended)


async def _waited(db: Database, waits: Waits, sent: Sent, note: NotedWait, until: float, ended: Listener) -> Sent:
    """The run once it is final, or as it is when the time is over or the server drains."""
    loop = asyncio.get_running_loop()
    while True:
        ended.clear()
        placed = ended.news or await db.glance_together(runs.find_all, sent.placed.run.id) or sent.placed
        left = until - loop.time()
        if placed.run.is_final or left <= 0 or waits.is_draining:
            return sent._replace(placed=placed, waited=True)
        await note.renew()
        await ended.wait_at_most(min(left, waits.look_every_s))
