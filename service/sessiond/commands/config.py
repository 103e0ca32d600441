"""`sessiontools config`: check a file, show what is in effect, print the reference."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sessiond.settings import Loaded, SettingsError, load
from sessiond.settings.explain import reference
from sessiond.settings.show import as_json, as_json5

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - it has no public name


def add_parser(subparsers: "Subparsers", parents: Sequence[argparse.ArgumentParser]) -> None:
    """Register `config` with its subcommands; `parents` bring `--config FILE`."""
    config = subparsers.add_parser("config", help="check and show the configuration")
    actions = config.add_subparsers(dest="action", required=True)
    check = actions.add_parser("check", parents=parents, help="say what is wrong with a file, without starting")
    check.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the file (default: as for --config)")
    show = actions.add_parser("show", parents=parents, help="print every value in effect and where it came from")
    show.add_argument("--json", action="store_true", help="print JSON: settings, and sources by path")
    actions.add_parser("reference", parents=parents, help="print docs/configuration.md")
    config.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Do what `args.action` says; 1 when the configuration is wrong, with a line for each problem."""
    try:
        sys.stdout.write(_output(args))
    except SettingsError as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)
        return 1
    return 0


def _output(args: argparse.Namespace) -> str:
    if args.action == "reference":
        return reference()
    if args.action == "check":
        return f"{_loaded(args.file or args.config).file or 'no file, only defaults'}: ok\n"
    loaded = _loaded(args.config)
    return as_json(loaded) if args.json else as_json5(loaded)


def _loaded(file: Path | str | None) -> Loaded:
    return load(None if file is None else Path(file), os.environ, {})
