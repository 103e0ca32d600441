"""Run tokens on the wire: signed by any replica, read by any other, and by nobody else (V1, X5)."""

from __future__ import annotations

import asyncio
import base64
import json
import time

import jwt
import pytest

from sessiond.model.callers import RunToken
from sessiond.model.errors import Unauthenticated
from sessiond.rpc.run_tokens import RunTokens
from tests.rpc.keys import KEY, NEW, Keys, ring

TOKEN = RunToken("run-1", session=7, attempt=2, fence=5)


def parts_of(text: str) -> list[dict[str, object]]:
    return [json.loads(base64.urlsafe_b64decode(part + "==")) for part in text.split(".")[:2]]


async def test_what_was_signed_is_read_by_another_replica() -> None:  # X5
    text = (await ring()).sign(TOKEN)

    assert await (await ring()).read(text) == TOKEN


async def test_it_is_a_jwt_that_says_what_it_is_bound_to_and_nothing_of_the_lease_token() -> None:
    header, claims = parts_of((await ring(life_s=60)).sign(TOKEN))

    assert header == {"alg": "HS256", "kid": "first", "typ": "sessiontools-run+jwt"}
    assert (claims["sub"], claims["ses"], claims["att"], claims["fen"]) == ("run-1", 7, 2, 5)
    assert int(str(claims["exp"])) - int(str(claims["iat"])) == 60


async def test_the_newest_key_signs_and_every_key_reads() -> None:
    old = (await ring(KEY)).sign(TOKEN)
    both = await ring(NEW, KEY)

    assert parts_of(both.sign(TOKEN))[0]["kid"] == "second"
    assert await both.read(old) == TOKEN


async def test_a_key_that_another_replica_added_is_found_when_a_token_names_it() -> None:  # X5
    keys = Keys(KEY)
    tokens = RunTokens(keys.load, 60)
    keys.keys.insert(0, NEW)

    assert await tokens.read((await ring(NEW)).sign(TOKEN)) == TOKEN


async def test_made_up_keys_do_not_keep_the_store_busy() -> None:
    keys = Keys(KEY)
    tokens = RunTokens(keys.load, 60)

    text = (await ring(NEW)).sign(TOKEN)

    answers = await asyncio.gather(*(tokens.read(text) for _ in range(20)), return_exceptions=True)

    assert {type(each) for each in answers} == {Unauthenticated}
    assert keys.looks == 1


async def test_a_key_that_was_forgotten_opens_nothing() -> None:
    with pytest.raises(Unauthenticated):
        await (await ring(NEW)).read((await ring(KEY)).sign(TOKEN))


async def test_a_token_past_its_life_opens_nothing() -> None:
    text = (await ring(life_s=-3600)).sign(TOKEN)

    with pytest.raises(Unauthenticated):
        await (await ring()).read(text)


async def test_a_token_of_a_replica_whose_clock_is_ahead_is_good(monkeypatch: pytest.MonkeyPatch) -> None:  # X5
    now = time.time()
    with monkeypatch.context() as ahead:
        ahead.setattr(time, "time", lambda: now + 300)
        text = (await ring()).sign(TOKEN)

    assert await (await ring()).read(text) == TOKEN


CLAIMS = {"iss": "sessiontools", "sub": "run-1", "ses": 7, "att": 2, "fen": 5, "iat": 1, "exp": 99_999_999_999}
HEADERS = {"typ": "sessiontools-run+jwt", "kid": "first"}


@pytest.mark.parametrize(
    "forged",
    [
        jwt.encode(CLAIMS, b"another secret of 32 bytes......", headers=HEADERS),
        jwt.encode(CLAIMS, "", "none", headers=HEADERS),
        jwt.encode(CLAIMS, KEY.secret + b"." * 32, "HS512", headers=HEADERS),
        jwt.encode(CLAIMS | {"iss": "another"}, KEY.secret, headers=HEADERS),
        jwt.encode({name: CLAIMS[name] for name in CLAIMS if name != "exp"}, KEY.secret, headers=HEADERS),
        jwt.encode(CLAIMS | {"fen": "five"}, KEY.secret, headers=HEADERS),
        jwt.encode(CLAIMS | {"fen": None}, KEY.secret, headers=HEADERS),
        jwt.encode(CLAIMS, KEY.secret, headers=HEADERS | {"kid": "../../etc/passwd"}),
        jwt.encode(CLAIMS, KEY.secret, headers=HEADERS)[:-4],
        jwt.encode(CLAIMS, KEY.secret, headers=HEADERS) + "A",
    ],
    ids=["key", "none", "algorithm", "issuer", "no exp", "words", "null", "kid", "cut", "longer"],
)
async def test_a_forged_token_opens_nothing(forged: str) -> None:
    with pytest.raises(Unauthenticated):
        await (await ring()).read(forged)


@pytest.mark.parametrize(
    "other",
    [
        "",
        "x",
        "a.b.c",
        "...",
        "é.é.é",
        "eyJ.eyJ.x",
        "MQ.MQ.MQ",
        jwt.encode(CLAIMS, KEY.secret, headers={"kid": "first"}),
    ],
)
async def test_what_is_no_run_token_is_left_to_the_configured_tokens(other: str) -> None:
    assert await (await ring()).read(other) is None
