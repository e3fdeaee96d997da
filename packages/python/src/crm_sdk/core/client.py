"""What every call goes through."""

import os
import random
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

import httpx

from .bounded_network import bound_connections
from .errors import CrmError
from .exchange import Wire, exchange, pause_after
from .options import Clock, LogEntry, RealClock, WithResponse
from .request import Operation, prepare
from .version import __version__

P = ParamSpec("P")
T = TypeVar("T")
Self = TypeVar("Self", bound="Client")

_MOST = 2**31
"""What sockets take as seconds, and memory as bytes."""
_watching: ContextVar[list[WithResponse[Any]] | None] = ContextVar("crm_sdk_watching", default=None)


class Client:
    """A client of one server, with the rights of one token. Many threads may call at the same time."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 30,
        deadline: float = 60,
        attempts: int = 5,
        max_answer_bytes: int = 256 * 1024 * 1024,
        log: Callable[[LogEntry], None] | None = None,
        transport: httpx.BaseTransport | None = None,
        clock: Clock | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Raises TypeError for options with which no call could succeed.

        - url: The address of the server, such as `https://crm.example.org`.
        - token: A token of the application. No error and no log entry of the client contains it.
        - timeout: The seconds of an attempt, from the connection to the last byte of the answer. To look up the name of the server may
          take longer.
        - deadline: The seconds of a call with all its attempts and the waits between them.
        - attempts: How often a call is sent at most.
        - max_answer_bytes: The bytes of the longest answer that is read.
        - log: Is told of each attempt. It must not raise.
        - transport: Replaces how httpx sends requests: whatever has to happen to each request and answer. One that is no
          `httpx.HTTPTransport` bounds the time of the headers by itself.
        - clock, jitter: Replace the time and `random.random`, in tests.
        """
        self._base = _base_of(url)
        # What httpx says of a malformed header contains it.
        if not re.fullmatch(r"[!-~]+", token):
            raise TypeError("token must have visible ASCII characters only")
        for name, value in {"timeout": timeout, "deadline": deadline, "attempts": attempts, "max_answer_bytes": max_answer_bytes}.items():
            _require_bounded(name, value)
        headers = {
            "accept": "application/json",
            "authorization": f"Bearer {token}",
            "user-agent": f"crm-sdk-python/{__version__} (python/{sys.version_info[0]}.{sys.version_info[1]})",
        }
        self._timeout, self._deadline, self._attempts = timeout, deadline, attempts
        self._log, self._clock, self._jitter = log, clock or RealClock(), jitter
        http = httpx.Client(transport=transport, headers=headers)
        bound_connections(http)
        self._wire = Wire(http, self._clock, max_answer_bytes)

    @classmethod
    def from_environment(cls: type[Self], **options: Any) -> Self:
        """A client of the server in `CRM_URL`, with the token in `CRM_TOKEN`. Raises TypeError if one is missing."""
        url, token = os.environ.get("CRM_URL"), os.environ.get("CRM_TOKEN")
        if not url or not token:
            raise TypeError("set CRM_URL and CRM_TOKEN")
        return cls(url, token, **options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._base!r})"

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._wire.http.close()

    def with_response(self, method: Callable[P, T], /, *args: P.args, **named: P.kwargs) -> WithResponse[T]:
        """Calls a method and gives its answer with `meta`, status, headers and request id: `crm.with_response(crm.contacts.get, id)`."""
        seen: list[WithResponse[Any]] = []
        before = _watching.set(seen)
        try:
            data = method(*args, **named)
        finally:
            _watching.reset(before)
        if not seen:
            raise TypeError("with_response needs a method that calls the API at once: use pages() of a list")
        return replace(seen[-1], data=data)

    def request(
        self,
        operation: Operation,
        path: Sequence[str] = (),
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        options: Mapping[str, Any] | None = None,
    ) -> WithResponse[Any]:
        """Calls an operation: the way that all methods take.

        Sends it until it succeeds, is refused for good, or has used up its attempts or its time: then raises why the last attempt
        failed. A write has the same key and the same bytes with each attempt, so it is executed once.
        """
        chosen = options or {}
        prepared = prepare(self._base, operation, path, query or {}, body, chosen)
        timeout, stop = chosen.get("timeout", self._timeout), chosen.get("stop") or threading.Event()
        _require_bounded("timeout", timeout)
        # A caller who gives one attempt more time than the whole call has means the call too.
        end = self._clock.now() + max(self._deadline, timeout)
        attempt = 0
        while True:
            attempt += 1
            start = self._clock.now()
            try:
                answer = exchange(self._wire, prepared, min(timeout, end - start))
            except CrmError as error:
                failure = error
            else:
                self._tell(operation, attempt, start, answer.status, None, answer.request_id, None)
                watching = _watching.get()
                if watching is not None:
                    watching.append(answer)
                return answer
            pause = pause_after(failure, attempt, self._jitter) if attempt < self._attempts else None
            if pause is not None and self._clock.now() + pause >= end:
                pause = None
            self._tell(operation, attempt, start, failure.status, failure.code, failure.request_id, pause)
            if pause is not None:
                if "on_retry" in chosen:
                    chosen["on_retry"](failure, pause)
                self._clock.sleep(pause, stop)
            # A machine that slept may have used up the time of the call.
            if pause is None or stop.is_set() or self._clock.now() >= end:
                raise failure

    def _tell(
        self, operation: Operation, attempt: int, start: float, status: int, code: str | None, request_id: str, pause: float | None
    ) -> None:
        if self._log is not None:
            self._log(LogEntry(operation.id, attempt, self._clock.now() - start, status, code, request_id, pause))


def _require_bounded(name: str, value: float) -> None:
    if not 0 < value <= _MOST:
        raise TypeError(f"{name} must be greater than 0 and at most {_MOST}")


def _base_of(url: str) -> str:
    try:
        read = httpx.URL(url)
    except (httpx.InvalidURL, TypeError):
        read = httpx.URL()
    if read.scheme not in ("http", "https") or not read.host or read.userinfo or read.query or read.fragment:
        raise TypeError("url must be the http or https address of a server, without user, query and fragment")
    return str(read).rstrip("/")
