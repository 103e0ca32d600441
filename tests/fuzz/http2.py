"""HTTP/2 by hand, as far as it takes to get it wrong: frames, headers without compression, gRPC's own framing."""

from __future__ import annotations

from asyncio import IncompleteReadError, StreamReader
from collections.abc import Iterable, Mapping

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS = 0x1, 0x4
HEAD_BYTES = 9
FRAME_BYTES = 16_384  # what a server takes without having said otherwise

Header = tuple[bytes, bytes]


def frame(kind: int, flags: int = 0, stream: int = 0, payload: bytes = b"", length: int | None = None) -> bytes:
    """One frame; its length may lie."""
    size = len(payload) if length is None else length
    return size.to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def hello() -> bytes:
    """What a connection begins with."""
    return PREFACE + frame(SETTINGS)


def header_block(headers: Iterable[Header]) -> bytes:
    """Headers as literals that nobody keeps."""
    return b"".join(b"\x00" + _sized(name) + _sized(value) for name, value in headers)


def headers_of(path: bytes, extra: Mapping[bytes, bytes] | None = None) -> list[Header]:
    """The headers of a gRPC call; what is extra takes the place of what is usual."""
    usual = {b":method": b"POST", b":scheme": b"http", b":path": path, b":authority": b"localhost"}
    usual |= {b"content-type": b"application/grpc", b"te": b"trailers"}
    return list({**usual, **(extra or {})}.items())


def begin(stream: int, headers: Iterable[Header], flags: int = END_HEADERS) -> bytes:
    """The HEADERS frame of a call."""
    return frame(HEADERS, flags, stream, header_block(headers))


def message(data: bytes, flag: int = 0, length: int | None = None) -> bytes:
    """One message of gRPC; its length may lie."""
    size = len(data) if length is None else length
    return bytes([flag]) + size.to_bytes(4, "big") + data


def data(stream: int, payload: bytes, flags: int = END_STREAM) -> bytes:
    """DATA frames of at most the size that is taken; the last one with the flags."""
    pieces = [payload[at : at + FRAME_BYTES] for at in range(0, len(payload), FRAME_BYTES)] or [b""]
    return b"".join(frame(DATA, flags * (piece is pieces[-1]), stream, piece) for piece in pieces)


def integer(value: int, prefix_bits: int, first: int = 0) -> bytes:
    """A number as header compression writes it."""
    full = (1 << prefix_bits) - 1
    if value < full:
        return bytes([first | value])
    value -= full
    written = bytearray([first | full])
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


async def answer_in(reader: StreamReader) -> int | None:
    """The first frame of an answer, by its kind; None when the connection ends without one."""
    try:
        while True:
            head = await reader.readexactly(HEAD_BYTES)
            await reader.readexactly(int.from_bytes(head[:3], "big"))
            if head[3] in (HEADERS, RST_STREAM, GOAWAY):
                return head[3]
    except (IncompleteReadError, ConnectionError):
        return None


def _sized(text: bytes) -> bytes:
    return integer(len(text), 7) + text
