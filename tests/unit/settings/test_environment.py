"""Variables: which key each means, how its value is read, and what is refused."""

import pytest

from tests.unit.settings.conftest import LoadText, ProblemsOf


@pytest.mark.parametrize(
    "name",
    ["SESSIONTOOLS_SESSION__MAIN_KEY", "SESSIONTOOLS_SESSION__MAINKEY", "SESSIONTOOLS_session__mainKey"],
)
def test_case_and_single_underscores_do_not_count(load_text: LoadText, name: str) -> None:
    loaded = load_text("{session: {mainKey: 'file'}}", {name: "work"})

    assert loaded.settings.session.main_key == "work"
    assert loaded.source_of("session.mainKey") == f"env {name}"


def test_later_layers_win(load_text: LoadText) -> None:
    text = "{server: {maxWaits: 1, maxWaitsPerCaller: 1, listen: 'localhost:1'}}"
    environ = {"SESSIONTOOLS_SERVER__MAX_WAITS": "2", "SESSIONTOOLS_SERVER__LISTEN": "localhost:2"}

    loaded = load_text(text, environ, {"server.listen": "localhost:3"})

    server = loaded.settings.server
    assert (server.max_waits_per_caller, server.max_waits, server.listen) == (1, 2, "localhost:3")
    paths = ("server.insecure", "server.maxWaitsPerCaller", "server.maxWaits", "server.listen")
    assert [loaded.source_of(path) for path in paths] == [
        "default",
        "file",
        "env SESSIONTOOLS_SERVER__MAX_WAITS",
        "flag",
    ]


def test_values_are_json5_except_where_text_is_expected(load_text: LoadText) -> None:
    environ = {
        "SESSIONTOOLS_TOOLS__AGENT_TO_AGENT": "{enabled: true, /* all */ allow: ['a*',]}",
        "SESSIONTOOLS_RUNTIME__LEASE_SECONDS": "0x10",
        "SESSIONTOOLS_SESSION__MAIN_KEY": "123",
        "SESSIONTOOLS_STORE__DATA_DIR": "'quoted'",
        "SESSIONTOOLS_MODELS__M": "{provider: 'echo'}",
    }

    settings = load_text("{}", environ).settings

    assert settings.tools.agent_to_agent.enabled
    assert settings.tools.agent_to_agent.allow == ("a*",)
    assert settings.runtime.lease_seconds == 16
    assert settings.session.main_key == "123"
    assert settings.store.data_dir == "'quoted'"
    assert list(settings.models) == ["m"]


def test_an_object_is_merged_and_a_list_replaced(load_text: LoadText) -> None:
    text = "{server: {maxWaits: 7}, tools: {agentToAgent: {allow: ['a', 'b']}}}"
    environ = {
        "SESSIONTOOLS_SERVER": "{maxWaitsPerCaller: 3, tls: {}}",
        "SESSIONTOOLS_TOOLS__AGENTTOAGENT__ALLOW": "['c']",
    }

    loaded = load_text(text, environ)

    assert (loaded.settings.server.max_waits, loaded.settings.server.max_waits_per_caller) == (7, 3)
    assert loaded.settings.tools.agent_to_agent.allow == ("c",)
    assert loaded.source_of("server.maxWaits") == "file"
    assert loaded.source_of("server.maxWaitsPerCaller") == "env SESSIONTOOLS_SERVER"


def test_a_number_means_an_entry_of_a_list_and_the_next_adds_one(load_text: LoadText) -> None:
    text = "{auth: {tokens: [{name: 'a', role: 'owner', token: 'from file'}]}}"
    environ = {
        "SESSIONTOOLS_AUTH__TOKENS__0__TOKEN": "from env",
        "SESSIONTOOLS_AUTH__TOKENS__1__NAME": "b",
        "SESSIONTOOLS_AUTH__TOKENS__1__ROLE": "runtime",
        "SESSIONTOOLS_AUTH__TOKENS__1__TOKEN": "another",
    }

    loaded = load_text(text, environ)

    tokens = loaded.settings.auth.tokens
    assert [token.name for token in tokens] == ["a", "b"]
    assert tokens[0].token is not None
    assert tokens[0].token.get_secret_value() == "from env"
    assert loaded.source_of("auth.tokens[0].name") == "file"
    assert loaded.source_of("auth.tokens[0].token") == "env SESSIONTOOLS_AUTH__TOKENS__0__TOKEN"


def test_entries_are_added_in_the_order_of_their_numbers(load_text: LoadText) -> None:
    environ = {f"SESSIONTOOLS_AGENTS__LIST__{number}__ID": f"a{number}" for number in range(12)}

    settings = load_text("{}", environ).settings

    assert [agent.id for agent in settings.agents.list] == [f"a{number}" for number in range(12)]


