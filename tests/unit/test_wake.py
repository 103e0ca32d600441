"""Hints: none is lost between listening and waiting, and who has gone leaves nothing behind (W7)."""

from __future__ import annotations

import asyncio

from sessiond.wake import Wake

LONG_S = 30


async def test_a_hint_wakes_those_who_listen_to_its_topic() -> None:
    wake = Wake()
    with wake.listen("a", "drain") as one, wake.listen("b", "drain") as other:
        first, second = (asyncio.create_task(each.wait_at_most(LONG_S)) for each in (one, other))
        await asyncio.sleep(0)  # they wait

        wake.hint("a")
        assert await first
        assert not second.done()
        wake.hint("drain")
        assert await second


async def test_a_hint_before_the_wait_is_kept_until_it_is_cleared() -> None:
    wake = Wake()
    with wake.listen("a") as listener:
        wake.hint("a", "a")

        assert await listener.wait_at_most(LONG_S)
        assert await listener.wait_at_most(LONG_S)
        listener.clear()
        assert not await listener.wait_at_most(0)


async def test_without_a_hint_the_wait_ends_in_time() -> None:
    with Wake().listen("a") as listener:
        assert not await listener.wait_at_most(0.01)
        assert not await listener.wait_at_most(-1)


async def test_a_hint_and_the_end_of_the_time_may_come_together() -> None:
    wake = Wake()
    with wake.listen("a") as listener:
        waiting = asyncio.create_task(listener.wait_at_most(0))
        await asyncio.sleep(0)

        wake.hint("a")
        wake.hint("a")

        assert await waiting


async def test_who_is_cancelled_can_listen_again() -> None:
    wake = Wake()
    with wake.listen("a") as listener:
        waiting = asyncio.create_task(listener.wait_at_most(LONG_S))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()

        wake.hint("a")

        assert await listener.wait_at_most(LONG_S)


async def test_after_a_gap_everybody_is_hinted_but_those_who_have_gone() -> None:
    wake = Wake()
    with wake.listen("a") as gone:
        pass
    with wake.listen("b") as listener:
        wake.hint_all()

        assert listener.is_hinted
        assert not gone.is_hinted


async def test_news_stay_until_newer_come() -> None:
    wake = Wake()
    with wake.listen("a", "b") as listener:
        wake.publish({"a": "news"})
        wake.hint("a", "b")
        listener.clear()

        assert listener.news == "news"
        wake.publish({"b": "newer"})
        assert listener.news == "newer"
