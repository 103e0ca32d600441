"""How clients reach several replicas: all of them in turn, and those that are away left out."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sessiontools.dialing import RETRY

OPTIONS = (
    ("grpc.service_config", json.dumps({**RETRY, "loadBalancingConfig": [{"round_robin": {}}]})),
    # A replica that hangs or is back must be noticed soon, since a fault lasts seconds here.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 3_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.use_local_subchannel_pool", 1),
)


def target_of(addresses: Iterable[str]) -> str:
    """One target for all of these."""
    return "ipv4:" + ",".join(addresses)
