"""Every repeated field has a bound, and one that is far beyond it is refused at once (property 9, X6)."""

from __future__ import annotations

from pathlib import Path

from google.protobuf.descriptor import FieldDescriptor
from grpc import StatusCode

from tests.fuzz import wire
from tests.fuzz.callers import TOKENS, bearer
from tests.fuzz.methods import Method, all_methods
from tests.fuzz.shots import Shot
from tests.fuzz.stage import CONFIG
from tests.fuzz.storm import fire
from tests.fuzz.verdict import breach
from tests.fuzz.wire import Path as Way
from tests.system.server_process import serving

ANSWER_S = 20.0  # only a server that reads on and on takes so long
METHODS = [method for method in all_methods() if method.is_ours]
WAYS = [(method, way) for method in METHODS for way in wire.paths_of(method.request) if way[-1].is_repeated]


def crowd(method: Method, way: Way) -> Shot:
    """A request with nothing but entries of this field, as many as it has room for; each is right by itself."""
    field = way[-1]
    role = "runtime" if "Runtime" in method.service else "owner"
    if field.type == FieldDescriptor.TYPE_ENUM:
        body = wire.field(field.number, b"\x01" * wire.ROOM)
    else:
        entry = wire.field(field.number, b"main" if field.type == FieldDescriptor.TYPE_STRING else b"")
        body = entry * (wire.ROOM // len(entry))
    return Shot(method, wire.within(way[:-1], body), (bearer(TOKENS[role]),), ANSWER_S)


async def test_a_field_with_more_entries_than_anybody_needs_is_refused(tmp_path: Path) -> None:  # X6
    wrong = {}
    async with serving(tmp_path, f"sqlite:///{tmp_path / 'test.db'}", **CONFIG) as server, server.channel() as channel:
        for method, way in WAYS:
            shot = crowd(method, way)
            answer = await fire(channel, shot)
            if answer.code is not StatusCode.INVALID_ARGUMENT or breach(shot, answer):
                wrong[f"{method.name}.{'.'.join(field.name for field in way)}"] = answer

    assert len(WAYS) > 5
    assert not wrong
