"""Follows the change feed, proves that none of it is missing, and keeps a copy of the records."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ..core.client import Client
from ..core.errors import CrmError, FeedGap
from ..core.exchange import retry_after_of
from ..core.options import WithResponse
from .pace import MOST_SECONDS, Resting, refuses_parameter

if TYPE_CHECKING:
    from .._generated.schemas import ChangeEvent

_POLL_SECONDS = 5
"""How often a server is asked that cannot wait: release 0.1.0 does not know `wait`."""
_GRACE_SECONDS = 15
"""A request gets so much longer than the server may wait."""
_SHORTEST_REST, _LONGEST_REST = 1, 30
"""How long to rest after a failure, at first and at most."""


@dataclass(frozen=True)
class FeedStep:
    """What the loop over the feed gets at a time."""

    events: "list[ChangeEvent]"
    """In the order of their commits. Empty if all were left out."""
    cursor: str
    """The position behind them: store it when they are applied, and begin with it the next time."""
    reset: dict[str, Any] | None
    """None while the feed is complete. Otherwise events before `cursor` are gone: read all records anew, and go on."""


class CursorStore(Protocol):
    """Where a copy keeps how far it has come."""

    def read(self) -> str | None:
        """The stored cursor; None before the first."""
        ...

    def write(self, cursor: str) -> None: ...


def follow(
    client: Client, changes: Any, cursor: str | None, wait: int, to_end: bool, stop: threading.Event | None, selection: dict[str, Any]
) -> Iterator[FeedStep]:
    """What `crm.changes.follow` says; `changes` are the methods of the feed."""
    if not (isinstance(wait, int) and 0 <= wait <= 30):
        raise ValueError("wait is an integer from 0 to 30")
    return _Follower(client, changes, wait, to_end, Resting(client, stop or threading.Event()), selection).steps(cursor)


def synchronize(
    steps: Callable[[str | None], Iterator[FeedStep]],
    load: Callable[[], None],
    apply: "Callable[[Sequence[ChangeEvent], str], None]",
    store: CursorStore,
) -> None:
    """What `crm.synchronize` says; `steps` follows the feed after a cursor."""
    stored = store.read()
    must_load = stored is None
    for step in steps(stored):
        if must_load or step.reset is not None:
            load()
        if step.events:
            apply(step.events, step.cursor)
        must_load = False
        store.write(step.cursor)


class _Follower:
    def __init__(self, client: Client, changes: Any, wait: int, to_end: bool, resting: Resting, selection: dict[str, Any]) -> None:
        self._client, self._changes, self._wait, self._resting = client, changes, wait, resting
        self._selection = {"limit": 100, **{name: value for name, value in selection.items() if value is not None}}
        self._to_end = to_end
        self._can_wait = not to_end

    def steps(self, cursor: str | None) -> Iterator[FeedStep]:
        # None until the server has told the position of now.
        position, reset = cursor, None
        has_begun, rests, before = False, 0, None
        while not self._resting.stop.is_set():
            answer = None
            try:
                if position is None:
                    following: str = self._changes.cursor(stop=self._resting.stop)["cursor"]
                else:
                    answer = self._read(position)
                    _prove(answer, before)
                    following = str(answer.meta.get("nextCursor"))
            except CrmError as error:
                if self._resting.stop.is_set() and error.is_retryable:
                    return
                if self._can_wait and refuses_parameter(error, "wait"):
                    self._can_wait = False
                elif error.code == "cursor_expired":
                    before, position, reset = None, None, error.details
                elif error.code == "rate_limit_exceeded" or (error.is_retryable and has_begun):
                    rest = max(min(_LONGEST_REST, _SHORTEST_REST * 2**rests), error.retry_after or 0)
                    rests += 1
                    self._resting.after(error, rest, "changes.cursor" if position is None else "changes.list", rests)
                else:
                    raise
                continue
            has_begun, rests = True, 0
            events = [] if answer is None else answer.data
            if answer is None or events or following != position:
                yield FeedStep(events, following, reset)
            position, reset = following, None
            if answer is None:
                continue
            before = answer.meta["range"]
            if self._to_end and answer.meta.get("hasMore") is not True:
                return
            if not (events or answer.meta.get("hasMore") is True or answer.meta.get("waited") is True):
                seconds = _SHORTEST_REST if self._can_wait else _POLL_SECONDS
                self._resting.sleep(min(MOST_SECONDS, max(seconds, retry_after_of(answer.headers) or 0)))

    def _read(self, after: str) -> WithResponse[Any]:
        query = {"after": after, **({"wait": self._wait} if self._can_wait else {})}
        options = {"timeout": self._wait + _GRACE_SECONDS, "stop": self._resting.stop}
        return self._client.with_response(self._changes.list, **self._selection, **query, **options)


def _prove(answer: WithResponse[Any], before: dict[str, Any] | None) -> None:
    """Raises FeedGap if a number is missing in a page, or between it and the page before, or the page does not tell which it covers."""
    told = answer.meta.get("range")
    told = told if isinstance(told, dict) else {}
    range_ = {name: told.get(name) for name in ("fromSeq", "toSeq", "matched", "filtered")}

    def require(is_proved: bool, problem: str) -> None:
        if not is_proved:
            message = f"the change feed has a gap: {problem}"
            raise FeedGap(message, code="feed_gap", details=range_, request_id=answer.request_id)

    require(all(isinstance(value, int) for value in range_.values()), "a page does not tell which numbers it covers")
    start, end, matched, filtered = (int(told[name]) for name in range_)
    require(before is None or before["toSeq"] == start, f"a page begins after {start}, not after {before and before['toSeq']}")
    is_whole = matched + filtered == end - start and filtered >= 0
    require(is_whole, f"{matched} events and {filtered} others are not the numbers after {start} up to {end}")
    require(len(answer.data) == matched, f"a page has {len(answer.data)} events instead of {matched}")
    last = start
    for event in answer.data:
        require(last < event["seq"] <= end, f"{event['seq']} comes after {last}, on a page up to {end}")
        last = event["seq"]
