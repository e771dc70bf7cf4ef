"""Several processes on one folder: they write at the same time, meet the same people, and see each other."""

from pathlib import Path

from projections.people import ACCOUNTS
from projections.registry import FOLD
from replay import codec
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.store import DiskStore
from replay.verify import verify
from tests.generator import fixed_story
from tests.replay.stage import (
    ADA,
    KIM,
    FakeClock,
    child,
    digest,
    drafts,
    finished,
    handle_of,
    line,
    says,
    setting,
    tell,
    texts,
)
from tests.world import NOW


def sound(engine: Engine) -> None:
    store = engine.store
    assert isinstance(store, DiskStore)
    assert check(store, FOLD).equal
    assert verify(store, Folding(FOLD, store), opened=True).problems == ()


def test_two_writers_meet_the_same_people_once(data: Path) -> None:
    writers = [child("meets", data, name, 30) for name in ("left", "right")]
    for writer in writers:
        assert line(writer) == "ready"
    for writer in writers:
        line(writer, "go")
    for writer in writers:
        finished(writer)
    with Engine.open(data, clock=FakeClock()) as engine:
        tags = [codec.decode_header(stored.header).tag for stored in engine.store.log.read(0)]
        assert tags.count("person.seen") == 2
        assert tags.count("message.heard") == 90
        assert sorted(set(texts(engine))) == sorted(texts(engine))
        with engine.reading() as rows:
            assert len(list(rows.scan(ACCOUNTS))) == 2
        assert handle_of(engine, ADA) != handle_of(engine, KIM)
        sound(engine)


def test_a_reader_sees_what_a_writer_writes(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=3) as engine:
        reader = child("reads", data)
        assert line(reader) == "ready"
        assert line(reader, "?") == "0"
        for n in range(1, 12):
            engine.record(says(f"m{n}", said=NOW + n))
            assert line(reader, "?") == str(n)
        finished(reader)


def test_a_rebuild_elsewhere_is_followed(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=3) as engine:
        for n in range(20):
            engine.record(says(f"m{n}", said=NOW + n))
        before = digest(engine)
        rebuilding = child("rebuilds", data)
        for n in range(20, 40):
            engine.record(says(f"m{n}", said=NOW + n))
        (rebuilt,) = finished(rebuilding)
        assert len(texts(engine)) == 40
        assert digest(engine) != before
        engine.record(says("last", said=NOW + 99))
        engine.commit_views()
        sound(engine)
    with Engine.open(data, writable=False) as engine:
        assert len(texts(engine)) == 41
    assert len(rebuilt) == 64


def test_an_erasure_elsewhere_is_followed(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=3) as engine:
        for n in range(10):
            engine.record(says(f"m{n}", f"word {n}", (ADA, KIM)[n % 2], said=NOW + n))
        gone = engine.store.ring.listing(handle_of(engine, KIM))
        assert finished(child("erases", data)) == [str(len(gone))]
        assert texts(engine) == ["word 0", "word 2", "word 4", "word 6", "word 8"] or engine.head().epoch == 1
        with engine.reading() as rows:
            assert len(list(rows.raw.scan("messages@1", b"", b"\xff" * 64))) == 5
        assert not set(gone) & set(engine.store.ring.vaults)
        engine.record(says("back", "I am new here", KIM, said=NOW + 10**15))
        assert engine.store.ring.listing(handle_of(engine, KIM))
        assert texts(engine)[-1] == "I am new here"
        sound(engine)
    with Engine.open(data, clock=FakeClock()) as engine:
        assert texts(engine)[-1] == "I am new here"


def test_keys_go_to_the_ring_as_another_process_wrote_it_anew(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1", who=ADA))
        ring = data / "keys" / "ring-a"
        ring.write_bytes(ring.read_bytes()[:-7])  # torn: whoever opens it mends both copies
        finished(child("rebuilds", data))
        engine.record(says("m2", who=KIM))
    with Engine.open(data, writable=False) as engine:
        assert len(texts(engine)) == 2
        assert engine.stopped() is None


def test_one_digest_under_any_hash_seed(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        tell(engine, fixed_story(100).decisions())
        expected = digest(engine).hex()
    for seed in ("0", "1", "4242", "random"):
        assert finished(child("digests", data, hash_seed=seed)) == [" ".join([expected] * 3)]


def test_check_while_others_write(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=5) as engine:
        tell(engine, fixed_story(40).decisions())
        checking = child("digests", data)
        for n in range(100):
            engine.record(drafts(setting(str(n))))
        said = finished(checking)[0].split()
        assert said[1] == said[2]
