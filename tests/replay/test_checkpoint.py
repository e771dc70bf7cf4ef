"""Checkpoints: signed once, known again, and held against a log that grew, was cut, or was written anew."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from projections.errors import BadRequest
from projections.ids import Seq
from projections.registry import FOLD
from replay.checkpoint import KEY_FILE, LAST_FILE, Signed, new_origin, opened, origin_of, read_signer, sign, verifier_of
from replay.engine import Engine
from replay.errors import (
    CannotWrite,
    CheckpointAhead,
    Damaged,
    ForeignCheckpoint,
    ForgedCheckpoint,
    HistoryRewritten,
    NotACheckpoint,
    SigningKeyUnusable,
    UnknownSigner,
)
from replay.log import Commit
from replay.notes import Signer
from replay.proofs import verify_consistency, verify_inclusion
from replay.rewriting import rewrite
from replay.store import DiskStore
from replay.tree import CompactRange, leaf_hash
from replay.tree_head import Checkpoint, grown_since, prove
from tests.replay.stage import FakeClock, contents, drafts, setting

EXAMPLE = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
"""From c2sp.org/tlog-checkpoint."""


class World:
    """A data folder in which something happens now and then."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.keys = data / "keys"
        self.happened = 0

    def happens(self, events: int, word: str = "as it was") -> None:
        with Engine.open(self.data, create=True, clock=FakeClock()) as engine:
            for _ in range(events):
                self.happened += 1
                engine.record(drafts(setting(f"{word} {self.happened}"), name=f"{word} {self.happened}"))

    def copy(self, name: str) -> "World":
        copied = World(Path(shutil.copytree(self.data, self.data.with_name(name))))
        copied.happened = self.happened
        return copied

    def signed(self, *, anew: bool = False) -> Signed:
        with self.store() as store:
            return sign(store, anew=anew)

    @contextmanager
    def store(self) -> Iterator[DiskStore]:
        """The folder, open for reading."""
        store = DiskStore(self.data, FOLD, writable=False)
        try:
            yield store
        finally:
            store.close()


@pytest.fixture
def world(data: Path) -> World:
    made = World(data)
    made.happens(5)
    return made


# -- the text ------------------------------------------------------------------------------------------------------


def test_the_example_of_the_specification() -> None:
    checkpoint = Checkpoint.parse(EXAMPLE)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20_852_163)
    assert checkpoint.root.hex().startswith("0ac5186a")
    assert checkpoint.text() == EXAMPLE


def test_others_lines_are_kept() -> None:
    checkpoint = Checkpoint.parse(f"{EXAMPLE}one more\nand another\n")
    assert checkpoint.extensions == ("one more", "and another")
    assert checkpoint.text() == f"{EXAMPLE}one more\nand another\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a text\n", "begins with an origin, a size and a root"),
        (EXAMPLE.replace("example.com/behind-the-sofa", ""), "begins with"),
        (f"{EXAMPLE}\nmore\n", "begins with"),
        (EXAMPLE.replace("20852163", "020852163"), "is no number of events"),
        (EXAMPLE.replace("20852163", "-1"), "is no number of events"),
        (EXAMPLE.replace("20852163", "1_0"), "is no number of events"),
        (EXAMPLE.replace("20852163", "٣"), "is no number of events"),
        (EXAMPLE.replace("20852163", "1" * 5_000), "is no number of events"),
        (EXAMPLE.replace("xq2I=", "xq2J="), "is no root"),
        (EXAMPLE.replace("xq2I=", "xq2I"), "is no root"),
        (EXAMPLE.replace("CsUYapGG", ""), "is no root"),
    ],
)
def test_what_is_no_checkpoint(text: str, why: str) -> None:
    with pytest.raises(NotACheckpoint, match=why):
        Checkpoint.parse(text)


# -- signing -------------------------------------------------------------------------------------------------------


def test_a_checkpoint_says_which_log_how_much_and_what(world: World) -> None:
    signed = world.signed()
    with world.store() as store:
        head = store.log.head()
        assert signed.checkpoint == (origin_of(store.log.id), 5, head.root(), ())
        assert opened(signed.note.encode(), store) == signed.checkpoint
        assert opened(signed.note.encode(), store, signed.verifier) == signed.checkpoint
    assert signed.head == head
    assert signed.note.startswith(signed.checkpoint.text() + "\n— dnam/")


def test_the_key_is_made_once_and_is_its_owner_s_alone(world: World) -> None:
    first = world.signed()
    key = (world.keys / KEY_FILE).read_bytes()
    world.happens(1)
    second = world.signed()
    assert (first.key_is, second.key_is) == ("first", "kept")
    assert first.verifier == second.verifier
    assert (world.keys / KEY_FILE).read_bytes() == key
    for name in (KEY_FILE, LAST_FILE):
        assert (world.keys / name).stat().st_mode & 0o777 == 0o600
    assert (world.keys / LAST_FILE).read_text(encoding="utf-8") == second.note


