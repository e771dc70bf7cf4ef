"""The retrieval index: kept up = made anew, byte for byte, and what it finds is what is found by reading every row."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import permutations
from pathlib import Path
from typing import Any
from unicodedata import unidata_version

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.events import UNSEALED_TAGS, ConfigSet, MessageRedacted
from projections.events.values import OPERATOR, PLATFORM
from projections.ids import Handle, VaultId
from projections.messages import MESSAGES
from projections.places import PLACES, audience_of
from projections.policies.compartments import Setting
from projections.recall.columns import NO_PEAK, Peak, Sealed
from projections.recall.corpus import Corpus
from projections.recall.opened import Part, parts
from projections.recall.search import Wanted, said
from projections.recall.words import word_term
from projections.registry import FOLD
from projections.rows import Rows
from replay import views
from replay.builder import check, rebuild
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import Busy, DamagedViews, ErasedMeanwhile, NewerViews
from replay.packing import PackedRows
from replay.position import Position
from replay.recall import recalling
from replay.recall import tables as layout
from replay.recall.disk import Disk
from replay.recall.rows import unpack_documents
from replay.recall.tables import TABLES
from replay.store import DiskStore
from tests.generator import Story, fixed_story, stories
from tests.laws.test_rows import opened, shared
from tests.replay.stage import ADA, KIM, drafts, handle_of, living, readable, says
from tests.world import NOW, handle

LAW = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@pytest.fixture(autouse=True)
def _small_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    small_spans(monkeypatch)


def small_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of 8 seqs and spans of 32, so that a short story fills some; what came is soon read from them."""
    monkeypatch.setattr(recalling, "MOST_LATE", 4)
    monkeypatch.setattr(layout, "SEGMENT", layout.SEGMENT._replace(bits=3))
    monkeypatch.setattr(layout, "SPAN", layout.SPAN._replace(bits=5))


def on_disk(engine: Engine) -> dict[str, list[tuple[bytes, bytes]]]:
    """Every row of the index."""
    store = engine.store
    assert isinstance(store, DiskStore)
    assert store.views is not None
    with store.views.reading() as (_, snapshot):
        return {table: list(snapshot.data_in(table, b"", b"\xff" * 64)) for table in TABLES}


def commit(engine: Engine) -> None:
    """Bring the views to the log's end, whatever is being committed in the background."""
    views = engine.store.views
    while views is not None and (position := views.position()) is not None and position.size < engine.head().size:
        with engine.reading():  # follows what the background committed
            pass
        engine.commit_views()


def rebuilt(engine: Engine) -> None:
    """Have the views built anew, and read from now on."""
    assert isinstance(engine.store, DiskStore)
    before = engine.store.views
    rebuild(engine.store, FOLD)
    with engine.reading():
        assert engine.store.views is not before


def held(part: Part) -> tuple[dict[int, tuple[Any, ...]], list[list[int]]]:
    """What is open of a part, by seq: its documents and its chains."""
    corpus = part.corpus
    places = [at for at in range(corpus.size) if corpus.alive[at] and (part.open is None or part.open[corpus.unit[at]])]
    documents = {
        int(corpus.seqs[at]): (
            corpus.units.all[corpus.unit[at]],
            corpus.speakers.all[corpus.speaker[at]],
            *(int(column[at]) for column in (corpus.ids, corpus.said, corpus.lengths, corpus.flags, corpus.joined)),
        )
        for at in places
    }
    chains = [[int(corpus.seqs[each]) for each in chain(corpus, at)] for at in places if corpus.before[at] < 0]
    return documents, sorted(chains)


def chain(corpus: Corpus, at: int) -> Iterator[int]:
    while at >= 0:
        yield at
        at = int(corpus.after[at])


def settings_of(rows: Rows) -> list[tuple[Setting, str]]:
    """Everywhere somebody can be answered."""
    found = []
    for place in [each.row for each in rows.scan(PLACES)][:4]:
        audience = audience_of(rows, place.place)
        if audience is not None and place.session:
            found.append((Setting(place.person or handle("ada"), audience, place.guild), place.session))
    return found


