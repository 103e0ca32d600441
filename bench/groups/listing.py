"""SessionsList among few and among many sessions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bench.flatness import Ask, Flatness, flatness, worst_of
from bench.options import SMALL
from bench.report import Table
from bench.stores import AGENTS, DATABASES, Bench, Store
from sessiond.model.agents import Agent, Roster
from sessiond.model.callers import Caller, CallerRole
from sessiond.model.keys import SessionKind
from sessiond.model.rules import Rules
from sessiond.model.visibility import VisibilityRules, VisibilitySetting
from sessiond.tools.sessions_list import ListQuery, sessions_list

ROSTER = Roster({agent: Agent(agent) for agent in AGENTS})
OWNER = Caller(CallerRole.OWNER, "bench")
ACTING = Caller(CallerRole.OWNER, "bench", acting_reference="main")
TWO_WEEKS = 14 * 24 * 60


@dataclass(frozen=True)
class Case:
    """One way to ask for a list."""

    name: str
    query: ListQuery = field(default_factory=lambda: ListQuery(limit=200))
    caller: Caller = OWNER
    visibility: VisibilityRules = field(default_factory=VisibilityRules)
    page: int = 1


CASES = (
    Case("no filter"),
    Case("no filter, page 2", page=2),
    Case("archived too", ListQuery(limit=200, include_archived=True)),
    Case("kind group", ListQuery(limit=200, kinds=(SessionKind.GROUP,))),
    Case("kinds group and other", ListQuery(limit=200, kinds=(SessionKind.GROUP, SessionKind.OTHER))),
    Case("one agent", ListQuery(limit=200, agent_id="main")),
    Case("a label", ListQuery(limit=50, label="release")),
    Case("active in two weeks", ListQuery(limit=200, active_minutes=TWO_WEEKS)),
    Case("with 5 messages each", ListQuery(limit=200, message_limit=5)),
    Case("acting session", caller=ACTING),
    Case("acting session, page 2", caller=ACTING, page=2),
    Case("acting session, kind group", ListQuery(limit=100, kinds=(SessionKind.GROUP,)), ACTING),
    Case("acting session, a label", ListQuery(limit=20, label="release"), ACTING),
    Case("acting session, tree only", ListQuery(limit=50), ACTING, VisibilityRules(VisibilitySetting.TREE)),
    Case("acting session, all agents", caller=ACTING, visibility=VisibilityRules(agent_to_agent=True)),
    Case(
        "acting session, agents by name",
        caller=ACTING,
        visibility=VisibilityRules(agent_to_agent=True, agent_to_agent_allow=AGENTS),
    ),
)


async def tables(bench: Bench) -> list[Table]:
    """Each case on each database."""
    measured: list[Flatness] = []
    for database in DATABASES:
        async with bench.pair(database) as pair:
            measured += [await flatness(pair, case.name, _ask(case), bench.options.rounds) for case in CASES]
    large = bench.options.sessions
    headers = ("database", "case", "rows", f"of {SMALL:,} (ms)", f"of {large:,} (ms)", "ratio")
    about = f"A page of sessions out of {SMALL:,} and out of {large:,}, in process, through the use case."
    rows = [each.cells for each in measured]
    bars = worst_of("SessionsList, the worst of all cases", measured)
    return [Table("SessionsList: flat in the number of sessions", about, headers, rows, bars=bars)]


def _ask(case: Case) -> Ask:
    rules = Rules(roster=ROSTER, visibility=case.visibility)
    tokens: dict[int, str] = {}

    async def ask(store: Store) -> int:
        if id(store) not in tokens:
            tokens[id(store)] = await _token(case, rules, store)
        query = replace(case.query, page_token=tokens[id(store)])
        return len((await sessions_list(store.db, rules, case.caller, query)).sessions)

    return ask


async def _token(case: Case, rules: Rules, store: Store) -> str:
    """Leads to the case's page."""
    token = ""
    for _ in range(case.page - 1):
        query = replace(case.query, page_token=token)
        token = (await sessions_list(store.db, rules, case.caller, query)).next_page_token
    return token
