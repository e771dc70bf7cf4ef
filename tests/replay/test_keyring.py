"""The ring: which key seals which vault, and whose words it holds."""

import hmac
from pathlib import Path

import msgspec
import pytest

from projections.decisions.given import GivenVault, VaultKind
from projections.ids import Handle, VaultId
from replay.errors import KeyMissing, KeyRingDamaged, KeyRingMissing
from replay.ring.file import COPIES, FileRingStore
from replay.ring.keyring import KeyRing, NoKeyRing
from replay.ring.records import ID_KEY, PERSON, VAULT, RingRecord, stand_of
from replay.ring.store import MemoryRingStore, RingStore
from tests.world import handle

P, Q, R = (handle(name) for name in "PQR")


def people(*each: Handle) -> frozenset[Handle]:
    return frozenset(each)


@pytest.fixture(params=["memory", "files"])
def store(request: pytest.FixtureRequest, folder: Path) -> RingStore:
    return MemoryRingStore() if request.param == "memory" else FileRingStore(folder / "keys")


@pytest.fixture
def ring(store: RingStore) -> KeyRing:
    return KeyRing.create(store)


def test_the_first_record_is_the_id_key(ring: KeyRing, store: RingStore) -> None:
    assert store.exists()
    assert ring.damage() == []
    first = store.read()[0]
    assert (first.type, first.payload) == (ID_KEY, ring.id_key)
    assert len(ring.id_key) == 32


def test_the_id_key_outlives_every_destruction(ring: KeyRing, store: RingStore) -> None:
    vault = ring.set_vault(people(P))
    ring.flush()
    before = ring.id_key, ring.check(b"a log"), ring.keyed_hash("discord", "1")
    assert ring.destroy(frozenset({vault, VaultId(bytes(15) + b"x")}))
    again = KeyRing.open(store)
    assert (again.id_key, again.check(b"a log"), again.keyed_hash("discord", "1")) == before
    assert [record.type for record in store.read()] == [ID_KEY]


def test_one_vault_for_each_set_of_people(ring: KeyRing, store: RingStore) -> None:
    alone, both = ring.set_vault(people(P)), ring.set_vault(people(Q, P))
    assert alone != both
    assert (ring.people(alone), ring.people(both)) == (people(P), people(P, Q))
    ring.flush()
    again = KeyRing.open(store)
    assert (again.set_vault(people(P)), again.set_vault(people(P, Q))) == (alone, both)
    assert again.key(both) == ring.key(both)
    assert sorted(again.listing(P)) == sorted((alone, both))
    assert again.listing(R) == []


def test_only_an_era_grows(ring: KeyRing, store: RingStore) -> None:
    era = ring.era_vault("session 0 0", people(P))
    assert ring.era_vault("session 0 0", people(Q)) == era
    assert ring.era_vault("session 0 1", people(P)) != era
    assert ring.people(era) == people(P, Q)
    assert ring.set_vault(people(P, Q)) != era
    ring.flush()
    again = KeyRing.open(store)
    assert again.era_vault("session 0 0", people(R)) == era
    assert again.people(era) == people(P, Q, R)


def test_who_is_listed_by_many_vaults_is_kept_once(ring: KeyRing) -> None:
    again = Handle(bytes(bytearray(handle("ada"))))
    (here,), (there,) = (
        ring.people(ring.era_vault(label, frozenset({each}))) for label, each in (("a", handle("ada")), ("b", again))
    )
    assert again is not here is there


def test_a_labelled_vault_lists_nobody_and_is_found_again(ring: KeyRing, store: RingStore) -> None:
    place = ring.labelled_vault("place discord:1")
    assert ring.labelled_vault("place discord:1") == place
    assert ring.labelled_vault("place discord:2") != place
    assert ring.people(place) == frozenset()
    ring.flush()
    again = KeyRing.open(store)
    assert again.labelled_vault("place discord:1") == place
    assert again.people(place) == frozenset()


