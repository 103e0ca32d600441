"""A `request_id` for every write, so that gRPC may repeat the call."""

from __future__ import annotations

from typing import TypeVar
from uuid import uuid4

from google.protobuf.message import Message

Request = TypeVar("Request", bound=Message)
FIELD = "request_id"


def with_request_id(request: Request) -> Request:
    """The request, or a copy with a fresh id when it has room for one and none in it.

    The caller's own stays as it is: used for a second call, it is to be a second request.
    """
    if getattr(request, FIELD, None) != "":
        return request
    filled = type(request)()
    filled.CopyFrom(request)
    setattr(filled, FIELD, str(uuid4()))
    return filled
