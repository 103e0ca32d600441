"""What happens in the demo: four scenes, each watched through WaitRun until everything in it is over."""

from __future__ import annotations

from typing import Any

import grpc

from sessiond.commands.call import explained
from sessiond.commands.demo_gateway import DemoGateway
from sessiond.commands.demo_screen import Screen
from sessiond.commands.run_stream import follow, line_of, one_line
from sessiond.model.problems import Problem
from sessiontools.v1 import delivery_pb2, gateway_service_pb2, run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb
from sessiontools.v1.gateway_service_pb2_grpc import GatewayServiceStub
from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceStub

PATIENCE_S = 25
MAIN = "agent:main:main"
LAB = "agent:research:telegram:group:lab"
GAMES = "agent:main:discord:group:games"
AS_MAIN = (("acting-session", MAIN),)

_QUESTION = """#!
sleep 0.4
delta The library closes
sleep 0.3
reply The library closes at six.
@reply
sleep 0.4
reply On Fridays too?
@reply
sleep 0.4
reply No, on Fridays it is open until eight.
@reply
sleep 0.4
reply Good, then we meet on Friday.
@announce
sleep 0.4
reply We meet in the library on Friday; it is open until eight.
"""
_TASK = """#!
sleep 0.4
tool web_search {"query": "train to Lisbon"} -> three trains, the fastest in 2 h 50 min
sleep 0.4
reply The 9:05 is the fastest train.
@announce
reply Result: Take the 9:05, it needs 2 h 50 min.\\nNotes:\\n- seats are still free
"""
_ENDLESS_TASK = "#!\ndelta counting every grain of sand\nhang\n"


class Story:
    """The scenes, one after the other."""

    def __init__(self, channel: grpc.Channel, screen: Screen) -> None:
        self._tools = SessionToolsServiceStub(channel)
        self._gateway = GatewayServiceStub(channel)
        self._screen = screen

    def play(self) -> None:
        """From the first to the last."""
        self._set_the_stage()
        with DemoGateway(self._gateway, self._screen):
            self._ask_a_colleague()
            self._spawn_a_helper()
            self._try_a_denied_channel()
            self._cancel_a_child()

    def _set_the_stage(self) -> None:
        for key in (LAB, GAMES):
            self._gateway.SessionsPatch(gateway_service_pb2.SessionsPatchRequest(session_key=key, allow_missing=True))
        alice = delivery_pb2.Route(channel="telegram", to="alice")
        request = gateway_service_pb2.SessionsPatchRequest(session_key=MAIN, allow_missing=True)
        request.patch.route.CopyFrom(alice)
        request.update_mask.paths.append("route")
        self._gateway.SessionsPatch(request)

    def _ask_a_colleague(self) -> None:
        self._screen.scene("1. main asks research, they talk for three turns, and the outcome is announced")
        request = pb.SessionsSendRequest(
            session_key=LAB, message=_QUESTION, timeout_seconds=0, max_ping_pong_turns=3, request_id="demo-send"
        )
        sent = self._tools.SessionsSend(request, metadata=AS_MAIN)
        self._screen.say(f"sessions_send to {sent.session_key}: accepted as run {sent.run_id}")
        self._watch(sent.run_id)

    def _spawn_a_helper(self) -> None:
        self._screen.scene("2. main spawns a sub-agent, and its result comes back")
        self._watch(self._spawn("trains", _TASK))

    def _try_a_denied_channel(self) -> None:
        self._screen.scene("3. a channel that the send policy denies")
        request = pb.SessionsSendRequest(session_key=GAMES, message="Anyone up for a game?", timeout_seconds=0)
        try:
            self._tools.SessionsSend(request, metadata=AS_MAIN)
        except grpc.RpcError as refusal:
            self._screen.say(f"sessions_send to {GAMES} is refused: {one_line(explained(refusal))}")
        else:
            raise Problem("the demo did not go as planned: the denied channel was not denied")

    def _cancel_a_child(self) -> None:
        self._screen.scene("4. a sub-agent that would never end is cancelled")
        run_id = self._spawn("sand", _ENDLESS_TASK)

        def cancel_when_it_counts(event: pb.WaitRunResponse) -> None:
            if event.HasField("output_delta"):
                self._screen.say("cancelling it")
                self._tools.CancelRun(pb.CancelRunRequest(run_id=run_id, reason="takes too long"), metadata=AS_MAIN)

        self._watch(run_id, cancel_when_it_counts)

    def _spawn(self, label: str, task: str) -> str:
        request = pb.SessionsSpawnRequest(task=task, label=label, agent_id="research", request_id=f"demo-{label}")
        spawned: pb.SessionsSpawnResponse = self._tools.SessionsSpawn(request, metadata=AS_MAIN)
        self._screen.say(f"sessions_spawn: accepted, the child is {spawned.child_session_key}")
        return spawned.run_id

    def _watch(self, run_id: str, react: Any = lambda event: None) -> None:
        """Show the run and what it sets off, until all of that is over; as the owner, since main itself has turns."""
        request = pb.WaitRunRequest(
            run_id=run_id, until=run_pb2.WAIT_UNTIL_SETTLED, include_deltas=True, max_wait_seconds=PATIENCE_S
        )
        for event in follow(self._tools, request):
            if event.HasField("ended") and event.ended.reason != run_pb2.END_REASON_SETTLED:
                raise Problem("the demo did not go as planned: a scene did not come to its end")
            self._screen.say(line_of(event))
            if event.HasField("turn_changed"):
                self._show_reply(event.turn_changed.run_id)
            react(event)

    def _show_reply(self, run_id: str) -> None:
        """What is said in a turn of the exchange."""
        run = self._tools.GetRun(pb.GetRunRequest(run_id=run_id, wait_seconds=PATIENCE_S)).run
        if run.reply:
            self._screen.say(f"          {run.agent_id} says: {one_line(run.reply)}")
