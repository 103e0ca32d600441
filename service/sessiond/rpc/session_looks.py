"""How sessions look in lists, remembered: a row that has not changed is neither read nor converted again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import cast

from sessiond.access import View
from sessiond.model.rules import Rules
from sessiond.rpc.convert.sessions import session
from sessiond.store.session_pages import PageRow
from sessiond.tools.sessions_list import Read

MAX_ENTRIES = 50_000
MAX_BYTES = 32 * 1024 * 1024


class _Looks:
    """Some looks.

    By the agent whose own sessions are shown by their short names, and the row in its version: all that a look depends
    on beside the configuration, which stays as long as the process. The row's time says no more than its version does,
    but would tell two contents apart if a failover lost a commit and its version was given again.
    """

    def __init__(self) -> None:
        self.count = self.bytes = 0
        self.of: defaultdict[str | None, dict[PageRow, bytes]] = defaultdict(dict)

    def add(self, agent_id: str | None, row: PageRow, look: bytes) -> None:
        self.count += 1
        self.bytes += len(look)
        self.of[agent_id][row] = look


class SessionLooks:
    """Serialised `sessiontools.v1.Session` without messages, for the rows of a page.

    This is content, not state: every update of a row counts its version up, ids are never given twice, and only what
    was committed is read, so a version never means two contents. What another replica changes has another version,
    and nothing here needs to be told of it.

    What was asked for of late is in one half of the memory; when that is full it becomes the other half, whose looks
    are forgotten but for those that were asked for again.
    """

    def __init__(self, rules: Rules, max_entries: int = MAX_ENTRIES, max_bytes: int = MAX_BYTES) -> None:
        self._rules = rules
        self._max_entries = max_entries // 2
        self._max_bytes = max_bytes // 2
        self._late, self._earlier = _Looks(), _Looks()

    @property
    def size(self) -> tuple[int, int]:
        """How many looks are remembered, and how many bytes they have; one that is in both halves counts twice."""
        return self._late.count + self._earlier.count, self._late.bytes + self._earlier.bytes

    def of_page(self, view: View, rows: Sequence[PageRow], read: Read) -> list[bytes]:
        """The looks of a page's rows, in their order; those that are not known are read and converted."""
        looks = list(map(self._late.of[view.agent_id].get, rows))
        return cast("list[bytes]", looks) if all(looks) else self._completed(view, rows, looks, read)

    def _completed(self, view: View, rows: Sequence[PageRow], looks: Sequence[bytes | None], read: Read) -> list[bytes]:
        earlier = self._earlier.of[view.agent_id]
        unknown = [row for row, look in zip(rows, looks, strict=True) if look is None and row not in earlier]
        made = {
            row: session(self._rules, view, stored).SerializeToString()
            for row, stored in zip(unknown, read(unknown) if unknown else (), strict=True)
        }
        completed = [look or made.get(row) or earlier[row] for row, look in zip(rows, looks, strict=True)]
        for row, known, look in zip(rows, looks, completed, strict=True):
            if known is None:
                self._remember(view.agent_id, row, look)
        return completed

    def _remember(self, agent_id: str | None, row: PageRow, look: bytes) -> None:
        if len(look) > self._max_bytes or row in self._late.of[agent_id]:  # of another call, while this one was reading
            return
        if self._late.count >= self._max_entries or self._late.bytes + len(look) > self._max_bytes:
            self._late, self._earlier = _Looks(), self._late
        self._late.add(agent_id, row, look)
