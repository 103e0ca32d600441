"""How many runs each trace has had: reserved in the transaction that queues the run (R9)."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from sessiond.model.errors import TraceBudget
from sessiond.store.schema import traces
from sessiond.store.statement import Rows, Statement, insert
from sessiond.store.transaction import Tx


def reserve(tx: Tx, trace_id: str, limit: int) -> None:
    """Take one run of the trace's budget, or refuse."""
    if tx.row(_RESERVE, trace_id=trace_id, runs=1, created_ms=tx.now_ms, most=limit) is None:
        raise TraceBudget(limit)


def begin(tx: Tx, trace_ids: Iterable[str]) -> None:
    """Count the first run of new traces; their ids are random, so nobody has counted on them before."""
    tx.store(_BEGIN, [{"trace_id": trace_id, "runs": 1, "created_ms": tx.now_ms} for trace_id in trace_ids])


def count(tx: Tx, trace_id: str) -> None:
    """Count one run that is owed already and can't be refused."""
    tx.run(_COUNT, trace=trace_id)


_BEGIN = Rows("begin traces", traces, ["trace_id", "runs", "created_ms"])
_COUNT = Statement(
    "count a run that is owed",
    sa.update(traces).where(traces.c.trace_id == sa.bindparam("trace")).values(runs=traces.c.runs + 1),
)
_RESERVE = Statement(
    "count one more run of a trace, as long as there is budget",
    insert(traces, ["trace_id", "runs", "created_ms"])
    .on_conflict_do_update(
        index_elements=["trace_id"], set_={"runs": traces.c.runs + 1}, where=traces.c.runs < sa.bindparam("most")
    )
    .returning(traces.c.runs),
)
