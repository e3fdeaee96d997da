"""What the generated methods stand on, and lists that are read page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._generated.operations import OPERATIONS
from .errors import CrmError
from .options import WithResponse
from .request import Form as Form

if TYPE_CHECKING:
    from .client import Client

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list."""

    data: list[T]
    meta: dict[str, Any]
    next_cursor: str | None
    """What `cursor` has to be for the next page. None on the last page."""
    request_id: str


class PagedList(Generic[T]):
    """A list: a loop over it gives its elements, from page to page. Nothing is sent before, and no page before it is needed."""

    def __init__(self, read: Callable[[str | None], WithResponse[Any]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data

    def first_page(self) -> Page[T]:
        """The first page alone."""
        return self._page(None)

    def pages(self) -> Iterator[Page[T]]:
        """The pages themselves."""
        page = self._page(None)
        yield page
        # Every circle passes the cursor that is remembered: it is replaced after 1, 2, 4, 8, … pages.
        remembered, pages, replace_after = None, 0, 1
        while page.next_cursor is not None:
            if page.next_cursor == remembered:
                raise CrmError(
                    "The pages of a list go round in a circle: a cursor has come a second time",
                    code="unexpected_answer",
                    status=200,
                    request_id=page.request_id,
                )
            pages += 1
            if pages == replace_after:
                remembered, pages, replace_after = page.next_cursor, 0, replace_after * 2
            page = self._page(page.next_cursor)
            yield page

    def _page(self, cursor: str | None) -> Page[T]:
        answer = self._read(cursor)
        following = answer.meta.get("nextCursor", 0)
        if not isinstance(answer.data, list) or not (following is None or isinstance(following, str)):
            raise CrmError(
                "A page of a list has neither a list of data nor a cursor",
                code="unexpected_answer",
                status=answer.status,
                request_id=answer.request_id,
            )
        return Page(answer.data, answer.meta, following, answer.request_id)


class Resource:
    """The methods of a resource."""

    def __init__(self, caller: Client) -> None:
        self._caller = caller

    def _call(self, operation: str, path: Sequence[str], query: Mapping[str, Any], body: Any, options: Mapping[str, Any]) -> Any:
        return self._caller.request(OPERATIONS[operation], path, query, body, options).data

    def _list(self, operation: str, path: Sequence[str], query: Mapping[str, Any], body: Any, options: Mapping[str, Any]) -> PagedList[Any]:
        def read(cursor: str | None) -> WithResponse[Any]:
            asked = query if cursor is None else {**query, "cursor": cursor}
            return self._caller.request(OPERATIONS[operation], path, asked, body, options)

        return PagedList(read)
