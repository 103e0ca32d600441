"""A wait for a run that resumes by itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from math import inf

import grpc

from sessiontools.calls import Stream
from sessiontools.errors import SessionToolsError, deadline_passed, is_temporary
from sessiontools.pauses import Clock, Pauses
from sessiontools.v1 import run_pb2
from sessiontools.v1.session_tools_service_pb2 import WaitRunRequest, WaitRunResponse

# The others are the stream's age, a drain, a deadline, or what a later server may have.
LAST = frozenset({run_pb2.END_REASON_RUN_TERMINAL, run_pb2.END_REASON_SETTLED, run_pb2.END_REASON_MAX_WAIT})


class Waiting:
    """One call of `wait_run`, over as many streams as it takes."""

    def __init__(
        self,
        stream: Stream[WaitRunRequest, WaitRunResponse],
        request: WaitRunRequest,
        clock: Clock,
        timeout: float | None = None,
    ) -> None:
        self._stream = stream
        self._request = WaitRunRequest()  # of the next stream; the caller's stays as it is
        self._request.CopyFrom(request)
        self._clock = clock
        self._pauses = Pauses(clock)
        self._deadline = inf if timeout is None else clock.now() + timeout
        self._has_begun = False

    async def events(self) -> AsyncGenerator[WaitRunResponse, None]:
        """What the caller sees."""
        max_wait_ends = self._clock.now() + self._request.max_wait_seconds
        while True:
            try:
                async with aclosing(self._stream(self._request, timeout=self._time_left())) as messages:
                    async for message in messages:
                        if self._is_shown(message):
                            yield message
                        if is_last(message):
                            return
                        if message.HasField("ended"):
                            break
                cut = SessionToolsError(grpc.StatusCode.UNAVAILABLE, "the stream ended before the wait was over")
            except SessionToolsError as problem:
                cut = problem
            await self._resume_after(cut)
            self._shorten_max_wait(max_wait_ends)

    def _is_shown(self, message: WaitRunResponse) -> bool:
        self._request.cursor = message.cursor
        match message.WhichOneof("event"):
            case "snapshot":
                is_first, self._has_begun = not self._has_begun, True
                return is_first
            case "ended":
                return is_last(message)
            case _:  # news, which a server that fails again and again has not
                self._pauses.reset()
                return True

    async def _resume_after(self, cut: SessionToolsError) -> None:
        """Return when it is time for the next stream; raise when there is to be none."""
        left = self._deadline - self._clock.now()
        if left > 0:
            if not is_temporary(cut):
                raise cut
            await self._pauses.after(cut, at_most=left)
        if self._clock.now() >= self._deadline:
            raise deadline_passed() from cut

    def _time_left(self) -> float | None:
        return None if self._deadline == inf else self._deadline - self._clock.now()

    def _shorten_max_wait(self, ends: float) -> None:
        """Take off what the streams before have used. At 0 the server tells what there is and ends."""
        if self._request.HasField("max_wait_seconds"):
            self._request.max_wait_seconds = max(round(ends - self._clock.now()), 0)


def is_last(message: WaitRunResponse) -> bool:
    """Whether the wait is over with it, and not only its stream."""
    return message.HasField("ended") and message.ended.reason in LAST
