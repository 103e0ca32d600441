"""Runs: their states, how they end, lease tokens and cursors (R1, R3, W2)."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sessiond.model.errors import CursorMismatch
from sessiond.model.messages import Usage
from sessiond.model.runs import (
    LEASED_STATES,
    Ending,
    Failure,
    LeaseToken,
    Run,
    RunState,
    cancelled,
    cursor_of,
    failed,
    runtime_lost,
    sequence_of,
    skipped,
    succeeded,
    timed_out,
)

ANY_SPEED = settings(deadline=None)  # a busy machine is no failure
RUN_ID, OTHER_ID = "0199a1b2-0000-7000-8000-00000000000a", "0199a1b2-0000-7000-8000-00000000000b"
RUN_IDS = st.uuids().map(str)
NUMBERS = st.integers(0, 10**18 - 1)
USAGE = Usage(1, 2, 3)


def run_with(**columns: Any) -> Run:
    row: dict[str, Any] = dict.fromkeys(Run._fields, None)
    return Run(**row | columns)


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def test_a_run_is_over_in_its_four_last_states() -> None:  # R1
    over = {RunState.SUCCEEDED, RunState.FAILED, RunState.TIMED_OUT, RunState.CANCELLED}

    assert {state for state in RunState if state.is_final} == over
    assert {state for state in RunState if run_with(state=state.value).is_final} == over
    assert not over & set(LEASED_STATES)


@pytest.mark.parametrize(
    ("ending", "state"),
    [
        (succeeded("hello"), RunState.SUCCEEDED),
        (skipped(), RunState.SUCCEEDED),
        (failed(Failure("MODEL_ERROR")), RunState.FAILED),
        (cancelled("olivia", "no need"), RunState.CANCELLED),
        (timed_out(1_500), RunState.TIMED_OUT),
        (runtime_lost(), RunState.FAILED),
    ],
)
def test_every_ending_is_final_with_actor_and_reason_and_a_failure_unless_it_succeeded(
    ending: Ending, state: RunState
) -> None:  # R1
    assert ending.state is state
    assert ending.state.is_final
    assert ending.actor
    assert ending.reason
    assert (ending.failure is None) == (state is RunState.SUCCEEDED)


def test_a_skip_leaves_no_reply() -> None:  # S12
    ending = skipped(USAGE)

    assert (ending.reply, ending.is_skipped, ending.reason, ending.usage) == (None, True, "SKIPPED", USAGE)


def test_a_failure_says_who_or_what_ended_the_run() -> None:  # R5, R6
    assert cancelled("olivia", "no need").failure == Failure("CANCELLED", "cancelled by olivia: no need")
    assert cancelled("olivia", "").reason == "CANCELLED"
    assert "run_timeout_seconds of 1.5" in (timed_out(1_500).failure or Failure("")).message


@pytest.mark.parametrize(
    ("tokens", "usage"),
    [
        ((None, None, None), None),
        ((0, 0, 0), Usage(0, 0, 0, 0.5)),
        ((10, None, None), Usage(10, 0, 0, 0.5)),
        ((None, None, 30), Usage(0, 0, 30, 0.5)),
        ((10, 20, 30), Usage(10, 20, 30, 0.5)),
    ],
)
def test_a_runs_usage_is_known_once_somebody_told_it(
    tokens: tuple[int | None, int | None, int | None], usage: Usage | None
) -> None:
    told = dict(zip(("input_tokens", "output_tokens", "total_tokens"), tokens, strict=True))

    assert run_with(**told, cost_usd=0.5).usage == usage


@ANY_SPEED
@given(RUN_IDS, NUMBERS, st.from_regex(r"[A-Za-z0-9_-]+", fullmatch=True))
def test_a_lease_token_reads_as_it_was_written(run_id: str, fence: int, secret: str) -> None:  # R3
    token = LeaseToken(run_id, fence, secret)

    assert LeaseToken.parse(str(token)) == token


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        RUN_ID,
        f"{RUN_ID}.1",
        f"{RUN_ID}.1.secret.more",
        f"{RUN_ID}..secret",
        f"{RUN_ID}.x.secret",
        f"{RUN_ID}.-1.secret",
        f"{RUN_ID}.+1.secret",
        f"{RUN_ID}. 1.secret",
        f"{RUN_ID}.1_0.secret",
        f"{RUN_ID}.١.secret",
        f"{RUN_ID}.².secret",
        f"{RUN_ID}.{10**18}.secret",
    ],
)
def test_a_text_that_can_be_no_lease_token_is_none(text: str) -> None:  # R3
    assert LeaseToken.parse(text) is None


@ANY_SPEED
@given(st.text(st.sampled_from("a1.²-")) | st.text())
def test_a_lease_token_read_from_any_text_is_what_was_written(text: str) -> None:  # R3
    token = LeaseToken.parse(text)

    if token is not None:
        run_id, fence, secret = text.split(".")
        assert token == LeaseToken(run_id, int(fence), secret)


@ANY_SPEED
@given(RUN_IDS, NUMBERS)
def test_a_cursor_leads_back_to_its_place(run_id: str, sequence: int) -> None:  # W2
    cursor = cursor_of(run_id, sequence)

    assert sequence_of(cursor, run_id) == sequence
    assert run_id not in cursor


def test_without_a_cursor_one_begins_before_the_first_event() -> None:  # W2
    assert sequence_of("", RUN_ID) == 0


@ANY_SPEED
@given(RUN_IDS, RUN_IDS, NUMBERS)
def test_a_cursor_of_another_run_is_refused(run_id: str, other: str, sequence: int) -> None:  # W2
    assume(run_id != other)

    with pytest.raises(CursorMismatch):
        sequence_of(cursor_of(other, sequence), run_id)


@pytest.mark.parametrize(
    "cursor",
    [
        "5",
        "x",
        " ",
        "====",
        "é",
        "\udc80",
        RUN_ID,
        encoded(RUN_ID),
        encoded(f"{RUN_ID}:"),
        encoded(f"{RUN_ID}:x"),
        encoded(f"{RUN_ID}:-1"),
        encoded(f"{RUN_ID}:²"),
        encoded(f"{RUN_ID}:١"),
        encoded(f"{RUN_ID}:1:1"),
        encoded(f"{RUN_ID}:{10**18}"),
        encoded(f"x{RUN_ID}:1"),
        encoded(":1"),
        cursor_of(OTHER_ID, 1),
        cursor_of(RUN_ID, 1)[1:],
        base64.urlsafe_b64encode(b"\xff\xfe:1").decode(),
    ],
)
def test_a_cursor_that_was_never_given_is_refused(cursor: str) -> None:  # W2
    with pytest.raises(CursorMismatch) as refused:
        sequence_of(cursor, RUN_ID)

    assert [problem.field for problem in refused.value.fields] == ["cursor"]


def is_place(text: str) -> bool:
    return text.isascii() and text.isdigit()


@ANY_SPEED
@given(
    st.one_of(
        st.text(min_size=1, max_size=40),
        st.text().map(lambda text: encoded(f"x{text}")),
        st.text().filter(lambda text: not is_place(text)).map(lambda text: encoded(f"{RUN_ID}:{text}")),
        st.binary(min_size=1, max_size=30).map(lambda data: base64.urlsafe_b64encode(data).decode()),
    )
)
def test_whatever_else_is_given_as_a_cursor_is_refused(cursor: str) -> None:  # W2
    with pytest.raises(CursorMismatch):
        sequence_of(cursor, RUN_ID)
