"""From argv to a command; every expected problem is one line on standard error, never a traceback."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from sessiond.model.problems import Problem
from sessiond.settings import SettingsError

# Each command, and the module of `commands` that it is in.
_COMMANDS = {
    **{name: name for name in ("serve", "call", "send", "config", "token", "keys", "doctor", "backup")},
    "import": "importing",
    **{name: name for name in ("transcripts", "seed", "demo")},
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    argv = sys.argv[1:] if argv is None else argv
    # Only what is asked for is loaded, since most need little of what all of them do: all only to be listed.
    args = _parser(argv[:1] if argv and argv[0] in _COMMANDS else _COMMANDS).parse_args(argv)
    try:
        code: int = args.run(args)
    except SettingsError as problem:
        print("\n".join(problem.problems), file=sys.stderr)
        return 2
    except Problem as problem:
        print(f"sessiontools: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stderr.close()
        return 141
    return code


def _parser(names: Iterable[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sessiontools", description="Session tools for AI agents, as a gRPC service.")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--config", type=Path, metavar="FILE", help="default: ./sessiontools.json5 if it is there")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for name in names:
        import_module(f"sessiond.commands.{_COMMANDS[name]}").add_parser(subparsers, [common])
    return parser


if __name__ == "__main__":
    sys.exit(main())
