"""Hidden and absent can't be told apart: not by the answer, and not by what the server does for it (K8, W8)."""

from __future__ import annotations

import grpc
import pytest

from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.authority.acts import Act
from tests.authority.asking import ask
from tests.authority.cast import ACTING, SETTINGS, Caller, Setting, Target
from tests.authority.conftest import Open
from tests.authority.counting import Ledger, note_statements
from tests.authority.house import OWNER, UNUSED_AGENT, House
from tests.authority.twins import calls_of, hidden_from, twins_of
from tests.serving import Served

AGENT_MAIN = next(caller for caller in ACTING if caller.name == "agent main")
# What another database may change is in the queries, and two shapes of them are enough.
CALLERS = {
    "sqlite": ACTING,
    "postgresql": [each for each in ACTING if each.name in ("gateway acting as", "sandboxed agent")],
}
CASES = [(database, setting) for database in ("sqlite", "postgresql") for setting in SETTINGS[1:2]]


class Comparison:
    """Asks for twins, and keeps what told them apart."""

    def __init__(self, server: Served, house: House, ledger: Ledger) -> None:
        self._server = server
        self._house = house
        self._ledger = ledger
        self.pairs = 0
        self.told_apart: list[str] = []

    async def compare(self, caller: Caller, act: Act, hidden: Target) -> None:
        """The hidden one and each of its twins: every byte of the answer, every statement."""
        where, metadata = f"{caller.name}: {act}, {hidden.name}", self._house.credential(caller)
        found = {}
        for name, made in twins_of(self._house, hidden, act):
            answer, statements = await self._ledger.of(ask(self._server, act.rpc, act.request(made), metadata))
            # What the caller said itself may stand in an answer.
            told = answer.status or answer.message.SerializeToString().replace(made.key.encode(), b"<the key>")
            found[name] = (told, statements)
        first, *others = found.items()
        for name, other in others:
            self.pairs += 1
            for what, one, another in zip(("answer", "statements"), first[1], other, strict=True):
                if one != another:
                    self.told_apart.append(f"{where}: {what}: {one!r} but {name} {another!r}")


@pytest.mark.parametrize(("database", "setting"), CASES, ids=lambda each: getattr(each, "name", each))
async def test_what_is_hidden_is_answered_as_if_it_was_not_there(
    open_house: Open, monkeypatch: pytest.MonkeyPatch, database: str, setting: Setting
) -> None:  # K8, V5, W8
    ledger = note_statements(monkeypatch)
    async with open_house(setting, database) as (server, house):
        comparison = Comparison(server, house, ledger)
        for caller in CALLERS[database]:
            for act in calls_of(setting, caller):
                for hidden in hidden_from(setting, caller):
                    await comparison.compare(caller, act, hidden)

    assert comparison.told_apart == []
    assert comparison.pairs > 300


async def test_an_agent_whose_main_session_is_hidden_is_as_one_that_has_none(
    open_house: Open, monkeypatch: pytest.MonkeyPatch
) -> None:  # S1, K9
    ledger = note_statements(monkeypatch)
    async with open_house(SETTINGS[0], "sqlite") as (server, house):
        agent = house.credential(AGENT_MAIN)
        found = []
        for name in ("ops", UNUSED_AGENT, "nobody"):
            by_agent = tools.SessionsSendRequest(agent_id=name, message="hello", timeout_seconds=0)
            by_key = tools.SessionsSendRequest(session_key=f"agent:{name}:main", message="hello", timeout_seconds=0)
            for request in (by_agent, by_key):
                answer, statements = await ledger.of(ask(server, "SessionsSend", request, agent))
                found.append((request is by_agent, answer.status, statements))

    assert found == found[:2] * 3
    assert {status[0] for _, status, _ in found if status} == {grpc.StatusCode.NOT_FOUND}


async def test_page_tokens_lead_nowhere_that_their_holder_may_not_see(open_house: Open) -> None:  # L2, L5
    async with open_house(SETTINGS[0], "sqlite") as (server, house):
        agent = house.credential(AGENT_MAIN)
        whole = await server.tools.SessionsList(tools.SessionsListRequest(), metadata=agent)
        first = await server.tools.SessionsList(tools.SessionsListRequest(limit=1), metadata=OWNER)
        borrowed = tools.SessionsListRequest(limit=1, page_token=first.next_page_token)
        answer = await ask(server, "SessionsList", borrowed, agent)

        found: list[str] = []
        token = ""
        while token or not found:
            request = tools.SessionsListRequest(limit=1, page_token=token)
            page = await server.tools.SessionsList(request, metadata=agent)
            found += [each.session_id for each in page.sessions]
            token = page.next_page_token

    assert answer.reason == "PAGE_TOKEN_INVALID"
    assert found == [each.session_id for each in whole.sessions]
    assert house.made["ops/idle"].session_id not in found
