"""Events that come back from another log: as they were, once, and nothing of theirs is decided anew."""

from pathlib import Path

import pytest

from projections.decisions.draft import Draft
from projections.decisions.given import Given, GivenVault, VaultKind, lost
from projections.events import ConfigSet, Event, MessageRedacted, PersonErased
from projections.events.people import PersonNoted
from projections.events.values import OPERATOR
from projections.ids import UNSEALED, Handle, VaultId
from projections.registry import FOLD
from replay import codec
from replay.codec import Header
from replay.engine import Engine
from replay.errors import KeyMissing, Refused
from replay.folding import Folding
from replay.ring.keyring import ERA, KINDS, LABELLED, SET
from replay.store import DiskStore
from replay.verify import verify
from tests.replay.stage import FakeClock, drafts, event_id, setting
from tests.world import NOW, handle

ADA, KIM = handle("Ada"), handle("Kim")
OWN, ROOM = VaultId(b"a" * 16), VaultId(b"r" * 16)
LABEL = b"l" * 16


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine.open(tmp_path / "data", create=True, clock=FakeClock(NOW + 10_000))


def note(person: Handle = ADA, text: str = "likes tea") -> PersonNoted:
    return PersonNoted(said=NOW, by=OPERATOR, person=person, note=text)


def ring(vault: VaultId = OWN, *people: Handle, kind: VaultKind = "set") -> GivenVault:
    return GivenVault(vault, kind, LABEL, frozenset(people or (ADA,)))


def back(name: str, event: Event, given: Given) -> Draft:
    return Draft(event_id(name), event, natural=True, given=given)


def record(engine: Engine, *told: Draft) -> int:
    return len(engine.record(lambda rows: list(told)).records)


def header(engine: Engine, seq: int) -> Header:
    stored = engine.store.log.get(seq)
    assert stored is not None
    return codec.decode_header(stored.header)


def test_it_keeps_its_id_its_time_and_its_vault_and_comes_once(engine: Engine) -> None:
    with engine:
        told = back("n", note(), Given(NOW + 5, OWN, ring()))
        assert (record(engine, told), record(engine, told)) == (1, 0)
        found = header(engine, 1)
        assert (found.id, found.at, found.vault) == (event_id("n"), NOW + 5, OWN)
        assert engine.store.ring.given(OWN) == ring()


def test_time_runs_neither_backwards_nor_ahead_of_the_clock(engine: Engine) -> None:
    with engine:
        for number, at in enumerate((NOW + 8, NOW + 5, NOW + 99_999_999)):
            record(engine, back(f"{number}", note(), Given(at, OWN, ring())))
        assert [header(engine, seq).at for seq in (1, 2, 3)] == [NOW + 8, NOW + 8, NOW + 10_000]


def test_what_is_recorded_next_lies_with_it(engine: Engine) -> None:
    with engine:
        record(engine, back("n", note(), Given(NOW, OWN, ring())))
        engine.record(drafts(note(text="likes cake")))
        assert header(engine, 2).vault == OWN


def test_words_that_are_gone_leave_a_place_to_rest_on(tmp_path: Path) -> None:
    with Engine.open(tmp_path, create=True, clock=FakeClock()) as engine:
        gone = back("gone", lost("person.noted", 1), Given(NOW, OWN, ring()))
        redacted = MessageRedacted(said=NOW, by=OPERATOR, events=(event_id("gone"),))
        assert record(engine, gone) == 1
        with engine.reading() as rows:
            assert rows.ids.status(event_id("gone")) == "redacted"
        engine.record(drafts(setting("kind", causes=(event_id("gone"),))))
        assert engine.store.ring.people(header(engine, 2).vault) == {ADA}
        record(engine, back("why", redacted, Given(NOW, UNSEALED)))
        assert (header(engine, 1).tag, header(engine, 1).vault) == ("person.noted", OWN)
    store = DiskStore(tmp_path, FOLD, writable=False)
    assert verify(store, Folding(FOLD, store), opened=True).problems == ()
    store.close()


def test_of_an_erased_vault_no_key_is_left_and_nothing_is_locked_meanwhile(tmp_path: Path) -> None:
    with Engine.open(tmp_path, create=True, clock=FakeClock()) as engine:
        record(engine, back("gone", lost("person.noted", 1), Given(NOW, OWN)))
        assert engine.store.ring.people(OWN) == frozenset()
        engine.record(drafts(setting("kind")))
        erased = PersonErased(said=NOW, by=OPERATOR, vaults=(OWN,), hashes=(), until=NOW)
        record(engine, back("why", erased, Given(NOW, UNSEALED)))
        with engine.reading() as rows:
            assert rows.ids.status(event_id("gone")) == "erased"
        engine.follow_erasures()
        with pytest.raises(KeyMissing):
            engine.store.ring.given(OWN)
        with pytest.raises(Refused, match="erased here"):
            record(engine, back("again", note(), Given(NOW, OWN, ring())))
        assert record(engine, back("again", lost("person.noted", 1), Given(NOW, OWN))) == 1
    store = DiskStore(tmp_path, FOLD, writable=False)
    assert verify(store, Folding(FOLD, store), opened=True).problems == ()
    store.close()


@pytest.mark.parametrize(
    ("event", "vault"),
    [(note(), UNSEALED), (MessageRedacted(said=NOW, by=OPERATOR, events=()), OWN)],
)
def test_nothing_changes_between_sealed_and_clear(engine: Engine, event: Event, vault: VaultId) -> None:
    with engine, pytest.raises(Refused, match="another kind"):
        record(engine, back("x", event, Given(NOW, vault, None if vault == UNSEALED else ring())))


def test_an_era_grows_and_a_set_does_not(engine: Engine) -> None:
    of_room = ConfigSet(said=NOW, by=OPERATOR, scope="global", key="tone", value="kind")
    with engine:
        for number, people in enumerate([(ADA,), (ADA, KIM), (KIM,)]):
            record(engine, back(f"r{number}", of_room, Given(NOW, ROOM, ring(ROOM, *people, kind="era"))))
            record(engine, back(f"o{number}", note(), Given(NOW, OWN, ring(OWN, *people))))
        assert engine.store.ring.people(ROOM) == {ADA, KIM}
        assert engine.store.ring.people(OWN) == {ADA}
        engine.store.ring.reload()
        assert engine.store.ring.people(ROOM) == {ADA, KIM}


def test_every_kind_of_vault_has_a_name() -> None:
    assert set(KINDS.values()) == {SET, ERA, LABELLED}
