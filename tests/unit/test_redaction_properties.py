"""What holds for every text and value, whatever is masked in it (H7)."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sessiond.model.redaction import redact, redacted_value

ANY_SPEED = settings(deadline=None)  # a busy machine is no failure
MASK = re.compile(r"\[redacted: [a-z ]+\]")
# The largest message stays within a page when it is masked (H5, H6).
MAX_GROWTH = 3

ALNUM = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v2W3x4Y5z6"
# What finders look for, what stands around it, and credentials of most shapes; in any order, to meet each other.
PIECES = st.sampled_from(
    [
        *["password", "pwd", "pw", "secret", "token", "api_key", "API_KEY", "TOKEN", "_auth", "credentials", "bearer"],
        *[
            "Authorization",
            "Cookie",
            "Set-Cookie",
            "Bearer ",
            "Basic ",
            "Digest ",
            "--token ",
            "--password ",
            "curl -u a:",
        ],
        *[
            "sshpass -p ",
            "http://",
            "a:",
            "@",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "sig=",
            "str",
        ],
        *[
            "[redacted: jwt]",
            "[redacted: ",
            "<password>",
            "</password>",
            ":",
            "=",
            ": ",
            '"',
            "'",
            "`",
            "\\",
            "\\n",
            "\n",
        ],
        *[
            " ",
            "|",
            " | ",
            ",",
            ";",
            "&",
            "<",
            ">",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ".",
            "a=",
            "**",
            "-",
            "$",
            "é",
            "“",
            "?",
        ],
        *["hunter2", "swordfish", "p@ss", "a b c", f"ghp_{ALNUM[:36]}", f"sk-ant-{ALNUM}", f"npm_{ALNUM[:36]}", ALNUM],
        *[f"AKIA{'B2C3' * 4}", "aB3/" * 10, f"123456789:AA{ALNUM[:33]}", f"eyJ{ALNUM}.eyJ{ALNUM}.{ALNUM}", "\u2028"],
        *[f"-0123456789ab.1.{ALNUM[:24]}", f"SG.{ALNUM[:22]}.{ALNUM[:43]}", f"dop_v1_{'0a' * 32}", f"AIza{ALNUM[:35]}"],
    ]
)
TEXTS = st.one_of(st.text(), st.lists(st.one_of(PIECES, PIECES, st.text(max_size=3)), max_size=16).map("".join))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=8,
)

# Words and signs of which no sentence, list or line of code is a credential.
HARMLESS = st.lists(
    st.sampled_from(
        [
            *[
                "the",
                "password",
                "is",
                "required",
                "tokens",
                "secret",
                "key",
                "session",
                "of",
                "agent:main:main",
                "x = 1",
            ],
            *["none", "true", "123", "f(x)", "https://host/a?b=c", "a@b.c", "123e4567-e89b-12d3-a456-426614174000"],
            *["0123456789abcdef0123456789abcdef01234567", "-", "*", "`code`", '"quoted"', "(aside)", "é", "\n", "\t"],
        ]
    ),
    max_size=30,
).map(" ".join)

# Made-up credentials, and the ways in which they are written down.
WORDS = st.from_regex(r"[a-z]{2,5}[0-9]{2,4}[A-Z]{2,5}[a-z0-9]{10,20}", fullmatch=True)
SETTINGS = st.sampled_from(
    [
        *["password={}", "password: {}", '"password": "{}"', '{{\\"password\\": \\"{}\\"}}', "export DB_PASSWORD='{}'"],
        *["api_key={}", "X-Api-Key: {}", "--token {}", "token = '{}'", "?access_token={}&a=b", "<secret>{}</secret>"],
        *[
            "Authorization: Bearer {}",
            "Authorization: Basic {}",
            "Bearer {}",
            "Cookie: sid={}; a=b",
            "Set-Cookie: s={}; P",
        ],
        *["postgres://user:{}@host/db", "redis://:{}@host", "curl -u bob:{} https://host", "sshpass -p {} ssh host"],
        *[
            "ghp_{0}{0}{0}",
            "sk-ant-{0}{0}",
            "glpat-{0}{0}",
            "hf_{0}{0}{0}",
            "sk_live_{0}",
            "eyJ{0}.eyJ{0}.{0}",
            "npm_{0}{0}{0}",
        ],
        *["-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAabcdefgh{0}\n{0}==\n-----END PRIVATE KEY-----"],
        *["-----BEGIN EC PRIVATE KEY-----\\nMIIEowIBAAKCAQEAabcdefgh{0}\\n"],
    ]
)


@ANY_SPEED
@given(TEXTS)
@example("\ud800")
def test_masking_twice_is_masking_once(text: str) -> None:  # H7
    shown = redact(text)

    assert redact(shown) is shown


@ANY_SPEED
@given(TEXTS)
def test_all_but_the_masks_is_text_that_was_there_in_its_order(text: str) -> None:  # H7
    at = 0
    for part in MASK.split(redact(text)):
        found = text.find(part, at)
        assert found >= 0
        at = found + len(part)


@ANY_SPEED
@given(TEXTS)
@example("pwd=a1b2\n" * 50)
@example("pw=a1b2\n" * 50)
@example("ftp://:pw@ " * 50)
def test_a_text_grows_less_than_threefold(text: str) -> None:  # H5, H7
    assert len(redact(text)) < MAX_GROWTH * max(len(text), 1)


@ANY_SPEED
@given(HARMLESS)
def test_a_text_without_credentials_is_the_same_object(text: str) -> None:  # H7
    assert redact(text) is text


@ANY_SPEED
@given(HARMLESS, SETTINGS, WORDS, HARMLESS)
def test_a_credential_never_shows_and_what_is_around_it_stays(before: str, setting: str, word: str, after: str) -> None:
    shown = redact(f"{before}\n{setting.format(word)}\n{after}")  # H7

    assert word not in shown
    assert shown.startswith(f"{before}\n")
    assert shown.endswith(f"\n{after}")
    assert MASK.search(shown)


@ANY_SPEED
@given(VALUES)
def test_a_value_keeps_its_shape_and_masking_it_twice_is_masking_it_once(value: Any) -> None:  # H7
    stored = json.dumps(value)

    shown = redacted_value(value)

    assert redacted_value(shown) is shown
    assert shape_of(shown) == shape_of(value)
    assert json.dumps(value) == stored


@ANY_SPEED
@given(VALUES, SETTINGS, WORDS)
def test_a_credential_anywhere_in_a_value_never_shows(value: Any, setting: str, word: str) -> None:  # H7
    secret = setting.format(word)

    shown = redacted_value({"a": [value, secret, {secret: value}], "api_key": word})

    assert word not in json.dumps(shown)


def shape_of(value: Any) -> Any:
    """The value without its texts and numbers."""
    match value:
        case dict():
            return [shape_of(each) for each in value.values()]
        case list():
            return (*map(shape_of, value),)
        case _:
            return None
