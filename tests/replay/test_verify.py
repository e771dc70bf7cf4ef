"""Verifying: one flipped bit anywhere in a stored event is found and named; a healthy log is left in peace."""

import shutil
from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest

from projections.events import MessageRedacted
from projections.events.values import PLATFORM
from projections.ids import VaultId
from projections.registry import FOLD
from replay import codec, lmdb_file
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import KeyRingDamaged, KeyRingMissing
from replay.folder import Folder
from replay.folding import Folding
from replay.pages import flaws as page_flaws
from replay.position import POSITION, Position, packed_position
from replay.rewriting import rewrite
from replay.ring.records import SIZE
from replay.store import DiskStore
from replay.verify import Problem, Verified, lost_bodies, verify
from replay.views import COUNTED, META, Views
from tests.generator import fixed_story
from tests.replay.stage import (
    ADA,
    KIM,
    TABLES,
    FakeClock,
    contents,
    drafts,
    event_id,
    handle_of,
    log_folder,
    says,
    setting,
    tell,
)
from tests.world import NOW

SMALL = 6
NOBODYS = b"no event has this"


@pytest.fixture
def small(data: Path) -> Path:
    """A log of six events, sealed and unsealed, of one, two and three to a decision."""
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1", "a word"))
        engine.record(drafts(setting("a"), setting("b"), name="two"))
        redaction = MessageRedacted(said=NOW, by=PLATFORM, events=(event_id("two 0"),))
        engine.record(drafts(redaction, name="redaction"))
    return data


def verified(data: Path, *, opened: bool = False) -> Verified:
    store = DiskStore(data, FOLD, writable=False)
    try:
        return verify(store, Folding(FOLD, store), opened=opened)
    finally:
        store.close()


def tampered(data: Path, table: bytes, change: Callable[[lmdb.Transaction], object]) -> None:
    folder = log_folder(data)
    with lmdb.open(str(folder), max_dbs=9) as environment:
        database = environment.open_db(table)
        with environment.begin(write=True, db=database) as transaction:
            change(transaction)


def put(data: Path, table: bytes, place: bytes, value: bytes) -> None:
    tampered(data, table, lambda transaction: transaction.put(place, value))


def gone(data: Path, table: bytes, place: bytes) -> None:
    tampered(data, table, lambda transaction: transaction.delete(place))


def values(data: Path, table: bytes) -> list[tuple[bytes, bytes]]:
    found: list[tuple[bytes, bytes]] = []
    tampered(data, table, lambda transaction: found.extend((bytes(k), bytes(v)) for k, v in transaction.cursor()))
    return found


def key(seq: int) -> bytes:
    return seq.to_bytes(8, "big")


def test_a_healthy_log_has_no_problems(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=9) as engine:
        tell(engine, fixed_story(200).decisions())
        engine.record(says("m1", who=KIM))
        erase(engine, handle_of(engine, KIM))
        store = engine.store
        assert isinstance(store, DiskStore)
        rewrite(store)
        head = engine.head()
        called: list[tuple[int, int]] = []
        found = verify(
            store, Folding(FOLD, store), opened=True, progress=lambda done, total: called.append((done, total))
        )
        assert found.problems == ()
        assert (found.events, found.root) == (head.size, head.root())
        assert found.rows > 100
        assert called[-1] == (head.size, head.size)


def test_an_empty_log_has_no_problems(data: Path) -> None:
    Engine.open(data, create=True).close()
    found = verified(data, opened=True)
    assert found == Verified(
        0, 0, bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"), ()
    )


