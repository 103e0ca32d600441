"""Messages in their stored form."""

from __future__ import annotations

import pytest

from sessiond.model.messages import Block, Draft, Image, Message, Role, Text, Thinking, ToolCall, ToolResult
from sessiond.store.codec import decode, encode, text_of
from sessiontools.v1 import message_pb2 as pb

BLOCKS: dict[str, tuple[Block, ...]] = {
    "nothing": (),
    "an empty text": (Text(""),),
    "words": (Text("one"),),
    "words between all else": (
        *(Thinking("hm"), Text("one"), ToolCall("1", "look", {"at": "it"}), Text(""), Text("two")),
        *(ToolResult("1", "look", "seen"), Image("image/png", b"x")),
    ),
}


def test_a_block_of_a_kind_that_is_not_known_yet_reads_as_empty_text() -> None:
    one, two = pb.ContentBlock(text=pb.TextBlock(text="one")), pb.ContentBlock(text=pb.TextBlock(text="two"))
    body = pb.Message(role=pb.ROLE_USER, content=[one, pb.ContentBlock(), two]).SerializeToString()

    assert text_of(body) == decode(body).text == "one\n\ntwo"


@pytest.mark.parametrize("blocks", BLOCKS)
def test_the_words_of_a_stored_message_are_those_of_the_message(blocks: str) -> None:
    message = Message("s:1", 1, 5, Draft(Role.USER, BLOCKS[blocks]))
    body = encode(message)

    assert decode(body) == message
    assert text_of(body) == message.text
