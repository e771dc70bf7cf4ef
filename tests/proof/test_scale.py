"""The short form of the proof about scale, without a clock; and a line that is not straight is found."""

from pathlib import Path

import msgspec
import pytest

from projections.ids import Handle
from projections.registry import FOLD
from replay import codec
from replay.engine import Engine
from replay.folding import Folding
from replay.ring.keyring import KeyRing
from replay.ring.records import SIZE
from replay.ring.store import MemoryRingStore
from replay.sealer import Sealer
from replay.store import DiskStore
from replay.verify import verify
from tests.proof.claim import Trial
from tests.proof.machine import Machine, machine
from tests.proof.scale import CLAIMS, PART, RECORDS, _finding, excuse, is_slow, long, prove, sound
from tests.proof.scale.__main__ import main
from tests.proof.scale.community import HAMLET, TOWN, Community
from tests.proof.scale.copying import Template
from tests.proof.scale.judging import LINES, NAMES, RING, Judged, allowed, is_whole, judged
from tests.proof.scale.kept import LONG_RUN, LongRun, kept, save
from tests.proof.scale.measuring import Measured
from tests.proof.scale.scenes import KINDS


def test_everything_is_measured(tmp_path: Path) -> None:
    """And what was made is what the program itself would have written: it opens, decodes and verifies."""
    findings = {each.key: each for each in prove(Trial(tmp_path, 20261122, True, lambda _: None))}
    assert list(findings) == [claim.key for claim in CLAIMS]
    short_of = [
        each for each in findings.values() if not each.holds and each.key != "long"
    ]  # which was kept of a night
    assert short_of == []
    assert PART.is_timed
    _decodes(tmp_path / "data")


def _decodes(data: Path) -> None:
    store = DiskStore(data, FOLD, writable=False)
    folding = Folding(FOLD, store)
    assert verify(store, folding, opened=True).problems == ()
    sealer, erased, tags = Sealer(store.ring), store.log.erased_vaults(), set()
    for each in store.log.read(0):
        header = codec.decode_header(each.header)
        record = sealer.opened(each, header, erased)
        if record is not None:
            tags.add(header.tag)
            assert codec.decode_body(header.tag, header.tag_version, codec.encode_body(record.event)) == record.event
    store.close()
    assert {"message.heard", "turn.answered", "item.upserted", "summary.refreshed", "extraction.answered"} <= tags


def measured(events: int, **instead: float) -> Measured:
    """As it would be if every line were straight, but for these figures."""
    lines = [line for each in LINES.values() for line in each]
    figures = {line.figure: 1_000.0 if line.shape == "flat" else events / 10 for line in lines}
    figures |= {RING: events / 1_000, "problems": 0, "rows": 8 * events, "people": TOWN.people, "channels": 1_000}
    return Measured(events, 7, figures | instead)


@pytest.mark.parametrize("key", LINES)
def test_a_line_that_is_not_straight_is_found(key: str) -> None:
    small, large = measured(10_000), measured(100_000)
    assert all(each.holds for each in judged(key, small, large))
    for line in LINES[key]:
        bent = msgspec.structs.replace(large, figures=large.figures | {line.figure: 2.5 * large[line.figure]})
        assert [each.line for each in judged(key, small, bent) if not each.holds] == [line]
        assert f"{NAMES[line.figure]} " in judged(key, small, bent)[LINES[key].index(line)].told()


def test_a_log_that_does_not_verify_is_found() -> None:
    assert sound([measured(10), measured(20)], TOWN).holds
    assert not sound([measured(10, problems=1), measured(20)], TOWN).holds


@pytest.mark.parametrize(
    ("figures", "holds"),
    [
        ({"people": 10_012}, True),
        ({"people": 9_700}, False),
        ({"people": 10_400}, False),
        ({"channels": 970}, True),
        ({"channels": 969}, False),
        ({"channels": 1_031}, False),
    ],
)
def test_a_community_of_other_than_the_claimed_size_is_found(figures: dict[str, float], holds: bool) -> None:
    found = sound([measured(10), measured(20, **figures)], TOWN)
    assert (found.holds, found.short) == (holds, "")
    assert f"{figures.get('people', TOWN.people):,} people (11 guests among them), " in found.came_out
    assert f" {figures.get('channels', TOWN.channels):,} public channels, " in found.came_out


@pytest.mark.parametrize(
    ("added", "holds"), [(24_000, True), (22_900, True), (25_100, True), (22_700, False), (25_300, False)]
)
def test_as_many_records_come_to_the_ring_as_is_claimed(added: int, holds: bool) -> None:
    small, large = (
        measured(events, **{RING: 2 * SIZE * records / 1e6, "open_reader_ms": 1.0, "open_writer_ms": 1.0})
        for events, records in ((1_000_000, RECORDS), (2_000_000, RECORDS + added))
    )
    line = _finding("open", small, large, is_timed=True)
    assert (line.holds, line.short) == (holds, "")
    assert (
        f"the ring has {RECORDS:,} → {RECORDS + added:,} records, {added:,} more for a million events" in line.came_out
    )


