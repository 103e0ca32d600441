"""Request ids: the same id and request give the first answer, another request under it is refused (R8)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from sessiond.model.callers import Caller
from sessiond.model.errors import RequestIdReused, invalid
from sessiond.store.schema import request_ids
from sessiond.store.statement import Statement, insert
from sessiond.store.transaction import Tx

MAX_REQUEST_ID = 256


@dataclass(frozen=True)
class Request:
    """A write as its caller sent it; `content` is everything that makes it this request and no other."""

    caller: Caller
    request_id: str
    method: str
    content: tuple[Any, ...]

    @property
    def fingerprint(self) -> str:
        """The same for the same request, and practically only for it."""
        text = json.dumps([self.method, self.caller.acting_reference, self.content], default=str, sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def answered_once(tx: Tx, request: Request, do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Do it, unless the same request was done before: then its first answer again."""
    if not request.request_id:
        return do()
    if len(request.request_id) > MAX_REQUEST_ID:
        raise invalid("request_id", f"is longer than {MAX_REQUEST_ID} characters")
    # Claiming the id comes first: on PostgreSQL a twin that runs beside us waits here for our commit.
    ids = {"caller": request.caller.scope, "request_id": request.request_id}
    claimed = {"method": request.method, "fingerprint": request.fingerprint, "answer": b"", "created_ms": tx.now_ms}
    if tx.run(_CLAIM, **ids, **claimed) == 1:
        answer = do()
        tx.run(_ANSWER, caller_=request.caller.scope, id_=request.request_id, new_answer=json.dumps(answer).encode())
        return answer
    row = tx.row(_FIRST, **ids)
    if row is None or row[0] != request.fingerprint:
        raise RequestIdReused(request.request_id)
    first: dict[str, Any] = json.loads(row[1])
    return first


_COLUMNS = ["caller", "request_id", "method", "fingerprint", "answer", "created_ms"]
_CLAIM = Statement("claim a request id", insert(request_ids, _COLUMNS, ignore_conflicts=True))
_ANSWER = Statement(
    "keep the first answer",
    sa.update(request_ids)
    .where(request_ids.c.caller == sa.bindparam("caller_"), request_ids.c.request_id == sa.bindparam("id_"))
    .values(answer=sa.bindparam("new_answer")),
)
_FIRST = Statement(
    "the first request under an id",
    sa.select(request_ids.c.fingerprint, request_ids.c.answer).where(
        request_ids.c.caller == sa.bindparam("caller"), request_ids.c.request_id == sa.bindparam("request_id")
    ),
)
