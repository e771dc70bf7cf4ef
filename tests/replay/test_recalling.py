"""Zones in memory follow what is recorded here and elsewhere, and hold nothing whose key was destroyed."""

from pathlib import Path

import msgspec
import pytest

from projections.decisions.place import PlaceSeen
from projections.events import ItemForgotten, ItemRestored, MessageEdited, MessageHeard, MessageRedacted
from projections.events.values import OPERATOR, PLATFORM, Audience
from projections.fold import Record
from projections.ids import EventId, Ref
from projections.places import audience_of
from projections.policies.compartments import Setting
from projections.recall.search import Wanted, said
from projections.recall.words import word_term
from projections.registry import FOLD
from projections.rows import Rows
from replay.engine import Engine
from replay.erasure import destroy_keys, finish_erasures
from replay.live import Live
from replay.recall import recalling
from replay.recall import tables as layout
from replay.store import MemoryStore
from tests.projections.items import an_item
from tests.replay.stage import ADA, KIM, PUBLIC, FakeClock, child, drafts, finished, handle_of, line, says, setting
from tests.replay.test_recall_index import commit
from tests.world import NOW, handle

STAFF = PlaceSeen("discord", "720000000000000002", "channel", "staff", "channel")


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "SEGMENT", layout.SEGMENT._replace(bits=2))
    monkeypatch.setattr(layout, "SPAN", layout.SPAN._replace(bits=4))


def opened(path: Path) -> Engine:
    return Engine.open(path, create=True, clock=FakeClock(), view_commit_events=1)


def found(rows: Rows, text: str, place: PlaceSeen = PUBLIC) -> list[str]:
    """What somebody finds who is answered there."""
    audience = audience_of(rows, Ref(place.platform, place.key))
    assert isinstance(audience, Audience)
    setting = Setting(handle("nobody"), audience, place.guild)
    hits = said(rows, Wanted(text, setting, f"discord:channel:{place.key}", NOW), 50)
    return sorted(
        each.row.message.text for each in hits if hasattr(each.row, "message") and text in each.row.message.text
    )


def look(engine: Engine, text: str, place: PlaceSeen = PUBLIC) -> list[str]:
    with engine.reading() as rows:
        kept = found(rows, text, place)
        assert kept == found(Rows(rows.raw, rows.ids), text, place)
    return kept


