"""The event loop that stays awake for an answer of PostgreSQL's."""

from __future__ import annotations

import asyncio
import selectors
import socket

import pytest
import sqlalchemy as sa

from sessiond.store.attention import Attention, AttentiveLoop, AttentiveSelector, attention_of
from sessiond.store.opening import open_database
from tests.making import make_session, session_of
from tests.postgres import empty

MOST_S = 1.0


class Clock:
    """Stands still until somebody moves it."""

    def __init__(self) -> None:
        self.now_s = 10.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def attention(clock: Clock) -> Attention:
    """Of a loop in which one work waits for an answer."""
    made = Attention(clock)
    made.most_s = MOST_S
    made.begin(1)
    made.asked()
    return made


def test_one_work_that_waits_is_something_to_stay_awake_for(attention: Attention, clock: Clock) -> None:
    assert attention.until > clock()


def test_there_is_nothing_to_stay_awake_for_once_the_answer_is_there(attention: Attention) -> None:
    attention.answered()

    assert attention.until == 0


def test_among_several_works_nobody_stays_awake(attention: Attention) -> None:
    attention.begin(1)
    assert attention.until == 0

    attention.end(1)
    assert attention.until > 0


def test_a_batch_for_several_callers_is_several_works(clock: Clock) -> None:
    attention = Attention(clock)
    attention.most_s = MOST_S
    attention.begin(16)
    attention.asked()

    assert attention.until == 0


def test_when_answers_take_longer_nobody_stays_awake_until_they_are_quick_again(
    attention: Attention, clock: Clock
) -> None:
    def answer_after(seconds: float) -> None:
        attention.asked()
        clock.now_s += seconds
        attention.answered()

    for _ in range(20):
        answer_after(2 * MOST_S)
    attention.asked()
    assert attention.until == 0

    for _ in range(20):
        answer_after(MOST_S / 10)
    attention.asked()
    assert attention.until > 0


@pytest.mark.parametrize(
    ("timeout", "looks"), [(None, 8), (3 * MOST_S, 8), (MOST_S / 2, 4), (0, 0)], ids=["none", "long", "short", "zero"]
)
def test_the_selector_looks_until_the_time_is_over_and_sleeps_for_the_rest_of_it(
    attention: Attention, clock: Clock, monkeypatch: pytest.MonkeyPatch, timeout: float | None, looks: int
) -> None:
    slept: list[float | None] = []

    def look(self: object, timeout: float | None = None) -> list[object]:
        slept.append(timeout)
        clock.now_s += MOST_S / 8
        return []

    monkeypatch.setattr(selectors.DefaultSelector, "select", look)
    with AttentiveSelector(attention) as selector:
        selector.select(timeout)

    rest = None if timeout is None else timeout - looks * MOST_S / 8
    assert slept == [*[0] * looks, rest]


@pytest.mark.parametrize("timeout", [None, 0, 5])
def test_what_is_ready_is_told_at_once(attention: Attention, timeout: float | None) -> None:
    here, there = socket.socketpair()
    with here, there, AttentiveSelector(attention) as selector:
        selector.register(here, 1, "data")
        there.send(b"x")

        ((key, _),) = selector.select(timeout)

    assert key.data == "data"


async def test_a_loop_of_another_kind_has_no_attention() -> None:
    assert attention_of(asyncio.get_running_loop(), MOST_S) is not attention_of(asyncio.get_running_loop(), MOST_S)


@pytest.mark.parametrize(("processors", "most_s"), [(1, 0), (2, MOST_S)])
def test_a_single_processor_is_left_to_postgresql(
    processors: int, most_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(processors)))
    loop = AttentiveLoop()
    try:
        assert attention_of(loop, MOST_S).most_s == most_s
        assert attention_of(loop, MOST_S) is loop.attention
    finally:
        loop.close()


def test_a_store_on_such_a_loop_answers_whoever_asks_alone_or_among_others(postgres: sa.Engine) -> None:
    empty(postgres)
    url = postgres.url.render_as_string(hide_password=False)

    async def use(loop: AttentiveLoop) -> None:
        db = await open_database(url, on_commit=lambda topics: None, busy_wait_s=0.001)
        await make_session(db)
        keys = [f"agent:main:{number}" for number in range(10)]
        await asyncio.gather(*(make_session(db, key) for key in keys))

        assert await session_of(db, "agent:main:main") is not None
        assert all(await asyncio.gather(*(session_of(db, key) for key in keys)))
        assert loop.attention.until == 0
        await db.close()

    with asyncio.Runner(loop_factory=AttentiveLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, AttentiveLoop)
        runner.run(use(loop))
