"""How connections to PostgreSQL are made, and what holds for each of them.

Apart from `opening`, so that psycopg is loaded only where it is used: every start on SQLite was a tenth longer by it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import psycopg
import sqlalchemy as sa

from sessiond.store.wire import LIMITS_TRANSACTIONS
from sessiond.store.wires import Connect

CONNECT_TIMEOUT_S = 10
# Unless whoever runs the server has one.
_LIMIT = "SELECT set_config('transaction_timeout', %s, false) WHERE current_setting('transaction_timeout') = '0'"
# What is read outside of BEGIN and COMMIT, too: questions that are sent together have one view. Not among the options
# that a connection is made with, since a URL may have others.
_ONE_VIEW = "SET default_transaction_isolation = 'repeatable read'"


def postgres_engine(url: sa.URL, pool_size: int, statement_s: float) -> sa.Engine:
    """An engine whose connections are set up as all are."""
    options = _options(url, statement_s)
    return sa.create_engine(url, pool_size=pool_size, max_overflow=0, connect_args=options)


def connecting(engine: sa.Engine, statement_s: float) -> Connect:
    """What makes one more connection to where the engine connects."""
    return partial(_connection, engine, statement_s)


async def _connection(engine: sa.Engine, statement_s: float) -> psycopg.AsyncConnection[Any]:
    """As the engine would connect, but on the event loop."""
    arguments, options = engine.dialect.create_connect_args(engine.url)
    options = {**options, **_options(engine.url, statement_s)}
    connection = await psycopg.AsyncConnection.connect(*arguments, **options, autocommit=True)
    try:
        await connection.execute(_ONE_VIEW)
        if connection.info.server_version >= LIMITS_TRANSACTIONS:  # an older one would refuse the whole connection
            await connection.execute(_LIMIT, [f"{2 * statement_s:g}s"])
    except BaseException:  # also when nobody wants it any more
        await connection.close()
        raise
    return connection


def _options(url: sa.URL, statement_s: float) -> dict[str, Any]:
    defaults = {
        "connect_timeout": CONNECT_TIMEOUT_S,
        "application_name": "sessiontools",
        "client_encoding": "utf8",
        # Of several hosts, the one that writes; a standby alone is no store.
        "target_session_attrs": "read-write",
        # A server whose machine is gone is noticed within about this many seconds, not after hours.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 25_000,
        "options": " ".join(f"-c {name}={value}" for name, value in _session(statement_s).items()),
    }
    return {name: value for name, value in defaults.items() if name not in url.query}


def _session(statement_s: float) -> dict[str, str]:
    """What holds for every connection; whatever takes longer is ended, so that one stuck session holds up no other."""
    return {
        # Every query is written for one index; planning it anew at each call can cost more than running it.
        "plan_cache_mode": "force_generic_plan",
        # And it goes by that index while there are few rows, too: a plan that reads all of them is kept, and read on by
        # it, while they become many. The price put on what is off must not make PostgreSQL compile a plan.
        **dict.fromkeys(("enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"), "off"),
        "statement_timeout": f"{statement_s:g}s",
        "lock_timeout": f"{statement_s / 2:g}s",
        # A replica that is stopped in the middle of a transaction must not keep its locks.
        "idle_in_transaction_session_timeout": f"{statement_s:g}s",
    }
