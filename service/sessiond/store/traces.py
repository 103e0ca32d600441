"""How many runs each trace has had: counted in the transaction that queues the run (R9).

Most traces have one run, which began it here and gave it its name. Such a trace has no row, the run itself is the
count; from the second run on there is one.
"""

from __future__ import annotations

from itertools import pairwise

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from sessiond.model.errors import TraceBudget
from sessiond.store.schema import runs, traces
from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx

# More than any trace has, for runs that are owed.
_NO_LIMIT = 2**62


def begun_by(run_id: str) -> str:
    """The trace of a run that is part of no other: its own id, as W3C writes those of traces."""
    return run_id.replace("-", "")


def reserve(tx: Tx, trace_id: str, limit: int) -> None:
    """Take one run of the trace's budget, or refuse."""
    if tx.row(_COUNT, **_counted(tx, trace_id, limit)) is None:
        raise TraceBudget(limit)


def count(tx: Tx, trace_id: str) -> None:
    """Count one run that is owed already and can't be refused."""
    tx.run(_COUNT, **_counted(tx, trace_id, _NO_LIMIT))


def _counted(tx: Tx, trace_id: str, limit: int) -> dict[str, str | int]:
    return {"trace": trace_id, "first": _first_of(trace_id), "now": tx.now_ms, "most": limit}


def _first_of(trace_id: str) -> str:
    """The id of the run that began the trace, if it began here."""
    cuts = (0, 8, 12, 16, 20, 32)
    return "-".join(trace_id[start:end] for start, end in pairwise(cuts))


_began_here = sa.and_(runs.c.id == sa.bindparam("first"), runs.c.trace_id == sa.bindparam("trace", type_=sa.Text))
_is_ours = sa.select(sa.func.count()).where(_began_here).scalar_subquery()
_trace, _now, _most = (
    sa.bindparam(name, type_=type_)
    for name, type_ in (("trace", sa.Text), ("now", sa.BigInteger), ("most", sa.BigInteger))
)
_COUNT = Statement(
    "count one more run of a trace, as long as there is budget",
    # PostgreSQL's construct, because it knows ON CONFLICT and SQLite's compiler writes the same words for it.
    postgresql.insert(traces)
    .from_select(["trace_id", "runs", "created_ms"], sa.select(_trace, _is_ours + 1, _now).where(_is_ours < _most))
    .on_conflict_do_update(index_elements=["trace_id"], set_={"runs": traces.c.runs + 1}, where=traces.c.runs < _most)
    .returning(traces.c.runs),
)
