"""`tools` and `announce`: what agents may do with sessions, and how results are told."""

from typing import Literal

from pydantic import Field

from sessiond.settings.section import Many, Section
from sessiond.settings.values import Text


class ToolListSettings(Section):
    """Tools by name."""

    allow: Many[Text] = Field(
        default=(), description="Tools that sub-agents get although by default they don't, such as session tools."
    )
    deny: Many[Text] = Field(default=(), description="Tools that sub-agents never get; wins over `allow`.")


class SubagentToolsSettings(Section):
    """What sub-agents may use."""

    tools: ToolListSettings = Field(default=ToolListSettings(), description="Tools by name.")


class AgentToAgentSettings(Section):
    """Whether agents reach sessions of other agents."""

    enabled: bool = Field(default=False, description="Whether an agent may see and write to other agents' sessions.")
    allow: Many[Text] = Field(
        default=(), description="Agents among whom it may, as ids with `*` for any part; empty: all of them."
    )


class SessionToolsSettings(Section):
    """What an agent sees of other sessions."""

    visibility: Literal["self", "tree", "agent", "all"] = Field(
        default="all", description="Sessions it sees: its own, also those it spawned, all of its agent, or all."
    )
    redact: Literal["cross-session", "always", "off"] = Field(
        default="cross-session", description="When credentials in history are masked for an agent that reads it."
    )


class ToolsSettings(Section):
    """What agents may do with sessions."""

    subagents: SubagentToolsSettings = Field(default=SubagentToolsSettings(), description="What sub-agents may use.")
    agent_to_agent: AgentToAgentSettings = Field(
        default=AgentToAgentSettings(), description="Whether agents reach sessions of other agents."
    )
    sessions: SessionToolsSettings = Field(
        default=SessionToolsSettings(), description="What an agent sees of other sessions."
    )


class AnnounceSettings(Section):
    """How a sub-agent's result is told."""

    stats: Literal["full", "compact", "off"] = Field(
        default="full", description="The stats line under a result: all of it, runtime and tokens only, or none."
    )
