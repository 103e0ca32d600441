"""Messages and structured values with their credentials masked (H7)."""

from __future__ import annotations

from typing import Any

import pytest

from sessiond.model.messages import Block, Draft, Image, Message, Role, Text, Thinking, ToolCall, ToolResult, Usage
from sessiond.model.redaction import redacted_message, redacted_value

SECRET = "password=hunter2"  # noqa: S105 - an example, not one of ours
HIDDEN = "password=[redacted: password]"
MASK = "[redacted: password]"


def message_of(*blocks: Block) -> Message:
    draft = Draft(Role.ASSISTANT, blocks, run_id="r-1", model="m", usage=Usage(1, 2, 3))
    return Message("s-1:7", 7, 1_000, draft)


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (Text(SECRET), Text(HIDDEN)),
        (Thinking(SECRET, "signed"), Thinking(HIDDEN)),
        (ToolResult("c-1", "sh", SECRET, is_error=True), ToolResult("c-1", "sh", HIDDEN, is_error=True)),
        (ToolCall("c-1", "sh", {"command": SECRET}), ToolCall("c-1", "sh", {"command": HIDDEN})),
    ],
)
def test_every_block_with_words_is_masked_and_all_else_of_the_message_stays(block: Block, shown: Block) -> None:  # H7
    picture = Image("image/png", SECRET.encode())

    assert redacted_message(message_of(picture, block)) == message_of(picture, shown)


def test_what_is_stored_is_not_touched() -> None:  # H7
    stored = message_of(ToolCall("c-1", "sh", {"env": [{"name": "API_KEY", "value": "abc123"}]}), Text(SECRET))

    redacted_message(stored)

    assert stored == message_of(ToolCall("c-1", "sh", {"env": [{"name": "API_KEY", "value": "abc123"}]}), Text(SECRET))


def test_a_message_without_credentials_is_the_same_object() -> None:  # H7
    arguments = {"path": "/a", "lines": [1, 2.5, None, True], "nested": {"password": "", "token": None}}
    stored = message_of(
        Text("the password is required"),
        Thinking("hm", "signed"),
        ToolCall("c-1", "read", arguments),
        ToolResult("c-1", "read", "done"),
        Image("image/png", SECRET.encode()),
    )

    assert redacted_message(stored) is stored
    assert redacted_message(message_of()) == message_of()


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (SECRET, HIDDEN),
        ({"password": "swordfish"}, {"password": MASK}),
        ({"userPassword": "sword fish 12345abc"}, {"userPassword": MASK}),
        ({"password": "-abc123"}, {"password": MASK}),
        ({"password": 12345678.0}, {"password": MASK}),
        ({"password": ["swordfish", "hunter2"]}, {"password": [MASK, MASK]}),
        ({"a": [{"b": {"api_key": "swordfish"}}]}, {"a": [{"b": {"api_key": "[redacted: key]"}}]}),
        ({"X-Auth-Token": "abc123def"}, {"X-Auth-Token": "[redacted: token]"}),
        ({"Authorization": "Bearer abc"}, {"Authorization": "Bearer abc"}),
        ({"Authorization": "Bearer abc1"}, {"Authorization": "Bearer [redacted: bearer token]"}),
        ({"cookie": "sid=abc; a=b"}, {"cookie": "[redacted: cookie]"}),
        ({"name": "DB_PASSWORD", "value": "swordfish"}, {"name": "DB_PASSWORD", "value": MASK}),
        (["mysql", "--password", "swordfish", "db"], ["mysql", "--password", MASK, "db"]),
        ({SECRET: 1, "password=hunter3": 2}, {HIDDEN: 1, f"{HIDDEN} 1": 2}),
        (
            {f"{HIDDEN} 2": 0, SECRET: 1, "password=hunter3": 2},
            {f"{HIDDEN} 2": 0, HIDDEN: 1, f"{HIDDEN} 2 2": 2},
        ),
        ({"a=1 password=hunter2": None}, {"a=1 password=[redacted: password]": None}),
    ],
)
def test_values_are_masked_in_their_texts_and_under_names_of_credentials(given: Any, shown: Any) -> None:  # H7
    assert redacted_value(given) == shown


@pytest.mark.parametrize(
    "given",
    [
        *[None, True, 3, 2.5, "", [], {}, {"password": True}, {"password": None}, {"password": 12}, {"token": 4096}],
        *[{"password": "${DB_PASSWORD}"}, {"password": "<your password>"}, {"token": "none"}, {"token": "hello"}],
        *[
            {"page_token": "abc123def456"},
            {"session_key": "agent:main:1"},
            {"password": {"min": 8}},
            {"max_tokens": 4096},
        ],
        *[{"name": "city", "value": "Rome1234"}, ["--password", "--user"], {"password_policy": "at-least-8"}],
    ],
)
def test_a_value_without_credentials_is_the_same_object(given: Any) -> None:  # H7
    assert redacted_value(given) is given
