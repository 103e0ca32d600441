"""Secrets: in no error, in no `show`, in no repr."""

import hashlib

import pytest

from sessiond.settings.show import as_json, as_json5, masked_url
from tests.unit.settings.conftest import LoadText, ProblemsOf

HIDDEN = "hunter2"
DIGEST = hashlib.sha256(HIDDEN.encode()).hexdigest()

WITH_HIDDENS = f"""{{
  auth: {{ tokens: [
    {{ name: "a", role: "owner", token: "{HIDDEN}" }},
    {{ name: "b", role: "runtime", tokenHash: "{DIGEST[::-1]}" }},
  ] }},
  store: {{ url: "postgresql+psycopg://user:{HIDDEN}@host/database?sslpassword={HIDDEN}&x=1" }},
  models: {{ m: {{ provider: "openai", apiKey: "{HIDDEN}", baseUrl: "https://user:{HIDDEN}@host/v1" }} }},
}}"""


def test_show_masks_every_secret_and_keeps_the_rest(load_text: LoadText) -> None:
    loaded = load_text(WITH_HIDDENS)

    for text in (as_json5(loaded), as_json(loaded)):
        assert HIDDEN not in text
        assert DIGEST[::-1] not in text
        assert "postgresql+psycopg://user:********@host/database?sslpassword=********&x=1" in text
        assert '"********"' in text


def test_settings_do_not_print_their_secrets(load_text: LoadText) -> None:
    settings = load_text(WITH_HIDDENS).settings

    assert HIDDEN not in repr(settings)
    assert DIGEST[::-1] not in repr(settings)


@pytest.mark.parametrize(
    "text",
    [
        "{auth: 'hunter2'}",
        "{auth: {tokens: 'hunter2'}}",
        "{auth: {tokens: ['hunter2']}}",
        "{auth: {tokens: {token: 'hunter2'}}}",
        "{auth: {tokens: [{name: 'a', role: 'owner', tokn: 'hunter2'}]}}",
        "{auth: {tokens: [{name: 'a', role: 'x', token: 'hunter2'}]}}",
        "{auth: {tokens: [{name: 'a', role: 'owner', token: ['hunter2']}]}}",
        "{auth: {tokens: [{name: 'a', role: 'owner', tokenHash: 'hunter2'}]}}",
        "{auth: {token: 'hunter2'}}",
        "{server: {token: 'hunter2', key: 'hunter2'}}",
        "{password: 'hunter2'}",
        "{atuh: 'hunter2'}",
        "{store: {url: 'mysql://u:hunter2@h/d'}}",
        "{store: {password: 'hunter2'}}",
        "{models: {m: {provider: 'openai', apikey: 'hunter2'}}}",
        "{models: {m: {provider: 'openai', apiKeyEnv: 'sk-hunter2'}}}",
        "{models: {m: {provider: 'openai', baseUrl: 'u:hunter2@h'}}}",
        "{auth: {tokens: [{name: 'a', role: 'owner', token: 'hunter2'},{name: 'a', role: 'owner', token: 'hunter2'}]}}",
    ],
)
def test_no_error_shows_a_secret(problems_of: ProblemsOf, text: str) -> None:
    lines = problems_of(text)

    assert lines
    assert all("hunter2" not in line for line in lines)


@pytest.mark.parametrize(
    "name", ["SESSIONTOOLS_AUTH__TOKEN", "SESSIONTOOLS_AUTH", "SESSIONTOOLS_AUTH__TOKENS", "SESSIONTOOLS_TOKEN"]
)
def test_no_error_about_a_variable_shows_a_secret(problems_of: ProblemsOf, name: str) -> None:
    lines = problems_of("{}", {name: HIDDEN})

    assert lines
    assert all(HIDDEN not in line for line in lines)


@pytest.mark.parametrize(
    "text",
    [
        "{auth: {tokens: [{name: 'a', role: 'owner', token: '********'}]}}",
        "{models: {m: {provider: 'openai', apiKey: '********'}}}",
        "{store: {url: 'postgresql://u:********@h/d'}}",
        "{models: {m: {provider: 'openai', baseUrl: 'https://u:********@h'}}}",
    ],
)
def test_the_output_of_show_is_not_taken_for_a_working_secret(problems_of: ProblemsOf, text: str) -> None:
    assert len(problems_of(text)) == 1


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("sqlite:///x.db", "sqlite:///x.db"),
        ("postgresql+psycopg://h:5432/d", "postgresql+psycopg://h:5432/d"),
        ("postgresql+psycopg://u@h/d", "postgresql+psycopg://u@h/d"),
        ("postgresql+psycopg://u:a/b:c@d@h/d", "postgresql+psycopg://u:********@h/d"),
        ("postgresql+psycopg://h/d?password=x&y=1", "postgresql+psycopg://h/d?password=********&y=1"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, safe: str) -> None:
    assert masked_url(url) == safe
