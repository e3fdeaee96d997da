"""Why a call failed. Contract section 14 has the codes of the API."""

from collections.abc import Mapping
from typing import Any


class CrmError(Exception):
    """A call that failed: refused by the API, or without an answer."""

    def __init__(
        self,
        message: str = "",
        *,
        code: str = "",
        status: int = 0,
        details: Mapping[str, Any] | None = None,
        request_id: str = "",
        retry_after: float | None = None,
        is_retryable: bool = False,
        idempotency_key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        """What went wrong, for programs. `unexpected_answer` if what answered is not the API."""
        self.status = status
        """The status of the answer. 0 if there was none."""
        self.details: dict[str, Any] = dict(details or {})
        self.request_id = request_id
        """Names the request in the logs of the server. Empty if there was no answer."""
        self.retry_after = retry_after
        """The seconds after which the server wants to be asked again. None if it did not say so."""
        self.is_retryable = is_retryable
        """Whether the same call may succeed later. A write is repeated with the same `idempotency_key`."""
        self.idempotency_key = idempotency_key
        """The key of the call. None if it had none."""


class _ConflictOfVersions(CrmError):
    @property
    def current_version(self) -> int | None:
        """None if the record does not exist yet."""
        version = self.details.get("currentVersion")
        return version if isinstance(version, int) else None


class VersionConflict(_ConflictOfVersions):
    """The record no longer has the version in `expectedVersion`."""


class PreconditionRequired(_ConflictOfVersions):
    """An upsert names a record that exists, and neither its version nor `overwrite`."""


class KeyConflict(CrmError):
    """Another request succeeded with this key."""

    @property
    def first_used_at(self) -> str:
        """When it succeeded."""
        return str(self.details.get("firstUsedAt", ""))


class NotFound(CrmError):
    """There is no such record, or the body names one that does not exist."""

    @property
    def merged_into_id(self) -> str | None:
        """The record into which this one was merged. None if it was not."""
        return self.details.get("mergedIntoId") or None


class Gone(CrmError):
    """What the call names was there: a removed record, its key, or a position of the feed. `code` tells which."""


class RateLimited(CrmError):
    """The application has used up its requests of this minute."""


class Forbidden(CrmError):
    """The token lacks scopes."""

    @property
    def scopes(self) -> list[str]:
        """Those that it lacks."""
        return list(self.details.get("missingScopes") or [])


class ConnectionLost(CrmError):
    """There was no answer, or it ended early. Nobody knows whether a write was executed."""


class TimedOut(CrmError):
    """There was no answer in time. Nobody knows whether a write was executed."""


class FeedGap(CrmError):
    """Numbers are missing in the feed, so events may be lost."""


_CLASSES: dict[str, type[CrmError]] = {
    "version_conflict": VersionConflict,
    "precondition_required": PreconditionRequired,
    "idempotency_conflict": KeyConflict,
    "not_found": NotFound,
    "rate_limit_exceeded": RateLimited,
    "insufficient_scope": Forbidden,
}


def class_of(code: str, status: int) -> type[CrmError]:
    """The class of a refusal. New codes of the API are `CrmError`."""
    return _CLASSES.get(code, Gone if status == 410 else CrmError)
