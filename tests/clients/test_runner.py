"""The runner's own parts: what they let pass, and what they notice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clients.contract import METHODS
from tests.clients.matching import differences
from tests.clients.newer import newer
from tests.clients.transcript import normalised, steady
from tests.clients.values import filled

ID, OTHER = "01a1e30c-3d7d-7b94-8a7c-7d52c1897c0a", "01a1e30c-3d84-7c6b-97ad-45f0a8599768"


@pytest.mark.parametrize(
    ("expected", "seen"),
    [
        ({}, {"more": 1}),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}),
        ({"a": None}, {"b": 1}),
        ({"a": "*"}, {"a": "anything"}),
        ([{}, 2], [{"a": 1}, 2]),
        (0, 0.0),
    ],
)
def test_what_is_as_expected_passes(expected: Any, seen: Any) -> None:
    assert not list(differences(expected, seen))


@pytest.mark.parametrize(
    ("expected", "seen"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {}),
        ({"a": None}, {"a": ""}),
        ({"a": "*"}, {"a": ""}),
        ({"a": "*"}, {}),
        ([], [1]),
        ([1, 2], [1]),
        ([1, 2], [2, 1]),
        ({"a": {}}, {"a": 1}),
        (0, False),
        ("0", 0),
    ],
)
def test_what_is_not_as_expected_is_noticed(expected: Any, seen: Any) -> None:
    assert list(differences(expected, seen))


def test_values_are_filled_with_what_was_saved() -> None:
    names = {"sent": {"run_id": "r1", "runs": [{"id": 7}]}, "case": "this"}

    assert filled({"a": ["$sent.run_id", "$sent.runs.0.id", "x:${case}:${sent.run_id}"]}, names) == {
        "a": ["r1", 7, "x:this:r1"]
    }
    assert filled({"$each": [2, 3], "of": {"n": "$number", "t": "no ${number}"}}, {}) == [
        {"n": 2, "t": "no 2"},
        {"n": 3, "t": "no 3"},
    ]
    assert filled({"$text": "ab", "times": 3}, {}) == "ababab"
    for unknown in ("$nothing", "$sent.nothing", "$sent.runs.1"):
        with pytest.raises(LookupError):
            filled(unknown, names)


def test_transcripts_differ_in_what_matters_only() -> None:
    def seen(first: str, second: str, time: str, words: str) -> list[Any]:
        error = {"code": "CANCELLED", "reason": "", "message": words, "retry_after_seconds": 0}
        return normalised([{"run_id": first, "text": f"run {second}", "queue_time": time, "error": error}])

    assert seen(ID, ID, "1", "cut") == seen(OTHER, OTHER, "2", "was cut")
    assert seen(ID, ID, "1", "cut") != seen(ID, OTHER, "1", "cut")


def test_the_words_of_the_service_are_compared() -> None:
    error = {"code": "NOT_FOUND", "reason": "RUN_NOT_FOUND", "message": "no such run", "retry_after_seconds": 0}

    assert normalised([error]) != normalised([{**error, "message": "what run?"}])


def test_a_snapshot_counts_only_as_one() -> None:
    event = {"cursor": "c", "event_time": "1", "snapshot": {"run": {"state": "RUN_STATE_QUEUED"}}}

    assert steady(event) == {"cursor": "c", "snapshot": {}}


def test_a_newer_server_sends_what_this_contract_does_not_know() -> None:
    event = {"cursor": "c", "later_event": "news", "later_field": "x"}

    assert METHODS["WaitRun"].told(newer("WaitRun", event)) == {"cursor": "c", "sequence": "0"}
    ended = METHODS["WaitRun"].told(newer("WaitRun", {"ended": {"reason": "END_REASON_LATER"}}))
    assert ended["ended"] == {"reason": 99}
