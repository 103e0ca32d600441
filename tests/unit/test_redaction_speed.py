"""Masking takes time in proportion to the text, also of one that was made to take longer (H7)."""

from __future__ import annotations

import base64
import gc
import random
import time
from collections.abc import Iterator

import pytest

from sessiond.model.redaction import redact

SIZE = 256 * 1024
PART = 8
# In proportion is 8 times as long, by every pair of places 64 times; between them is room for a busy machine.
MUCH_LONGER = 24
RUNS_OF_ALL, RUNS_OF_PART = 2, 5
REPEATED = [
    *["a", "A", "é", " ", "\n", ":", "=", "-", "_", ".", '"', "'", "`", "\\", '\\"', "<", "&", ",;", "0", "-a", "://"],
    *["-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "eyJ", "eyJaaaaaaaa.", "sk-", "ghp_"],
    *["AKIA", "AIza", "xox", ":AA", "00000000:AA", "-0123456789ab.1.", "M.aaaaaa.", "sig=", "[redacted: ", "glpat-a."],
    *[
        "password",
        "password ",
        "password=",
        "password: ",
        'password:"',
        "password:\\'",
        "token='a ",
        'token: "a b" ',
        "key",
    ],
    *[
        "api_key",
        "pwd=,",
        "pwd=a,b=",
        "secret: foo ",
        "token>",
        "token | ",
        "--token ",
        "--a-",
        ",--token a:",
        "é--token x",
    ],
    *["Bearer ", "bearer a1", "authorization: ", "authorization: digest a", "authorization: digest a=", "cookie: a="],
    *["http://a:b", "http://a:", "http://a@", "curl -u a:b", "-u a:", "sshpass -p ", f"dop_v1_{'0a' * 32}"],
    *["password=$", "password=(", "password=a.", "password=/a", "password={", "password=%a"],
]


@pytest.fixture(autouse=True)
def no_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def best_s(text: str, runs: int) -> float:
    """How long it takes when nothing comes in between, in time of this process."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        redact(text)
        times.append(time.process_time() - start)
    return min(times)


def assert_in_proportion(text: str) -> None:
    part_s = best_s(text[: len(text) // PART], RUNS_OF_PART)

    assert best_s(text, RUNS_OF_ALL) < MUCH_LONGER * part_s


@pytest.mark.parametrize("piece", REPEATED)
def test_a_hostile_text_takes_time_in_proportion_to_its_length(piece: str) -> None:  # H7
    assert_in_proportion(piece * (SIZE // len(piece.encode())))


def test_so_does_base64() -> None:  # H7
    assert_in_proportion(base64.b64encode(random.Random(7).randbytes(SIZE * 3 // 4)).decode())  # noqa: S311
