"""From settings to the model's rules: the one place that knows both."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sessiond.model.agents import Agent, Roster, SandboxMode
from sessiond.model.callers import CallerRole
from sessiond.model.keys import KeyRules
from sessiond.model.policy import PolicyRule, SendPolicy
from sessiond.model.rules import DeliveryRules, Price, Rules, RunRules, SubagentRules, WaitRules
from sessiond.model.runs import Pool
from sessiond.model.sessions import PolicyAction
from sessiond.model.visibility import RedactSetting, VisibilityRules, VisibilitySetting
from sessiond.rpc.credentials import Token
from sessiond.settings import AgentDefaults, AgentSettings, ModelSettings, Settings
from sessiond.worker.providers import ModelConfig


def rules_of(settings: Settings) -> Rules:
    """All behaviour that configuration decides."""
    roster = _roster(settings)
    return Rules(
        keys=KeyRules(
            main_key=settings.session.main_key,
            default_agent=roster.default_id,
            direct_chats_share_main=settings.session.scope == "global",
        ),
        roster=roster,
        models=frozenset(settings.models),
        send_policy=_send_policy(settings),
        visibility=VisibilityRules(
            setting=VisibilitySetting(settings.tools.sessions.visibility),
            agent_to_agent=settings.tools.agent_to_agent.enabled,
            agent_to_agent_allow=tuple(pattern.lower() for pattern in settings.tools.agent_to_agent.allow),
            sandbox_clamps=settings.agents.defaults.sandbox.session_tools_visibility == "spawned",
        ),
        runs=_run_rules(settings),
        waits=WaitRules(
            per_caller=settings.server.max_waits_per_caller,
            per_server=settings.server.max_waits,
            stream_age_s=settings.server.stream_max_age_seconds,
        ),
        deliveries=DeliveryRules(
            lease_ms=_ms(settings.deliveries.lease_seconds),
            give_up_ms=_ms(settings.deliveries.give_up_after_hours * 3600),
            max_per_acquire=settings.deliveries.max_per_acquire,
        ),
        subagents=_subagents(settings),
        context_tokens={
            name: model.context_tokens for name, model in settings.models.items() if model.context_tokens is not None
        },
        prices={
            name: Price(model.price_in, model.price_out)
            for name, model in settings.models.items()
            if model.price_in is not None and model.price_out is not None
        },
        announce_stats=settings.announce.stats,
        request_id_ms=_ms(settings.retention.request_id_hours * 3600),
        run_token_ms=_ms(settings.auth.run_token_hours * 3600),
        redact=RedactSetting(settings.tools.sessions.redact),
        purge_after_ms=_ms(settings.retention.purge_after_days * 86400),
        message_bytes=settings.limits.message_bytes,
        transcripts_dir=_transcripts_dir(settings),
    )


def _run_rules(settings: Settings) -> RunRules:
    return RunRules(
        lease_ms=_ms(settings.runtime.lease_seconds),
        cancel_grace_ms=_ms(settings.runtime.cancel_grace_seconds),
        slots={
            Pool.AGENTS: settings.agents.defaults.max_concurrent,
            Pool.SUBAGENTS: settings.agents.defaults.subagents.max_concurrent,
        },
        queue_depth=settings.limits.queue_depth,
        max_runs_per_trace=settings.session.agent_to_agent.max_runs_per_trace,
        max_turns=settings.session.agent_to_agent.max_ping_pong_turns,
    )


def _subagents(settings: Settings) -> SubagentRules:
    defaults, tools = settings.agents.defaults.subagents, settings.tools.subagents.tools
    return SubagentRules(
        max_depth=defaults.max_spawn_depth,
        max_children=defaults.max_children,
        archive_after_ms=_ms(defaults.archive_after_minutes * 60),
        model=defaults.model or "",
        tools_allow=tuple(tools.allow),
        tools_deny=tuple(tools.deny),
    )


def models_of(settings: Settings, environ: Mapping[str, str]) -> list[ModelConfig]:
    """The configured models, with their keys from where the settings say."""
    return [
        ModelConfig(
            id=name,
            provider=model.provider,
            name=model.model or name,
            base_url=model.base_url,
            api_key=_api_key(model, environ),
            command=tuple(model.command),
            timeout_s=model.timeout_seconds,
            max_tool_rounds=model.max_tool_rounds,
        )
        for name, model in settings.models.items()
    ]


def _api_key(model: ModelSettings, environ: Mapping[str, str]) -> str:
    if model.api_key is not None:
        return model.api_key.get_secret_value()
    return environ.get(model.api_key_env, "") if model.api_key_env else ""


def tokens_of(settings: Settings) -> list[Token]:
    """The configured credentials, as hashes."""
    return [Token(each.name, CallerRole(each.role), each.digest() or "") for each in settings.auth.tokens]


def _roster(settings: Settings) -> Roster:
    listed = settings.agents.list
    agents = {each.id: _agent(each, settings.agents.defaults) for each in listed}
    default = next((each.id for each in listed if each.default), listed[0].id)
    return Roster(agents, default)


def _agent(agent: AgentSettings, defaults: AgentDefaults) -> Agent:
    return Agent(
        id=agent.id,
        name=agent.name or "",
        model=agent.model or defaults.model,
        is_external=agent.runtime == "external",
        sandbox=SandboxMode(agent.sandbox.mode or defaults.sandbox.mode),
        allow_agents=frozenset(agent.subagents.allow_agents),
        subagent_model=agent.subagents.model or defaults.subagents.model or "",
        requeue_on_loss=(agent.on_runtime_loss or defaults.on_runtime_loss) == "requeue",
        max_attempts=agent.max_attempts or defaults.max_attempts,
    )


def _send_policy(settings: Settings) -> SendPolicy:
    policy = settings.session.send_policy
    rules = (
        PolicyRule(
            PolicyAction(rule.action),
            rule.match.channel or "",
            rule.match.chat_type or "",
            rule.match.key_prefix or "",
        )
        for rule in policy.rules
    )
    return SendPolicy(PolicyAction(policy.default), tuple(rules))


def _transcripts_dir(settings: Settings) -> str:
    if not settings.transcripts.enabled:
        return ""
    return str(Path(settings.store.data_dir).expanduser().resolve() / "transcripts")


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
