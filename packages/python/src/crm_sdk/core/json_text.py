"""JSON as JavaScript writes it, so that the same rows have the same text in both clients."""

import datetime
import decimal
import json
import math
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Members = Iterable[tuple[str, Any]]

_EXACT = decimal.Context(prec=20, traps=[])
"""No float has more than 17 digits. The context of the program may round, or raise."""


def json_text(value: Any) -> str:
    """The JSON of a value. Times, decimals and UUIDs become texts. Raises TypeError for what JSON does not have."""
    return _text(value, lambda members: members)


def canonical(value: Any) -> str:
    """The same, with the members of each object in one order: values that say the same have the same text."""
    return _text(value, lambda members: sorted(members, key=lambda member: _place(member[0])))


def plain(value: Any) -> Any:
    """A value as a query or JSON has it: what is no text, number or truth becomes a text."""
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return str(value) if isinstance(value, (decimal.Decimal, uuid.UUID)) else value


def _text(value: Any, order: Callable[[Members], Members]) -> str:
    value = plain(value)
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        members = [f"{_name(name)}:{_text(member, order)}" for name, member in order(value.items())]
        return "{" + ",".join(members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_text(element, order) for element in value) + "]"
    raise TypeError(f"{type(value).__name__} is nothing that JSON has")


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError("the names of members are texts")
    return json.dumps(name, ensure_ascii=False)


def _number(value: float) -> str:
    """JavaScript has integers without a point, and exponents from 21 digits before and 7 zeros behind the point."""
    if not math.isfinite(value):
        raise TypeError("JSON has finite numbers only")
    if value == 0:
        return "0"
    sign, digits, exponent = _EXACT.normalize(decimal.Decimal(float.__repr__(value))).as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    if len(text) <= point <= 21:
        text += "0" * (point - len(text))
    elif 0 < point <= 21:
        text = f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        text = "0." + "0" * -point + text
    else:
        text = f"{text[0]}{'.' if len(text) > 1 else ''}{text[1:]}e{point - 1:+d}"
    return f"-{text}" if sign else text


def _place(name: str) -> tuple[int, int, bytes]:
    """JavaScript has members that are numbers first, and compares others by their UTF-16."""
    if re.fullmatch(r"0|[1-9]\d{0,9}", name, re.ASCII) and int(name) < 2**32 - 1:
        return (0, int(name), b"")
    return (1, 0, name.encode("utf-16-be", "surrogatepass"))
