"""SessionsHistory of a short and of a long transcript."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.flatness import Ask, Flatness, flatness, worst_of
from bench.groups.listing import ACTING, OWNER, ROSTER
from bench.options import SMALL
from bench.report import Table
from bench.stores import DATABASES, Bench, Store
from sessiond.model.callers import Caller
from sessiond.model.rules import Rules
from sessiond.tools.sessions_history import HistoryQuery, sessions_history

RULES = Rules(roster=ROSTER)


@dataclass(frozen=True)
class Case:
    """One way to ask for history."""

    name: str
    limit: int = 200
    include_tools: bool = False
    caller: Caller = OWNER
    page: int = 1


CASES = (
    Case("last 200"),
    Case("last 200, page 2", page=2),
    Case("last 200 with tool results", include_tools=True),
    Case("last 50", limit=50),
    Case("last 200, acting session", caller=ACTING),
)


async def tables(bench: Bench) -> list[Table]:
    """Each case on each database."""
    measured: list[Flatness] = []
    for database in DATABASES:
        async with bench.pair(database) as pair:
            measured += [await flatness(pair, case.name, _ask(case), bench.options.rounds) for case in CASES]
    large = bench.options.transcript
    headers = ("database", "case", "rows", f"of {SMALL:,} (ms)", f"of {large:,} (ms)", "ratio")
    about = (
        f"The newest messages of a transcript of {SMALL:,} and of one of {large:,}, in process, through the use case."
    )
    rows = [each.cells for each in measured]
    bars = worst_of("SessionsHistory, the worst of all cases", measured)
    return [Table("SessionsHistory: flat in the length of the transcript", about, headers, rows, bars=bars)]


def _ask(case: Case) -> Ask:
    tokens: dict[str, str] = {}

    async def ask(store: Store) -> int:
        query = HistoryQuery(store.transcript_key, case.limit, case.include_tools)
        if store.transcript_key not in tokens:
            tokens[store.transcript_key] = await _token(case, query, store)
        query = replace(query, page_token=tokens[store.transcript_key])
        return len((await sessions_history(store.db, RULES, case.caller, query)).messages)

    return ask


async def _token(case: Case, query: HistoryQuery, store: Store) -> str:
    """Leads to the case's page."""
    token = ""
    for _ in range(case.page - 1):
        page = await sessions_history(store.db, RULES, case.caller, replace(query, page_token=token))
        token = page.next_page_token
    return token
