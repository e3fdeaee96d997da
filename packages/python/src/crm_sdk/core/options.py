"""What callers choose, and what they are told."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypedDict, TypeVar

from .errors import CrmError

T = TypeVar("T")


class ReadOptions(TypedDict, total=False):
    """What every call takes."""

    timeout: float
    """The seconds of each attempt, instead of those of the client."""
    headers: Mapping[str, str]
    """More headers, such as `traceparent`. They do not replace those that the client itself sets."""
    on_retry: Callable[[CrmError, float], None]
    """Is told why an attempt failed, before the wait of so many seconds for the next one."""
    stop: threading.Event
    """Ends the wait for the next attempt as soon as it is set: the call then raises why the last one failed."""


class WriteOptions(ReadOptions, total=False):
    """What calls that change something take."""

    idempotency_key: str
    """The `Idempotency-Key`: 1 to 255 visible ASCII characters. Without it, each call has a new one. The same key lets a program
    that starts again repeat a call that it may have made before: the change is made once."""


@dataclass(frozen=True)
class WithResponse(Generic[T]):
    """An answer with all that came with it."""

    data: T
    meta: dict[str, Any]
    status: int
    headers: Mapping[str, str]
    request_id: str


@dataclass(frozen=True)
class LogEntry:
    """What the client tells about each attempt, and a flow about each rest. Neither bodies nor parameters nor the token are in it."""

    operation: str
    attempt: int
    seconds: float
    status: int
    """0 if there was no answer."""
    code: str | None
    """The code of the error. None for a success."""
    request_id: str
    retry_in: float | None
    """The seconds until the next attempt. None if there is none."""


class Clock(Protocol):
    """The time of a client. A test replaces it, so that nothing waits."""

    def now(self) -> float:
        """Seconds. Only differences count."""
        ...

    def sleep(self, seconds: float, stop: threading.Event) -> None:
        """Returns after the seconds, or as soon as the event is set."""
        ...


class RealClock:
    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float, stop: threading.Event) -> None:
        stop.wait(seconds)
