"""How sessions look in lists, remembered: a row that has not changed is neither read nor converted again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TypeAlias

from sessiond.access import View
from sessiond.model.rules import Rules
from sessiond.rpc.convert.sessions import session
from sessiond.store.session_pages import PageRow
from sessiond.tools.sessions_list import Read

MAX_ENTRIES = 50_000
MAX_BYTES = 32 * 1024 * 1024

# The agent whose own sessions are shown by their short names, and the row in its version: all that a look depends on
# beside the configuration, which stays as long as the process. The row's time says no more than its version does, but
# would tell two contents apart if a failover lost a commit and its version was given again.
_Key: TypeAlias = tuple[str | None, int, int, int]


class SessionLooks:
    """Serialised `sessiontools.v1.Session` without messages, for the rows of a page.

    This is content, not state: every update of a row counts its version up, ids are never given twice, and only what
    was committed is read, so a version never means two contents. What another replica changes has another version,
    and nothing here needs to be told of it.
    """

    def __init__(self, rules: Rules, max_entries: int = MAX_ENTRIES, max_bytes: int = MAX_BYTES) -> None:
        self._rules = rules
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._bytes = 0
        self._looks: OrderedDict[_Key, bytes] = OrderedDict()  # the longest unused first

    @property
    def size(self) -> tuple[int, int]:
        """How many looks are remembered, and how many bytes they have."""
        return len(self._looks), self._bytes

    def of_page(self, view: View, rows: Sequence[PageRow], read: Read) -> list[bytes]:
        """The looks of a page's rows, in their order; those that are not known are read and converted."""
        agent_id = view.agent_id
        keys = [(agent_id, row_id, version, updated_ms) for row_id, version, updated_ms, _ in rows]
        looks = {key: look for key in keys if (look := self._looks.get(key)) is not None}
        for key in looks:
            self._looks.move_to_end(key)
        if len(looks) < len(keys):
            unknown = {key: row for key, row in zip(keys, rows, strict=True) if key not in looks}
            made = {
                key: session(self._rules, view, stored).SerializeToString()
                for key, stored in zip(unknown, read([*unknown.values()]), strict=True)
            }
            self._remember(made)
            looks |= made
        return [looks[key] for key in keys]

    def _remember(self, made: dict[_Key, bytes]) -> None:
        for key, look in made.items():
            self._bytes += len(look) - len(self._looks.pop(key, b""))
            self._looks[key] = look
        while len(self._looks) > self._max_entries or self._bytes > self._max_bytes:
            _, forgotten = self._looks.popitem(last=False)
            self._bytes -= len(forgotten)
