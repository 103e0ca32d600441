"""What no single key can get wrong: keys that contradict each other or name what is not there."""

import ipaddress
from collections.abc import Callable, Iterator

from sessiond.settings.catalogue import Location
from sessiond.settings.problems import Problem, refused
from sessiond.settings.schema import Settings


def contradictions(settings: Settings) -> list[Problem]:
    """Every contradiction in settings whose single values are all valid."""
    return [problem for check in _CHECKS for problem in check(settings)]


def is_loopback(listen: str) -> bool:
    """Whether HOST:PORT is reached from this machine alone."""
    host = listen.rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a name: it may resolve to anything


def _agents(settings: Settings) -> Iterator[Problem]:
    seen: set[str] = set()
    defaults = 0
    for index, agent in enumerate(settings.agents.list):
        where: Location = ("agents", "list", index)
        if agent.id in seen:
            yield refused((*where, "id"), agent.id, "an id that no other agent has")
        defaults += agent.default
        if agent.default and defaults > 1:
            yield refused((*where, "default"), True, "at most one agent with default: true")
        seen.add(agent.id)


def _model_references(settings: Settings) -> Iterator[Problem]:
    known = ", ".join(settings.models)
    for location, model in _references(settings):
        if model is not None and model not in settings.models:
            yield refused(location, model, f"an id from models ({known})")


def _references(settings: Settings) -> Iterator[tuple[Location, str | None]]:
    defaults = settings.agents.defaults
    yield ("agents", "defaults", "model"), defaults.model
    yield ("agents", "defaults", "subagents", "model"), defaults.subagents.model
    for index, agent in enumerate(settings.agents.list):
        yield ("agents", "list", index, "model"), agent.model
        yield ("agents", "list", index, "subagents", "model"), agent.subagents.model


def _models(settings: Settings) -> Iterator[Problem]:
    for name, model in settings.models.items():
        if model.provider == "command" and not model.command:
            yield Problem(("models", name, "command"), 'missing: expected the program, as provider is "command"')
        if model.api_key is not None and model.api_key_env is not None:
            yield Problem(("models", name), "has apiKey and apiKeyEnv: expected at most one of them")


def _tokens(settings: Settings) -> Iterator[Problem]:
    roles: dict[str, str] = {}
    digests: set[str | None] = {None}
    for index, token in enumerate(settings.auth.tokens):
        where: Location = ("auth", "tokens", index)
        if (token.token is None) == (token.token_hash is None):
            yield Problem(where, "expected exactly one of token and tokenHash")
        elif token.digest() in digests:
            yield Problem(where, "has the same token as another entry: expected one of its own")
        if roles.setdefault(token.name, token.role) != token.role:
            yield Problem((*where, "name"), "is the name of a token of another role: expected one of its own")
        digests.add(token.digest())


def _tls(settings: Settings) -> Iterator[Problem]:
    tls = settings.server.tls
    if (tls.cert is None) != (tls.key is None):
        yield Problem(("server", "tls"), "expected cert and key together")
    elif tls.client_ca is not None and tls.cert is None:
        yield Problem(("server", "tls", "clientCa"), "expected cert and key beside it")


def _exposure(settings: Settings) -> Iterator[Problem]:
    """V2: an address that others reach needs tokens and TLS, or a word that it is meant so."""
    server = settings.server
    is_guarded = bool(settings.auth.tokens) and server.tls.cert is not None
    if not (is_loopback(server.listen) or is_guarded or server.insecure):
        expected = "a loopback address, or both auth.tokens and server.tls, or server.insecure (--insecure)"
        yield refused(("server", "listen"), server.listen, expected)


_CHECKS: tuple[Callable[[Settings], Iterator[Problem]], ...] = (
    _agents,
    _model_references,
    _models,
    _tokens,
    _tls,
    _exposure,
)
