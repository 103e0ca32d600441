"""Keys that do not exist: refused, with the one that was meant."""

import pytest

from tests.unit.settings.conftest import LoadText, ProblemsOf


@pytest.mark.parametrize(
    ("text", "path", "meant"),
    [
        ("{sesion: {}}", "sesion", "session"),
        ("{session: {mainkey: 'x'}}", "session.mainkey", "session.mainKey"),
        (
            "{agents: {list: [{id: 'a', subagents: {allowAgent: []}}]}}",
            "agents.list[0].subagents.allowAgent",
            "agents.list[0].subagents.allowAgents",
        ),
        ("{session: {maxPingPongTurns: 3}}", "session.maxPingPongTurns", "session.agentToAgent.maxPingPongTurns"),
        ("{models: {x: {provider: 'echo', pricein: 1}}}", "models.x.pricein", "models.x.priceIn"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_one(
    problems_of: ProblemsOf, text: str, path: str, meant: str
) -> None:
    (line,) = problems_of(text)

    assert line.startswith(f"{path}: unknown key (value ")
    assert line.endswith(f"; did you mean {meant}?")


def test_an_unknown_key_like_no_other_is_named_with_those_there_are(problems_of: ProblemsOf) -> None:
    assert problems_of("{log: {zzz: 1}}") == ["log.zzz: unknown key (value 1): expected one of format, level"]


def test_a_key_with_odd_characters_is_quoted_in_its_path(problems_of: ProblemsOf) -> None:
    (line,) = problems_of('{log: {"a.b \\n ä": 1}}')

    assert line.startswith('log["a.b \\n \\xe4"]: unknown key')
    assert "\n" not in line


def test_all_problems_are_told_at_once(problems_of: ProblemsOf) -> None:
    lines = problems_of(
        "{sesion: 1, log: {level: 'loud'}, server: {maxWaits: 0}}", {"SESSIONTOOLS_NO__SUCH": "1"}, {"no.such": 1}
    )

    starts = [line.split(":")[0] for line in lines]
    assert sorted(starts) == ["SESSIONTOOLS_NO__SUCH", "log.level", "no.such", "server.maxWaits", "sesion"]


def test_a_flag_that_was_not_given_changes_nothing(load_text: LoadText) -> None:
    loaded = load_text("{}", flags={"server.listen": None})

    assert loaded.source_of("server.listen") == "default"
