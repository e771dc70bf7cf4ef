"""Checkpoints: a log's tree heads, signed by it, to be kept elsewhere; and knowing them again.

    dnam/0123…cdef
    1042
    mB5x…Wow=                             the tree head (tree_head.py)

    — dnam/0123…cdef Kd1f…BA==            who signed it (notes.py)

The key that signs lies beside the key ring and names the log. It is made when a checkpoint is first asked for; nothing
that only looks makes one. The last checkpoint is kept beside it, because a log must never sign one that contradicts an
earlier one: where the log was cut, or an older copy was put in its place, the next is refused.

    keys/checkpoint-key      the signing key, one line (notes.py)
    keys/checkpoint-last     the last checkpoint that was signed

A log that goes on from a copy is another log from there: `new_origin` gives it a name and a key of its own.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from projections.errors import BadRequest
from replay.errors import (
    CheckpointAhead,
    ForeignCheckpoint,
    HistoryRewritten,
    LogError,
    NotACheckpoint,
    SigningKeyUnusable,
    UnknownSigner,
)
from replay.folder import make_private, replace_file
from replay.lmdb_file import translated
from replay.log import Head, Log
from replay.notes import Note, Signer, Verifier
from replay.store import DiskStore
from replay.tree_head import Checkpoint, grown_since

KEY_FILE, LAST_FILE = "checkpoint-key", "checkpoint-last"


# -- the key -------------------------------------------------------------------------------------------------------


def origin_of(log_id: bytes) -> str:
    """The name of a log that was begun here."""
    return f"dnam/{log_id.hex()}"


def read_signer(keys: Path, log_id: bytes) -> Signer | None:
    """The key that signs this log's checkpoints; None when none was made, or it is lost.

    SigningKeyUnusable when it cannot be read or belongs to another log.
    """
    path = keys / KEY_FILE
    try:
        signer = Signer.parse(path.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SigningKeyUnusable(
            f"{path} cannot be read as a signing key ({error}). Put it back from where you keep the `keys` folder; "
            "or move it away, and the next `dnam checkpoint` makes another"
        ) from error
    if not _is_of(signer.name, log_id):
        raise SigningKeyUnusable(
            f"{path} signs for {signer.name}, and this log is {origin_of(log_id)}. Put this log's own back, or move it "
            "away, and the next `dnam checkpoint` makes one"
        )
    return signer


def _is_of(origin: str, log_id: bytes) -> bool:
    """Whether this names a log, or one that went on from a copy of it."""
    return origin == origin_of(log_id) or origin.startswith(f"{origin_of(log_id)}/")


def new_origin(keys: Path, log_id: bytes) -> Signer:
    """A name and a key of its own for a log that goes on from a copy of another; the write lock must be held.

    Until it is called, a copy signs as the log that it was copied from.
    """
    return _make(keys, f"{origin_of(log_id)}/{os.urandom(8).hex()}")


def _make(keys: Path, origin: str) -> Signer:
    signer = Signer.fresh(origin)
    with translated(keys):
        make_private(keys)
        replace_file(keys / KEY_FILE, f"{signer.encoded()}\n".encode())
    return signer


def _last(keys: Path) -> Checkpoint | None:
    """The last checkpoint that was signed here. It is ours already: it lies beside the key that could sign another."""
    path = keys / LAST_FILE
    try:
        return Checkpoint.parse(Note.parse(path.read_bytes()).text)
    except FileNotFoundError:
        return None
    except NotACheckpoint as error:
        raise NotACheckpoint(
            f"{path}: {error}. Put it back, or remove it, and the next is signed without it"
        ) from error


def last_signed(keys: Path, log_id: bytes) -> Checkpoint | None:
    """The last checkpoint that the log's own key signed; None where there is none, or nobody can say."""
    with suppress(LogError, OSError):
        signer, last = read_signer(keys, log_id), _last(keys)
        if signer is not None and last is not None and last.origin == signer.name:
            return last
    return None


# -- signing -------------------------------------------------------------------------------------------------------

KeyIs = Literal["kept", "first", "anew"]
"""Whether the key was there, is the first, or was made because the one before is lost."""


