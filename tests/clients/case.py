"""A case: what is done through a client, step by step, and what the client must see. README.md tells the words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import json5

from tests.clients.contract import METHODS
from tests.clients.servers import KINDS, SCRIPTED

CASES = Path(__file__).parent / "cases"
# By verb: what else a step may say.
OPTIONS = {
    "call": {"with", "as", "deadline", "expect", "refused", "save", "later"},
    "directly": {"with", "as", "expect", "save"},
    "wait": {"with", "as", "deadline"},
    "next": {"count", "expect", "refused", "save", "later"},
    "rest": {"expect", "refused", "save", "whole"},
    "cancel": set[str](),
    "answer": {"expect", "refused", "save"},
    "proxy": set[str](),
    "server": set[str](),
    "asked": {"expect", "save"},
}
PROXY = ("cut", "stall", "go_on")
SERVER = ("stop", "start", "kill")
CREDENTIALS = {"token", "acting_session"}
TURN = {"answers", "refused"}
REFUSED = {"code", "message", "reason", "domain", "metadata", "fields", "retry_after_seconds"}


class CaseError(ValueError):
    """A case that is not written as cases are."""


@dataclass(frozen=True)
class Step:
    """One thing that is done: a verb, what it is done with, and how."""

    verb: str
    what: Any
    options: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.verb} {self.what}"


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    name: str
    says: str
    rules: tuple[str, ...]
    steps: tuple[Step, ...]
    server: str = "echo"
    dial: dict[str, str] = field(default_factory=dict)  # credentials of every call: token, acting_session
    each: dict[str, list[Any]] = field(default_factory=dict)  # the steps are done once for each value of a name
    script: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # what a scripted server says, by method

    def rounds(self) -> Iterator[dict[str, Any]]:
        """The names that hold in each round of the steps."""
        for name, values in self.each.items():
            yield from ({name: value} for value in values)
        if not self.each:
            yield {}


def names() -> list[str]:
    """The names of all cases, which are those of their files."""
    return sorted(file.stem for file in CASES.glob("*.json5"))


@cache
def load(name: str) -> Case:
    """A case by its name; a file that says anything unknown is refused."""
    return parse(name, json5.loads((CASES / f"{name}.json5").read_text(encoding="utf-8")))


def parse(name: str, data: dict[str, Any]) -> Case:
    """A case from its data."""
    try:
        steps = tuple(_step(each) for each in data.pop("steps"))
        case = Case(name=name, steps=steps, rules=tuple(data.pop("rules")), **data)
        _check(case)
    except (TypeError, KeyError, CaseError) as problem:
        raise CaseError(f"case {name}: {problem}") from None
    return case


def _step(data: dict[str, Any]) -> Step:
    verbs = [name for name in data if name in OPTIONS]
    if len(verbs) != 1:
        raise CaseError(f"a step has one of {', '.join(OPTIONS)}, not {verbs or list(data)}")
    (verb,) = verbs
    options = {name: value for name, value in data.items() if name != verb}
    if unknown := set(options) - OPTIONS[verb]:
        raise CaseError(f"{verb} does not take {', '.join(sorted(unknown))}")
    if "expect" in options and "refused" in options and verb == "call" and data[verb] != "WaitRuns":
        raise CaseError(f"{verb} {data[verb]} can't be both answered and refused")
    return Step(verb, data[verb], options)


def _check(case: Case) -> None:
    if case.server not in KINDS:
        raise CaseError(f"there is no server {case.server!r}")
    if len(case.each) > 1:
        raise CaseError("each may have one name")
    if bool(case.script) != (case.server == SCRIPTED):
        raise CaseError("a scripted server, and no other, needs a script")
    _require(case.dial, CREDENTIALS, "dial")
    for turn in (turn for turns in case.script.values() for turn in turns):
        _require(turn, TURN, "a turn of the script")
        _require(turn.get("refused", {}), REFUSED, "refused in the script")
    begun: list[str] = []
    for step in case.steps:
        _check_step(case, step)
        begun += [step.options["later"]] if "later" in step.options else []
        if step.verb == "answer" and step.what not in begun:
            raise CaseError(f"nothing of the name {step.what} was begun before")
        if step.verb == "answer":
            begun.remove(step.what)
    if begun:
        raise CaseError(f"never answered: {', '.join(begun)}")


def _require(found: dict[str, Any], known: set[str], what: str) -> None:
    if unknown := set(found) - known:
        raise CaseError(f"{what} does not know {', '.join(sorted(unknown))}")


def _check_step(case: Case, step: Step) -> None:
    _require(step.options.get("as", {}), CREDENTIALS, "as")
    match step.verb:
        case "call" | "directly" | "asked" if step.what not in METHODS:
            raise CaseError(f"there is no method {step.what!r}")
        case "call" if step.what == "WaitRun":
            raise CaseError("WaitRun is not called, but waited with")
        case "proxy" if step.what not in PROXY and list(step.what) != ["delay"]:
            raise CaseError(f"proxy does not know {step.what!r}")
        case "server" if step.what not in SERVER or case.server == SCRIPTED:
            raise CaseError(f"server {case.server} does not know {step.what!r}")
        case _:
            return
