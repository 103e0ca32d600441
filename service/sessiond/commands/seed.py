"""`sessiontools seed`: fill the store with invented sessions, for tests, demos and benchmarks."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tqdm import tqdm

from sessiond.configured import rules_of
from sessiond.model.rules import Rules
from sessiond.settings import load
from sessiond.store.database import StoreProblem
from sessiond.store.seeding import Seeded, SeedPlan, seed_store

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - it has no public name

MOST = 100_000_000
MOST_AGENTS = 5
_INVENTED_AGENTS = ("work", "family", "support", "research")


class _Refused(Exception):  # noqa: N818 - read by people as the reason for not starting
    """What is wrong with the numbers, in one line."""


def add_parser(subparsers: "Subparsers", parents: Sequence[argparse.ArgumentParser]) -> None:
    """Register `seed`; `parents` bring `--config FILE`."""
    seed = subparsers.add_parser(
        "seed",
        parents=parents,
        help="fill the store with invented sessions and messages",
        description="Add invented sessions and messages to the store that the configuration names. They belong to the "
        "configured agents and, up to five in all, to invented ones. What is there stays; a second run adds more.",
    )
    seed.add_argument("--sessions", default="0", metavar="N", help="sessions to add, of every kind")
    seed.add_argument("--messages", default="0", metavar="M", help="messages to add, spread over those sessions")
    seed.add_argument("--one-transcript", default="0", metavar="M", help="add one more session with this many messages")
    seed.add_argument("--seed-number", default="1", metavar="K", help="another number invents others (default: 1)")
    seed.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Seed and say what was written; 2, with one line, when the numbers or the store don't allow it."""
    try:
        numbers = _checked(args)
        settings = load(args.config, os.environ, {}).settings
        seeded, seconds = _seed(settings.store.url, _plan(numbers, rules_of(settings)))
    except (_Refused, StoreProblem) as problem:
        print(f"sessiontools: {problem}", file=sys.stderr)
        return 2
    print(f"added {seeded.sessions:,} sessions and {seeded.messages:,} messages to {seeded.where} in {seconds:.1f} s")
    if seeded.one_transcript_key:
        print(f"the long transcript is that of {seeded.one_transcript_key}")
    return 0


def _checked(args: argparse.Namespace) -> SeedPlan:
    """The numbers of the plan; its agents and keys come from the configuration."""
    plan = SeedPlan(
        sessions=_number("--sessions", args.sessions),
        messages=_number("--messages", args.messages),
        one_transcript=_number("--one-transcript", args.one_transcript),
        seed_number=_number("--seed-number", args.seed_number),
    )
    if not plan.rows:
        raise _Refused("nothing to add; give --sessions N, --messages M or --one-transcript M")
    if plan.messages and not plan.sessions:
        raise _Refused("--messages needs --sessions to put them into; for one session, use --one-transcript")
    return plan


def _number(option: str, text: str) -> int:
    digits = text.replace(",", "").replace("_", "")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= len(str(MOST))
    if not is_number or int(digits) > MOST:
        raise _Refused(f"{option} {text!r}: expected a whole number from 0 to {MOST:,}")
    return int(digits)


def _plan(numbers: SeedPlan, rules: Rules) -> SeedPlan:
    default = rules.roster.default_id
    invented = _INVENTED_AGENTS[: max(0, MOST_AGENTS - len(rules.roster.agents))]
    agents = dict.fromkeys([default, *rules.roster.agents, *invented])  # in this order, each once
    return replace(numbers, agents=tuple(agents), keys=rules.keys)


def _seed(url: str, plan: SeedPlan) -> tuple[Seeded, float]:
    begun = time.monotonic()
    with tqdm(total=plan.rows, unit=" rows", unit_scale=True, disable=None) as bar:  # None = off where no terminal is
        seeded = seed_store(url, plan, bar.update)
    return seeded, time.monotonic() - begun
