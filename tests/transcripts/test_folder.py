"""The mirror's folder: private, repaired after a crash, and never left by a name (L9)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from sessiond.transcripts.folder import Failure, Folder, Piece


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """An empty mirror."""
    made = Folder(tmp_path / "data" / "transcripts")
    made.make()
    return made


def _lines(first: int, last: int, size: int = 0) -> list[bytes]:
    padding = "x" * size
    return [f'{{"sequence":{number},"text":"{padding}"}}\n'.encode() for number in range(first, last + 1)]


def _append(folder: Folder, session_id: str, lines: list[bytes], after: int) -> int:
    return _only(folder.append([Piece(session_id, lines, after)]))


def _last_sequence(folder: Folder, session_id: str) -> int:
    return _only(folder.last_sequences([session_id]))


def _only(found: list[int | Failure]) -> int:
    [only] = found
    if not isinstance(only, int):
        raise only
    return only


def _text(folder: Folder, session_id: str = "s-1") -> bytes:
    return folder.file_of(session_id).read_bytes()


def test_only_the_owner_reads_it(folder: Folder) -> None:
    _append(folder, "s-1", _lines(1, 1), 0)
    folder.set_mark(1)

    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in folder.path.iterdir()} == {0o600}


def test_a_file_says_how_far_it_goes(folder: Folder) -> None:
    assert _last_sequence(folder, "s-1") == 0

    assert _append(folder, "s-1", _lines(1, 3), 0) == 3
    assert _append(folder, "s-1", _lines(4, 4), 3) == 4

    assert _last_sequence(folder, "s-1") == 4
    assert _text(folder) == b"".join(_lines(1, 4))


def test_lines_longer_than_a_block_are_found_whole(folder: Folder) -> None:
    _append(folder, "s-1", _lines(1, 3, size=200_000), 0)

    assert _last_sequence(folder, "s-1") == 3


def test_what_is_there_is_not_written_twice(folder: Folder) -> None:
    _append(folder, "s-1", _lines(1, 3), 0)

    assert _append(folder, "s-1", _lines(1, 3), 0) == 3
    assert _append(folder, "s-1", _lines(2, 5), 1) == 3

    assert _text(folder) == b"".join(_lines(1, 3))


def test_nothing_is_written_after_a_gap(folder: Folder) -> None:
    assert _append(folder, "s-1", _lines(3, 4), 2) == 0

    assert _text(folder) == b""


@pytest.mark.parametrize("torn", [b"{", b'{"sequence":3', b'{"sequence":3}', b"\x00" * 100_000])
def test_a_torn_last_line_is_cut_off_and_written_again(folder: Folder, torn: bytes) -> None:
    _append(folder, "s-1", _lines(1, 2), 0)
    with folder.file_of("s-1").open("ab") as file:
        file.write(torn)

    assert _last_sequence(folder, "s-1") == 2
    _append(folder, "s-1", _lines(3, 3), 2)

    assert _text(folder) == b"".join(_lines(1, 3))


@pytest.mark.parametrize("rubbish", [b"\n", b"hello\n", b"[1]\n", b'{"sequence":"7"}\n', b'{"sequence":-1}\n', b"{}\n"])
def test_a_file_that_is_none_of_ours_is_begun_anew(folder: Folder, rubbish: bytes) -> None:
    folder.file_of("s-1").write_bytes(b"".join(_lines(1, 2)) + rubbish)

    assert _last_sequence(folder, "s-1") == 0
    _append(folder, "s-1", _lines(1, 1), 0)

    assert _text(folder) == b"".join(_lines(1, 1))


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../s-1", "a/b", "/etc/passwd", "a\x00b", ".lock", "a.b", "x" * 129, "é"]
)
def test_a_name_never_leads_out_of_the_folder(folder: Folder, name: str) -> None:
    uses: list[Callable[[str], object]] = [partial(_last_sequence, folder), folder.remove, folder.file_of]
    for use in uses:
        with pytest.raises(ValueError, match="can't be the name of a file"):
            use(name)


def test_a_link_is_not_written_through(folder: Folder, tmp_path: Path) -> None:
    elsewhere = tmp_path / "precious"
    elsewhere.write_bytes(b"mine")
    folder.file_of("s-1").symlink_to(elsewhere)

    with pytest.raises(OSError, match="symbolic links"):
        _append(folder, "s-1", _lines(1, 1), 0)

    assert elsewhere.read_bytes() == b"mine"


def test_pieces_for_several_files_go_there_together_and_one_that_fails_keeps_nobody_waiting(folder: Folder) -> None:
    folder.file_of("s-2").mkdir()
    pieces = [Piece("s-1", _lines(1, 2), 0), Piece("s-2", _lines(1, 1), 0), Piece("s-3", _lines(1, 3), 0)]

    first, failed, last = folder.append(pieces)

    assert (first, last) == (2, 3)
    assert isinstance(failed, IsADirectoryError)
    assert _text(folder, "s-3") == b"".join(_lines(1, 3))
    assert [type(each) for each in folder.last_sequences(["s-1", "s-2", "../s"])] == [
        int,
        IsADirectoryError,
        ValueError,
    ]


def test_what_the_system_takes_in_parts_is_written_whole(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    pwrite = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda number, text, at: pwrite(number, text[:7], at))

    _append(folder, "s-1", _lines(1, 3), 0)

    assert _text(folder) == b"".join(_lines(1, 3))


def test_a_rewritten_file_takes_the_place_of_the_old_one_at_once(folder: Folder) -> None:
    _append(folder, "s-1", _lines(1, 1), 0)

    with folder.rewriting("s-1") as file:
        file.writelines(_lines(1, 2))
        file.flush()
        assert _text(folder) == b"".join(_lines(1, 1))
        folder.take_place("s-1")

    assert _text(folder) == b"".join(_lines(1, 2))
    assert list(folder.session_ids()) == ["s-1"]


def test_a_rewriting_that_is_given_up_leaves_the_old_file(folder: Folder) -> None:
    _append(folder, "s-1", _lines(1, 1), 0)

    with folder.rewriting("s-1") as file:
        file.writelines(_lines(1, 2))

    assert _text(folder) == b"".join(_lines(1, 1))
    assert {each.name for each in folder.path.iterdir()} == {"s-1.jsonl", ".lock"}


def test_who_does_not_want_to_wait_is_told_that_another_has_the_lock(folder: Folder) -> None:
    with folder.locked("here"), pytest.raises(BlockingIOError), folder.locked("here", wait=False):
        pass

    with folder.locked("here", wait=False):
        pass


@pytest.mark.parametrize("text", ["", "soon", "1.5"])
def test_a_mark_that_can_not_be_read_is_none(folder: Folder, text: str) -> None:
    assert folder.mark() is None
    folder.set_mark(17)
    assert folder.mark() == 17

    (folder.path / ".mirrored").write_text(text)

    assert folder.mark() is None