def test_what_a_refused_decision_planned_is_taken_back(ring: KeyRing, store: RingStore) -> None:
    era, alone = ring.era_vault("era", people(P)), ring.set_vault(people(P))
    mark = ring.mark()
    ring.era_vault("era", people(P, Q, R))
    refused = ring.set_vault(people(P, Q)), ring.labelled_vault("place"), ring.era_vault("other era", people(R))
    ring.undo(mark)
    assert ring.people(era) == people(P)
    assert not set(refused) & set(ring.vaults)
    assert ring.set_vault(people(P)) == alone
    ring.flush()
    again = KeyRing.open(store)
    assert set(again.vaults) == {era, alone}
    assert again.people(era) == people(P)
    assert ring.set_vault(people(P, Q)) not in refused
    assert ring.labelled_vault("place") not in refused


def test_reading_anew_forgets_no_plan(ring: KeyRing, store: RingStore) -> None:
    planned = ring.set_vault(people(P))
    ring.reload()
    assert ring.set_vault(people(P)) == planned
    ring.flush()
    assert KeyRing.open(store).people(planned) == people(P)


def test_a_missing_key_says_where_to_get_it(ring: KeyRing) -> None:
    vault = ring.set_vault(people(P))
    ring.flush()
    assert ring.destroy(frozenset({vault}))
    assert not ring.destroy(frozenset({vault}))
    with pytest.raises(KeyMissing, match=f"{vault.hex()} is not in the key ring"):
        ring.key(vault)
    with pytest.raises(KeyMissing):
        ring.people(vault)
    assert ring.set_vault(people(P)) != vault


def test_how_far_it_goes_is_said_where_it_lasts(ring: KeyRing, store: RingStore) -> None:
    before = ring.stand()
    ring.set_vault(people(P))
    assert ring.stand() == before, "what is planned is not there yet"
    ring.flush()
    assert (ring.stand() == before) == isinstance(store, MemoryRingStore)
    for kept in (b"", b"nonsense", before, ring.stand()):
        ring.refuse_cut(kept)
    assert store.left() == store.read()


def test_a_ring_that_ends_before_what_the_log_says_is_refused(folder: Path) -> None:
    store = FileRingStore(folder / "keys")
    ring = KeyRing.create(store)
    stand = stand_of(ring.stand())
    assert stand is not None
    with pytest.raises(KeyRingDamaged, match="went to #2: in both copies its end is lost"):
        ring.refuse_cut(stand._replace(last=2).encoded())


def test_mending_takes_in_what_another_process_appended(folder: Path) -> None:
    ring, there = KeyRing.create(FileRingStore(folder / "keys")), KeyRing.open(FileRingStore(folder / "keys"))
    vault = there.set_vault(people(P))
    there.flush()
    ring.mend()
    assert ring.people(vault) == people(P)
    assert not ring.refresh()


def test_a_store_without_an_id_key_is_no_ring(store: RingStore) -> None:
    with pytest.raises(KeyRingMissing):
        KeyRing.open(store)


def test_other_processes_vaults_are_taken_in(folder: Path) -> None:
    here = KeyRing.create(FileRingStore(folder / "keys"))
    there = KeyRing.open(FileRingStore(folder / "keys"))
    vault = there.set_vault(people(P, Q))
    there.flush()
    assert not here.refresh()
    assert here.set_vault(people(Q, P)) == vault
    there.destroy(frozenset({vault}))
    fresh = here.set_vault(people(R))
    assert here.refresh()
    assert vault not in here.vaults
    assert here.people(fresh) == people(R)
    here.flush()
    assert KeyRing.open(FileRingStore(folder / "keys")).people(fresh) == people(R)


