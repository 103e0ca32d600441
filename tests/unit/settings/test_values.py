"""Single values: what is accepted, and the line that says what was expected."""

from typing import Any

import pytest

from tests.unit.settings.conftest import LoadText, ProblemsOf


def test_the_defaults_are_those_of_the_specification(load_text: LoadText) -> None:
    settings = load_text("{}").settings

    assert settings.session.scope == "per-sender"
    assert settings.session.main_key == "main"  # K2
    assert settings.agents.defaults.max_concurrent == 8  # R2
    assert settings.agents.defaults.subagents.max_concurrent == 8  # R2
    assert settings.runtime.lease_seconds == 30  # R3
    assert settings.agents.defaults.on_runtime_loss == "fail"  # R4
    assert settings.agents.defaults.max_attempts == 2  # R4
    assert settings.runtime.cancel_grace_seconds == 10  # R6
    assert settings.session.agent_to_agent.max_runs_per_trace == 64  # R9
    assert settings.session.agent_to_agent.max_ping_pong_turns == 5  # S10
    assert settings.server.stream_max_age_seconds == 270  # W6
    assert settings.agents.defaults.subagents.max_spawn_depth == 1  # P3
    assert settings.agents.defaults.subagents.archive_after_minutes == 60  # P11
    assert settings.announce.stats == "full"  # P9
    assert settings.tools.sessions.visibility == "all"  # V3
    assert settings.tools.agent_to_agent.enabled is False  # V3
    assert settings.agents.defaults.sandbox.session_tools_visibility == "spawned"  # V4
    assert settings.tools.sessions.redact == "cross-session"  # H7
    assert settings.deliveries.give_up_after_hours == 24  # D2
    assert (settings.server.max_waits_per_caller, settings.server.max_waits) == (1_000, 50_000)  # W10


@pytest.mark.parametrize(
    "snippet",
    [
        """{ session: { sendPolicy: { rules: [ { match: { channel: "discord", chatType: "group" }, action: "deny" } ],
             default: "allow" } } }""",
        """{ agents: { defaults: { sandbox: { sessionToolsVisibility: "spawned" } } } }   // or "all" """,
        """{ agents: { list: [ { id: "main", subagents: { allowAgents: ["*"] } } ] },
             tools: { subagents: { tools: { deny: ["gateway","cron"], allow: ["read","exec"] } } } }""",
    ],
)
def test_the_snippets_of_the_original_page_are_accepted_as_they_are(load_text: LoadText, snippet: str) -> None:
    assert load_text(snippet).file is not None


def test_a_send_rule_of_the_original_page_means_what_it_says(load_text: LoadText) -> None:  # Q1
    text = '{session: {sendPolicy: {rules: [{match: {channel: "discord", chatType: "group"}, action: "deny"}]}}}'

    (rule,) = load_text(text).settings.session.send_policy.rules

    assert (rule.action, rule.match.channel, rule.match.chat_type, rule.match.key_prefix) == (
        "deny",
        "discord",
        "group",
        None,
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "{session: {agentToAgent: {maxPingPongTurns: 9}}}",
            "session.agentToAgent.maxPingPongTurns: 9 is not valid: expected an integer from 0 to 5",
        ),
        ("{session: {scope: 'x'}}", 'session.scope: "x" is not valid: expected "per-sender" or "global"'),
        (
            "{agents: {defaults: {maxConcurrent: '8'}}}",
            'agents.defaults.maxConcurrent: "8" is not valid: expected an integer from 1 to 10000',
        ),
        (
            "{agents: {defaults: {maxConcurrent: true}}}",
            "agents.defaults.maxConcurrent: true is not valid: expected an integer from 1 to 10000",
        ),
        (
            "{runtime: {leaseSeconds: Infinity}}",
            "runtime.leaseSeconds: Infinity is not valid: expected a number from 0.1 to 86400",
        ),
        (
            "{tools: {agentToAgent: {enabled: 'yes'}}}",
            'tools.agentToAgent.enabled: "yes" is not valid: expected true or false',
        ),
        (
            "{tools: {agentToAgent: {allow: 'main'}}}",
            'tools.agentToAgent.allow: "main" is not valid: expected a list, each entry a non-blank string',
        ),
        ("{server: 5}", "server: 5 is not valid: expected an object"),
        ("{log: [1]}", "log: a list is not valid: expected an object"),
        ("{log: null}", "log: null is not valid: expected an object"),
        (
            "{session: {sendPolicy: {rules: [{}]}}}",
            'session.sendPolicy.rules[0].action: missing: expected "allow" or "deny"',
        ),
        (
            "{agents: {list: [{id: 'a', name: ' '}]}}",
            'agents.list[0].name: " " is not valid: expected a non-blank string or null',
        ),
    ],
)
def test_a_bad_value_is_named_with_path_value_and_expectation(problems_of: ProblemsOf, text: str, line: str) -> None:
    assert problems_of(text) == [line]


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "localhost:50551", "[::1]:65535"])
def test_an_address_is_accepted(load_text: LoadText, listen: str) -> None:
    assert load_text("{}", flags={"server.listen": listen}).settings.server.listen == listen


