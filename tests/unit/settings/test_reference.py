"""docs/configuration.md and the example: as the schema has them."""

from pathlib import Path

import pytest

from sessiond.settings import load
from sessiond.settings.catalogue import Key, catalogue
from sessiond.settings.explain import reference

ROOT = Path(__file__).parents[3]


def test_the_page_is_what_the_schema_says() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")

    assert page == reference(), "run: sessiontools config reference > docs/configuration.md"


@pytest.mark.parametrize("key", [key for key in catalogue().below() if key.shape == "value"], ids=lambda key: key.path)
def test_every_key_has_a_row_a_variable_and_a_meaning(key: Key) -> None:
    row_path = key.path.removesuffix("[]")  # entries of a list of plain values share the list's row
    rows = [line for line in reference().splitlines() if line.startswith(f"| `{row_path}`<br>")]

    assert len(rows) == 1
    assert f"`{key.env.removesuffix('__<N>')}`" in rows[0]
    assert rows[0].rstrip("| ").endswith((".", "`"))


@pytest.mark.parametrize(
    "path",
    [
        "session.scope",
        "session.mainKey",
        "session.sendPolicy.rules",
        "session.agentToAgent.maxPingPongTurns",
        "agents.defaults.sandbox.sessionToolsVisibility",
        "agents.defaults.subagents.archiveAfterMinutes",
        "agents.list[].subagents.allowAgents",
        "tools.subagents.tools.allow",
        "tools.subagents.tools.deny",
        "server.listen",
        "server.tls.cert",
        "server.tls.key",
        "server.tls.clientCa",
        "auth.tokens[].name",
        "auth.tokens[].role",
        "auth.tokens[].token",
        "auth.tokens[].tokenHash",
        "store.url",
        "runtime.leaseSeconds",
        "runtime.cancelGraceSeconds",
        "server.streamMaxAgeSeconds",
        "deliveries.leaseSeconds",
        "deliveries.giveUpAfterHours",
        "models.<id>.provider",
        "models.<id>.priceIn",
        "models.<id>.priceOut",
        "agents.list[].id",
        "agents.list[].name",
        "agents.list[].default",
        "agents.list[].model",
        "agents.list[].runtime",
        "agents.list[].sandbox.mode",
        "tools.agentToAgent.enabled",
        "tools.agentToAgent.allow",
        "tools.sessions.visibility",
        "tools.sessions.redact",
        "announce.stats",
    ],
)
def test_every_key_of_the_contract_is_there(path: str) -> None:
    assert path in {key.path for key in catalogue().below()}


def test_the_example_is_a_configuration_that_starts() -> None:
    loaded = load(ROOT / "examples" / "sessiontools.json5", {}, {})

    assert [agent.id for agent in loaded.settings.agents.list] == ["main", "research", "builder"]