def test_a_set_that_is_read_in_two_parts_is_not_taken_for_a_smaller_one(folder: Path) -> None:
    ring = KeyRing.create(FileRingStore(folder / "keys"))
    alone = ring.set_vault(people(P))
    ring.flush()
    store, both = FileRingStore(folder / "keys"), b"b" * 16
    store.append([RingRecord(VAULT, both, b"k" * 32), RingRecord(PERSON, both, P)])
    ring.refresh()
    assert ring.set_vault(people(P)) == alone
    store.append([RingRecord(PERSON, both, Q)])
    ring.refresh()
    assert ring.set_vault(people(P)) == alone
    assert ring.set_vault(people(P, Q)) == both


def test_people_of_a_vault_that_is_not_there_are_nobody(folder: Path) -> None:
    store = FileRingStore(folder / "keys")
    store.create([RingRecord(ID_KEY, payload=b"k" * 32), RingRecord(PERSON, b"v" * 16, P)])
    ring = KeyRing.open(store)
    assert ring.listing(P) == []
    ring.close()


def test_mending_writes_both_copies_from_what_is_valid(folder: Path) -> None:
    ring = KeyRing.create(FileRingStore(folder / "keys"))
    vault = ring.set_vault(people(P))
    ring.flush()
    path = folder / "keys" / "ring-a"
    path.write_bytes(path.read_bytes()[:100])
    assert ring.damage()
    ring.mend()
    assert ring.damage() == []
    assert KeyRing.open(FileRingStore(folder / "keys")).people(vault) == people(P)


def test_what_is_derived_of_the_id_key_is_what_older_logs_have() -> None:
    key, store = bytes(range(32)), MemoryRingStore()
    store.create([RingRecord(ID_KEY, payload=key)])
    ring = KeyRing.open(store)
    place, era = ring.labelled_vault("place discord:1"), ring.era_vault("session 0 0", people(P))
    assert ring.check(b"log") == hmac.digest(key, b"ring of log log", "sha256")[:16]
    person = msgspec.msgpack.encode(("person", "discord", "1"))
    assert ring.keyed_hash("discord", "1") == hmac.digest(key, person, "sha256")
    assert ring.given(place) == GivenVault(
        place, "labelled", hmac.digest(key, b"label place discord:1", "sha256")[:16], frozenset()
    )
    assert ring.given(era) == GivenVault(era, "era", hmac.digest(key, b"label session 0 0", "sha256")[:16], people(P))
    alone = ring.set_vault(people(P))
    assert ring.given(alone) == GivenVault(alone, "set", bytes(16), people(P))


def test_every_vault_has_an_id_and_a_key_of_its_own(ring: KeyRing) -> None:
    vaults = [ring.set_vault(people(P)), ring.era_vault("era", people(P)), ring.labelled_vault("place")]
    ring.adopt(GivenVault(VaultId(b"v" * 16), "set", bytes(16), people(Q)))
    vaults.append(VaultId(b"v" * 16))
    keys = [ring.key(vault) for vault in vaults]
    assert {len(each) for each in vaults} == {16}
    assert {len(each) for each in keys} == {32}
    assert len(set(vaults)) == len(set(keys)) == 4


@pytest.mark.parametrize("kind", ["set", "era"])
def test_a_vault_of_another_log_is_taken_over_as_it_was_told_of(
    ring: KeyRing, store: RingStore, kind: VaultKind
) -> None:
    told = GivenVault(VaultId(b"v" * 16), kind, b"l" * 16, people(P))
    ring.adopt(told)
    key = ring.key(told.id)
    ring.adopt(told._replace(people=people(Q, R)))
    ring.flush()
    listed = people(P, Q, R) if kind == "era" else people(P)
    for each in (ring, KeyRing.open(store)):
        assert each.given(told.id) == told._replace(people=listed)
        assert each.key(told.id) == key
    records = store.read()
    ring.adopt(told)
    ring.flush()
    assert store.read() == records


