"""One of the servers that are compared: how it is asked, what its answers say, and what its store holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from bench.requests import MESSAGE
from bench.serving import Server

REPLY = f"echo: {MESSAGE}"


@dataclass(frozen=True)
class Answer:
    """What both servers tell, in their own words, of a piece of work."""

    id: str
    is_complete: bool
    reply: str


@dataclass(frozen=True)
class Running:
    """Where a server runs, its methods as they are on the wire, and how its database says that it stores."""

    server: Server
    send_method: str
    get_method: str
    stores: str


class Side(ABC):
    """A running server; a send answers once the work is done, and a get asks for it again by its id."""

    def __init__(self, running: Running, *, may_fail: bool) -> None:
        """Failed sends of a side that may fail are counted; those of another end the run."""
        self.running = running
        self.may_fail = may_fail

    @abstractmethod
    async def begin(self, places: int) -> None:
        """Make so many places that nothing was sent from yet."""

    @abstractmethod
    def send(self, place: int) -> bytes:
        """A request with the message; those of different places don't stand in each other's way."""

    @abstractmethod
    def get(self, work_id: str) -> bytes:
        """A request for what has become of it."""

    @abstractmethod
    def read_send(self, answer: bytes) -> Answer:
        """What the answer to a send says."""

    @abstractmethod
    def read_get(self, answer: bytes) -> Answer:
        """What the answer to a get says."""

    @abstractmethod
    def completed(self) -> int:
        """How many pieces of work in the store are complete with the right reply."""
