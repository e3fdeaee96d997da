"""Lets all that an attempt reads and writes end in time. httpx bounds each wait for bytes alone, and bytes may trickle in for hours."""

import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpcore
import httpx

_PIECE = 65_536
_end: ContextVar[float | None] = ContextVar("crm_sdk_end", default=None)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What this thread reads from bounded connections in here, or writes to them, ends with httpx.TimeoutException after the seconds."""
    before = _end.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _end.reset(before)


def bound_connections(http: httpx.Client) -> None:
    """Bounds the connections of a client, also those to proxies. A transport that is no `httpx.HTTPTransport` has its own."""
    for transport in (http._transport, *http._mounts.values()):
        # Neither package lets a program choose this otherwise: pyproject.toml names the releases that are known to have it.
        pool = transport._pool if isinstance(transport, httpx.HTTPTransport) else None
        if isinstance(pool, httpcore.ConnectionPool) and not isinstance(pool._network_backend, _Backend):
            pool._network_backend = _Backend(pool._network_backend)


def _left(seconds: float | None) -> float | None:
    end = _end.get()
    if end is None:
        return seconds
    left = end - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the time of the attempt is over")
    return left if seconds is None else min(seconds, left)


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            self._stream.write(buffer[start : start + _PIECE], _left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, _left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, backend: httpcore.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(self._backend.connect_tcp(host, port, _left(timeout), local_address, socket_options))

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._backend.connect_unix_socket(path, _left(timeout), socket_options))
