"""docs/authority.md, from the same rules that the server is held to."""

from __future__ import annotations

from collections.abc import Iterator

from tests.authority.acts import ACTS, METHODS, Act, plain_asked
from tests.authority.cast import ACTING, CALLERS, SETTINGS, Caller, Setting, Target, targets_of
from tests.authority.house import ALLOWED, SPAWNED_UNDER
from tests.authority.rules import LISTED, OK, UNLISTED, Asked, admitted, spawn_verdict, verdict
from tests.authority.walking import number_of_cases

INTRO = """# Who may do what

Printed by `python -m tests.authority` from the rules in `tests/authority/rules.py`, which know none of the server's
code; `tests/authority/test_matrix.py` asks a real server every one of these cases and compares.
[security.md](security.md) says what it is all for.

- **Callers.** Owners, gateways and runtimes show a token of `auth.tokens`; *acting as* is the metadata
  `acting-session`, here of a direct chat. Agents show the run token of a run under way: in their main session, in a
  group, in a sandboxed session, in a sub-agent's, in a sub-agent's that is sandboxed because its requester was.
- **Targets**, as seen from the session that the caller acts from: itself; what it spawned, under its own or another
  agent; what that spawned; another session of the same agent, live or archived; sessions of two other agents; its
  requester, for a sub-agent; and nothing at all.
- **Hidden is absent.** Whoever may not see a session gets the answer of one that does not exist, byte for byte.
"""
RPCS = """
## Which rpc

Reflection takes any credential, and health none. `yes`: what the request names is then up to the tables below. Without
configured tokens, everybody who holds no run token is the owner, and only loopback is served.

"""
TARGETS = """
## Which session

One table a configuration. `yes`: every call that the table above allows finds it. `–`: every such call is told
`SESSION_NOT_FOUND` or `RUN_NOT_FOUND`, and lists leave it out. Owners and gateways that act as no session find every
session that there is. Where a call names a lease or a delivery, `acting-session` changes nothing.
"""
SPAWN = """
## Under which agent

`SessionsSpawn`, where `agents.list` lets `main` spawn under `ops` and nobody under `box`; `nobody` is not configured.

"""


class Notes:
    """What a cell has no room for, numbered through the page."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def mark(self, text: str) -> str:
        """The number of a note, made at its first use."""
        if text not in self._texts:
            self._texts.append(text)
        return f"({self._texts.index(text) + 1})"

    def __str__(self) -> str:
        return "".join(f"{number}. {text}\n" for number, text in enumerate(self._texts, start=1))


def page() -> str:
    """The whole of it."""
    notes = Notes()
    parts = [INTRO, _numbers(), RPCS, *_rpc_table(), TARGETS]
    for setting in SETTINGS:
        parts += ["\n", *_setting(setting, notes)]
    return "".join([*parts, f"\n### notes\n\n{notes}", SPAWN, *_spawn_table()])


def _numbers() -> str:
    cases = number_of_cases(CALLERS)
    return f"- **Cases.** {len(METHODS)} rpcs, {len(CALLERS)} classes of callers, {cases} cases as it comes.\n"


def _table(first: str, columns: list[str], rows: dict[str, list[str]]) -> Iterator[str]:
    """A table; rows that say the same are one."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, cells in rows.items():
        alike.setdefault(tuple(cells), []).append(name)
    yield _row([first, *columns])
    yield f"|{'---|' * (len(columns) + 1)}\n"
    for found, names in alike.items():
        yield _row([", ".join(names), *found])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _rpc_table() -> Iterator[str]:
    """Callers that are answered alike share a column, and rpcs that answer alike a row."""
    columns: dict[tuple[str, ...], list[str]] = {}
    for caller in CALLERS:
        columns.setdefault(tuple(_admission(caller, rpc) for rpc in METHODS), []).append(caller.name)
    rows = {f"`{rpc}`": [column[at] for column in columns] for at, rpc in enumerate(METHODS)}
    yield from _table("rpc", [", ".join(names) for names in columns.values()], rows)


def _admission(caller: Caller, rpc: str) -> str:
    reason = admitted(SETTINGS[0], caller, Asked(METHODS[rpc].containing_service.name, rpc))
    return f"`{reason}`" if reason else "yes"


def _setting(setting: Setting, notes: Notes) -> Iterator[str]:
    yield f"### {setting.name}\n\n{_configured(setting)}\n\n"
    targets = list(dict.fromkeys(target.name for caller in ACTING for target in targets_of(caller)))
    rows = {}
    for caller in ACTING:
        cells = {target.name: _cell(setting, caller, target, notes) for target in targets_of(caller)}
        rows[caller.name] = [cells.get(name, "") for name in targets]
    yield from _table("caller", targets, rows)


def _configured(setting: Setting) -> str:
    """What differs from the defaults, in the words of the configuration."""
    said = {
        "tools.subagents.tools.allow": ("[*]" if setting.lifts_tools else "", ""),
        "tools.agentToAgent.enabled": (str(setting.agent_to_agent).lower(), "false"),
        "tools.agentToAgent.allow": (f"[{', '.join(setting.allow)}]", "[]"),
        "tools.sessions.visibility": (setting.visibility, "all"),
        "agents.defaults.sandbox.sessionToolsVisibility": ("spawned" if setting.clamps_sandboxed else "all", "spawned"),
    }
    changed = [f"`{key}: {value}`" for key, (value, default) in said.items() if value != default]
    return ", ".join(changed) or "The defaults: agents reach no other agent, and sub-agents have no session tools."


def _cell(setting: Setting, caller: Caller, target: Target, notes: Notes) -> str:
    """Yes or no over all calls that the caller may make; what differs from that becomes a note."""
    answers = {act: _answer(setting, caller, act, target) for act in ACTS if not admitted(setting, caller, act.asked)}
    if not answers:
        return f"`{admitted(setting, caller, ACTS[0].asked)}`"
    usual = max((True, False), key=lambda found: sum((answer in (OK, LISTED)) is found for answer in answers.values()))
    unusual = {act: answer for act, answer in answers.items() if (answer in (OK, LISTED)) is not usual}
    cell = "yes" if usual else "–"
    if not unusual:
        return cell
    said = ", ".join(f"{act}: {_said(answer)}" for act, answer in _by_rpc(unusual, answers).items())
    return f"{cell} {notes.mark(f'{said}.')}"


def _by_rpc(unusual: dict[Act, str], answers: dict[Act, str]) -> dict[str, str]:
    """Where all ways of calling an rpc are answered alike, its name says it."""
    ways = {act.rpc: {answers[other] for other in answers if other.rpc == act.rpc} for act in unusual}
    return {act.rpc if len(ways[act.rpc]) == 1 else str(act): answer for act, answer in unusual.items()}


def _answer(setting: Setting, caller: Caller, act: Act, target: Target) -> str:
    return verdict(setting, caller, act.asked, target)


def _said(answer: str) -> str:
    if answer in (LISTED, UNLISTED):
        return answer
    return "made" if answer == OK else f"`{answer}`"


def _spawn_table() -> Iterator[str]:
    asked = plain_asked("SessionsSpawn")
    rows = {}
    for caller in CALLERS:
        answers = [spawn_verdict(SETTINGS[0], caller, asked, agent, ALLOWED) for agent in SPAWNED_UNDER]
        rows[caller.name] = ["yes" if answer == OK else f"`{answer}`" for answer in answers]
    yield from _table("caller", SPAWNED_UNDER, rows)
