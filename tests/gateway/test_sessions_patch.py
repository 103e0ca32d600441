"""SessionsPatch: all of the named settings or none, guarded by an etag, making a session only if asked to."""

from __future__ import annotations

from typing import Any

import pytest

from sessiond.gateway.sessions_patch import PatchQuery, sessions_patch
from sessiond.model.callers import Caller
from sessiond.model.errors import EtagMismatch, InvalidField, InvalidKey, ModelUnknown, SessionNotFound
from sessiond.model.rules import Rules
from sessiond.model.sessions import Route, Session
from sessiond.model.visibility import VisibilitySetting
from sessiond.store.database import Database
from sessiond.store.schema import sessions as sessions_table
from tests.fakes.clock import ManualClock
from tests.making import OWNER, acting_as, count, make_session, rules_of, session_of, start_generation

ROUTE = Route("telegram", "42", "bot", "7")
EVERYTHING: dict[str, Any] = {
    "label": "red",
    "display_name": "Größe",
    "model": "echo",
    "thinking_level": "high",
    "verbose_level": "full",
    "group_subject": "tea",
    "send_policy": "deny",
    "chat_type": "group",
    "route": ROUTE,
}


async def patch(
    db: Database, reference: str = "main", caller: Caller = OWNER, rules: Rules | None = None, **values: Any
) -> Session:
    session, _ = await sessions_patch(db, rules or Rules(), caller, PatchQuery(reference, values))
    return session


def settings_of(session: Session) -> dict[str, Any]:
    return {name: getattr(session, name) for name in EVERYTHING}


async def test_every_setting_can_be_set_and_cleared(db: Database) -> None:
    before = await make_session(db)

    nothing: dict[str, Any] = dict.fromkeys(EVERYTHING)

    assert settings_of(await patch(db, **EVERYTHING)) == EVERYTHING
    cleared = await patch(db, **nothing)

    assert settings_of(cleared) == settings_of(before)


async def test_only_what_is_named_changes(db: Database, clock: ManualClock) -> None:
    before = await make_session(db, label="red", model="echo")
    clock.advance(minutes=1)

    after = await patch(db, label=None)

    assert after._asdict() == before._asdict() | {"label": "", "settings_version": before.settings_version + 1}
    assert await session_of(db, before.key) == after


async def test_naming_nothing_changes_nothing(db: Database) -> None:
    before = await make_session(db)

    assert await patch(db) == before


@pytest.mark.parametrize(
    ("key", "chat_type", "kind"),
    [
        ("agent:main:x", "group", "group"),
        ("agent:main:x", "channel", "group"),
        ("agent:main:x", "direct", "other"),
        ("agent:main:x", None, "other"),
        ("agent:main:cron:x", "group", "cron"),
        ("agent:main:main", "group", "main"),
    ],
)
async def test_the_chat_type_decides_the_kind_where_the_key_does_not(
    db: Database, key: str, chat_type: str | None, kind: str
) -> None:  # K10
    await make_session(db, key)

    assert (await patch(db, key, chat_type=chat_type)).kind == kind


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        ({"label": "x" * 65}, ["patch.label"]),
        ({"label": "x" * 65, "display_name": "x" * 257}, ["patch.label", "patch.display_name"]),
        ({"label": "\0"}, ["patch.label"]),
        ({"route": Route("telegram", "")}, ["patch.route"]),
        ({"route": Route("", "42")}, ["patch.route"]),
        ({"route": Route("telegram", " ")}, ["patch.route"]),
        ({"route": Route("telegram", "42", "\0")}, ["patch.route"]),
        ({"route": Route("telegram", "ü" * 1025)}, ["patch.route"]),
    ],
)
async def test_bad_values_are_refused_by_field_and_nothing_is_set(
    db: Database, values: dict[str, Any], fields: list[str]
) -> None:  # X1
    before = await make_session(db)

    with pytest.raises(InvalidField) as refused:
        await patch(db, **(values | {"model": "echo"}))

    assert [each.field for each in refused.value.fields] == fields
    assert await session_of(db, before.key) == before


async def test_the_longest_values_are_accepted(db: Database) -> None:  # P1
    await make_session(db)

    assert (await patch(db, label="ä" * 64, route=Route("t" * 256, "x" * 256))).label == "ä" * 64


