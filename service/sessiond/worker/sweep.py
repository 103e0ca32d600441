"""What time does to rows: overdue leases, unanswered deliveries, archives and old records.

Small batches, each in its own transaction, each safe beside the same sweep of other replicas: rows are locked and
looked at again before anything is changed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from sessiond.egress import end, moved
from sessiond.exchange_steps import end_run, hold
from sessiond.model.deliveries import DeliveryState
from sessiond.model.errors import StoreUnavailable
from sessiond.model.rules import Rules
from sessiond.model.runs import SERVER, Run, RunState, cancelled, runtime_lost, timed_out
from sessiond.model.sessions import Session
from sessiond.store import deliveries, retention, run_leases, run_queue, sessions, signing_keys, waits
from sessiond.store.database import Database
from sessiond.store.transaction import Tx

log = logging.getLogger("sessiond.sweep")

BATCH = 50
OFTEN_S = 0.5
SELDOM_S = 20.0
# Within this time every replica signs with a new key.
KEY_NEWS_MS = 10 * 60 * 1000

Sweep = Callable[[Tx, Rules], int]


async def sweep_for_ever(db: Database, rules: Rules) -> None:
    """Sweep often what people wait for, and seldom what only takes up room."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_repeat(db, rules, OFTEN, OFTEN_S))
        tasks.create_task(_repeat(db, rules, SELDOM, SELDOM_S))


async def _repeat(db: Database, rules: Rules, sweeps: tuple[Sweep, ...], every_s: float) -> None:
    while True:
        try:
            for each in sweeps:
                await sweep_once(db, rules, each)
        except StoreUnavailable:
            log.warning("the store is away; swept again when it is back")
            # Runtimes could not renew their leases in the meantime either: they get the time to.
            await asyncio.sleep(rules.runs.lease_ms / 1000)
        await asyncio.sleep(every_s)


async def sweep_once(db: Database, rules: Rules, sweep: Sweep) -> int:
    """Batch after batch until one is not full; tells how many rows were dealt with."""
    total = 0
    while True:
        done = await db.write(lambda tx: sweep(tx, rules))
        total += done
        if done < BATCH:
            return total


def overdue_runs(tx: Tx, rules: Rules) -> int:
    """Leased runs whose lease, timeout or grace is over (R4-R6)."""
    found = run_leases.due(tx, BATCH)
    for run in found:
        _end_overdue(tx, rules, run)
    return len(found)


def _end_overdue(tx: Tx, rules: Rules, found: Run) -> None:
    held = hold(tx, found.id)
    if held is None:
        return
    run = held.run
    if run.is_final or run.fence != found.fence or run.due_ms is None or run.due_ms > tx.now_ms:
        return  # somebody was faster: it was renewed, ended, or swept by another replica
    if run.state == RunState.CANCELLING:
        end_run(tx, rules, held, cancelled(run.cancel_actor, run.cancel_reason))
    elif run.timeout_ms and (run.start_ms or 0) + run.timeout_ms <= tx.now_ms:
        end_run(tx, rules, held, timed_out(run.timeout_ms))
    elif _may_try_again(rules, run):
        run_queue.release(tx, run, SERVER, "RUNTIME_LOST", uses_attempt=True)
    else:
        end_run(tx, rules, held, runtime_lost())


def _may_try_again(rules: Rules, run: Run) -> bool:
    agent = rules.roster.agents.get(run.agent_id)
    return agent is not None and agent.requeue_on_loss and run.attempt < agent.max_attempts


def unanswered_deliveries(tx: Tx, rules: Rules) -> int:
    """Leased deliveries whose gateway vanished: it may have sent them, so they are offered again as such (D3)."""
    found = deliveries.unanswered(tx, BATCH)
    for each in found:
        values = {"state": DeliveryState.UNCONFIRMED.value, "possibly_delivered": 1, "next_attempt_ms": tx.now_ms}
        failure = "the gateway did not answer before its lease ended"
        moved(tx, deliveries.change(tx, each, lease_expires_ms=None, last_failure=failure, **values))
    return len(found)


def given_up_deliveries(tx: Tx, rules: Rules) -> int:
    """Open deliveries that have been tried for long enough (D2)."""
    found = deliveries.given_up(tx, BATCH)
    for each in found:
        end(tx, each, DeliveryState.DEAD)
    return len(found)


def idle_subagents(tx: Tx, rules: Rules) -> int:
    """Sub-agents whose last run ended long enough ago are archived; nothing unfinished is touched (P11)."""
    if not rules.subagents.archive_after_ms:
        return 0
    found = retention.idle_subagents(tx, tx.now_ms - rules.subagents.archive_after_ms, BATCH)
    for session in found:
        sessions.archive(tx, session)
    return len(found)


def deleted_children(tx: Tx, rules: Rules) -> int:
    """Children that were to be deleted after their announce, and archives past their time: removed bit by bit."""
    found = [*retention.children_to_delete(tx, 1), *_past_their_time(tx, rules)]
    for session in found[:1]:
        sessions.archive(tx, session)  # nobody finds it in a list half removed
        retention.purge_some(tx, session, BATCH)
    return BATCH if found else 0  # full, because another may wait behind this one


def _past_their_time(tx: Tx, rules: Rules) -> list[Session]:
    return retention.archived_before(tx, tx.now_ms - rules.purge_after_ms, 1) if rules.purge_after_ms else []


def old_records(tx: Tx, rules: Rules) -> int:
    """Request ids and traces past their time, and waits that nobody renewed."""
    before = tx.now_ms - rules.request_id_ms
    return max(
        retention.forget_request_ids(tx, before, BATCH),
        retention.forget_traces(tx, before, BATCH),
        waits.sweep(tx, BATCH),
    )


def old_signing_keys(tx: Tx, rules: Rules) -> int:
    """Keys that no living run token can be signed with, nor one of a replica that has yet to hear of the new key."""
    return signing_keys.forget(tx, tx.now_ms - rules.run_token_ms - KEY_NEWS_MS)


# What people wait for, and what only takes up room.
OFTEN: tuple[Sweep, ...] = (overdue_runs, unanswered_deliveries, given_up_deliveries, deleted_children)
SELDOM: tuple[Sweep, ...] = (idle_subagents, old_records, old_signing_keys)
