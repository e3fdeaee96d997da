"""Writes any number of records, each once."""

import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..core.client import Client
from ..core.errors import CrmError, Gone, KeyConflict, RateLimited
from ..core.json_text import canonical
from ..core.options import WithResponse
from .chunks import Chunk, Row, chunks_of, key_of
from .pace import Pace, Resting, refuses_parameter

Stored = TypeVar("Stored")


@dataclass(frozen=True)
class RowFailure:
    """Why a row was refused, as the single upsert would have been."""

    code: str
    """A code of the API, or `decided_before`."""
    message: str
    details: Mapping[str, Any]


@dataclass(frozen=True)
class UpsertResult(Generic[Row, Stored]):
    """What became of a row: either `record` or `error` is there."""

    index: int
    """The place of the row, from 0."""
    row: Row
    status: int
    is_replay: bool
    """Whether the server decided about the row before: at an earlier start of the run, or with an attempt whose answer was lost."""
    record: Stored | None = None
    error: RowFailure | None = None
    current: Stored | None = None
    """With `decided_before`: the record as it is now, which says something else than the row. None if it cannot be read."""


def upsert_all(
    client: Client,
    kind: str,
    methods: Any,
    rows: Iterable[Row],
    run: str,
    overwrite: bool,
    concurrency: int,
) -> Iterator[UpsertResult[Row, Any]]:
    """What `crm.contacts.upsert_all` says; `methods` are those of the kind."""
    if not re.fullmatch(r"[!-~]{1,150}", run):
        raise ValueError("run has 1 to 150 visible ASCII characters")
    if not 1 <= concurrency <= 16:
        raise ValueError("concurrency is from 1 to 16")
    return _write_all(client, kind, methods, rows, run, overwrite, concurrency)


def _write_all(
    client: Client, kind: str, methods: Any, rows: Iterable[Row], run: str, overwrite: bool, concurrency: int
) -> Iterator[UpsertResult[Row, Any]]:
    resting, pace = Resting(client, threading.Event()), Pace(concurrency)
    knows_overwrite = threading.Event()
    knows_overwrite.set()

    def write(chunk: Chunk[Row]) -> list[UpsertResult[Row, Any]]:
        key, seen = key_of(run, kind, overwrite, chunk), pace.begin()

        def slower(error: CrmError, _: float = 0) -> None:
            nonlocal seen
            if isinstance(error, RateLimited):
                seen = pace.slower(seen)

        def within_limits(name: str, call: Callable[[], WithResponse[Any]]) -> WithResponse[Any]:
            """Makes a call again for as long as the limit of rates refuses it."""
            attempt = 0
            while True:
                try:
                    return call()
                except RateLimited as error:
                    attempt += 1
                    slower(error)
                    seconds = 1 if error.retry_after is None else error.retry_after
                    resting.after(error, seconds, f"{kind}.{name}", attempt)
                    if resting.stop.is_set():
                        raise

        options: dict[str, Any] = {"on_retry": slower, "stop": resting.stop}

        def send() -> WithResponse[Any]:
            chosen = True if overwrite and knows_overwrite.is_set() else None
            items = {"items": chunk.sent}
            return client.with_response(methods.batch_upsert, items, overwrite=chosen, idempotency_key=key, **options)

        try:
            try:
                answer = within_limits("batchUpsert", send)
            except CrmError as error:
                if not (overwrite and refuses_parameter(error, "overwrite")):
                    raise
                # A server of release 0.1.0: existing records are then results with an error.
                knows_overwrite.clear()
                answer = within_limits("batchUpsert", send)
        except (KeyConflict, Gone) as error:
            # It was decided before: with other versions, or with people who were erased since.
            if isinstance(error, Gone) and error.details.get("reason") != "person_erased":
                raise
            asked = {"items": [{"externalId": row.get("externalId", "")} for row in chunk.sent]}
            found = within_limits("batchGet", lambda: client.with_response(methods.batch_get, asked, **options))
            return [_decided(chunk, place, error, found.data) for place in range(len(chunk.rows))]
        pace.end()
        is_replay = answer.headers.get("idempotent-replayed") == "true"
        return [_result(chunk, place, answer.data, is_replay) for place in range(len(chunk.rows))]

    under_way: deque[tuple[set[Any], Future[list[UpsertResult[Row, Any]]]]] = deque()
    threads = ThreadPoolExecutor(concurrency, thread_name_prefix="crm-sdk")
    try:
        for chunk in chunks_of(rows):
            if overwrite:
                _refuse_versions(chunk)
            keys = {canonical(row.get("externalId")) for row in chunk.sent}
            # A batch that is sent beside an earlier one may be applied before it, so it must not have the same records.
            while len(under_way) >= pace.width or any(keys & earlier for earlier, _ in under_way):
                yield from under_way.popleft()[1].result()
            under_way.append((keys, threads.submit(write, chunk)))
        while under_way:
            yield from under_way.popleft()[1].result()
    finally:
        # What was sent may be applied; nothing more is sent.
        resting.stop.set()
        threads.shutdown(wait=False, cancel_futures=True)


def _refuse_versions(chunk: Chunk[Any]) -> None:
    """The server refuses each of these rows, and keeps that answer."""
    for place, row in enumerate(chunk.sent):
        if "expectedVersion" in row:
            raise TypeError(
                f"row {chunk.start + place} brings expectedVersion, but overwrite is true: "
                "give overwrite=False, or leave expectedVersion out"
            )


def _result(chunk: Chunk[Row], place: int, elements: list[Any], is_replay: bool) -> UpsertResult[Row, Any]:
    """What the answer to a batch says of a row."""
    element = elements[place] if place < len(elements) else {}
    told = (chunk.start + place, chunk.rows[place], element.get("status", 0), is_replay)
    if element.get("data") is not None:
        return UpsertResult(*told, record=element["data"])
    missing: dict[str, Any] = {"code": "missing", "message": "the answer lacks this row", "details": {}}
    error: dict[str, Any] = element.get("error") or missing
    return UpsertResult(*told, error=RowFailure(error["code"], error["message"], error["details"]))


def _decided(chunk: Chunk[Row], place: int, refusal: CrmError, elements: list[Any]) -> UpsertResult[Row, Any]:
    """The result of a row of a batch that was decided before, when its answer is not to be had: it may have refused any of its rows. What
    the record says now tells of the row that it was applied if it says the same, and nothing otherwise."""
    element = elements[place] if place < len(elements) else {}
    current, sent = element.get("data"), chunk.sent[place]
    index, row = chunk.start + place, chunk.rows[place]
    fields = [(name, value) for name, value in sent.items() if name != "expectedVersion"]
    if current is not None and all(canonical(current.get(name)) == canonical(value) for name, value in fields):
        return UpsertResult(index, row, element.get("status", 0), True, record=current)
    message = "the batch was decided before, and the record does not say what the row says: compare, and use a new run"
    failure = RowFailure("decided_before", message, refusal.details)
    return UpsertResult(index, row, refusal.status, True, error=failure, current=current)
