"""What went wrong at an OpenAI-compatible endpoint, in our words; imports the `openai` package."""

from __future__ import annotations

import email.utils
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import openai

from sessiond.model.runs import Failure

MAX_DETAIL = 500
_OVERFLOW = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|too many (input )?tokens|(prompt|input) is too long",
    re.IGNORECASE,
)
_REFUSED_CODES = frozenset({"content_filter", "content_policy_violation"})
_KEY_LIKE = re.compile(r"\b(sk|pk|rk)-[\w*.-]{4,}|(?i:bearer)\s+\S+")


class StreamCutError(Exception):
    """The stream ended before the model had said that it was done."""


@dataclass(frozen=True)
class Trouble:
    """A failed request: what to tell, whether to try again, and when the endpoint asks for it."""

    failure: Failure
    is_transient: bool = False
    retry_after_s: float | None = None


def diagnose(problem: Exception, api_key: str) -> Trouble:
    """The trouble behind an exception of the client library, without the key in its text."""
    match problem:
        case openai.APITimeoutError():
            return Trouble(Failure("MODEL_TIMEOUT", "the endpoint did not answer in time", is_retryable=True))
        case openai.APIConnectionError():
            cause = _clean(str(problem.__cause__ or problem), api_key)
            return _unavailable(f"the endpoint can't be reached, or the connection broke: {cause}")
        case openai.APIStatusError():
            return _by_status(problem, _clean(_detail(problem), api_key))
        case openai.APIError():  # told in the middle of a stream, under HTTP 200
            return _by_code(problem, _clean(_detail(problem), api_key))
        case StreamCutError():
            return _unavailable("the stream ended before the answer did")
        case _:
            detail = _clean(str(problem), api_key)
            return Trouble(Failure("MODEL_ERROR", f"the endpoint's answer can't be read: {detail}"))


def _by_status(problem: openai.APIStatusError, detail: str) -> Trouble:
    status, said = problem.status_code, f"HTTP {problem.status_code}: {detail}"
    if status in (401, 403):  # the endpoint's own words often repeat a part of the key
        return Trouble(Failure("UNAUTHORIZED", f"the endpoint refused the key or what it may do (HTTP {status})"))
    if status == 429:
        return _rate_limited(problem, said)
    if status == 408:
        return Trouble(Failure("MODEL_TIMEOUT", said, is_retryable=True), is_transient=True)
    if status == 409 or status >= 500:
        return _unavailable(said, _retry_after_s(problem.response.headers))
    if status == 413 or _is_overflow(problem, detail):
        return Trouble(Failure("CONTEXT_OVERFLOW", f"the conversation does not fit the model: {said}"))
    if problem.code in _REFUSED_CODES:
        return Trouble(Failure("MODEL_REFUSED", said))
    return Trouble(Failure("BAD_REQUEST" if status in (400, 404, 422) else "MODEL_ERROR", said))


def _by_code(problem: openai.APIError, detail: str) -> Trouble:
    if _is_overflow(problem, detail):
        return Trouble(Failure("CONTEXT_OVERFLOW", f"the conversation does not fit the model: {detail}"))
    if problem.code in _REFUSED_CODES:
        return Trouble(Failure("MODEL_REFUSED", detail))
    kinds = {problem.code, problem.type}
    if "429" in kinds or "rate_limit_exceeded" in kinds:
        return Trouble(Failure("RATE_LIMITED", detail, is_retryable=True), is_transient=True)
    if kinds & {"server_error", "overloaded_error", "500", "502", "503", "504"}:
        return _unavailable(detail)
    return Trouble(Failure("MODEL_ERROR", detail))


def _rate_limited(problem: openai.APIStatusError, said: str) -> Trouble:
    """An account without money answers 429 too, and no waiting helps it."""
    can_wait = problem.code != "insufficient_quota"
    failure = Failure("RATE_LIMITED", said, is_retryable=can_wait)
    return Trouble(failure, can_wait, _retry_after_s(problem.response.headers))


def _unavailable(text: str, retry_after_s: float | None = None) -> Trouble:
    return Trouble(Failure("MODEL_UNAVAILABLE", text, is_retryable=True), True, retry_after_s)


def _is_overflow(problem: openai.APIError, detail: str) -> bool:
    return problem.code == "context_length_exceeded" or _OVERFLOW.search(detail) is not None


def _detail(problem: openai.APIError) -> str:
    """The endpoint's own sentence, where it gave one."""
    said = problem.body.get("message") if isinstance(problem.body, Mapping) else None
    return said if isinstance(said, str) and said else problem.message


def _clean(text: str, api_key: str) -> str:
    text = text.replace(api_key, "***") if api_key else text
    return _KEY_LIKE.sub("***", " ".join(text.split()))[:MAX_DETAIL]


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """When to come back: seconds or a date; None when not told, or not in a way that can be read."""
    told = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", told):
        return float(told)
    try:
        at = email.utils.parsedate_to_datetime(told)
    except ValueError:
        return None
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
