"""Vectors of what was said and remembered. They are personal data: each lies sealed under the key of its text's vault.

    data/vectors/CURRENT     the folder in force, as the views have it
    of <encoder>     vault (16) ‖ address (16) → nonce (12) ‖ AES-256-GCM of the numbers, a byte each
    rows             seq (8) → vault ‖ address         which text the row has that an event made
    meta             "in force" → the encoder whose vectors are searched

An address is the first half of HMAC-SHA-256 of the text under the vault's key: without the key nobody can try whether
somebody said a thing. Associated data: the encoder's name, and where it lies. The folder can be deleted at will, and is
filled again. A vector whose vault has no key in the ring, or that does not open, is not there.
"""

import hmac
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from projections.ids import Seq, VaultId
from projections.vectors import Doubles, Numbers, Places, cosines, squares
from projections.vectors_texts import Held
from replay.folder import Stamp
from replay.ring.keyring import KeyRing
from replay.sealer import NONCE
from replay.vectors.folder import IN_FORCE, META, VectorsFolder
from replay.vectors.opened import NONE, Opened, Some, bytes_in_memory

ROWS = b"rows"
_TAG = 16
_AT_ONCE = 4096
"""How many vectors are opened at once: 4 MB of 1,024 numbers."""


class _Place(NamedTuple):
    """Where a text's vector lies, and the key it is sealed with."""

    address: bytes
    key: bytes


