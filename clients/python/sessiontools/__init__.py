"""The Python client of Session Tools: list, read, send, wait and spawn across the sessions of AI agents.

    async with connect("localhost:50551", plaintext=True) as client:
        answer = await client.SessionsSend(SessionsSendRequest(session_key="main", message="hello"))

`sessiontools.v1` holds the generated contract. A `Client` has every method of its three services, and adds five
things: a connection that notices when its server is gone, credentials, a request_id where one is missing, a `wait_run`
that resumes by itself, and errors of type `SessionToolsError`. `serve_runs` and `serve_deliveries` are the loops of a
runtime and of a gateway.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sessiontools.assignment import Assignment, Stop
    from sessiontools.client import Client
    from sessiontools.deliveries import DeliveryError
    from sessiontools.dialing import connect
    from sessiontools.errors import DeadlineError, FieldProblem, SessionToolsError
    from sessiontools.runs import RunError
else:
    _MODULES = {
        "Assignment": "assignment",
        "Client": "client",
        "DeadlineError": "errors",
        "DeliveryError": "deliveries",
        "FieldProblem": "errors",
        "RunError": "runs",
        "SessionToolsError": "errors",
        "Stop": "assignment",
        "connect": "dialing",
    }

    def __getattr__(name: str) -> Any:
        """Load what is asked for: whoever needs only the messages of `sessiontools.v1` need not load gRPC."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


__all__ = [
    "Assignment",
    "Client",
    "DeadlineError",
    "DeliveryError",
    "FieldProblem",
    "RunError",
    "SessionToolsError",
    "Stop",
    "connect",
]
