"""Message content between the contract and the model; the store's codec does the same for what is stored."""

from __future__ import annotations

from collections.abc import Iterable

from sessiond.model.messages import Block, Draft
from sessiond.rpc.convert.enums import ROLE
from sessiond.rpc.convert.runs import usage_of
from sessiond.store.codec import decode_block
from sessiontools.v1 import message_pb2


def content_of(blocks: Iterable[message_pb2.ContentBlock]) -> tuple[Block, ...]:
    """The model's blocks."""
    return tuple(decode_block(block) for block in blocks)


def draft_of(message: message_pb2.Message, field: str) -> Draft:
    """What a runtime may say of a message it writes; all else is the server's to set."""
    return Draft(
        role=ROLE.word(message.role, f"{field}.role"),
        content=content_of(message.content),
        model=message.model,
        usage=usage_of(message.usage) if message.HasField("usage") else None,
    )
