"""Session keys, sentence by sentence (K1-K8, K10)."""

from __future__ import annotations

import pytest

from sessiond.model.errors import InvalidKey
from sessiond.model.keys import (
    MAX_KEY_LENGTH,
    ChatType,
    GroupPlace,
    KeyRules,
    SessionKey,
    SessionKind,
    agent_id_of,
    canonical,
    main_key_of,
    parse,
    shown,
)

RULES = KeyRules()
HOME = KeyRules(main_key="Home", default_agent="ops")
GLOBAL = KeyRules(direct_chats_share_main=True)


def key_of(reference: str, rules: KeyRules = RULES, agent_id: str | None = None) -> str:
    return str(canonical(reference, rules, agent_id))


@pytest.mark.parametrize("text", ["a", "0", "main", "a_b-c", "9-", "x" * 64])
def test_an_agent_id_is_1_to_64_of_its_letters_digits_and_dashes(text: str) -> None:  # K1
    assert agent_id_of(text) == text


def test_an_agent_id_is_stored_in_lower_case() -> None:  # K1
    assert agent_id_of("Support-BOT_1") == "support-bot_1"
    assert key_of("agent:Support:cron:x") == "agent:support:cron:x"


KELVIN = "\u212a"  # its lower() is an ASCII k


@pytest.mark.parametrize("text", ["", " ", "-a", "_a", "a b", "a.b", "é", "x" * 65, "*", "a\n b", KELVIN])
def test_anything_else_is_no_agent_id(text: str) -> None:  # K1
    with pytest.raises(InvalidKey):
        agent_id_of(text)
    with pytest.raises(InvalidKey):
        canonical(f"agent:{text}:cron:x", RULES)


@pytest.mark.parametrize(
    ("reference", "agent_id", "expected"),
    [
        ("main", None, "agent:ops:Home"),
        ("MAIN", None, "agent:ops:Home"),
        ("home", None, "agent:ops:Home"),
        ("Home", "writer", "agent:writer:Home"),
        ("main", "writer", "agent:writer:Home"),
        ("agent:writer:main", "ops", "agent:writer:Home"),
        ("agent:writer:hOmE", "ops", "agent:writer:Home"),
    ],
)
def test_main_is_the_callers_main_session_else_the_default_agents(
    reference: str, agent_id: str | None, expected: str
) -> None:  # K2
    key = canonical(reference, HOME, agent_id)

    assert str(key) == expected
    assert key.is_main


def test_the_main_key_is_main_unless_configured() -> None:  # K2
    assert key_of("main") == "agent:main:main"
    assert not canonical("home", RULES).is_main


@pytest.mark.parametrize(
    "bare", ["cron:nightly", "hook:6f1c", "node-abc", "telegram:group:-100", "notes", "6b1e7a52-0000", "agent"]
)
def test_any_other_bare_key_belongs_to_the_callers_agent_else_the_default(bare: str) -> None:  # K3
    assert key_of(bare, HOME, "writer") == f"agent:writer:{bare}"
    assert key_of(bare, HOME) == f"agent:ops:{bare}"


@pytest.mark.parametrize(
    ("rest", "place"),
    [
        ("telegram:group:-100", GroupPlace("telegram", ChatType.GROUP, "-100", "")),
        ("discord:channel:77", GroupPlace("discord", ChatType.CHANNEL, "77", "")),
        ("telegram:group:-100:topic:42", GroupPlace("telegram", ChatType.GROUP, "-100", "42")),
        ("slack:channel:C1:thread:17.5", GroupPlace("slack", ChatType.CHANNEL, "C1", "17.5")),
        ("matrix:group:!Room:Server.org", GroupPlace("matrix", ChatType.GROUP, "!Room:Server.org", "")),
        (
            "matrix:channel:!R:[2001:db8::1]:80:thread:$Ev:s",
            GroupPlace("matrix", ChatType.CHANNEL, "!R:[2001:db8::1]:80", "$Ev:s"),
        ),
        ("x:group:thread:5", GroupPlace("x", ChatType.GROUP, "thread:5", "")),
        ("x:group:a:thread:b:topic:c", GroupPlace("x", ChatType.GROUP, "a:thread:b", "c")),
    ],
)
def test_a_group_key_tells_channel_group_and_thread(rest: str, place: GroupPlace) -> None:  # K4
    key = canonical(f"agent:main:{rest}", RULES)

    assert key.rest == rest
    assert key.group_place == place
    assert key.chat_type is place.chat_type
    assert key.direct_channel == ""


