"""What a run of the benchmark is asked for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SMALL = 1_000
PROFILES = "profiles"
PEERS = "peers"  # measured by a command of its own, and kept on the page
DOCS = Path(__file__).parents[1] / "docs"


@dataclass(frozen=True)
class Options:
    """Sizes of stores, repetitions, what is measured, and where the page goes; None = it is only printed."""

    sessions: int = 1_000_000
    transcript: int = 1_000_000
    finished_runs: int = 1_000_000
    rounds: int = 200  # of a single call
    turns: int = 3  # of a load
    seconds: float = 1.5  # of one load
    quick: bool = False
    groups: tuple[str, ...] = ()
    page: Path | None = DOCS / "performance.md"


QUICK = Options(
    sessions=20_000,
    transcript=20_000,
    finished_runs=20_000,
    rounds=60,
    turns=2,
    quick=True,
    page=None,
)


def parse(groups: Sequence[str], argv: list[str] | None = None) -> Options:
    """Options from the command line."""
    usual, page = Options(), Options().page
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure, and write docs/performance.md.")
    parser.add_argument("--quick", action="store_true", help="smaller and shorter; prints only, unless --page is given")
    parser.add_argument("--only", nargs="+", choices=groups, metavar="GROUP", help=f"of {', '.join(groups)}")
    parser.add_argument("--sessions", type=_size, metavar="N", help=f"in the large store ({usual.sessions})")
    parser.add_argument("--transcript", type=_size, metavar="M", help=f"messages of the long one ({usual.transcript})")
    parser.add_argument("--rounds", type=int, metavar="R", help=f"repetitions of a single call ({usual.rounds})")
    parser.add_argument("--turns", type=int, metavar="T", help=f"repetitions of a load ({usual.turns})")
    parser.add_argument("--seconds", type=float, metavar="S", help=f"how long one load goes on ({usual.seconds:g})")
    parser.add_argument(
        "--page", type=Path, nargs="?", const=page, metavar="FILE", help=f"written also after --only ({page})"
    )
    args = parser.parse_args(argv)
    usual = QUICK if args.quick else usual
    return Options(
        sessions=args.sessions or usual.sessions,
        transcript=args.transcript or usual.transcript,
        finished_runs=usual.finished_runs,
        rounds=max(1, args.rounds or usual.rounds),
        turns=max(1, args.turns or usual.turns),
        seconds=args.seconds or usual.seconds,
        quick=args.quick,
        groups=tuple(args.only or groups),
        page=args.page or (None if args.only else usual.page),
    )


def _size(text: str) -> int:
    size = int(text.replace("_", "").replace(",", ""))
    if size < SMALL:
        raise argparse.ArgumentTypeError(f"{text}: at least {SMALL}, the size that it is compared with")
    return size
