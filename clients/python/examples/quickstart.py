import asyncio
import sys

from sessiontools import connect
from sessiontools.v1.session_tools_service_pb2 import SessionsSendRequest, WaitRunRequest


async def main(target: str) -> None:
    async with connect(target, plaintext=True) as client:
        sent = await client.SessionsSend(SessionsSendRequest(session_key="main", message="hello"))
        async for event in client.wait_run(WaitRunRequest(run_id=sent.run_id)):
            print(event)


asyncio.run(main(sys.argv[1]))