@pytest.mark.parametrize(
    ("key", "figure", "told"),
    [
        ("append", "append_ms", "at most 1.5 × 1,000 + 1 = 1,501 ms, 1.50 times"),
        ("append", "many_ms", "at most 1.6 × 1,000 + 0.1 = 1,600 ms, 1.60 times"),
        ("replay", "replay_s", "at most 1.7 × 10,000 + 1 = 17,001 s, 1.70 times"),
        ("disk", "log_disk_mb", "at most 1.15 × 10,000 = 11,500 MB"),
    ],
)
def test_the_bound_that_is_told_is_the_one_that_is_judged(key: str, figure: str, told: str) -> None:
    (line,) = [each for each in judged(key, measured(10_000), measured(100_000)) if each.line.figure == figure]
    assert told in line.told()
    for more, holds in ((0, True), (1e-6, False)):
        at_most = measured(100_000, **{figure: line.most * (1 + more) - (1 - more) * 1e-9})
        assert line._replace(larger=at_most).holds == holds


def test_a_small_figure_may_grow_by_what_no_clock_measures_well() -> None:
    small = measured(10_000, append_ms=0.684)
    line = next(each for each in judged("append", small, measured(100_000)) if each.line.figure == "append_ms")
    assert line.bound() == "at most 1.5 × 0.684 + 1 = 2.03 ms, 2.96 times"
    assert "one append 1.5 times and 1 ms; one append of 64 at once 1.6 times and 0.1 ms" in allowed("append")


def test_what_the_guest_has_is_told() -> None:
    few = {"known": 4.0, "lives": 5.0, "keys": 3.0}
    line = _finding("erase", measured(10, **few, sealed=90), measured(20, **few, sealed=91), is_timed=False)
    assert "the guest has 4 → 4 items, 3 → 3 keys, 90 → 91 events sealed by them" in line.came_out
    line = _finding("audit", measured(10, **few), measured(20, **few), is_timed=False)
    assert line.came_out.endswith("the guest has 5 → 5 items, 3 → 3 keys")


def test_every_guest_has_the_same_scenes_and_shares_no_channel_with_another(tmp_path: Path) -> None:
    scenes: dict[Handle, list[int]] = {}
    channels: list[bytes] = []
    kinds = [kind.name for kind in KINDS]
    templates = [Template(kind, [], [], [], [Handle(bytes(16))], [b"p"], 0, 1_000) for kind in kinds]
    size = HAMLET._replace(channels=20)
    town = Community(tmp_path, size, templates, 7)
    town.people = [Handle(bytes([n]) * 16) for n in range(size.people)]
    town.guests = [Handle(bytes([100 + n]) * 16) for n in range(size.guests)]
    ring = KeyRing.create(MemoryRingStore())
    for _ in range(60):
        order = town._next(ring)
        if order.cast[0] in town.guests:
            scenes.setdefault(order.cast[0], []).append(order.template)
            if templates[order.template].kind == "asked":
                channels += order.places
    assert list(scenes.values()) == [[kinds.index(each) for each in ("direct", "asked", "direct")]] * size.guests
    assert len(set(channels)) == len(channels) == size.guests


def test_a_long_run_is_kept_and_judged(tmp_path: Path) -> None:
    run = LongRun((measured(1_000_000), measured(10_000_000)), 1, "2026-11-22 12:00", machine())
    save(tmp_path / "long.json", run)
    assert kept(tmp_path / "long.json") == run
    assert long(run).holds
    bent = long(msgspec.structs.replace(run, sizes=(run.sizes[0], measured(10_000_000, append_ms=9_000))))
    assert not bent.holds
    assert "one append" in bent.came_out
    assert bent.short == ""
    assert not long(kept(tmp_path / "nothing.json")).holds
    for figures in ({"problems": 1}, {"erase_s": 1.0, "replay_s": 0.5}):
        for index in (0, 1) if "problems" in figures else (1,):
            sizes = list(run.sizes)
            sizes[index] = measured(sizes[index].events, **figures)
            found = long(msgspec.structs.replace(run, sizes=tuple(sizes)))
            assert (found.holds, found.short) == (False, "")
            assert ("1 problems" if "problems" in figures else "longer than a replay") in found.came_out
    broken_off = msgspec.structs.replace(run.sizes[1], figures={"replay_s": 1.0})
    assert long(msgspec.structs.replace(run, sizes=(run.sizes[0], broken_off))).came_out == "not run"


def test_an_erasure_that_takes_longer_than_a_replay_is_found() -> None:
    assert not is_slow(measured(10, erase_s=1, replay_s=2), 2)
    assert is_slow(measured(10, erase_s=2, replay_s=1), 2)
    busy = {"erase_s": 2.0, "replay_s": 1.0, "erase_load": 5.0}
    assert not is_slow(measured(10, **busy, erase_cpu_s=1, replay_cpu_s=2), 2)
    assert is_slow(measured(10, **busy, erase_cpu_s=2, replay_cpu_s=1), 2)


