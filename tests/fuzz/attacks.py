"""What can arrive on the socket that is no call: each attack is the bytes of one connection."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable

from tests.fuzz import http2
from tests.fuzz.callers import TOKENS
from tests.fuzz.http2 import END_HEADERS, END_STREAM, FRAME_BYTES, begin, frame, headers_of, hello, message

Attack = Callable[[random.Random], bytes]

PATHS = (
    b"/sessiontools.v1.SessionToolsService/SessionsList",
    b"/sessiontools.v1.SessionToolsService/WaitRun",
    b"/sessiontools.v1.GatewayService/ChatSend",
    b"/sessiontools.v1.RuntimeService/AcquireRuns",
    b"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    b"/grpc.health.v1.Health/Watch",
)
OWNER = {b"authorization": f"Bearer {TOKENS['owner']}".encode()}
MANY = 1000
TLS_HELLO = bytes.fromhex("16030100a5010000a10303") + bytes(32)
ODD_VALUES = (b"", b"\x00", b"a\x00b", "é👋".encode(), b"\r\nx: y", b" " * 100, b"x" * 15_000, b"\x1b")
ODD_HEADERS = (
    *(b"authorization", b"acting-session", b"traceparent", b"grpc-timeout", b"content-type", b"content-length", b"te"),
    *(b":path", b":method", b":authority", b":scheme", b"grpc-encoding", b"grpc-accept-encoding", b"Upper", b"x-bin"),
    *(b"", b"a b", b"user-agent", b":status", b"host"),
)
OTHERS = (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"POST / HTTP/1.0\r\n", TLS_HELLO, b"SSH-2.0-x\r\n", b"\n" * 10_000)
# In no encoding of Unicode. A path of these has a test of its own, since gRPC itself complains of it in the log.
NO_TEXTS = (b"\xff\xfe", b"Bearer \xff")
STREAMS = (0, 1, 2, 3, 2**31 - 1, 2**32 - 1)
TIMEOUTS = (b"0n", b"-1S", b"1x", b"S", b"99999999H", b"999999999999S", b"1.5S", b"1m", "١S".encode())


def garbage(rng: random.Random) -> bytes:
    """Nothing that anybody speaks."""
    return rng.randbytes(rng.choice((1, 9, 100, 20_000)))


def other_protocols(rng: random.Random) -> bytes:
    """What others speak."""
    return rng.choice(OTHERS)


def half_preface(rng: random.Random) -> bytes:
    """The beginning of a connection, or one with a wrong letter in it."""
    at = rng.randrange(len(http2.PREFACE))
    return rng.choice((http2.PREFACE[:at], http2.PREFACE[:at] + b"x" + http2.PREFACE[at + 1 :]))


def random_frames(rng: random.Random) -> bytes:
    """Frames of every kind, known and not, with anything in them."""
    return hello() + b"".join(
        frame(rng.randrange(12), rng.randrange(256), rng.choice(STREAMS), rng.randbytes(rng.randrange(20)))
        for _ in range(50)
    )


def wrong_lengths(rng: random.Random) -> bytes:
    """A frame that says more, or less, than it holds."""
    kind, length = rng.randrange(10), rng.choice((0, 1, FRAME_BYTES, FRAME_BYTES + 1, 2**24 - 1))
    return hello() + frame(kind, rng.randrange(256), rng.choice((0, 1)), rng.randbytes(50), length)


def wrong_settings(rng: random.Random) -> bytes:
    """Settings that make no sense, and windows that overflow."""
    name, value = rng.randrange(12), rng.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1))
    settings = frame(http2.SETTINGS, 0, 0, name.to_bytes(2, "big") + value.to_bytes(4, "big"))
    return hello() + settings * 3 + frame(http2.WINDOW_UPDATE, 0, 0, value.to_bytes(4, "big")) * 2


def flood(rng: random.Random) -> bytes:
    """Many small frames of one kind, each of which wants an answer or a little work."""
    of_connection = [(http2.PING, 8), (http2.SETTINGS, 0), (http2.GOAWAY, 8)]
    of_stream = [(http2.DATA, 0), (http2.RST_STREAM, 4), (http2.PRIORITY, 5)]
    kind, size = rng.choice(of_connection + of_stream)
    return hello() + frame(kind, 0, int((kind, size) in of_stream), bytes(size)) * MANY


def rapid_resets(rng: random.Random) -> bytes:
    """Calls that are taken back as soon as they are made."""
    path = rng.choice(PATHS)
    calls = (begin(at, headers_of(path, OWNER)) + frame(http2.RST_STREAM, 0, at, bytes(4)) for at in range(1, MANY, 2))
    return hello() + b"".join(calls)


def endless_headers(rng: random.Random) -> bytes:
    """A header block that goes on and on."""
    block = http2.header_block([(b"x", b"y" * 1000)] * 10)
    pieces = frame(http2.CONTINUATION, 0, 1, block) * rng.choice((10, MANY))
    return hello() + begin(1, headers_of(rng.choice(PATHS), OWNER), 0) + pieces


def half_headers(rng: random.Random) -> bytes:
    """A header block that never goes on."""
    whole = begin(1, headers_of(rng.choice(PATHS), OWNER))
    return hello() + whole[: rng.randrange(1, len(whole))]


def wrong_compression(rng: random.Random) -> bytes:
    """Header compression that refers to nothing, or never ends."""
    blocks = (
        *(http2.integer(2**40, 7, 0x80), http2.integer(200, 7, 0x80), http2.integer(2**31, 5, 0x20), b"\x80"),
        *(b"\x00\xff" + b"\xff" * 20, b"\x00\x81\xff\x81\xff", b"\x40\x83\xff\xff\xff\x00", rng.randbytes(200)),
    )
    return hello() + frame(http2.HEADERS, END_HEADERS | END_STREAM, 1, rng.choice(blocks))


def odd_headers(rng: random.Random) -> bytes:
    """A call whose headers no library would send."""
    extra = dict(OWNER)
    for name in rng.choices(ODD_HEADERS, k=rng.choice((1, 1, 2))):
        extra[name] = rng.choice((*ODD_VALUES, *TIMEOUTS, *(NO_TEXTS if name != b":path" else ())))
    return hello() + begin(1, headers_of(rng.choice(PATHS), extra)) + http2.data(1, message(b""))


def half_request(rng: random.Random) -> bytes:
    """A message that is shorter than it says; the stream ends, or never does."""
    sent = message(rng.randbytes(rng.randrange(10)), 0, rng.choice((11, 1000, 2**22, 2**22 + 1, 2**31, 2**32 - 1)))
    piece = sent[: rng.randrange(len(sent) + 1)]
    return hello() + begin(1, headers_of(rng.choice(PATHS), OWNER)) + http2.data(1, piece, rng.choice((0, END_STREAM)))


def wrong_messages(rng: random.Random) -> bytes:
    """A number of messages that no method takes, or messages in a form that was not agreed on."""
    bodies = (
        b"",
        message(b"") * 2,
        *(message(b"") * MANY, message(b"\x3a\x00") * 3),  # the second asks reflection for the services
        *(message(b"", flag) for flag in (1, 2, 255)),
        message(rng.randbytes(100), 1),
        message(gzip.compress(bytes(50_000_000), 1), 1),
    )
    extra = OWNER | {b"grpc-encoding": rng.choice((b"gzip", b"deflate", b"identity", b"nothing"))}
    return hello() + begin(1, headers_of(rng.choice(PATHS), extra)) + http2.data(1, rng.choice(bodies))


def reset_midway(rng: random.Random) -> bytes:
    """A call that is taken back while its request is under way."""
    call = begin(1, headers_of(rng.choice(PATHS), OWNER)) + http2.data(1, message(b"x" * 100, 0, 200), 0)
    return hello() + call + frame(http2.RST_STREAM, 0, 1, rng.randbytes(4)) + http2.data(1, b"more")


def wrong_streams(rng: random.Random) -> bytes:
    """Streams that are even, go back, or are used twice."""
    call = headers_of(rng.choice(PATHS), OWNER)
    numbers = rng.choice(((2,), (0,), (5, 3), (1, 1), (2**31 - 1, 1)))
    return hello() + b"".join(begin(number, call) + http2.data(number, message(b"")) for number in numbers)


ATTACKS: tuple[Attack, ...] = (
    *(garbage, other_protocols, half_preface, random_frames, wrong_lengths, wrong_settings, flood, rapid_resets),
    *(endless_headers, half_headers, wrong_compression, odd_headers, odd_headers, odd_headers, half_request),
    *(half_request, wrong_messages, wrong_messages, reset_midway, wrong_streams),
)
