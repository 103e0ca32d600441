"""Imports only go down the layers: what each part of the service may import, held by reading its source."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SERVICE = Path(__file__).parents[2] / "service"
PROJECT = "sessiond"
GRPC = frozenset({"grpc", "grpc_health", "grpc_reflection", "grpc_status", "google"})
SQL = frozenset({"sqlalchemy", "greenlet", "psycopg", "alembic"})
PROTOS = frozenset({"sessiontools", "google"})
ROWS = ("database", "runs", "run_events", "deliveries", "codec", "session_pages", "signing_keys")
USE_CASES = frozenset({"tools", "gateway", "runtime"})
EVERYTHING = frozenset({"*"})


@dataclass(frozen=True)
class Layer:
    """What a part of the service may import beside itself and the standard library."""

    parts: frozenset[str] = frozenset()
    packages: frozenset[str] = frozenset()


# What all use cases share: who asks, how a run begins and ends, what a wait is.
SHARED = frozenset({"access", "turns", "exchange_steps", "stopping", "egress", "waiting", "run_pages", "following"})
BELOW_USE_CASES = frozenset({"model", "ids", "store", "wake"}) | SHARED
LAYERS = {
    "__init__": Layer(),
    "model": Layer(),
    "ids": Layer(),
    "logs": Layer(),
    "store": Layer(frozenset({"model"}), SQL),
    "wake": Layer(frozenset({"model", "store"})),
    **{name: Layer(BELOW_USE_CASES - {name}) for name in SHARED},
    "tools": Layer(BELOW_USE_CASES),
    "gateway": Layer(BELOW_USE_CASES),
    "runtime": Layer(BELOW_USE_CASES),
    "transcripts": Layer(frozenset({"model"})),
    "worker": Layer(BELOW_USE_CASES | {"runtime", "tools", "transcripts"}, frozenset({"openai", "httpx"})),
    # Of the store it takes the names of what use cases hand it, and the codec of what is stored in the contract's form.
    "rpc": Layer(
        USE_CASES | SHARED | {"model", "worker.execution"} | {f"store.{name}" for name in ROWS}, GRPC | PROTOS
    ),
    "settings": Layer(frozenset(), frozenset({"pydantic", "pydantic_core", "json5"})),
    "configured": Layer(frozenset({"settings", "model", "rpc", "worker.providers"})),
    "signing": Layer(frozenset({"ids", "store"})),
    "workers": Layer(frozenset({"model"})),
    "reloading": Layer(frozenset({"configured", "rpc", "settings"})),
    "killpoint": Layer(frozenset({"store"})),
    "commands": Layer(EVERYTHING, GRPC | PROTOS | {"tqdm"}),
    "app": Layer(EVERYTHING, GRPC | PROTOS),
    "__main__": Layer(frozenset({"app", "commands", "settings", "model"})),
}
# Single files that know one thing more than their layer.
EXCEPTIONS = {
    "store/codec.py": PROTOS,
    "store/rows.py": frozenset({"pydantic_core"}),
    "transcripts/lines.py": PROTOS,
    "rpc/run_tokens.py": frozenset({"jwt"}),
}  # messages are stored in the bytes of their proto


def imports_of(source: str, module: str, is_package: bool) -> Iterator[str]:
    """The full dotted name of everything a module imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = _start_of(node, module, is_package)
            yield from (f"{start}.{alias.name}" for alias in node.names)


