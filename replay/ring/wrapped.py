"""The key ring in a backup: its records, sealed under a passphrase.

scrypt (RFC 7914) makes a key of the passphrase, with a random salt and the cost that stands in the file; AES-256-GCM
seals the records with it. The default cost takes 128 MiB and about half a second (OWASP's first choice for scrypt).
"""

import os
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from replay.backups.manifest import Checked, decoded, encoded
from replay.errors import DamagedBackup, WrongPassphrase
from replay.ring.records import RingRecord, pack, unpack

NAME = "keys.json"
SALT, NONCE = 16, 12


class Cost(NamedTuple):
    """scrypt's parameters: memory is 128·n·r bytes."""

    n: int = 1 << 17
    r: int = 8
    p: int = 1


MOST = Cost(1 << 21, 32, 16)
"""A file that asks for more is refused: it would take all the memory there is."""


class Wrapping(NamedTuple):
    """How keys are wrapped: under which passphrase, at which cost."""

    passphrase: str
    cost: Cost = Cost()


class WrappedKeys(Checked, frozen=True, kw_only=True):
    """The file. Bytes stand in hex."""

    kdf: str = "scrypt"
    cost: Cost
    salt: str
    cipher: str = "AES-256-GCM"
    nonce: str
    sealed: str


def _key(wrapping: Wrapping, salt: bytes) -> AESGCM:
    passphrase = unicodedata.normalize("NFC", wrapping.passphrase.strip()).encode()
    n, r, p = wrapping.cost
    return AESGCM(Scrypt(salt=salt, length=32, n=n, r=r, p=p).derive(passphrase))


def wrapped(records: Iterable[RingRecord], wrapping: Wrapping, log: str) -> bytes:
    """The file's bytes for these records; `log` is the log's id in hex, which they are bound to."""
    salt, nonce = os.urandom(SALT), os.urandom(NONCE)
    sealed = _key(wrapping, salt).encrypt(nonce, pack(records), log.encode())
    return encoded(WrappedKeys(cost=wrapping.cost, salt=salt.hex(), nonce=nonce.hex(), sealed=sealed.hex()))


def read_wrapped(path: Path) -> WrappedKeys:
    """What a file says, still sealed. DamagedBackup when it is not there, or not what was written."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DamagedBackup(f"{path} cannot be read: {error.strerror}") from error
    keys = decoded(data, WrappedKeys, path)
    if any(value > most for value, most in zip(keys.cost, MOST, strict=True)):
        raise DamagedBackup(f"{path} asks for more memory or work than any passphrase needs: {keys.cost}")
    return keys


def unwrapped(path: Path, passphrase: str, log: str) -> list[RingRecord]:
    """The records in a file. DamagedBackup when it is not what was written, WrongPassphrase when it does not open."""
    keys = read_wrapped(path)
    try:
        cipher = _key(Wrapping(passphrase, keys.cost), bytes.fromhex(keys.salt))
        opened = cipher.decrypt(bytes.fromhex(keys.nonce), bytes.fromhex(keys.sealed), log.encode())
    except InvalidTag:
        raise WrongPassphrase(f"the passphrase does not open {path}. Nothing was changed") from None
    except ValueError as error:
        raise DamagedBackup(f"{path} cannot be used: {error}") from error
    return [each.record for each in unpack(opened)]
