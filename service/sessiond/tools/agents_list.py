"""AgentsList: the agents a caller may spawn under (A1)."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.access import view_of
from sessiond.model.agents import AllowedAgent, allowed_agents
from sessiond.model.callers import Caller
from sessiond.model.rules import Rules
from sessiond.store.database import Database


@dataclass(frozen=True)
class AgentsPage:
    """The requester and the agents it may use."""

    requester_id: str
    allow_any: bool
    agents: list[AllowedAgent]


async def agents_list(db: Database, rules: Rules, caller: Caller) -> AgentsPage:
    """Requester first, then the allowed ones by id."""
    view = await db.read(lambda tx: view_of(tx, rules, caller))
    requester = view.agent_id or rules.roster.default_id
    allow_any, agents = allowed_agents(rules.roster, requester)
    return AgentsPage(requester, allow_any, agents)