def same_found(rows: Rows, texts: list[str]) -> None:
    plain = Rows(rows.raw, rows.ids)
    for setting, session in settings_of(rows):
        kept, read = parts(rows, setting, session), parts(plain, setting, session)
        assert list(map(held, kept)) == list(map(held, read))
        for text in texts:
            wanted = Wanted(text, setting, session, NOW)
            assert said(rows, wanted, 5) == said(plain, wanted, 5)


def said_by(sealed: Sealed) -> dict[Handle, list[int]]:
    """What is sealed by each speaker: ids, in the order of seqs."""
    found: dict[Handle, list[int]] = {}
    for speaker, each in zip(sealed.columns.speakers.tolist(), sealed.columns.ids.tolist(), strict=True):
        found.setdefault(sealed.speakers[speaker], []).append(each)
    return found


def texts_of(engine: Engine) -> list[str]:
    with engine.reading() as rows:
        found = [each.row.message.text for each in rows.scan(MESSAGES)]
    return found[:3]


@LAW
@given(stories(120), st.integers(1, 64), st.frozensets(st.integers(0, 200), max_size=3), st.integers(0, 30))
def test_kept_up_is_made_anew(story: Story, every: int, restarts: frozenset[int], look: int) -> None:
    with shared() as path:
        engine = opened(path, every)
        for n, told in enumerate(story.decisions()):
            if n in restarts:
                engine.close()
                engine = opened(path, every)
            engine.record(living(told))
            if look and n % look == 0:
                with engine.reading() as rows:
                    same_found(rows, texts_of(engine)[:1])
        with engine:
            texts = texts_of(engine)
            with engine.reading() as rows:
                same_found(rows, texts)
            commit(engine)
            with engine.reading() as rows:
                same_found(rows, texts)
            kept = on_disk(engine)
            rebuilt(engine)
            with engine.reading() as rows:
                same_found(rows, texts)
            assert on_disk(engine) == kept


def test_an_index_that_is_not_what_it_should_be_is_found() -> None:
    with shared() as path, opened(path, 40) as engine:
        for told in fixed_story(60).decisions():
            engine.record(living(told))
        commit(engine)
        store = engine.store
        assert isinstance(store, DiskStore)
        assert check(store, FOLD).equal
        table = layout.SPAN.postings
        key, data = on_disk(engine)[table][0]
        assert store.views is not None
        for rows in ([(key, data[:-1] + bytes([data[-1] ^ 1]))], [(key, None)]):
            store.views.fill(table, PackedRows.of(rows))
            found = check(store, FOLD)
            assert found.live == found.rebuilt
            assert not found.index_is_sound
            assert not found.equal
        store.views.fill(table, PackedRows([key], [data[:-1] + bytes([data[-1] ^ 1])]))
        assert [each for each in store.views.inspect().damage if table in each]
        with store.views.reading() as (_, snapshot), pytest.raises(DamagedViews):
            Disk(lambda: snapshot).postings(key[:8], [key[8:16]])


def test_how_far_a_term_goes_is_read_from_all_of_its_rows(data: Path) -> None:
    with opened(data, 400) as engine:
        for n in range(50):
            engine.record(says(str(n), f"heron {'heron ' * (n % 7)}{'far ' * (n % 5)}away", said=NOW + n))
        commit(engine)
        store = engine.store
        assert isinstance(store, DiskStore)
        assert store.views is not None
        tables = on_disk(engine)
        zone = tables[layout.SPAN.documents][0][0][:8]
        assert tables[layout.SEGMENT.postings]
        with store.views.reading() as (_, snapshot):
            disk = Disk(lambda: snapshot)
            terms = [word_term(word) for word in ("heron", "none", "far", "away")]
            found = disk.postings(zone, terms)
            alone = [disk.postings(zone, [term]) for term in terms]
        assert found.peaks == [Peak(7, 2), NO_PEAK, Peak(4, 3), Peak(1, 2)]
        assert found.ends == [46, 46, 46 + 36, 128], "what is behind the last full segment is not there"
        assert found.seqs.tolist() == [seq for each in alone for seq in each.seqs.tolist()]
        assert found.counts.tolist() == [count for each in alone for count in each.counts.tolist()]