def test_only_signing_makes_a_key(world: World) -> None:
    before = contents(world.data)
    with world.store() as store:
        assert read_signer(world.keys, store.log.id) is None
        with pytest.raises(UnknownSigner, match=f"there is no {KEY_FILE} in .*--vkey"):
            opened(
                Signer.fresh(origin_of(store.log.id)).sign(f"{origin_of(store.log.id)}\n{EXAMPLE[28:]}").encode(), store
            )
    assert contents(world.data) == before


def test_what_was_signed_already_is_not_written_again(world: World) -> None:
    first = world.signed()
    before = (world.keys / LAST_FILE).stat()
    assert world.signed().note == first.note
    after = (world.keys / LAST_FILE).stat()  # being read is no matter: its time of access may differ
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_an_empty_log_has_a_checkpoint(data: Path) -> None:
    world = World(data)
    world.happens(0)
    signed = world.signed()
    assert signed.checkpoint.size == 0
    assert signed.checkpoint.root.hex().startswith("e3b0c442")
    world.happens(3)
    with world.store() as store:
        assert grown_since(store.log, signed.checkpoint, 3, store.log.head().root()).added == 3


def test_a_lost_key_is_replaced_under_the_same_name_and_that_is_told(world: World) -> None:
    before = world.signed()
    (world.keys / KEY_FILE).unlink()
    with world.store() as store:
        with pytest.raises(UnknownSigner, match="--vkey"):
            opened(before.note.encode(), store)
        assert opened(before.note.encode(), store, before.verifier) == before.checkpoint
    after = world.signed()
    assert (after.key_is, after.checkpoint) == ("anew", before.checkpoint)
    assert after.verifier != before.verifier
    with world.store() as store:
        with pytest.raises(UnknownSigner, match="made anew since, give the verifier key of then: --vkey"):
            opened(before.note.encode(), store)
        assert opened(before.note.encode(), store, before.verifier) == before.checkpoint
        assert opened(after.note.encode(), store) == after.checkpoint


@pytest.mark.parametrize("key", [b"", b"\xff", b"PRIVATE+KEY+dnam/x+00000000+AAAA\n"])
def test_a_damaged_key_is_told_and_left_alone(world: World, key: bytes) -> None:
    world.signed()
    (world.keys / KEY_FILE).write_bytes(key)
    with pytest.raises(SigningKeyUnusable, match=r"cannot be read as a signing key .* move it away"):
        world.signed()
    assert (world.keys / KEY_FILE).read_bytes() == key


def test_a_key_of_another_log_is_not_used(world: World) -> None:
    other = Signer.fresh(origin_of(b"another log's id"))
    (world.keys / KEY_FILE).write_text(other.encoded(), encoding="ascii")
    with pytest.raises(SigningKeyUnusable, match=f"signs for {other.name}, and this log is dnam/"):
        world.signed()


def test_a_damaged_last_checkpoint_is_told(world: World) -> None:
    world.signed()
    (world.keys / LAST_FILE).write_bytes(b"nothing")
    with pytest.raises(NotACheckpoint, match=f"{LAST_FILE}: .* remove it"):
        world.signed()


def test_a_disk_that_takes_nothing_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("replay.checkpoint.replace_file", full)
    with pytest.raises(CannotWrite):
        world.signed()


# -- whose it is ---------------------------------------------------------------------------------------------------


def test_a_checkpoint_of_another_log(world: World, folder: Path) -> None:
    other = World(folder / "other")
    other.happens(5)
    signed = other.signed()
    world.signed()
    with world.store() as store:
        for verifier in (None, signed.verifier):
            with pytest.raises(ForeignCheckpoint, match=f"of {signed.checkpoint.origin}, and this is dnam/"):
                opened(signed.note.encode(), store, verifier)


def test_a_forged_checkpoint(world: World) -> None:
    signed = world.signed()
    forged = signed.note.replace("\n5\n", "\n4\n", 1)
    with world.store() as store:
        for verifier in (None, signed.verifier):
            with pytest.raises(ForgedCheckpoint, match="did not sign this text"):
                opened(forged.encode(), store, verifier)


def test_a_log_that_goes_on_from_a_copy_is_another(world: World) -> None:
    before = world.signed()
    copy = world.copy("copy")
    with copy.store() as store, store.lock:
        signer = new_origin(copy.keys, store.log.id)
    assert signer.name.startswith(f"{before.checkpoint.origin}/")
    copy.happens(2)
    after = copy.signed()
    assert (after.checkpoint.origin, after.key_is) == (signer.name, "kept")
    with world.store() as store, pytest.raises(ForeignCheckpoint, match="went on from a copy"):
        opened(after.note.encode(), store)
    with copy.store() as store:
        with pytest.raises(ForeignCheckpoint, match="went on from a copy"):
            opened(before.note.encode(), store)
        assert opened(before.note.encode(), store, before.verifier) == before.checkpoint
        assert opened(after.note.encode(), store) == after.checkpoint
    (copy.keys / KEY_FILE).unlink()
    assert copy.signed().checkpoint.origin == signer.name


