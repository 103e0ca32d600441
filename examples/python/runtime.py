"""A runtime: executes the runs of agents that have `runtime: "external"`. Put your model into `think`.

python examples/python/runtime.py --server 127.0.0.1:50551 --agent builder
"""

import argparse
import asyncio
import os
import signal
from contextlib import suppress
from functools import partial

from sessiontools import Assignment, connect


async def think(run: Assignment, pace: float) -> str:
    """Shout the message back, word by word. `run.assigned.history` is what was said before, and `run.agent` calls the
    session tools as the agent itself."""
    words = run.text.upper().split()
    try:
        for word in words:
            await asyncio.sleep(pace)
            await run.delta(f"{word} ")  # seen at once by those who wait
    except asyncio.CancelledError:
        print(run.run_id, run.stopped, flush=True)
        raise
    print(run.run_id, "reply", flush=True)
    return " ".join(words)


async def main(args: argparse.Namespace) -> None:
    async with connect(args.server, token=args.token, plaintext=True) as client:
        runtime = client.serve_runs(
            partial(think, pace=args.pace),
            runtime_id=f"shouter-{os.getpid()}",
            agent_ids=args.agent,
            max_runs=8,
            heartbeat_seconds=args.heartbeat,
        )
        serving = asyncio.create_task(runtime)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
        with suppress(asyncio.CancelledError):  # the runs under way were given back, for another runtime to take
            await serving


parser = argparse.ArgumentParser(description="A runtime that shouts back.")
parser.add_argument("--server", default="127.0.0.1:50551", metavar="HOST:PORT")
parser.add_argument("--token", default=os.environ.get("SESSIONTOOLS_TOKEN", ""))
parser.add_argument("--agent", action="append", default=[], help="whose runs to take; default: everybody's")
parser.add_argument("--pace", type=float, default=0.1, metavar="SECONDS", help="how long a word takes")
parser.add_argument("--heartbeat", type=float, default=5, metavar="SECONDS", help="how soon to notice a cancellation")
asyncio.run(main(parser.parse_args()))