def _start_of(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    """What stands between `from` and `import`, with leading dots worked out."""
    if not node.level:
        return node.module or ""
    above = node.level - 1 if is_package else node.level
    parts = module.split(".")
    return ".".join([*parts[: len(parts) - above], *([node.module] if node.module else [])])


def forbidden(source: str, path: str) -> list[str]:
    """The imports that the file at this path under sessiond/ may not have."""
    parts = path.removesuffix(".py").split("/")
    is_package = parts[-1] == "__init__"
    module = ".".join([PROJECT, *(parts[:-1] if is_package else parts)])
    layer = LAYERS[parts[0]]
    packages = layer.packages | EXCEPTIONS.get(path, frozenset())
    return [
        name
        for name in imports_of(source, module, is_package)
        if not _is_allowed(name.split("."), parts[0], layer.parts, packages)
    ]


def _is_allowed(name: list[str], own: str, parts: frozenset[str], packages: frozenset[str]) -> bool:
    if name[0] == PROJECT:
        return parts == EVERYTHING or name[1:2] == [own] or bool({*name[1:2], ".".join(name[1:3])} & parts)
    return name[0] in packages or name[0] in sys.stdlib_module_names


FILES = sorted(each.relative_to(SERVICE / PROJECT).as_posix() for each in (SERVICE / PROJECT).rglob("*.py"))


def test_the_walk_finds_the_service() -> None:
    assert "model/keys.py" in FILES


@pytest.mark.parametrize("path", FILES)
def test_a_file_imports_only_what_its_layer_may(path: str) -> None:
    assert path.removesuffix(".py").split("/")[0] in LAYERS, f"sessiond/{path} has no layer: give it a line in LAYERS"

    found = forbidden((SERVICE / PROJECT / path).read_text(encoding="utf-8"), path)

    assert not found, f"sessiond/{path} must not import {', '.join(found)}"


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("model/keys.py", "import sqlalchemy"),
        ("model/keys.py", "from sessiond.store import schema"),
        ("model/keys.py", "from sessiond import store"),
        ("model/keys.py", "from .. import wake"),
        ("model/__init__.py", "from ..store.schema import runs"),
        ("model/keys.py", "import sessiond"),
        ("model/keys.py", "def late() -> None:\n    import grpc.aio"),
        ("model/keys.py", "if TYPE_CHECKING:\n    from sessiond.rpc.convert import x"),
        ("store/runs.py", "import grpc"),
        ("store/runs.py", "from sessiontools.v1 import message_pb2"),
        ("store/runs.py", "from sessiond.wake import Wake"),
        ("tools/sessions_send.py", "from sessiond.gateway.chat_send import chat_send"),
        ("tools/sessions_send.py", "import os, sqlalchemy as sa"),
        ("gateway/chat_send.py", "from ..runtime import complete"),
        ("runtime/complete.py", "from sessiontools.v1 import run_pb2"),
        ("worker/builtin/echo.py", "from sessiond.gateway import chat_send"),
        ("worker/loop.py", "import grpc"),
        ("rpc/server.py", "from sqlalchemy.exc import OperationalError"),
        ("rpc/server.py", "from sessiond.worker import loop"),
        ("rpc/gateway.py", "from sessiond.store import sessions"),
        ("access.py", "from sessiond.tools import sessions_list"),
        ("settings/load.py", "from sessiond.model.keys import KeyRules"),
        ("commands/config.py", "import sqlalchemy"),
        ("app.py", "import sqlalchemy"),
    ],
)
def test_an_import_that_goes_up_or_out_is_caught(path: str, source: str) -> None:
    assert len(forbidden(source, path)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "model/policy.py",
            "import re\nfrom collections.abc import Iterator\nfrom sessiond.model.keys import canonical",
        ),
        ("model/policy.py", "from . import keys\nfrom .errors import InvalidKey"),
        ("store/runs.py", "import sqlalchemy as sa\nfrom sessiond.model import runs\nfrom ..model.keys import parse"),
        ("store/codec.py", "from sessiontools.v1 import message_pb2"),
        ("tools/wait_run.py", "from sessiond.store import runs\nfrom sessiond.wake import Wake\nfrom . import get_run"),
        ("worker/loop.py", "from sessiond.runtime import acquire\nfrom sessiond.tools import sessions_send"),
        ("rpc/server.py", "import grpc.aio\nfrom google.rpc import status_pb2\nfrom sessiond.tools import wait_run"),
        ("app.py", "import grpc\nfrom sessiond.rpc import server\nfrom sessiond.store import database"),
    ],
)
def test_an_import_that_goes_down_passes(path: str, source: str) -> None:
    assert forbidden(source, path) == []
