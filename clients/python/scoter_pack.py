"""Packs columns of values as MessagePack, a wire format in which Scoter accepts rows.

Columns whose values all have the same type are packed at once.
"""

from __future__ import annotations

import datetime
import decimal
import struct
import sys
import uuid
from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from . import scoter_values as core
else:
    import scoter_values as core

_EPOCH = datetime.datetime(1970, 1, 1)
_EPOCH_UTC = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
_SHORT = [bytes([0xA0 | n]) for n in range(32)]
_SMALL = {n: struct.pack("b", n) for n in range(-32, 128)}


def body(names: Sequence[str], columns: Sequence[Sequence[Any]]) -> bytes:
    """Returns the body of a request from the names and values of its columns.

    All columns must have the same number of values.
    """
    parts = [b"\x81", _text("columns"), _head(0x80, 0xDF, len(names))]
    for name, values in zip(names, columns, strict=True):
        parts += (_text(name), _head(0x90, 0xDD, len(values)), column(values))
    return b"".join(parts)


def column(values: Sequence[Any]) -> bytes:
    """Packs the values of a column, one after the other."""
    kinds = set(map(type, values))
    if len(kinds) == 1:
        (kind,) = kinds
        if kind is str:
            return _texts(values)
        if kind is float:
            return _fixed(0xCB, array("d", values))
        if kind is int:
            return _integers(values)
        if kind is bool:
            return bytes([0xC3 if v else 0xC2 for v in values])
        if kind is decimal.Decimal:
            # Only a few decimals print with an exponent, so the faster str() is tried first.
            return _texts(
                [
                    t if "E" not in t else core.to_text(v)
                    for v, t in zip(values, map(str, values), strict=True)
                ]
            )
        if kind is uuid.UUID:
            return b"".join([b"\xc4\x10" + v.int.to_bytes(16, "big") for v in values])
        if kind is datetime.datetime and all(
            v.tzinfo is None or v.tzinfo is datetime.timezone.utc for v in values
        ):
            return b"".join([_datetime(v) for v in values])
    if datetime.datetime in kinds and any(
        isinstance(v, datetime.datetime) and v.utcoffset() for v in values
    ):
        # As text the values keep their offset, and the server refuses them if the column has none.
        values = [core.to_text(v) if isinstance(v, datetime.datetime) else v for v in values]
    return b"".join([_PACK[type(v)](v) for v in values])


def _texts(values: Sequence[str]) -> bytes:
    return b"".join(
        [_SHORT[len(e)] + e if len(e) < 32 else _long(e) for e in map(str.encode, values)]
    )


def _integers(values: Sequence[int]) -> bytes:
    low, high = min(values), max(values)
    if low >= 0 and high < 128:
        return bytes(values)
    for bits, code, kind in ((15, 0xD1, "h"), (31, 0xD2, "i"), (63, 0xD3, "q")):
        if -(1 << bits) <= low and high < 1 << bits:
            return _fixed(code, array(kind, values))
    return b"".join(map(_integer, values))


def _fixed(code: int, values: array[Any]) -> bytes:
    """Packs values of a fixed size, each after the code of its type."""
    if sys.byteorder == "little":
        values.byteswap()
    width = values.itemsize
    raw = values.tobytes()
    out = bytearray(len(values) * (width + 1))
    out[:: width + 1] = bytes([code]) * len(values)
    for i in range(width):
        out[i + 1 :: width + 1] = raw[i::width]
    return bytes(out)


def _head(few: int, many: int, n: int) -> bytes:
    """Packs the header of a list of n elements or a map of n pairs.

    few is the code for fewer than 16, many the code for a 32-bit count.
    """
    return bytes([few | n]) if n < 16 else struct.pack(">BI", many, n)


def _long(text: bytes) -> bytes:
    return (
        struct.pack(">BH", 0xDA, len(text))
        if len(text) < 1 << 16
        else struct.pack(">BI", 0xDB, len(text))
    ) + text


def _text(v: str) -> bytes:
    e = v.encode()
    return _SHORT[len(e)] + e if len(e) < 32 else _long(e)


def _integer(v: int) -> bytes:
    if -32 <= v < 128:
        return _SMALL[v]
    if -(1 << 31) <= v < 1 << 31:
        return struct.pack(">Bi", 0xD2, v)
    if -(1 << 63) <= v < 1 << 63:
        return struct.pack(">Bq", 0xD3, v)
    # An integer beyond 64 bits is packed as text.
    return struct.pack(">BQ", 0xCF, v) if 0 <= v < 1 << 64 else _text(str(v))


def _float(v: float) -> bytes:
    return struct.pack(">Bd", 0xCB, v)


def _blob(v: bytes | bytearray | memoryview) -> bytes:
    content = bytes(v)
    return (
        struct.pack("BB", 0xC4, len(content))
        if len(content) < 256
        else struct.pack(">BI", 0xC6, len(content))
    ) + content


def _moment(seconds: int, nanos: int) -> bytes:
    """Packs a timestamp in the fewest bytes."""
    if seconds >> 34:
        return struct.pack(">BBBIq", 0xC7, 12, 0xFF, nanos, seconds)
    if nanos or seconds >> 32:
        return struct.pack(">BBQ", 0xD7, 0xFF, nanos << 34 | seconds)
    return struct.pack(">BBI", 0xD6, 0xFF, seconds)


def _datetime(v: datetime.datetime) -> bytes:
    since = v - (_EPOCH if v.tzinfo is None else _EPOCH_UTC)
    seconds, micros = since.days * 86400 + since.seconds, since.microseconds
    if micros == 0 and seconds >> 32 == 0:
        return b"\xd6\xff" + seconds.to_bytes(4, "big")
    return _moment(seconds, micros * 1000)


def _date(v: datetime.date) -> bytes:
    return _moment((v.toordinal() - _EPOCH_DAY) * 86400, 0)


def _list(v: Sequence[Any]) -> bytes:
    return _head(0x90, 0xDD, len(v)) + column(v)


def _map(v: dict[Any, Any]) -> bytes:
    return _head(0x80, 0xDF, len(v)) + b"".join(
        [_PACK[type(e)](e) for pair in v.items() for e in pair]
    )


def _other(v: Any) -> bytes:
    return _text(core.to_text(v))


class _Packers(dict[type, Callable[[Any], bytes]]):
    """The function that packs a value, by the value's type or a base class of that type."""

    def __missing__(self, kind: type) -> Callable[[Any], bytes]:
        pack = next((f for t, f in tuple(self.items()) if issubclass(kind, t)), _other)
        self[kind] = pack
        return pack


_PACK = _Packers(
    {
        type(None): lambda v: b"\xc0",
        bool: lambda v: b"\xc3" if v else b"\xc2",
        int: _integer,
        float: _float,
        str: _text,
        bytes: _blob,
        bytearray: _blob,
        memoryview: _blob,
        datetime.datetime: _datetime,
        datetime.date: _date,
        uuid.UUID: lambda v: b"\xc4\x10" + v.bytes,
        decimal.Decimal: _other,
        list: _list,
        tuple: _list,
        dict: _map,
    }
)