@pytest.mark.usefixtures("small_segments")
def test_what_came_is_read_from_disk_once_it_lies_there(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a program runs, few documents stand in memory with their words."""
    monkeypatch.setattr(recalling, "MOST_LATE", 8)
    with opened(data) as engine:
        for n in range(80):
            engine.record(says(str(n), f"heron number {'even' if n % 2 else 'odd'} {n}", said=NOW + n))
            commit(engine)
            assert len(look(engine, "heron")) == min(n + 1, 50)
            if n > 20:
                assert look(engine, str(n)) == [f"heron number {'even' if n % 2 else 'odd'} {n}"]
        assert engine.live._recall is not None
        (corpus,) = engine.live._recall.corpora.values()
        assert corpus.size == 80
        assert corpus.late < 16
        assert len(corpus._late) < 20
        assert corpus.standing({word_term("heron")})


@pytest.mark.usefixtures("small_segments")
def test_what_came_back_since_it_was_written_is_not_looked_for_on_disk(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recalling, "MOST_LATE", 4)
    with opened(data) as engine:
        words = ["bittern" if n in (20, 21) else "heron" for n in range(40)]
        told = [says(str(n), f"{word} {n}", said=NOW + n) for n, word in enumerate(words)]
        heard = [engine.record(each).records[-1].id for each in told]
        item = an_item("likes herons", owner=handle_of(engine, ADA))
        engine.record(drafts(ItemForgotten(said=NOW, by=OPERATOR, item=item, quiet=tuple(heard[20:22])), name="quiet"))
        while engine.head().size % 4:  # nothing that was said lies behind the last full segment
            engine.record(drafts(setting("x"), name=f"{engine.head().size}"))
        commit(engine)
        assert look(engine, "bittern") == []
        monkeypatch.setattr(engine.view_commits, "keep_up", lambda live, decisions: None)
        engine.record(drafts(ItemRestored(said=NOW, by=OPERATOR, item=item, returns=tuple(heard[20:22])), name="loud"))
        assert look(engine, "bittern") == ["bittern 20", "bittern 21"]
        for n in range(40, 60):
            engine.record(says(str(n), f"egret {n}", said=NOW + n))
            assert look(engine, "bittern") == ["bittern 20", "bittern 21"]
        commit(engine)
        assert look(engine, "bittern") == ["bittern 20", "bittern 21"]


@pytest.mark.usefixtures("small_segments")
def test_what_was_made_again_since_is_not_looked_for_on_disk(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit that is redacted leaves the message as it was before, which the index on disk has not."""
    monkeypatch.setattr(recalling, "MOST_LATE", 4)
    with opened(data) as engine:
        told = [says(str(n), f"{'bittern' if n in (20, 21) else 'heron'} {n}", said=NOW + n) for n in range(40)]
        heard = [engine.record(each).records[-1] for each in told]
        edits = [drafts(edited(heard[n], f"egret {n}"), name=f"edit {n}") for n in (20, 21)]
        edited_ids = [engine.record(each).records[-1].id for each in edits]
        while engine.head().size % 4:  # nothing that was said lies behind the last full segment
            engine.record(drafts(setting("x"), name=f"{engine.head().size}"))
        commit(engine)
        assert look(engine, "egret") == ["egret 20", "egret 21"]
        monkeypatch.setattr(engine.view_commits, "keep_up", lambda live, decisions: None)
        engine.record(drafts(MessageRedacted(said=NOW, by=PLATFORM, events=tuple(edited_ids)), name="redacted"))
        assert (look(engine, "egret"), look(engine, "bittern")) == ([], ["bittern 20", "bittern 21"])
        for n in range(40, 50):
            engine.record(says(str(n), f"plover {n}", said=NOW + n))
            assert look(engine, "bittern") == ["bittern 20", "bittern 21"]
        commit(engine)
        assert (look(engine, "egret"), look(engine, "bittern")) == ([], ["bittern 20", "bittern 21"])


@pytest.mark.usefixtures("small_segments")
@pytest.mark.parametrize("back_by", ["restored", "edit redacted"])
def test_what_was_away_while_nobody_looked_is_found_again(
    data: Path, monkeypatch: pytest.MonkeyPatch, back_by: str
) -> None:
    """It is there as it was when somebody looked last; the index on disk was written in between, and has it not."""
    with opened(data) as engine:
        told = [says(str(n), f"{'bittern' if n in (20, 21) else 'heron'} {n}", said=NOW + n) for n in range(40)]
        heard = [engine.record(each).records[-1] for each in told]
        quiet = tuple(each.id for each in heard[20:22])
        item = an_item("likes herons", owner=handle_of(engine, ADA))
        commit(engine)
        assert len(look(engine, "heron")) == 38
        if back_by == "restored":
            away = drafts(ItemForgotten(said=NOW, by=OPERATOR, item=item, quiet=quiet), name="quiet")
            back = drafts(ItemRestored(said=NOW, by=OPERATOR, item=item, returns=quiet), name="loud")
            engine.record(away)
        else:
            away = drafts(*(edited(each, f"egret {n}") for n, each in enumerate(heard[20:22])), name="edit")
            edits = tuple(each.id for each in engine.record(away).records)
            back = drafts(MessageRedacted(said=NOW, by=PLATFORM, events=edits), name="redacted")
        commit(engine)
        monkeypatch.setattr(engine.view_commits, "keep_up", lambda live, decisions: None)
        engine.record(back)
        assert look(engine, "bittern") == ["bittern 20", "bittern 21"]
        commit(engine)
        assert look(engine, "bittern") == ["bittern 20", "bittern 21"]


def edited(heard: Record, text: str) -> MessageEdited:
    """The message, with another text."""
    assert isinstance(heard.event, MessageHeard)
    message = msgspec.structs.replace(heard.event.message, text=text, edited=NOW + 100)
    return MessageEdited(said=NOW + 100, by=PLATFORM, heard=heard.id, message=message)


def test_what_another_process_records_is_found(data: Path) -> None:
    with opened(data) as engine:
        engine.record(says("1", "the heron is early"))
        assert look(engine, "heron") == ["the heron is early"]
        writer = child("meets", data, "left", 3)
        assert line(writer) == "ready"
        line(writer, "go")
        finished(writer)
        assert look(engine, "word") == ["word 0", "word 1", "word 2"]
        assert look(engine, "left") == ["left 0", "left 1", "left 2"]
        assert look(engine, "heron") == ["the heron is early"]


@pytest.mark.usefixtures("small_segments")
def test_what_goes_quiet_and_was_redacted_or_never_heard_is_nowhere(data: Path) -> None:
    with opened(data) as engine:
        engine.record(says("1", "the heron stands"))
        redacted = engine.record(says("2", "the heron flies")).records[-1].id
        engine.record(drafts(MessageRedacted(said=NOW, by=PLATFORM, events=(redacted,)), name="redacted"))
        assert look(engine, "heron") == ["the heron stands"]
        item, gone = an_item("birds", owner=handle_of(engine, ADA)), (redacted, EventId(b"never heard here"))
        engine.record(drafts(ItemForgotten(said=NOW, by=OPERATOR, item=item, quiet=gone), name="quiet"))
        assert look(engine, "heron") == ["the heron stands"]


def test_whoever_is_erased_is_not_found_from_the_moment_the_keys_are_gone(data: Path) -> None:
    with opened(data) as engine:
        for n in range(12):
            engine.record(says(str(n), f"heron number {n}", (ADA, KIM)[n % 2], said=NOW + n))
        assert len(look(engine, "heron")) == 12
        engine.commit_views()
        destroy_keys(engine, handle_of(engine, KIM))
        assert look(engine, "heron") == sorted(f"heron number {n}" for n in range(0, 12, 2))
        finish_erasures(engine)
        assert look(engine, "heron") == sorted(f"heron number {n}" for n in range(0, 12, 2))


def test_the_zone_that_was_not_asked_for_the_longest_goes_first(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recalling, "MOST_DOCUMENTS", 1)
    with opened(data) as engine:
        engine.record(says("1", "a heron here"))
        engine.record(says("2", "a heron there", place=STAFF, said=NOW + 1))
        for _ in range(2):
            assert look(engine, "heron") == ["a heron here"]
            assert look(engine, "heron", STAFF) == ["a heron there"]
        assert engine.live._recall is not None
        assert len(engine.live._recall.corpora) == 1


def test_what_is_recorded_above_one_log_by_two_is_found_by_both() -> None:
    store = MemoryStore()
    with Engine(store, clock=FakeClock()) as one:
        other = Live(store, FOLD)
        one.record(says("1", "a heron here"))
        other.freshen()
        with other.rows() as rows:
            assert rows.corpora is not None
            assert rows.corpora().turn == 0  # nothing is loaded yet
        one.record(says("2", "a heron there", place=STAFF, said=NOW + 1))
        other.freshen()
        with other.rows() as rows:
            assert found(rows, "heron") == ["a heron here"]
        one.record(says("3", "one more heron", KIM, said=NOW + 2))
        other.freshen()
        with other.rows() as rows:
            assert found(rows, "heron") == ["a heron here", "one more heron"]


def test_what_nobody_knows_of_is_nowhere() -> None:
    with Engine.in_memory(FakeClock()) as engine, engine.live.rows() as rows:
        assert rows.corpora is not None
        zones = rows.corpora()
        assert isinstance(zones, recalling.Zones)
        assert zones._points_of([EventId(bytes(16))]) == set()
