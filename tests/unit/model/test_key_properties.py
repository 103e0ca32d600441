"""What holds for every key that can be written (K5, K6, K8)."""

from __future__ import annotations

from random import Random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sessiond.model.errors import InvalidKey
from sessiond.model.keys import MAX_KEY_LENGTH, KeyRules, SessionKey, canonical, parse, shown

ANY_SPEED = settings(deadline=None)  # a busy machine is no failure
AGENTS = st.sampled_from(["main", "ops", "a-b_c"])
RULES = st.builds(KeyRules, st.sampled_from(["main", "Home"]), AGENTS, st.booleans())
OPAQUE = st.from_regex(r"[a-zA-Z0-9!@$+._-]{1,8}(:[a-zA-Z0-9$.]{0,6}[a-zA-Z0-9])?", fullmatch=True)
CHANNELS = st.sampled_from(["telegram", "discord", "whatsapp", "x-plugin"])


def glued(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    """A key in parts, of which every even one is a word without case and every odd one an opaque id."""
    return st.tuples(*parts)


SHAPES = st.one_of(
    glued(st.sampled_from(["cron:", "hook:", "subagent:", "node-", "group:", "channel:"]), OPAQUE),
    glued(st.builds("{}:{}:".format, CHANNELS, st.sampled_from(["group", "channel", "direct", "dm"])), OPAQUE),
    glued(
        st.builds("{}:{}:".format, CHANNELS, st.sampled_from(["group", "channel"])),
        OPAQUE,
        st.sampled_from([":thread:", ":topic:"]),
        OPAQUE.filter(lambda text: text.partition(":")[0].lower() not in ("thread", "topic")),
    ),
    glued(st.sampled_from(["main", "global", "unknown"])),
)
# Pieces that keys are made of, in any order: finds more odd keys than free text does.
PIECES = st.sampled_from(
    [*"aZ: é-", "::", "agent", "AGENT:", "main", "Home", "cron:", "node-", "group", "dm:", "topic"]
)
TEXTS = st.one_of(
    st.text(),
    st.lists(PIECES, max_size=12).map("".join),
    SHAPES.map("".join),
    st.builds("agent:{}:{}".format, AGENTS, SHAPES.map("".join)),
    st.integers(MAX_KEY_LENGTH - 80, MAX_KEY_LENGTH + 8).map(lambda size: "x:dm:" + "y" * (size - 5)),
)


def attempt(text: str, rules: KeyRules, agent_id: str | None) -> SessionKey | None:
    """The key, or None when it was refused; any other exception goes through and fails the test."""
    try:
        return canonical(text, rules, agent_id)
    except InvalidKey:
        return None


def in_some_case(words: str, random: Random) -> str:
    return "".join(random.choice((letter, letter.upper())) for letter in words)


@ANY_SPEED
@given(TEXTS, RULES, st.none() | AGENTS)
@example("İ:group:x", KeyRules(), None)
@example("ΑΣ:Group:ΑΣ", KeyRules(), None)
@example("x" * MAX_KEY_LENGTH, KeyRules(), None)
def test_whatever_is_written_is_refused_or_canonical_for_good(text: str, rules: KeyRules, agent: str | None) -> None:
    key = attempt(text, rules, agent)  # K5, K8

    if key is not None:
        assert canonical(str(key), rules, agent) == key
        assert canonical(str(key), rules, "someone-else") == key
        assert parse(str(key), rules) == key


@ANY_SPEED
@given(TEXTS, RULES, st.none() | AGENTS, st.none() | AGENTS)
@example("cron:agent:x", KeyRules(), None, "main")
def test_what_is_shown_to_a_caller_leads_that_caller_back(
    text: str, rules: KeyRules, writer: str | None, reader: str | None
) -> None:
    key = attempt(text, rules, writer)  # K6

    if key is not None:
        assert canonical(shown(str(key), rules, reader), rules, reader) == key


@ANY_SPEED
@given(SHAPES, RULES, AGENTS, st.randoms(use_true_random=False), st.booleans())
def test_the_case_of_the_words_makes_no_difference(
    parts: tuple[str, ...], rules: KeyRules, agent: str, random: Random, is_full: bool
) -> None:
    written = (f"agent:{agent}:" if is_full else "", "", *parts)

    other = "".join(part if place % 2 else in_some_case(part, random) for place, part in enumerate(written))

    assert canonical(other, rules, agent) == canonical("".join(written), rules, agent)  # K5


@ANY_SPEED
@given(SHAPES, AGENTS)
def test_opaque_ids_keep_every_letter(parts: tuple[str, ...], agent: str) -> None:
    key = canonical("".join(parts), KeyRules(), agent)  # K5

    for opaque in parts[1::2]:
        assert opaque in str(key)