@pytest.mark.no_cover  # every bit of a log; others show its lines
@pytest.mark.parametrize("table", [b"headers", b"bodies", b"ids"])
def test_a_flipped_bit_in_any_byte_of_an_event_is_found_and_named(small: Path, table: bytes) -> None:
    seqs = {bytes(event): int.from_bytes(mark[:8], "big") for event, mark in values(small, b"ids")}
    for place, value in values(small, table):
        seq = seqs[place] if table == b"ids" else int.from_bytes(place, "big")
        for at in range(len(value)):
            broken = bytearray(value)
            broken[at] ^= 1 << at % 8
            put(small, table, place, bytes(broken))
            problems = verified(small).problems
            assert seq in {problem.seq for problem in problems}, f"{table!r} #{seq} byte {at}"
            if table == b"bodies":
                assert {problem.seq for problem in problems} == {seq} or seq == SMALL
        put(small, table, place, value)
    assert verified(small, opened=True).problems == ()


def test_a_flipped_bit_in_an_id_s_key_is_found_and_named(small: Path) -> None:
    place, value = values(small, b"ids")[2]
    broken = bytes([place[0] ^ 4]) + place[1:]
    tampered(small, b"ids", lambda transaction: (transaction.delete(place), transaction.put(broken, value)))
    assert [problem.seq for problem in verified(small).problems] == [int.from_bytes(value[:8], "big")]


def test_the_list_of_vaults_is_held_against_the_headers(small: Path) -> None:
    place, value = values(small, b"vaults")[0]
    assert value == b""
    gone(small, b"vaults", place)
    assert [each.what for each in verified(small).problems] == [
        f"the list of vaults lacks {place.hex()}, which seals events"
    ]
    put(small, b"vaults", place, value)
    put(small, b"vaults", b"\1" * 16, value)
    added = (b"\1" * 16).hex()
    assert f"the list of vaults has {added}, which seals no event" in {each.what for each in verified(small).problems}


