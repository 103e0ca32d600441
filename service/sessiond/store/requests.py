"""Request ids: the same id and request give the first answer, another request under it is refused (R8)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from sessiond.model.callers import Caller
from sessiond.model.errors import RequestIdReused, invalid
from sessiond.store.rows import NewRows
from sessiond.store.schema import request_ids
from sessiond.store.statement import Statement, insert, numbered, numbers
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
    def place(self) -> tuple[str, str]:
        """Where its first answer is kept: an id is unique within its caller."""
        return self.caller.scope, self.request_id

    @property
    def fingerprint(self) -> str:
        """The same for the same request, and practically only for it."""
        text = json.dumps([self.method, self.caller.acting_reference, self.content], default=str, sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def require_fitting(self) -> None:
        """Refuse an id that is too long to be kept."""
        if len(self.request_id) > MAX_REQUEST_ID:
            raise invalid("request_id", f"is longer than {MAX_REQUEST_ID} characters")


def answered_once(tx: Tx, request: Request, do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Do it, unless the same request was done before: then its first answer again."""
    if not request.request_id:
        return do()
    request.require_fitting()
    # Claiming the id comes first: on PostgreSQL a twin that runs beside us waits here for our commit.
    claim = _claim(tx, request)
    if tx.changed(_CLAIM, **claim) == 1:
        answer = do()
        tx.run(_ANSWER, caller_=request.caller.scope, id_=request.request_id, new_answer=json.dumps(answer).encode())
        return answer
    row = tx.row(_FIRST, caller=claim["caller"], request_id=claim["request_id"])
    if row is None or row[0] != claim["fingerprint"]:
        raise RequestIdReused(request.request_id)
    first: dict[str, Any] = json.loads(row[1])
    return first


def known(tx: Tx, requests: Sequence[Request]) -> set[tuple[str, str]]:
    """Which of these requests have ids that are taken, by caller and id."""
    found: set[tuple[str, str]] = set()
    by_caller: dict[str, list[str]] = {}
    for request in requests:
        by_caller.setdefault(request.caller.scope, []).append(request.request_id)
    for caller, ids in by_caller.items():
        params = numbered("id", ids)
        found |= {(caller, row[0]) for row in tx.rows(_known(len(params)), caller=caller, **params)}
    return found


def keep(tx: Tx, answers: Sequence[tuple[Request, dict[str, Any]]]) -> None:
    """Keep the first answers of requests whose ids were not known; a twin that was faster is a race that we lost."""
    tx.store(_KEEP, [_in_order(_claim(tx, request, answer)) for request, answer in answers])


def _claim(tx: Tx, request: Request, answer: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "caller": request.caller.scope,
        "request_id": request.request_id,
        "method": request.method,
        "fingerprint": request.fingerprint,
        "answer": b"" if answer is None else json.dumps(answer).encode(),
        "created_ms": tx.now_ms,
    }


@lru_cache
def _known(count: int) -> Statement:
    found = sa.select(request_ids.c.request_id).where(
        request_ids.c.caller == sa.bindparam("caller"), request_ids.c.request_id.in_(numbers("id", count))
    )
    return Statement("which request ids are taken", found)


_COLUMNS = ["caller", "request_id", "method", "fingerprint", "answer", "created_ms"]
_in_order = itemgetter(*_COLUMNS)
_KEEP = NewRows("keep first answers", request_ids, _COLUMNS)
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
