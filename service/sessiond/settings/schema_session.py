"""`session`: how conversations are named and who may write to them."""

from typing import Literal

from pydantic import Field

from sessiond.settings.section import Many, Section
from sessiond.settings.values import MainKey, Text


class SendMatchSettings(Section):
    """What a rule applies to. Keys that are not given match everything."""

    channel: Text | None = Field(default=None, description="Channel of the session, such as discord.")
    chat_type: Literal["direct", "group", "channel"] | None = Field(
        default=None, description="Chat type of the session."
    )
    key_prefix: Text | None = Field(
        default=None, description="Beginning of the session key, with or without `agent:<id>:`."
    )


class SendRuleSettings(Section):
    """One rule of the send policy."""

    action: Literal["allow", "deny"] = Field(description="What the rule does where it matches; any deny wins.")
    match: SendMatchSettings = Field(default=SendMatchSettings(), description="What the rule applies to.")


class SendPolicySettings(Section):
    """Where messages may be sent, by channel, chat type or key."""

    default: Literal["allow", "deny"] = Field(default="allow", description="What holds where no rule matches.")
    rules: Many[SendRuleSettings] = Field(default=(), description="The rules; their order has no meaning.")


class ReplyLoopSettings(Section):
    """Bounds of what one agent's message to another sets off."""

    max_ping_pong_turns: int = Field(
        default=5, ge=0, le=5, description="Most reply turns after a `sessions_send`; 0 turns the loop off."
    )
    max_runs_per_trace: int = Field(
        default=64, ge=1, le=100_000, description="Most runs that one first cause may lead to, over all sessions."
    )


class SessionSettings(Section):
    """Sessions: their names, and who may write to them."""

    scope: Literal["per-sender", "global"] = Field(
        default="per-sender", description="`global` puts all direct chats into one session, shown as `main`."
    )
    main_key: MainKey = Field(default="main", description="Last part of the key of an agent's main session.")
    send_policy: SendPolicySettings = Field(
        default=SendPolicySettings(), description="Where messages may be sent, by channel, chat type or key."
    )
    agent_to_agent: ReplyLoopSettings = Field(
        default=ReplyLoopSettings(), description="Bounds of what one agent's message to another sets off."
    )
