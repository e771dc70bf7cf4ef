"""Keys of a shadow in the live ring: the live log says how far it goes with them, so that they are not lost unsaid."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from projections.ids import VaultId
from replay.engine import Engine
from replay.errors import CannotWrite, KeyMissing, KeyRingDamaged
from replay.lmdb_log import LmdbLog
from replay.ring.records import SIZE, stand_of
from replay.shadows.shadow import shadow_engine
from replay.store import DiskStore
from tests.replay.stage import KIM, FakeClock, contents, digest, drafts, opened, says, setting
from tests.replay.test_lost_keys import change, problems

NAME = "next"


def record_alone(shadow: Engine, name: str = "kind") -> None:
    """Something that only a shadow has a vault for."""
    shadow.record(drafts(setting(name), name=name))


def gone_to(data: Path) -> int:
    """How far the live log says that the ring goes."""
    with opened(data, writable=False) as engine:
        reached = stand_of(engine.store.log.ring())
    return 0 if reached is None else reached.last


def records(data: Path) -> int:
    return (data / "keys" / "ring-a").stat().st_size // SIZE


@pytest.fixture
def told(data: Path) -> Path:
    """A memory, and beside it a shadow with a vault of its own, whose keys are the ring's last."""
    with opened(data) as live:
        live.record(says("m0"))
        live.record(says("m1", who=KIM))
    with (
        opened(data, writable=False) as live,
        shadow_engine(data, NAME, writable=True, create=True, clock=FakeClock(), beside=live) as shadow,
    ):
        record_alone(shadow)
    return data


def another(live: Engine, data: Path) -> AbstractContextManager[Engine]:
    """A second shadow, which has no vault of its own yet."""
    return shadow_engine(data, "another", writable=True, create=True, clock=FakeClock(), beside=live)


def flipped(whole: bytes) -> bytes:
    return whole[:-40] + bytes([whole[-40] ^ 1]) + whole[-39:]


@pytest.mark.parametrize("harm", [flipped, lambda whole: whole[:-SIZE]], ids=["flipped", "cut"])
def test_what_is_lost_of_them_is_lost_of_the_ring(told: Path, harm: Callable[[bytes], bytes]) -> None:
    change(told, harm)
    before = contents(told)
    said = "in both copies its end is lost|cannot be read in either copy"
    with pytest.raises(KeyRingDamaged, match=said):
        opened(told)
    assert any("lost" in each for each in problems(told))
    assert contents(told) == before


def test_the_live_log_says_how_far_the_ring_goes_with_them(told: Path) -> None:
    assert gone_to(told) == records(told)
    with opened(told) as live, another(live, told) as shadow:
        head, size = live.head(), records(told)
        record_alone(shadow, "wise")
        live.record(says("m2"))  # it knows the ring as it was before
        assert live.head().size == head.size + 1
        assert gone_note(live) == records(told) == size + 1
    assert gone_to(told) == size + 1


def gone_note(engine: Engine) -> int:
    reached = stand_of(engine.store.log.ring())
    return 0 if reached is None else reached.last


def test_no_shadow_is_written_where_the_end_of_another_is_lost(told: Path) -> None:
    change(told, lambda whole: whole[:-SIZE])
    with (
        opened(told, writable=False) as live,
        pytest.raises(KeyRingDamaged, match="its end is lost"),
        another(live, told),
    ):
        pass


def test_an_open_memory_takes_no_new_vault_where_their_end_is_cut(told: Path) -> None:
    with opened(told) as live, another(live, told) as shadow:
        record_alone(shadow, "wise")
        change(told, lambda whole: whole[:-SIZE])
        cut = (told / "keys" / "ring-a").read_bytes()
        for engine in (live, shadow):
            with pytest.raises(KeyRingDamaged, match="its end is lost"):
                record_alone(engine, "new")
        assert (told / "keys" / "ring-a").read_bytes() == cut


def test_keys_without_a_note_are_what_a_crash_left_until_something_rests_on_them(
    told: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = records(told)

    def refused(self: LmdbLog, ring: bytes) -> None:
        raise CannotWrite("the disk is gone")

    with (
        opened(told, writable=False) as live,
        another(live, told) as shadow,
    ):
        with monkeypatch.context() as broken:
            broken.setattr(LmdbLog, "note_ring", refused)
            with pytest.raises(CannotWrite):
                record_alone(shadow, "wise")
            with pytest.raises(CannotWrite):
                record_alone(shadow, "wise")
        size = shadow.head().size
    assert (gone_to(told), records(told)) == (noted, noted + 1)
    with (
        opened(told, writable=False) as live,
        another(live, told) as shadow,
    ):
        assert shadow.head().size == size
        record_alone(shadow, "wise")  # its key is there
    assert gone_to(told) == records(told) == noted + 1


def test_an_append_that_was_cut_short_opens_and_is_put_right(told: Path) -> None:
    noted = records(told)
    change(told, lambda whole: whole + whole[:50])
    with (
        opened(told, writable=False) as live,
        shadow_engine(told, NAME, writable=True, clock=FakeClock(), beside=live) as shadow,
    ):
        record_alone(shadow, "wise")  # its key is there
    assert records(told) == noted == gone_to(told)
    assert problems(told) == []
    with opened(told) as live:
        before = digest(live)
        change(told, lambda whole: whole + whole[:50])
        record_alone(live, "new")
        assert digest(live) != before
    assert problems(told) == []


def test_the_key_of_a_shadow_that_is_missing_is_said_to_be_its_own(told: Path) -> None:
    remedy = f"`dnam shadows drop {NAME}`, then `dnam rederive --name {NAME}` again"
    with opened(told) as live:
        assert isinstance(live.store, DiskStore)
        (only,) = live.store.ring.vaults.keys() - live.store.log.vaults()
        live.store.ring.destroy(frozenset({VaultId(only)}))
        with shadow_engine(told, NAME, beside=live) as shadow:
            stopped = shadow.stopped()
            assert isinstance(stopped, KeyMissing)
            assert f"1 vault of the shadow '{NAME}' are not in the key ring" in str(stopped)
            assert remedy in str(stopped)
            with pytest.raises(KeyMissing, match=remedy):
                shadow.store.ring.key(only)
