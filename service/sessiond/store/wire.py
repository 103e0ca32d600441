"""One connection to PostgreSQL, spoken to in pipeline mode from the event loop, through psycopg's libpq.

What is asked is sent together with the next question whose answer somebody waits for, but for a work that is alone;
answers come in the order of the questions. psycopg's own cursors do the same for about ten times as much Python, and
are made for a thread each.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

import psycopg
from greenlet import getcurrent, greenlet
from psycopg import pq
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result

from sessiond.store.attention import Attention
from sessiond.store.switching import put_aside
from sessiond.store.transaction import Later, Row

# Since this version of PostgreSQL a transaction has a time limit of its own.
LIMITS_TRANSACTIONS = 170_000
_TRANSACTION_TIMEOUT = "25P04"
_SAID_NO = (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.PIPELINE_ABORTED)


class TookTooLong(psycopg.OperationalError):
    """The server hung up because the transaction was not over in time."""


class Answer:
    """To one question, once it is there."""

    __slots__ = ("asker", "is_end", "prepares", "result")

    def __init__(self, asker: PipelinedCursor | None = None, prepares: str = "", is_end: bool = False) -> None:
        self.asker = asker
        self.prepares = prepares
        self.is_end = is_end  # of what was sent together
        self.result: Any = None


class Wire:
    """A connection. Whoever has it is the only one to ask; one greenlet may wait for an answer."""

    def __init__(self, connection: psycopg.AsyncConnection[Any], attention: Attention) -> None:
        self._connection = connection  # keeps the socket open
        self._attention = attention
        self._pgconn = connection.pgconn
        self._loop = asyncio.get_running_loop()
        self._socket = self._pgconn.socket
        self._transformer = Transformer.from_context(connection)
        self._prepared: dict[str, bytes] = {}
        self._numbers = count()
        self._expected: deque[Answer] = deque()
        self._awaited: Answer | None = None
        self._waiter: greenlet | None = None
        self._is_asked = False  # something that is not sent yet
        self._is_writing = False
        # The server takes us for idle, and our locks in time, only after a Sync: what is sent without one needs another
        # limit.
        self._may_send_early = self._pgconn.server_version >= LIMITS_TRANSACTIONS
        self.lost: psycopg.Error | None = None
        self._pgconn.nonblocking = 1
        self._pgconn.enter_pipeline_mode()
        self._loop.add_reader(self._socket, self._hear)

    def ask(self, sql: str, params: Sequence[Any], asker: PipelinedCursor | None = None) -> Answer:
        """Put a statement on the pile; sent when somebody waits, or at once when nobody else asks anything."""
        values = _dumped(params)
        self._require()
        try:
            name = self._prepared.get(sql) or self._prepare(sql, asker)
            self._pgconn.send_query_prepared(name, values, result_format=pq.Format.BINARY)
        except psycopg.OperationalError as problem:
            self._lose(problem)
            raise
        self._is_asked = True
        if self._may_send_early and self._attention.is_alone:
            self._send()  # PostgreSQL has begun with it by the time the next one is made
        return self._expect(Answer(asker))

    def sync(self) -> Answer:
        """Send what was asked so far. After a mistake in it, the server listens again from here.

        A mere flush would do for the answers. But the server takes us for idle, with a transaction open or not, only
        after this; and what is idle for too long must lose its locks.
        """
        self._require()
        try:
            self._pgconn.pipeline_sync()
        except psycopg.OperationalError as problem:
            self._lose(problem)
            raise
        self._is_asked = False
        ended = self._expect(Answer(is_end=True))
        self._send()
        return ended

    def send_soon(self) -> None:
        """Send what is on the pile in a moment, unless somebody else has something to ask before."""
        self._loop.call_soon(self.send_rest)

    def _send(self) -> None:
        """What the socket does not take now follows when it does."""
        try:
            is_rest = bool(self._pgconn.flush())
        except psycopg.OperationalError as problem:
            self._lose(problem)
            return
        if is_rest != self._is_writing:
            self._is_writing = is_rest
            if is_rest:
                self._loop.add_writer(self._socket, self._send)
            else:
                self._loop.remove_writer(self._socket)

    def wait(self, answer: Answer) -> None:
        """Put this greenlet aside until the answer is there, or the connection lost."""
        if answer.result is None and self.lost is None:
            self.send_rest()
            if self.lost is None:
                self._awaited, self._waiter = answer, getcurrent()
                self._attention.asked()
                put_aside()
                self._attention.answered()
                self._awaited = self._waiter = None
        if answer.result is None:
            self._require()

    def rows(self, result: Any) -> list[Row]:
        """The rows of an answer."""
        self._transformer.set_pgresult(result)
        rows: list[Row] = self._transformer.load_rows(0, result.ntuples, tuple)
        return rows

    def close(self) -> None:
        """Hang up."""
        self._lose(psycopg.OperationalError("the connection was closed"))

    def send_rest(self) -> None:
        """Send what is on the pile, if anything is."""
        if self._is_asked and self.lost is None:
            with suppress(psycopg.OperationalError):  # it is lost then, which is what whoever waits looks at
                self.sync()

    def _require(self) -> None:
        if self.lost is not None:
            raise self.lost

    def _prepare(self, sql: str, asker: PipelinedCursor | None) -> bytes:
        name = b"s%d" % next(self._numbers)  # never twice, since what failed may be tried again
        self._pgconn.send_prepare(name, sql.encode())
        self._expect(Answer(asker, prepares=sql))
        self._prepared[sql] = name
        return name

    def _expect(self, answer: Answer) -> Answer:
        self._expected.append(answer)
        return answer

    def _hear(self) -> None:
        try:
            self._pgconn.consume_input()
            self._take_answers()
        except psycopg.OperationalError as problem:
            self._lose(problem)
            return
        if self._pgconn.status != pq.ConnStatus.OK:  # libpq hung up by itself, so that nothing more will be heard
            self._lose(psycopg.OperationalError(self._pgconn.get_error_message()))
            return
        if self._awaited is not None and self._awaited.result is not None:
            self._wake()

    def _take_answers(self) -> None:
        pgconn, expected = self._pgconn, self._expected
        is_between = False
        while expected and not pgconn.is_busy():
            result = pgconn.get_result()
            if result is None:  # after each answer; twice, when the server has hung up
                if is_between:
                    return
                is_between = True
                continue
            is_between = False
            answer = expected.popleft()
            if answer.is_end != (result.status == pq.ExecStatus.PIPELINE_SYNC):
                raise psycopg.OperationalError("questions and answers are out of step")
            answer.result = result
            if result.status in _SAID_NO:
                self._note_refusal(answer)

    def _note_refusal(self, answer: Answer) -> None:
        if answer.prepares:
            self._prepared.pop(answer.prepares, None)
        asker = answer.asker
        if asker is None or asker.problem is not None:
            return
        if answer.result.status == pq.ExecStatus.FATAL_ERROR:
            asker.problem = _problem_of(answer.result)
        else:  # skipped, because the end of another transaction that was sent with it failed
            asker.problem = psycopg.OperationalError("the connection failed before this was asked")

    def _lose(self, problem: psycopg.Error) -> None:
        if self.lost is not None:
            return
        self.lost = problem
        self._loop.remove_reader(self._socket)
        if self._is_writing:
            self._loop.remove_writer(self._socket)
        self._expected.clear()
        self._pgconn.finish()
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None:
            waiter, self._waiter = self._waiter, None
            waiter.switch()


class PipelinedCursor:
    """What one transaction asks over a wire, as a driver's cursor."""

    __slots__ = ("_latest", "_wire", "problem")

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._latest = Answer()
        # The first thing that went wrong; from there on the server skips what it was asked.
        self.problem: psycopg.Error | None = None

    @property
    def rowcount(self) -> int:
        """How many rows the latest statement changed."""
        return int(self.look().command_tuples or 0)

    def execute(self, sql: str, params: Sequence[Any] = ()) -> Answer:
        """Ask."""
        self._latest = self._wire.ask(sql, params, self)
        return self._latest

    def executemany(self, sql: str, params: Sequence[Sequence[Any]]) -> None:
        """Ask with each of these."""
        for each in params:
            self.execute(sql, each)

    def fetchall(self) -> list[Row]:
        """Wait for the rows of the latest statement."""
        return self._wire.rows(self.look())

    def fetchone(self) -> Row | None:
        """Wait for the first of them."""
        rows = self.fetchall()
        return rows[0] if rows else None

    def later(self) -> Later:
        """The rows of the latest statement, for whoever calls this."""
        asked = self._latest
        return lambda: self._wire.rows(self.wait(asked))

    def look(self) -> Any:
        """Wait for the latest answer, and so for all of them."""
        return self.wait(self._latest)

    def wait(self, answer: Answer) -> Any:
        """An answer; raises what went wrong with it or before it."""
        try:
            self._wire.wait(answer)
        except psycopg.Error as lost:
            raise self.problem or lost from lost
        if self.problem is not None:
            raise self.problem
        return answer.result

    def commit(self, meanwhile: Callable[[], None]) -> None:
        """Make it durable, and wait for that when the other is done."""
        committing = self.execute("COMMIT")
        self._wire.sync()
        meanwhile()
        if self.wait(committing).command_status != b"COMMIT":
            raise psycopg.InternalError("PostgreSQL rolled back what was to be committed")

    def leave(self) -> None:
        """End what has only read. Nobody has to wait for that: whoever has the wire next is behind it."""
        self.look()
        self.execute("COMMIT")
        self._wire.send_soon()

    def roll_back(self) -> None:
        """Leave nothing behind, whatever went wrong, and wait for that."""
        wire = self._wire
        if wire.lost is not None or isinstance(self.problem, TookTooLong):  # the server did, and hung up
            return
        wire.sync()
        wire.ask("ROLLBACK", ())
        wire.wait(wire.sync())