async def test_an_unknown_model_is_refused(db: Database) -> None:  # P5
    await make_session(db)

    with pytest.raises(ModelUnknown, match="known: echo"):
        await patch(db, model="gpt-0")


async def test_an_etag_guards_against_a_change_in_between(db: Database) -> None:
    seen = await make_session(db)
    changed = await patch(db, label="somebody else's")

    with pytest.raises(EtagMismatch) as refused:
        await sessions_patch(db, Rules(), OWNER, PatchQuery("main", {"label": "mine"}, etag=seen.etag))
    again, _ = await sessions_patch(db, Rules(), OWNER, PatchQuery("main", {"label": "mine"}, etag=changed.etag))

    assert refused.value.facts == {"etag": changed.etag}
    assert again.label == "mine"


async def test_a_missing_session_is_made_only_if_asked_to(db: Database) -> None:  # K9
    query = PatchQuery("Telegram:Group:42", {"label": "red"})
    with pytest.raises(SessionNotFound):
        await sessions_patch(db, Rules(), OWNER, query)
    assert await count(db, sessions_table) == 0

    made, _ = await sessions_patch(db, Rules(), OWNER, PatchQuery(query.reference, query.values, allow_missing=True))

    assert (made.key, made.kind, made.label) == ("agent:main:telegram:group:42", "group", "red")


async def test_a_patch_that_is_refused_makes_nothing(db: Database) -> None:
    with pytest.raises(EtagMismatch):
        await sessions_patch(db, Rules(), OWNER, PatchQuery("x", {"label": "x"}, allow_missing=True, etag="1-1"))

    assert await count(db, sessions_table) == 0


@pytest.mark.parametrize("word", ["global", "unknown", "agent:main:GLOBAL"])
async def test_a_reserved_key_is_never_made(db: Database, word: str) -> None:  # K7
    with pytest.raises(InvalidKey):
        await sessions_patch(db, Rules(), OWNER, PatchQuery(word, {}, allow_missing=True))


async def test_the_first_use_of_a_configured_main_session_makes_it(db: Database) -> None:  # K9
    assert (await patch(db, "agent:ops:main", rules=rules_of("ops"), label="x")).kind == "main"
    with pytest.raises(SessionNotFound):
        await patch(db, "agent:nobody:main", label="x")


@pytest.mark.parametrize("setting", list(VisibilitySetting))
async def test_an_acting_main_session_may_be_the_first_to_use_itself(
    db: Database, setting: VisibilitySetting
) -> None:  # K9, V3
    made = await patch(db, "main", acting_as("agent:ops:main"), rules_of("ops", setting=setting), label="x")

    assert made.key == "agent:ops:main"


@pytest.mark.parametrize("setting", [VisibilitySetting.SELF, VisibilitySetting.TREE])
async def test_a_main_session_that_the_caller_could_not_see_is_not_made(
    db: Database, setting: VisibilitySetting
) -> None:  # K9, V3
    await make_session(db, "agent:ops:cron:x")

    with pytest.raises(SessionNotFound):
        await patch(db, "main", acting_as("agent:ops:cron:x"), rules_of("ops", setting=setting), label="x")


async def test_an_acting_session_may_make_what_it_would_see_and_nothing_else(db: Database) -> None:  # K9, V3
    await make_session(db, "agent:ops:cron:x")
    caller, rules = acting_as("agent:ops:cron:x"), rules_of("ops")

    made, _ = await sessions_patch(db, rules, caller, PatchQuery("hook:1", {}, allow_missing=True))

    assert made.key == "agent:ops:hook:1"
    with pytest.raises(SessionNotFound):
        await sessions_patch(db, rules, caller, PatchQuery("agent:main:hook:1", {}, allow_missing=True))


async def test_the_id_of_an_ended_generation_is_no_new_key(db: Database) -> None:  # K8
    old = await make_session(db)
    await start_generation(db, old.key)

    with pytest.raises(SessionNotFound):
        await sessions_patch(db, Rules(), OWNER, PatchQuery(old.session_id, {"label": "x"}, allow_missing=True))
