"""grpc.health.v1: whether this server should be given calls, for the whole of it and for each service (X3, X4)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from typing import Any

import grpc
from grpc_health.v1 import health_pb2 as pb
from grpc_health.v1 import health_pb2_grpc as rpc

from sessiond.rpc.health_list import ListResponse, add_list

log = logging.getLogger("sessiond.health")

SERVICE = "grpc.health.v1.Health"
SERVING = pb.HealthCheckResponse.SERVING
NOT_SERVING = pb.HealthCheckResponse.NOT_SERVING
SERVICE_UNKNOWN = pb.HealthCheckResponse.SERVICE_UNKNOWN
DRAINING = "draining"
WORK = "sessiontools.work"


class Health(rpc.HealthServicer):
    """One truth for all services: they share the store and the drain. `sessiontools.work` is false also while work is
    left undone for too long, which says something to whoever is called at night and nothing to a load balancer.

    The servicer of grpcio-health-checking writes to its watchers under a lock, so one of them that does not read
    holds up every change of status, the drain's too; and it has no List. All methods belong to the event loop.
    """

    def __init__(self, services: Iterable[str]) -> None:
        self._services = ("", *services, WORK)
        self._troubles: set[str] = set()
        self._work_troubles: set[str] = set()
        self._is_closing = False
        self._changed = asyncio.Event()

    @property
    def is_serving(self) -> bool:
        """Whether nothing stands against giving calls to this server."""
        return not self._troubles

    def set_serving(self, is_serving: bool, reason: str) -> None:
        """Note or lift one trouble, such as `store`; the server serves when none is left."""
        self._set(self._troubles, is_serving, reason)

    def set_working(self, is_working: bool, reason: str) -> None:
        """As set_serving, for `sessiontools.work` alone."""
        self._set(self._work_troubles, is_working, reason)

    def _set(self, troubles: set[str], is_well: bool, reason: str) -> None:
        if is_well == (reason not in troubles):
            return
        if is_well:
            troubles.remove(reason)
        else:
            troubles.add(reason)
        log.log(logging.INFO if is_well else logging.WARNING, "health", extra=self._shown(reason))
        self._wake()

    def begin_drain(self) -> None:
        """NOT_SERVING for good: nobody lifts this trouble."""
        self.set_serving(False, DRAINING)

    def end_watches(self) -> None:
        """Let each watch end after its last status, so that none holds up the stop."""
        self._is_closing = True
        self._wake()

    async def Check(self, request: pb.HealthCheckRequest, context: Any) -> pb.HealthCheckResponse:
        """The status of one service."""
        status = self._status_of(request.service)
        if status == SERVICE_UNKNOWN:
            await context.abort(grpc.StatusCode.NOT_FOUND, "this server has no service of that name")
        return pb.HealthCheckResponse(status=status)

    async def List(self, request: Any, context: Any) -> Any:
        """The status of every service."""
        response = ListResponse()
        for name in self._services:
            response.statuses[name].status = self._status_of(name)
        return response

    async def Watch(self, request: pb.HealthCheckRequest, context: Any) -> AsyncIterator[pb.HealthCheckResponse]:
        """The status of one service now and at every change; a slow reader may miss one that did not last."""
        told = None
        while True:
            changed = self._changed  # taken before the look: a change after it is never missed
            status = self._status_of(request.service)
            if status != told:
                yield pb.HealthCheckResponse(status=status)
                told = status
            elif self._is_closing:
                return
            else:
                await changed.wait()

    def _status_of(self, service: str) -> int:
        if service not in self._services:
            return int(SERVICE_UNKNOWN)
        is_well = self.is_serving and not (service == WORK and self._work_troubles)
        return int(SERVING if is_well else NOT_SERVING)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _shown(self, reason: str) -> dict[str, str]:
        return {"status": "SERVING" if self.is_serving else "NOT_SERVING", "reason": reason}


def add_health(server: grpc.aio.Server, health: Health) -> None:
    """Serve grpc.health.v1."""
    rpc.add_HealthServicer_to_server(health, server)
    add_list(server, health.List)
