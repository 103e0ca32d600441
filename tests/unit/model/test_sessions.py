"""What is told from a stored session: kind, channel, display name, route (K10, K11, L8)."""

from __future__ import annotations

import pytest

from sessiond.model.keys import ChatType, KeyRules, SessionKind, canonical
from sessiond.model.sessions import Route, Session, channel_of, display_name_of, key_channel, kind_of

GROUP = Session(
    id=3,
    key="agent:main:telegram:group:-100",
    agent_id="main",
    kind="group",
    generation=1,
    session_id="s-1",
    created_ms=0,
    updated_ms=0,
    archived_ms=None,
    label="",
    display_name="",
    model="",
    thinking_level="",
    verbose_level="",
    send_policy=None,
    chat_type=None,
    group_subject="",
    route_channel="",
    route_to="",
    route_account_id="",
    route_thread_id="",
    system_sent=0,
    aborted_last_run=0,
    context_tokens=None,
    total_tokens=None,
    spawned_by="",
    spawn_path="",
    spawn_depth=0,
    sandboxed=0,
    last_sequence=0,
    tool_results=0,
    settings_version=1,
    active_run_id="",
    active_run_state=None,
    last_run_order=0,
    unfinished_runs=0,
    tool_policy="",
)


@pytest.mark.parametrize(
    ("reference", "chat_type", "kind"),
    [
        ("notes", None, SessionKind.OTHER),
        ("notes", ChatType.DIRECT, SessionKind.OTHER),
        ("notes", ChatType.GROUP, SessionKind.GROUP),
        ("notes", ChatType.CHANNEL, SessionKind.GROUP),
        ("telegram:group:x", None, SessionKind.GROUP),
        ("telegram:group:x", ChatType.DIRECT, SessionKind.GROUP),
        ("main", ChatType.GROUP, SessionKind.MAIN),
        ("cron:x", ChatType.GROUP, SessionKind.CRON),
        ("hook:x", ChatType.CHANNEL, SessionKind.HOOK),
        ("node-x", ChatType.GROUP, SessionKind.NODE),
    ],
)
def test_a_stored_chat_type_makes_a_group_of_what_the_key_leaves_open(
    reference: str, chat_type: ChatType | None, kind: SessionKind
) -> None:  # K10
    assert kind_of(canonical(reference, KeyRules()), chat_type) is kind


@pytest.mark.parametrize("kind", ["cron", "hook", "node"])
def test_jobs_hooks_and_nodes_are_internal_whatever_reached_them(kind: str) -> None:  # K11
    assert channel_of(kind, "", "") == "internal"
    assert channel_of(kind, "telegram", "discord") == "internal"


@pytest.mark.parametrize(
    ("kind", "in_key", "recorded", "channel"),
    [
        ("group", "telegram", "discord", "discord"),
        ("group", "telegram", "", "telegram"),
        ("group", "", "", "unknown"),
        ("main", "", "whatsapp", "whatsapp"),
        ("main", "", "", "unknown"),
        ("other", "signal", "imessage", "imessage"),
        ("other", "signal", "", "signal"),
        ("other", "", "", "unknown"),
        ("other", "", "x-plugin", "x-plugin"),
    ],
)
def test_the_channel_is_the_recorded_one_else_the_keys_else_unknown(
    kind: str, in_key: str, recorded: str, channel: str
) -> None:  # K11
    assert channel_of(kind, in_key, recorded) == channel


@pytest.mark.parametrize(
    ("rest", "channel"),
    [
        ("telegram:group:-100:topic:4", "telegram"),
        ("discord:channel:7", "discord"),
        ("signal:direct:x", "signal"),
        ("matrix:group:!a:b", "matrix"),
        ("main", ""),
        ("subagent:x", ""),
        ("telegram:group", ""),
        ("a:b:group:c", ""),
    ],
)
def test_a_chats_key_names_its_channel(rest: str, channel: str) -> None:  # K11
    assert key_channel(f"agent:main:{rest}") == channel


@pytest.mark.parametrize(
    ("session", "name"),
    [
        (GROUP._replace(display_name="Mine", group_subject="Team", label="l"), "Mine"),
        (GROUP._replace(group_subject="Team", label="l"), "telegram:team"),
        (GROUP._replace(group_subject="  Our  Big\tTeam "), "telegram:our-big-team"),
        (GROUP._replace(group_subject="#General"), "telegram:#general"),
        (GROUP._replace(group_subject="Team", route_channel="discord"), "discord:team"),
        (GROUP._replace(key="agent:main:notes", group_subject="Team"), "unknown:team"),
        (GROUP._replace(label="l"), "l"),
        (GROUP, ""),
        (GROUP._replace(key="agent:main:main", kind="main", group_subject="Team", label="l"), "l"),
        (GROUP._replace(key="agent:main:main", kind="main", display_name="Mine", label="l"), "Mine"),
    ],
)
def test_the_display_name_is_the_stored_one_else_a_groups_slug_else_the_label(session: Session, name: str) -> None:
    assert display_name_of(session) == name  # L8


def test_a_session_has_a_route_once_a_gateway_told_one() -> None:  # L6
    reached = GROUP._replace(route_channel="telegram", route_to="-100", route_account_id="bot", route_thread_id="4")

    assert GROUP.route is None
    assert reached.route == Route("telegram", "-100", "bot", "4")


def test_the_etag_changes_with_a_setting_and_not_with_a_message() -> None:
    assert GROUP._replace(settings_version=2).etag != GROUP.etag
    assert GROUP._replace(id=4).etag != GROUP.etag
    assert GROUP._replace(last_sequence=9, updated_ms=5).etag == GROUP.etag
