"""`show`: every value, its source, and a file that gives the same settings again."""

import json
import tempfile
from pathlib import Path
from typing import Any

import json5
from hypothesis import given, settings
from hypothesis import strategies as st

from sessiond.settings import Loaded, load
from sessiond.settings.catalogue import Key, catalogue
from sessiond.settings.show import as_json, as_json5
from tests.unit.settings.conftest import LoadText

# Text of a form of its own; every other key's values are drawn from what its annotation says.
TEXTS = {
    "session.mainKey": ["main", "Work-1", "1"],
    "server.listen": ["127.0.0.1:0", "[::1]:1", "localhost:65535"],
    "store.url": ["sqlite:///x.db", "postgresql+psycopg://u@h/d", "postgresql://h:1/d"],
    "models.<id>.baseUrl": ["http://localhost:1/v1", "https://h"],
    "models.<id>.apiKeyEnv": ["OPENAI_API_KEY"],
}
MODEL_IDS = ["echo", "gpt-4.1", "a/b"]
AGENT_IDS = ["main", "Research", "b_2", "x-1"]


def _value(key: Key) -> st.SearchStrategy[Any]:
    """Any valid value of a key that takes one value and is no secret."""
    annotation = key.annotation
    plain: st.SearchStrategy[Any]
    if key.item is not None:
        plain = st.lists(_value(key.item), max_size=3)
    elif key.path.endswith("allowAgents[]"):
        plain = st.sampled_from(["*", *AGENT_IDS])
    elif key.path in TEXTS or annotation.choices or key.path.endswith(".model"):
        plain = st.sampled_from(TEXTS.get(key.path) or annotation.choices or ["echo"])
    elif annotation.bare is bool:
        plain = st.booleans()
    elif annotation.bare in (int, float):
        plain = _number(key)
    else:
        plain = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: bool(text.strip()))
    return st.none() | plain if annotation.optional else plain


def _number(key: Key) -> st.SearchStrategy[Any]:
    low, high = key.annotation.bound("ge") or 0, key.annotation.bound("le") or 10**9
    integers = st.integers(max(1, int(low)), int(high))
    return integers if key.annotation.bare is int else integers | st.floats(low, high)


def _section(key: Key, **fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any object of a section: what is required, and any choice of the rest."""
    optional = {name: _any(child) for name, child in key.fields.items() if _is_free(child) and name not in fixed}
    return st.fixed_dictionaries(fixed, optional=optional)


def _is_free(key: Key) -> bool:
    is_secret = key.annotation.secret is not None and key.annotation.secret.whole
    return not is_secret and key.path not in ("auth", "server.tls", "agents.list[].default")


def _any(key: Key) -> st.SearchStrategy[Any]:
    if key.is_leaf:
        return _value(key)
    if key.item is None:
        return _section(key)
    if key.path == "models":
        model = _section(key.item, provider=st.sampled_from(["echo", "openai"]))
        return st.fixed_dictionaries({"echo": model}, optional=dict.fromkeys(MODEL_IDS[1:], model))
    if key.path == "agents.list":
        agents = [_section(key.item, id=st.just(agent_id)) for agent_id in AGENT_IDS]
        return st.lists(st.one_of(agents), max_size=3, unique_by=lambda agent: agent["id"])
    return st.lists(_section(key.item, action=st.sampled_from(["allow", "deny"])), max_size=3)


def _loaded(text: str) -> Loaded:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "sessiontools.json5")
        file.write_text(text, encoding="utf-8", newline="")
        return load(file, {}, {})


@settings(deadline=None, max_examples=40)
@given(_section(catalogue()))
def test_what_show_prints_loads_to_the_same_settings(tree: dict[str, Any]) -> None:
    before = _loaded(json.dumps(tree))

    assert _loaded(as_json5(before)).settings == before.settings
    assert _loaded(json.dumps(json.loads(as_json(before))["settings"])).settings == before.settings


def test_each_value_stands_beside_its_source(load_text: LoadText) -> None:
    text = "{session: {mainKey: 'work'}, agents: {list: [{id: 'a'}]}, models: {'x/y': {provider: 'echo'}}}"

    lines = as_json5(load_text(text, {"SESSIONTOOLS_LOG__LEVEL": "debug"}, {"server.listen": "[::1]:0"})).splitlines()

    assert '    scope: "per-sender",  // default' in lines
    assert '    mainKey: "work",  // file' in lines
    assert '        id: "a",  // file' in lines
    assert '    "x/y": {' in lines
    assert '    level: "debug",  // env SESSIONTOOLS_LOG__LEVEL' in lines
    assert '    listen: "[::1]:0",  // flag' in lines


def test_json_has_a_source_for_every_value(load_text: LoadText) -> None:
    shown = json.loads(as_json(load_text("{session: {sendPolicy: {rules: [{action: 'deny'}]}}}")))

    assert shown["settings"]["session"]["sendPolicy"]["rules"][0]["action"] == "deny"
    assert shown["sources"]["session.sendPolicy.rules[0].action"] == "file"
    assert shown["sources"]["session.sendPolicy.rules[0].match.channel"] == "default"
    assert shown["sources"]["auth.tokens"] == "default"


def test_every_key_is_shown(load_text: LoadText) -> None:
    shown = json5.loads(as_json5(load_text("{}")))

    assert list(shown) == list(catalogue().fields)
    assert list(shown["server"]) == list(catalogue().fields["server"].fields)
