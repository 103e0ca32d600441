"""What to seed, and how long each transcript becomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from random import Random

from sessiond.model.keys import KeyRules

# Most conversations are short; one in forty is two hundred times as long as the shortest.
_WEIGHTS = [1] * 16 + [2] * 10 + [4] * 6 + [8] * 4 + [20] * 2 + [60, 200]


@dataclass(frozen=True)
class SeedPlan:
    """How much of what; the same plan on an equal store gives the same rows."""

    sessions: int = 0
    messages: int = 0  # over all those sessions
    one_transcript: int = 0  # messages of one further session; 0 = no such session
    seed_number: int = 1
    agents: tuple[str, ...] = ("main",)  # the first has half of the sessions, the next half of the rest, and so on
    keys: KeyRules = field(default_factory=KeyRules)

    @property
    def rows(self) -> int:
        """Everything to be written, for a progress bar."""
        return self.sessions + self.messages + self.one_transcript + bool(self.one_transcript)


def transcript_lengths(plan: SeedPlan, rng: Random) -> list[int]:
    """A length for each session; they add up to exactly the plan's messages."""
    ends = list(accumulate(rng.choices(_WEIGHTS, k=plan.sessions), initial=0))
    return [plan.messages * end // ends[-1] - plan.messages * start // ends[-1] for start, end in pairwise(ends)]
