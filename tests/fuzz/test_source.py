"""What a caller says never becomes SQL or a command line: held by reading the source of the service."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SERVICE = Path(__file__).parents[2] / "service" / "sessiond"
TAKES_SQL = frozenset({"execute", "executemany", "executescript", "exec_driver_sql", "text", "literal_column"})
# Libraries that quote, one function that only names columns, and an update made by such a library.
BUILDS_SQL = frozenset({"sa", "sql", "_insert_sql", "counted"})
# What stands in the text of a statement beside constants; none of it comes from a caller.
WORDS = {
    "begin": "how a transaction begins, one of two constants",
    "flag": "0 or 1, written there",
    "archived": "0 or 1, written there",
    "pragma": "one of a tuple of constants",
    "state": "a state, from the enum or written there",
    "table.name": "a table of the schema",
    "compiled.sql": "a statement of the store, with its parameters apart",
    "self._patience_ms": "a constant",
}
SHELLS = frozenset({"create_subprocess_shell", "subprocess_shell", "system", "popen", "getoutput", "getstatusoutput"})


def unbound(source: str) -> list[str]:
    """Texts of SQL in a file of the store that are more than words of the program."""
    return [ast.unparse(text) for text in _texts_of_sql(ast.parse(source)) if not _is_fixed(text)]


def shells(source: str) -> list[str]:
    """Calls that would let a shell read something."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [ast.unparse(call) for call in calls if _name_of(call) in SHELLS or _asks_for_shell(call)]


def _texts_of_sql(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name_of(node) in TAKES_SQL and node.args:
            yield node.args[0]


def _is_fixed(text: ast.expr) -> bool:
    match text:
        case ast.Constant():
            return True
        case ast.JoinedStr(values=parts):
            return all(_is_word(part.value) for part in parts if isinstance(part, ast.FormattedValue))
        case ast.Call():
            return ast.unparse(text).partition("(")[0].partition(".")[0] in BUILDS_SQL
    return _is_word(text)


def _is_word(part: ast.expr) -> bool:
    if isinstance(part, ast.Attribute) and part.attr == "value":  # of an enum
        return True
    return (isinstance(part, ast.Name) and part.id.isupper()) or ast.unparse(part) in WORDS


def _name_of(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _asks_for_shell(call: ast.Call) -> bool:
    return any(keyword.arg == "shell" for keyword in call.keywords)


def _sources(folder: Path) -> dict[str, str]:
    found = {path.relative_to(SERVICE).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    assert found
    return found


def test_statements_are_written_with_words_of_the_program_alone() -> None:
    sources = _sources(SERVICE / "store")
    del sources["store/wire.py"]  # hands on what the others have written
    found = {path: unbound(source) for path, source in sources.items()}

    assert not {path: texts for path, texts in found.items() if texts}


def test_no_shell_is_ever_asked() -> None:
    found = {path: shells(source) for path, source in _sources(SERVICE).items()}

    assert not {path: calls for path, calls in found.items() if calls}


@pytest.mark.parametrize(
    "source",
    [
        'cursor.execute(f"SELECT {label}")',
        "cursor.execute(f\"SELECT '{session.key}'\")",
        'cursor.execute("SELECT " + label)',
        'cursor.execute("SELECT %s" % label)',
        'cursor.execute("SELECT {}".format(label))',
        "sa.text(statement)",
        "connection.exec_driver_sql(query)",
        "sa.literal_column(repr(label))",
    ],
)
def test_a_text_with_a_value_in_it_is_caught(source: str) -> None:
    assert len(unbound(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "os.system('ls')",
        "subprocess.run('ls', shell=True)",
        "await asyncio.create_subprocess_shell(line)",
        "popen('ls')",
    ],
)
def test_a_shell_is_caught(source: str) -> None:
    assert len(shells(source)) == 1
