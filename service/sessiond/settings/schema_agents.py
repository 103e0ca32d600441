"""`agents`: the configured identities, and what holds for all of them."""

from typing import Literal

from pydantic import Field

from sessiond.settings.section import Many, Section
from sessiond.settings.values import AgentId, AgentOrAny, ModelId, Text

RuntimeLoss = Literal["fail", "requeue"]
SandboxMode = Literal["off", "non-main", "all"]


class SandboxDefaults(Section):
    """Sandboxing, where an agent says nothing else."""

    mode: SandboxMode = Field(
        default="off", description="Which sessions are sandboxed: none, all but the main session, or all."
    )
    session_tools_visibility: Literal["spawned", "all"] = Field(
        default="spawned", description="What a sandboxed session sees: itself and what it spawned, or no such clamp."
    )


class SubagentDefaults(Section):
    """Sub-agents, where an agent says nothing else."""

    max_concurrent: int = Field(
        default=8, ge=1, le=10_000, description="Sub-agent runs at a time (a pool of their own)."
    )
    max_spawn_depth: int = Field(
        default=1, ge=0, le=16, description="How deep spawns may nest; 1: sub-agents spawn nothing, 0: nobody does."
    )
    max_children: int = Field(
        default=12, ge=1, le=10_000, description="Unfinished sub-agents that one session may have at a time."
    )
    archive_after_minutes: float = Field(
        default=60, ge=0, le=5_256_000, description="Minutes from a sub-agent's last run to its archiving; 0: never."
    )
    model: ModelId | None = Field(default=None, description="Model of sub-agents; null: the target agent's own.")


class AgentDefaults(Section):
    """What holds for every agent that says nothing else."""

    model: ModelId = Field(default="echo", description="Model of agents without one; by default the first of `models`.")
    max_concurrent: int = Field(default=8, ge=1, le=10_000, description="Runs at a time over all sessions.")
    on_runtime_loss: RuntimeLoss = Field(
        default="fail", description="What becomes of a run whose runtime vanished: it fails, or it is queued again."
    )
    max_attempts: int = Field(default=2, ge=1, le=100, description="Most attempts of one run under `requeue`.")
    sandbox: SandboxDefaults = Field(default=SandboxDefaults(), description="Sandboxing.")
    subagents: SubagentDefaults = Field(default=SubagentDefaults(), description="Sub-agents.")


class AgentSandboxSettings(Section):
    """Sandboxing of one agent."""

    mode: SandboxMode | None = Field(default=None, description="As `agents.defaults.sandbox.mode`; null: that one.")


class AgentSubagentSettings(Section):
    """What one agent may spawn, and how it is spawned."""

    allow_agents: Many[AgentOrAny] = Field(
        default=(), description='Other agents that this one may spawn; `"*"`: any configured one.'
    )
    model: ModelId | None = Field(default=None, description="Model of this agent where it is spawned.")


class AgentSettings(Section):
    """One configured agent."""

    id: AgentId = Field(description="The agent's id, part of its session keys; stored lower-case.")
    name: Text | None = Field(default=None, description="Name for people; null: the id.")
    default: bool = Field(default=False, description="Whether it is the default agent (else the first one is).")
    model: ModelId | None = Field(default=None, description="Its model; null: `agents.defaults.model`.")
    runtime: Literal["builtin", "external"] = Field(
        default="builtin", description="Who executes its runs: this server, or programs that call RuntimeService."
    )
    sandbox: AgentSandboxSettings = Field(default=AgentSandboxSettings(), description="Its sandboxing.")
    subagents: AgentSubagentSettings = Field(default=AgentSubagentSettings(), description="What it may spawn.")
    on_runtime_loss: RuntimeLoss | None = Field(default=None, description="As in `agents.defaults`; null: that one.")
    max_attempts: int | None = Field(default=None, ge=1, le=100, description="As in `agents.defaults`; null: that one.")


ONLY_MAIN = (AgentSettings(id="main"),)


class AgentsSettings(Section):
    """The agents, and what holds for all of them."""

    defaults: AgentDefaults = Field(default=AgentDefaults(), description="For agents that say nothing else.")
    list: Many[AgentSettings] = Field(default=ONLY_MAIN, description="The agents; none: one, whose id is `main`.")
