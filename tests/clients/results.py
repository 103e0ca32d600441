"""The table of language × case, for docs/clients.md and for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tests.clients.case import Case
from tests.clients.languages import LANGUAGES, ROOT, Language

DOC = ROOT / "docs" / "clients.md"
INTRO = """# Clients

<!-- Written by `python -m tests.clients`; a test fails when a case or a language is missing here. -->

There is a client for each of five languages, with the code generated from the contract and the same five things written
by hand around it: it **dials** (keepalive, sizes, retries, TLS or plaintext), says **who calls** (token, acting
session), fills in **`request_id`** so that a repeated call joins the first, has a **WaitRun that resumes by itself**
over cuts, drains and restarts without losing or repeating an event, and gives **typed errors**. Python, Go and
TypeScript have two loops beside: that of a runtime and that of a gateway's deliveries. Nobody who uses a client needs
buf or protoc.

| client | needs | quick start |
|---|---|---|
"""
SHOWN = """
## What is shown

The cases below are data (`tests/clients/cases`). Each is played through each client by a small driver, against a server
behind a proxy that cuts, stalls and delays; what the clients see must be what the case says, and the same in all of
them. `make test` plays them for every language whose toolchain is installed and says which it left out.

"""


def page(cases: Sequence[Case], results: Mapping[str, Mapping[str, bool]]) -> str:
    """The whole of docs/clients.md; results are by case and language."""
    clients = "".join(f"{_client(language)}\n" for language in LANGUAGES)
    return INTRO + clients + SHOWN + "".join(f"{line}\n" for line in _table(cases, results))


def _client(language: Language) -> str:
    place = f"clients/{language.name}"
    return f"| [{language.title}](../{place}/README.md) | {language.needs} | `{place}/{language.quickstart}` |"


def _table(cases: Sequence[Case], results: Mapping[str, Mapping[str, bool]]) -> Iterable[str]:
    titles = [language.title for language in LANGUAGES]
    yield f"| case | what it shows | {' | '.join(titles)} |"
    yield "|---" * (2 + len(titles)) + "|"
    for case in cases:
        cells = [word(results[case.name].get(language.name)) for language in LANGUAGES]
        rules = f" ({', '.join(case.rules)})" if case.rules else ""
        yield f"| {case.name} | {case.says}{rules} | {' | '.join(cells)} |"


def printed(cases: Sequence[Case], results: Mapping[str, Mapping[str, bool]]) -> str:
    """The table for a terminal."""
    width = max(len(case.name) for case in cases)
    head = " " * width + "".join(f"  {language.title:<10}" for language in LANGUAGES)
    rows = [f"{case.name:<{width}}" + "".join(f"  {each:<10}" for each in _words(results[case.name])) for case in cases]
    return "\n".join(line.rstrip() for line in [head, *rows])


def _words(results: Mapping[str, bool]) -> list[str]:
    return [word(results.get(language.name)) for language in LANGUAGES]


def word(is_ok: bool | None) -> str:
    """What stands in a cell of the table."""
    return "left out" if is_ok is None else "ok" if is_ok else "FAILED"
