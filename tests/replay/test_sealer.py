"""Sealing: what binds a body to its header, and what lies in the clear."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from projections.events import EVENTS, UNSEALED_TAGS, ConfigSet, PersonOptedOut
from projections.events.values import OPERATOR
from projections.ids import UNSEALED, EventId, Seq, VaultId
from replay import codec
from replay.codec import Header
from replay.engine import Engine
from replay.errors import Damaged, KeyMissing
from replay.log import StoredEvent
from replay.ring.keyring import KeyRing
from replay.ring.store import MemoryRingStore
from replay.sealer import MOST_CIPHERS, Sealer
from tests.generator import fixed_story
from tests.replay.stage import FakeClock, tell
from tests.world import NOW, handle

EVENT = ConfigSet(said=NOW, by=OPERATOR, scope="global", key="tone", value="gruff")
OPTED_OUT = PersonOptedOut(said=NOW, by=OPERATOR, hashes=(b"h" * 32,))


@pytest.fixture
def ring() -> KeyRing:
    return KeyRing.create(MemoryRingStore())


def header(ring: KeyRing) -> Header:
    vault = ring.set_vault(frozenset({handle("P")}))
    return Header(1, EventId(b"i" * 16), NOW, 0, EVENT.TAG, 1, vault, b"")


def test_what_was_sealed_is_opened(ring: KeyRing) -> None:
    sealer = Sealer(ring)
    data, body = sealer.seal(EVENT, header(ring))
    sealed = codec.decode_header(data)
    assert sealed.body_digest == codec.digest(body)
    assert sealed._replace(body_digest=b"") == header(ring)
    assert sealer.open(sealed, body) == EVENT
    assert codec.encode_body(EVENT) not in body
    assert b"gruff" not in body


def test_no_two_bodies_share_a_nonce(ring: KeyRing) -> None:
    sealer = Sealer(ring)
    bodies = [sealer.seal(EVENT, header(ring))[1] for _ in range(200)]
    assert len({body[:12] for body in bodies}) == 200
    assert len(set(bodies)) == 200


OTHER = {
    "version": 2,
    "id": EventId(b"j" * 16),
    "at": NOW + 1,
    "left": 1,
    "tag": "person.noted",
    "tag_version": 2,
}


@pytest.mark.parametrize("field", [*OTHER, "vault"])
def test_the_seal_binds_every_field_of_the_header(ring: KeyRing, field: str) -> None:
    sealer = Sealer(ring)
    data, body = sealer.seal(EVENT, header(ring))
    other: Any = OTHER[field] if field in OTHER else ring.set_vault(frozenset({handle("Q")}))
    changed = codec.decode_header(data)._replace(**{field: other})
    with pytest.raises(Damaged, match=r"the body of a [a-z.]+ does not fit its seal"):
        sealer.open(changed, body)


def test_all_seven_fields_are_bound() -> None:
    assert [*OTHER, "vault"] == list(Header._fields[:7])


@pytest.mark.parametrize("at", [0, 11, 12, 20, -1])
def test_a_flipped_bit_in_a_body_is_noticed(ring: KeyRing, at: int) -> None:
    sealer = Sealer(ring)
    data, body = sealer.seal(EVENT, header(ring))
    broken = bytearray(body)
    broken[at] ^= 1
    stored = StoredEvent(Seq(7), data, bytes(broken))
    with pytest.raises(Damaged, match="event #7"):
        sealer.record(stored, frozenset())


def test_a_body_that_is_too_short_is_damaged(ring: KeyRing) -> None:
    sealer = Sealer(ring)
    data, _ = sealer.seal(EVENT, header(ring))
    for body in (b"", b"short", b"x" * 12):
        with pytest.raises(Damaged):
            sealer.open(codec.decode_header(data), body)


def test_a_flipped_bit_in_an_unsealed_body_is_noticed(ring: KeyRing) -> None:
    sealer = Sealer(ring)
    clear = Header(1, EventId(b"i" * 16), NOW, 0, OPTED_OUT.TAG, 1, UNSEALED, b"")
    data, body = sealer.seal(OPTED_OUT, clear)
    assert body == codec.encode_body(OPTED_OUT)
    assert sealer.open(codec.decode_header(data), body) == OPTED_OUT
    with pytest.raises(Damaged, match=r"person\.opted_out is not what was written"):
        sealer.open(codec.decode_header(data), body.replace(b"h", b"i", 1))


def test_dropped_and_erased_bodies_are_no_record(ring: KeyRing) -> None:
    sealer = Sealer(ring)
    data, body = sealer.seal(EVENT, header(ring))
    vault = codec.decode_header(data).vault
    assert sealer.record(StoredEvent(Seq(1), data, None), frozenset()) is None
    assert sealer.record(StoredEvent(Seq(1), data, body), frozenset({vault})) is None
    found = sealer.record(StoredEvent(Seq(1), data, body), frozenset())
    assert found is not None
    assert (found.seq, found.id, found.at, found.event) == (1, b"i" * 16, NOW, EVENT)


def test_a_destroyed_key_opens_nothing_once_the_ciphers_are_dropped(ring: KeyRing) -> None:
    sealer = Sealer(ring)
    data, body = sealer.seal(EVENT, header(ring))
    sealed = codec.decode_header(data)
    ring.flush()
    ring.destroy(frozenset({VaultId(sealed.vault)}))
    sealer.forget()
    with pytest.raises(KeyMissing):
        sealer.open(sealed, body)


def test_not_every_cipher_is_kept(ring: KeyRing) -> None:
    sealer = Sealer(ring)
    sealed = [
        sealer.seal(EVENT, header(ring)._replace(vault=ring.labelled_vault(f"place {n}")))
        for n in range(MOST_CIPHERS + 3)
    ]
    for data, body in (sealed[0], sealed[-1]):
        assert sealer.open(codec.decode_header(data), body) == EVENT


def test_exactly_these_tags_lie_in_the_clear(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        tell(engine, fixed_story(10).decisions())
        clear: set[str] = set()
        for stored in engine.store.log.read(0):
            head = codec.decode_header(stored.header)
            if stored.body is None:
                continue
            if head.vault == UNSEALED:
                clear.add(head.tag)
                assert isinstance(msgspec.msgpack.decode(stored.body), dict)
            assert head.body_digest == codec.digest(stored.body)
    assert clear == {
        "person.opted_out",
        "rederivation.adopted",
        "person.opted_in",
        "person.erased",
        "erasure.completed",
        "message.redacted",
    }
    assert clear == UNSEALED_TAGS & {kind.TAG for kind in EVENTS}
