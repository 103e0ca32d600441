"""The tables, the same on SQLite and PostgreSQL. Times are integer milliseconds of the database's clock.

Ids that callers see are random text; ids that only join rows are integers. Closed sets are stored as words, so
that a person reading the database at night needs no key to it.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from sessiond.model.deliveries import OPEN_STATES

metadata = sa.MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ix": "%(table_name)s_%(column_0_N_name)s_idx",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    }
)

# SQLite only counts up by itself in a column of type INTEGER.
_RowId = sa.BigInteger().with_variant(sa.Integer, "sqlite")

# Keys break ties in lists, in the same order on every database whatever its locale.
_Key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

# messages.place = generation << PLACE_SHIFT | sequence
PLACE_SHIFT = 32


def _text(name: str) -> sa.Column[str]:
    """Text that is empty rather than absent."""
    return sa.Column(name, sa.Text, nullable=False, server_default="")


def _count(name: str) -> sa.Column[int]:
    """A counter or a 0/1 statement."""
    return sa.Column(name, sa.BigInteger, nullable=False, server_default="0")


def _instant(name: str, nullable: bool = False) -> sa.Column[int]:
    """Milliseconds since 1970 on the database's clock."""
    return sa.Column(name, sa.BigInteger, nullable=nullable)


def default_of(column: sa.Column[Any]) -> Any:
    """What a row that does not name this column gets."""
    default = column.server_default
    if default is None:
        return None
    assert isinstance(default, sa.DefaultClause)  # noqa: S101 - the only kind that is used above
    return column.type.python_type(default.arg)


sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("id", _RowId, primary_key=True),
    sa.Column("key", _Key, nullable=False, unique=True),
    sa.Column("agent_id", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("generation", sa.BigInteger, nullable=False),  # session_generations.id of the current one
    sa.Column("session_id", sa.Text, nullable=False, unique=True),
    _instant("created_ms"),
    _instant("updated_ms"),
    _instant("archived_ms", nullable=True),
    _count("is_archived"),  # beside archived_ms because an index wants an equality
    _text("label"),
    _text("display_name"),
    _text("model"),
    _text("thinking_level"),
    _text("verbose_level"),
    sa.Column("send_policy", sa.Text),
    sa.Column("chat_type", sa.Text),
    _text("group_subject"),
    _text("route_channel"),
    _text("route_to"),
    _text("route_account_id"),
    _text("route_thread_id"),
    _count("system_sent"),
    _count("aborted_last_run"),
    sa.Column("context_tokens", sa.BigInteger),
    sa.Column("total_tokens", sa.BigInteger),
    _text("spawned_by"),  # key of the session that spawned it
    _text("spawn_path"),  # '/<id>/<id>/' of the sessions above it
    sa.Column("spawn_root", sa.BigInteger),  # first of spawn_path
    _count("spawn_depth"),
    _count("sandboxed"),
    _count("last_sequence"),  # of the current generation's messages, so also their number
    _count("tool_results"),  # how many of those are tool results
    _count("settings_version"),
    _text("active_run_id"),
    sa.Column("active_run_state", sa.Text),
    _text("tool_policy"),  # of a sub-agent, as fixed when it was spawned
    _count("spawned_tokens"),  # what its sub-agents took; stays when they are gone
    sa.Column("spawned_cost_usd", sa.Double, nullable=False, server_default="0"),
    _count("last_run_order"),  # arrival order given to the newest run
    _count("unfinished_runs"),
    _count("version"),  # counts the row's updates, every one of them: a version never means two contents
    sqlite_autoincrement=True,  # an id that was purged stays taken: spawn paths and etags remember it
)

