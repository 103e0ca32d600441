"""The session tools server."""

import os

# gRPC's core writes to standard error past every logger, and what it writes can be a stranger's words. It reads this
# when it is first imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