class Vectors:
    """The vectors of a data folder. Nothing is opened or made before it is needed. For several threads at once."""

    def __init__(self, path: Path, ring: KeyRing, *, writable: bool) -> None:
        self._ring = ring
        self._opened = Opened()
        self._broken: set[bytes] = set()
        self._times_let_go = 0
        self._folder = VectorsFolder(path, writable=writable, changed=self._opened.clear)

    # -- looking -----------------------------------------------------------------------------------------------------

    def in_force(self) -> str:
        """The encoder whose vectors are searched; empty where there are none."""
        return self._folder.in_force()

    def encoders(self) -> list[str]:
        """Every encoder of which there are vectors."""
        return [_encoder(name) for name in self._folder.names() if name != ROWS]

    def size(self, encoder: str) -> int:
        """How many vectors there are of an encoder."""
        with self._folder.reading(_table(encoder)) as found:
            return 0 if found is None else int(found[0].stat(found[1])["entries"])

    def cosines(self, encoder: str, query: Numbers, seqs: Sequence[Seq] | Places) -> Doubles:
        """The cosine of a query with the text of each row that these events made; not a number for what has no vector,
        or one that does not open. All that are there are compared, however many: what memory has no room for is opened
        anew for each question, some at a time.

        ValueError where the query is of another length than the encoder's vectors.
        """
        wanted = np.asarray(seqs, np.int64)
        found = np.full(len(wanted), np.nan)
        with self._folder.reading(_table(encoder), ROWS) as tables, self._opened.lock:
            if tables is None:
                return found
            self._opened.only(encoder, self._ring.vaults.keys())
            rows = self._opened.ask(wanted)
            there, lacking = rows != NONE, rows == NONE
            if there.any():
                found[there] = self._opened.cosines(query, rows[there])
            new = np.unique(wanted[lacking])
            values = np.full(len(new), np.nan)
            for start in range(0, len(new), _AT_ONCE):
                some = new[start : start + _AT_ONCE]
                opened = self._open(encoder, some.tolist(), *tables)
                if opened is not None:
                    at = start + some.searchsorted(opened.seqs)
                    values[at] = cosines(query, opened.numbers, squares(opened.numbers))
                    self._opened.keep(opened)
            found[lacking] = values[new.searchsorted(wanted[lacking])]
        return found

    def get(self, encoder: str, seqs: Sequence[Seq]) -> list[Numbers | None]:
        """The vectors of the texts of the rows that these events made; None for what is not there or does not open."""
        with self._folder.reading(_table(encoder), ROWS) as tables:
            if tables is None:
                return [None] * len(seqs)
            opened = self._open(encoder, seqs, *tables)
        by_seq = {} if opened is None else dict(zip(opened.seqs.tolist(), opened.numbers, strict=True))
        return [by_seq.get(seq) for seq in seqs]

    def keep_at_most(self, most_bytes: int) -> None:
        """Keep no more than so many bytes of vectors in memory from now on."""
        self._opened.most_bytes = most_bytes
        self._opened.clear()

    def bytes_of(self, encoder: str) -> int:
        """How much memory all vectors of an encoder take once they are opened."""
        with self._folder.reading(_table(encoder)) as found:
            if found is None:
                return 0
            transaction, of = found
            first = next(transaction.cursor(db=of).iternext(keys=False), b"")
            return int(transaction.stat(of)["entries"]) * bytes_in_memory(len(first) - NONCE - _TAG)

    def in_memory(self) -> list[Seq]:
        """Of which texts a vector is in memory, by the seqs of the events that made their rows."""
        return self._opened.seqs

    def let_go(self, seqs: Collection[Seq] | None = None) -> None:
        """Keep no vector in memory of what these events said: their bodies were dropped. None: of anything. It waits
        for no disk: whoever looks at the rows, or records, has nothing to do with what is written here.
        """
        with self._opened.lock:
            if seqs is None:
                self._opened.clear()
            else:
                self._opened.forget(seqs)
            self._times_let_go += seqs is None or len(seqs) > 0

    def mark(self) -> int:
        """Another one whenever something was let go."""
        return self._times_let_go

    def warm(self, encoder: str, texts: Iterable[Held], mark: int) -> None:
        """Open the vectors of these texts ahead, so that the first question need not: as far as there is room, and of
        the encoder that is searched. `mark` is that of before the rows with these texts were looked at: where something
        was let go since, a text may be gone, and none is opened.
        """
        if encoder != self.in_force():
            return
        wanted = np.unique(np.array([each.seq for each in texts], np.int64))
        with self._folder.reading(_table(encoder), ROWS) as tables, self._opened.lock:
            if tables is None or mark != self._times_let_go:
                return
            self._opened.only(encoder, self._ring.vaults.keys())
            opened = self._open(encoder, wanted[self._opened.rows(wanted) == NONE].tolist(), *tables)
            if opened is not None:
                most = max(self._opened.room(opened.numbers.shape[1]), 0)
                self._opened.keep(Some(opened.seqs[:most], opened.numbers[:most], opened.vaults))

    def missing(self, encoder: str, texts: Iterable[Held]) -> list[Held]:
        """Those of which the encoder has no vector yet, each text of a vault once. For a vault without a key nothing is
        made.
        """
        places = ((each, self._place(each)) for each in texts)
        wanted = {place.address: each for each, place in places if place is not None}
        with self._folder.reading(_table(encoder)) as found:
            if found is None:
                return list(wanted.values())
            transaction, table = found
            there = {each for each in wanted if transaction.get(each, db=table) is not None} - self._broken
            return [each for address, each in wanted.items() if address not in there]

    def untold(self, texts: Iterable[Held]) -> list[Held]:
        """Those whose rows are not known to have the text yet."""
        places = ((each, self._place(each)) for each in texts)
        wanted = [(each, place.address) for each, place in places if place is not None]
        with self._folder.reading(ROWS) as found:
            if found is None:
                return [each for each, _ in wanted]
            transaction, rows = found
            return [each for each, address in wanted if transaction.get(_seq(each.seq), db=rows) != address]

    def stamp(self) -> Stamp | None:
        """Changes whenever another folder is in force: what was put meanwhile may be lost."""
        return self._folder.stamp()

    # -- writing -----------------------------------------------------------------------------------------------------

    def put(self, encoder: str, texts: Iterable[Held], made: Mapping[str, Numbers]) -> None:
        """Keep what was made of these texts, and which row has which. A text that nothing was made of has the vector
        that is there already, if one is. The first encoder with vectors is in force.

        ValueError where a length is not that of the encoder's others. CannotWrite where the disk does not take it.
        """
        with self._folder.writing(_table(encoder), ROWS, META) as (transaction, of, rows, meta):
            transaction.put(IN_FORCE, encoder.encode(), db=meta, overwrite=False)
            for text in texts:
                place = self._place(text)
                if place is None:  # erased meanwhile
                    continue
                if text.text in made:
                    self._put(encoder, place, made[text.text], transaction, of)
                if transaction.get(place.address, db=of) is not None:
                    transaction.put(_seq(text.seq), place.address, db=rows)
                    self._opened.forget([text.seq])

    def swap(self, encoder: str) -> None:
        """Put an encoder in force whose vectors are complete; those of all others go."""
        own = (_table(encoder), ROWS)
        self._folder.copy(lambda entry: entry[0] in own, encoder)

    def drop(self, vaults: Collection[VaultId]) -> int:
        """Remove what lies in these vaults, which were erased; how many vectors that were."""
        gone = frozenset(vaults)
        removed = self._folder.without(lambda entry: entry[2 if entry[0] == ROWS else 1][:16] not in gone)
        return sum(table != ROWS for table, _, _ in removed)

    def keep_only(self, texts: Iterable[Held], encoders: Collection[str]) -> int:
        """Remove all but the vectors of these texts by these encoders, since no row holds the others any more; how many
        that were.
        """
        tables, addresses, seqs = {_table(each) for each in encoders}, set[bytes](), set[bytes]()
        for each in texts:
            place = self._place(each)
            if place is not None:
                addresses.add(place.address)
                seqs.add(_seq(each.seq))
        removed = self._folder.without(
            lambda entry: entry[1] in seqs if entry[0] == ROWS else entry[0] in tables and entry[1] in addresses
        )
        return sum(table != ROWS for table, _, _ in removed)

    def close(self) -> None:
        """Let every file go."""
        self._folder.close()

    def stand_on(self, ring: KeyRing, *, writable: bool) -> None:
        """Go on with this ring, and write from now on or no more."""
        self._ring = ring
        self._folder.close(writable=writable)

    # -- one vector --------------------------------------------------------------------------------------------------

    def _place(self, text: Held) -> _Place | None:
        """Where a text's vector lies; None where its vault has no key."""
        vault = self._ring.vaults.get(text.vault)
        if vault is None:
            return None
        return _Place(text.vault + hmac.digest(vault.key, b"text " + text.text.encode(), "sha256")[:16], vault.key)

    def _put(self, encoder: str, place: _Place, numbers: Numbers, transaction: Any, of: Any) -> None:
        first = next(transaction.cursor(db=of).iternext(keys=False), None)
        if first is not None and len(first) != NONCE + len(numbers) + _TAG:
            raise ValueError(f"{encoder} makes vectors of {len(first) - NONCE - _TAG} numbers, not of {len(numbers)}")
        if transaction.get(place.address, db=of) is not None:
            self._opened.clear()  # other rows may have it too
        nonce = os.urandom(NONCE)
        sealed = AESGCM(place.key).encrypt(nonce, numbers.tobytes(), encoder.encode() + place.address)
        transaction.put(place.address, nonce + sealed, db=of)
        self._broken.discard(place.address)

    def _open(self, encoder: str, seqs: Sequence[int], transaction: Any, of: Any, rows: Any) -> Some | None:
        """Open what these rows have; None where nothing of it is there."""
        ciphers: dict[VaultId, AESGCM] = {}
        found: list[int] = []
        numbers: list[bytes] = []
        name = encoder.encode()
        for seq in seqs:
            address = transaction.get(_seq(seq), db=rows)
            sealed = None if address is None else transaction.get(address, db=of)
            if sealed is None:
                continue
            vault = address[:16]
            if vault not in ciphers and not self._has_cipher(vault, ciphers):
                continue
            try:
                numbers.append(ciphers[vault].decrypt(sealed[:NONCE], sealed[NONCE:], name + address))
            except (InvalidTag, ValueError):
                self._broken.add(address)  # it is made again
            else:
                found.append(seq)
        if not found:
            return None
        matrix = np.frombuffer(bytearray().join(numbers), np.int8).reshape(len(found), -1)
        return Some(np.array(found), matrix, ciphers.keys())

    def _has_cipher(self, vault: VaultId, ciphers: dict[VaultId, AESGCM]) -> bool:
        """Whether there is what opens a vault's vectors; it is among these then, and goes with them."""
        there = self._ring.vaults.get(vault)
        if there is not None:
            ciphers[vault] = AESGCM(there.key)
        return there is not None


def _table(encoder: str) -> bytes:
    return b"of " + encoder.encode()


def _encoder(table: bytes) -> str:
    return table.removeprefix(b"of ").decode()


def _seq(seq: int) -> bytes:
    return seq.to_bytes(8, "big")
