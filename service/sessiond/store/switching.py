"""Plain functions that wait on the event loop without holding it up.

A work is a function of a transaction, the same for each database; on PostgreSQL its statements wait for a network. Run
in a greenlet, it is put aside where it waits and taken up again when the answer comes, on the one thread there is: no
thread to start, no lock to wait for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from greenlet import getcurrent, greenlet

Result = TypeVar("Result")


class _Running(greenlet):
    """A call under way, and whom it is for."""

    answer: asyncio.Future[Any]


def start(call: Callable[[], Result], loop: asyncio.AbstractEventLoop) -> asyncio.Future[Result]:
    """Run the call until it first waits, and then on; it goes on to its end also when nobody awaits the answer.

    Only from the event loop: what is started by another such call would give way to that one, wherever it waits.
    """
    assert getcurrent().parent is None, "started where something is under way"  # noqa: S101 - a mistake in the code
    answer: asyncio.Future[Result] = loop.create_future()

    def run() -> None:
        try:
            result = call()
        except BaseException as problem:  # noqa: BLE001 - handed to whoever awaits
            if not answer.done():
                answer.set_exception(problem)
        else:
            if not answer.done():
                answer.set_result(result)

    running = _Running(run)
    running.answer = answer
    running.switch()
    return answer


def is_awaited() -> bool:
    """Whether anybody still wants what runs here."""
    running = getcurrent()
    return not (isinstance(running, _Running) and running.answer.cancelled())


def put_aside() -> Any:
    """Let the event loop go on until somebody there calls the `switch` of this greenlet; with what that was given."""
    hub = getcurrent().parent
    assert hub is not None, "only what was started here can be put aside"  # noqa: S101 - a mistake in the code
    return hub.switch()


def let_others(loop: asyncio.AbstractEventLoop) -> None:
    """Go on in the next turn of the event loop."""
    loop.call_soon(getcurrent().switch)
    put_aside()


def wait_for(coroutine: Coroutine[Any, Any, Result], loop: asyncio.AbstractEventLoop) -> Result:
    """The result of something asynchronous."""
    task, here = loop.create_task(coroutine), getcurrent()
    task.add_done_callback(lambda _: here.switch())
    put_aside()
    return task.result()


def pause(seconds: float, loop: asyncio.AbstractEventLoop) -> None:
    """Wait for so long."""
    loop.call_later(seconds, getcurrent().switch)
    put_aside()
