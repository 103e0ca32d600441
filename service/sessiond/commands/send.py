"""`sessiontools send KEY MESSAGE`: send a message into a session and watch its run to the end."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import grpc

from sessiond.commands.call import explained
from sessiond.commands.run_stream import Metadata, follow, line_of
from sessiond.commands.server_address import add_arguments, channel_to_server, metadata_of, settings_of
from sessiond.ids import new_id
from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb
from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceStub


def add_parser(subparsers: Any, parents: list[argparse.ArgumentParser]) -> None:
    """Register the command."""
    about = "send a message into a session and watch its run to the end"
    parser = subparsers.add_parser("send", parents=parents, help=about, description=about)
    parser.add_argument("key", metavar="KEY", help="session key, session id or main")
    parser.add_argument("message", metavar="MESSAGE", help="what to send")
    parser.add_argument("--no-wait", action="store_true", help="don't watch the run")
    parser.add_argument("--timeout", type=_seconds, metavar="SECONDS", help="watch no longer than so long")
    parser.add_argument("--deltas", action="store_true", help="show pieces of the answer as they come")
    parser.add_argument("--settled", action="store_true", help="watch on until reply turns and delivery are over")
    add_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 when the run succeeded, or is not waited for; 1 when it did not, or the server refuses."""
    settings = settings_of(args)
    metadata = metadata_of(args, settings)
    with channel_to_server(args, settings) as channel:
        stub = SessionToolsServiceStub(channel)
        try:
            sent = _send(stub, args, metadata)
            print(f"sent      {sent.message_id} to {sent.session_key}", flush=True)
            return 0 if args.no_wait else _watch(stub, sent, args, metadata)
        except grpc.RpcError as refusal:
            print(explained(refusal), file=sys.stderr)
            return 1


def _send(stub: SessionToolsServiceStub, args: argparse.Namespace, metadata: Metadata) -> pb.SessionsSendResponse:
    request = pb.SessionsSendRequest(session_key=args.key, message=args.message, timeout_seconds=0, request_id=new_id())
    answer: pb.SessionsSendResponse = stub.SessionsSend(request, metadata=tuple(metadata))
    return answer


def _watch(
    stub: SessionToolsServiceStub, sent: pb.SessionsSendResponse, args: argparse.Namespace, metadata: Metadata
) -> int:
    until = run_pb2.WAIT_UNTIL_SETTLED if args.settled else run_pb2.WAIT_UNTIL_REPLY
    request = pb.WaitRunRequest(
        run_id=sent.run_id, until=until, max_wait_seconds=args.timeout, include_deltas=args.deltas
    )
    state = run_pb2.RUN_STATE_UNSPECIFIED
    for event in follow(stub, request, metadata):
        print(line_of(event), flush=True)
        if event.HasField("ended"):
            state = event.ended.run.state
    return 0 if state == run_pb2.RUN_STATE_SUCCEEDED else 1


def _seconds(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 3600:
        raise argparse.ArgumentTypeError("expected whole seconds from 1 to 3600")
    return int(text)
