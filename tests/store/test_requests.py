"""Request ids: a retry joins, it never repeats (R8)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import count as counter
from typing import Any

import pytest

from sessiond.model.callers import Caller, CallerRole
from sessiond.model.errors import RequestIdReused
from sessiond.store.database import Database
from sessiond.store.requests import Request, answered_once
from sessiond.store.schema import request_ids
from sessiond.store.transaction import Tx
from tests.making import OWNER, count

REQUEST = Request(OWNER, "id-1", "SessionsReset", ("main",))


class Deed:
    """Something to be done once; each time it is done its answer differs."""

    def __init__(self) -> None:
        self._numbers = counter(1)
        self.times = 0

    def __call__(self) -> dict[str, Any]:
        self.times = next(self._numbers)
        return {"time": self.times, "words": "größer"}


async def ask(db: Database, deed: Deed, request: Request = REQUEST) -> int:
    answer = await db.write(lambda tx: answered_once(tx, request, deed))
    assert answer["words"] == "größer"
    return int(answer["time"])


async def test_the_same_request_gets_the_first_answer_and_is_not_done_again(db: Database) -> None:
    deed = Deed()

    assert [await ask(db, deed) for _ in range(3)] == [1, 1, 1]
    assert deed.times == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, content=("agent:main:x",)),
        replace(REQUEST, method="SessionsSend"),
        replace(REQUEST, caller=replace(OWNER, acting_reference="agent:main:x")),
    ],
)
async def test_another_request_under_the_id_is_refused(db: Database, other: Request) -> None:
    deed = Deed()
    await ask(db, deed)

    with pytest.raises(RequestIdReused):
        await ask(db, deed, other)

    assert deed.times == 1


@pytest.mark.parametrize("other", [replace(OWNER, name="otto"), replace(OWNER, role=CallerRole.GATEWAY)])
async def test_an_id_belongs_to_its_caller(db: Database, other: Caller) -> None:
    deed = Deed()

    assert await ask(db, deed) == 1
    assert await ask(db, deed, replace(REQUEST, caller=other)) == 2


async def test_without_an_id_every_request_is_done(db: Database) -> None:
    deed = Deed()

    assert [await ask(db, deed, replace(REQUEST, request_id="")) for _ in range(2)] == [1, 2]
    assert await count(db, request_ids) == 0


async def test_concurrent_twins_are_done_once_and_answered_alike(db: Database) -> None:
    deed = Deed()

    answers = await asyncio.gather(*(ask(db, deed) for _ in range(20)))

    assert set(answers) == {1}
    assert deed.times == 1


async def test_an_id_whose_request_failed_is_free_again(db: Database) -> None:
    def fail(tx: Tx) -> dict[str, Any]:
        def do() -> dict[str, Any]:
            raise LookupError

        return answered_once(tx, REQUEST, do)

    with pytest.raises(LookupError):
        await db.write(fail)

    assert await ask(db, Deed()) == 1
