"""What holds for every exchange, however its runs end (S9-S13, P7, P10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

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
    follow_up,
    is_skip,
)
from sessiond.model.runs import (
    Ending,
    Failure,
    RunKind,
    RunState,
    cancelled,
    failed,
    runtime_lost,
    skipped,
    succeeded,
    timed_out,
)

ANY_SPEED = settings(deadline=None)  # a busy machine is no failure
TARGET, REQUESTER = 7, 8
MOST_TURNS = 5


@dataclass(frozen=True)
class Taken:
    """A run of an exchange, how it ended and what that led to."""

    kind: RunKind
    turn: int
    session: int
    ending: Ending
    step: Step


def answered(reply: str) -> Ending:
    return skipped() if is_skip(reply) else succeeded(reply)


def exchange_of(kind: ExchangeKind, requester: int | None, max_turns: int, announce: AnnouncePolicy) -> Exchange:
    row: dict[str, Any] = dict.fromkeys(Exchange._fields, "")
    row |= {"kind": kind.value, "state": "open", "target_session": TARGET, "requester_session": requester}
    return Exchange(**row | {"max_turns": max_turns, "announce": announce.value})


EXCHANGES = st.builds(
    exchange_of,
    st.sampled_from(ExchangeKind),
    st.sampled_from([None, TARGET, REQUESTER, REQUESTER]),
    st.integers(0, MOST_TURNS),
    st.sampled_from(AnnouncePolicy),
)
SILENCES = st.sampled_from(["", " \n", REPLY_SKIP, f" {ANNOUNCE_SKIP}\n"])
TALK = st.text(min_size=1, max_size=8).map(answered)
FAILURES = st.sampled_from([failed(Failure("MODEL_ERROR")), timed_out(1), cancelled("olivia", ""), runtime_lost()])
ENDING = st.one_of(TALK, TALK, TALK, SILENCES.map(answered), FAILURES)  # mostly talk, or no loop would get far
# As many runs as an exchange can have: the first, the turns and the announce.
ENDINGS = st.lists(ENDING, min_size=MOST_TURNS + 2, max_size=MOST_TURNS + 2)


def first_kind(exchange: Exchange) -> RunKind:
    return RunKind.SPAWN if exchange.kind == ExchangeKind.SPAWN else RunKind.SEND


def driven(exchange: Exchange, endings: list[Ending]) -> list[Taken]:
    """Every run of the exchange, when its runs end in these ways."""
    return list(_drive(exchange, endings))


def _drive(exchange: Exchange, endings: list[Ending]) -> Iterator[Taken]:
    kind, turn, session = first_kind(exchange), 0, TARGET
    for ending in endings[: exchange.max_turns + 2]:
        step = follow_up(exchange, kind, turn, session, ending)
        yield Taken(kind, turn, session, ending, step)
        match step:
            case NextTurn():
                kind, turn, session = RunKind.REPLY, step.turn, step.session
            case AnnounceTurn():
                is_spawn = exchange.kind == ExchangeKind.SPAWN
                kind, turn, session = RunKind.SPAWN_ANNOUNCE if is_spawn else RunKind.ANNOUNCE, 0, step.session
            case _:
                return


def turns_of(taken: list[Taken]) -> list[NextTurn]:
    return [each.step for each in taken if isinstance(each.step, NextTurn)]


@ANY_SPEED
@given(EXCHANGES, ENDINGS)
def test_every_exchange_ends_within_its_turns_and_an_announce(exchange: Exchange, endings: list[Ending]) -> None:  # S10
    taken = driven(exchange, endings)

    assert isinstance(taken[-1].step, Settled | Publish | Report)


@ANY_SPEED
@given(EXCHANGES, ENDINGS)
def test_a_send_owes_one_announcement_unless_it_failed_or_was_told_not_to(
    exchange: Exchange, endings: list[Ending]
) -> None:  # S9, S12, S13
    taken = driven(exchange, endings)

    owed = [each.step for each in taken if isinstance(each.step, Publish | Report)]
    if exchange.kind == ExchangeKind.SPAWN:
        assert [type(step) for step in owed] == [Report]
    elif endings[0].state is not RunState.SUCCEEDED:
        assert (len(taken), owed) == (1, [])
    elif exchange.announce == AnnouncePolicy.NEVER:
        assert owed == []
    else:
        assert [type(step) for step in owed] == [Publish]
        assert taken[-1].session == TARGET


@ANY_SPEED
@given(EXCHANGES, ENDINGS)
def test_turns_alternate_from_the_requester_on_and_never_exceed_the_limit(
    exchange: Exchange, endings: list[Ending]
) -> None:  # S10
    turns = turns_of(driven(exchange, endings))

    sides = [REQUESTER, TARGET] * MOST_TURNS
    assert [each.turn for each in turns] == list(range(1, len(turns) + 1))
    assert [each.session for each in turns] == sides[: len(turns)]
    assert len(turns) <= exchange.max_turns


@ANY_SPEED
@given(EXCHANGES, ENDINGS)
def test_only_a_send_between_two_sessions_has_turns(exchange: Exchange, endings: list[Ending]) -> None:  # S10
    turns = turns_of(driven(exchange, endings))

    has_talk = endings[0].state is RunState.SUCCEEDED and bool((endings[0].reply or "").strip())
    between_two = exchange.kind == ExchangeKind.SEND and exchange.requester_session == REQUESTER
    assert bool(turns) == (has_talk and between_two and exchange.max_turns > 0)


@ANY_SPEED
@given(EXCHANGES, ENDINGS)
def test_every_turn_is_taken_on_the_words_before_it_and_on_no_silence(
    exchange: Exchange, endings: list[Ending]
) -> None:  # S11
    for each in driven(exchange, endings):
        if isinstance(each.step, NextTurn):
            assert each.step.text == each.ending.reply
            assert each.step.text.strip()
            assert each.step.text.strip() not in (REPLY_SKIP, ANNOUNCE_SKIP)


@ANY_SPEED
@given(EXCHANGES, ENDINGS)
def test_what_goes_out_is_never_silence(exchange: Exchange, endings: list[Ending]) -> None:  # S12
    last = driven(exchange, endings)[-1].step

    if isinstance(last, Publish):
        assert (last.suppressed is None) == bool(last.text.strip())
        assert last.text.strip() not in (REPLY_SKIP, ANNOUNCE_SKIP)
