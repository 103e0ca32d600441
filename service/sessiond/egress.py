"""The one door out: every outgoing text passes here, and the decision is stored (Q3, S12, D1, D4)."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.access import key_of
from sessiond.ids import new_id
from sessiond.model.deliveries import Delivery, DeliveryState
from sessiond.model.events import DeliveryMoved
from sessiond.model.exchanges import Suppressed
from sessiond.model.policy import Verdict, judge, subject_of
from sessiond.model.rules import Rules
from sessiond.model.sessions import Route, Session
from sessiond.store import deliveries, exchanges, runs, sessions
from sessiond.store.deliveries import NewDelivery
from sessiond.store.transaction import Tx


@dataclass(frozen=True)
class Outgoing:
    """A text that a session owes its channel; `suppressed` when it is known already that it does not go."""

    run_id: str
    step: str
    session: Session
    route: Route | None
    text: str
    exchange_id: str = ""
    suppressed: Suppressed | None = None


def send_out(tx: Tx, rules: Rules, outgoing: Outgoing) -> None:
    """Put the text into the outbox, or store why it stays here; exactly one row a step."""
    suppressed, rule = outgoing.suppressed, ""
    if suppressed is None and outgoing.route is None:
        suppressed = Suppressed.NO_ROUTE
    if suppressed is None:
        verdict = verdict_on(rules, outgoing.session)
        if not verdict.allowed:
            suppressed, rule = Suppressed.POLICY, verdict.rule
    new = NewDelivery(
        id=new_id(),
        exchange_id=outgoing.exchange_id,
        run_id=outgoing.run_id,
        step=outgoing.step,
        session=outgoing.session.id,
        route=outgoing.route,
        text=outgoing.text,
        give_up_ms=tx.now_ms + rules.deliveries.give_up_ms,
        suppressed=suppressed,
        policy_rule=rule,
    )
    written = deliveries.create(tx, new)
    if written is not None:
        moved(tx, written)


def verdict_on(rules: Rules, session: Session) -> Verdict:
    """What the send policy says of texts out of this session."""
    return judge(rules.send_policy, subject_of(session, key_of(session, rules)))


def end(tx: Tx, delivery: Delivery, state: DeliveryState, **values: object) -> Delivery:
    """Give a delivery its outcome."""
    changed = deliveries.change(tx, delivery, state=state.value, end_ms=tx.now_ms, lease_expires_ms=None, **values)
    moved(tx, changed)
    return changed


def moved(tx: Tx, delivery: Delivery) -> None:
    """Tell whoever follows the run; with the last outcome, the exchange is over."""
    session = sessions.get(tx, delivery.session)
    exchange = exchanges.get(tx, delivery.exchange_id) if delivery.exchange_id else None
    followed = exchange.primary_run_id if exchange else delivery.run_id
    runs.note_event(tx, followed, DeliveryMoved(delivery, session.key))
    if exchange is not None and delivery.is_final:
        exchanges.settle(tx, exchange)
