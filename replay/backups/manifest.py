"""What a backup says of itself: one JSON file, replaced in one step, that names every file which counts.

It ends in a digest of its own, so that a changed byte in it is noticed. That is no signature: who can write in the
place can write all of it anew. Holding a restored log against a checkpoint (`dnam verify --since`) is the answer to
that.
"""

from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from replay import codec
from replay.backups.pieces import Piece
from replay.errors import DamagedBackup, NotABackup
from replay.folder import replace_file
from replay.log import EMPTY, Head

FORMAT = 1
"""The version of everything in a backup. A program reads none of a higher one."""
NAME = "manifest.json"


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON file with a format and a digest over all the rest."""

    format: int = FORMAT
    digest: str = ""


class Manifest(Checked, frozen=True, kw_only=True):
    """A backup: of which log, up to which event, when (ms since 1970), in which files. Bytes stand in hex.

    `run` counts the runs of `backup` on it; `facts` is how many the ledger had.
    """

    log: str
    key_check: str
    made: int
    run: int
    size: int
    at: int
    epoch: int
    root: str
    nodes: tuple[str, ...]
    keys: bool
    facts: int
    pieces: tuple[Piece, ...]

    def head(self) -> Head:
        """Where the log ended."""
        return Head(self.size, self.at, self.epoch, tuple(map(bytes.fromhex, self.nodes)))


def first_manifest(log_id: bytes, key_check: bytes) -> Manifest:
    """That of a backup which holds nothing yet."""
    return Manifest(
        log=log_id.hex(),
        key_check=key_check.hex(),
        made=0,
        run=0,
        size=0,
        at=0,
        epoch=0,
        root=EMPTY.root().hex(),
        nodes=(),
        keys=False,
        facts=0,
        pieces=(),
    )


T = TypeVar("T", bound=Checked)


def encoded(value: Checked) -> bytes:
    """The file's bytes, for people too; with a digest over everything else in it."""
    data = msgspec.json.encode(msgspec.structs.replace(value, digest=_digest(value)))
    return msgspec.json.format(data, indent=1) + b"\n"


def _digest(value: Checked) -> str:
    return sha256(msgspec.json.encode(msgspec.structs.replace(value, digest=""))).hexdigest()


def decoded(data: bytes, kind: type[T], path: Path) -> T:
    """What a file says. NotABackup when it is of a newer form, DamagedBackup when it is not what was written."""
    try:
        form = msgspec.json.decode(data, type=Checked).format
        if form > FORMAT:
            raise NotABackup(
                f"{path} has the form {form}, and this program knows up to {FORMAT}. Install the version of dnam that "
                "wrote it"
            )
        value = msgspec.json.decode(data, type=kind)
    except codec.UNREADABLE as error:
        raise DamagedBackup(f"{path} cannot be read: {error}") from error
    if _digest(value) != value.digest:
        raise DamagedBackup(f"{path} is not what was written")
    return value


def read_manifest(place: Path) -> Manifest | None:
    """The manifest of a backup; None where there is none."""
    path = place / NAME
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DamagedBackup(f"{path} cannot be read: {error.strerror}") from error
    return decoded(data, Manifest, path)


def write_manifest(place: Path, manifest: Manifest) -> int:
    """Put a manifest in force, in one step; its bytes."""
    data = encoded(manifest)
    replace_file(place / NAME, data)
    return len(data)