def test_a_verifier_key_as_it_was_typed(world: World) -> None:
    signed = world.signed()
    assert verifier_of(f" {signed.verifier.encoded()}\n") == signed.verifier
    with pytest.raises(BadRequest, match="no verifier key as `dnam checkpoint` prints it"):
        verifier_of("a key")


# -- that the log only grew ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("added", [0, 1, 300])
def test_a_log_that_grew_proves_it(world: World, added: int) -> None:
    signed = world.signed()
    world.happens(added)
    with world.store() as store:
        head = store.log.head()
        grown = grown_since(store.log, signed.checkpoint, head.size, head.root())
    assert grown.added == added
    assert verify_consistency(5, 5 + added, grown.path, signed.checkpoint.root, head.root())


def test_dropped_bodies_and_a_rewrite_change_no_tree(world: World) -> None:
    signed = world.signed()
    with Engine.open(world.data, clock=FakeClock()) as engine:
        assert isinstance(engine.store, DiskStore)
        log = engine.store.log
        log.append(Commit([], at=log.head().at, drops=[Seq(2)]), log.head())
        rewrite(engine.store)
    world.happens(1)
    with world.store() as store:
        assert grown_since(store.log, signed.checkpoint, 6, store.log.head().root()).added == 1
    assert world.signed().checkpoint.size == 6


def test_a_log_that_was_cut_is_behind_its_checkpoint(world: World) -> None:
    older = world.copy("older")
    world.happens(3)
    signed = world.signed()
    with older.store() as store, pytest.raises(CheckpointAhead, match=r"has 8 events and the log 5: it lacks #6 to #8"):
        grown_since(store.log, signed.checkpoint, 5, store.log.head().root())


def test_a_history_that_was_rewritten_has_another_root(world: World) -> None:
    other = world.copy("other")
    world.happens(3)
    other.happens(4, "as it never was")
    signed = world.signed()
    with other.store() as store, pytest.raises(HistoryRewritten) as raised:
        grown_since(store.log, signed.checkpoint, 9, store.log.head().root())
    assert str(raised.value).startswith("history was rewritten: #1 to #8 had the root " + signed.checkpoint.root.hex())


def test_what_follows_must_fit(world: World) -> None:
    signed = world.signed()
    world.happens(3)
    with world.store() as store, pytest.raises(Damaged, match="#1 to #8 cannot be proved to begin with"):
        grown_since(store.log, signed.checkpoint, 8, b"another root".ljust(32))


@pytest.mark.parametrize(("events", "error"), [(0, CheckpointAhead), (4, HistoryRewritten)])
def test_nothing_is_signed_that_contradicts_the_last(world: World, events: int, error: type[Exception]) -> None:
    other = world.copy("other")
    world.happens(3)
    world.signed()
    for name in (KEY_FILE, LAST_FILE):
        shutil.copy(world.keys / name, other.keys)
    other.happens(events, "as it never was")
    with pytest.raises(error, match=r"would contradict the last checkpoint .* `dnam checkpoint --new-origin`"):
        other.signed()
    anew = other.signed(anew=True)
    assert anew.checkpoint.origin.startswith(f"{read_name(world)}/")
    assert anew.checkpoint.size == 5 + events
    other.happens(1)
    assert other.signed().checkpoint.size == 6 + events


def read_name(world: World) -> str:
    return Signer.parse((world.keys / KEY_FILE).read_text(encoding="ascii").strip()).name


# -- one event -----------------------------------------------------------------------------------------------------


def test_an_event_is_proved_to_whoever_has_the_checkpoint(world: World) -> None:
    world.happens(300)
    signed = world.signed()
    edge = CompactRange(signed.head.size, signed.head.nodes)
    with world.store() as store:
        for seq in (1, 5, 256, 257, 305):
            proof = prove(store.log, seq, signed.checkpoint, edge, signed.note)
            stored = store.log.get(seq)
            assert stored is not None
            assert proof.header == stored.header
            assert proof[:3] == (signed.checkpoint.origin, seq, 305)
            assert (proof.root, proof.checkpoint) == (signed.checkpoint.root, signed.note)
            assert verify_inclusion(leaf_hash(proof.header), seq, 305, proof.path, proof.root)
        for seq in (-1, 0, 306):
            with pytest.raises(BadRequest, match=f"there is no event #{seq}: the log has 305"):
                prove(store.log, seq, signed.checkpoint, edge, signed.note)


def test_no_proof_is_handed_out_that_does_not_hold(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    signed = world.signed()
    edge = CompactRange(5, signed.head.nodes)
    with world.store() as store:
        right = store.log.get
        monkeypatch.setattr(store.log, "get", lambda seq: None)
        with pytest.raises(Damaged, match="event #2 is missing"):
            prove(store.log, 2, signed.checkpoint, edge, signed.note)
        monkeypatch.setattr(store.log, "get", lambda seq: right(seq + 1))
        with pytest.raises(Damaged, match="#2 cannot be proved"):
            prove(store.log, 2, signed.checkpoint, edge, signed.note)