@pytest.mark.parametrize(
    "listen",
    ["", "50551", ":50551", "127.0.0.1", "127.0.0.1:65536", "::1:80", "[::g]:80", "1.2.3:80", "a b:80", "h:-1"],
)
def test_an_address_is_refused(problems_of: ProblemsOf, listen: str) -> None:
    (line,) = problems_of("{}", flags={"server.listen": listen})

    assert line.startswith(f'server.listen: "{listen}" is not valid: expected HOST:PORT')
    assert line.endswith("(from flag)")


def test_agent_ids_are_stored_lower_case(load_text: LoadText) -> None:  # K1
    settings = load_text('{agents: {list: [{id: "Main", subagents: {allowAgents: ["Other", "*"]}}]}}').settings

    assert settings.agents.list[0].id == "main"
    assert settings.agents.list[0].subagents.allow_agents == ("other", "*")


@pytest.mark.parametrize("agent_id", ["", "-a", "a b", "a:b", "a" * 65, "ä", "*", "a\n"])
def test_an_agent_id_of_another_form_is_refused(problems_of: ProblemsOf, agent_id: str) -> None:  # K1
    (line,) = problems_of("{}", flags={"agents.list": [{"id": agent_id}]})

    assert line.startswith("agents.list[0].id: ")
    assert "expected an agent id" in line


@pytest.mark.parametrize("main_key", ["global", "Unknown", "a:b", ""])
def test_a_main_key_that_no_session_can_have_is_refused(problems_of: ProblemsOf, main_key: str) -> None:  # K7
    (line,) = problems_of("{}", flags={"session.mainKey": main_key})

    assert line.startswith("session.mainKey: ")


@pytest.mark.parametrize("url", ["mysql://h/d", "sessiontools.db", "", "postgresql+psycopg2://h/d"])
def test_a_database_of_another_kind_is_refused(problems_of: ProblemsOf, url: str) -> None:
    (line,) = problems_of("{}", flags={"store.url": url})

    assert line.startswith("store.url: ")
    assert "postgresql+psycopg://" in line


def test_a_plain_postgresql_url_gets_the_driver_that_is_installed(load_text: LoadText) -> None:
    settings = load_text('{store: {url: "postgresql://u@h/d"}}').settings

    assert settings.store.url == "postgresql+psycopg://u@h/d"


def test_a_model_id_of_another_form_is_refused_by_name(problems_of: ProblemsOf) -> None:
    (line,) = problems_of('{models: {"b ad": {provider: "echo"}}}')

    assert line.startswith('models["b ad"]: the id is not valid: expected')


@pytest.mark.parametrize(("section", "name"), [("session", "main_key"), ("server", "max_waits")])
def test_a_file_has_camel_case_keys_only(problems_of: ProblemsOf, section: str, name: str) -> None:
    values: dict[str, Any] = {section: {name: 1}}

    (line,) = problems_of(str(values))

    assert line.startswith(f"{section}.{name}: unknown key")


def test_an_escaped_character_beyond_the_first_plane_is_one_character(load_text: LoadText) -> None:
    settings = load_text('{agents: {list: [{id: "a", name: "\\ud83d\\ude00"}]}}').settings

    assert settings.agents.list[0].name == "\U0001f600"


@pytest.mark.parametrize("path", ["server.tls.clientCa", "store.url"])
def test_half_a_surrogate_pair_is_refused(problems_of: ProblemsOf, path: str) -> None:
    (line,) = problems_of("{}", flags={path: "sqlite:///\udcff"})

    assert line.startswith(f"{path}: ")
    assert line.isprintable()
