"""The cases themselves: written as cases are, and together about everything that a client can meet."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clients.case import Case, CaseError, Step, load, names, parse
from tests.clients.contract import METHODS, REASONS
from tests.clients.languages import LANGUAGES
from tests.clients.results import DOC, page
from tests.clients.servers import SCRIPTED

# What a server says only in trouble, so that no call of a client reaches it: only a scripted server says it here.
ONLY_SCRIPTED = {
    "STORE_UNAVAILABLE": "the database has to be away; tests/system/test_store_away.py takes it away",
    "DRAINING": "only in the last moment of a server; tests/rpc/test_door.py calls until it is gone",
    "NOT_IMPLEMENTED": "every method is implemented",
    "INTERNAL": "a fault of the server",
}
EMPTY: dict[str, Any] = {"says": "Nothing.", "rules": [], "steps": []}


def cases() -> list[Case]:
    return [load(name) for name in names()]


def steps(*verbs: str) -> list[tuple[Case, Step]]:
    return [(case, step) for case in cases() for step in case.steps if step.verb in verbs]


def refusals(*, scripted: bool) -> set[str]:
    """The reasons that clients meet on real servers, or on scripted ones."""
    options = [step.options for case, step in steps("call", "answer", "rest") if (case.server == SCRIPTED) == scripted]
    return {each["refused"]["reason"] for each in options if each.get("refused", {}).get("reason")}


def test_every_method_is_called_through_the_clients() -> None:
    called = {step.what for _, step in steps("call")}

    assert called | {"WaitRun"} == set(METHODS)
    assert steps("wait")


def test_every_reason_reaches_the_clients() -> None:  # X1
    assert refusals(scripted=False) == set(REASONS) - set(ONLY_SCRIPTED)
    assert refusals(scripted=True) >= set(ONLY_SCRIPTED)


@pytest.mark.parametrize("name", names())
def test_a_case_says_what_it_shows_in_a_sentence(name: str) -> None:
    case = load(name)

    assert case.says.endswith(".")
    assert case.steps


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"colour": "green"}, "colour"),
        ({"server": "nowhere"}, "there is no server 'nowhere'"),
        ({"server": "scripted"}, "needs a script"),
        ({"script": {"GetRun": []}}, "needs a script"),
        ({"each": {"a": [1], "b": [2]}}, "one name"),
        ({"dial": {"name": "me"}}, "dial does not know name"),
        ({"server": "scripted", "script": {"GetRun": [{"answer": {}}]}}, "a turn of the script does not know answer"),
        ({"server": "scripted", "script": {"GetRun": [{"refused": {"why": ""}}]}}, "refused in the script"),
        ({"steps": [{"call": "GetRun", "as": {"name": "me"}}]}, "as does not know name"),
        ({"steps": [{"shout": "hello"}]}, "a step has one of"),
        ({"steps": [{"call": "GetRun", "next": "run"}]}, "a step has one of"),
        ({"steps": [{"call": "GetRun", "loudly": True}]}, "call does not take loudly"),
        ({"steps": [{"call": "GetRuns"}]}, "there is no method 'GetRuns'"),
        ({"steps": [{"call": "WaitRun"}]}, "WaitRun is not called"),
        ({"steps": [{"call": "GetRun", "expect": {}, "refused": {}}]}, "both answered and refused"),
        ({"steps": [{"call": "GetRun", "later": "run"}]}, "never answered: run"),
        ({"steps": [{"answer": "run"}]}, "nothing of the name run"),
        ({"steps": [{"proxy": "explode"}]}, "proxy does not know 'explode'"),
        ({"steps": [{"server": "explode"}]}, "does not know 'explode'"),
    ],
)
def test_a_case_that_says_anything_else_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(CaseError, match=problem):
        parse("wrong", {**EMPTY, **change})


def test_the_document_lists_every_case_in_every_language() -> None:
    results = {name: {language.name: True for language in LANGUAGES} for name in names()}

    assert DOC.read_text(encoding="utf-8") == page(cases(), results), "run: .venv/bin/python -m tests.clients"
