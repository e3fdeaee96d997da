"""The CRM Public API v1 for programs in Python."""

from .core.errors import (
    ConnectionLost,
    CrmError,
    FeedGap,
    Forbidden,
    Gone,
    KeyConflict,
    NotFound,
    PreconditionRequired,
    RateLimited,
    TimedOut,
    VersionConflict,
)
from .core.options import Clock, LogEntry, ReadOptions, WithResponse, WriteOptions
from .core.resource import Page, PagedList
from .core.version import __version__
from .crm import Crm
from .flows.follow import CursorStore, FeedStep
from .flows.upsert_all import RowFailure, UpsertResult

__all__ = [
    "Clock",
    "ConnectionLost",
    "Crm",
    "CrmError",
    "CursorStore",
    "FeedGap",
    "FeedStep",
    "Forbidden",
    "Gone",
    "KeyConflict",
    "LogEntry",
    "NotFound",
    "Page",
    "PagedList",
    "PreconditionRequired",
    "RateLimited",
    "ReadOptions",
    "RowFailure",
    "TimedOut",
    "UpsertResult",
    "VersionConflict",
    "WithResponse",
    "WriteOptions",
    "__version__",
]
