"""Send policy: may a text go into, or out of, a session? (Q1)"""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.model.keys import SessionKey
from sessiond.model.sessions import PolicyAction, Session, channel_of, key_channel


@dataclass(frozen=True)
class PolicyRule:
    """One rule; an empty field matches anything."""

    action: PolicyAction
    channel: str = ""
    chat_type: str = ""
    key_prefix: str = ""


@dataclass(frozen=True)
class SendPolicy:
    """`session.sendPolicy`."""

    default: PolicyAction = PolicyAction.ALLOW
    rules: tuple[PolicyRule, ...] = ()


ALLOW_ALL = SendPolicy()


@dataclass(frozen=True)
class PolicySubject:
    """What a policy looks at."""

    key: str
    channel: str
    chat_type: str
    override: str | None = None


def subject_of(session: Session, key: SessionKey) -> PolicySubject:
    """What the policy looks at in a session: its own facts, else what its key says."""
    chat_type = session.chat_type or key.chat_type or ""
    channel = channel_of(session.kind, key_channel(session.key), session.route_channel)
    return PolicySubject(session.key, channel, chat_type, session.send_policy)


@dataclass(frozen=True)
class Verdict:
    """What the policy says and which part of it said so."""

    allowed: bool
    rule: str


def judge(policy: SendPolicy, subject: PolicySubject) -> Verdict:
    """Session override, then any matching deny, then any matching allow, then the default."""
    if subject.override:
        return Verdict(subject.override == PolicyAction.ALLOW, "session override")
    for action in (PolicyAction.DENY, PolicyAction.ALLOW):
        for number, rule in enumerate(policy.rules):
            if rule.action is action and _matches(rule, subject):
                return Verdict(action is PolicyAction.ALLOW, f"session.sendPolicy.rules[{number}]")
    return Verdict(policy.default is PolicyAction.ALLOW, "session.sendPolicy.default")


def _matches(rule: PolicyRule, subject: PolicySubject) -> bool:
    if rule.channel and rule.channel.lower() != subject.channel.lower():
        return False
    if rule.chat_type and rule.chat_type != subject.chat_type:
        return False
    key, prefix = subject.key.lower(), rule.key_prefix.lower()  # a deny that misses by its case would be a hole
    return key.startswith(prefix) or key.split(":", 2)[-1].startswith(prefix)
