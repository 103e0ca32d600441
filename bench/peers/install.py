"""The peer in a virtualenv of its own, with the versions and hashes of requirements.lock."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).with_name("requirements.lock")
FOLDER = Path(__file__).parents[2] / "build" / "peers"


def installed() -> Path:
    """The Python that has the peer; a second call finds it there unless the lock has changed."""
    python, stamp = FOLDER / "venv" / "bin" / "python", FOLDER / "installed.lock"
    if not stamp.exists() or stamp.read_bytes() != LOCK.read_bytes():
        print("installing the peer into build/peers ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", FOLDER / "venv"], check=True)
        pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
        subprocess.run([python, *pip, "-r", LOCK], check=True)
        stamp.write_bytes(LOCK.read_bytes())
    return python


def version(python: Path, package: str) -> str:
    """The version of a package there."""
    ask = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([python, "-c", ask], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
