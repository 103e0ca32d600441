"""From file, environment and flags to one checked Settings: default < file < environment < flag."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sessiond.settings.catalogue import Location, catalogue
from sessiond.settings.checks import contradictions
from sessiond.settings.environment import CONFIG_FILE, put_environment
from sessiond.settings.layers import Layers
from sessiond.settings.problems import Problem, SettingsError, problems_of
from sessiond.settings.schema import Settings
from sessiond.settings.text import parse

USUAL_FILE = Path("sessiontools.json5")


@dataclass(frozen=True)
class Loaded:
    """Settings that are fit to start with, and where each came from. `file` is None when none was read."""

    settings: Settings
    file: Path | None
    sources: Mapping[str, str]

    def source_of(self, path: str) -> str:
        """`default`, `file`, `env NAME` or `flag`, for a path such as `agents.list[0].id`."""
        return self.sources.get(path, "default")


def load(config_file: Path | None, environ: Mapping[str, str], flags: Mapping[str, Any]) -> Loaded:
    """Read and check everything. Flags are paths (`server.listen`) to values; None means not given."""
    layers = Layers()
    file = _chosen(config_file, environ)
    if file is not None:
        layers.put((), read_file(file), "file")
    problems = put_environment(layers, environ) + _put_flags(layers, flags)
    settings, found = _validated(layers.tree)
    problems += dict.fromkeys(problem.line(layers.sources) for problem in found)
    if problems or settings is None:
        raise SettingsError(problems)
    return Loaded(settings, file, layers.sources)


def read_file(file: Path) -> dict[str, Any]:
    """The object in a JSON5 file."""
    try:
        content = parse(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SettingsError([f"{file}: cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise SettingsError([f"{file}: is not UTF-8 text: byte {error.start}"]) from error
    except RecursionError as error:
        raise SettingsError([f"{file}: is nested too deeply"]) from error
    except ValueError as error:
        raise SettingsError([f"{file}: is not JSON5: {_where(str(error))}"]) from error
    if not isinstance(content, dict):
        raise SettingsError([f"{file}: expected an object, {{ … }}"])
    return content


def _where(message: str) -> str:
    """The parser's message, with its `<string>:2` as a line number."""
    start, _, rest = message.partition(" ")
    return f"line {start.removeprefix('<string>:')}: {rest}" if start.startswith("<string>:") else message


def _chosen(config_file: Path | None, environ: Mapping[str, str]) -> Path | None:
    if config_file is not None:
        return config_file
    if environ.get(CONFIG_FILE):
        return Path(environ[CONFIG_FILE])
    return USUAL_FILE if USUAL_FILE.exists() else None


def _put_flags(layers: Layers, flags: Mapping[str, Any]) -> list[str]:
    problems = []
    for path, value in flags.items():
        location: Location = tuple(path.split("."))
        if catalogue().find(location) is None:
            problems.append(f"{path}: unknown key (from flag)")
        elif value is not None:
            layers.put(location, value, "flag")
    return problems


def _validated(tree: dict[str, Any]) -> tuple[Settings | None, list[Problem]]:
    try:
        settings = Settings.model_validate(tree, by_alias=True, by_name=False)
    except ValidationError as error:
        return None, problems_of(error)
    return settings, contradictions(settings)
