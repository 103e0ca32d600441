"""CompleteRun: a run ends once, with its reply on it, and whoever asks again gets the first answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from sessiond.model.errors import InvalidField, LeaseLost, MessageTooLarge
from sessiond.model.messages import Role, Usage
from sessiond.model.rules import Price
from sessiond.model.runs import Failure
from sessiond.runtime import complete_run
from sessiond.runtime.complete_run import Cancelled
from sessiond.stopping import stop_tree
from sessiond.store import runs
from sessiond.store.codec import decode
from sessiond.store.transaction import Tx
from sessiond.tools.sessions_history import HistoryQuery, sessions_history
from tests.making import OWNER, session_of
from tests.meeting import until_somebody_is_blocked
from tests.runtime.engine import Engine

pytest_plugins = ["tests.runtime.fixtures"]


async def spoken(engine: Engine) -> list[tuple[str, str]]:
    page = await sessions_history(engine.db, engine.rules, OWNER, HistoryQuery("main"))
    return [(decode(body).draft.role, decode(body).text) for body in page.messages]


async def test_a_reply_is_stored_on_the_run_and_in_the_transcript(engine: Engine) -> None:  # R1, R7
    taken = await engine.running(message="question")

    placed = await engine.complete(taken, "answer", usage=Usage(1, 2, 3))

    assert (placed.run.state, placed.run.reply, placed.run.usage) == ("succeeded", "answer", Usage(1, 2, 3))
    assert placed.run.end_ms == engine.clock.now_ms
    assert await spoken(engine) == [(Role.USER, "question"), (Role.ASSISTANT, "answer")]
    kinds = [each.WhichOneof("event") for each in await engine.events(placed.run.id)]
    assert kinds == ["state_changed", "state_changed", "message_appended", "state_changed"]


async def test_the_reply_is_what_the_run_said_and_not_the_latest_message(engine: Engine) -> None:  # R7
    first = await engine.running(message="one")
    await engine.queue(message="two")
    await engine.complete(first, "")
    await engine.complete(await engine.take(), "to two")

    assert (await engine.run(first.placed.run.id)).reply == ""
    assert [text for _, text in await spoken(engine)] == ["one", "two", "to two"]


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ("fine", ("succeeded", "runtime", "COMPLETED")),
        (Failure("MODEL_ERROR", "it broke"), ("failed", "runtime", "MODEL_ERROR")),
        (Cancelled(), ("cancelled", "runtime", "CANCELLED")),
    ],
)
async def test_every_transition_has_actor_reason_and_event(
    engine: Engine, outcome: Any, expected: tuple[str, str, str]
) -> None:  # R1
    taken = await engine.running()

    run = (await engine.complete(taken, outcome)).run

    assert (run.state, run.end_actor, run.end_reason) == expected
    assert await engine.transitions(run.id) == [("queued", "olivia", ""), ("running", "rt", ""), expected]


async def test_a_failure_tells_its_reason_and_leaves_no_message(engine: Engine) -> None:
    taken = await engine.running(message="question")

    run = (await engine.complete(taken, Failure("MODEL_ERROR", "it broke", is_retryable=True))).run

    assert (run.failure_reason, run.failure_message, run.failure_retryable) == ("MODEL_ERROR", "it broke", 1)
    assert run.reply is None
    assert await spoken(engine) == [(Role.USER, "question")]


@pytest.mark.parametrize("second", ["answer", "another", Failure("X"), Cancelled()])
async def test_a_repeat_gets_the_first_answer_whatever_it_brings(engine: Engine, second: Any) -> None:  # R1
    taken = await engine.running()
    first = await engine.complete(taken, "answer")
    before = await engine.rows()

    assert await engine.complete(taken, second) == first

    assert await engine.rows() == before


async def test_completed_by_twins_at_once_it_ends_once(engine: Engine) -> None:  # R1
    taken = await engine.running(message="question")

    answers = await asyncio.gather(*(engine.complete(taken, f"answer {number}") for number in range(8)))

    assert len({each.run.reply for each in answers}) == 1
    assert len(await spoken(engine)) == 2
    assert [state for state, _, _ in await engine.transitions(taken.placed.run.id)].count("succeeded") == 1


async def test_of_runs_that_end_together_each_has_its_own_end(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:  # R1, R2, R7
    together: list[int] = []
    complete = complete_run._complete

    def watched(tx: Tx, completing: Sequence[Any]) -> Any:
        together.append(len(completing))
        return complete(tx, completing)

    monkeypatch.setattr(complete_run, "_complete", watched)
    keys = [f"agent:main:{number}" for number in range(5)]
    await engine.sessions(*keys)
    taken = [await engine.running(key) for key in keys]
    behind = await engine.queue(keys[0], "the next")
    asked = [engine.complete(each, f"answer {number}") for number, each in enumerate(taken)]
    await engine.in_company()

    answers: list[Any] = await asyncio.gather(
        *asked, engine.complete(taken[0], "answer 0"), engine.complete("none.1.none"), return_exceptions=True
    )
    *ended, twin, nobody = answers

    assert together[0] == 7  # then the twin alone, since it may change what the first one changed
    assert [each.run.reply for each in ended] == [f"answer {number}" for number in range(5)]
    assert twin == ended[0]
    assert isinstance(nobody, LeaseLost)
    assert await engine.states(*(each.placed.run.id for each in taken)) == ["succeeded"] * 5
    assert (await engine.take()).placed.run.id == behind


async def test_completed_and_swept_at_once_it_ends_once(engine: Engine) -> None:  # R1, R4
    taken = await engine.running()
    engine.clock.advance(seconds=31)

    answers: list[Any] = await asyncio.gather(
        *(engine.sweep() for _ in range(3)), engine.complete(taken), engine.sweep(), return_exceptions=True
    )

    (run,) = [await engine.run(taken.placed.run.id)]
    assert isinstance(answers[3], LeaseLost) is (run.state == "failed")
    assert len(await engine.transitions(run.id)) == 3


@pytest.mark.parametrize("outcome", ["too late", Failure("X"), Cancelled()])
async def test_after_a_cancel_it_ends_as_cancelled_whatever_the_runtime_brings(
    engine: Engine, outcome: Any
) -> None:  # R6
    taken = await engine.running(message="question")
    await engine.cancel(taken.placed.run.id, reason="enough")

    run = (await engine.complete(taken, outcome)).run

    assert (run.state, run.end_actor, run.end_reason, run.reply) == ("cancelled", "olivia", "enough", None)
    assert await spoken(engine) == [(Role.USER, "question")]


async def test_a_cancel_that_was_answered_holds_against_a_completion_at_the_same_time(engine: Engine) -> None:  # R6
    taken = await engine.running()
    run_id = taken.placed.run.id

    def cancel(tx: Tx) -> None:
        run = runs.get(tx, run_id)
        assert run is not None
        assert list(stop_tree(tx, engine.rules, run, "olivia", "enough", with_children=True)) == [run_id]
        if tx.database == "postgresql":  # SQLite has one writer at a time, so there nothing can come in between
            until_somebody_is_blocked(tx)

    cancelling = asyncio.create_task(engine.db.write(cancel))
    completing = asyncio.create_task(engine.complete(taken, "too late"))
    await cancelling

    assert (await completing).run.state == "cancelled"


async def test_the_next_run_of_the_session_gets_its_turn_with_the_end(engine: Engine) -> None:  # R2
    first, second = await engine.running(), await engine.queue()

    await engine.complete(first, Failure("X"))

    assert (await engine.run(second)).is_ready == 1
    session = await session_of(engine.db, "agent:main:main")
    assert session is not None
    assert (session.active_run_id, session.active_run_state, session.unfinished_runs) == (second, "queued", 1)


@pytest.mark.parametrize(
    ("outcome", "field"),
    [
        (None, "outcome"),
        (Failure(" "), "failure.reason"),
        (Failure("X" * 257), "failure.reason"),
        (Failure("X", "half\0"), "failure"),
        ("half\0", "reply"),
    ],
)
async def test_an_outcome_is_checked_before_anything_ends(engine: Engine, outcome: Any, field: str) -> None:  # X1
    taken = await engine.running()

    with pytest.raises(InvalidField) as refused:
        await engine.complete(taken, outcome)

    assert [each.field for each in refused.value.fields] == [field]
    assert await engine.states(taken.placed.run.id) == ["running"]


async def test_a_reply_too_large_to_store_leaves_the_run_running(engine: Engine) -> None:  # H6
    taken = await engine.running()
    before = await engine.rows()

    for size in (1_048_576, 1_048_577, 2 * 1_048_576):
        with pytest.raises(MessageTooLarge):
            await engine.complete(taken, "x" * size)

    assert await engine.rows() == before
    assert (await engine.complete(taken, "shorter")).run.reply == "shorter"


async def test_usage_is_priced_where_the_model_has_a_price(engine: Engine) -> None:
    engine.rules = replace(engine.rules, prices={"": Price(2, 10)})
    taken = await engine.running()

    run = (await engine.complete(taken, usage=Usage(1_000_000, 100_000))).run

    assert (run.total_tokens, run.cost_usd) == (1_100_000, 3.0)
    session = await session_of(engine.db, "agent:main:main")
    assert session is not None
    assert session.total_tokens == 1_100_000
