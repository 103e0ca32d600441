"""Processes that are held to a share of a core, by the kernel's cpu controller.

On a small machine the generator and PostgreSQL have what a second worker would need. Held to a share each, workers have
a processor of their own, only a slow one: what is measured then is the server, and not who else has the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from os import getpid
from pathlib import Path

from bench.load import LoadProblem

SHARE = 0.4
# Short beside what a call takes, so that it is slow all the time instead of standing still now and then.
PERIOD_US = 5_000
# Where the controller is, in the kernel's first version of it and in the second.
PLACES = (Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup"))
# The files of both versions; each has its own.
LIMITS = {
    "cpu.cfs_period_us": f"{PERIOD_US}",
    "cpu.cfs_quota_us": f"{SHARE * PERIOD_US:.0f}",
    "cpu.max": f"{SHARE * PERIOD_US:.0f} {PERIOD_US}",
}
MEMBERS = "cgroup.procs"
_numbers = count()


class NotHeld(LoadProblem):
    """The processes were not held: it is not allowed here, or the kernel can't."""


@contextmanager
def held(processes: Sequence[int]) -> Iterator[None]:
    """Each of these processes has its share of a core, for the time of the context."""
    with ExitStack() as stack:
        groups = [stack.enter_context(_held(process)) for process in processes]
        yield
        if not all(map(_has_held, groups)):
            raise NotHeld("the kernel never held the workers back, so that they had more than their share")


@contextmanager
def _held(process: int) -> Iterator[Path]:
    group = _new_group()
    try:
        for name, limit in LIMITS.items():
            if (group / name).exists():
                (group / name).write_text(limit, encoding="ascii")
        (group / MEMBERS).write_text(str(process), encoding="ascii")
        yield group
    finally:
        (group.parent / MEMBERS).write_text(str(process), encoding="ascii")  # only an empty group can be removed
        group.rmdir()


def _new_group() -> Path:
    refused = "this system has no cpu controller"
    for place in PLACES:
        group = place / f"sessiontools-bench-{getpid()}-{next(_numbers)}"
        try:
            group.mkdir()
        except OSError as problem:
            refused = str(problem)
            continue
        if any((group / name).exists() for name in LIMITS):
            return group
        group.rmdir()
    raise NotHeld(f"workers can't be held to a share of a core: {refused}")


def _has_held(group: Path) -> bool:
    """Whether the kernel has held it back at any time, as both versions count it."""
    counted = dict(line.split() for line in (group / "cpu.stat").read_text(encoding="ascii").splitlines())
    return int(counted["nr_throttled"]) > 0
