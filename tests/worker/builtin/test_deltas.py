"""What is shown of an answer while it is written: never a skip token, nor a part of one (S11, S12)."""

from __future__ import annotations

import pytest

from sessiond.worker.builtin.deltas import Deltas


async def shown(*pieces: str) -> list[str]:
    """What waiters see of an answer that comes in these pieces."""
    seen: list[str] = []

    async def show(text: str) -> None:
        seen.append(text)

    deltas = Deltas(show)
    for piece in pieces:
        await deltas.add(piece)
        if deltas.due_in_s is not None:  # as if the pause was over after every piece
            await deltas.show_whole()
    await deltas.end()
    return seen


@pytest.mark.parametrize("answer", ["REPLY_SKIP", "ANNOUNCE_SKIP", " \nANNOUNCE_SKIP\n", " " * 50 + "REPLY_SKIP"])
async def test_a_skip_token_is_shown_to_nobody_however_it_is_cut(answer: str) -> None:  # S11
    assert await shown(answer) == []
    assert await shown(*answer) == []


@pytest.mark.parametrize("answer", ["REPLY", "REPLY_SKIP it", "Announce", "ANNOUNCE_SKIPPED", "Really?", " A word"])
async def test_words_that_begin_like_one_are_shown_in_the_end(answer: str) -> None:  # W5
    assert "".join(await shown(*answer)) == answer


async def test_words_that_are_no_token_are_shown_at_once() -> None:  # W5
    assert await shown("Re", "ally", "?") == ["Re", "ally", "?"]