def bends(key: str, figure: str, **figures: float) -> Judged:
    """A line that does not hold at the larger size."""
    lines = judged(key, measured(10_000), measured(100_000, **figures))
    (bent,) = [each for each in lines if each.line.figure == figure]
    assert not bent.holds
    return bent


TWO = Machine("", "", "", 2, 1e9)


def test_other_work_is_a_reason_for_what_it_ran_beside_and_for_nothing_else() -> None:
    late = {"append_ms": 9_000.0}
    assert "a load of 1000" in excuse([bends("append", "append_ms", write_load=1_000, **late)], TWO)
    assert excuse([bends("append", "append_ms", replay_load=1_000, **late)], TWO) == ""
    assert excuse([bends("append", "append_ms", write_load=3, **late)], TWO) == ""
    slow = bends("replay", "replay_cpu_s", replay_load=1_000, replay_cpu_s=1e6)
    assert excuse([slow], TWO) == excuse([], TWO) == ""
    busy = bends("append", "append_ms", write_load=1_000, **late)
    assert excuse([busy, slow], TWO) == ""


def test_other_work_is_a_reason_as_far_as_there_was_more_of_it() -> None:
    """Nine times as long, where half as much again is straight: six times as much beside it, above what it was before
    or the two that run anyway.
    """
    line = next(each for each in LINES["append"] if each.figure == "append_ms")
    for before, after, is_known in ((0, 12.1, True), (0, 11.9, False), (12, 72.1, True), (12, 71.9, False)):
        small, late = measured(10_000, write_load=before), measured(100_000, write_load=after, append_ms=9_001)
        assert bool(excuse([Judged(line, small, late)], TWO)) == is_known


@pytest.mark.parametrize(("key", "most"), [("replay", 720), ("verify", 720), ("erase", 360)])
def test_memory_is_put_down_to_the_key_ring_as_far_as_that_grew(key: str, most: int) -> None:
    """It grew by 90 MB; each process may hold four times that."""
    figure = f"{key}_mb"
    line = next(each.line for each in judged(key, measured(10_000), measured(100_000)) if each.line.figure == figure)
    allowed = line.slack + line.most * measured(10_000)[figure] + most
    assert "key ring" in excuse([bends(key, figure, **{figure: allowed})], TWO)
    assert excuse([bends(key, figure, **{figure: allowed + 1})], TWO) == ""


@pytest.mark.parametrize(
    ("figure", "takes", "memory", "is_known"),
    [
        ("verify_cpu_s", 3_000, 0.01, True),
        ("verify_cpu_s", 3_000, 0.1, False),
        ("verify_cpu_s", 3_000, 0.001, False),
        ("verify_cpu_s", 3_100, 0.01, False),
        ("verify_s", 5_000, 0.01, True),
        ("verify_s", 5_100, 0.01, False),
        ("append_ms", 5_000, 0.01, False),
    ],
)
def test_what_does_not_fit_into_memory_takes_longer_but_not_for_ever(
    figure: str, takes: float, memory: float, is_known: bool
) -> None:
    small = measured(1_000, log_disk_mb=1, views_disk_mb=1)
    large = measured(10_000, log_disk_mb=10, views_disk_mb=10, **{figure: takes})
    (slow,) = [each for each in judged(figure.partition("_")[0], small, large) if each.line.figure == figure]
    assert not slow.holds
    assert bool(excuse([slow], Machine("", "", "", 2, memory))) == is_known


def test_what_was_kept_can_be_read() -> None:
    run = kept(LONG_RUN)
    assert run is None or all(is_whole(each) for each in run.sizes[-2:])


def test_one_thing_is_measured_again(tmp_path: Path) -> None:
    on, out = machine(), tmp_path / "long.json"
    with Engine.open(tmp_path / "data", create=True):
        pass
    assert main(["--again", "verify", "--data", str(tmp_path / "data"), "--out", str(out)]) == 1
    save(out, LongRun((measured(1_000), measured(0, verify_mb=5e9), measured(2_000)), 7, "a day", on))
    assert main(["--again", "verify", "--data", str(tmp_path / "data"), "--out", str(out)]) == 0
    run = kept(out)
    assert run is not None
    assert (run.sizes[0], run.sizes[2]) == (measured(1_000), measured(2_000))
    assert 0 < run.sizes[1]["verify_mb"] < 5e3
    assert run.sizes[1]["erase_mb"] == measured(0)["erase_mb"]
    assert [(each.what, each.events, each.machine.commit) for each in run.again] == [("verify", 0, on.commit)]
    assert [run.alike(events) for events in (1_001, 1_002, 2_000)] == [0, None, 2]
