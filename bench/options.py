"""What a run of the benchmark is asked for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

SMALL = 1_000
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"


@dataclass(frozen=True)
class Options:
    """Sizes of the large store, repetitions, and where the page goes; None = it is only printed."""

    sessions: int = 1_000_000
    transcript: int = 1_000_000
    rounds: int = 300
    page: Path | None = PAGE


QUICK = Options(sessions=50_000, transcript=50_000, rounds=60, page=None)


def parse(argv: list[str] | None = None) -> Options:
    """Options from the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure, and write docs/performance.md.")
    parser.add_argument("--quick", action="store_true", help="smaller and shorter; prints only, unless --page is given")
    parser.add_argument("--sessions", type=_size, metavar="N", help="sessions in the large store (default: 1000000)")
    parser.add_argument("--transcript", type=_size, metavar="M", help="messages in its long transcript (1000000)")
    parser.add_argument("--rounds", type=int, metavar="R", help="interleaved repetitions of each case (300)")
    parser.add_argument("--page", type=Path, metavar="FILE", help="where the page is written (docs/performance.md)")
    args = parser.parse_args(argv)
    usual = QUICK if args.quick else Options()
    return Options(
        sessions=args.sessions or usual.sessions,
        transcript=args.transcript or usual.transcript,
        rounds=max(1, args.rounds or usual.rounds),
        page=args.page or usual.page,
    )


def _size(text: str) -> int:
    size = int(text.replace("_", "").replace(",", ""))
    if size < SMALL:
        raise argparse.ArgumentTypeError(f"{text}: at least {SMALL}, the size that it is compared with")
    return size
