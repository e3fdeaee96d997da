"""A call as it is sent: the same bytes and the same key with each attempt."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus

import httpx

from .json_text import json_text, plain

_RESERVED = ("accept", "authorization", "user-agent", "content-type", "idempotency-key")
"""The headers that the client sets itself. The first three come from `httpx.Client`, so that no frame of a failure has the token."""

File = tuple[str | None, bytes | str] | tuple[str | None, bytes | str, str]
"""Name, content and type of a file."""
Form = Mapping[str, File] | Sequence[tuple[str, File]]


@dataclass(frozen=True)
class Operation:
    """What the client has to know about an operation. The table of them is generated."""

    id: str
    method: str
    path: str
    form: bool = False
    keyed: bool = False
    joined: tuple[str, ...] = ()
    """The query parameters whose lists are sent as one text with commas."""


@dataclass(frozen=True, repr=False)
class PreparedRequest:
    operation: Operation
    url: str
    headers: httpx.Headers
    content: bytes | None
    idempotency_key: str | None

    @property
    def name(self) -> str:
        """The call, without what its parameters tell of people."""
        return f"{self.operation.method} {self.operation.path}"


def prepare(
    base: str,
    operation: Operation,
    path: Sequence[str],
    query: Mapping[str, Any],
    body: Any,
    options: Mapping[str, Any],
) -> PreparedRequest:
    """Raises TypeError for arguments that cannot be sent."""
    key = options.get("idempotency_key", secrets.token_hex(16)) if operation.keyed else None
    if key is not None and not re.fullmatch(r"[!-~]{1,255}", key):
        raise TypeError("idempotency_key must have 1 to 255 visible ASCII characters")
    headers = httpx.Headers(options.get("headers"))
    for name in _RESERVED:
        headers.pop(name, None)
    if key is not None:
        headers["idempotency-key"] = key
    content = None
    if body is not None and operation.form:
        form = httpx.Request("POST", base, files=body)
        content = form.read()
        headers["content-type"] = form.headers["content-type"]
    elif body is not None:
        content = json_text(body).encode()
        headers["content-type"] = "application/json"
    url = base + _path(operation, path) + _query(operation, query)
    return PreparedRequest(operation, url, headers, content, key)


def _path(operation: Operation, parameters: Sequence[str]) -> str:
    given = iter(parameters)

    def encoded(parameter: re.Match[str]) -> str:
        value = next(given)
        # An empty text would call the list, and dots would be taken for a folder above.
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise TypeError(f'{operation.id} needs {parameter[1]}: a text that is neither empty nor "." nor ".."')
        return quote(value, safe="!~*'()")

    return re.sub(r"\{(\w+)\}", encoded, operation.path)


def _query(operation: Operation, query: Mapping[str, Any]) -> str:
    sent: list[tuple[str, Any]] = []
    for name, value in query.items():
        if isinstance(value, (list, tuple, set, frozenset)):
            # The API refuses an empty element. Without any, a filter by an empty list would find everything.
            elements = [_word(element) for element in value] or [""]
            sent += [(name, ",".join(elements))] if name in operation.joined else [(name, one) for one in elements]
        elif isinstance(value, Mapping):
            sent += [(f"{name}.{member}", one) for member, one in value.items()]
        elif value is not None:
            sent.append((name, value))
    text = "&".join(f"{quote_plus(name)}={quote_plus(_word(value))}" for name, value in sent)
    return f"?{text}" if text else ""


def _word(value: Any) -> str:
    value = plain(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
