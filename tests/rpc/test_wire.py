"""Answers put together from bytes: the same as those that are made of objects."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sessiond.rpc.convert import wire
from sessiontools.v1 import message_pb2, session_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb

# Around the lengths at which a length takes one byte more.
SIZES = st.sampled_from([0, 1, 120, 126, 127, 128, 129, 16_380, 16_383, 16_384, 70_000])


@given(sizes=st.lists(SIZES, max_size=5), token=st.text(max_size=5))
def test_entries_are_found_in_their_field_and_in_their_order(sizes: list[int], token: str) -> None:
    messages = [message_pb2.Message(id="x" * size, sequence=number) for number, size in enumerate(sizes)]
    whole = pb.SessionsHistoryResponse(messages=messages, next_page_token=token)
    rest = pb.SessionsHistoryResponse(next_page_token=token)

    written = wire.with_entries(
        rest.SerializeToString(),
        wire.number_of(pb.SessionsHistoryResponse, "messages"),
        [each.SerializeToString() for each in messages],
    )

    assert pb.SessionsHistoryResponse.FromString(written) == whole
    assert len(written) == whole.ByteSize()


def test_a_field_with_a_large_number_is_written_too() -> None:
    number = wire.number_of(session_pb2.Session, "messages")
    message = message_pb2.Message(id="1")

    written = wire.with_entries(b"", number, [message.SerializeToString()])

    assert number > 15  # from there on the field itself takes two bytes
    assert session_pb2.Session.FromString(written) == session_pb2.Session(messages=[message])
