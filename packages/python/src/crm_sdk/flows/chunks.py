"""How rows are divided into batches, and which keys these have."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..core.json_text import canonical, json_text

Row = TypeVar("Row", bound=Mapping[str, Any])

_MOST_ROWS, _MOST_BYTES = 100, 4_000_000
"""The bounds of a batch, with room for the envelope."""


@dataclass(frozen=True)
class Chunk(Generic[Row]):
    """Rows that are sent together."""

    number: int
    start: int
    """The place of its first row among all rows."""
    rows: list[Row]
    sent: list[dict[str, Any]]
    """What is sent of each row: the members of its JSON."""


def chunks_of(rows: Iterable[Row]) -> Iterator[Chunk[Row]]:
    """Divides rows into chunks of 100, or fewer if 100 have more than 4 MB or one of them has the key of an earlier one: a batch takes a
    key once. Where a chunk ends follows from the rows alone, so the same rows make the same chunks. Holds one chunk at a time. Raises
    TypeError for a row that is no object in JSON."""
    chunk: Chunk[Row] = Chunk(0, 0, [], [])
    keys: set[str] = set()
    size = 0
    for row in rows:
        if not isinstance(row, Mapping):
            raise TypeError(f"row {chunk.start + len(chunk.rows)} is no object in JSON")
        text = json_text(row)
        length = len(text.encode())
        members = json.loads(text)
        key = members.get("externalId")
        key = key if isinstance(key, str) else ""
        if chunk.rows and (len(chunk.rows) == _MOST_ROWS or size + length > _MOST_BYTES or key in keys):
            yield chunk
            chunk, keys, size = Chunk(chunk.number + 1, chunk.start + len(chunk.rows), [], []), set(), 0
        chunk.rows.append(row)
        chunk.sent.append(members)
        if key:
            keys.add(key)
        size += length
    if chunk.rows:
        yield chunk


def key_of(run: str, kind: str, overwrite: bool, chunk: Chunk[Any]) -> str:
    """The key of a chunk of a run: the same whenever the run is started with the same `overwrite` and rows, whatever versions the rows
    bring by then, in whatever order their members are, and in whichever language. So the server recognizes what it decided before."""
    rows = [{name: value for name, value in row.items() if name != "expectedVersion"} for row in chunk.sent]
    text = canonical({"overwrite": overwrite, "rows": rows})
    return f"{run}/{kind}/{chunk.number}/{hashlib.sha256(text.encode()).hexdigest()}"
