"""Sealing bodies, and opening them again: AES-256-GCM, a random nonce of 12 bytes in front, the header as associated
data.
"""

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from projections.events import Event
from projections.fold import Record
from projections.ids import UNSEALED, EventId, VaultId
from replay import codec
from replay.codec import Header
from replay.errors import Damaged
from replay.log import StoredEvent
from replay.ring.keyring import KeyRing

NONCE = 12
MOST_CIPHERS = 4096
"""How many ready ciphers are kept; making one takes about a microsecond."""


class Sealer:
    """Seals and opens with the keys of a ring. `forget` drops the ciphers after an erasure."""

    def __init__(self, ring: KeyRing) -> None:
        self._ring = ring
        self._ciphers: dict[VaultId, AESGCM] = {}

    def forget(self) -> None:
        """Drop every cached cipher: a key may have been destroyed."""
        self._ciphers = {}

    def _cipher(self, vault: VaultId) -> AESGCM:
        cipher = self._ciphers.get(vault)
        if cipher is None:
            if len(self._ciphers) >= MOST_CIPHERS:
                self._ciphers = {}
            cipher = self._ciphers[vault] = AESGCM(self._ring.key(vault))
        return cipher

    def seal(self, event: Event, header: Header) -> tuple[bytes, bytes]:
        """The header's and the body's bytes; `header` comes without a digest."""
        body, bound = codec.encode_body(event), codec.associated(header)
        if header.vault != UNSEALED:
            nonce = os.urandom(NONCE)
            body = nonce + self._cipher(header.vault).encrypt(nonce, body, bound)
        return codec.header_around(bound, codec.digest(body)), body

    def open(self, header: Header, body: bytes) -> Event:
        """The event in a body. Damaged when the body is not the one that was sealed, KeyMissing when it is locked."""
        if header.vault != UNSEALED:
            cipher = self._cipher(header.vault)
            try:
                body = cipher.decrypt(body[:NONCE], body[NONCE:], codec.associated(header))
            except (InvalidTag, ValueError) as error:
                raise Damaged(f"the body of a {header.tag} does not fit its seal") from error
        elif codec.digest(body) != header.body_digest:
            raise Damaged(f"the body of a {header.tag} is not what was written")
        return codec.decode_body(header.tag, header.tag_version, body)

    def record(self, stored: StoredEvent, erased: frozenset[VaultId]) -> Record | None:
        """What a fold sees of a stored event, or None when its body was dropped or its key destroyed."""
        return self.opened(stored, codec.decode_header(stored.header), erased)

    def opened(self, stored: StoredEvent, header: Header, erased: frozenset[VaultId]) -> Record | None:
        """The same, with the header decoded already."""
        if stored.body is None or header.vault in erased:
            return None
        try:
            event = self.open(header, stored.body)
        except Damaged as error:
            raise Damaged(f"event #{stored.seq}: {error}") from error
        return Record(stored.seq, EventId(header.id), header.at, event)
