"""JSON files, read as a stream: they may be gigabytes, broken or cut off.

The bytes are mended before they are parsed, because the parser would turn half a surrogate pair into a question mark
or fail on it. A lone surrogate, escaped (6 bytes) or raw (3 bytes), becomes U+FFFD written just as long, so that every
byte stays where it was:

    \\ud83d\\ude00   a pair: stays            \\ud83d x   → \\ufffd x            ED A0 80   → EF BF BD
"""

import codecs
import io
import re
import sys
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

import ijson

from dnam.importers.depth import MOST_DEPTH, DepthCounter
from dnam.importers.source import FORMATS, BrokenImport, UnknownFormat, UnreadableImport

BOM = b"\xef\xbb\xbf"
OTHER_BOMS = {b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
"""By which first bytes a file says that it is in another encoding; the longer ones come first."""
NO_UTF8 = "invalid bytes in UTF8"
"""What the parser says of bytes in a string that are no UTF-8, where it does not raise UnicodeDecodeError."""
CHUNK_BYTES = 1 << 16
LOOK_BYTES = 1 << 10
Form = TypeVar("Form")
PAIR_BYTES = 12
# Every escape is matched, so that `\\ud83d` (an escaped backslash and letters) is never taken for a surrogate.
SPECIAL = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\."
    rb"|(\xed[\xa0-\xbf][\x80-\xbf])",
    re.DOTALL,
)


