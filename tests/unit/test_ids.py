"""New ids: unguessable, unique in every thread and process, and in the order of time."""

from __future__ import annotations

import os
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from sessiond.ids import new_id


def test_an_id_is_a_version_7_uuid_in_its_usual_form() -> None:
    for _ in range(1_000):
        text = new_id()
        made = uuid.UUID(text)
        assert (made.version, made.variant, str(made)) == (7, uuid.RFC_4122, text)


def test_ids_grow_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for millis in (1, 2, 1_000, 1_800_000_000_000):
        monkeypatch.setattr(time, "time_ns", lambda millis=millis: millis * 1_000_000)
        made.append(new_id())

    assert made == sorted(made)
    assert [int(each.replace("-", "")[:12], 16) for each in made] == [1, 2, 1_000, 1_800_000_000_000]


def test_ids_of_one_millisecond_keep_the_order_of_their_making(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1_800_000_000_000 * 1_000_000)

    made = [new_id() for _ in range(250)]

    assert made == sorted(made)


def test_no_two_threads_get_the_same() -> None:
    with ThreadPoolExecutor(8) as threads:
        made = [each for batch in threads.map(lambda _: [new_id() for _ in range(2_000)], range(8)) for each in batch]

    assert len({each[14:] for each in made}) == len(made)


def test_a_forked_process_has_randomness_of_its_own() -> None:
    new_id()  # so that there is something left over to share
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, _random_part(new_id()).encode())
        os._exit(0)
    os.waitpid(child, 0)

    assert os.read(reading, 32).decode() != _random_part(new_id())


def _random_part(made: str) -> str:
    return made[20:]
