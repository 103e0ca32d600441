"""docs/configuration.md, written from the schema so that it can't fall behind."""

import json
from collections.abc import Iterator
from typing import Any

from sessiond.settings.catalogue import REQUIRED, Key, catalogue
from sessiond.settings.section import Section

_INTRODUCTION = """\
# Configuration

<!-- Written by `sessiontools config reference`; a test fails when it differs from the schema. -->

One JSON5 file, `sessiontools.json5`, holds everything. Every key has a default, so an empty file, or none, is enough
to start. The file is the one named by `--config`, else by `SESSIONTOOLS_CONFIG`, else `sessiontools.json5` in the
folder where the server is started; paths in it are relative to that folder too.

- **Order.** A flag wins over a variable, a variable over the file, the file over the default.
- **Variables.** `SESSIONTOOLS_`, then the path, with two underscores for a level: `SESSIONTOOLS_SERVER__LISTEN` is
  `server.listen`. Case and single underscores don't count: `SESSIONTOOLS_SESSION__MAINKEY` is `session.mainKey` too.
  A value is JSON5 (`true`, `5`, `["a", "b"]`); where the key expects a string it is the text as it stands. An empty
  variable is `null` where the key may be null. A number stands for an entry of a list, counted from 0
  (`SESSIONTOOLS_AUTH__TOKENS__0__TOKEN`); the next free number adds one. An id in `models` is found whatever its case
  and punctuation: `SESSIONTOOLS_MODELS__GPT_4O__API_KEY` is `models.gpt-4o.apiKey`.
- **Mistakes.** Unknown keys, unknown variables and bad values stop the start, each with its path, its value and what
  was expected. `sessiontools config check FILE` says the same without starting.
- **What holds.** `sessiontools config show` prints every value in effect and where it came from; secrets are masked.

"""


def reference() -> str:
    """The whole page."""
    groups = [_group(key) for key in catalogue().fields.values()]
    return _INTRODUCTION + "\n".join(groups)


def _group(top: Key) -> str:
    rows = [_row(key) for key in _leaves(top)]
    head = ["| key and variable | type | default | meaning |", "|---|---|---|---|"]
    return "\n".join([f"## {top.path}", "", top.text, "", *head, *rows, ""])


def _leaves(key: Key) -> Iterator[Key]:
    """The keys that deserve a row: those that take one value, and lists and maps of sections."""
    if key.shape in ("list", "map") or key.is_leaf:
        yield key
    if not key.is_leaf:
        for child in key.fields.values() if key.item is None else key.item.fields.values():
            yield from _leaves(child)


def _row(key: Key) -> str:
    cells = (f"`{key.path}`<br>`{key.env}`", key.annotation.expected, _default(key.default), key.text)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _default(value: Any) -> str:
    return "required" if value is REQUIRED else f"`{json.dumps(_plain(value), ensure_ascii=False)}`"


def _plain(value: Any) -> Any:
    """A default as a file would have it, without what is itself at its default."""
    if isinstance(value, Section):
        return value.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return {name: _plain(each) for name, each in value.items()} if isinstance(value, dict) else value
