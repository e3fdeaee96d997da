"""Changes a record by what it has now."""

from collections.abc import Callable, Mapping
from typing import Any

from ..core.errors import VersionConflict

_ATTEMPTS = 5


def change(methods: Any, id: str, to_patch: Callable[[Any], Mapping[str, Any] | None], options: Mapping[str, Any]) -> Any:
    """What `crm.contacts.change` says; `methods` are those of the kind."""
    attempt = 0
    while True:
        attempt += 1
        record = methods.get(id, **options)
        patch = to_patch(record)
        if patch is None:
            return record
        try:
            return methods.update(id, {**patch, "expectedVersion": record["version"]}, **options)
        except VersionConflict:
            if attempt == _ATTEMPTS:
                raise
