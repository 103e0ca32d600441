"""Credentials that are known by their shape alone: what providers put in front of their tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessiond.model.redaction.spans import Span

_HIDDEN = "hidden"
# What every token of a group holds; a text without it is not searched for the group's tokens one by one.
_BY_UNDERSCORE = r"_(?:[A-Za-z0-9+/]{16}|pat_)"
_BY_HYPHEN = r"-[A-Za-z0-9_][A-Za-z0-9_-]{14}"
_BY_DOT = r"\.[A-Za-z0-9_-]{16}"
_IN_URL = r"://"
_ANYWHERE = r""

# Prefix, what follows it, kind. A prefix is literal, so that looking for it is a plain string search.
_PREFIXED = {
    _BY_UNDERSCORE: [
        *[(f"gh{each}_", r"\w{30,}+(?:\.[\w-]{16,}+){0,2}", "github token") for each in "pousr"],
        ("github_pat_", r"\w{22,}+", "github token"),
        *[(f"{each}_", r"[A-Za-z0-9]{16,}+", "stripe key") for each in ("sk_live", "rk_live", "sk_test", "rk_test")],
        ("whsec_", r"[A-Za-z0-9+/]{24,}+=*+", "webhook secret"),
        ("npm_", r"[A-Za-z0-9]{36,}+", "npm token"),
        ("hf_", r"[A-Za-z0-9]{30,}+", "hugging face token"),
        ("gsk_", r"[A-Za-z0-9]{40,}+", "groq key"),
        ("glsa_", r"\w{32,}+", "grafana token"),
        ("dop_v1_", r"[0-9a-f]{64}+(?![\w-])", "digitalocean token"),
        ("shpat_", r"[0-9a-fA-F]{32}+(?![\w-])", "shopify token"),
        ("dckr_pat_", r"[\w-]{20,}+", "docker token"),
        ("lin_api_", r"[A-Za-z0-9]{32,}+", "linear key"),
    ],
    _BY_HYPHEN: [
        ("glpat-", r"[\w-]{16,}+(?:\.[\w-]{2,}+){0,2}", "gitlab token"),
        *[(f"gl{each}-", r"[\w-]{20,}+", "gitlab token") for each in ("dt", "rt", "cbt", "ptt", "soat")],
        ("xox", r"[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{16,}+", "slack token"),
        ("xapp-", r"[A-Za-z0-9-]{16,}+", "slack token"),
        ("sk-ant-", r"[\w-]{16,}+", "anthropic key"),
        ("sk-", r"(?:proj|svcacct|admin|None|or-v1|lf)-[\w-]{16,}+", "openai key"),
        ("sk-", r"[A-Za-z0-9]{20,}+(?:-[\w-]++)?", "openai key"),
        ("pypi-", r"[\w-]{50,}+", "pypi token"),
        ("GOCSPX-", r"[\w-]{20,}+", "google secret"),
        ("tskey-", r"[\w-]{20,}+", "tailscale key"),
        ("AGE-SECRET-KEY-", r"1[A-Z0-9]{40,}+", "private key"),
    ],
    _BY_DOT: [
        ("ya29.", r"[\w-]{16,}+(?:\.[\w-]++)*+", "google token"),
        ("SG.", r"[\w-]{16,}+\.[\w-]{30,}+", "sendgrid key"),
        ("hvs.", r"[\w-]{24,}+", "vault token"),
        ("eyJ", r"[\w-]{8,}+\.[\w-]*+\.[\w-]{8,}+(?:\.[\w-]++){0,2}", "jwt"),
    ],
}
# Those that begin otherwise; of one with a group of the name, only that is hidden.
_OTHERS = {
    _BY_DOT: [
        (r"[MNO](?<![\w-][MNO])[A-Za-z0-9]{22,27}+\.[\w-]{6}\.[\w-]{27,}+", "discord token"),
        # This service's own: the run's id and the number of its lease stay readable, what proves the lease does not.
        (rf"-[0-9a-f]{{12}}\.[0-9]{{1,18}}+\.(?P<{_HIDDEN}>[\w-]{{16,}}+)", "lease token"),
    ],
    _IN_URL: [
        (rf"hooks\.slack\.com/services/(?P<{_HIDDEN}>[\w/-]{{20,}}+)", "webhook secret"),
        (rf"/api/webhooks/[0-9]{{1,24}}+/(?P<{_HIDDEN}>[\w-]{{40,}}+)", "webhook secret"),
        (rf"sig=(?<=[?&;]sig=)(?P<{_HIDDEN}>[A-Za-z0-9%+/_=-]{{32,}}+)", "signature"),
        (rf"X-Amz-Signature=(?P<{_HIDDEN}>[0-9a-f]{{64}}+)(?![\w-])", "signature"),
    ],
    _ANYWHERE: [
        # Letters that base64 brings forth by chance: neither inside nor at the edge of such a run.
        (r"A(?<![\w+/-]A)[KS]IA[A-Z0-9]{16}(?![\w+/-])", "aws access key id"),
        (r"A(?<![\w+/-]A)Iza[\w-]{35}(?![\w+/-])", "google key"),
        (r"SK(?<![\w+/-]SK)[0-9a-f]{32}(?![\w+/-])", "twilio key"),
        (r":AA(?<=[0-9]{8}:AA)[\w-]{32,34}(?![\w-])", "telegram token"),
    ],
}
_AWS_PAIR = re.compile(rf"[\s\"',:;|]{{1,8}}+(?P<{_HIDDEN}>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])")


def _prefixed(prefix: str, rest: str) -> str:
    """The prefix where a word begins, or right after an escaped line end, as in quoted output."""
    literal = re.escape(prefix)
    return rf"{literal}(?:(?<![\w-]{literal})|(?<=\\[nrt]{literal})){rest}"


def _compiled() -> Iterator[tuple[re.Pattern[str], list[tuple[re.Pattern[str], str]]]]:
    for group in (_BY_UNDERSCORE, _BY_HYPHEN, _BY_DOT, _IN_URL, _ANYWHERE):
        shapes = [(_prefixed(prefix, rest), kind) for prefix, rest, kind in _PREFIXED.get(group, [])]
        shapes += _OTHERS.get(group, [])
        yield re.compile(group), [(re.compile(shape, re.ASCII), kind) for shape, kind in shapes]


_GROUPS = list(_compiled())


def tokens_in(text: str) -> Iterator[Span]:
    """Every token that tells by its shape what it is."""
    for held, shapes in _GROUPS:
        if held.search(text):
            for shape, kind in shapes:
                for found in shape.finditer(text):
                    group = _HIDDEN if _HIDDEN in shape.groupindex else 0
                    yield Span(*found.span(group), kind)
                    if kind == "aws access key id":
                        yield from _aws_secret_after(text, found.end())


def _aws_secret_after(text: str, at: int) -> Iterator[Span]:
    """The secret that follows its key id, as in the file that AWS hands out; alone it has no shape."""
    found = _AWS_PAIR.match(text, at)
    if found:
        yield Span(*found.span(_HIDDEN), "aws secret key")