def test_two_vaults_of_one_label_that_were_taken_over_are_both_taken_back(ring: KeyRing) -> None:
    """In the other log the first one's key was destroyed, and a second one was made for the same era."""
    mark = ring.mark()
    for vault, person in ((VaultId(b"v" * 16), P), (VaultId(b"w" * 16), Q)):
        ring.adopt(GivenVault(vault, "era", b"l" * 16, people(person)))
    ring.undo(mark)
    assert ring.vaults == {}
    assert ring.mark() == mark


KINDS: tuple[VaultKind, ...] = "set", "era", "labelled"


def found(ring: KeyRing, kind: VaultKind) -> VaultId:
    """What the ring seals with now, of a kind: the one that it has, or one that it makes."""
    match kind:
        case "set":
            return ring.set_vault(people(P, Q))
        case "era":
            return ring.era_vault("era", people(P, Q))
        case "labelled":
            return ring.labelled_vault("place")


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_found_before_another_log_s_vault_is_found_once_that_is_taken_back(
    ring: KeyRing, store: RingStore, kind: VaultKind
) -> None:
    older = found(ring, kind)
    ring.flush()
    records = store.read()
    for name in (b"v", b"w"):
        ring.adopt(ring.given(older)._replace(id=VaultId(name * 16)))
    ring.undo(0)
    assert set(ring.vaults) == {older}
    assert found(ring, kind) == older
    ring.flush()
    assert store.read() == records


@pytest.mark.parametrize(("kind", "is_last"), [("set", False), ("era", True), ("labelled", True)])
def test_of_vaults_that_were_planned_what_is_left_is_found_as_before(
    ring: KeyRing, kind: VaultKind, is_last: bool
) -> None:
    """The first set of some people, the last one of a label: here, and wherever the ring is opened."""
    older, mark = found(ring, kind), ring.mark()
    first, second = (VaultId(each * 16) for each in (b"v", b"w"))
    ring.adopt(ring.given(older)._replace(id=first))
    between = ring.mark()
    ring.adopt(ring.given(older)._replace(id=second))
    assert found(ring, kind) == (second if is_last else older)
    ring.undo(between)
    assert found(ring, kind) == (first if is_last else older)
    ring.reload()
    assert found(ring, kind) == (first if is_last else older)
    ring.undo(mark)
    assert (found(ring, kind), set(ring.vaults)) == (older, {older})


def test_an_era_that_grows_is_found_no_sooner_than_the_one_after_it(ring: KeyRing, store: RingStore) -> None:
    older = ring.era_vault("era", people(P))
    newer = ring.given(older)._replace(id=VaultId(b"v" * 16))
    ring.adopt(newer)
    ring.flush()
    ring.adopt(ring.given(older)._replace(people=people(P, R)))
    assert ring.people(older) == people(P, R)
    assert ring.era_vault("era", people(P)) == newer.id
    ring.undo(0)
    assert ring.people(older) == people(P)
    assert ring.era_vault("era", people(P)) == newer.id
    assert KeyRing.open(store).era_vault("era", people(P)) == newer.id


@pytest.mark.parametrize(("kind", "is_last"), [("set", False), ("era", True), ("labelled", True)])
def test_what_another_process_made_meanwhile_is_there_after_an_undo(
    folder: Path, kind: VaultKind, is_last: bool
) -> None:
    ring = KeyRing.create(FileRingStore(folder / "keys"))
    older = found(ring, kind)
    ring.flush()
    there, told = KeyRing.open(FileRingStore(folder / "keys")), ring.given(older)
    ring.adopt(told._replace(id=VaultId(b"v" * 16)))
    there.adopt(told._replace(id=VaultId(b"w" * 16)))
    there.flush()
    assert not ring.refresh()
    ring.undo(0)
    assert set(ring.vaults) == set(there.vaults) == {older, VaultId(b"w" * 16)}
    assert found(ring, kind) == found(there, kind) == (VaultId(b"w" * 16) if is_last else older)