# Every list is an ordered walk: equalities first, then newest first with the key breaking ties.
_NEWEST_FIRST = (sessions.c.updated_ms.desc(), sessions.c.key)
sa.Index("sessions_by_agent_idx", sessions.c.is_archived, sessions.c.agent_id, sessions.c.kind, *_NEWEST_FIRST)
sa.Index("sessions_by_kind_idx", sessions.c.is_archived, sessions.c.kind, *_NEWEST_FIRST)
_SPAWNED = sessions.c.spawn_depth > 0
for _name, *_equalities in (
    ("sessions_by_spawn_root_idx", sessions.c.kind),
    ("sessions_by_spawned_agent_idx", sessions.c.agent_id, sessions.c.kind),
):
    sa.Index(
        _name,
        sessions.c.is_archived,
        sessions.c.spawn_root,
        *_equalities,
        *_NEWEST_FIRST,
        sqlite_where=_SPAWNED,
        postgresql_where=_SPAWNED,
    )
_LABELLED = sessions.c.label != ""
sa.Index(
    "sessions_by_label_idx",
    sessions.c.label,
    sessions.c.is_archived,
    *_NEWEST_FIRST,
    sqlite_where=_LABELLED,
    postgresql_where=_LABELLED,
)

session_generations = sa.Table(
    "session_generations",
    metadata,
    sa.Column("id", _RowId, primary_key=True),
    sa.Column("session", sa.BigInteger, nullable=False, index=True),  # sessions.id
    sa.Column("session_id", sa.Text, nullable=False, unique=True),
    _instant("created_ms"),
    _instant("ended_ms", nullable=True),
    _count("last_sequence"),  # written when the generation ends; sessions has the current one's
    _count("tool_results"),
    sqlite_autoincrement=True,
)

# One integer holds generation and sequence, so that a transcript lies together and needs no second index.
messages = sa.Table(
    "messages",
    metadata,
    sa.Column("place", _RowId, primary_key=True, autoincrement=False),  # generation << 32 | sequence
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),  # of body, so that pages are cut without reading bodies
    sa.Column("body", sa.LargeBinary, nullable=False),  # sessiontools.v1.Message, serialised
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("session", sa.BigInteger, nullable=False),  # sessions.id
    sa.Column("generation", sa.BigInteger, nullable=False),
    sa.Column("run_order", sa.BigInteger, nullable=False),  # arrival order within the session
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("agent_id", sa.Text, nullable=False),
    _text("model"),
    sa.Column("pool", sa.Text, nullable=False),
    _count("is_external"),  # left to RuntimeService
    _count("is_ready"),  # queued, and nothing of its session before it
    _text("exchange_id"),
    _count("turn"),
    _text("parent_run_id"),
    _text("root_run_id"),
    _text("trace_id"),
    _count("depth"),
    _count("version"),
    _count("attempt"),
    _instant("queue_ms"),
    _instant("start_ms", nullable=True),
    _instant("end_ms", nullable=True),
    _count("timeout_ms"),
    sa.Column("input_place", sa.BigInteger),
    sa.Column("reply", sa.Text),
    _count("is_skipped"),
    sa.Column("failure_reason", sa.Text),
    _text("failure_message"),
    _count("failure_retryable"),
    sa.Column("input_tokens", sa.BigInteger),
    sa.Column("output_tokens", sa.BigInteger),
    sa.Column("total_tokens", sa.BigInteger),
    sa.Column("cost_usd", sa.Double),
    _text("runtime_id"),
    _text("end_actor"),
    _text("end_reason"),
    _count("fence"),  # counts leases: a token of an older one is refused
    _text("lease_secret"),
    _instant("lease_expires_ms", nullable=True),
    _instant("due_ms", nullable=True),  # when the sweeper must look: lease, run timeout or cancel grace, the earliest
    _count("event_count"),
    _count("appended"),  # events that the attempt's runtime has appended
    _text("cancel_reason"),
    _text("cancel_actor"),
    _count("deliver"),  # a chat's reply goes out, to the route that its message came by
    _text("route_channel"),
    _text("route_to"),
    _text("route_account_id"),
    _text("route_thread_id"),
    sqlite_with_rowid=False,
)
_ACTIVE = runs.c.state.in_([sa.literal_column("'running'"), sa.literal_column("'cancelling'")])
sa.Index("runs_one_active_per_session_idx", runs.c.session, unique=True, sqlite_where=_ACTIVE, postgresql_where=_ACTIVE)
sa.Index("runs_in_order_idx", runs.c.session, runs.c.run_order, unique=True)
sa.Index("runs_due_idx", runs.c.due_ms, sqlite_where=_ACTIVE, postgresql_where=_ACTIVE)
_READY = runs.c.is_ready == sa.literal_column("1")
sa.Index(
    "runs_ready_idx",
    runs.c.is_external,
    runs.c.pool,
    runs.c.queue_ms,
    runs.c.id,
    sqlite_where=_READY,
    postgresql_where=_READY,
)
_CAUSED = runs.c.parent_run_id != ""
sa.Index("runs_by_parent_idx", runs.c.parent_run_id, sqlite_where=_CAUSED, postgresql_where=_CAUSED)

