"""docs/grpcurl.md is true: each of its commands, run with the real grpcurl, answers as shown."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.docs.cookbook import Block, disagreement, read_blocks
from tests.docs.grpcurl import Played, play

ROOT = Path(__file__).parents[2]
INSTALL = ROOT / "clients" / "install-grpcurl"
PAGE = (ROOT / "docs" / "grpcurl.md").read_text(encoding="utf-8")
BLOCKS = read_blocks(PAGE)
RECIPES = [block for block in BLOCKS if block.kind == "sh"]
COMMANDS = "\n".join(block.text for block in RECIPES)


@pytest.fixture(scope="module")
def programs() -> Path:
    """The folder of the pinned grpcurl."""
    if shutil.which("go") is None and not os.environ.get("CI"):
        pytest.skip("left out: the commands of docs/grpcurl.md, since grpcurl is installed with go, which is not here")
    found = subprocess.run([INSTALL], check=True, stdout=subprocess.PIPE, text=True)
    return Path(found.stdout.strip()).parent


@pytest.fixture(scope="module")
def played(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[Block, Played]:
    """The whole page, played once: later commands build on earlier ones."""
    return asyncio.run(play(BLOCKS, tmp_path_factory.mktemp("cookbook"), programs))


@pytest.mark.parametrize("block", RECIPES, ids=str)
def test_the_commands_answer_as_shown(played: dict[Block, Played], block: Block) -> None:
    there = played[block]

    wrong = disagreement(block.shown, there.printed, there.values)
    assert wrong is None, f"docs/grpcurl.md, {block}: shown but not printed: {wrong}\nprinted:\n{there.printed}"
    assert there.code == 0 or block.is_refused, f"docs/grpcurl.md, {block}: exit code {there.code}"


@pytest.mark.parametrize("tool", [each.name for each in pb.DESCRIPTOR.services_by_name["SessionToolsService"].methods])
def test_every_session_tool_has_a_command(tool: str) -> None:
    assert re.search(rf"\$TOOLS/{tool}\b", COMMANDS)


def test_every_block_is_commands_with_their_answer_or_a_configuration() -> None:
    assert {block.kind for block in BLOCKS} == {"sh", "json5"}
    assert PAGE.count("```") == sum(4 if block.shown else 2 for block in BLOCKS)


def test_the_version_to_install_is_the_tested_one() -> None:
    pinned = re.search(r"^GRPCURL=(\S+)$", INSTALL.read_text(encoding="utf-8"), re.MULTILINE)

    assert pinned
    assert f"grpcurl/cmd/grpcurl@{pinned[1]}`" in PAGE


@pytest.mark.parametrize(
    ("shown", "wrong"),
    [
        ('{\n  "id": "$RUN",\n  "state": "DEAD"\n}\n', None),
        ('{\n  "id": "…",\n  "state": "DEAD"\n}\n', None),
        ('{\n…\n  "state": "DEAD"\n}\n', None),
        ("{\n…\n}\n", None),
        ('{\n…\n  "state": "LIVE"\n}\n', '  "state": "LIVE"'),
        ('{\n  "id": "$OTHER",\n…\n}\n', '  "id": "r2",'),
        ('{\n…\n  "id": "$RUN",\n…\n}\n', '  "id": "r1",'),
        ('{\n  "…": "DEAD"\n…\n}\n', '  "…": "DEAD"'),
        ('{\n  "id": "$RUN",\n', "(the end)"),
        ("", "(the end)"),
    ],
)
def test_an_answer_that_is_not_as_shown_is_found(shown: str, wrong: str | None) -> None:
    printed = '{\n  "id": "r1",\n  "state": "DEAD"\n}\n'

    assert disagreement(shown, printed, {"RUN": "r1", "OTHER": "r2"}) == wrong
