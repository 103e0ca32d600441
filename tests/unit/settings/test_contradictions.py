"""Keys that are valid alone and wrong together."""

import hashlib

import pytest

from sessiond.settings import is_loopback
from tests.unit.settings.conftest import LoadText, ProblemsOf

DIGEST = hashlib.sha256(b"hunter2").hexdigest()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "{agents: {list: [{id: 'a'}, {id: 'A'}]}}",
            'agents.list[1].id: "a" is not valid: expected an id that no other agent has',
        ),
        (
            "{agents: {list: [{id: 'a', default: true}, {id: 'b', default: true}]}}",
            "agents.list[1].default: true is not valid: expected at most one agent with default: true",
        ),
        (
            "{agents: {defaults: {model: 'gpt'}}}",
            'agents.defaults.model: "gpt" is not valid: expected an id from models (echo)',
        ),
        (
            "{agents: {defaults: {subagents: {model: 'gpt'}}}}",
            'agents.defaults.subagents.model: "gpt" is not valid: expected an id from models (echo)',
        ),
        (
            "{agents: {list: [{id: 'a', model: 'gpt'}]}}",
            'agents.list[0].model: "gpt" is not valid: expected an id from models (echo)',
        ),
        (
            "{agents: {list: [{id: 'a', subagents: {model: 'gpt'}}]}}",
            'agents.list[0].subagents.model: "gpt" is not valid: expected an id from models (echo)',
        ),
        (
            "{models: {c: {provider: 'command'}}}",
            'models.c.command: missing: expected the program, as provider is "command"',
        ),
        (
            "{models: {o: {provider: 'openai', apiKey: 'k', apiKeyEnv: 'E'}}}",
            "models.o: has apiKey and apiKeyEnv: expected at most one of them",
        ),
        ("{server: {tls: {cert: 'c.pem'}}}", "server.tls: expected cert and key together"),
        ("{server: {tls: {clientCa: 'c.pem'}}}", "server.tls.clientCa: expected cert and key beside it"),
        (
            "{auth: {tokens: [{name: 'a', role: 'owner'}]}}",
            "auth.tokens[0]: expected exactly one of token and tokenHash",
        ),
        (
            f"{{auth: {{tokens: [{{name: 'a', role: 'owner', token: 'hunter2', tokenHash: '{DIGEST}'}}]}}}}",
            "auth.tokens[0]: expected exactly one of token and tokenHash",
        ),
        (
            f"{{auth: {{tokens: [{{name: 'a', role: 'owner', token: 'hunter2'}},"
            f" {{name: 'b', role: 'owner', tokenHash: '{DIGEST}'}}]}}}}",
            "auth.tokens[1]: has the same token as another entry: expected one of its own",
        ),
        (
            "{auth: {tokens: [{name: 'a', role: 'owner', token: 'x'}, {name: 'a', role: 'runtime', token: 'y'}]}}",
            "auth.tokens[1].name: is the name of a token of another role: expected one of its own",
        ),
    ],
)
def test_a_contradiction_is_named_with_its_path(problems_of: ProblemsOf, text: str, line: str) -> None:
    assert problems_of(text) == [line]


GUARDED = "auth: {tokens: [{name: 'a', role: 'owner', token: 'x'}]}, server: {tls: {cert: 'c', key: 'k'}}"


@pytest.mark.parametrize("text", ["{}", "{auth: {tokens: [{name: 'a', role: 'owner', token: 'x'}]}}"])
def test_an_address_that_others_reach_needs_tokens_and_tls(problems_of: ProblemsOf, text: str) -> None:  # V2
    (line,) = problems_of(text, flags={"server.listen": "0.0.0.0:50551"})

    assert line.startswith('server.listen: "0.0.0.0:50551" is not valid: expected a loopback address, or both')


def test_an_address_that_others_reach_is_served_with_tokens_and_tls(load_text: LoadText) -> None:  # V2
    loaded = load_text(f"{{{GUARDED}}}", flags={"server.listen": "[::]:50551"})

    assert loaded.settings.server.listen == "[::]:50551"


def test_an_address_that_others_reach_is_served_when_said_to_be_meant(load_text: LoadText) -> None:  # V2
    loaded = load_text("{}", flags={"server.listen": "example.org:50551", "server.insecure": True})

    assert loaded.settings.server.insecure


@pytest.mark.parametrize(
    ("listen", "answer"),
    [("127.9.9.9:1", True), ("[::1]:1", True), ("localhost:1", True), ("0.0.0.0:1", False), ("host:1", False)],
)
def test_loopback_is_told_from_the_rest(listen: str, answer: bool) -> None:
    assert is_loopback(listen) is answer


def test_a_token_and_its_hash_give_the_same_digest(load_text: LoadText) -> None:
    by_token = load_text("{auth: {tokens: [{name: 'a', role: 'owner', token: 'hunter2'}]}}")
    by_hash = load_text(f"{{auth: {{tokens: [{{name: 'a', role: 'owner', tokenHash: '{DIGEST.upper()}'}}]}}}}")

    assert by_token.settings.auth.tokens[0].digest() == by_hash.settings.auth.tokens[0].digest() == DIGEST
