"""All operations of the API, and the flows over them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ._generated import resources
from .core.client import Client
from .core.resource import Resource
from .flows.change import change
from .flows.chunks import Row
from .flows.follow import CursorStore, FeedStep, follow, synchronize
from .flows.upsert_all import UpsertResult, upsert_all

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._generated.schemas import (  # noqa: F401
        ChangedType,
        ChangeEvent,
        ChangeInclude,
        Company,
        Contact,
        ContactUpsert,
        Deal,
        DealUpsert,
        Task,
        TaskUpsert,
        WrittenCompany,
        WrittenContact,
        WrittenDeal,
        WrittenTask,
    )
    from .core.options import ReadOptions

Stored = TypeVar("Stored")
Written = TypeVar("Written")


class Upserting(Resource, Generic[Row, Written]):
    """A kind of records that can be written in batches."""

    def upsert_all(
        self, rows: Iterable[Row], *, run: str, overwrite: bool = True, concurrency: int = 4
    ) -> Iterator[UpsertResult[Row, Written]]:
        """Creates or updates any number of records by their `externalId`, in batches of 100. Rows are read as they are needed; what became
        of each is yielded in order. Of rows with the same `externalId`, the last one wins.

        A row that is refused is a result with an `error`. So is one whose batch was decided before with other content (`decided_before`).
        What refuses a whole batch, such as a lost connection or a missing scope, is raised: start the same run again.

        - run: Its name, such as `erp-2026-11-24`: 1 to 150 visible ASCII characters. A program that died and is started again with the same
          run and the same rows applies none of them twice, for as long as the server keeps answers (24 hours by default).
        - overwrite: Whether an existing record is changed whatever its version is. With False, rows bring their `expectedVersion`, and
          a row without one only creates: for an existing record its result has the error `precondition_required`. So it does with a server
          of release 0.1.0, which cannot overwrite. With True, an `expectedVersion` is a TypeError.
        - concurrency: How many batches are under way at once: 1 to 16. Halved when the limit of rates is reached.
        """
        kind = type(self).__name__.lower()
        return upsert_all(self._caller, kind, self, rows, run, overwrite, concurrency)


class Changing(Resource, Generic[Stored, Written]):
    """A kind of records that have versions."""

    def change(self, id: str, to_patch: Callable[[Stored], Mapping[str, Any] | None], **options: Unpack[ReadOptions]) -> Stored | Written:
        """Changes a record by what it has now: reads it, asks for the fields to change, and sends them with the version that was read;
        again, up to five times, if somebody else has changed it in between. None changes nothing."""
        changed: Stored | Written = change(self, id, to_patch, options)
        return changed


class Contacts(resources.Contacts, Upserting["ContactUpsert", "WrittenContact"], Changing["Contact", "WrittenContact"]):
    """People."""


class Companies(resources.Companies, Changing["Company", "WrittenCompany"]):
    """Companies."""


class Deals(resources.Deals, Upserting["DealUpsert", "WrittenDeal"], Changing["Deal", "WrittenDeal"]):
    """Deals."""


class Tasks(resources.Tasks, Upserting["TaskUpsert", "WrittenTask"], Changing["Task", "WrittenTask"]):
    """Tasks."""


class Changes(resources.Changes):
    """The change feed."""

    def follow(
        self,
        cursor: str | None,
        *,
        wait: int = 20,
        limit: int | None = None,
        resourceTypes: Sequence[ChangedType] | None = None,
        include: Sequence[ChangeInclude] | None = None,
        to_end: bool = False,
        stop: threading.Event | None = None,
    ) -> Iterator[FeedStep]:
        """Yields the events after a cursor as soon as they are committed, without end, and raises FeedGap if one is missing. None begins
        now, which is told by a first step without events. A step with a `reset` says that events are gone: read all records anew.

        Once the server has answered, it waits out limits, restarts of the server and lost connections. A token that lost its rights, for
        example, ends it, and so does a server that asks for a rest of more than 120 seconds.

        - wait: How many seconds the server waits for the next event: 0 to 30.
        - limit, resourceTypes, include: As those of `list`.
        - to_end: Ends the loop at the end of the feed, instead of waiting for more: for programs that run now and then.
        - stop: Ends the loop when it is set, after the request that is under way.
        """
        selection = {"limit": limit, "resourceTypes": resourceTypes, "include": include}
        return follow(self._caller, self, cursor, wait, to_end, stop, selection)


class Crm(Client, resources.Resources):
    """A client of one server, with the rights of one token: `Crm(url, token)`. Many threads may call at the same time."""

    @property
    def _caller(self) -> Client:  # type: ignore[override]
        return self

    @cached_property
    def contacts(self) -> Contacts:
        return Contacts(self)

    @cached_property
    def companies(self) -> Companies:
        return Companies(self)

    @cached_property
    def deals(self) -> Deals:
        return Deals(self)

    @cached_property
    def tasks(self) -> Tasks:
        return Tasks(self)

    @cached_property
    def changes(self) -> Changes:
        return Changes(self)

    def synchronize(
        self,
        *,
        load: Callable[[], None],
        apply: Callable[[Sequence[ChangeEvent], str], None],
        store: CursorStore,
        stop: threading.Event | None = None,
    ) -> None:
        """Keeps a copy of the records complete, without end: takes the cursor, loads all records, then applies every later event. The
        cursor is stored after what it stands for, so a program that died begins again where it stopped. If events are gone, it loads anew.

        - load: Replaces the copy by all records, as the lists have them now: also removes what they do not have.
        - apply: Applies events, in order. One can come a second time after a crash: compare versions.
        - store: Reads and writes the cursor.
        - stop: Ends it when it is set, after the request that is under way.
        """
        synchronize(lambda cursor: self.changes.follow(cursor, stop=stop), load, apply, store)
