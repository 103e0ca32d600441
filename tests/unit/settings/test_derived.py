"""Defaults that follow from other settings."""

import pytest

from tests.unit.settings.conftest import LoadText


@pytest.mark.parametrize("text", ["{}", "{models: {}}", "{agents: {list: []}}"])
def test_with_nothing_configured_there_is_one_agent_and_one_model(load_text: LoadText, text: str) -> None:
    settings = load_text(text).settings

    assert [agent.id for agent in settings.agents.list] == ["main"]
    assert {name: model.provider for name, model in settings.models.items()} == {"echo": "echo"}
    assert settings.agents.defaults.model == "echo"


def test_the_first_model_is_the_default_one(load_text: LoadText) -> None:
    settings = load_text("{models: {b: {provider: 'echo'}, a: {provider: 'echo'}}}").settings

    assert settings.agents.defaults.model == "b"
    assert list(settings.models) == ["b", "a"]


@pytest.mark.parametrize(
    ("folder", "url"),
    [
        ("data", "sqlite:///data/sessiontools.db"),
        ("/var/lib/sessiontools/", "sqlite:////var/lib/sessiontools/sessiontools.db"),
    ],
)
def test_the_database_is_in_the_data_folder(load_text: LoadText, folder: str, url: str) -> None:
    assert load_text("{}", flags={"store.dataDir": folder}).settings.store.url == url


@pytest.mark.parametrize(
    ("text", "enabled"),
    [
        ("{}", True),
        ("{store: {url: 'sqlite:///x.db'}}", True),
        ("{store: {url: 'postgresql+psycopg://h/d'}}", False),
        ("{store: {url: 'postgresql+psycopg://h/d'}, transcripts: {enabled: true}}", True),
        ("{transcripts: {enabled: false}}", False),
    ],
)
def test_transcripts_are_mirrored_with_sqlite_unless_said_otherwise(  # L9
    load_text: LoadText, text: str, enabled: bool
) -> None:
    assert load_text(text).settings.transcripts.enabled is enabled
