"""The script language: every line is a step or a named mistake."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sessiond.worker.builtin.script import Reply, ScriptError, is_script, parse_script

STEPS = [
    "sleep 1",
    "delta x",
    "tool a {} -> b",
    "call a {}",
    "reply x",
    "skip",
    "fail X",
    "hang",
    "@reply",
    "@announce",
]


@pytest.mark.parametrize(
    ("line", "mistake"),
    [
        ("Reply x", "unknown step 'Reply'"),
        ("replyx", "unknown step 'replyx'"),
        ("# a comment", "unknown step '#'"),
        ("sleep", "sleep needs a number of seconds, not ''"),
        ("sleep soon", "sleep needs a number of seconds, not 'soon'"),
        ("sleep -1", "sleep needs a number of seconds"),
        ("sleep nan", "sleep needs a number of seconds"),
        ("sleep inf", "sleep needs a number of seconds"),
        ("tool", "the name of a tool is missing"),
        ("tool {} -> x", "the name of a tool is missing"),
        ("tool -> x", "the name of a tool is missing"),
        ("tool a", "not JSON"),
        ("tool a {}", "tool needs `-> result text` after the JSON object"),
        ("tool a {} x", "tool needs `-> result text` after the JSON object"),
        ("tool a {x} -> y", "not JSON: Expecting property name"),
        ("tool a [1] -> y", "not a JSON object"),
        ("call", "the name of a tool is missing"),
        ("call {}", "the name of a tool is missing"),
        ('call a {"b": }', "not JSON: Expecting value at character 7"),
        ("call a {} x", "there is more after the JSON object: ' x'"),
        ('call a "b"', "not a JSON object"),
        ('call a {"b": NaN}', "a number that is not finite"),
        ('call a {"b": -1e999}', "a number that is not finite"),
        ('call a {"b": 1' + "0" * 400 + "}", "a number that is not finite"),
        ('call a {"b": 1' + "0" * 5000 + "}", "not JSON: too large or too deep"),
        ('call a {"b": ["\\ud800"]}', "half of a surrogate pair"),
        ('call a {"\\udfff": 1}', "half of a surrogate pair"),
        ('call a {"b": ' + "[" * 20 + "]" * 20 + "}", "nested deeper than 16 levels"),
        ('call a {"b": ' + "[" * 100_000, "not JSON: too large or too deep"),
        ("skip it", "nothing may stand after skip"),
        ("hang on", "nothing may stand after hang"),
        ("fail", "fail needs a reason of at most 256 characters"),
        ("fail " + "X" * 257, "fail needs a reason of at most 256 characters"),
        ("@other", "unknown section '@other'; there are @reply and @announce"),
        ("@reply x", "unknown section '@reply x'"),
        ("@announce\n@announce", "a second @announce"),
    ],
)
def test_a_line_that_is_no_step_is_named(line: str, mistake: str) -> None:
    with pytest.raises(ScriptError) as caught:
        parse_script(f"#!\n\nreply x\n{line}")

    number = 4 + line.count("\n")
    assert str(caught.value).startswith(f"line {number}: {mistake}")


@pytest.mark.parametrize("line", ["tool a -> b", "tool a {}->b", 'tool  a   {"x":{}}  ->  b', "tool a {} ->", "call a"])
def test_blanks_and_empty_arguments_are_forgiven(line: str) -> None:
    assert len(parse_script(f"#!\n{line}").main) == 1


def test_a_script_without_reply_sections_says_nothing_of_replies() -> None:
    assert parse_script("#!\nreply x").reply_at(1) is None
    assert parse_script("#!\n@reply").reply_at(1) == []


@given(st.text())
@example("\\n\n\\\\n\u2028\x0b\x85")
def test_any_text_can_be_replied(text: str) -> None:
    text = text.replace("\r", "")
    line = text.replace("\\", "\\\\").replace("\n", "\\n")

    assert parse_script(f"#!\nreply {line}").main == [Reply(text)]


@given(
    st.lists(st.one_of(st.sampled_from(STEPS), st.text(), st.builds("{} {}".format, st.sampled_from(STEPS), st.text())))
)
def test_any_script_is_read_or_refused_by_line(lines: list[str]) -> None:
    text = "\n".join(["#!", *lines])
    assert is_script(text)

    said = _mistake(text)

    assert said is None or said.startswith("line ")


def _mistake(text: str) -> str | None:
    try:
        parse_script(text)
    except ScriptError as problem:
        return str(problem)
    return None
