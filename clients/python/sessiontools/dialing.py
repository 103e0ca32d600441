"""Connections to a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import grpc

from sessiontools.client import Client

MEBIBYTE = 1 << 20
# Every method may be repeated: writes carry a request_id or a lease token. A stream that has begun is never repeated by
# this; wait_run resumes it.
RETRY = {
    "methodConfig": [
        {
            "name": [{}],
            "retryPolicy": {
                "retryableStatusCodes": ["UNAVAILABLE"],
                "maxAttempts": 5,
                "initialBackoff": "0.2s",
                "maxBackoff": "10s",
                "backoffMultiplier": 2,
            },
        }
    ]
}
OPTIONS: Sequence[tuple[str, Any]] = (
    ("grpc.service_config", json.dumps(RETRY)),
    ("grpc.max_send_message_length", 4 * MEBIBYTE),  # the server takes requests up to this size
    ("grpc.max_receive_message_length", 16 * MEBIBYTE),  # its answers are smaller; a later one may send more
    # A server that vanished is noticed within 30 s, also by a wait that is silent.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # gRPC would let two minutes pass between attempts to connect; calls that are tried again are not to wait for it.
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.min_reconnect_backoff_ms", 5_000),  # how long one attempt may take, whatever its name says
)


def connect(
    target: str,
    *,
    token: str = "",
    acting_session: str = "",
    plaintext: bool = False,
    tls: grpc.ChannelCredentials | None = None,
    options: Sequence[tuple[str, Any]] = (),
) -> Client:
    """A client for a server, such as `localhost:50551` or `dns:///tools.example:443`.

    It connects when the first call needs it, and again as often as it has to: with TLS unless `plaintext` says
    otherwise, where a token can be read on the way. `tls` (of `grpc.ssl_channel_credentials`) brings certificate
    authorities of your own, or a certificate of the client. `options` are gRPC's, and win over those set here. Call it
    in a running event loop, and close the client: `async with connect(…) as client`.
    """
    chosen = [*(option for option in OPTIONS if option[0] not in dict(options)), *options]
    if plaintext:
        channel = grpc.aio.insecure_channel(target, chosen)
    else:
        channel = grpc.aio.secure_channel(target, tls or grpc.ssl_channel_credentials(), chosen)
    return Client(channel, token=token, acting_session=acting_session, closes_channel=True)
