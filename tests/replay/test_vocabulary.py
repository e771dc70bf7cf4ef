"""The terms of a zone, read once, are those that are looked up one by one."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from projections.messages import MESSAGES
from projections.places import PLACES, audience_of
from projections.policies.compartments import Setting
from projections.recall.documents import zone_of
from projections.recall.numbers import NOTHING, Numbers, numbered
from projections.recall.search import Wanted, said
from projections.recall.spelling import spelled_like
from projections.recall.words import terms_of, word_term
from projections.rows import Rows
from replay.engine import Engine
from replay.recall import disk as recall_disk
from replay.recall import tables as recall_tables
from replay.recall.disk import OFTEN, Disk, Vocabulary
from replay.store import DiskStore
from tests.generator import fixed_story
from tests.replay.stage import FakeClock, living
from tests.world import NOW, handle


@pytest.fixture
def engine(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """A story of which much is sealed: segments of 8 seqs and spans of 32."""
    monkeypatch.setattr(recall_tables, "SEGMENT", recall_tables.SEGMENT._replace(bits=3))
    monkeypatch.setattr(recall_tables, "SPAN", recall_tables.SPAN._replace(bits=5))
    with Engine.open(data, create=True, clock=FakeClock()) as made:
        for told in fixed_story(120).decisions():
            made.record(living(told))
        made.commit_views()
        yield made


@contextmanager
def reading(engine: Engine) -> Iterator[Disk]:
    store = engine.store
    assert isinstance(store, DiskStore)
    assert store.views is not None
    with store.views.reading() as (_, snapshot):
        yield Disk(lambda: snapshot)


def zones_and_terms(engine: Engine) -> tuple[set[bytes], Numbers]:
    """Every zone in which something was said, and every term of what was said, with some that stand nowhere."""
    with engine.reading() as rows:
        messages = [each.row.message for each in rows.scan(MESSAGES)]
    terms = {term for each in messages for term in terms_of(each.text).counts}
    terms |= {bytes(8), b"\xff" * 8, word_term("nobodysaysthis")}
    likes = spelled_like("nobodysaysthis")
    return {zone_of(each.audience, each.guild) for each in messages}, np.append(numbered(terms), likes)


def test_it_has_what_is_looked_up(engine: Engine) -> None:
    zones, terms = zones_and_terms(engine)
    stood = 0
    with reading(engine) as disk:
        for zone in zones:
            ask, there = Vocabulary(disk, zone), disk.standing(zone, terms)
            assert all(ask(terms) == there for _ in range(OFTEN + 1))
            assert ask(NOTHING) == set()
            stood += len(there)
    assert stood


def test_it_is_read_once_by_whoever_asks_often(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    zones, terms = zones_and_terms(engine)
    with reading(engine) as disk:
        zone = max(zones, key=lambda zone: len(disk.standing(zone, terms)))
        ask, looked = Vocabulary(disk, zone), 0
        look_up = disk.standing

        def counted(*asked: object) -> set[bytes]:
            nonlocal looked
            looked += 1
            return look_up(*asked)  # type: ignore[arg-type]  # as they came

        monkeypatch.setattr(disk, "standing", counted)
        for _ in range(OFTEN + 3):
            ask(terms)
    assert looked == OFTEN - 1


def test_of_a_large_zone_no_list_is_made(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    zones, terms = zones_and_terms(engine)
    monkeypatch.setattr(recall_disk, "OFTEN", 1)
    with reading(engine) as disk:
        zone = max(zones, key=lambda zone: len(disk.standing(zone, terms)))
        whole = disk.vocabulary(zone)
        assert whole is not None
        monkeypatch.setattr(recall_disk, "MOST_TERMS", len(whole) - 1)
        assert disk.vocabulary(zone) is None
        assert Vocabulary(disk, zone)(terms) == disk.standing(zone, terms)


def test_a_zone_without_terms_has_none(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_disk, "OFTEN", 1)
    with reading(engine) as disk:
        assert Vocabulary(disk, bytes(16))(numbered({word_term("tea")})) == set()


def test_what_is_found_is_the_same(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_disk, "OFTEN", 1)
    monkeypatch.setattr("replay.kept.OFTEN", 1)
    found = 0
    for told in islice(fixed_story(150).decisions(), 120, None):
        engine.record(living(told))
        with engine.reading() as rows:
            plain = Rows(rows.raw, rows.ids)
            texts = [each.row.message.text for each in rows.scan(MESSAGES)][:2]
            for place in [each.row for each in rows.scan(PLACES) if each.row.session][:3]:
                audience = audience_of(rows, place.place)
                if audience is not None:
                    setting = Setting(place.person or handle("ada"), audience, place.guild)
                    for text in texts:
                        wanted = Wanted(text[:5] + text[6:], setting, place.session, NOW)
                        assert said(rows, wanted, 5) == said(plain, wanted, 5)
                        found += len(said(rows, wanted, 5))
    assert found