class Signed(NamedTuple):
    """A checkpoint as a note, the head it is of, and who signed it."""

    checkpoint: Checkpoint
    note: str
    head: Head
    verifier: Verifier
    key_is: KeyIs


def sign(store: DiskStore, *, anew: bool = False) -> Signed:
    """Sign the log's head, under the write lock; `anew` gives it a new origin first.

    Makes the key when there is none. CheckpointAhead or HistoryRewritten when that would contradict the last one.
    """
    keys = store.path / "keys"
    with store.lock:
        store.refresh()
        head, last = store.log.head(), _last(keys)
        signer, key_is = _signer(keys, store.log.id, last, anew=anew)
        checkpoint = Checkpoint(signer.name, head.size, head.root())
        if last is not None and last.origin == checkpoint.origin:
            _refuse_contradiction(store.log, last, checkpoint)
        note = signer.sign(checkpoint.text())
        if checkpoint != last or key_is != "kept":
            with translated(keys):
                replace_file(keys / LAST_FILE, note.encode())
    return Signed(checkpoint, note, head, signer.verifier(), key_is)


def _signer(keys: Path, log_id: bytes, last: Checkpoint | None, *, anew: bool) -> tuple[Signer, KeyIs]:
    if anew:
        return new_origin(keys, log_id), "first"
    if (signer := read_signer(keys, log_id)) is not None:
        return signer, "kept"
    if last is not None and _is_of(last.origin, log_id):
        return _make(keys, last.origin), "anew"
    return _make(keys, origin_of(log_id)), "first"


def _refuse_contradiction(log: Log, last: Checkpoint, now: Checkpoint) -> None:
    try:
        grown_since(log, last, now.size, now.root)
    except (CheckpointAhead, HistoryRewritten) as error:
        raise type(error)(
            f"this would contradict the last checkpoint that was signed: {error}. To go on from here as a log of its "
            "own, sign with `dnam checkpoint --new-origin`"
        ) from error


# -- holding one against the log -----------------------------------------------------------------------------------


def verifier_of(text: str) -> Verifier:
    """A verifier key as somebody typed it. BadRequest when it is none."""
    try:
        return Verifier.parse(text.strip())
    except ValueError as error:
        raise BadRequest(f"this is no verifier key as `dnam checkpoint` prints it: {error}") from error


def opened(data: bytes, store: DiskStore, verifier: Verifier | None = None) -> Checkpoint:
    """A checkpoint that was kept, once it is seen to be this log's own.

    It is held against the verifier key that is handed in, else against the log's own. With the key of a log that this
    one went on from as a copy, that log's checkpoints are taken too. NotACheckpoint, ForeignCheckpoint, UnknownSigner
    and ForgedCheckpoint are what it may turn out to be.
    """
    note = Note.parse(data)
    checkpoint = Checkpoint.parse(note.text)
    signer = read_signer(store.path / "keys", store.log.id) if verifier is None else None
    if verifier is None and signer is not None:
        verifier = signer.verifier()
    _check_origin(checkpoint.origin, store.log.id, verifier)
    if verifier is None:
        raise UnknownSigner(
            f"there is no {KEY_FILE} in {store.path / 'keys'} to check the checkpoint's signature with. Give the "
            "verifier key that `dnam checkpoint` printed: --vkey 'name+id+key'"
        )
    try:
        note.check(verifier)
    except UnknownSigner as error:
        raise UnknownSigner(
            f"the checkpoint is {error}. If the log's key was made anew since, give the verifier key of then: --vkey"
        ) from error
    return checkpoint


def _check_origin(origin: str, log_id: bytes, verifier: Verifier | None) -> None:
    if not _is_of(origin, log_id):
        raise ForeignCheckpoint(f"the checkpoint is of another log: of {origin}, and this is {origin_of(log_id)}")
    if verifier is not None and verifier.name != origin:
        raise ForeignCheckpoint(
            f"the checkpoint is of {origin}, and the key is that of {verifier.name}: one of them went on from a copy "
            "of the other. To hold this log against it, give that log's verifier key with --vkey"
        )