def test_the_list_of_erasures_is_held_against_the_events(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1", who=KIM))
        erase(engine, handle_of(engine, KIM))
    assert verified(data).problems == ()
    for place, value in values(data, b"erased"):
        for at in range(len(value)):
            changed = bytearray(value)
            changed[at] ^= 1
            put(data, b"erased", place, bytes(changed))
            assert [each.what for each in verified(data).problems] == [
                "the list of erased vaults is not what the erasures in the log name"
            ]
        put(data, b"erased", place, value)


def test_views_of_another_log_are_told(small: Path, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "other", create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
    shutil.rmtree(small / "views")
    shutil.copytree(tmp_path / "other" / "views", small / "views")
    assert [each.what[:29] for each in verified(small).problems] == ["views: they are of another lo"]


def test_views_ahead_of_the_log_are_told(small: Path) -> None:
    with Engine.open(small, clock=FakeClock()) as engine:
        log = engine.store.log.id
    folder = Folder(small / "views").current()
    with lmdb.open(str(folder), max_dbs=64) as environment:
        meta = environment.open_db(b"meta")
        with environment.begin(write=True) as transaction:
            transaction.put(POSITION, packed_position(Position(999, bytes(32), log), TABLES), db=meta)
    (problem,) = verified(small).problems
    assert problem.what.startswith("the log has 6 events, and the views were made of 999: its end is lost, or an older")


def test_a_body_may_be_missing_only_where_an_event_says_so(small: Path) -> None:
    assert [place for place, _ in values(small, b"bodies")] == [key(seq) for seq in (1, 2, 3, 5, 6)]
    assert verified(small).problems == ()
    gone(small, b"bodies", key(2))
    assert verified(small).problems == (Problem(2, "its body is missing, and no event says that it was dropped"),)
    gone(small, b"bodies", key(SMALL))
    assert [problem.seq for problem in verified(small).problems] == [2, 4, SMALL]


def lost(data: Path) -> list[int]:
    store = DiskStore(data, FOLD, writable=False)
    try:
        return [*lost_bodies(store.log, Folding(FOLD, store))]
    finally:
        store.close()


def test_lost_bodies_are_those_that_nobody_took(small: Path) -> None:
    assert lost(small) == []  # one was redacted
    gone(small, b"bodies", seq(1))
    gone(small, b"bodies", seq(5))
    assert lost(small) == [1, 5]
    put(small, b"headers", seq(3), b"no header")
    assert lost(small) == [1, 5]


def test_where_all_bodies_are_there_none_is_looked_for(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
    monkeypatch.setattr("replay.verify._without_a_body", None)
    assert lost(data) == []


def test_what_was_erased_is_not_lost(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1", who=KIM))
        erase(engine, handle_of(engine, KIM))
        assert isinstance(engine.store, DiskStore)
        rewrite(engine.store)
    assert lost(data) == []


def test_missing_events_are_found(small: Path) -> None:
    gone(small, b"headers", key(2))
    problems = verified(small).problems
    assert Problem(3, "expected #2 here: events are missing") in problems
    assert any("the tree of the headers" in problem.what for problem in problems)
    assert any("says it has 6 events, and 5 are there" in problem.what for problem in problems)


def seq(number: int) -> bytes:
    return number.to_bytes(8, "big")


@pytest.mark.parametrize(
    ("table", "key", "found"),
    [
        (b"headers", seq(7), "a header of #7 lies behind the log's end, #6"),
        (b"headers", seq(0), f"a header lies under the key {seq(0).hex()}"),
        (b"bodies", seq(9), "a body of #9 lies behind the log's end, #6"),
        (b"bodies", seq(3) + b"x", f"a body lies under the key {seq(3).hex()}78"),
        (b"ids", NOBODYS, f"the id table has #3 under {NOBODYS.hex()}, which it is not"),
        (b"ids", NOBODYS, f"the id table has #8 under {NOBODYS.hex()}, which it is not"),
    ],
)
def test_what_is_of_no_event_is_found_and_left_out_of_a_copy(small: Path, table: bytes, key: bytes, found: str) -> None:
    put(small, table, key, seq(int(found.partition("#")[2][:1] or 0)) + b"a leaf's")

    (problem,) = verified(small).problems
    assert (problem.seq, problem.what.startswith(found)) == (0, True), problem.what
    assert problem.what.endswith("`dnam compact` writes the log anew without it")

    store = DiskStore(small, FOLD, writable=True)
    rewrite(store)
    store.close()
    assert verified(small).problems == ()


def test_a_decision_that_is_cut_short_is_found(small: Path) -> None:
    for seq in (5, 6):
        gone(small, b"headers", key(seq))
    assert Problem(4, "its decision is cut short: 1 event is missing") in verified(small).problems


def test_another_order_is_found(small: Path) -> None:
    headers = dict(values(small, b"headers"))
    changed = codec.decode_header(headers[key(3)])._replace(at=NOW - 1, left=0)
    again = codec.decode_header(headers[key(2)])._replace(left=7)
    put(small, b"headers", key(3), codec.encode_header(changed))
    put(small, b"headers", key(2), codec.encode_header(again))
    found = set(verified(small).problems)
    assert Problem(3, "recorded before the event in front of it") in found
    assert Problem(2, "its decision should have 1 event left and says 7") in found


@pytest.mark.parametrize("change", ["flipped", "missing", "more"])
def test_the_kept_subtrees_are_checked(data: Path, change: str) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(drafts(*(setting(f"{n}") for n in range(300)), name="many"))
    ((place, value),) = values(data, b"tree")
    what = {
        "flipped": lambda transaction: transaction.put(place, bytes([value[0] ^ 1]) + value[1:]),
        "missing": lambda transaction: transaction.delete(place),
        "more": lambda transaction: transaction.put(b"\x08" + key(1), value),
    }[change]
    tampered(data, b"tree", what)
    (problem,) = verified(data).problems
    expected = {"more": Problem(0, "a subtree is kept that the log does not have: level 8, position 1")}
    assert problem == expected.get(change, Problem(1, "the subtree over #1 to #256 is not the one that was kept"))


def test_the_list_of_erased_vaults_is_checked(small: Path) -> None:
    tampered(small, b"erased", lambda transaction: transaction.put(b"v" * 16, key(1)))
    assert Problem(0, "the list of erased vaults is not what the erasures in the log name") in verified(small).problems


def test_the_log_s_own_time_is_checked(small: Path) -> None:
    place, value = next(each for each in values(small, b"meta") if each[0] == b"log")
    at = value.index(NOW.to_bytes(8, "big")) + 7
    tampered(small, b"meta", lambda transaction: transaction.put(place, value[:at] + b"\1" + value[at + 1 :]))
    assert any("its last event was recorded at" in problem.what for problem in verified(small).problems)


@pytest.mark.parametrize("many", [True, False], ids=["many pages", "few pages"])
def test_rows_of_the_views_are_checked(small: Path, monkeypatch: pytest.MonkeyPatch, *, many: bool) -> None:
    if many:
        monkeypatch.setattr(page_flaws, "MANY_PAGES", 0)
    rows = verified(small).rows
    monkeypatch.setattr(lmdb_file, "MOST_PAGES", 0)  # or they would not be used at all
    folder = Folder(small / "views").current()
    assert folder is not None
    with lmdb.open(str(folder), max_dbs=64) as environment:
        database = environment.open_db(b"messages@1")
        with environment.begin(write=True, db=database) as transaction:
            place, value = next(iter(transaction.cursor()))
            transaction.put(bytes(place), bytes(value)[:-1] + b"x")
    found = verified(small)
    assert found.rows == rows
    (problem,) = found.problems
    assert problem.seq == 0
    assert problem.what.startswith("views: a row of messages@1 is damaged")
    assert bytes(place).hex() in problem.what


def test_a_row_of_the_views_that_went_is_missed(small: Path) -> None:
    views = Folder(small / "views").current()
    assert views is not None
    with lmdb.open(str(views), max_dbs=64) as environment:
        database = environment.open_db(b"messages@1", create=False)
        with environment.begin(write=True, db=database) as transaction, transaction.cursor() as cursor:
            assert cursor.first()
            assert transaction.delete(cursor.key())

    lacking = "views: 0 rows of messages@1 are there, and 1 were when it was written last"
    assert verified(small).problems == (Problem(0, lacking),)


def test_views_that_were_not_counted_are_believed(small: Path) -> None:
    """As those of an earlier version."""
    views = Folder(small / "views").current()
    assert views is not None
    with lmdb.open(str(views), max_dbs=64) as environment:
        meta = environment.open_db(META.encode(), create=False)
        with environment.begin(write=True, db=meta) as transaction:
            assert transaction.delete(COUNTED)
    assert verified(small).problems == ()


def test_rows_that_were_summed_in_their_pages_are_not_read_again(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = verified(small)
    assert expected.problems == ()
    monkeypatch.setattr(page_flaws, "MANY_PAGES", 0)
    monkeypatch.delattr(Views, "inspect_table")
    assert verified(small) == expected


@pytest.mark.parametrize("which", ["log", "views"])
def test_folders_that_others_replace_meanwhile_are_looked_at_as_they_are_open(small: Path, which: str) -> None:
    expected = verified(small)
    store = DiskStore(small, FOLD, writable=False)
    folder = Folder(small / which).current()
    assert folder is not None
    shutil.rmtree(folder)
    assert verify(store, Folding(FOLD, store)) == expected
    store.close()


def test_both_copies_of_the_ring_are_checked(small: Path) -> None:
    ring = small / "keys" / "ring-b"
    ring.write_bytes(ring.read_bytes()[:-SIZE])
    (problem,) = verified(small).problems
    assert "key ring: the two copies" in problem.what


def test_a_body_that_fits_its_digest_and_not_its_seal_is_found_when_it_is_opened(small: Path) -> None:
    bodies, headers = dict(values(small, b"bodies")), dict(values(small, b"headers"))
    body = bytes(len(bodies[key(3)]))
    header = codec.decode_header(headers[key(3)])._replace(body_digest=codec.digest(body))
    tampered(small, b"bodies", lambda transaction: transaction.put(key(3), body))
    tampered(small, b"headers", lambda transaction: transaction.put(key(3), codec.encode_header(header)))
    assert not any("does not fit its seal" in problem.what for problem in verified(small).problems)
    found = verified(small, opened=True).problems
    assert Problem(3, "event #3: the body of a message.heard does not fit its seal") in found


def test_a_redaction_while_it_walks_is_no_problem(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        for first in range(0, 5_000, 1_000):
            engine.record(drafts(*(setting(f"{n}") for n in range(first, first + 1000)), name=f"{first}"))
        store = engine.store
        assert isinstance(store, DiskStore)

        def meanwhile(done: int, total: int) -> None:
            if done < total:
                events = (event_id("4000 999"), event_id("0 0"))
                redaction = MessageRedacted(said=NOW, by=PLATFORM, events=events)
                engine.record(drafts(redaction, setting("beside it"), name="late"))

        found = verify(store, Folding(FOLD, store), progress=meanwhile)
        redacted = engine.store.log.get(5_000)
        assert redacted is not None
        assert redacted.body is None
        assert (found.events, found.problems) == (5_000, ())


def test_looking_changes_nothing(small: Path) -> None:
    before = contents(small)
    verified(small, opened=True)
    assert contents(small) == before


def test_erased_bodies_may_be_missing(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1", who=ADA))
        erase(engine, handle_of(engine, ADA))
        assert isinstance(engine.store, DiskStore)
        assert rewrite(engine.store).left_behind == 2
    assert verified(data, opened=True).problems == ()


@pytest.mark.parametrize("how", ["no folder", "garbage", "a lost record"])
def test_without_a_ring_what_needs_no_key_is_verified(data: Path, how: str) -> None:
    """Erasures and redactions are not sealed: what they took is known to be gone, and not to be missing."""
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        tell(engine, fixed_story(60).decisions())
        engine.record(says("m1", who=ADA))
        erase(engine, handle_of(engine, ADA))
        assert isinstance(engine.store, DiskStore)
        rewrite(engine.store)
    whole, ring = verified(data), data / "keys" / "ring-a"
    if how == "no folder":
        shutil.rmtree(data / "keys")
    else:
        harmed = b"no ring" * 99 if how == "garbage" else bytes(SIZE) + ring.read_bytes()[SIZE:]
        for copy in (ring, ring.with_name("ring-b")):
            copy.write_bytes(harmed)
    with pytest.raises((KeyRingMissing, KeyRingDamaged)) as refused:
        DiskStore(data, FOLD, writable=False)
    store = DiskStore(data, FOLD, writable=False, keyless=True)
    try:
        assert verify(store, Folding(FOLD, store), opened=True) == whole
        assert [each.what for each in store.findings] == [str(refused.value)]
        with pytest.raises(KeyRingMissing, match="Put the `keys` folder back"):
            store.ring.key(VaultId(b"v" * 16))
    finally:
        store.close()
    with pytest.raises(AssertionError):
        DiskStore(data, FOLD, writable=True, keyless=True)


@pytest.mark.parametrize("harm", [lambda note: note[:-1], lambda note: bytes([note[0] ^ 1]) + note[1:]])
def test_a_damaged_note_of_how_far_the_ring_goes_is_told(small: Path, harm: Callable[[bytes], bytes]) -> None:
    """It would not be noticed then that the end of both copies is lost."""
    put(small, b"meta", b"ring", harm(dict(values(small, b"meta"))[b"ring"]))
    (problem,) = verified(small).problems
    assert problem.what.startswith("the log's note of how far the key ring goes cannot be read")
    with Engine.open(small, clock=FakeClock()) as engine:
        engine.record(says("m9"))
    assert verified(small).problems == ()
