"""Functions that wait on the event loop: what runs them is used again, and keeps nothing of what it ran."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref

import pytest
from greenlet import getcurrent, greenlet

from sessiond.store import switching
from sessiond.store.switching import pause, put_aside, start


@pytest.fixture(autouse=True)
def nobody_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switching, "_idle", switching._Idle())


class Something:
    """What a call may hold on to."""


async def test_what_ran_one_call_runs_the_next() -> None:
    loop = asyncio.get_running_loop()

    first, second = await start(getcurrent, loop), await start(getcurrent, loop)

    assert first is second


async def test_calls_that_wait_at_the_same_time_are_run_apart() -> None:
    loop = asyncio.get_running_loop()

    def wait() -> greenlet:
        pause(0, loop)
        return getcurrent()

    first, second = await asyncio.gather(start(wait, loop), start(wait, loop))

    assert first is not second


async def test_a_call_that_fails_is_told_and_the_next_one_is_run_all_the_same() -> None:
    loop = asyncio.get_running_loop()
    with pytest.raises(ZeroDivisionError):
        await start(lambda: 1 // 0, loop)

    assert await start(lambda: "well", loop) == "well"


async def test_a_call_goes_on_to_its_end_when_nobody_awaits_it_any_more() -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def wait() -> None:
        pause(0, loop)
        ended.set()

    start(wait, loop).cancel()

    await ended.wait()
    assert await start(lambda: "well", loop) == "well"


async def test_nothing_of_a_call_is_kept() -> None:
    something = Something()
    seen = weakref.ref(something)

    await start(lambda held=something: None, asyncio.get_running_loop())  # type: ignore[misc]
    del something
    gc.collect()

    assert seen() is None


async def test_only_so_many_are_kept_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switching, "MAX_IDLE", 2)
    loop = asyncio.get_running_loop()

    await asyncio.gather(*(start(lambda: pause(0, loop), loop) for _ in range(5)))

    assert len(switching._idle.runners) == 2


async def test_what_nobody_can_ever_go_on_with_is_given_up_and_never_used_again() -> None:
    ended: list[str] = []

    def wait() -> None:
        try:
            put_aside()  # and nobody knows of it, as when its event loop is gone
        finally:
            ended.append("given up")

    start(wait, asyncio.get_running_loop())

    assert ended == ["given up"]
    assert switching._idle.runners == []


async def test_each_thread_has_its_own() -> None:
    here = await start(getcurrent, asyncio.get_running_loop())
    elsewhere: list[greenlet] = []

    async def run() -> None:
        elsewhere.append(await start(getcurrent, asyncio.get_running_loop()))

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    await asyncio.to_thread(thread.join)

    assert elsewhere != [here]
