"""A shadow: a log beside the live one, under the same key ring; what is erased in the one is gone from the other."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from projections.decisions.delete import message_identity
from projections.decisions.draft import Decision, Draft
from projections.decisions.given import Lost
from projections.events import PersonErased, PersonNoted
from projections.events.values import OPERATOR
from projections.ids import EventId, Handle, VaultId
from projections.registry import FOLD
from projections.rows import Rows
from projections.vectors import quantised
from projections.vectors_texts import TABLES, RowKey, held_from
from replay.builder import check, rebuild
from replay.engine import Engine
from replay.erasure import destroy_keys, erase, extent, finish_erasures, unfinished
from replay.errors import (
    Busy,
    ErasedMeanwhile,
    ForeignKeyRing,
    KeyMissing,
    NothingHere,
)
from replay.lock import WriteLock, silently
from replay.rewriting import rewrite
from replay.shadows.shadow import ShadowStore, remove_shadow, shadow_engine, shadow_folder, shadows_in
from replay.shadows.store import lent
from replay.store import DiskStore
from replay.units import Sheaf, Told, tagged, units
from tests.replay.stage import (
    ADA,
    KIM,
    FakeClock,
    child,
    contents,
    digest,
    drafts,
    event_id,
    finished,
    handle_of,
    says,
    setting,
    texts,
)
from tests.world import NOW

NAME = "next"
KIMS = (b"word 1", b"word 3", b"Kim Quillon", KIM.id.encode())


@pytest.fixture
def live(data: Path) -> Iterator[Engine]:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        for n in range(4):
            engine.record(says(f"m{n}", f"word {n}", (ADA, KIM)[n % 2], said=NOW + n))
        yield engine


def copy(live: Engine, shadow: Engine, after: int = 0) -> None:
    """Take everything over."""
    for unit in units(live, after, live.head().size):
        shadow.record(taken(unit))


def taken(unit: Sheaf) -> Decision:
    return lambda _: [each.draft() for each in unit.told]


def store_of(engine: Engine) -> DiskStore:
    store = engine.store
    assert isinstance(store, DiskStore)
    return store


def made(live: Engine, data: Path, name: str = NAME) -> None:
    """A shadow that has taken everything over, closed."""
    with shadow_engine(data, name, writable=True, create=True, clock=FakeClock(), beside=live) as shadow:
        copy(live, shadow)
        shadow.commit_views()


def rows_hold(data: Path, *words: bytes, name: str = NAME, part: str = "") -> bool:
    """Whether any of these words lies in a file of a shadow, or of a part of it."""
    everything = b"".join(contents(shadow_folder(data, name) / part, skip=lambda _: False).values())
    return any(word in everything for word in words)


def test_a_shadow_holds_what_was_taken_over_under_the_same_ids_and_vaults(live: Engine, data: Path) -> None:
    made(live, data)
    assert shadows_in(data) == [NAME]
    with shadow_engine(data, NAME, beside=live) as shadow:
        assert texts(shadow) == texts(live)
        assert digest(shadow) == digest(live)
        headers = [[each.header for each in engine.store.log.read(0)] for engine in (live, shadow)]
        assert headers[0] != headers[1]  # sealed anew: other nonces
        assert [each[:1] for each in headers[0]] == [each[:1] for each in headers[1]]
        assert shadow.store.log.id != live.store.log.id
        assert shadow.store.log.vaults() == live.store.log.vaults()


def test_without_the_memory_beside_it_opens_the_live_log_itself(live: Engine, data: Path) -> None:
    made(live, data)
    expected = digest(live)
    live.close()
    with shadow_engine(data, NAME, writable=True, clock=FakeClock()) as shadow:
        assert digest(shadow) == expected
        finished(child("erases", data))  # another process
        assert texts(shadow) == ["word 0", "word 2"]
        shadow.record(says("m9", "and on", ADA, said=NOW + 9))
        rewrite(store_of(shadow))
    assert not rows_hold(data, *KIMS)


def test_what_belongs_to_nobody_has_vaults_of_its_own_there(live: Engine, data: Path) -> None:
    made(live, data)
    live.record(drafts(setting("gruff"), name="here"))
    with shadow_engine(data, NAME, writable=True, clock=FakeClock(), beside=live) as shadow:
        shadow.record(drafts(setting("kind"), name="there"))
        assert vault_of(live, event_id("here 0")) != vault_of(shadow, event_id("there 0"))
    live.store.ring.refresh()
    assert live.store.log.vaults() < live.store.ring.vaults.keys()


# -- erasing -------------------------------------------------------------------------------------------------------


def test_an_erasure_takes_their_rows_out_of_every_shadow_before_it_is_complete(live: Engine, data: Path) -> None:
    made(live, data)
    made(live, data, "other")
    before = {name: (data / "shadows" / name / "views" / "CURRENT").read_text() for name in shadows_in(data)}
    assert rows_hold(data, b"word 1")
    erase(live, handle_of(live, KIM))
    assert unfinished(live) == []
    for name in ("next", "other"):
        assert (data / "shadows" / name / "views" / "CURRENT").read_text() != before[name]
        views = contents(data / "shadows" / name / "views", skip=lambda _: False)
        assert not any(word in b"".join(views.values()) for word in KIMS)
        with shadow_engine(data, name, beside=live) as shadow:
            assert texts(shadow) == ["word 0", "word 2"]
            assert check(store_of(shadow), FOLD).equal


def test_after_a_rewrite_of_a_shadow_no_file_holds_what_was_sealed_either(live: Engine, data: Path) -> None:
    made(live, data)
    with shadow_engine(data, NAME, writable=True, clock=FakeClock(), beside=live) as shadow:
        kim = handle_of(shadow, KIM)
        vaults = set(shadow.store.ring.listing(kim))
        sealed = [each.body for each in shadow.store.log.read(0) if each.body is not None]
        erase(live, kim)
        done = rewrite(store_of(shadow))
        assert done.left_behind > 0
        left = [each.body for each in shadow.store.log.read(0) if each.body is not None]
        assert len(left) == len(sealed) - done.left_behind
        assert not vaults & store_of(live).ring.vaults.keys()
        assert shadow.record(says("m8", "more", ADA, said=NOW + 8)).records
        rebuild(store_of(shadow), FOLD)
    gone = [each for each in sealed if each not in left]
    assert not rows_hold(data, *KIMS, *gone)


def test_a_shadow_that_is_open_here_is_thinned_out_as_it_is_and_follows(live: Engine, data: Path) -> None:
    made(live, data)
    with shadow_engine(data, NAME, writable=True, clock=FakeClock(), beside=live) as shadow:
        with lent(store_of(live), NAME, FOLD) as store:
            assert store is shadow.store
        kim = handle_of(live, KIM)
        erase(live, kim)
        assert texts(shadow) == ["word 0", "word 2"]
        with pytest.raises(ErasedMeanwhile):
            shadow.record(drafts(PersonNoted(said=NOW, by=OPERATOR, person=kim, note="tea"), name="note"))
        shadow.commit_views()
    assert not rows_hold(data, b"tea")


def test_a_derivation_under_way_in_another_process_follows_as_a_live_one_does(live: Engine, data: Path) -> None:
    made(live, data)
    live.close()
    with (
        Engine.open(data, writable=False, clock=FakeClock()) as reader,
        shadow_engine(data, NAME, writable=True, clock=FakeClock(), beside=reader) as shadow,
    ):
        kim = handle_of(shadow, KIM)
        shadow.record(says("m8", "not yet in the views", KIM, said=NOW + 8))
        finished(child("erases", data))
        with pytest.raises(ErasedMeanwhile):
            shadow.record(drafts(PersonNoted(said=NOW, by=OPERATOR, person=kim, note="tea"), name="note"))
        assert texts(shadow) == ["word 0", "word 2"]
        with shadow.reading() as rows:
            assert sum(1 for _ in rows.raw.scan("messages@1", b"", b"\xff" * 64)) == 2
        rewrite(store_of(shadow))
    assert not rows_hold(data, *KIMS, b"not yet")


def said(engine: Engine, key: str, at: int) -> EventId:
    """The event of a message that was heard."""
    with engine.reading() as rows:
        return rows.ids.event_id(message_identity("discord", key, "heard", at))


def about_both(engine: Engine, name: str) -> Decision:
    """A note on Ada that rests on what Kim said: it is sealed in the vault of both."""
    cause = said(engine, "m1", NOW + 1)
    ada = handle_of(engine, ADA)
    return drafts(PersonNoted(said=NOW, by=OPERATOR, causes=(cause,), person=ada, note="knows of tea"), name=name)


def keys_name(data: Path, person: Handle) -> bool:
    """Whether the key ring lists somebody."""
    return any(bytes(person) in (data / "keys" / name).read_bytes() for name in ("ring-a", "ring-b"))


def vault_of(engine: Engine, event: EventId) -> VaultId:
    """Whose key sealed an event."""
    found = engine.live.ids().vault(event)
    assert found is not None
    return found


def test_an_erasure_names_the_vaults_that_only_a_shadow_made(live: Engine, data: Path) -> None:
    made(live, data)
    with shadow_engine(data, NAME, writable=True, clock=FakeClock(), beside=live) as shadow:
        kim = handle_of(live, KIM)
        assert shadow.record(about_both(shadow, "both")).records
        shared = vault_of(shadow, event_id("both 0"))
        assert shared not in live.store.ring.vaults  # nobody has told this one yet
        erased = erase(live, kim)
        assert erased is not None
        assert shared in erased.vaults
        assert not keys_name(data, kim)
        assert shadow.record(says("m8", "more", ADA, said=NOW + 8)).records
        assert not keys_name(data, kim)


def test_a_look_at_what_an_erasure_takes_counts_them_too(live: Engine, data: Path) -> None:
    made(live, data)
    kim = handle_of(live, KIM)
    before = extent(live, kim)
    with shadow_engine(data, NAME, writable=True, clock=FakeClock(), beside=live) as shadow:
        assert shadow.record(about_both(shadow, "both")).records
        assert (extent(live, kim).keys, extent(live, kim).shared) == (before.keys + 1, before.shared + 1)


def test_no_key_is_made_to_last_that_was_planned_before_an_erasure(live: Engine, data: Path) -> None:
    made(live, data)
    with shadow_engine(data, NAME, writable=True, clock=FakeClock(), beside=live) as shadow:
        kim, decision = handle_of(live, KIM), about_both(shadow, "both")

        def meanwhile(rows: Rows) -> Sequence[Draft]:
            destroy_keys(live, kim)
            return decision(rows)

        with pytest.raises(ErasedMeanwhile, match="while this was decided"):
            shadow.record(meanwhile)
        assert not keys_name(data, kim)
        assert shadow.record(says("m8", "more", ADA, said=NOW + 8)).records
    finish_erasures(live)
    assert not rows_hold(data, *KIMS[:3], part="views")


def test_what_was_broken_off_is_finished_in_shadows_too(live: Engine, data: Path) -> None:
    made(live, data)
    destroy_keys(live, handle_of(live, KIM))
    assert rows_hold(data, b"word 1", part="views")
    live.close()
    with Engine.open(data, clock=FakeClock()) as engine:
        assert engine.finisher is not None
        engine.finisher.join()
        assert engine.view_errors == []
        assert unfinished(engine) == []
    assert not rows_hold(data, *KIMS, part="views")


def test_a_shadow_s_writer_destroys_keys_where_the_erasure_broke_off_before_that(live: Engine, data: Path) -> None:
    made(live, data)
    kim = handle_of(live, KIM)
    vaults = tuple(live.store.ring.listing(kim))
    live.record(drafts(PersonErased(said=NOW, by=OPERATOR, vaults=vaults, hashes=(), until=NOW), name="erasure"))
    assert keys_name(data, kim)
    with shadow_engine(data, NAME, writable=True, clock=FakeClock(), beside=live) as shadow:
        assert not keys_name(data, kim)
        assert texts(shadow) == ["word 0", "word 2"]


def test_views_that_cannot_be_used_are_made_anew_from_the_log(live: Engine, data: Path) -> None:
    made(live, data)
    (shadow_folder(data, NAME) / "views" / "CURRENT").write_text("000099\n")
    erase(live, handle_of(live, KIM))
    assert not rows_hold(data, *KIMS, part="views")
    with shadow_engine(data, NAME, beside=live) as shadow:
        assert store_of(shadow).views is not None
        assert texts(shadow) == ["word 0", "word 2"]


def test_a_shadow_that_cannot_be_opened_loses_its_views_and_holds_up_nothing(live: Engine, data: Path) -> None:
    made(live, data)
    folder = shadow_folder(data, NAME)
    (folder / "log" / "CURRENT").write_text("nowhere\n")
    (folder / "vectors").mkdir()
    (data / "shadows" / "empty").mkdir()
    (data / "shadows" / "stray").write_text("a file")
    erase(live, handle_of(live, KIM))
    assert unfinished(live) == []
    assert not (folder / "views").exists()
    assert not (folder / "vectors").exists()
    assert shadows_in(data) == [NAME]


def test_where_another_process_holds_a_shadow_the_erasure_is_tried_again(
    live: Engine, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(live, data)
    with monkeypatch.context() as patched, WriteLock(shadow_folder(data, NAME) / "write.lock"):
        patched.setattr(WriteLock.__init__, "__defaults__", (0.0, silently))
        with pytest.raises(Busy):
            erase(live, handle_of(live, KIM))
    assert len(unfinished(live)) == 1
    assert finish_erasures(live) == 1
    assert not rows_hold(data, *KIMS, part="views")


def test_the_vectors_of_a_shadow_go_too(live: Engine, data: Path) -> None:
    made(live, data)
    with shadow_engine(data, NAME, writable=True, clock=FakeClock(), beside=live) as shadow:
        with shadow.reading() as rows:
            held = [text for _, text in held_from(rows.raw, RowKey(TABLES[0], b"")) if text is not None]
        vectors = store_of(shadow).vectors
        vectors.put("tiny@1/2", held, {each.text: quantised((1.0, each.seq)) for each in held})
        assert len(held) == vectors.size("tiny@1/2") == 4
    erase(live, handle_of(live, KIM))
    with shadow_engine(data, NAME, beside=live) as shadow:
        assert store_of(shadow).vectors.size("tiny@1/2") == 2


# -- opening -------------------------------------------------------------------------------------------------------


def test_there_has_to_be_one_and_a_memory_beside_it(live: Engine, data: Path, folder: Path) -> None:
    with pytest.raises(NothingHere, match="`dnam shadows` lists"), shadow_engine(data, "none", beside=live):
        pass
    made(live, data)
    live.close()
    (data / "log").rename(folder / "log")
    with pytest.raises(NothingHere, match="nothing without the memory"), shadow_engine(data, NAME):
        pass


def test_a_shadow_under_another_key_ring_is_refused(live: Engine, data: Path, folder: Path) -> None:
    made(live, data)
    with Engine.open(folder / "other", create=True, clock=FakeClock()) as other:
        shutil.copytree(data / "shadows", folder / "other" / "shadows")
        with pytest.raises(ForeignKeyRing, match="`dnam shadows drop`"):
            ShadowStore(folder / "other", NAME, FOLD, writable=False, beside=store_of(other))


def test_where_two_make_it_at_once_the_first_one_s_is_it(
    live: Engine, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = ShadowStore._create

    def second(store: ShadowStore) -> None:
        make(store)
        first = (store.path / "log" / "CURRENT").read_text()
        make(store)  # had seen none either
        assert (store.path / "log" / "CURRENT").read_text() == first

    monkeypatch.setattr(ShadowStore, "_create", second)
    made(live, data)
    assert shadows_in(data) == [NAME]


def test_what_fails_while_it_is_opened_lets_everything_go(
    live: Engine, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(live, data)
    with monkeypatch.context() as patched:
        patched.setattr(Engine, "_prepare", _refuses)
        with pytest.raises(KeyMissing), shadow_engine(data, NAME, writable=True, beside=live):
            pass
    with shadow_engine(data, NAME, writable=True, clock=FakeClock(), beside=live) as shadow:
        assert texts(shadow) == texts(live)


def _refuses(_: Engine) -> None:
    raise KeyMissing("no key")


def test_a_memory_that_was_rewritten_meanwhile_is_followed(live: Engine, data: Path) -> None:
    made(live, data)
    live.close()
    with Engine.open(data, clock=FakeClock()) as engine, shadow_engine(data, NAME, writable=True, beside=engine) as one:
        log = engine.store.log
        finished(child("compacts", data))  # another process
        assert one.record(says("m9", "on", ADA, said=NOW + 9)).records
        assert engine.store.log is not log
    with shadow_engine(data, NAME, writable=True, clock=FakeClock()) as alone:
        finished(child("compacts", data))
        assert alone.record(says("m10", "and on", ADA, said=NOW + 10)).records
        assert alone.head().epoch == 0


def test_a_removed_shadow_leaves_nothing(live: Engine, data: Path) -> None:
    made(live, data)
    remove_shadow(data, NAME)
    assert list((data / "shadows").iterdir()) == []


# -- units ---------------------------------------------------------------------------------------------------------


def test_units_are_decisions_with_what_can_be_read(live: Engine, data: Path) -> None:
    live.record(drafts(setting("gruff"), setting("kind", "name"), name="two"))
    found = list(units(live, 0, live.head().size))
    assert [len(each.told) for each in found][-1] == 2
    assert found[-1].last == live.head().size
    assert [event for _, event in tagged(live, {"config.set"}, live.head().size)] == [
        setting("gruff"),
        setting("kind", "name"),
    ]
    erase(live, handle_of(live, KIM))
    later = list(units(live, 0, live.head().size))
    gone = [each for unit in later for each in unit.told if each.event is None]
    assert {each.given.ring for each in gone} == {None}
    assert len(list(tagged(live, {"message.heard"}, live.head().size))) == 2
    assert units_hold_a_draft_for(gone[0])


def units_hold_a_draft_for(told: Told) -> bool:
    """What is lost is taken over as lost."""
    draft = told.draft()
    return isinstance(draft.event, Lost) and draft.id == told.id and draft.natural


def test_what_is_wrong_with_an_event_is_told_by_who_walks(live: Engine, data: Path) -> None:
    vault = live.store.ring.listing(handle_of(live, KIM))[0]
    live.store.ring.destroy(frozenset({vault}))
    live.live.folding.sealer.forget()
    with pytest.raises(KeyMissing):
        list(units(live, 0, live.head().size))


def test_a_shadow_whose_views_are_named_by_nothing_is_gone_on_from(live: Engine, data: Path) -> None:
    made(live, data)
    (shadow_folder(data, NAME) / "views" / "CURRENT").write_text("../elsewhere")
    with shadow_engine(data, NAME, writable=True, beside=live) as shadow:
        assert any("CURRENT" in each.what for each in store_of(shadow).findings)
        assert texts(shadow) == texts(live)
