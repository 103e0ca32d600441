"""Plain functions that wait on the event loop without holding it up.

A work is a function of a transaction, the same for each database; on PostgreSQL its statements wait for a network. Run
in a greenlet, it is put aside where it waits and taken up again when the answer comes, on the one thread there is: no
thread to start, no lock to wait for.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast

from greenlet import GreenletExit, getcurrent, greenlet

Result = TypeVar("Result")
# So many that have nothing to do are kept, each with some 20 KiB of memory.
MAX_IDLE = 64


class _Runner(greenlet):
    """Runs one call after the other.

    It is used again, because for each new one Python has the system map memory for its frames, and unmap it at its end,
    for which the other processors are interrupted: reads were a tenth slower for that on a virtual machine.
    """

    answer: asyncio.Future[Any]  # to the call that it runs


def _run_calls() -> None:
    """What a runner does. It holds no reference to itself, so that it is gone when nobody can go on with it."""
    while len(_idle.runners) < MAX_IDLE:
        _idle.runners.append(getcurrent())
        _run_call(*put_aside())
        del cast("_Runner", getcurrent()).answer  # it may have nothing to do for long


def _run_call(call: Callable[[], Result], answer: asyncio.Future[Result]) -> None:
    try:
        result = call()
    except GreenletExit:  # nobody will ever go on with it: its event loop is gone
        raise
    except BaseException as problem:  # noqa: BLE001 - handed to whoever awaits
        if not answer.done():
            answer.set_exception(problem)
    else:
        if not answer.done():
            answer.set_result(result)


class _Idle(threading.local):
    """Those that have nothing to do; none can leave the thread that it began in."""

    def __init__(self) -> None:
        self.runners: list[Any] = []


_idle = _Idle()


def start(call: Callable[[], Result], loop: asyncio.AbstractEventLoop) -> asyncio.Future[Result]:
    """Run the call until it first waits, and then on; it goes on to its end also when nobody awaits the answer.

    Only from the event loop: what is started by another such call would give way to that one, wherever it waits.
    """
    assert getcurrent().parent is None, "started where something is under way"  # noqa: S101 - a mistake in the code
    if not _idle.runners:
        _Runner(_run_calls).switch()  # it goes there by itself
    runner = _idle.runners.pop()
    answer: asyncio.Future[Result] = loop.create_future()
    runner.answer = answer
    runner.switch(call, answer)
    return answer


def is_awaited() -> bool:
    """Whether anybody still wants what runs here."""
    running = getcurrent()
    return not (isinstance(running, _Runner) and running.answer.cancelled())


def put_aside() -> Any:
    """Let the event loop go on until somebody there calls the `switch` of this greenlet; with what that was given."""
    hub = getcurrent().parent
    assert hub is not None, "only what was started here can be put aside"  # noqa: S101 - a mistake in the code
    return hub.switch()


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