class AskedForMore(Exception):  # noqa: N818 - says what is so
    """A question after an answer, where all were to be asked before."""


class GlancingCursor(PipelinedCursor):
    """Questions that are sent together: PostgreSQL takes them for one transaction, so that nothing has to be begun."""

    __slots__ = ("_has_looked",)

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire)
        self._has_looked = False

    def execute(self, sql: str, params: Sequence[Any] = ()) -> Answer:
        """Ask, before the first look at an answer."""
        if self._has_looked:
            raise AskedForMore
        return super().execute(sql, params)

    def wait(self, answer: Answer) -> Any:
        """As always; what is asked from here on would be seen in another view."""
        self._has_looked = True
        return super().wait(answer)


def _problem_of(result: Any) -> psycopg.Error:
    """What went wrong; but for what the server calls an error, it is about the connection, whatever its code says."""
    problem = error_from_result(result)
    if problem.diag.severity_nonlocalized == "ERROR":
        return problem
    return (TookTooLong if problem.sqlstate == _TRANSACTION_TIMEOUT else psycopg.OperationalError)(str(problem))


def _dumped(params: Sequence[Any]) -> list[bytes | None]:
    """Parameters as text: the statements say which types they expect. Most are texts and numbers: no call for those."""
    values = [
        each.encode() if type(each) is str else b"%d" % each if type(each) is int else _dumped_one(each)
        for each in params
    ]
    if b"\0" in b"".join(filter(None, values)):  # libpq would take it for the end
        raise psycopg.DataError("a text has a NUL character")
    return values


def _dumped_one(value: Any) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, int):
        return b"%d" % value
    if isinstance(value, float):
        return repr(value).encode()
    if isinstance(value, bytes):
        return b"\\x" + value.hex().encode()
    raise TypeError(f"no parameter can be a {type(value).__name__}")
