"""What a finished run of an exchange leads to, class by class (S9-S14, P7, P10)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from sessiond.model.exchanges import (
    ANNOUNCE_SKIP,
    REPLY_SKIP,
    AnnouncePolicy,
    AnnounceTurn,
    Exchange,
    ExchangeKind,
    NextTurn,
    Publish,
    Report,
    Settled,
    Step,
    Suppressed,
    follow_up,
    is_skip,
    route_from,
    skip_token_of,
)
from sessiond.model.keys import KeyRules, canonical
from sessiond.model.runs import Ending, Failure, RunKind, cancelled, failed, runtime_lost, skipped, succeeded, timed_out
from sessiond.model.sessions import Route, Session

TARGET, REQUESTER = 7, 8
MAY_SKIP, NEVER = AnnouncePolicy.MODEL_MAY_SKIP, AnnouncePolicy.NEVER
ANNOUNCED = AnnounceTurn(TARGET)

SILENT = [skipped()]
EMPTY = [succeeded(""), succeeded(" \t\n")]
TALKING = [succeeded("hello"), succeeded("reply_skip"), succeeded(" two\nlines ")]
ANSWERED = [*TALKING, *EMPTY, *SILENT]
NOT_SUCCEEDED = [failed(Failure("MODEL_ERROR")), timed_out(1_000), cancelled("olivia", ""), runtime_lost()]
EVERY_ENDING = [*ANSWERED, *NOT_SUCCEEDED]


def exchange_of(
    requester: int | None = REQUESTER, max_turns: int = 5, announce: AnnouncePolicy = MAY_SKIP, **columns: Any
) -> Exchange:
    row: dict[str, Any] = dict.fromkeys(Exchange._fields, "")
    row |= {"kind": ExchangeKind.SEND.value, "state": "open", "target_session": TARGET}
    row |= {"requester_session": requester, "max_turns": max_turns, "announce": announce.value}
    return Exchange(**row | columns)


EVERY_EXCHANGE = [
    exchange_of(requester, max_turns, announce)
    for requester, max_turns, announce in itertools.product((None, TARGET, REQUESTER), (0, 1, 2, 5), (MAY_SKIP, NEVER))
]
WITHOUT_A_LOOP = [each for each in EVERY_EXCHANGE if each.requester_session != REQUESTER or not each.max_turns]
EVERY_TURN = [(turn, TARGET if turn % 2 == 0 else REQUESTER) for turn in range(6)]


def shown_by(value: object) -> str | None:
    """A short name for a case: how the run ended and what it said, or what its exchange is like."""
    if isinstance(value, Ending):
        return f"{value.reason} {value.reply!r}"
    if isinstance(value, Exchange):
        return f"requester {value.requester_session} turns {value.max_turns} {value.announce}"
    return None


def over_every(**cases: Sequence[object]) -> pytest.MarkDecorator:
    """A test over all combinations of these."""
    return pytest.mark.parametrize(tuple(cases), list(itertools.product(*cases.values())), ids=shown_by)


def what_follows_loop(exchange: Exchange) -> Step:
    return Settled() if exchange.announce == NEVER else ANNOUNCED


@over_every(exchange=EVERY_EXCHANGE, ending=NOT_SUCCEEDED)
def test_a_failed_send_starts_neither_loop_nor_announce(exchange: Exchange, ending: Ending) -> None:  # S9
    assert follow_up(exchange, RunKind.SEND, 0, TARGET, ending) == Settled()


@over_every(announce=[MAY_SKIP, NEVER], ending=TALKING)
@pytest.mark.parametrize(
    ("kind", "turn", "session", "other"),
    [
        (RunKind.SEND, 0, TARGET, REQUESTER),
        (RunKind.REPLY, 1, REQUESTER, TARGET),
        (RunKind.REPLY, 2, TARGET, REQUESTER),
        (RunKind.REPLY, 3, REQUESTER, TARGET),
        (RunKind.REPLY, 4, TARGET, REQUESTER),
    ],
)
def test_words_give_the_other_side_the_next_turn_on_exactly_them(
    kind: RunKind, turn: int, session: int, other: int, announce: AnnouncePolicy, ending: Ending
) -> None:  # S10
    step = follow_up(exchange_of(announce=announce), kind, turn, session, ending)

    assert step == NextTurn(other, turn + 1, ending.reply or "")


@over_every(place=EVERY_TURN, ending=TALKING, announce=[MAY_SKIP, NEVER])
def test_words_in_the_last_turn_end_the_loop(
    place: tuple[int, int], ending: Ending, announce: AnnouncePolicy
) -> None:  # S10
    turn, session = place
    exchange = exchange_of(max_turns=turn, announce=announce)

    step = follow_up(exchange, RunKind.REPLY if turn else RunKind.SEND, turn, session, ending)

    assert step == what_follows_loop(exchange)


@over_every(exchange=EVERY_EXCHANGE, ending=[*EMPTY, *SILENT])
def test_a_send_answered_by_silence_has_no_loop_but_is_announced(exchange: Exchange, ending: Ending) -> None:  # S11
    assert follow_up(exchange, RunKind.SEND, 0, TARGET, ending) == what_follows_loop(exchange)


@over_every(exchange=WITHOUT_A_LOOP, ending=ANSWERED)
def test_without_another_requester_or_turns_there_is_no_loop(exchange: Exchange, ending: Ending) -> None:  # S10
    assert not exchange.can_talk
    assert follow_up(exchange, RunKind.SEND, 0, TARGET, ending) == what_follows_loop(exchange)


@over_every(place=EVERY_TURN[1:], ending=[*EMPTY, *SILENT, *NOT_SUCCEEDED], announce=[MAY_SKIP, NEVER])
def test_silence_or_failure_in_a_turn_ends_the_loop(
    place: tuple[int, int], ending: Ending, announce: AnnouncePolicy
) -> None:  # S11
    turn, session = place
    exchange = exchange_of(announce=announce)

    assert follow_up(exchange, RunKind.REPLY, turn, session, ending) == what_follows_loop(exchange)


@over_every(exchange=EVERY_EXCHANGE)
@pytest.mark.parametrize(
    ("ending", "publish"),
    [
        *((ending, Publish(ending.reply or "")) for ending in TALKING),
        *((ending, Publish(ending.reply or "", Suppressed.EMPTY)) for ending in EMPTY),
        *((ending, Publish("", Suppressed.SKIPPED)) for ending in SILENT),
        *((ending, Publish("", Suppressed.RUN_FAILED)) for ending in NOT_SUCCEEDED),
    ],
    ids=shown_by,
)
def test_an_announce_goes_out_or_leaves_the_reason_why_not(
    exchange: Exchange, ending: Ending, publish: Publish
) -> None:  # S12
    assert follow_up(exchange, RunKind.ANNOUNCE, 0, TARGET, ending) == publish


@over_every(exchange=EVERY_EXCHANGE, ending=ANSWERED)
def test_a_child_that_answered_is_asked_for_an_announcement(exchange: Exchange, ending: Ending) -> None:  # P7
    spawned = exchange._replace(kind=ExchangeKind.SPAWN.value)

    assert follow_up(spawned, RunKind.SPAWN, 0, TARGET, ending) == AnnounceTurn(TARGET)


@over_every(exchange=EVERY_EXCHANGE, ending=NOT_SUCCEEDED)
def test_a_child_that_did_not_succeed_is_reported_without_asking(exchange: Exchange, ending: Ending) -> None:  # P7
    spawned = exchange._replace(kind=ExchangeKind.SPAWN.value)

    assert follow_up(spawned, RunKind.SPAWN, 0, TARGET, ending) == Report(None)


@over_every(exchange=EVERY_EXCHANGE)
@pytest.mark.parametrize(
    ("ending", "report"),
    [
        *((ending, Report(ending.reply)) for ending in [*TALKING, *EMPTY]),
        *((ending, Report("", Suppressed.SKIPPED)) for ending in SILENT),
        *((ending, Report(None)) for ending in NOT_SUCCEEDED),
    ],
    ids=shown_by,
)
def test_a_childs_announcement_is_its_report_and_only_a_skip_suppresses_it(
    exchange: Exchange, ending: Ending, report: Report
) -> None:  # P10
    spawned = exchange._replace(kind=ExchangeKind.SPAWN.value)

    assert follow_up(spawned, RunKind.SPAWN_ANNOUNCE, 0, TARGET, ending) == report


@over_every(exchange=EVERY_EXCHANGE, ending=EVERY_ENDING)
def test_a_chat_leads_to_nothing(exchange: Exchange, ending: Ending) -> None:
    assert follow_up(exchange, RunKind.CHAT, 0, TARGET, ending) == Settled()


@pytest.mark.parametrize("token", [REPLY_SKIP, ANNOUNCE_SKIP])
@pytest.mark.parametrize("dress", ["{}", " {}", "{}\n", "\r\n\t {} \n"])
def test_a_skip_is_exactly_a_token_after_trimming(token: str, dress: str) -> None:  # S11, S12
    assert is_skip(dress.format(token))


@pytest.mark.parametrize("token", [REPLY_SKIP, ANNOUNCE_SKIP])
@pytest.mark.parametrize(
    "dress", ["", " ", "{}.", "`{}`", '"{}"', "{} {}", "I say {}", "{}\nbye", "**{}**", "\u200b{}"]
)
def test_a_token_among_other_words_is_a_reply(token: str, dress: str) -> None:  # S11, S12
    assert not is_skip(dress.format(token, token))


@pytest.mark.parametrize("word", ["reply_skip", "Reply_Skip", "announce_skip", "REPLY SKIP", "REPLYSKIP", "SKIP"])
def test_a_word_like_a_token_is_a_reply(word: str) -> None:  # S11, S12
    assert not is_skip(word)


def test_each_kind_of_run_has_its_token_where_silence_is_a_choice() -> None:  # S11, S12
    assert {kind: skip_token_of(kind) for kind in RunKind} == {
        RunKind.CHAT: "",
        RunKind.SEND: REPLY_SKIP,
        RunKind.REPLY: REPLY_SKIP,
        RunKind.ANNOUNCE: ANNOUNCE_SKIP,
        RunKind.SPAWN: "",
        RunKind.SPAWN_ANNOUNCE: ANNOUNCE_SKIP,
    }


def test_an_exchange_remembers_the_route_it_was_promised() -> None:  # S14
    columns: dict[str, Any] = {
        "route_channel": "telegram",
        "route_to": "42",
        "route_account_id": "a1",
        "route_thread_id": "9",
    }

    assert exchange_of().route is None
    assert exchange_of(**columns).route == Route("telegram", "42", "a1", "9")


@pytest.mark.parametrize(("state", "settled"), [("open", False), ("settled", True)])
def test_an_exchange_says_whether_it_is_over(state: str, settled: bool) -> None:  # W4
    assert exchange_of(state=state).is_settled is settled


def session_reached_at(route: Route | None) -> Session:
    row: dict[str, Any] = dict.fromkeys(Session._fields, "")
    if route:
        row |= {"route_channel": route.channel, "route_to": route.to}
        row |= {"route_account_id": route.account_id, "route_thread_id": route.thread_id}
    return Session(**row)


ON_TELEGRAM = Route("telegram", "42", "a1", "9")


@pytest.mark.parametrize(
    ("key", "last", "route"),
    [
        ("telegram:group:-100", None, Route("telegram", "-100")),
        ("telegram:group:-100", ON_TELEGRAM, Route("telegram", "-100", "a1")),
        ("discord:group:G", ON_TELEGRAM, Route("discord", "G")),
        ("discord:channel:C", None, Route("discord", "C")),
        ("telegram:group:-100:topic:3", ON_TELEGRAM, Route("telegram", "-100", "a1", "3")),
        ("discord:channel:C:thread:T", None, Route("discord", "C", "", "T")),
        ("telegram:direct:peer", ON_TELEGRAM, ON_TELEGRAM),
        ("telegram:direct:peer", None, None),
        ("main", ON_TELEGRAM, ON_TELEGRAM),
        ("main", None, None),
        ("subagent:c1", None, None),
        ("cron:group:job", ON_TELEGRAM, ON_TELEGRAM),
        ("cron:job", None, None),
    ],
)
def test_a_group_is_reached_by_its_key_and_the_rest_where_they_were_last(
    key: str, last: Route | None, route: Route | None
) -> None:  # S14
    assert route_from(canonical(key, KeyRules()), session_reached_at(last)) == route