run_events = sa.Table(
    "run_events",
    metadata,
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("sequence", sa.BigInteger, primary_key=True),
    _instant("at_ms"),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("message_place", sa.BigInteger),  # an appended message is stored once, in messages
    sa.Column("body", sa.LargeBinary, nullable=False),  # sessiontools.v1.WaitRunResponse without its cursor
    sqlite_with_rowid=False,
)

# Which run waits for which, so that a wait that would close a circle is found on any replica (S5).
run_waits = sa.Table(
    "run_waits",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("waiter_run_id", sa.Text, nullable=False, index=True),
    sa.Column("target_run_id", sa.Text, nullable=False),
    _instant("until_ms"),  # a server that died in mid-wait leaves a row that ends by itself
    sqlite_with_rowid=False,
)

# How many runs each trace has had (R9); one that began here has a row from its second run on.
traces = sa.Table(
    "traces",
    metadata,
    sa.Column("trace_id", sa.Text, primary_key=True),
    _count("runs"),
    _instant("created_ms"),
    sqlite_with_rowid=False,
)

# Rows to lock where replicas must take turns: handing out slots of a pool, adding a wait.
turnstiles = sa.Table("turnstiles", metadata, sa.Column("name", sa.Text, primary_key=True), sqlite_with_rowid=False)

exchanges = sa.Table(
    "exchanges",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("target_session", sa.BigInteger, nullable=False),
    sa.Column("requester_session", sa.BigInteger),
    sa.Column("primary_run_id", sa.Text, nullable=False),
    sa.Column("request_place", sa.BigInteger, nullable=False),  # the message or task that began it
    _count("max_turns"),
    sa.Column("announce", sa.Text, nullable=False),
    _text("cleanup"),
    # Frozen when the exchange was accepted: what the answer promised holds, whatever the session's route becomes.
    _text("route_channel"),
    _text("route_to"),
    _text("route_account_id"),
    _text("route_thread_id"),
    sa.Column("first_reply", sa.Text),
    sa.Column("latest_reply", sa.Text),
    _instant("created_ms"),
    _instant("settled_ms", nullable=True),
    sqlite_with_rowid=False,
)
_OPEN = exchanges.c.state == sa.literal_column("'open'")
_ASKED = sa.and_(_OPEN, exchanges.c.requester_session.is_not(None))  # a session did: most are asked for by none
sa.Index("exchanges_open_by_requester_idx", exchanges.c.requester_session, sqlite_where=_ASKED, postgresql_where=_ASKED)

deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _text("exchange_id"),
    sa.Column("run_id", sa.Text, nullable=False),
    sa.Column("step", sa.Text, nullable=False),
    sa.Column("session", sa.BigInteger, nullable=False),
    _text("route_channel"),
    _text("route_to"),
    _text("route_account_id"),
    _text("route_thread_id"),
    _text("text"),
    sa.Column("state", sa.Text, nullable=False),
    _text("suppressed_reason"),
    _text("policy_rule"),
    _count("attempts"),
    _instant("next_attempt_ms", nullable=True),
    _text("last_failure"),
    _text("receipt"),
    _count("possibly_delivered"),
    _text("lease_token"),
    _instant("lease_expires_ms", nullable=True),
    _instant("give_up_ms"),
    _instant("created_ms"),
    _instant("end_ms", nullable=True),
    sa.UniqueConstraint(
        *("run_id", "step", "route_channel", "route_to", "route_account_id", "route_thread_id"),
        name="deliveries_once_per_step_key",
    ),
    sqlite_with_rowid=False,
)
# In the very words in which it is asked for: SQLite takes an index for no others, were it the same in another order.
_WAITING = deliveries.c.state.in_([sa.literal_column(f"'{state.value}'") for state in OPEN_STATES])
_ROUTE = (
    deliveries.c.route_channel,
    deliveries.c.route_to,
    deliveries.c.route_account_id,
    deliveries.c.route_thread_id,
)
sa.Index(
    "deliveries_open_by_route_idx",
    *_ROUTE,
    deliveries.c.created_ms,
    deliveries.c.id,
    sqlite_where=_WAITING,
    postgresql_where=_WAITING,
)
_LEASED = deliveries.c.state == sa.literal_column("'leased'")
sa.Index("deliveries_leased_idx", deliveries.c.lease_expires_ms, sqlite_where=_LEASED, postgresql_where=_LEASED)
_RESTING = deliveries.c.state.in_([sa.literal_column(f"'{state}'") for state in ("pending", "unconfirmed")])
sa.Index("deliveries_give_up_idx", deliveries.c.give_up_ms, sqlite_where=_RESTING, postgresql_where=_RESTING)
sa.Index(
    "deliveries_resting_by_channel_idx",
    deliveries.c.route_channel,
    deliveries.c.created_ms,
    sqlite_where=_RESTING,
    postgresql_where=_RESTING,
)
sa.Index("deliveries_newest_idx", deliveries.c.created_ms.desc(), deliveries.c.id)
sa.Index("deliveries_by_session_idx", deliveries.c.session)
_PART = deliveries.c.exchange_id != ""
sa.Index("deliveries_by_exchange_idx", deliveries.c.exchange_id, sqlite_where=_PART, postgresql_where=_PART)

sa.Index("exchanges_by_target_idx", exchanges.c.target_session)
_TO_DELETE = exchanges.c.cleanup == sa.literal_column("'delete'")
sa.Index("exchanges_to_delete_idx", exchanges.c.state, sqlite_where=_TO_DELETE, postgresql_where=_TO_DELETE)
_ARCHIVED = sessions.c.is_archived == sa.literal_column("1")
sa.Index("sessions_archived_idx", sessions.c.archived_ms, sqlite_where=_ARCHIVED, postgresql_where=_ARCHIVED)
_LIVE_CHILD = sa.and_(sessions.c.spawn_depth > 0, sessions.c.is_archived == sa.literal_column("0"))
sa.Index("sessions_live_children_idx", sessions.c.updated_ms, sqlite_where=_LIVE_CHILD, postgresql_where=_LIVE_CHILD)

request_ids = sa.Table(
    "request_ids",
    metadata,
    sa.Column("caller", sa.Text, primary_key=True),
    sa.Column("request_id", sa.Text, primary_key=True),
    sa.Column("method", sa.Text, nullable=False),
    sa.Column("fingerprint", sa.Text, nullable=False),  # hash of the request, so that a reuse is told from a retry
    sa.Column("answer", sa.LargeBinary, nullable=False),
    _instant("created_ms"),
    sqlite_with_rowid=False,
)
sa.Index("request_ids_by_age_idx", request_ids.c.created_ms)
sa.Index("traces_by_age_idx", traces.c.created_ms)

signing_keys = sa.Table(
    "signing_keys",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("secret", sa.LargeBinary, nullable=False),
    _instant("created_ms"),
    sqlite_with_rowid=False,
)
