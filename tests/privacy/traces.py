"""By bytes: what is left of somebody's words in files, whole and in pieces, in UTF-8 and in UTF-16."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

PIECE = 12
"""Bytes. A shorter piece may stand anywhere by chance."""
STRIDE = 5
"""Pieces begin at every so many bytes: whatever is longer than both together holds one."""
FORMS = ("utf-8", "utf-16-le", "utf-16-be")


def pieces(secret: bytes) -> Iterator[bytes]:
    """A secret whole, and cut into pieces."""
    yield secret
    yield from (secret[at : at + PIECE] for at in range(0, len(secret) - PIECE + 1, STRIDE))


def needles(texts: Iterable[str], raw: Iterable[bytes] = ()) -> set[bytes]:
    """All that must not be found of these texts and bytes."""
    spelled = [text.encode(form) for text in texts for form in FORMS]
    found = {piece for secret in (*spelled, *raw) for piece in pieces(secret)}
    assert all(len(each) >= PIECE for each in found), "too short to be told from chance"
    return found


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file under a folder, LMDB's lock tables too; one that is removed meanwhile holds nothing."""
    found: dict[str, bytes] = {}
    for each in sorted(folder.rglob("*")):
        with suppress(FileNotFoundError, IsADirectoryError):
            found[str(each.relative_to(folder))] = each.read_bytes()
    return found


def found_in(files: Mapping[str, bytes], searched: Iterable[bytes]) -> set[tuple[str, bytes]]:
    """Which file holds which piece."""
    wanted = list(searched)
    return {(name, each) for name, data in files.items() for each in wanted if each in data}