def test_a_term_goes_as_far_as_in_that_row_in_which_it_goes_furthest(data: Path) -> None:
    """Which may be the first of its rows or the last, and for how often and how short one each."""
    oddly = {1: "early early early far far", 2: "brief", 43: "soon", 44: "late late late far far"}
    with opened(data, 400) as engine:
        for n in range(50):
            engine.record(says(str(n), oddly.get(n, "early late brief soon"), said=NOW + n))
        commit(engine)
        store = engine.store
        assert isinstance(store, DiskStore)
        assert store.views is not None
        zone = on_disk(engine)[layout.SPAN.documents][0][0][:8]
        with store.views.reading() as (_, snapshot):
            terms = [word_term(word) for word in ("early", "late", "brief", "soon")]
            found = Disk(lambda: snapshot).postings(zone, terms)
        assert found.peaks == [Peak(3, 4), Peak(3, 4), Peak(1, 1), Peak(1, 1)]


def test_a_row_out_of_which_something_was_taken_tells_how_far_its_term_goes_as_one_made_anew(data: Path) -> None:
    """Neither the first nor the last of it goes furthest."""
    with opened(data, 400) as engine:
        for n in range(50):
            engine.record(
                says(str(n), f"{'heron ' * (1, 2, 3, 2)[n % 4]}{'far ' * (4, 0, 6, 3)[n % 4]}away", said=NOW + n)
            )
        commit(engine)
        with engine.reading() as rows:
            heard = [each.row.heard for each in rows.scan(MESSAGES)]
        engine.record(drafts(MessageRedacted(said=NOW, by=PLATFORM, events=(heard[5], heard[6], heard[30]))))
        commit(engine)
        kept = on_disk(engine)
        rebuilt(engine)
        assert on_disk(engine) == kept


def test_a_damaged_index_is_given_up_and_everything_else_goes_on(data: Path) -> None:
    with opened(data, 400) as engine:
        for n in range(40):
            engine.record(says(str(n), f"heron {n}", said=NOW + n))
        commit(engine)
        store, table = engine.store, layout.SPAN.postings
        assert isinstance(store, DiskStore)
        assert store.views is not None
        with engine.reading() as rows:
            same_found(rows, ["heron 7"])
        broken = [(key, data[:-1] + bytes([data[-1] ^ 1])) for key, data in on_disk(engine)[table]]
        store.views.fill(table, PackedRows.of(broken))
        with engine.reading() as rows:
            heard = [each.row.heard for each in rows.scan(MESSAGES)]
        engine.record(drafts(MessageRedacted(said=NOW, by=PLATFORM, events=(heard[5],))))
        commit(engine)
        assert isinstance(engine.view_errors[-1], DamagedViews)
        for n in range(40, 50):
            engine.record(says(str(n), f"heron {n}", said=NOW + n))
        commit(engine)
        assert len(engine.view_errors) == 1
        with engine.reading() as rows:
            same_found(rows, ["heron 7", "heron 45"])
        assert not check(store, FOLD).index_is_sound
        rebuilt(engine)
        with engine.reading() as rows:
            same_found(rows, ["heron 7", "heron 45"])
        assert check(store, FOLD).equal


