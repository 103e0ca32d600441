"""No id, key or name that comes from outside leads a file out of its folder, on the way in or out (L9)."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from sessiond.commands.importing import import_folder
from sessiond.model.rules import Rules
from sessiond.store.database import Database

OUTSIDE = (
    "../../x",
    "/etc/x",
    "..",
    "a/b",
    "a\x00b",
    "..\\x",
    "%2e%2e%2fx",
    "~",
    "x.jsonl/..",
    "\u202e",
    "-rf",
    "x" * 300,
)


def files_in(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir()}


@pytest.mark.parametrize("name", OUTSIDE)
async def test_an_import_writes_no_file_outside_of_the_mirror(db: Database, tmp_path: Path, name: str) -> None:  # L9
    root, mirror = tmp_path / "deep" / "deeper" / "root", tmp_path / "deep" / "deeper" / "mirror"
    root.mkdir(parents=True)
    header = {"type": "session", "id": name, "key": f"agent:main:cron:{name.replace(chr(0), '')}"}
    said = {"role": "user", "content": "hello"}
    (root / "a.jsonl").write_text("\n".join(map(json.dumps, (header, said))))
    (root / "%2e%2e%2fagent%3amain%3acron%3a..%2fx.jsonl").write_text(json.dumps(said))
    before = files_in(tmp_path)

    report = await import_folder(db, replace(Rules(), transcripts_dir=str(mirror)), root)

    written = files_in(tmp_path) - before
    assert report.messages >= 1
    assert {tmp_path / path for path in written if path.suffix == ".jsonl"} == set(mirror.glob("*.jsonl"))
    assert all(uuid.UUID(path.stem) for path in mirror.glob("*.jsonl"))
