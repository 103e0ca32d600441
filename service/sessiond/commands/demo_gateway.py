"""The demo's channel gateway: takes what is to go out, shows it, and confirms it."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

import grpc

from sessiond.commands.demo_screen import Screen
from sessiontools.v1 import delivery_pb2
from sessiontools.v1 import gateway_service_pb2 as pb
from sessiontools.v1.gateway_service_pb2_grpc import GatewayServiceStub

WAIT_S = 20


class DemoGateway:
    """Works in a thread for the time of the context."""

    def __init__(self, stub: GatewayServiceStub, screen: Screen) -> None:
        self._stub = stub
        self._screen = screen
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._deliver, name="demo-gateway", daemon=True)
        self._call: Any = None  # the one under way

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        if self._call is not None:
            self._call.cancel()
        self._thread.join(WAIT_S)

    def _deliver(self) -> None:
        while not self._is_over.is_set():
            self._call = self._stub.AcquireDeliveries.future(pb.AcquireDeliveriesRequest(wait_seconds=WAIT_S))
            if self._is_over.is_set():  # and whoever says so may have seen the call before this one
                self._call.cancel()
            try:
                deliveries = self._call.result().deliveries
            except (grpc.RpcError, grpc.FutureCancelledError):
                return
            for each in deliveries:
                self._show(each)

    def _show(self, delivery: delivery_pb2.Delivery) -> None:
        self._screen.say(f"gateway   delivers to {delivery.route.channel} {delivery.route.to}:")
        self._screen.deliver(delivery.text)
        ack = pb.AckDeliveryRequest(
            delivery_id=delivery.id, lease_token=delivery.lease_token, receipt=f"demo-{delivery.id[:8]}"
        )
        self._stub.AckDelivery(ack)
