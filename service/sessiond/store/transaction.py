"""An open transaction: the only thing through which queries run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Protocol

from sqlalchemy.engine.interfaces import Dialect

from sessiond.store.rows import Given, Rows
from sessiond.store.statement import Statement

Row = tuple[Any, ...]
# Rows that were asked for.
Later = Callable[[], list[Row]]


class Reach(Enum):
    """Whom a topic is told to, beside those who listen to it in this process."""

    NOBODY = "nobody"  # nobody else listens to it
    ANYBODY = "anybody"  # one listener is enough: others are told only when there is none here
    SERVERS = "servers"  # all servers that are known to be there; one that is not heard looks by itself later
    EVERYBODY = "everybody"  # also whoever is not known to be there, since nothing else would ever tell it


class Cursor(Protocol):
    """What is used of a driver's cursor; one that can be asked for more before it is looked at has `later`, too."""

    @property
    def rowcount(self) -> int: ...
    def execute(self, sql: str, params: Any = ..., /) -> object: ...
    def executemany(self, sql: str, params: Any, /) -> object: ...
    def fetchall(self) -> list[Row]: ...
    def fetchone(self) -> Row | None: ...


class Now(Protocol):
    """A clock that has to be asked."""

    def ask(self) -> None:
        """Have it asked, together with what comes next."""

    def __call__(self) -> int:
        """The time, in milliseconds."""


class Tx:
    """A transaction on one database."""

    __slots__ = ("_cursor", "_dialect", "_now", "_rest", "has_written", "news", "topics")

    def __init__(self, cursor: Cursor, dialect: Dialect, now: int | Now) -> None:
        self._cursor = cursor
        self._dialect = dialect
        self._now = now
        self._rest: list[Callable[[], None]] = []
        self.topics: dict[str, Reach] = {}  # that somebody may be waiting to hear of
        self.news: dict[str, Any] = {}  # the same, and what is told of each in this process
        self.has_written = False

    @property
    def database(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._dialect.name

    @property
    def now_ms(self) -> int:
        """The database's clock when the transaction began."""
        if not isinstance(self._now, int):
            self._now = self._now()
        return self._now

    @now_ms.setter
    def now_ms(self, now_ms: int) -> None:
        self._now = now_ms

    def ask_now(self) -> None:
        """Have the time asked for with what comes next, where it is going to be needed and has to be asked for."""
        if not isinstance(self._now, int):
            self._now.ask()

    @property
    def known_now_ms(self) -> int | None:
        """The same if it is known without asking; where it is not, a statement can take the database's own."""
        return self._now if isinstance(self._now, int) else None

    def rows(self, statement: Statement, **params: Any) -> list[Row]:
        """All rows."""
        self.run(statement, **params)
        return self._cursor.fetchall()

    def ask(self, statement: Statement, **params: Any) -> Later:
        """All rows, to be looked at later: PostgreSQL gets what is asked until then in one go."""
        self.run(statement, **params)
        defer: Callable[[], Later] | None = getattr(self._cursor, "later", None)
        if defer is not None:
            return defer()
        rows = self._cursor.fetchall()
        return lambda: rows

    def row(self, statement: Statement, **params: Any) -> Row | None:
        """The first row, if any."""
        self.run(statement, **params)
        return self._cursor.fetchone()

    def changed(self, statement: Statement, **params: Any) -> int:
        """Change rows; tells how many."""
        self.run(statement, **params)
        return self._cursor.rowcount

    def run(self, statement: Statement, **params: Any) -> None:
        """Change rows. PostgreSQL may be told together with what comes next, so that a refusal may come later too."""
        compiled = statement.on(self._dialect)
        self.has_written |= compiled.writes
        self._cursor.execute(compiled.sql, compiled.bind(params))

    def run_many(self, statement: Statement, params: Iterable[Mapping[str, Any]]) -> None:
        """Change rows, once for each set of parameters."""
        compiled = statement.on(self._dialect)
        bound = [compiled.bind(each) for each in params]
        if bound:
            self.has_written = True
            self._cursor.executemany(compiled.sql, bound)

    def store(self, statement: Rows[Given], rows: Sequence[Given]) -> None:
        """Store rows, new ones or changed ones; as run, PostgreSQL may be told later."""
        if not rows:
            return
        self.has_written = True
        if len(rows) > 1 and self.database == "postgresql":
            compiled = statement.list_on(self._dialect)
            self._cursor.execute(compiled.sql, compiled.bind(rows))
        else:
            compiled = statement.on(self._dialect)
            if len(rows) == 1:
                self._cursor.execute(compiled.sql, compiled.bind(rows[0]))
            else:
                self._cursor.executemany(compiled.sql, list(map(compiled.bind, rows)))

    def meanwhile(self, do: Callable[[], None]) -> None:
        """Have this done when all is written, while PostgreSQL makes it durable; it may use nothing of the database.

        For what is made of a result, in its place: the caller gets it only after that. Not for what only reads.
        """
        self._rest.append(do)

    def do_rest(self) -> None:
        """Do what was left for the end of the work."""
        rest, self._rest = self._rest, []
        for do in rest:
            do()

    def notify(self, topic: str, reach: Reach = Reach.SERVERS, news: Any = None) -> None:
        """Wake whoever listens to the topic, once this transaction is committed.

        `news` spares those in this process a look, so it must be what they would find, then and for ever.
        """
        self.topics[topic] = reach
        self.news[topic] = news
