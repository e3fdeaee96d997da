"""One attempt, and when there is another one."""

import random
import re
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from json import loads
from typing import Any

import httpx

from .bounded_network import within
from .errors import ConnectionLost, CrmError, TimedOut, class_of
from .options import Clock, WithResponse
from .request import PreparedRequest

_FIRST_BACKOFF, _LONGEST_BACKOFF = 0.5, 8.0


@dataclass(frozen=True, repr=False)
class Wire:
    """How requests leave the program."""

    http: httpx.Client
    clock: Clock
    max_answer_bytes: int


def exchange(wire: Wire, request: PreparedRequest, seconds: float) -> WithResponse[Any]:
    """Sends the request and reads the whole answer. Raises CrmError for everything but a success."""
    operation, clock = request.operation, wire.clock
    end = clock.now() + seconds
    # A redirect is not followed: it could turn a write into a GET, and lead the token elsewhere.
    sent = wire.http.build_request(operation.method, request.url, headers=request.headers, content=request.content, timeout=seconds)
    content = bytearray()
    try:
        with within(seconds), closing(wire.http.send(sent, stream=True, follow_redirects=False)) as response:
            for part in response.iter_bytes():
                content += part
                if len(content) > wire.max_answer_bytes:
                    what = f"with more than {wire.max_answer_bytes} bytes: ask for less at a time"
                    raise _unexpected(request, response, what)
                if clock.now() > end:
                    raise httpx.ReadTimeout("the answer did not end in time")
    except httpx.TimeoutException:
        failure: CrmError = TimedOut(f"{request.name} got no answer within {seconds:g} s", **_unanswered(request, "timed_out"))
    except httpx.HTTPError as error:
        reason = f"{type(error).__name__}: {error}"
        failure = ConnectionLost(f"{request.name} got no answer: {reason}", **_unanswered(request, "connection_lost"))
    else:
        return _read(request, response, content)
    # Outside of the handlers, because what httpx raises knows the request, and so the token.
    raise failure


def pause_after(error: CrmError, attempt: int, jitter: Callable[[], float] = random.random) -> float | None:
    """The seconds before the attempt that follows the given one, counted from 1. None if the client does not repeat the call by
    itself: a server that failed (500) fails again, and the caller should know."""
    if not error.is_retryable or error.status == 500:
        return None
    # Full jitter, so that many clients do not return at the same moment; also after the time that the server asks for.
    return (error.retry_after or 0) + jitter() * min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2.0 ** (attempt - 1))


def retry_after_of(headers: Mapping[str, str]) -> float | None:
    """The seconds of a `Retry-After`, which is a number or, from proxies, a date. None if there is none."""
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return int(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _unanswered(request: PreparedRequest, code: str) -> dict[str, Any]:
    return {"code": code, "is_retryable": True, "idempotency_key": request.idempotency_key}


def _read(request: PreparedRequest, response: httpx.Response, content: bytearray) -> WithResponse[Any]:
    try:
        envelope = loads(content)
    except ValueError:
        envelope = None
    envelope = envelope if isinstance(envelope, dict) else {}
    meta, error = envelope.get("meta"), envelope.get("error")
    if response.is_success and "data" in envelope:
        request_id = response.headers.get("x-request-id", "")
        return WithResponse(envelope["data"], meta if isinstance(meta, dict) else {}, response.status_code, response.headers, request_id)
    if response.is_success or not isinstance(error, dict) or not isinstance(error.get("code"), str):
        raise _unexpected(request, response, "without the envelope of the API: is `url` the address of a CRM?")
    raise _failed(request, response, error["code"], str(error.get("message", "")), error)


def _unexpected(request: PreparedRequest, response: httpx.Response, what: str) -> CrmError:
    return _failed(request, response, "unexpected_answer", f"{request.name} was answered {response.status_code} {what}", {})


def _failed(request: PreparedRequest, response: httpx.Response, code: str, message: str, error: Mapping[str, Any]) -> CrmError:
    status, details = response.status_code, error.get("details")
    return class_of(code, status)(
        message,
        code=code,
        status=status,
        details=details if isinstance(details, dict) else {},
        request_id=response.headers.get("x-request-id") or str(error.get("requestId", "")),
        retry_after=retry_after_of(response.headers),
        # What the contract lets a client send again (section 14), and what stands between client and server.
        is_retryable=status in (429, 500, 502, 503, 504) or code == "idempotency_in_progress",
        idempotency_key=request.idempotency_key,
    )