def test_whoever_was_erased_and_is_given_again_is_gone_no_more(ring: KeyRing) -> None:
    vault = ring.set_vault(people(P, Q))
    ring.flush()
    ring.destroy(frozenset({vault}))
    assert ring.gone == people(P, Q)
    ring.adopt(GivenVault(VaultId(b"v" * 16), "set", bytes(16), people(Q)))
    assert ring.gone == people(P)


def test_a_key_that_another_process_made_is_looked_for(folder: Path) -> None:
    here = KeyRing.create(FileRingStore(folder / "keys"))
    there = KeyRing.open(FileRingStore(folder / "keys"))
    vault = there.set_vault(people(P))
    there.flush()
    assert here.key(vault) == there.key(vault)


def test_a_known_key_is_told_without_a_look_at_the_files(folder: Path) -> None:
    ring = KeyRing.create(FileRingStore(folder / "keys"))
    vault = ring.set_vault(people(P))
    ring.flush()
    for path in (folder / "keys").iterdir():
        path.unlink()
    assert len(ring.key(vault)) == 32


def test_what_is_missing_says_where_to_get_it_whole(store: RingStore) -> None:
    with pytest.raises(KeyRingMissing) as ring_missing:
        KeyRing.open(store)
    assert str(ring_missing.value) == (
        "there is a log here and no key ring to open it with. Put the `keys` folder back from where you keep it"
    )
    with pytest.raises(KeyMissing) as key_missing:
        KeyRing.create(store).key(VaultId(b"v" * 16))
    assert str(key_missing.value) == (
        f"the key of vault {(b'v' * 16).hex()} is not in the key ring, and no erasure destroyed it. "
        "Put the `keys` folder back from where you keep it"
    )


def test_two_damaged_copies_are_not_told_as_no_ring(folder: Path) -> None:
    KeyRing.create(FileRingStore(folder / "keys")).close()
    for name in COPIES:
        (folder / "keys" / name).write_bytes(b"garbage" * 50)
    with pytest.raises(KeyRingMissing) as garbled:
        KeyRing.open(FileRingStore(folder / "keys"))
    assert str(garbled.value) == (
        "both copies of the key ring are damaged: no key can be read from either. "
        "Put the `keys` folder back from where you keep it"
    )


def test_who_asks_for_a_key_where_the_ring_is_gone_is_told_why() -> None:
    with pytest.raises(KeyRingMissing) as told:
        NoKeyRing("both copies of it are damaged").key(VaultId(b"v" * 16))
    assert str(told.value) == "both copies of it are damaged"


def test_a_session_is_found_again_among_labels_and_only_sets_by_their_people(ring: KeyRing) -> None:
    mark = ring.mark()
    era, place, alone = ring.era_vault("a", people(P)), ring.labelled_vault("b"), ring.set_vault(people(P))
    assert len({era, place, alone}) == 3
    assert (ring.era_vault("a", people()), ring.labelled_vault("b"), ring.set_vault(people(P))) == (era, place, alone)
    ring.undo(mark)
    assert ring.mark() == mark == 0
    assert ring.vaults == {}
    assert era != ring.era_vault("a", people(P))
    assert ring.set_vault(people(P)) != alone


def test_whoever_was_to_be_given_again_and_was_not_is_gone_as_before(ring: KeyRing) -> None:
    vault = ring.set_vault(people(P, Q))
    ring.flush()
    ring.destroy(frozenset({vault}))
    ring.adopt(GivenVault(VaultId(b"v" * 16), "set", bytes(16), people(Q)))
    between = ring.mark()
    ring.adopt(GivenVault(VaultId(b"w" * 16), "set", bytes(16), people(P, Q)))
    assert ring.gone == people()
    ring.undo(between)
    assert ring.gone == people(P), "the other one is still given again"
    ring.undo(0)
    assert ring.gone == people(P, Q)
    ring.adopt(GivenVault(VaultId(b"v" * 16), "set", bytes(16), people(Q)))
    ring.flush()
    ring.set_vault(people(P))
    ring.undo(0)
    assert ring.gone == people(P), "what is written is not undone"
