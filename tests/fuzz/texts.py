"""Texts that break programs, and the almost right ones of every grammar that the service reads."""

from __future__ import annotations

import random

KIB = 1024
MIB = 1024 * 1024

NASTY = (
    *("", " ", "\t\r\n", "\x00", "a\x00b", "\x7f\x1b[2J", "\ufeff", "\u200b", "\u2028", "\u202e", "\u0301", "e\u0301"),
    *("\ud7ff", "\ufffd", "\uffff", "\U0010ffff", "👩‍👩‍👧‍👦", "🇩🇪", "ﷺ", "İ", "ß", "K", "ǅ", "١٢٣", "²", "日本語"),
    *("../../x", "..\\..\\x", "/etc/passwd", "file:///etc/passwd", "a/b", ".", "..", "~", "%2e%2e%2f", "x\x00.jsonl"),
    *("'; DROP TABLE runs; --", '" OR 1=1', "\\'", "%", "_", "%s %(x)s %n", "{0}{x}", ":name", "?", "$1", "$$", "*"),
    *(
        "$(touch x)",
        "`id`",
        "| cat",
        "&& id",
        "-rf",
        "--help",
        "${jndi:ldap://x}",
        "<script>",
        "\r\nx: y",
        "#!",
        "#!\n",
    ),
    *("0", "-1", "1e999", "NaN", "null", "true", "{}", "[]", '{"a":', "9" * 400, "[" * 2000, "=", "====", "a=", "%zz"),
    *("REPLY_SKIP", "ANNOUNCE_SKIP", " REPLY_SKIP ", "/send off", "/send on", "/SEND inherit", "/send off now"),
    *("Status: ok\nResult: x\nNotes:", "**Result**: \n- Status:", "#" * 500 + " Result", "sk-" + "a" * 48),
)
KEYS = (
    *("main", "MAIN", "global", "unknown", "agent:main:main", "AGENT:Main:MAIN", "agent:far:main", "agent:box:main"),
    *("agent:prog:main", "agent:nobody:main", "agent:main:global", "agent:main:unknown", "agent", "agent:", "agent::"),
    *("agent::y", "agent:x", "agent:main:", "agent:main::x", "agent:main:x:", ":", "::", ":x", "x:", " main ", "a b"),
    *("agent:ma in:x", "agent:-x:main", "agent:é:main", "agent:K:main", f"agent:{'a' * 64}:x", f"agent:{'a' * 65}:x"),
    *("cron:job", "CRON:Job", "cron:", "hook:1", "hook:", "node-1", "node-", "NODE-x:y", "subagent:x", "cron: "),
    *("telegram:group:1", "Telegram:GROUP:A", "discord:channel:c:thread:t", "discord:channel:c:topic:", "slack:dm:u"),
    *("telegram:group::topic:1", "telegram:group:1:topic:2:thread:3", "agent:far:telegram:direct:p", "group:1:2"),
    *("imported:../../x", "cron:../../../etc/x", "cron:a\x00b", "cron:\u202e", "cron:👋", "cron:é", "cron:e\u0301"),
    *("x" * 512, "x" * 513, "cron:" + "é" * 507, "agent:main:" + "k" * 501, "agent:main:" + "k" * 502, "a:b:c:d:e"),
)
LENGTHS = (1, 63, 64, 65, 127, 128, 129, 255, 256, 257, 500, 511, 512, 513, 1024, 4096)
SIZES = (64 * KIB, MIB - KIB, MIB - 64, MIB, MIB + 1, 3 * MIB, 4 * MIB - KIB, 4 * MIB, 5 * MIB)


def nasty(rng: random.Random) -> str:
    """A text that somebody else's program could not stand."""
    match rng.randrange(12):
        case 0:
            return "".join(rng.choices(NASTY, k=3))
        case 1:
            return astral(rng, rng.choice(LENGTHS))
        case 2:
            return rng.choice("ax \x00é👋") * rng.choice(LENGTHS)
        case 3:
            return rng.choice(KEYS)
    return rng.choice(NASTY)


def astral(rng: random.Random, length: int) -> str:
    """Letters of four bytes each, which no compression makes smaller: the longest that a bound in letters lets in."""
    return "".join(chr(rng.randrange(0x20000, 0x2A6DF)) for _ in range(length))


def giant(rng: random.Random) -> str:
    """About as large as a message may be, or as a request may be."""
    letter = rng.choice(("x", "\x00", "é", "👋", "\n", '"', "#!\n"))
    return letter * (rng.choice(SIZES) // len(letter.encode()))


def mangled(rng: random.Random, text: str) -> str:
    """Something of ours that is not quite right any more."""
    at = rng.randrange(len(text) + 1)
    match rng.randrange(6):
        case 0:
            return text[:at]
        case 1:
            return text[:at] + rng.choice("\x00.:=A0-/é ") + text[at:]
        case 2:
            return text[:at] + rng.choice("Aa09_-.=") + text[at + 1 :]
        case 3:
            return text.swapcase()
        case 4:
            return text + rng.choice(("=", ".", "\n", " ", text))
    return ".".join(reversed(text.split(".")))
