"""All configuration that behaviour depends on, in the model's own terms; built once at the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal

from sessiond.model.agents import Roster
from sessiond.model.keys import KeyRules
from sessiond.model.messages import MAX_MESSAGE_BYTES
from sessiond.model.policy import SendPolicy
from sessiond.model.runs import Pool
from sessiond.model.visibility import RedactSetting, VisibilityRules


@dataclass(frozen=True)
class RunRules:
    """How runs are queued, leased and stopped."""

    lease_ms: int = 30_000
    cancel_grace_ms: int = 10_000
    slots: Mapping[Pool, int] = field(default_factory=lambda: dict.fromkeys(Pool, 8))
    queue_depth: int = 1_000
    max_runs_per_trace: int = 64
    max_turns: int = 5


@dataclass(frozen=True)
class WaitRules:
    """How long and how many waits may be."""

    per_caller: int = 1_000
    per_server: int = 50_000
    stream_age_s: float = 270


@dataclass(frozen=True)
class DeliveryRules:
    """How outgoing texts are handed out and given up."""

    lease_ms: int = 30_000
    give_up_ms: int = 24 * 3_600_000
    max_per_acquire: int = 100


@dataclass(frozen=True)
class SubagentRules:
    """What sub-agents may be and do."""

    max_depth: int = 1
    max_children: int = 12
    archive_after_ms: int = 3_600_000
    model: str = ""
    tools_allow: tuple[str, ...] = ()
    tools_deny: tuple[str, ...] = ()


@dataclass(frozen=True)
class Price:
    """What a model costs, in USD per million tokens."""

    tokens_in: float
    tokens_out: float


@dataclass(frozen=True)
class Rules:
    """What use cases are handed beside the store and the caller."""

    keys: KeyRules = field(default_factory=KeyRules)
    roster: Roster = field(default_factory=Roster)
    models: frozenset[str] = frozenset({"echo"})
    send_policy: SendPolicy = field(default_factory=SendPolicy)
    visibility: VisibilityRules = field(default_factory=VisibilityRules)
    runs: RunRules = field(default_factory=RunRules)
    waits: WaitRules = field(default_factory=WaitRules)
    deliveries: DeliveryRules = field(default_factory=DeliveryRules)
    subagents: SubagentRules = field(default_factory=SubagentRules)
    context_tokens: Mapping[str, int] = field(default_factory=dict)  # by model, where known
    prices: Mapping[str, Price] = field(default_factory=dict)
    announce_stats: Literal["full", "compact", "off"] = "full"
    request_id_ms: int = 24 * 3_600_000
    run_token_ms: int = 24 * 3_600_000
    redact: RedactSetting = RedactSetting.CROSS_SESSION
    purge_after_ms: int = 0
    message_bytes: int = MAX_MESSAGE_BYTES
    transcripts_dir: str = ""

    def model_of(self, agent_id: str) -> str:
        """The model an agent's sessions use unless they say otherwise."""
        agent = self.roster.agents.get(agent_id) or self.roster.agents[self.roster.default_id]
        return agent.model

    def transcript_of(self, session_id: str) -> str:
        """The mirror file of a generation; empty when mirroring is off (L9)."""
        return str(PurePath(self.transcripts_dir) / f"{session_id}.jsonl") if self.transcripts_dir else ""
