"""Law 3: a look at the past is a replay that stops there, for every moment of either clock."""

from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.config import CONFIG
from projections.fold import Record
from projections.registry import FOLD
from replay.engine import Engine
from replay.snapshot import LAST_KEY
from replay.travel import MANY, Moment, settled
from tests.examples import examples
from tests.generator import Story, fixed_story, stories
from tests.replay.stage import FakeClock, Table, drafts, folded, living, ranges_agree, readable, scanned, setting

HISTORIES = examples(200, 500)
"""How many each law is tried on."""
LAW = settings(max_examples=HISTORIES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def replayed(engine: Engine, records: Iterable[Record], moment: Moment) -> dict[str, Table]:
    """What a fold makes of everything that had happened by then, in the order of that clock."""
    upto = None if moment.seq is None else settled(engine.store.log, moment.seq)
    then = [record for record in records if Moment(upto, moment.said).includes(record.seq, record.event.said)]
    if moment.said is not None:
        then.sort(key=lambda record: (record.event.said, record.seq))
    return folded(then)


def told(story: Story) -> Engine:
    engine = Engine.in_memory(FakeClock())
    for decided in story.decisions():
        engine.record(living(decided))
    return engine


@LAW
@given(stories(), st.data())
def test_a_look_at_the_past_is_a_replay_that_stops_there(story: Story, data: st.DataObject) -> None:
    with told(story) as engine:
        records = readable(engine.store.log, engine.store)
        saids = sorted({record.event.said for record in records}) or [0]
        seqs = st.integers(0, len(records) + 1)
        moments = st.builds(Moment, st.none() | seqs, st.none() | st.sampled_from(saids))
        for moment in data.draw(st.lists(moments, min_size=1, max_size=3)):
            with engine.past(moment) as rows:
                assert scanned(rows.raw) == replayed(engine, records, moment)


@pytest.mark.parametrize("salt", range(3))
def test_every_moment_of_either_clock(salt: int) -> None:
    with told(fixed_story(20, salt)) as engine:
        records = readable(engine.store.log, engine.store)
        size = engine.head().size
        moments = [Moment(seq=seq) for seq in range(size + 2)]
        moments += [Moment(said=said) for said in sorted({record.event.said for record in records})]
        for moment in moments:
            with engine.past(moment) as rows:
                assert scanned(rows.raw) == replayed(engine, records, moment), moment


@pytest.mark.parametrize("salt", range(4))
def test_ranges_of_the_past_are_ranges_of_its_rows(salt: int) -> None:
    with told(fixed_story(60, salt)) as engine:
        records = readable(engine.store.log, engine.store)
        for moment in (Moment(seq=engine.head().size * 2 // 3), Moment(said=records[len(records) // 2].event.said)):
            with engine.past(moment) as rows:
                expected = replayed(engine, records, moment)
                for projection in FOLD.projections:
                    ranges_agree(rows.raw, projection.table, expected[projection.table])


def test_a_moment_inside_a_decision_is_its_end() -> None:
    with told(fixed_story(10)) as engine:
        log = engine.store.log
        inside = next(stored.seq for stored in log.read(0) if settled(log, stored.seq) > stored.seq)
        with engine.past(Moment(seq=inside)) as rows:
            now = scanned(rows.raw)
        with engine.past(Moment(seq=settled(log, inside))) as rows:
            assert scanned(rows.raw) == now


def test_the_past_of_rows_that_changed_often_is_looked_up() -> None:
    """More often than entries are read one by one: in either direction, and between rows that changed once."""
    with Engine.in_memory(FakeClock()) as engine:
        records = [
            engine.record(drafts(setting(f"{n}", key="often"), name=f"n{n}")).records[0] for n in range(MANY * 2)
        ]
        for name in ("aaa", "zzz", "other"):
            records += engine.record(drafts(setting("once", key=name), name=name)).records
        for seq in range(len(records) + 1):
            moment = Moment(seq=seq)
            with engine.past(moment) as rows:
                found = list(rows.raw.scan(CONFIG.table, b"", LAST_KEY))
                assert found == list(rows.raw.scan(CONFIG.table, b"", LAST_KEY, reverse=True))[::-1]
                assert scanned(rows.raw) == replayed(engine, records, moment)
