"""`python -m bench.ungrouped serve …`: the server with each write in a commit of its own, to see what groups earn."""

from __future__ import annotations

import sys

from sessiond.__main__ import main
from sessiond.store import database

if __name__ == "__main__":
    if not isinstance(database.MAX_GROUP, int):  # a setting of another name would leave the groups as they are
        raise TypeError("sessiond.store.database.MAX_GROUP is no number")
    database.MAX_GROUP = 1
    sys.exit(main())
