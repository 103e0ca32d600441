"""From argv to a command; every expected problem is one line on standard error, never a traceback."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sessiond.commands import backup, call, config, demo, doctor, importing, keys, seed, send, serve, token, transcripts
from sessiond.model.problems import Problem
from sessiond.settings import SettingsError

_COMMANDS = (serve, call, send, config, token, keys, doctor, backup, importing, transcripts, seed, demo)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    args = _parser().parse_args(argv)
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sessiontools", description="Session tools for AI agents, as a gRPC service.")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--config", type=Path, metavar="FILE", help="default: ./sessiontools.json5 if it is there")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add_parser(subparsers, [common])
    return parser


if __name__ == "__main__":
    sys.exit(main())
