"""Messages that are orders to the service, and those that only look like one (Q2)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessiond.model.commands import Command, SetSendPolicy, Stop, command_in
from sessiond.model.sessions import PolicyAction

ANY_SPEED = settings(deadline=None)  # a busy machine is no failure
ORDERS: dict[str, Command] = {
    "/stop": Stop(),
    "/send on": SetSendPolicy(PolicyAction.ALLOW),
    "/send allow": SetSendPolicy(PolicyAction.ALLOW),
    "/send off": SetSendPolicy(PolicyAction.DENY),
    "/send deny": SetSendPolicy(PolicyAction.DENY),
    "/send inherit": SetSendPolicy(None),
    "/send default": SetSendPolicy(None),
    "/send reset": SetSendPolicy(None),
}
EVERY_ORDER = pytest.mark.parametrize("order", ORDERS)


@EVERY_ORDER
def test_an_order_that_stands_alone_is_one(order: str) -> None:  # Q2
    assert command_in(order) == ORDERS[order]


@EVERY_ORDER
def test_an_order_has_no_case(order: str) -> None:  # Q2
    assert command_in(order.upper()) == ORDERS[order]
    assert command_in(order.title()) == ORDERS[order]


@EVERY_ORDER
@pytest.mark.parametrize("space", [" ", "  ", "\t", "\n", "\r\n", "\u00a0"])
def test_white_space_around_and_within_an_order_does_not_count(order: str, space: str) -> None:  # Q2
    assert command_in(space + order.replace(" ", space) + space) == ORDERS[order]


@EVERY_ORDER
@pytest.mark.parametrize("dress", ["{} please", "please {}", "{} {}", "{}.", "`{}`", "/{}", "{}!", "\u200b{}"])
def test_an_order_among_other_words_is_an_ordinary_message(order: str, dress: str) -> None:  # Q2
    assert command_in(dress.format(order, order)) is None


@pytest.mark.parametrize(
    "text",
    ["", " ", "stop", "send on", "/", "/ stop", "/ send on", "/send", "/sendon", "/send:on", "/send o n", "/send yes"],
)
def test_what_is_no_order_is_an_ordinary_message(text: str) -> None:  # Q2
    assert command_in(text) is None


@ANY_SPEED
@given(st.text())
def test_any_words_beside_an_order_make_it_an_ordinary_message(words: str) -> None:  # Q2
    extra = f"{words}x"

    assert [order for order in ORDERS if command_in(f"{order} {extra}") or command_in(f"{extra} {order}")] == []
