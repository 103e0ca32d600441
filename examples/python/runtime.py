"""A runtime: executes the runs of agents that have `runtime: "external"`. Put your model into `think`.

python examples/python/runtime.py --server 127.0.0.1:50551 --agent builder
"""

import argparse
import asyncio
import os
import signal
from contextlib import suppress

import grpc

from sessiontools.v1 import runtime_service_pb2 as pb
from sessiontools.v1.runtime_service_pb2_grpc import RuntimeServiceStub

# Every call may be repeated: what was appended or completed with a lease token is stored once.
RETRY = """{"methodConfig": [{"name": [{}], "retryPolicy": {"retryableStatusCodes": ["UNAVAILABLE"],
    "maxAttempts": 5, "initialBackoff": "0.2s", "maxBackoff": "5s", "backoffMultiplier": 3}}]}"""


class Runtime:
    """Every run has a lease, renewed by heartbeats; its token is shown with all that is said about the run."""

    def __init__(self, stub, args):
        self.stub, self.args = stub, args
        self.metadata = (("authorization", f"Bearer {args.token}"),) if args.token else ()
        self.running, self.told_to_stop = {}, set()  # lease token -> task; lease tokens

    async def run(self):
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.heartbeat())
            while True:
                wanted = pb.AcquireRunsRequest(runtime_id=f"shouter-{os.getpid()}", agent_ids=self.args.agent)
                wanted.wait_seconds, wanted.max_runs = 30, 8 - len(self.running)
                answer = await self.call(self.stub.AcquireRuns, wanted) if wanted.max_runs else None
                for assignment in answer.runs if answer else ():
                    self.running[assignment.lease_token] = tasks.create_task(self.execute(assignment))
                if answer is None:  # no room, or no server
                    await asyncio.sleep(1)

    async def execute(self, assignment):
        done = pb.CompleteRunRequest(lease_token=(lease := assignment.lease_token))
        try:
            done.reply = await self.think(assignment)
        except asyncio.CancelledError:
            if lease not in self.told_to_stop:  # this program ends: let another runtime take the run
                await self.call(self.stub.ReleaseRun, pb.ReleaseRunRequest(lease_token=lease, reason="shutdown"))
                raise
            done.cancelled.SetInParent()
        except Exception as problem:  # noqa: BLE001 - told to everybody who waits for the run
            done.failure.reason, done.failure.message = "RUNTIME_ERROR", repr(problem)
        del self.running[lease]
        answer = await self.call(self.stub.CompleteRun, done)
        print(assignment.run.id, done.WhichOneof("outcome") if answer else "lost", flush=True)

    async def think(self, assignment):
        """The reply. `assignment.history` is what was said before; waiters see deltas at once."""
        words = " ".join(block.text.text for block in assignment.input.content).upper().split()
        for number, word in enumerate(words, 1):
            await asyncio.sleep(self.args.pace)
            request = pb.AppendRunEventsRequest(lease_token=assignment.lease_token, first_sequence=number)
            request.events.add(delta=f"{word} ")
            await self.call(self.stub.AppendRunEvents, request)
        return " ".join(words)

    async def heartbeat(self):
        """Renew all leases with one call, and stop what is to stop."""
        while True:
            await asyncio.sleep(self.args.heartbeat)
            answer = await self.call(self.stub.HeartbeatRuns, pb.HeartbeatRunsRequest(leases=self.running))
            for status in answer.leases if answer else ():
                if (status.cancel_requested or status.lost) and status.lease_token in self.running:
                    self.told_to_stop.add(status.lease_token)
                    self.running[status.lease_token].cancel()

    async def call(self, method, request):
        """The answer; None when the server stays away, or has given the lease to somebody else."""
        try:
            return await method(request, metadata=self.metadata)
        except grpc.aio.AioRpcError as refusal:
            if refusal.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.FAILED_PRECONDITION):
                raise


async def main(args):
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    async with grpc.aio.insecure_channel(args.server, [("grpc.service_config", RETRY)]) as channel:
        with suppress(asyncio.CancelledError):
            await Runtime(RuntimeServiceStub(channel), args).run()


parser = argparse.ArgumentParser(description="A runtime that shouts back.")
parser.add_argument("--server", default="127.0.0.1:50551", metavar="HOST:PORT")
parser.add_argument("--token", default=os.environ.get("SESSIONTOOLS_TOKEN", ""))
parser.add_argument("--agent", action="append", default=[], help="whose runs to take; default: everybody's")
parser.add_argument("--pace", type=float, default=0.1, metavar="SECONDS", help="how long a word takes")
parser.add_argument("--heartbeat", type=float, default=5, metavar="SECONDS", help="at most a third of a lease")
asyncio.run(main(parser.parse_args()))
