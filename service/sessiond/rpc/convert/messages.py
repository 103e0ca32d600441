"""Message content between the contract and the model; the store's codec does the same for what is stored."""

from __future__ import annotations

from collections.abc import Sequence

from sessiond.model.errors import MessageTooLarge, invalid
from sessiond.model.messages import MAX_DEPTH, MAX_MESSAGE_BYTES, Block, Draft, ToolCall, is_too_deep
from sessiond.rpc.convert.enums import ROLE
from sessiond.rpc.convert.runs import usage_of
from sessiond.rpc.convert.scalars import at_most
from sessiond.store.codec import decode_block
from sessiontools.v1 import message_pb2

MAX_BLOCKS = 1000


def content_of(blocks: Sequence[message_pb2.ContentBlock], field: str = "content") -> tuple[Block, ...]:
    """The model's blocks."""
    at_most(MAX_BLOCKS, blocks, field)
    size = sum(block.ByteSize() for block in blocks)
    if size > 2 * MAX_MESSAGE_BYTES:  # before its parts are looked at; the exact limit is the use case's to hold
        raise MessageTooLarge(field, size, MAX_MESSAGE_BYTES)
    return tuple(_block_of(block, f"{field}[{at}]") for at, block in enumerate(blocks))


def _block_of(block: message_pb2.ContentBlock, field: str) -> Block:
    try:
        decoded = decode_block(block)
    except ValueError:  # what JSON has no word for
        raise invalid(field, "has a number that is not finite among the arguments of a tool call") from None
    if isinstance(decoded, ToolCall) and is_too_deep(decoded.arguments):
        raise invalid(field, f"nests the arguments of a tool call more than {MAX_DEPTH} levels deep")
    return decoded


def draft_of(message: message_pb2.Message, field: str) -> Draft:
    """What a runtime may say of a message it writes; all else is the server's to set."""
    return Draft(
        role=ROLE.word(message.role, f"{field}.role"),
        content=content_of(message.content, f"{field}.content"),
        model=message.model,
        usage=usage_of(message.usage) if message.HasField("usage") else None,
    )