def test_an_entry_beyond_the_next_is_refused(problems_of: ProblemsOf) -> None:
    assert problems_of("{}", {"SESSIONTOOLS_AUTH__TOKENS__5__NAME": "x"}) == [
        "SESSIONTOOLS_AUTH__TOKENS__5__NAME: auth.tokens[5].name is not there: "
        "expected an entry of the list, or the next one"
    ]


def test_a_model_is_found_whatever_its_punctuation(load_text: LoadText) -> None:
    text = "{models: {'openai/GPT-4.1': {provider: 'openai'}}}"

    loaded = load_text(text, {"SESSIONTOOLS_MODELS__OPENAI_GPT_4_1__PRICE_IN": "2"})

    assert loaded.settings.models["openai/GPT-4.1"].price_in == 2
    assert loaded.source_of('models["openai/GPT-4.1"].provider') == "file"


def test_a_model_that_could_be_two_is_refused(problems_of: ProblemsOf) -> None:
    text = "{models: {'a-b': {provider: 'echo'}, 'a.b': {provider: 'echo'}}}"

    (line,) = problems_of(text, {"SESSIONTOOLS_MODELS__A_B__PRICE_IN": "2"})

    assert line.startswith("SESSIONTOOLS_MODELS__A_B__PRICE_IN: unknown variable")


def test_an_empty_variable_is_null_where_null_is_allowed(load_text: LoadText) -> None:
    text = "{agents: {list: [{id: 'a', name: 'A', maxAttempts: 3}]}}"
    environ = {"SESSIONTOOLS_AGENTS__LIST__0__NAME": "", "SESSIONTOOLS_AGENTS__LIST__0__MAX_ATTEMPTS": ""}

    (agent,) = load_text(text, environ).settings.agents.list

    assert (agent.name, agent.max_attempts) == (None, None)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("SESSIONTOOLS_SESSION__MAN_KEY", "SESSIONTOOLS_SESSION__MAIN_KEY (session.mainKey)"),
        ("SESSIONTOOLS_SERVER_LISTEN", "SESSIONTOOLS_SERVER__LISTEN (server.listen)"),
        ("SESSIONTOOLS_SERVER__LISTEN__HOST", "SESSIONTOOLS_SERVER__LISTEN (server.listen)"),
        ("SESSIONTOOLS_AUTH__TOKENS__X__NAME", "SESSIONTOOLS_AUTH__TOKENS__<N>__NAME (auth.tokens[].name)"),
        ("SESSIONTOOLS_LOG__", "SESSIONTOOLS_LOG (log)"),
    ],
)
def test_an_unknown_variable_is_named_with_the_nearest_known(problems_of: ProblemsOf, name: str, nearest: str) -> None:
    assert problems_of("{}", {name: "hunter2"}) == [f"{name}: unknown variable: the nearest known is {nearest}"]


def test_two_variables_for_one_key_are_refused(problems_of: ProblemsOf) -> None:
    names = {"SESSIONTOOLS_SESSION__MAINKEY": "a", "SESSIONTOOLS_SESSION__MAIN_KEY": "b"}

    assert problems_of("{}", names) == [
        "SESSIONTOOLS_SESSION__MAIN_KEY: sets session.mainKey, which SESSIONTOOLS_SESSION__MAINKEY sets already: "
        "expected one of them"
    ]


def test_a_bad_value_is_told_with_the_variable_it_came_from(problems_of: ProblemsOf) -> None:
    assert problems_of("{}", {"SESSIONTOOLS_RUNTIME__LEASE_SECONDS": "soon"}) == [
        'runtime.leaseSeconds: "soon" is not valid: expected a number from 0.1 to 86400 '
        "(from env SESSIONTOOLS_RUNTIME__LEASE_SECONDS)"
    ]


def test_a_variable_below_a_value_of_the_wrong_shape_leaves_that_to_be_named(problems_of: ProblemsOf) -> None:
    assert problems_of("{log: 5}", {"SESSIONTOOLS_LOG__LEVEL": "info"}) == ["log: 5 is not valid: expected an object"]


def test_variables_that_are_not_ours_are_left_alone(load_text: LoadText) -> None:
    environ = {
        "PATH": "/bin",
        "SESSIONTOOLS": "x",
        "SESSIONTOOLS_CONFIG": "elsewhere.json5",
        # What Kubernetes sets beside a Service called sessiontools.
        "SESSIONTOOLS_SERVICE_HOST": "10.0.0.1",
        "SESSIONTOOLS_SERVICE_PORT": "50551",
        "SESSIONTOOLS_SERVICE_PORT_GRPC": "50551",
        "SESSIONTOOLS_PORT": "tcp://10.0.0.1:50551",
        "SESSIONTOOLS_PORT_50551_TCP_ADDR": "10.0.0.1",
    }

    assert load_text("{}", environ).settings == load_text("{}").settings