def test_a_direct_peers_key_tells_its_channel_and_dm_means_direct() -> None:  # K4
    key = canonical("signal:dm:+49:Thread:X", RULES)

    assert key == canonical("signal:direct:+49:Thread:X", RULES)
    assert key.rest == "signal:direct:+49:Thread:X"
    assert (key.direct_channel, key.chat_type, key.group_place) == ("signal", ChatType.DIRECT, None)


def test_a_sub_agents_key_is_known_by_its_word() -> None:  # K4
    assert canonical("agent:main:SubAgent:6f1c", RULES) == SessionKey("main", "subagent:6f1c", is_main=False)
    assert canonical("subagent:6f1c", RULES).is_subagent
    assert not canonical("subagents:6f1c", RULES).is_subagent


@pytest.mark.parametrize("first", ["cron", "hook", "subagent", "node-a", "group", "channel"])
@pytest.mark.parametrize("second", ["group", "channel", "direct", "dm"])
def test_an_id_that_looks_like_a_chat_makes_no_chat_of_a_job(first: str, second: str) -> None:  # K4
    key = canonical(f"{first}:{second}:X", GLOBAL)

    assert key.rest == f"{first}:{second}:X"
    assert (key.group_place, key.direct_channel, key.chat_type) == (None, "", None)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("AGENT:Main:Telegram:GROUP:AbC", "agent:main:telegram:group:AbC"),
        ("Agent:main:Discord:Channel:AbC:THREAD:XyZ", "agent:main:discord:channel:AbC:thread:XyZ"),
        ("Telegram:Group:AbC:Topic:XyZ", "agent:main:telegram:group:AbC:topic:XyZ"),
        ("WhatsApp:Direct:PeeR", "agent:main:whatsapp:direct:PeeR"),
        ("WhatsApp:DM:PeeR", "agent:main:whatsapp:direct:PeeR"),
        ("Matrix:Group:!AbC:Host.Org", "agent:main:matrix:group:!AbC:Host.Org"),
        ("CRON:Job:One", "agent:main:cron:Job:One"),
        ("Hook:AbC", "agent:main:hook:AbC"),
        ("NODE-AbC", "agent:main:node-AbC"),
        ("Node-AbC:DeF", "agent:main:node-AbC:DeF"),
        ("SUBAGENT:AbC", "agent:main:subagent:AbC"),
        ("Group:AbC", "agent:main:group:AbC"),
        ("MyNotes", "agent:main:MyNotes"),
        ("My:Notes", "agent:main:My:Notes"),
        ("  main\n", "agent:main:main"),
        ("agent: Main : cron:x ", "agent:main:cron:x"),
    ],
)
def test_words_lose_their_case_and_opaque_ids_keep_it(reference: str, expected: str) -> None:  # K5
    assert key_of(reference) == expected


@pytest.mark.parametrize("rest", ["cron:nightly", "hook:6F1c", "node-Abc"])
def test_internal_sessions_of_the_callers_own_agent_are_shown_bare(rest: str) -> None:  # K6
    assert shown(f"agent:writer:{rest}", HOME, "writer") == rest
    assert shown(f"agent:ops:{rest}", HOME, None) == rest
    assert shown(f"agent:writer:{rest}", HOME, "ops") == f"agent:writer:{rest}"
    assert shown(f"agent:writer:{rest}", HOME, None) == f"agent:writer:{rest}"


def test_the_callers_own_main_session_is_shown_as_main() -> None:  # K6
    assert shown("agent:writer:Home", HOME, "writer") == "main"
    assert shown("agent:ops:Home", HOME, None) == "main"
    assert shown("agent:ops:Home", HOME, "writer") == "agent:ops:Home"


@pytest.mark.parametrize("rest", ["telegram:group:1", "signal:direct:x", "subagent:6f1c", "notes"])
def test_every_other_session_is_shown_by_its_full_key(rest: str) -> None:  # K6
    assert shown(f"agent:main:{rest}", RULES, "main") == f"agent:main:{rest}"


