"""What a look at followed runs brings: each run and its next events, for many readers in one go (W1, W7, W8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sessiond.access import View, view_of
from sessiond.model.callers import Caller
from sessiond.model.errors import Refusal, RunNotFound
from sessiond.model.rules import Rules
from sessiond.model.runs import Run
from sessiond.model.waits import WaitUntil
from sessiond.store import deliveries, exchanges, run_events, runs, sessions
from sessiond.store.run_events import StoredEvent
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Row, Tx
from sessiond.waiting import require_settleable

# Few enough that a page of the largest messages stays small in memory; more pages follow at once.
PAGE_EVENTS = 32


@dataclass(frozen=True, slots=True)
class RunPage:
    """A run and its next events, as one reader may see them now."""

    placed: PlacedRun
    events: list[StoredEvent]
    is_over: bool
    at_ms: int
    view: View
    hides_others: bool


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """What a look asks for; equal ones have one answer."""

    rules: Rules = field(compare=False)  # the same for everybody
    caller: Caller
    until: WaitUntil
    run_id: str
    after: int
    is_first: bool

    def ask(self, tx: Tx) -> Callable[[], RunPage]:
        """The run and its next events, if the caller may still see it (W8); to be looked at later."""
        view = view_of(tx, self.rules, self.caller)
        found = runs.ask(tx, self.run_id, view.scope)
        if self.is_first and not found():  # nothing is read of a hidden run, or time would tell that it is there
            raise RunNotFound
        events = run_events.ask_after(tx, self.run_id, self.after, PAGE_EVENTS)
        return lambda: self._page(tx, view, found(), events())

    def _page(self, tx: Tx, view: View, found: list[Row], events: list[StoredEvent]) -> RunPage:
        if not found:
            raise RunNotFound
        placed = runs.as_placed(tx, found[0])
        if self.is_first and self.until is WaitUntil.SETTLED:
            require_settleable(tx, self.rules, self.caller, view, placed.run)
        is_over = placed.run.is_final and (self.until is WaitUntil.REPLY or _is_settled(tx, placed.run))
        return RunPage(placed, events, is_over, tx.now_ms, view, _hides_others(tx, view, placed))


def run_pages(tx: Tx, asked: Sequence[PageQuestion]) -> list[RunPage | Exception]:
    """The answers to those who look at the same moment: all are asked before the first is looked at.

    Many who follow one run have one question, which is asked once.
    """
    tx.ask_now()
    later = {question: question.ask(tx) for question in dict.fromkeys(asked)}
    pages = {question: _page_or_refusal(page) for question, page in later.items()}
    return [pages[question] for question in asked]


def _page_or_refusal(page: Callable[[], RunPage]) -> RunPage | Refusal:
    """One reader's refusal is not another's."""
    try:
        return page()
    except Refusal as refusal:
        return refusal


def _hides_others(tx: Tx, view: View, placed: PlacedRun) -> bool:
    """Whether a side of the run's exchange is hidden from the reader, so that its key and route are not told (V5)."""
    others = placed.parties - {None, placed.run.session}
    return view.scope.is_restricted and any(not sessions.is_visible(tx, each, view.scope) for each in others if each)


def _is_settled(tx: Tx, run: Run) -> bool:
    """Whether everything that the run set off has an outcome; for a chat, its own delivery."""
    if run.exchange_id:
        exchange = exchanges.get(tx, run.exchange_id)
        return exchange is None or exchange.is_settled
    return not deliveries.has_open(tx, run.id)
