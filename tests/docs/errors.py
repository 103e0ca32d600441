"""docs/errors.md from the contract's comments: `python -m tests.docs.errors > docs/errors.md`."""

from __future__ import annotations

from collections.abc import Iterator

from sessiond.rpc.descriptors import contract_files

INTRO = """# Errors

Every refusal is a `google.rpc.Status` with exactly one `ErrorInfo` (domain `sessiontools`). Its `reason` is one of
these; its `metadata` says more. Bad input brings a `BadRequest` that names each field, a limit a `QuotaFailure`, and
what may be tried again a `RetryInfo`.

| reason | code | when, and what to do |
|---|---|---|
"""


def reasons() -> Iterator[tuple[str, str, str]]:
    """Each reason with its code and what the contract says of it."""
    file = next(each for each in contract_files() if each.name.endswith("error_reason.proto"))
    for place in file.source_code_info.location:
        if list(place.path[:2]) == [5, 0] and len(place.path) == 4:
            name = file.enum_type[0].value[place.path[3]].name.removeprefix("ERROR_REASON_")
            text = " ".join(place.leading_comments.split()).split(": ", 1)[-1]
            code, _, rest = text.partition(". ")
            if name != "UNSPECIFIED":
                yield name, code, rest


def page() -> str:
    """The whole of docs/errors.md."""
    return INTRO + "".join(f"| `{name}` | {code} | {text} |\n" for name, code, text in reasons())


if __name__ == "__main__":
    print(page(), end="")