@pytest.mark.parametrize("word", ["global", "unknown", "GLOBAL", "Unknown", "agent:main:global", "agent:x:UNKNOWN"])
def test_global_and_unknown_are_reserved_however_written(word: str) -> None:  # K7
    assert canonical(word, RULES).is_reserved
    assert canonical(word, GLOBAL).is_reserved


@pytest.mark.parametrize("reference", ["main", "globals", "cron:global", "unknown:group:x", "node-unknown"])
def test_only_the_bare_words_are_reserved(reference: str) -> None:  # K7
    assert not canonical(reference, RULES).is_reserved


@pytest.mark.parametrize("reference", ["signal:direct:a", "Telegram:DM:b", "agent:main:matrix:direct:@a:b"])
def test_with_global_scope_all_direct_chats_share_main(reference: str) -> None:  # K7
    key = canonical(reference, GLOBAL)

    assert key == main_key_of("main", GLOBAL)
    assert shown(str(key), GLOBAL, "main") == "main"
    assert not canonical(reference, RULES).is_main


@pytest.mark.parametrize("rest", ["telegram:group:a", "discord:channel:b", "cron:c", "subagent:d"])
def test_global_scope_leaves_every_other_session_alone(rest: str) -> None:  # K7
    assert key_of(rest, GLOBAL) == f"agent:main:{rest}"


MALFORMED = [
    *("", " ", "\t\n", ":", "::", "agent:", "agent:x", "agent:x:", "agent::y", "agent: :y", "agent:x::y", "agent:x: "),
    *(":main", "main:", "cron:", "hook:", "node-", "Node-", "subagent:", "agent:x:cron:"),
    *("telegram:group:", "telegram:group::x", "telegram:channel::x", "telegram:direct::x", "telegram:dm::x"),
    *("a\x00b", "a\nb", "a\u200bb", "a\ud800b", "\ufeffmain", "agent:a b:main", "agent:é:main"),
]


@pytest.mark.parametrize("text", MALFORMED)
def test_a_malformed_reference_is_refused_and_names_the_field(text: str) -> None:  # K8
    with pytest.raises(InvalidKey) as refused:
        canonical(text, RULES, field="target")

    assert [each.field for each in refused.value.fields] == ["target"]
    assert refused.value.reason == "INVALID_KEY"


def test_a_key_is_as_long_as_its_canonical_form() -> None:  # K5, K8
    longest = "x" * (MAX_KEY_LENGTH - len("agent:main:"))

    assert len(key_of(longest)) == MAX_KEY_LENGTH
    for too_long in (longest + "x", f"agent:main:{longest}x", "x" * MAX_KEY_LENGTH):
        with pytest.raises(InvalidKey):
            canonical(too_long, RULES)


@pytest.mark.parametrize(
    ("reference", "kind"),
    [
        ("main", SessionKind.MAIN),
        ("agent:other:main", SessionKind.MAIN),
        ("cron:nightly", SessionKind.CRON),
        ("cron:group:x", SessionKind.CRON),
        ("hook:6f1c", SessionKind.HOOK),
        ("hook:channel:x", SessionKind.HOOK),
        ("node-abc", SessionKind.NODE),
        ("node-a:group:x", SessionKind.NODE),
        ("Telegram:Group:x", SessionKind.GROUP),
        ("discord:channel:x:thread:y", SessionKind.GROUP),
        ("group:x", SessionKind.GROUP),
        ("slack:team:channel:x", SessionKind.GROUP),
        ("signal:direct:x", SessionKind.OTHER),
        ("subagent:6f1c", SessionKind.OTHER),
        ("notes", SessionKind.OTHER),
        ("cron", SessionKind.OTHER),
        ("node", SessionKind.OTHER),
        ("crontab:x", SessionKind.OTHER),
        ("my:group", SessionKind.OTHER),
        ("telegram:groups:x", SessionKind.OTHER),
    ],
)
def test_the_kind_is_the_first_match_on_the_rest(reference: str, kind: SessionKind) -> None:  # K10
    assert canonical(reference, RULES).kind is kind


@pytest.mark.parametrize("reference", ["main", "cron:x:y", "telegram:group:a:topic:b", "node-X", "My:Notes"])
def test_a_stored_key_is_read_back_as_it_was(reference: str) -> None:  # K5
    key = canonical(reference, HOME, "writer")

    assert parse(str(key), HOME) == key
