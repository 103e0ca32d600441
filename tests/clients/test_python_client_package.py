"""The Python client as it is shipped: its wheel, its README and its quick start."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.commands.server_thread import served

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients" / "python"
QUICKSTART = CLIENT / "examples" / "quickstart.py"
NAME = re.compile(r"[\w.-]+")
# Imports every module there is, from these two folders and the standard library alone.
IMPORTER = """
import importlib, pathlib, sys
wheel, dependencies = sys.argv[1:]
sys.path += [wheel, dependencies]
for file in sorted(pathlib.Path(wheel, "sessiontools").rglob("*.py")):
    importlib.import_module(".".join(file.relative_to(wheel).with_suffix("").parts).removesuffix(".__init__"))
import sessiontools
sessiontools.connect
print(len(sys.modules))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of clients/python, built as its own project, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=CLIENT, check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


def declared() -> list[str]:
    """The dependencies of the client."""
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [str(each) for each in project["dependencies"]]


def test_the_wheel_has_all_of_the_client_and_nothing_else(wheel: Path) -> None:
    info = "sessiontools_client-0.1.0.dist-info/"
    package = [path for path in (CLIENT / "sessiontools").rglob("*") if path.suffix in (".py", ".pyi", ".typed")]
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.startswith(info)}
        metadata = archive.read(f"{info}METADATA").decode()

    assert names == {path.relative_to(CLIENT).as_posix() for path in package}
    assert "sessiontools/client.py" in names
    assert "Name: sessiontools-client\n" in metadata
    assert [line.removeprefix("Requires-Dist: ") for line in metadata.splitlines() if "Requires-Dist" in line] == (
        declared()
    )


def test_its_dependencies_are_enough_to_import_it(wheel: Path, tmp_path: Path) -> None:
    installed, dependencies = tmp_path / "wheel", tmp_path / "dependencies"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    for name in _with_their_own(declared()):
        _link(name, dependencies)

    command = [sys.executable, "-I", "-S", "-c", IMPORTER, str(installed), str(dependencies)]
    ended = subprocess.run(command, capture_output=True, text=True)

    assert ended.returncode == 0, ended.stderr


def test_without_its_dependencies_it_is_not_imported(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)

    command = [sys.executable, "-I", "-S", "-c", IMPORTER, str(tmp_path), str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True)

    assert "No module named 'g" in ended.stderr  # google or grpc


def _with_their_own(requirements: list[str]) -> set[str]:
    """The names of these distributions and of all that they need."""
    found: set[str] = set()
    left = [*requirements]
    while left:
        requirement = left.pop()
        name = NAME.match(requirement)
        assert name, requirement
        if name[0] not in found and "extra ==" not in requirement:
            found.add(name[0])
            left += distribution(name[0]).requires or []
    return found


def _link(name: str, folder: Path) -> None:
    """Put a distribution's files into a folder."""
    for file in distribution(name).files or []:
        if ".." not in file.parts and "__pycache__" not in file.parts:
            link = folder / file
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file.locate())


def test_it_needs_what_the_server_needs_in_the_same_versions() -> None:
    server = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    # The server may have a bound above, for faults that clients do not meet.
    assert {*declared()} <= {each.partition(",")[0] for each in server["dependencies"]}


def test_the_readme_prints_the_quick_start_in_at_most_twenty_lines() -> None:
    program = QUICKSTART.read_text(encoding="utf-8")

    assert len(program.splitlines()) <= 20
    assert f"```python\n{program}```\n" in (CLIENT / "README.md").read_text(encoding="utf-8")


def test_the_quick_start_sends_and_waits(tmp_path: Path) -> None:
    program = ROOT / "tests" / "clients" / "drivers" / "python" / "quickstart"
    with served(tmp_path) as server:
        command, env = [str(program), server.address], {**os.environ, "PYTHON": sys.executable}
        said = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=True).stdout

    assert "snapshot {" in said
    assert 'text: "echo: hello"' in said
    assert "reason: END_REASON_RUN_TERMINAL" in said
