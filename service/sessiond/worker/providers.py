"""From configured models to the built-in runtimes that answer for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sessiond.worker.builtin.command import Command
from sessiond.worker.builtin.echo import Echo
from sessiond.worker.execution import Provider


@runtime_checkable
class Closable(Protocol):
    """A provider that holds something."""

    async def close(self) -> None:
        """Let go of it."""


@dataclass(frozen=True)
class ModelConfig:
    """A configured model, as far as its provider asks."""

    id: str
    provider: str
    name: str
    base_url: str | None
    api_key: str
    command: tuple[str, ...]
    timeout_s: float
    max_tool_rounds: int


def providers_of(models: list[ModelConfig]) -> Mapping[str, Provider]:
    """One provider a model."""
    return {model.id: _provider(model) for model in models}


async def close_all(providers: Mapping[str, Provider]) -> None:
    """Let go of what providers hold, such as connections to an endpoint."""
    for provider in providers.values():
        if isinstance(provider, Closable):
            await provider.close()


def _provider(model: ModelConfig) -> Provider:
    match model.provider:
        case "openai":
            # Only who has such a model needs the package that it is made with.
            from sessiond.worker.builtin.openai import OpenAi

            return OpenAi(model.name, model.base_url, model.api_key, model.timeout_s, model.max_tool_rounds)
        case "command":
            return Command(model.command, model.timeout_s)
        case _:
            return Echo()
