"""Proves that a message comes from the server. It sends no request."""

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

_TOLERANCE = 300
"""How many seconds the time of a message may be away from the clock of the receiver."""
_SHORTEST_KEY = 16
"""The bytes of a key that nobody guesses. The server makes keys of 32."""


class VerificationFailed(Exception):
    """The message was not signed with any of the secrets, or is too old. Answer 401."""


def verify(body: bytes | str, headers: Mapping[str, str], secrets: str | Sequence[str]) -> Any:
    """Proves that a message comes from the server, and parses it.

    - body: The body as it came: the signature covers its bytes, not the parsed JSON.
    - headers: Those of the request, in upper or lower case.
    - secrets: The secret that `webhook create` has shown, with its `whsec_`; during a rotation both.

    Raises VerificationFailed if a header is missing, the time is more than five minutes away, or no signature is right, and TypeError if
    the body was parsed before, or a secret is none: it is not `whsec_` and the Base64 of 16 bytes or more.
    """
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise TypeError(
            "verify takes the body as it came, as bytes or text. This one was parsed already: "
            "read the raw body, as with request.get_data() of Flask or await request.body() of FastAPI"
        )
    content = body.encode(errors="replace") if isinstance(body, str) else bytes(body)
    given = {name.lower(): value for name, value in headers.items()}
    id, timestamp, told = (_header(given, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    signatures = [signature[3:].encode(errors="replace") for signature in told.split(" ") if signature.startswith("v1,")]
    if not re.fullmatch(r"[0-9]{1,15}", timestamp) or abs(time.time() - int(timestamp)) > _TOLERANCE:
        raise VerificationFailed(f"webhook-timestamp is more than {_TOLERANCE} seconds away from this clock")
    signed = f"{id}.{timestamp}.".encode(errors="replace") + content
    is_genuine = False
    for key in _keys(secrets):
        # The signature of Standard Webhooks 1.0.
        right = base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
        for signature in signatures:
            is_genuine |= hmac.compare_digest(signature, right)
    if not is_genuine:
        raise VerificationFailed("no signature in webhook-signature was made with a secret given here")
    return json.loads(content)


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise VerificationFailed(f"the header {name} is missing")
    return value


def _keys(secrets: str | Sequence[str]) -> list[bytes]:
    given = [secrets] if isinstance(secrets, str) else list(secrets)
    if not given:
        raise TypeError("verify needs a secret")
    keys = []
    for secret in given:
        try:
            key = base64.b64decode(secret.removeprefix("whsec_"), validate=True) if secret.startswith("whsec_") else b""
        except ValueError:
            key = b""
        if len(key) < _SHORTEST_KEY:
            raise TypeError("a secret is whsec_ and then Base64, as webhook create has shown it")
        keys.append(key)
    return keys
