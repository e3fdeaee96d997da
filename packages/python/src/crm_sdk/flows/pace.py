"""How fast a flow goes, and when it rests."""

import threading
from dataclasses import dataclass

from ..core.client import Client
from ..core.errors import CrmError
from ..core.options import LogEntry

MOST_SECONDS = 120
"""How long a flow rests at most. A program that stands still for longer should know."""
_CHUNKS_UNTIL_WIDER = 10


def refuses_parameter(error: CrmError, name: str) -> bool:
    """Whether a server refuses a parameter of the query because it is of an earlier release, which does not know it."""
    issues = error.details.get("issues")
    paths = [issue.get("path") for issue in issues] if isinstance(issues, list) else []
    return error.code == "validation_error" and f"query:{name}" in paths


class Pace:
    """How many chunks are under way at once: half as many after the limit of rates was reached, and one more after each ten chunks, up
    to the number at the beginning."""

    def __init__(self, most: int) -> None:
        self.width = self._most = most
        self._halvings, self._until_wider = 0, _CHUNKS_UNTIL_WIDER
        self._lock = threading.Lock()

    def begin(self) -> int:
        """Begins a chunk; what it returns is given to `slower`."""
        return self._halvings

    def slower(self, seen: int) -> int:
        """A chunk met the limit. Chunks that were under way together halve the width once."""
        with self._lock:
            if seen == self._halvings:
                self._halvings += 1
                self.width = max(1, self.width // 2)
            self._until_wider = _CHUNKS_UNTIL_WIDER
            return self._halvings

    def end(self) -> None:
        """Ends a chunk that was taken."""
        with self._lock:
            self._until_wider -= 1
            if self._until_wider == 0:
                self._until_wider = _CHUNKS_UNTIL_WIDER
                self.width = min(self._most, self.width + 1)


@dataclass
class Resting:
    """The rests of a flow before it makes a call again. `stop` ends them, and the flow."""

    client: Client
    stop: threading.Event

    def sleep(self, seconds: float) -> None:
        self.client._clock.sleep(seconds, self.stop)

    def after(self, error: CrmError, seconds: float, operation: str, attempt: int) -> None:
        """Tells the log and rests. Raises the error itself if the rest would be longer than 120 seconds."""
        if seconds > MOST_SECONDS:
            raise error
        if self.client._log is not None:
            self.client._log(LogEntry(operation, attempt, 0, error.status, error.code, error.request_id, seconds))
        self.sleep(seconds)
