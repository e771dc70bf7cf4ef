"""Erasing a person: at once for whoever reads, and finished by whoever opens when it was broken off."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from projections.consent import ERASED
from projections.decisions.delete import message_identity
from projections.events import ErasureCompleted, PersonErased, PersonNoted
from projections.events.values import OPERATOR
from projections.fold import Record
from projections.ids import Handle
from projections.recall.words import stem_of, word_term
from projections.registry import FOLD
from replay import codec
from replay.builder import check, rebuild
from replay.engine import Engine
from replay.erasure import Extent, _completed, destroy_keys, erase, extent, finish_erasures, sealed_by, unfinished
from replay.errors import LogFull
from replay.folding import Folding
from replay.rewriting import rewrite
from replay.store import DiskStore
from replay.verify import verify
from tests.replay.stage import ADA, KIM, FakeClock, contents, drafts, handle_of, says, scanned, texts
from tests.world import NOW


@pytest.fixture(params=["memory", "disk"])
def engine(request: pytest.FixtureRequest, data: Path) -> Iterator[Engine]:
    memory = request.param == "memory"
    with Engine.in_memory(FakeClock()) if memory else Engine.open(data, create=True, clock=FakeClock()) as made:
        talk(made)
        yield made


def talk(engine: Engine) -> None:
    for n in range(8):
        engine.record(says(f"m{n}", f"word {n}", (ADA, KIM)[n % 2], said=NOW + n))


def messages(engine: Engine) -> int:
    with engine.reading() as rows:
        return len(scanned(rows.raw)["messages@1"])


def only_recorded(engine: Engine, person: Handle) -> PersonErased:
    """The first step, and then the power goes."""
    vaults = tuple(engine.store.ring.listing(person))
    event = PersonErased(said=NOW, by=OPERATOR, vaults=vaults, hashes=(), until=NOW)
    engine.record(drafts(event, name="erasure"))
    return event


def test_what_is_remembered_of_their_words_is_let_go_of_by_whoever_follows_it(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        talk(engine)
        word_term("pumpkins")
        assert stem_of.cache_info().currsize > 0
        only_recorded(engine, handle_of(engine, KIM))
        with engine.reading():
            assert stem_of.cache_info().currsize == 0


def test_an_erasure_takes_everything_that_lists_the_person(engine: Engine) -> None:
    ada, kim = handle_of(engine, ADA), handle_of(engine, KIM)
    erased = erase(engine, kim)
    assert erased is not None
    assert texts(engine) == ["word 0", "word 2", "word 4", "word 6"]
    assert messages(engine) == 4
    ring = engine.store.ring
    assert ring.listing(kim) == []
    assert ring.listing(ada) != []
    assert not set(erased.vaults) & set(ring.vaults)
    assert engine.head().epoch == 1
    assert engine.store.log.erased_vaults() == set(erased.vaults)
    with engine.reading() as rows:
        (found,) = rows.scan(ERASED)
        assert found.key == rows.ids.keyed_hash(KIM.platform, KIM.id)
        assert (found.row.until, found.row.event) != (0, b"")
    tags = [codec.decode_header(stored.header).tag for stored in engine.store.log.read(0)]
    assert tags[-2:] == [PersonErased.TAG, ErasureCompleted.TAG]
    assert unfinished(engine) == []


def test_nothing_said_before_comes_back(engine: Engine) -> None:
    erase(engine, handle_of(engine, KIM))
    size = engine.head().size
    assert engine.record(says("m1", "word 1", KIM, said=NOW + 1)).records == ()
    assert engine.record(says("m99", "older words", KIM, said=NOW - 5)).records == ()
    assert engine.head().size == size
    assert engine.record(says("m100", "I am back", KIM, said=NOW + 5_000)).records
    assert messages(engine) == 5


def test_erasing_somebody_of_whom_nothing_is_known_records_nothing(engine: Engine) -> None:
    size = engine.head().size
    assert erase(engine, Handle(b"x" * 16)) is None
    assert engine.head().size == size


def test_erasing_twice_finds_nothing_left(engine: Engine) -> None:
    kim = handle_of(engine, KIM)
    assert erase(engine, kim) is not None
    assert erase(engine, kim) is None
    assert finish_erasures(engine) == 0


def test_two_who_finish_an_erasure_at_once_complete_it_once(engine: Engine) -> None:
    engine.record(says("1", "a secret", ADA))
    erase(engine, handle_of(engine, ADA))
    (erasure,) = [each for each in _records(engine) if isinstance(each.event, PersonErased)]
    assert engine.record(partial(_completed, erasure=erasure)).records == ()


def _records(engine: Engine) -> Iterator[Record]:
    found = (engine.live.folding.record_at(seq) for seq in range(1, engine.head().size + 1))
    return (each for each in found if each is not None)


def test_the_ids_of_what_was_erased_are_known_as_erased(engine: Engine) -> None:
    recorded = engine.record(says("m50", "soon gone", KIM, said=NOW + 50))
    erase(engine, handle_of(engine, KIM))
    with engine.reading() as rows:
        assert rows.ids.status(recorded.records[-1].id) == "erased"


def test_keys_go_before_the_next_group_even_when_the_erasure_was_broken_off(engine: Engine) -> None:
    kim = handle_of(engine, KIM)
    event = only_recorded(engine, kim)
    assert messages(engine) == 4
    engine.record(says("m60", "later", ADA, said=NOW + 60))
    assert not set(event.vaults) & set(engine.store.ring.vaults)
    assert [each.event for each in unfinished(engine)] == [event]
    assert finish_erasures(engine) == 1
    assert unfinished(engine) == []


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_whoever_opens_for_writing_finishes_what_was_broken_off(data: Path, steps: int) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        talk(engine)
        store, kim = engine.store, handle_of(engine, KIM)
        assert isinstance(store, DiskStore)
        engine.commit_views()
        event = only_recorded(engine, kim)
        if steps > 1:
            engine.follow_erasures()
        if steps > 2:
            rebuild(store, FOLD)
    before = contents(data)
    with Engine.open(data, writable=False) as reader:
        assert messages(reader) == 4
    assert contents(data) == before
    with Engine.open(data, clock=FakeClock()) as engine:
        assert not set(event.vaults) & set(engine.store.ring.vaults)
        assert messages(engine) == 4
        assert engine.finisher is not None
        engine.finisher.join()
        assert unfinished(engine) == []
        assert finish_erasures(engine) == 0
        store = engine.store
        assert isinstance(store, DiskStore)
        assert check(store, FOLD).equal
        assert verify(store, Folding(FOLD, store), opened=True).problems == ()


def test_an_erasure_that_cannot_be_finished_is_told_and_tried_again(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        talk(engine)
        only_recorded(engine, handle_of(engine, KIM))

    def full(*_: object) -> None:
        raise LogFull("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr("replay.erasure.thin_out", full)
        with Engine.open(data, clock=FakeClock()) as engine:
            assert texts(engine) == ["word 0", "word 2", "word 4", "word 6"]
        assert [str(error) for error in engine.view_errors] == ["the disk is full"]
    with Engine.open(data, clock=FakeClock()) as engine:
        pass
    assert engine.view_errors == []
    with Engine.open(data, writable=False) as engine:
        assert unfinished(engine) == []


def test_after_the_log_is_rewritten_no_file_holds_a_key_or_a_body_of_theirs(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        talk(engine)
        ring, kim = engine.store.ring, handle_of(engine, KIM)
        keys = [ring.key(vault) for vault in ring.listing(kim)]
        theirs = set(ring.listing(kim))
        stored = list(engine.store.log.read(0))
        bodies = [each.body for each in stored if each.body and codec.decode_header(each.header).vault in theirs]
        erase(engine, kim)
        assert isinstance(engine.store, DiskStore)
        rewritten = rewrite(engine.store)
        assert rewritten.left_behind == len(bodies) == 5
    everything = b"".join(contents(data, skip=lambda path: False).values())
    assert not any(secret in everything for secret in (*keys, *bodies, b"word 1", b"Kim Quillon", KIM.id.encode()))
    assert b"Ada Larkspur" in everything


def test_other_people_s_rows_are_what_they_were(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        talk(engine)
        kim = handle_of(engine, KIM)
        with engine.reading() as rows:
            theirs = set(engine.store.ring.listing(kim))
            before = {
                (table, key): stored
                for table in scanned(rows.raw)
                for key, stored in rows.raw.scan(table, b"", b"\xff" * 64)
                if stored.vault not in theirs
            }
        erase(engine, kim)
        with engine.reading() as rows:
            assert {place: rows.raw.get(*place) for place in before} == before


def test_what_an_erasure_takes_is_counted_before_and_after(engine: Engine) -> None:
    kim = handle_of(engine, KIM)
    with engine.reading() as rows:
        heard = [
            rows.ids.event_id(message_identity("discord", key, "heard", NOW + n)) for n, key in enumerate(("m0", "m1"))
        ]
    engine.record(drafts(PersonNoted(said=NOW, by=OPERATOR, person=kim, causes=tuple(heard), note="both"), name="both"))
    told: list[tuple[int, int]] = []
    found = extent(engine, kim, lambda *each: told.append(each))
    assert found == Extent(2, 1, {"person.seen": 1, "message.heard": 4, "person.noted": 1})
    assert told == [(engine.head().size, engine.head().size)]
    erased = erase(engine, kim)
    assert erased is not None
    assert sealed_by(engine, erased.vaults) == found.events
    assert extent(engine, kim) == Extent(0, 0, {})


def test_the_moment_is_not_before_anything_that_they_said(engine: Engine) -> None:
    """A platform's clock may be ahead."""
    engine.record(says("m70", "from the future", KIM, said=NOW + 70_000))
    erased = erase(engine, handle_of(engine, KIM))
    assert erased is not None
    assert erased.until == NOW + 70_000
    assert engine.record(says("m71", "older words", KIM, said=NOW + 69_000)).records == ()


def test_what_is_left_to_do_can_be_done_in_the_background(engine: Engine) -> None:
    for who in (KIM, ADA):
        assert destroy_keys(engine, handle_of(engine, who)) is not None
        engine.finish_in_background()
    assert messages(engine) == 0
    assert engine.finisher is not None
    engine.finisher.join()
    assert unfinished(engine) == []
