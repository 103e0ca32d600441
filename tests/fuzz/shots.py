"""One call of the storm: what it sends, to whom, how long it waits and whether it stays."""

from __future__ import annotations

import random
from dataclasses import dataclass

import grpc
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from tests.fuzz import wire
from tests.fuzz.callers import Callers, Metadata
from tests.fuzz.finds import Finds
from tests.fuzz.generator import Generator
from tests.fuzz.methods import Method, all_methods, unknown_methods
from tests.fuzz.texts import MIB

SHOWN_BYTES = 4000
BOMB = bytes(40 * MIB)  # a few KiB once compressed
USUAL_S = 5.0
WAITING_S = 0.5  # of what may last as long as its caller likes


@dataclass(frozen=True)
class Shot:
    """What is sent, all of it."""

    method: Method
    request: bytes
    metadata: Metadata
    timeout_s: float
    leaves_after_s: float | None = None
    compression: grpc.Compression | None = None

    def read(self) -> Message | None:
        """The request, if it is one."""
        try:
            return self.method.read_request(self.request)
        except DecodeError:
            return None

    def __str__(self) -> str:
        """All that is needed to send it again."""
        how = f"timeout_s={self.timeout_s} leaves_after_s={self.leaves_after_s} compression={self.compression}"
        return f"{self.method.path} {how}\nmetadata: {self.metadata}\n{_shown(self.method, self.request)}"


class Shooter:
    """Makes shots by chance."""

    def __init__(self, rng: random.Random, finds: Finds, may_purge: bool) -> None:
        self._rng = rng
        self._finds = finds
        self._generator = Generator(rng, finds, may_purge)
        self._callers = Callers(rng, finds)
        self._methods = [*(each for each in all_methods() for _ in range(8 if each.is_ours else 1)), *unknown_methods()]

    def next(self) -> Shot:
        """The next one."""
        page = self._finds.page(self._rng) if self._rng.random() < 0.05 else None
        method, data = page or self._made(self._rng.choice(self._methods))
        is_bomb = self._rng.random() < 0.002
        return Shot(
            method=method,
            request=BOMB if is_bomb else data,
            metadata=self._callers.metadata(method),
            timeout_s=self._timeout_s(method),
            leaves_after_s=self._rng.choice((0.0, 0.002, 0.02)) if self._rng.random() < 0.05 else None,
            compression=grpc.Compression.Gzip if is_bomb or self._rng.random() < 0.02 else None,
        )

    def _timeout_s(self, method: Method) -> float:
        if self._rng.random() < 0.05:
            return self._rng.choice((0.001, 0.05, 0.5))
        return WAITING_S if method.is_streaming else USUAL_S

    def _made(self, method: Method) -> tuple[Method, bytes]:
        data = self._generator.request(method.request).SerializeToString()
        match self._rng.randrange(200):
            case 0:
                return method, data + wire.crowded(self._rng, method.request)
            case 1 | 2 | 3 | 4:
                return method, data + wire.deep(self._rng, method.request)
            case number if number < 12:
                return method, wire.garbage(self._rng)
            case number if number < 40:
                return method, wire.mangled(self._rng, data)
        return method, data


def _shown(method: Method, data: bytes) -> str:
    try:
        text = json_format.MessageToJson(method.read_request(data), preserving_proto_field_name=True, indent=None)
    except (DecodeError, json_format.SerializeToJsonError):
        text = "(no JSON)"
    return f"{len(data)} bytes: {text[:SHOWN_BYTES]}\nhex: {data[:SHOWN_BYTES].hex()}"
