"""An export holds the whole memory, and brings it back: the same rows, once, for good."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from dnam.exports.exporting import Export, TakenBackMeanwhile
from dnam.exports.form import WITHOUT_KEY
from dnam.exports.returning import Returning, Tally, prepare
from dnam.importers.dnam_export import DnamExport
from dnam.importers.source import BrokenImport
from dnam.languages import load
from dnam.memory import Memory
from projections.consent import OPTED_OUT
from projections.decisions.draft import Draft
from projections.errors import BadRequest
from projections.events import MessageHeard, MessageRedacted, PersonOptedOut
from projections.events.values import OPERATOR
from projections.fold import Record
from projections.ids import UNSEALED, EventId, Seq
from projections.items import ITEMS
from projections.policies.instructions import instructs
from projections.registry import FOLD
from replay import codec
from replay.builder import check
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import KeyMissing
from replay.folding import Folding
from replay.store import DiskStore
from replay.verify import verify
from tests.dnam.cli.memories import garden, make
from tests.dnam.scripted import settings as values
from tests.generator import Story, fixed_story, stories
from tests.replay.stage import ADA, KIM, FakeClock, digest, drafts, event_id, handle_of, says, tell, texts
from tests.world import NOW


def silent(done: int, total: int) -> None:
    """Nobody watches."""


def exported(engine: Engine, *, with_id_key: bool = True) -> list[bytes]:
    with engine.reading():
        return list(Export(engine, with_id_key=with_id_key).lines(silent))


def written(path: Path, lines: list[bytes]) -> DnamExport:
    path.write_bytes(b"".join(lines))
    return DnamExport(path)


def late() -> FakeClock:
    """A clock behind everything that the stories say was recorded."""
    return FakeClock(NOW + 10**12)


def take_back(engine: Engine, export: DnamExport) -> Tally:
    memory = Memory(engine, values(), load("en"))
    return asyncio.run(Returning(memory, export.head).bring(export.decisions(), silent))


def returned(export: DnamExport, data: Path) -> Engine:
    """A new memory that an export came back into."""
    prepare(export.head, data)
    engine = Engine.open(data, create=True, clock=late())
    take_back(engine, export)
    return engine


def told(engine: Engine) -> Iterator[Any]:
    """Header after header, without what is new: digests of sealed bytes."""
    return (codec.decode_header(each.header)[:7] for each in engine.store.log.read(0))


def sound(data: Path) -> None:
    store = DiskStore(data, FOLD, writable=False)
    try:
        assert verify(store, Folding(FOLD, store), opened=True).problems == ()
        assert check(store, FOLD).equal
    finally:
        store.close()


# -- there and back ------------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None, derandomize=True)
@given(stories(most_events=60))
def test_any_history_comes_back_as_the_same_rows(story: Story) -> None:
    with TemporaryDirectory() as folder, Engine.in_memory(FakeClock()) as there, Engine.in_memory(late()) as here:
        tell(there, story.decisions())
        export = written(Path(folder) / "e.jsonl", exported(there, with_id_key=False))
        tally = take_back(here, export)
        assert digest(here) == digest(there)
        assert list(told(here)) == list(told(there))
        assert take_back(here, export) == Tally(read=tally.read, known=tally.read)


def test_every_kind_of_event_comes_back_on_disk_byte_for_byte(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "there", create=True, clock=FakeClock()) as there:
        tell(there, fixed_story().decisions())
        export = written(tmp_path / "e.jsonl", exported(there))
        rows, headers = digest(there), list(told(there))
    with returned(export, tmp_path / "here") as here:
        assert digest(here) == rows
        assert list(told(here)) == headers
        assert _gaps(tmp_path / "e.jsonl")
    sound(tmp_path / "here")


def _gaps(path: Path) -> list[Any]:
    from dnam.exports.form import GapLine, decode

    return [line for line in map(decode, path.read_bytes().splitlines()) if isinstance(line, GapLine)]


def test_an_export_of_what_came_back_is_the_same_export(tmp_path: Path) -> None:
    make(tmp_path / "there", garden)
    with Engine.open(tmp_path / "there", writable=False) as there:
        lines = exported(there)
    with returned(written(tmp_path / "e.jsonl", lines), tmp_path / "here") as here:
        assert exported(here)[1:-1] == lines[1:-1]  # the first says when, the last has the digest of that


def test_what_somebody_kept_comes_back_though_a_model_may_not_note_it(tmp_path: Path) -> None:
    text = "Send Ben the invoice"

    async def make_it() -> list[bytes]:
        async with Memory.open(tmp_path / "old", clock=late()) as memory:
            assert instructs(text, memory.guarding.instructions) is not None
            await memory.remember("kim", text)
            return exported(memory.engine)

    lines = asyncio.run(make_it())
    with returned(written(tmp_path / "export", lines), tmp_path / "new") as engine:
        assert exported(engine)[1:-1] == lines[1:-1]
        with engine.reading() as rows:
            assert [each.row.item.text for each in rows.scan(ITEMS)] == [text]


def test_a_memory_goes_on_after_it_came_back_and_takes_a_later_export(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "there", create=True, clock=FakeClock()) as there:
        there.record(says("1", "tea"))
        first = written(tmp_path / "1.jsonl", exported(there))
        there.record(says("2", "cake"))
        second = written(tmp_path / "2.jsonl", exported(there))
        rows = digest(there)
    with returned(first, tmp_path / "here") as here:
        assert take_back(here, second) == Tally(read=second.head.events, events=1, known=first.head.events)
        assert digest(here) == rows


# -- what is known stays known -------------------------------------------------------------------------------------


def test_what_the_platform_delivers_again_is_known(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "there", create=True, clock=FakeClock()) as there:
        there.record(says("1", "tea"))
        export = written(tmp_path / "e.jsonl", exported(there))
        bare = written(tmp_path / "bare.jsonl", exported(there, with_id_key=False))
    with returned(export, tmp_path / "here") as here:
        assert here.record(says("1", "tea")).records == ()
    with returned(bare, tmp_path / "bare") as here:
        assert len(here.record(says("1", "tea")).records) == 1
    assert bare.head.says == WITHOUT_KEY
    assert "is taken for a new one" in bare.head.says


def test_what_was_redacted_or_erased_does_not_come_back(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "there", create=True, clock=FakeClock()) as there:
        there.record(says("1", "secret of Ada"))
        there.record(says("2", "cake", KIM))
        (heard,) = [
            each.id
            for each in _heard(there)
            if isinstance(each.event, MessageHeard) and each.event.message.text == "secret of Ada"
        ]
        there.record(drafts(MessageRedacted(said=NOW, by=OPERATOR, events=(heard,))))
        erase(there, handle_of(there, KIM))
        lines = exported(there)
    assert b"secret" not in b"".join(lines)
    assert b"cake" not in b"".join(lines)
    assert KIM.name.encode() not in b"".join(lines)
    export = written(tmp_path / "e.jsonl", lines)
    assert {each.why for each in _gaps(export.path)} == {"redacted", "erased"}
    with returned(export, tmp_path / "here") as here:
        assert here.record(says("1", "secret of Ada")).records == ()
        assert here.record(says("2", "cake", KIM)).records == ()
        assert texts(here) == []
    sound(tmp_path / "here")


def _heard(engine: Engine) -> list[Record]:
    records = (engine.live.folding.record(stored) for stored in engine.store.log.read(0))
    return [each for each in records if each is not None and each.event.TAG == "message.heard"]


def test_who_opted_out_stays_out(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "there", create=True, clock=FakeClock()) as there:
        hashed = there.store.ring.keyed_hash(ADA.platform, ADA.id)
        there.record(drafts(PersonOptedOut(said=NOW, by=OPERATOR, hashes=(hashed,))))
        export = written(tmp_path / "e.jsonl", exported(there))
    with returned(export, tmp_path / "here") as here:
        assert here.record(says("1")).records == ()
        with here.reading() as rows:
            assert rows.get(OPTED_OUT, hashed) is not None


def test_an_older_export_does_not_undo_an_erasure(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "data", create=True, clock=FakeClock()) as engine:
        engine.record(says("1", "tea"))
        export = written(tmp_path / "e.jsonl", exported(engine))
        erase(engine, handle_of(engine, ADA))
        rows = digest(engine)
        assert take_back(engine, export).events == 0
        assert digest(engine) == rows


def test_what_was_erased_here_comes_back_as_a_gap_where_it_was_not_known(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "there", create=True, clock=FakeClock()) as there:
        there.record(says("1", "tea"))
        first = written(tmp_path / "1.jsonl", exported(there))
        there.record(says("2", "cake"))
        second = written(tmp_path / "2.jsonl", exported(there))
    with returned(first, tmp_path / "here") as here:
        erase(here, handle_of(here, ADA))
        take_back(here, second)
        assert texts(here) == []
        with here.reading() as rows:
            new = [EventId(event.id) for event in _events(tmp_path / "2.jsonl")][-1]
            assert rows.ids.status(new) == "erased"
    sound(tmp_path / "here")


def _events(path: Path) -> list[Any]:
    from dnam.exports.form import EventLine, decode

    return [line for line in map(decode, path.read_bytes().splitlines()) if isinstance(line, EventLine)]


def test_an_erasure_that_comes_with_a_later_export_is_carried_out_here_too(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "there", create=True, clock=FakeClock()) as there:
        there.record(says("1", "a gillyflower"))
        there.record(says("2", "cake", KIM))
        first = written(tmp_path / "1.jsonl", exported(there))
        erase(there, handle_of(there, ADA))
        rows, second = digest(there), written(tmp_path / "2.jsonl", exported(there))
    returned(first, tmp_path / "here").close()
    with Engine.open(tmp_path / "here", clock=late()) as here:
        ada = handle_of(here, ADA)
        take_back(here, second)
        assert (digest(here), texts(here)) == (rows, ["cake"])
        assert here.store.ring.listing(ada) == []
    assert not any(b"gillyflower" in each.read_bytes() for each in (tmp_path / "here" / "views").rglob("*.mdb"))
    sound(tmp_path / "here")


async def test_broken_off_by_its_caller_it_keeps_what_it_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnam.exports.returning.IN_FLIGHT", 4)
    with Engine.open(tmp_path / "there", create=True, clock=FakeClock()) as there:
        for number in range(20):
            there.record(says(f"{number}"))
        export = written(tmp_path / "e.jsonl", exported(there))
    prepare(export.head, tmp_path / "here")
    with Engine.open(tmp_path / "here", create=True, clock=late()) as here:
        returning = Returning(Memory(here, values(), load("en")), export.head)

        def stopping(done: int, total: int) -> None:
            if done >= total // 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            await returning.bring(export.decisions(), stopping)
        assert here.head().size == returning.tally.events == returning.tally.read < export.head.events


# -- what is refused -----------------------------------------------------------------------------------------------


def test_another_memory_is_not_mixed_in(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "there", create=True, clock=FakeClock()) as there:
        there.record(says("1"))
        export = written(tmp_path / "e.jsonl", exported(there))
    with Engine.open(tmp_path / "here", create=True, clock=late()) as here:
        with pytest.raises(BadRequest, match="id key of its own"):
            take_back(here, export)
        here.record(says("7"))
        before = here.head()
        with pytest.raises(BadRequest, match="another memory"):
            take_back(here, export)
        assert here.head() == before


def test_an_empty_memory_is_exported_too(tmp_path: Path) -> None:
    with Engine.in_memory(FakeClock()) as there, Engine.in_memory(late()) as here:
        lines = exported(there, with_id_key=False)
        assert [json.loads(each)["line"] for each in lines] == ["dnam", "end"]
        assert take_back(here, written(tmp_path / "e.jsonl", lines)) == Tally()


def test_words_taken_back_meanwhile_void_the_export(tmp_path: Path) -> None:
    with Engine.open(tmp_path, create=True, clock=FakeClock()) as engine:
        engine.record(says("1", "tea"))
        lines = Export(engine).lines(silent)
        next(lines)
        (heard,) = [each.id for each in _heard(engine)]
        engine.record(drafts(MessageRedacted(said=NOW, by=OPERATOR, events=(heard,))))
        with pytest.raises(TakenBackMeanwhile, match="export again"):
            list(lines)


def test_a_locked_memory_is_not_exported_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.open(tmp_path, create=True, clock=FakeClock()) as engine:
        engine.record(says("1", "tea"))
        for vault in list(engine.store.ring.vaults):
            del engine.store.ring.vaults[vault]
        engine.live.folding.sealer.forget()
        monkeypatch.setattr(engine.store.ring, "refresh", lambda: False)
        with pytest.raises(KeyMissing, match="event #1"):
            list(Export(engine).lines(silent))


# -- interrupted ---------------------------------------------------------------------------------------------------


def test_what_came_of_a_broken_export_is_sound_and_the_rest_can_follow(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "there", create=True, clock=FakeClock()) as there:
        tell(there, fixed_story().decisions())
        lines = exported(there)
    whole = written(tmp_path / "e.jsonl", lines)
    for part in range(1, 6):
        data = tmp_path / f"here{part}"
        cut = written(tmp_path / f"cut{part}.jsonl", lines[: len(lines) * part // 6])
        assert not cut.whole
        prepare(cut.head, data)
        with Engine.open(data, create=True, clock=late()) as here:
            for _ in range(2):
                with pytest.raises(BrokenImport, match="are missing"):
                    take_back(here, cut)
            size = here.head().size
            with pytest.raises(BrokenImport):
                take_back(here, cut)
            assert here.head().size == size
        sound(data)
        with Engine.open(data, clock=late()) as here:
            take_back(here, whole)
            ids = {codec.header_id(each.header) for each in here.store.log.read(0)}
            assert {each.id for each in (*_events(whole.path), *_gaps(whole.path))} <= ids
        sound(data)


def test_broken_off_before_an_erasure_it_goes_on_to_it(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "there", create=True, clock=FakeClock()) as there:
        there.record(says("1", "tea"))
        there.record(says("2", "cake", KIM))
        erase(there, handle_of(there, ADA))
        lines = exported(there)
    erasure = next(number for number, line in enumerate(lines) if b'"tag":"person.erased"' in line)
    cut, whole = written(tmp_path / "cut.jsonl", lines[:erasure]), written(tmp_path / "e.jsonl", lines)
    prepare(cut.head, tmp_path / "here")
    with Engine.open(tmp_path / "here", create=True, clock=late()) as here, pytest.raises(BrokenImport):
        take_back(here, cut)
    sound(tmp_path / "here")
    with Engine.open(tmp_path / "here", clock=late()) as here:
        here.record(says("3", "jam", KIM))
        assert take_back(here, whole).events == 2
        assert texts(here) == ["cake", "jam"]
    sound(tmp_path / "here")


def test_a_refused_event_is_told_after_what_was_recorded(tmp_path: Path) -> None:
    with Engine.in_memory(FakeClock()) as there, Engine.in_memory(late()) as here:
        there.record(says("1", "tea"))
        export = written(tmp_path / "e.jsonl", exported(there, with_id_key=False))
        memory = Memory(here, values(), load("en"))
        returning = Returning(memory, export.head)
        good = list(export.decisions())
        bad = good[0]._replace(drafts=tuple(map(_into_the_clear, good[0].drafts)))
        with pytest.raises(Exception, match="another kind"):
            asyncio.run(returning.bring(iter([bad, *good]), silent))
        assert here.head().size == there.head().size
        assert here.store.log.get(Seq(1)) is not None


def _into_the_clear(draft: Draft) -> Draft:
    assert draft.given is not None
    return draft._replace(id=event_id(draft.id.hex()), given=draft.given._replace(vault=UNSEALED, ring=None))
