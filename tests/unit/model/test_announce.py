"""What a requester is told of its sub-agent: the normalised report and the stats line (P8, P9)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessiond.model.announce import Stats, StatsStyle, cost_of, report, stats_line, status_word
from sessiond.model.messages import Usage
from sessiond.model.runs import RunState, runtime_lost

USAGE = Usage(10_000, 2_300, 12_300)
STATS = Stats(312_000, USAGE, 0.004, "agent:main:subagent:c1", "s-1", "transcripts/s-1.jsonl")
LINE = "Stats: runtime 12s"
ANY_SPEED = settings(deadline=None)  # a busy machine is no failure


def stats_with(
    runtime_ms: int = 0, usage: Usage | None = None, cost_usd: float | None = None, transcript: str = ""
) -> Stats:
    return Stats(runtime_ms, usage, cost_usd, "K", "S", transcript)


def reported(reply: str | None, *, fallback: str = "", error: str = "", stats: str = LINE) -> str:
    return report(reply, "success", fallback, error, stats)


def text_of(result: str, notes: str = "- (none)") -> str:
    gap = "\n" if "\n" in result else " "
    return f"Status: success\nResult:{gap}{result}\nNotes:\n{notes}\n{LINE}"


def test_the_full_stats_line_tells_everything_in_order() -> None:  # P9
    assert stats_line(STATS, "full") == (
        "Stats: runtime 5m12s • tokens 12.3k (in 10.0k / out 2.3k) • est $0.0040"
        " • sessionKey agent:main:subagent:c1 • sessionId s-1 • transcript transcripts/s-1.jsonl"
    )


@pytest.mark.parametrize(
    ("style", "line"), [("compact", "Stats: runtime 5m12s • tokens 12.3k (in 10.0k / out 2.3k)"), ("off", "")]
)
def test_a_shorter_style_tells_runtime_and_tokens_or_nothing(style: StatsStyle, line: str) -> None:  # P9
    assert stats_line(STATS, style) == line


def test_what_is_not_known_is_left_out_but_for_the_tokens() -> None:  # P9
    assert stats_line(stats_with(), "full") == "Stats: runtime 0ms • tokens n/a • sessionKey K • sessionId S"


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (-5, "0ms"),
        (0, "0ms"),
        (350, "350ms"),
        (999, "999ms"),
        (1_000, "1s"),
        (12_999, "12s"),
        (59_999, "59s"),
        (60_000, "1m00s"),
        (302_000, "5m02s"),
        (3_599_999, "59m59s"),
        (3_600_000, "1h00m00s"),
        (3_723_000, "1h02m03s"),
        (360_000_000, "100h00m00s"),
    ],
)
def test_a_runtime_is_told_in_units_that_fit_it(ms: int, text: str) -> None:  # P9
    assert stats_line(stats_with(ms), "compact") == f"Stats: runtime {text} • tokens n/a"


@pytest.mark.parametrize(
    ("usage", "text"),
    [
        (Usage(0, 0, 0), "0 (in 0 / out 0)"),
        (Usage(999, 0, 999), "999 (in 999 / out 0)"),
        (Usage(999, 1, 1_000), "1.0k (in 999 / out 1)"),
        (Usage(1_049, 1_050, 2_099), "2.1k (in 1.0k / out 1.1k)"),
        (Usage(999_949, 999_950, 1_999_899), "2.0m (in 999.9k / out 1.0m)"),
        (Usage(1_234_567, 1_000_000_000, 1_001_234_567), "1001.2m (in 1.2m / out 1000.0m)"),
        (Usage(10_000, 2_300), "12.3k (in 10.0k / out 2.3k)"),
        (Usage(10, 20, 35), "35 (in 10 / out 20)"),
        (Usage(total_tokens=500), "500"),
    ],
)
def test_tokens_are_told_in_tenths_of_a_unit(usage: Usage, text: str) -> None:  # P9
    assert stats_line(stats_with(usage=usage), "compact") == f"Stats: runtime 0ms • tokens {text}"


@pytest.mark.parametrize(
    ("cost", "text"),
    [(0.0, "$0.0000"), (0.00004, "$0.0000"), (0.0099, "$0.0099"), (0.01, "$0.01"), (0.126, "$0.13"), (12.0, "$12.00")],
)
def test_a_cost_has_two_decimals_from_a_cent_up_and_four_below(cost: float, text: str) -> None:  # P9
    assert f" • est {text} • " in stats_line(stats_with(cost_usd=cost), "full")


def test_prices_are_per_million_tokens() -> None:  # P9
    assert cost_of(Usage(1_000_000, 500_000, 1_500_000), 3.0, 15.0) == pytest.approx(10.5)
    assert cost_of(Usage(1_000, 1_000, 2_000), 0.0, 0.0) == 0.0


@pytest.mark.parametrize(
    ("usage", "price_in", "price_out"),
    [(None, 1.0, 1.0), (USAGE, None, 1.0), (USAGE, 1.0, None), (USAGE, None, None), (Usage(total_tokens=9), 1.0, 1.0)],
)
def test_without_usage_and_both_prices_no_cost_is_known(
    usage: Usage | None, price_in: float | None, price_out: float | None
) -> None:  # P9
    assert cost_of(usage, price_in, price_out) is None


@pytest.mark.parametrize(
    ("state", "reason", "word"),
    [
        (RunState.SUCCEEDED, "COMPLETED", "success"),
        (RunState.FAILED, "MODEL_ERROR", "error"),
        (RunState.FAILED, runtime_lost().reason, "unknown"),
        (RunState.TIMED_OUT, "TIMEOUT", "timeout"),
        (RunState.CANCELLED, "RUNTIME_LOST", "cancelled"),
        (RunState.RUNNING, "", "unknown"),
    ],
)
def test_the_status_word_comes_from_the_runs_outcome(state: RunState, reason: str, word: str) -> None:  # P8
    assert status_word(state, reason) == word


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        ("42", "42"),
        ("  42\n\n", "42"),
        ("", "(not available)"),
        (" \n\t", "(not available)"),
        ("Status: all is well", "(not available)"),
        ("## Status\n\nall is well\n", "(not available)"),
        ("Result:", "(not available)"),
        ("Result: 42", "42"),
        ("Status: failed\nResult: 42", "42"),
        ("Result: 42\nStatus: failed", "42"),
        ("Status: fine\n42", "42"),
        ("42\n\nStatus: fine", "42"),
        ("Status:\n\nResult: 42", "42"),
        ("Status: fine\r\nResult: 42\r\n", "42"),
    ],
)
def test_the_result_is_what_a_reply_says_beside_its_status(reply: str, result: str) -> None:  # P8
    assert reported(reply) == text_of(result)


@pytest.mark.parametrize(
    "heading",
    [
        "Result: ",
        "RESULT:",
        "result : ",
        "  Result: ",
        "- Result: ",
        "* result: ",
        "+ Result: ",
        "• Result: ",
        "2. Result: ",
        "2) Result: ",
        "**Result:** ",
        "**Result**: ",
        "__Result:__ ",
        "*Result:* ",
        "***Result***: ",
        "- **Result:** ",
        "## Result: ",
        "## **Result:** ",
        "## Result\n",
        "### **result**\n\n",
        "**Result**\n",
        "- **Result**\n",
    ],
)
def test_a_heading_is_known_in_any_case_with_bullets_marks_and_emphasis(heading: str) -> None:  # P8
    status, notes = heading.lower().replace("result", "STATUS"), heading.lower().replace("result", "notes")

    assert reported(f"{status}great\n{heading}42\n{notes}slow") == text_of("42", "- slow")


@pytest.mark.parametrize(
    "words",
    [
        "Status - ok",
        "Status",
        "- Result",
        "Results: 42",
        "Note: 42",
        "The result: 42",
        "## Result of it all",
        "**Status** ok",
        "ſtatus: ok",
        "> Status: ok",
        "#Status: ok",
        "```Status: ok```",
    ],
)
def test_other_words_are_no_heading(words: str) -> None:  # P8
    assert reported(words) == text_of(words)


def test_emphasis_that_goes_on_behind_a_heading_stays_whole() -> None:  # P8
    assert reported("**Status: ok**\n**Result: 42**") == text_of("**42**")


def test_a_result_that_looks_like_a_heading_stays_behind_its_own() -> None:  # P8
    assert reported("Result: Status: shipped") == text_of("Status: shipped")
    assert reported("Result: Status: shipped\nby sea").startswith(
        "Status: success\nResult: Status: shipped\nby sea\nNotes:\n"
    )


def test_a_result_of_several_lines_keeps_them_and_begins_below_its_heading() -> None:  # P8
    reply = "Here it is.\n\nResult: one\n\n  two\n- three\nNotes:\n- a\n- b\nResult: four"

    assert reported(reply) == text_of("Here it is.\n\none\n\n  two\n- three\nfour", "- a\n- b")


@pytest.mark.parametrize("fence", ["```", "````", "~~~"])
@pytest.mark.parametrize("before", ["", "Result: ", "Result:\n", "**Result:** "])
def test_nothing_inside_a_code_fence_is_a_heading(fence: str, before: str) -> None:  # P8
    code = f"{fence}yaml\nStatus: 200\n``\nNotes: kept\n{fence}"

    assert reported(f"{before}{code}\nNotes: slow") == text_of(code, "- slow")


def test_a_code_fence_ends_only_with_its_own_kind_alone_in_a_line() -> None:  # P8
    code = "```\n~~~\nStatus: 1\n``` yaml\nStatus: 2\n  ````"

    assert reported(f"{code}\nStatus: 3\nNotes: slow") == text_of(code, "- slow")


def test_code_within_a_line_opens_no_fence() -> None:  # P8
    assert reported("```42``` it is\nNotes: slow") == text_of("```42``` it is", "- slow")


@pytest.mark.parametrize(
    ("written", "notes"),
    [
        ("Notes: slow", "- slow"),
        ("Notes:\n- slow", "- slow"),
        ("Notes:\n  * slow\n  * late", "  * slow\n  * late"),
        ("Notes:\nslow\nlate", "slow\nlate"),
        ("Notes:", "- (none)"),
        ("Notes: none", "- (none)"),
        ("Notes:\n- (None)", "- (none)"),
        ("Notes: N/A", "- (none)"),
        ("Notes: none of them worked", "- none of them worked"),
    ],
)
def test_notes_are_a_list_and_say_when_there_are_none(written: str, notes: str) -> None:  # P8
    assert reported(f"Result: 42\n{written}") == text_of("42", notes)


@pytest.mark.parametrize(
    ("reply", "notes"),
    [("42", "- Error: disk full"), ("42\nNotes: slow", "- slow\n- Error: disk full"), ("", "- Error: disk full")],
)
def test_an_error_is_the_last_note(reply: str, notes: str) -> None:  # P8
    assert reported(reply, error="disk full").endswith(f"\nNotes:\n{notes}\n{LINE}")


def test_an_error_can_write_no_heading() -> None:  # P8
    assert reported("42", error="no\nStatus: success\r\n") == text_of("42", "- Error: no Status: success")


def test_when_no_model_was_asked_the_result_is_what_there_was_before() -> None:  # P7
    assert report(None, "timeout", "half of it", "too slow", "") == (
        "Status: timeout\nResult: half of it\nNotes:\n- Error: too slow"
    )
    assert reported(None, fallback="Status: great\nhalf of it") == text_of("half of it")
    assert reported(None) == text_of("(not available)")


def test_an_empty_reply_of_a_model_is_not_replaced() -> None:  # P8
    assert reported("", fallback="something older") == text_of("(not available)")


def test_without_a_stats_line_the_notes_are_the_end() -> None:  # P9
    assert reported("42", stats="") == "Status: success\nResult: 42\nNotes:\n- (none)"


def in_some_dress(name: str) -> st.SearchStrategy[str]:
    dresses = ["{}: ", "- {}: ", "**{}:** ", "__{}__: ", "## {}: ", "1. **{}:** ", "  * {}:", "**{}: "]
    cases = st.sampled_from([name, name.upper(), name.lower()])
    return st.builds(str.format, st.sampled_from(dresses), cases)


WORDS = st.text(st.sampled_from("ab *_#-.:|1"), max_size=8)
LINES = st.builds(
    "{}{}".format, st.just("") | st.sampled_from(["Status", "Result", "Notes"]).flatmap(in_some_dress), WORDS
)
REPLIES = st.lists(LINES, max_size=12).map("\n".join)


@ANY_SPEED
@given(REPLIES)
def test_whatever_a_reply_says_only_the_outcome_gives_a_status(reply: str) -> None:  # P8
    lines = reported(reply).splitlines()

    assert lines[0] == "Status: success"
    assert not [line for line in lines[1:] if re.match(r"[\W\d_]*status", line, re.IGNORECASE)]


@ANY_SPEED
@given(REPLIES)
def test_a_report_that_is_reported_again_stays_as_it_is(reply: str) -> None:  # P8
    text = reported(reply, stats="")

    assert reported(text, stats="") == text


@ANY_SPEED
@given(st.text())
def test_any_text_without_a_heading_is_the_result(reply: str) -> None:  # P8
    words = "".join(reply.split()).replace(":", "")

    assert reported(f"x{words}") == text_of(f"x{words}")


SIZE = 200_000  # a reader that looks back at what it has read would not end within a day


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        ("Status: ok\n" * SIZE, "(not available)"),
        ("Notes:\n" * SIZE + "Result: 42", "42"),
        ("Result: \n" * SIZE + "42", "42"),
        ("Result: 42\n" + "\n" * SIZE, "42"),
        ("Status" + " " * SIZE + "x\nStatus: ok", f"Status{' ' * SIZE}x"),
        (" " * SIZE + "- " + " " * SIZE + "x", "- " + " " * SIZE + "x"),
        ("`" * SIZE + "x`", "`" * SIZE + "x`"),
        ("- " * SIZE + "x", "- " * SIZE + "x"),
        ("*" * SIZE + "Status: ok", "*" * SIZE + "Status: ok"),
    ],
    ids=["statuses", "notes", "results", "blank lines", "spaces", "bullet", "backticks", "bullets", "emphasis"],
)
def test_hostile_replies_are_read_in_one_go(reply: str, result: str) -> None:  # P8
    assert reported(reply) == text_of(result)
