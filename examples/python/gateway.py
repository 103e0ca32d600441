"""A channel gateway: takes what is to go out, prints it, and confirms it. Put your channel's API into `send`.

python examples/python/gateway.py --server 127.0.0.1:50551 --channel telegram
"""

import argparse
import asyncio
import json
import os
import signal
from contextlib import suppress

import grpc

from sessiontools.v1 import gateway_service_pb2 as pb
from sessiontools.v1.gateway_service_pb2_grpc import GatewayServiceStub

BACKOFF = {"maxAttempts": 5, "initialBackoff": "0.2s", "maxBackoff": "5s", "backoffMultiplier": 3}
RETRY = {"methodConfig": [{"name": [{}], "retryPolicy": BACKOFF | {"retryableStatusCodes": ["UNAVAILABLE"]}}]}


def send(delivery):
    """Send a text and return the provider's receipt. `delivery.id` stays the same however often it is offered:
    a provider that takes an idempotency key gets it, and then nobody reads anything twice."""
    again = " (perhaps once more)" if delivery.possibly_delivered else ""
    print(f"{delivery.route.channel} -> {delivery.route.to}{again}: {delivery.text}", flush=True)
    return f"printed-{delivery.id}"


async def deliver(stub, delivery, metadata):
    """Send one, and say how it went: a failure is offered again later, unless it is permanent."""
    about = {"delivery_id": delivery.id, "lease_token": delivery.lease_token}
    try:
        receipt = send(delivery)
    except OSError as problem:
        await stub.NackDelivery(pb.NackDeliveryRequest(**about, reason=str(problem)), metadata=metadata)
    else:
        await stub.AckDelivery(pb.AckDeliveryRequest(**about, receipt=receipt), metadata=metadata)


async def main(args):
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    metadata = (("authorization", f"Bearer {args.token}"),) if args.token else ()
    request = pb.AcquireDeliveriesRequest(channels=args.channel, max_deliveries=10, wait_seconds=30)
    options = [("grpc.service_config", json.dumps(RETRY))]
    async with grpc.aio.insecure_channel(args.server, options) as channel:
        stub = GatewayServiceStub(channel)
        with suppress(asyncio.CancelledError):
            while True:  # an empty answer means: ask again
                try:
                    answer = await stub.AcquireDeliveries(request, metadata=metadata)
                    for delivery in answer.deliveries:
                        await deliver(stub, delivery, metadata)
                except grpc.aio.AioRpcError as refusal:
                    if refusal.code() != grpc.StatusCode.UNAVAILABLE:
                        raise
                    await asyncio.sleep(1)  # the server is away; what was not confirmed is offered again


parser = argparse.ArgumentParser(description="A gateway that prints.")
parser.add_argument("--server", default="127.0.0.1:50551", metavar="HOST:PORT")
parser.add_argument("--token", default=os.environ.get("SESSIONTOOLS_TOKEN", ""))
parser.add_argument("--channel", action="append", default=[], help="which channels; default: all")
asyncio.run(main(parser.parse_args()))
