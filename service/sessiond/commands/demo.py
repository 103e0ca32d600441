"""`sessiontools demo`: a short story played on a server of its own, shown as it happens."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from sessiond.commands.call import explained
from sessiond.commands.demo_screen import Screen
from sessiond.commands.demo_story import Story
from sessiond.model.problems import Problem

START_S = 30.0
STOP_S = 20.0
_READY = "sessiontools is ready on "
_CONFIG: dict[str, Any] = {
    "server": {"listen": "127.0.0.1:0"},
    "agents": {
        "list": [
            {"id": "main", "name": "Main", "default": True, "subagents": {"allowAgents": ["*"]}},
            {"id": "research", "name": "Research"},
        ]
    },
    "tools": {"agentToAgent": {"enabled": True, "allow": ["main", "research"]}},
    "session": {"sendPolicy": {"default": "allow", "rules": [{"match": {"channel": "discord"}, "action": "deny"}]}},
}


def add_parser(subparsers: Any, parents: list[argparse.ArgumentParser]) -> None:
    """Register the command."""
    about = "play a short story on a server of its own, which is gone afterwards"
    parser = subparsers.add_parser("demo", help=about, description=about)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play it; 1 when the story does not end as it should."""
    screen = Screen(sys.stdout)
    screen.say("starting a server")
    with tempfile.TemporaryDirectory(prefix="sessiontools-demo-") as folder, _server(Path(folder)) as address:
        screen.say(f"a server with two agents, main and research, is ready on {address}")
        with grpc.insecure_channel(address) as channel:
            try:
                Story(channel, screen).play()
            except grpc.RpcError as refusal:
                raise Problem(f"the demo did not go as planned: {explained(refusal)}") from refusal
    screen.say("the end: the server is stopped and its files are gone")
    return 0


@contextmanager
def _server(folder: Path) -> Iterator[str]:
    """The address of a server that lives as long as the context; all its files are in the folder."""
    config = folder / "demo.json5"
    config.write_text(json.dumps(_CONFIG | {"store": {"dataDir": str(folder / "data")}}), encoding="utf-8")
    command = [sys.executable, "-m", "sessiond", "serve", "--config", str(config)]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SESSIONTOOLS_")}
    with (
        (folder / "server.log").open("wb") as log,
        subprocess.Popen(  # noqa: S603 - ourselves
            command, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        try:
            yield _address(process, folder / "server.log")
        finally:
            _stop(process)


def _address(process: subprocess.Popen[str], log: Path) -> str:
    """What the server says when it is ready; a server that says nothing is stopped, which ends the reading."""
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    watchdog = threading.Timer(START_S, process.kill)
    watchdog.start()
    try:
        for line in process.stdout:
            if line.startswith(_READY):
                return line.removeprefix(_READY).strip()
    finally:
        watchdog.cancel()
    last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
    raise Problem(f"the demo's server did not start: {''.join(last)}")


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
