"""Settings: what `sessiontools.json5`, the environment and flags may say, read and checked before anything starts."""

from sessiond.settings.checks import is_loopback
from sessiond.settings.load import Loaded, load
from sessiond.settings.problems import SettingsError
from sessiond.settings.schema import Settings
from sessiond.settings.schema_agents import AgentDefaults, AgentSettings
from sessiond.settings.schema_runtime import ModelSettings
from sessiond.settings.schema_server import ServerSettings, TokenSettings
from sessiond.settings.schema_session import SendPolicySettings, SendRuleSettings
from sessiond.settings.schema_store import StoreSettings

__all__ = [
    "AgentDefaults",
    "AgentSettings",
    "Loaded",
    "ModelSettings",
    "SendPolicySettings",
    "SendRuleSettings",
    "ServerSettings",
    "Settings",
    "SettingsError",
    "StoreSettings",
    "TokenSettings",
    "is_loopback",
    "load",
]