def _whole(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return b"\\ufffd"
    return b"\xef\xbf\xbd" if match[2] else match[0]


def mended(data: bytes) -> bytes:
    """A whole piece of JSON without lone surrogates."""
    return SPECIAL.sub(_whole, data)


class TooDeep(Exception):
    """What comes next is nested deeper than anything that dnam reads."""


class MendedStream:
    """A binary file without its byte order mark and lone surrogates, up to where it is nested too deep. `position` is
    the first byte not yet given.
    """

    def __init__(self, raw: "BinaryIO | Pieces") -> None:
        self._raw = raw
        head = raw.read(len(BOM))
        self._left = b"" if head == BOM else head
        self.position = len(BOM) if head == BOM else 0
        self.ended = False
        self._counter = DepthCounter()
        self._is_cut = False

    def read(self, size: int = CHUNK_BYTES) -> bytes:
        """The next bytes, about `size` of them; none at the end. Raises TooDeep once all that is not was given, so that
        what is no JSON before that is found first.
        """
        given = b""
        while size and not given:
            if self._is_cut:
                raise TooDeep
            if self.ended:
                break
            more = self._raw.read(size)
            self.ended = not more
            given, self._is_cut = self._counter.take(self._mend(self._left + more))
        self.position += len(given)
        return given

    def _mend(self, data: bytes) -> bytes:
        """The data, mended, but for a tail that may yet be part of a surrogate pair."""
        cut = len(data) if self.ended else _cut(data)
        self._left = data[cut:]
        return SPECIAL.sub(_whole, data[:cut])


def _cut(data: bytes) -> int:
    """Where data can be cut without parting a special sequence: before the first that begins close to the end."""
    close = len(data) - PAIR_BYTES
    if b"\\" not in data[close if close > 0 else 0 :] and b"\xed" not in data[-3:]:
        return len(data)
    for match in SPECIAL.finditer(data):
        if match.start() > close:
            return match.start()
    # A backslash or ED at the very end is no match yet.
    tail = re.search(rb"(?:\\|\xed[\x80-\xbf]?)\Z", data)
    return tail.start() if tail else len(data)


def opened(path: Path) -> BinaryIO:
    """The file, open for reading. Raises UnreadableImport."""
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise UnreadableImport(path, f"{path}: there is no such file or folder.") from None
    except PermissionError:
        raise UnreadableImport(
            path, f"{path} may not be read by this user. Change its permissions, or copy it."
        ) from None
    except OSError as error:
        raise UnreadableImport(path, f"{path} cannot be read: {error.strerror}.") from error


class Pieces:
    """A file that is open only while a piece of it is read: of a server with a thousand channels, a thousand files are
    read side by side, and no process may have as many open.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = 0

    def read(self, size: int) -> bytes:
        """The next bytes; none at the end. Raises UnreadableImport where it is not there to be read, else OSError."""
        with opened(self._path) as raw:
            raw.seek(self._position)
            given = raw.read(size)
        self._position += len(given)
        return given


def values(path: Path, prefix: str, noun: str) -> Iterator[Any]:
    """The JSON values at a prefix (as ijson has it: `messages.item`), one by one, everything else passed over.

    Numbers are int or Decimal. Raises BrokenImport after the last whole value; `noun` is what it calls one of them.
    """
    return _given(path, lambda stream: ijson.items(stream, prefix, buf_size=CHUNK_BYTES), noun)


def members(path: Path, prefix: str, noun: str) -> Iterator[tuple[str, Any]]:
    """The names and values of the JSON object at a prefix, as `values` gives values."""
    return _given(path, lambda stream: ijson.kvitems(stream, prefix, buf_size=CHUNK_BYTES), noun)


UNPARSED = (ijson.JSONError, UnicodeDecodeError, ArithmeticError)
"""What the parser raises: the last for a number with an exponent that no decimal has."""


def _next(parsed: Iterator[Any], *default: Any) -> Any:
    """The next value. Python refuses to read integers of more than 4,300 digits, and the parser would not survive that:
    while it runs, they are read.
    """
    most = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return next(parsed, *default)
    finally:
        sys.set_int_max_str_digits(most)


def _given(path: Path, parse: Callable[[MendedStream], Iterator[Any]], noun: str) -> Iterator[Any]:
    count = 0
    stream = MendedStream(Pieces(path))
    parsed = parse(stream)
    while True:
        try:
            value = _next(parsed)
        except StopIteration:
            return
        except UNPARSED as error:
            raise _unparsed(path, stream, error, f"after {noun} {count}") from error
        except TooDeep:
            raise _too_deep(path, stream) from None
        except OSError as error:
            raise _unreadable(path, stream, error) from error
        count += 1
        yield value


def events(path: Path) -> Iterator[tuple[str, str, Any]]:
    """The parser's events (prefix, event, value), for looking at how a file begins."""
    begun = False
    with opened(path) as raw:
        stream = MendedStream(raw)
        parsed = ijson.parse(stream, buf_size=LOOK_BYTES)
        try:
            while (event := _next(parsed, None)) is not None:
                begun = True
                yield event
        except UNPARSED as error:
            if not begun:
                raise _other_encoding(path) or _no_json(path) from error
            raise _unparsed(path, stream, error, "before its first message") from error
        except TooDeep:
            raise _too_deep(path, stream) from None
        except OSError as error:
            raise _unreadable(path, stream, error) from error


def head(path: Path, size: int) -> bytes:
    """The first bytes of a file."""
    with opened(path) as raw:
        return raw.read(size)


def tail(path: Path, size: int) -> bytes:
    """The last bytes of a file."""
    with opened(path) as raw:
        end = raw.seek(0, io.SEEK_END)
        raw.seek(max(end - size, 0))
        return raw.read(size)


def is_blank(path: Path) -> bool:
    """Whether there is nothing in a file, or nothing but white space."""
    with opened(path) as raw:
        head = raw.read(CHUNK_BYTES)
    return not head.removeprefix(BOM).strip()


def _no_json(path: Path) -> UnknownFormat:
    return UnknownFormat(path, f"{path} is not JSON. dnam reads {'; '.join(FORMATS.values())}.")


def _unparsed(path: Path, stream: MendedStream, error: Exception, place: str) -> UnknownFormat | BrokenImport:
    """What is wrong where the parser stopped: the encoding, or what stands there."""
    other = _other_encoding(path)
    if other is not None:
        return other
    spot = first_not_utf8(path, stream.position) if _is_of_encoding(error) else None
    if spot is None:
        return _broken(path, stream, place)
    return not_utf8(path, f"{place}, at byte {spot.byte} in line {spot.line}")


def not_utf8(path: Path, where: str) -> BrokenImport:
    """A file whose text is of another encoding from some place on."""
    remedy = "Save or export it as UTF-8 and import that: what is here already is not added twice."
    return BrokenImport(path, where, f"{path} is not UTF-8 {where}. {remedy}")


def _is_of_encoding(error: Exception) -> bool:
    return isinstance(error, UnicodeDecodeError) or NO_UTF8 in str(error)


def _other_encoding(path: Path) -> UnknownFormat | None:
    """What is told of a file whose first bytes say that it is in another encoding; None where they do not."""
    begins = head(path, max(map(len, OTHER_BOMS)))
    name = next((name for mark, name in OTHER_BOMS.items() if begins.startswith(mark)), None)
    if name is None:
        return None
    return UnknownFormat(path, f"{path} is in {name}, as its first bytes say, and dnam reads UTF-8. Save it as that.")


class Spot(NamedTuple):
    """A place in a file, its byte and its line counted from one."""

    byte: int
    line: int


def first_not_utf8(path: Path, upto: float = inf) -> Spot | None:
    """Where a file is no UTF-8, the first time among so many bytes; a character that is cut off at its end is not
    meant, nor are lone surrogates, which are mended.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")
    before, line = 0, 1
    with opened(path) as raw:
        while before < upto and (data := raw.read(CHUNK_BYTES)):
            try:
                decoder.decode(data)
            except UnicodeDecodeError as error:
                start = error.start - (len(error.object) - len(data))  # below zero where a character began before
                return Spot(before + start + 1, line + data[: max(start, 0)].count(b"\n"))
            before += len(data)
            line += data.count(b"\n")
    return None


def _broken(path: Path, stream: MendedStream, place: str) -> BrokenImport:
    what, near = ("breaks off", "at") if stream.ended else ("is not JSON any more", "before")
    where = f"{place}, {near} byte {stream.position}"
    remedy = "Export it again and import that: what is here already is not added twice."
    return BrokenImport(path, where, f"{path} {what} {where}. {remedy}")


def _too_deep(path: Path, stream: MendedStream) -> UnknownFormat:
    what = f"{path} is nested more than {MOST_DEPTH} deep"
    return UnknownFormat(path, f"{what} (at byte {stream.position}): nothing dnam reads is.")


def _unreadable(path: Path, stream: MendedStream, error: OSError) -> UnreadableImport:
    return UnreadableImport(path, f"{path} cannot be read past byte {stream.position}: {error.strerror}.")