def test_views_that_are_broken_off_at_any_step_are_as_before_and_can_be_written_after_it(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows and index: of messages that fill spans and segments, and of one that lies in a full span and is redacted."""
    with opened(data, 400) as engine:
        for number in range(40):
            engine.record(says(str(number), f"heron {number}", said=NOW + number))
        commit(engine)
        with engine.reading() as rows:
            heard = [each.row.heard for each in rows.scan(MESSAGES)]
        for number in range(40, 75):
            engine.record(says(str(number), f"heron {number}", said=NOW + number))
        engine.record(drafts(MessageRedacted(said=NOW, by=PLATFORM, events=(heard[5],))))
        before, steps = stands(engine), 0
        while breaks_off(engine, steps, monkeypatch):
            assert stands(engine) == before
            steps += 3
        assert steps > 100, "there are many"
        kept_up = stands(engine)
        assert kept_up != before
        rebuilt(engine)
        assert stands(engine) == kept_up


def stands(engine: Engine) -> tuple[Position | None, dict[str, list[tuple[bytes, bytes]]]]:
    """How far the views are, and the index."""
    assert isinstance(engine.store, DiskStore)
    assert engine.store.views is not None
    return engine.store.views.position(), on_disk(engine)


def breaks_off(engine: Engine, steps: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a commit of the views takes more than so many steps: there its time is over."""
    left = iter(range(steps))

    def check_time() -> None:
        if next(left, None) is None:
            raise Busy("its time is over")

    with monkeypatch.context() as patched, suppress(Busy):
        patched.setattr(engine.view_commits, "_check_time", check_time)
        engine.commit_views()
        return False
    return True


def test_what_destroyed_vaults_held_is_not_read_from_rows_that_still_hold_it(data: Path) -> None:
    with opened(data, 400) as engine:
        for n in range(40):
            engine.record(says(str(n), f"heron {n}", who=(ADA, KIM)[n % 2], said=NOW + n))
        commit(engine)
        store = engine.store
        assert isinstance(store, DiskStore)
        assert store.views is not None
        key, data_of_row = on_disk(engine)[layout.SPAN.documents][0]
        vaults = list(map(VaultId, unpack_documents(data_of_row[:-4]).vault_names))
        with store.views.reading() as (_, snapshot):
            disk = Disk(lambda: snapshot)
            whole, none = disk.sealed(key[:8], frozenset()), disk.sealed(key[:8], frozenset(vaults))
            halves = [disk.sealed(key[:8], frozenset({gone})) for gone in vaults]
        assert whole is not None
        assert none is not None
        assert len(none.columns.ids) == 0
        said = said_by(whole)
        assert set(said) == {handle_of(engine, ADA), handle_of(engine, KIM)}
        assert [said_by(each) for each in halves if each is not None] in (
            [{who: said[who]} for who in order] for order in permutations(said)
        )


def test_an_index_of_other_tables_of_unicode_is_made_anew_and_of_a_newer_program_left(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made_by(old: str, new: str) -> None:
        """The index of a program whose tables are named so."""
        with monkeypatch.context() as patched:
            named = {table: table.replace(old, new) for table in TABLES}
            patched.setattr(views, "INDEX", tuple(named.values()))
            for level in ("SPAN", "SEGMENT"):
                of: layout.Level = getattr(layout, level)
                tables = named[of.documents], named[of.postings]
                patched.setattr(layout, level, of._replace(documents=tables[0], postings=tables[1]))
            with opened(data, 5) as engine:
                for told in fixed_story(20).decisions():
                    engine.record(living(told))
            assert set(named.values()).isdisjoint(TABLES)

    made_by(unidata_version, "1.0.0")
    with opened(data, 5) as engine:
        assert not engine.store.newer_views()
        engine.record(drafts(ConfigSet(said=NOW, by=OPERATOR, scope="global", key="tools", value="on")))
        with engine.reading() as rows:
            same_found(rows, texts_of(engine))
    made_by("@1-words-", "@1-words-9")
    with pytest.raises(NewerViews), opened(data, 5) as engine:
        engine.record(drafts(ConfigSet(said=NOW, by=OPERATOR, scope="global", key="tools", value="off")))


@LAW
@given(stories(120), st.data())
def test_whatever_is_dropped_and_whoever_is_erased(story: Story, data: st.DataObject) -> None:
    with shared() as path, opened(path, 40) as engine:
        decisions = list(story.decisions())
        erasures = data.draw(st.dictionaries(st.integers(0, max(len(decisions), 1)), st.integers(0, 5), max_size=2))
        for n, told in enumerate(decisions):
            with suppress(ErasedMeanwhile):
                engine.record(living(told))
            if n in erasures:
                erase(engine, handle(f"person {erasures[n]}"))
                with engine.reading() as rows:
                    same_found(rows, [])
        there = readable(engine.store.log, engine.store)
        sealed = [record.id for record in there if record.event.TAG not in UNSEALED_TAGS]
        dropped = data.draw(st.lists(st.sampled_from(sealed), unique=True, max_size=40)) if sealed else []
        engine.record(drafts(MessageRedacted(said=NOW, by=PLATFORM, events=tuple(dropped))))
        texts = texts_of(engine)
        with engine.reading() as rows:
            same_found(rows, texts)
        commit(engine)
        with engine.reading() as rows:
            same_found(rows, texts)
        kept = on_disk(engine)
        rebuilt(engine)
        assert on_disk(engine) == kept
