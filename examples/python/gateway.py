"""A channel gateway: takes what is to go out, prints it, and confirms it. Put your channel's API into `send`.

python examples/python/gateway.py --server 127.0.0.1:50551 --channel telegram
"""

import argparse
import asyncio
import os
import signal
from contextlib import suppress

from sessiontools import connect
from sessiontools.v1.delivery_pb2 import Delivery


async def send(delivery: Delivery) -> str:
    """Send a text and return the provider's receipt; an exception offers it again later. `delivery.id` stays the same
    however often it is offered: a provider that takes an idempotency key gets it, and then nobody reads it twice."""
    again = " (perhaps once more)" if delivery.possibly_delivered else ""
    print(f"{delivery.route.channel} -> {delivery.route.to}{again}: {delivery.text}", flush=True)
    return f"printed-{delivery.id}"


async def main(args: argparse.Namespace) -> None:
    async with connect(args.server, token=args.token, plaintext=True) as client:
        serving = asyncio.create_task(client.serve_deliveries(send, channels=args.channel))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
        with suppress(asyncio.CancelledError):  # the sends under way were finished
            await serving


parser = argparse.ArgumentParser(description="A gateway that prints.")
parser.add_argument("--server", default="127.0.0.1:50551", metavar="HOST:PORT")
parser.add_argument("--token", default=os.environ.get("SESSIONTOOLS_TOKEN", ""))
parser.add_argument("--channel", action="append", default=[], help="which channels; default: all")
asyncio.run(main(parser.parse_args()))
