"""All settings, and the defaults that follow from other settings."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, model_validator

from sessiond.settings.schema_agents import AgentsSettings
from sessiond.settings.schema_runtime import DeliveriesSettings, ModelSettings, RuntimeSettings, only_echo
from sessiond.settings.schema_server import AuthSettings, LimitsSettings, LogSettings, ServerSettings
from sessiond.settings.schema_session import SessionSettings
from sessiond.settings.schema_store import RetentionSettings, StoreSettings, TranscriptsSettings, sqlite_url
from sessiond.settings.schema_tools import AnnounceSettings, ToolsSettings
from sessiond.settings.section import Section
from sessiond.settings.values import ModelId, is_model_id


class Settings(Section):
    """The whole of `sessiontools.json5`."""

    session: SessionSettings = Field(
        default=SessionSettings(), description="Sessions: their names, and who may write to them."
    )
    agents: AgentsSettings = Field(default=AgentsSettings(), description="The agents, and what holds for all of them.")
    tools: ToolsSettings = Field(default=ToolsSettings(), description="What agents may do with sessions.")
    announce: AnnounceSettings = Field(default=AnnounceSettings(), description="How a sub-agent's result is told.")
    models: Mapping[ModelId, ModelSettings] = Field(
        default_factory=only_echo, description="The models by id; none: one, `echo`, of provider `echo`."
    )
    server: ServerSettings = Field(default=ServerSettings(), description="The gRPC server.")
    auth: AuthSettings = Field(default=AuthSettings(), description="Who may call.")
    limits: LimitsSettings = Field(default=LimitsSettings(), description="How much one caller or session may ask for.")
    store: StoreSettings = Field(default=StoreSettings(), description="The database.")
    transcripts: TranscriptsSettings = Field(
        default=TranscriptsSettings(), description="The copy of each transcript as a JSONL file."
    )
    retention: RetentionSettings = Field(default=RetentionSettings(), description="How long things are kept.")
    runtime: RuntimeSettings = Field(default=RuntimeSettings(), description="Leases of runs.")
    deliveries: DeliveriesSettings = Field(default=DeliveriesSettings(), description="Outgoing texts.")
    log: LogSettings = Field(default=LogSettings(), description="What the server writes to standard error.")

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, data: Any) -> Any:
        return with_derived(data) if isinstance(data, dict) else data


def with_derived(data: dict[str, Any]) -> dict[str, Any]:
    """Fill in what is not given and follows from what is given. Wrong shapes pass, for validation to name them."""
    data = dict(data)
    if not data.get("models", True):
        del data["models"]
    _fill(data, ("agents", "defaults"), "model", _first_model(data))
    _fill(data, ("store",), "url", _database_of(data))
    _fill(data, ("transcripts",), "enabled", _mirrors(data))
    if isinstance(data.get("agents"), dict) and data["agents"].get("list") == []:
        data["agents"] = {name: value for name, value in data["agents"].items() if name != "list"}
    return data


def _fill(data: dict[str, Any], path: tuple[str, ...], name: str, value: Any) -> None:
    """Set a key below `path` unless it is there; nothing already in `data` is changed in place."""
    if value is None:
        return
    for part in path:
        inner = data.get(part, {})
        if not isinstance(inner, dict):
            return
        data[part] = dict(inner)
        data = data[part]
    data.setdefault(name, value)


def _first_model(data: Mapping[str, Any]) -> str | None:
    models = data.get("models")
    return next(filter(is_model_id, models), None) if isinstance(models, dict) else None


def _database_of(data: Mapping[str, Any]) -> str | None:
    store = data.get("store")
    folder = store.get("dataDir") if isinstance(store, dict) else None
    return sqlite_url(folder) if isinstance(folder, str) else None


def _mirrors(data: Mapping[str, Any]) -> bool | None:
    store = data.get("store")
    url = store.get("url") if isinstance(store, dict) else None
    return url.startswith("sqlite") if isinstance(url, str) else None
