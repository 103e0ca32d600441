"""`runtime`, `deliveries` and `models`: who thinks, and how what was thought gets out."""

from typing import Literal

from pydantic import Field

from sessiond.settings.section import Many, Section
from sessiond.settings.values import BaseUrl, GraceSeconds, Seconds, SecretText, Text, Variable


class RuntimeSettings(Section):
    """Leases of runs."""

    lease_seconds: Seconds = Field(default=30, description="How long a runtime holds a run without a heartbeat.")
    cancel_grace_seconds: GraceSeconds = Field(
        default=10, description="How long a runtime has to stop a cancelled run before its lease is revoked."
    )


class DeliveriesSettings(Section):
    """Outgoing texts."""

    lease_seconds: Seconds = Field(default=30, description="How long a gateway holds a delivery without an answer.")
    give_up_after_hours: float = Field(
        default=24, ge=0.001, le=8_760, description="Hours of failed attempts after which a delivery is DEAD."
    )
    max_per_acquire: int = Field(default=100, ge=1, le=1_000, description="Most deliveries a gateway takes at a time.")


class ModelSettings(Section):
    """One model that agents can name."""

    provider: Literal["echo", "openai", "command"] = Field(
        description="Who answers: a deterministic echo, an OpenAI-compatible endpoint, or a program."
    )
    model: Text | None = Field(default=None, description="openai: the model's name there; null: the id here.")
    base_url: BaseUrl | None = Field(
        default=None, repr=False, description="openai: the endpoint; null: the client library's own default."
    )
    api_key: SecretText | None = Field(default=None, description="openai: the key; not together with `apiKeyEnv`.")
    api_key_env: Variable | None = Field(default=None, description="openai: environment variable that holds the key.")
    command: Many[Text] = Field(default=(), description="command: the program and its arguments; no shell is used.")
    timeout_seconds: Seconds = Field(default=600, description="Longest wait for one answer of the model.")
    max_tool_rounds: int = Field(default=16, ge=0, le=1_000, description="openai: most rounds of tool calls in a run.")
    price_in: float | None = Field(default=None, ge=0, description="USD per million tokens read; null: unknown.")
    price_out: float | None = Field(default=None, ge=0, description="USD per million tokens written; null: unknown.")
    context_tokens: int | None = Field(default=None, ge=1, description="Size of its context window; null: unknown.")


ECHO = "echo"


def only_echo() -> dict[str, ModelSettings]:
    """The models of a server for which none are configured."""
    return {ECHO: ModelSettings(provider="echo")}
