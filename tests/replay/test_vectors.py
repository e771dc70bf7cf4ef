"""The store of vectors: sealed by vault, gone with its key, never mixed, and deleted at will."""

import shutil
from collections.abc import Iterator, Sequence
from math import floor, isnan, sqrt
from pathlib import Path
from threading import Event, Thread
from typing import Any

import lmdb
import numpy as np
import pytest

from projections.ids import Handle, Seq, VaultId
from projections.vectors import Numbers, quantised
from projections.vectors_texts import Held
from replay.errors import NotALog, ReadOnly
from replay.folder import Folder
from replay.lmdb_file import open_environment
from replay.ring.file import FileRingStore
from replay.ring.keyring import KeyRing
from replay.ring.store import MemoryRingStore
from replay.vectors import folder as vectors_folder
from replay.vectors import vectors as vectors_module
from replay.vectors.opened import Some
from replay.vectors.vectors import ROWS, Vectors
from tests.world import handle

OLD, NEW = "tiny@1/2", "tiny@2/3"
ANN, BOB = handle("ann"), handle("bob")
SECRET = "the bees swarm in June"


@pytest.fixture
def ring() -> KeyRing:
    return KeyRing.create(MemoryRingStore())


@pytest.fixture
def vectors(folder: Path, ring: KeyRing) -> Iterator[Vectors]:
    made = Vectors(folder / "vectors", ring, writable=True)
    yield made
    made.close()


def vault(ring: KeyRing, *people: Handle) -> VaultId:
    return ring.set_vault(frozenset(people))


def text(ring: KeyRing, seq: int, words: str, *people: Handle) -> Held:
    return Held(Seq(seq), vault(ring, *(people or (ANN,))), words)


def of(*texts: Held) -> dict[str, Numbers]:
    """A vector for each text, another for each seq."""
    return {each.text: quantised((1.0, each.seq / 100)) for each in texts}


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def shown(vectors: Vectors, encoder: str, *seqs: int) -> list[list[int] | None]:
    found = vectors.get(encoder, [Seq(seq) for seq in seqs])
    return [None if each is None else each.tolist() for each in found]


class TestKeeping:
    def test_nothing_is_made_before_there_is_something_to_keep(self, vectors: Vectors, folder: Path) -> None:
        assert (vectors.in_force(), vectors.size(OLD), vectors.get(OLD, [Seq(1)])) == ("", 0, [None])
        assert (vectors.drop([VaultId(bytes(16))]), vectors.keep_only([], [OLD])) == (0, 0)
        assert not (folder / "vectors").exists()

    def test_what_is_kept_comes_back_by_the_seq_of_its_row(self, vectors: Vectors, ring: KeyRing) -> None:
        one, two = text(ring, 7, "tea"), text(ring, 9, "bees", BOB)
        assert vectors.missing(OLD, [one, two]) == [one, two]
        vectors.put(OLD, [one, two], of(one, two))
        assert shown(vectors, OLD, 9, 8, 7) == [[127, 11], None, [127, 9]]
        assert vectors.missing(OLD, [one, two]) == []
        assert (vectors.in_force(), vectors.size(OLD)) == (OLD, 2)

    def test_it_is_still_there_when_it_is_opened_again(self, vectors: Vectors, ring: KeyRing, folder: Path) -> None:
        one = text(ring, 7, "tea")
        vectors.put(OLD, [one], of(one))
        vectors.close()
        for writable in (False, True):
            again = Vectors(folder / "vectors", ring, writable=writable)
            assert (again.in_force(), shown(again, OLD, 7)) == (OLD, [[127, 9]])
            assert shown(again, NEW, 7) == [None]
            again.close()
        assert shown(vectors, OLD, 7) == [[127, 9]]

    def test_the_same_words_in_one_vault_have_one_vector_and_in_two_vaults_two(
        self, vectors: Vectors, ring: KeyRing
    ) -> None:
        first, again, other = text(ring, 1, "ok"), text(ring, 2, "ok"), text(ring, 3, "ok", BOB)
        assert vectors.missing(OLD, [first, again, other]) == [again, other]
        vectors.put(OLD, [first, again], of(first))
        assert vectors.size(OLD) == 1
        assert shown(vectors, OLD, 1, 2, 3) == [[127, 1], [127, 1], None]
        assert vectors.missing(OLD, [other]) == [other]

    def test_a_row_whose_text_has_a_vector_already_is_told_of_it(self, vectors: Vectors, ring: KeyRing) -> None:
        first, again, never = text(ring, 1, "ok"), text(ring, 2, "ok"), text(ring, 3, "tea")
        vectors.put(OLD, [first], of(first))
        vectors.put(OLD, [again, never], {})
        assert shown(vectors, OLD, 2, 3) == [[127, 1], None]

    def test_one_encoder_s_vectors_have_one_length(self, vectors: Vectors, ring: KeyRing) -> None:
        one, two = text(ring, 1, "tea"), text(ring, 2, "bees")
        vectors.put(OLD, [one], of(one))
        with pytest.raises(ValueError, match=r"tiny@1/2 makes vectors of 2 numbers, not of 3"):
            vectors.put(OLD, [two], {"bees": quantised((1, 2, 3))})
        assert vectors.missing(OLD, [two]) == [two]

    def test_who_may_only_read_writes_nothing(self, vectors: Vectors, ring: KeyRing, folder: Path) -> None:
        one = text(ring, 1, "tea")
        vectors.put(OLD, [one], of(one))
        vectors.close()
        reader = Vectors(folder / "vectors", ring, writable=False)
        with pytest.raises(ReadOnly):
            reader.put(NEW, [one], of(one))
        assert (shown(reader, OLD, 1), reader.size(NEW)) == ([[127, 1]], 0)
        reader.close()

    def test_a_file_that_lies_in_its_place_is_left_there(self, vectors: Vectors, ring: KeyRing, folder: Path) -> None:
        (folder / "vectors").write_text("in the way")
        one = text(ring, 1, "tea")
        with pytest.raises(NotALog, match="is a file"):
            vectors.put(OLD, [one], of(one))
        assert (folder / "vectors").read_text() == "in the way"


class TestSecrecy:
    def test_nobody_without_the_key_can_tell_what_was_said(self, vectors: Vectors, ring: KeyRing, folder: Path) -> None:
        one = text(ring, 1, SECRET)
        numbers = quantised([n % 7 - 3 for n in range(512)])
        vectors.put(OLD, [one], {SECRET: numbers})
        vectors.close()
        kept = bytes_of(folder / "vectors")
        assert SECRET.encode() not in kept
        assert numbers.tobytes()[:32] not in kept

    def test_a_vector_of_another_place_or_encoder_does_not_open(
        self, vectors: Vectors, ring: KeyRing, folder: Path
    ) -> None:
        one, two = text(ring, 1, "tea"), text(ring, 2, "bees")
        vectors.put(OLD, [one, two], of(one, two))
        vectors.close()
        (lies,) = (path.parent for path in folder.rglob("data.mdb"))
        environment = open_environment(lies, writable=True, durable=True)
        table = environment.open_db(b"of " + OLD.encode())
        with environment.begin(write=True) as transaction:
            (first, sealed), (second, other) = transaction.cursor(db=table)
            transaction.put(first, other, db=table)
            transaction.put(second, sealed[:20], db=table)
        environment.close()
        assert vectors.missing(OLD, [one, two]) == []
        assert shown(vectors, OLD, 1, 2) == [None, None]
        assert vectors.missing(OLD, [one, two]) == [one, two], "they are made again"
        vectors.put(OLD, [one, two], of(one, two))
        assert shown(vectors, OLD, 1, 2) == [[127, 1], [127, 3]]
        assert vectors.missing(OLD, [one, two]) == []


class TestErasure:
    def test_from_the_moment_that_a_key_is_destroyed_its_vectors_are_not_there(
        self, vectors: Vectors, ring: KeyRing
    ) -> None:
        hers, theirs, his = text(ring, 1, "tea"), text(ring, 2, "bees", ANN, BOB), text(ring, 3, "ale", BOB)
        vectors.put(OLD, [hers, theirs, his], of(hers, theirs, his))
        assert None not in shown(vectors, OLD, 1, 2, 3)
        ring.flush()
        ring.destroy(frozenset(ring.listing(ANN)))
        assert shown(vectors, OLD, 1, 2, 3) == [None, None, [127, 4]]
        assert vectors.missing(OLD, [hers, theirs, his]) == []

    def test_its_completion_removes_them_and_their_bytes(self, vectors: Vectors, ring: KeyRing, folder: Path) -> None:
        hers, his = text(ring, 1, "tea"), text(ring, 2, "ale", BOB)
        vectors.put(OLD, [hers, his], of(hers, his))
        vectors.put(NEW, [hers], of(hers))
        gone = ring.listing(ANN)
        ring.flush()
        ring.destroy(frozenset(gone))
        before = bytes_of(folder / "vectors")
        assert vectors.drop(gone) == 2
        after = bytes_of(folder / "vectors")
        assert (bytes(gone[0]) in before, bytes(gone[0]) in after) == (True, False)
        assert (vectors.in_force(), shown(vectors, OLD, 1, 2)) == (OLD, [None, [127, 3]])
        assert vectors.drop(gone) == 0
        assert len(list(folder.rglob("data.mdb"))) == 1

    def test_what_is_made_while_somebody_is_erased_is_not_kept(self, vectors: Vectors, ring: KeyRing) -> None:
        hers = text(ring, 1, "tea")
        ring.flush()
        ring.destroy(frozenset(ring.listing(ANN)))
        vectors.put(OLD, [hers], of(hers))
        assert (vectors.size(OLD), vectors.missing(OLD, [hers])) == (0, [])

    def test_whoever_else_has_the_folder_open_follows(self, folder: Path) -> None:
        store = FileRingStore(folder / "keys")
        ring = KeyRing.create(store)
        vectors = Vectors(folder / "vectors", ring, writable=True)
        hers, his = text(ring, 1, "tea"), text(ring, 2, "ale", BOB)
        vectors.put(OLD, [hers, his], of(hers, his))
        assert None not in shown(vectors, OLD, 1, 2)
        before = Folder(folder / "vectors").current()
        with Folder(folder / "vectors").building() as fresh:  # what another process does
            open_environment(fresh, writable=True, durable=False).close()
            Folder(folder / "vectors").put_in_force(fresh)
        assert before is not None
        shutil.rmtree(before)
        assert shown(vectors, OLD, 1, 2) == [None, None]
        vectors.put(OLD, [his], of(his))
        assert shown(vectors, OLD, 2) == [[127, 3]]
        vectors.close()


class TestSweeping:
    def test_what_no_row_holds_any_more_goes_with_its_bytes(
        self, vectors: Vectors, ring: KeyRing, folder: Path
    ) -> None:
        one, two = text(ring, 1, "tea"), text(ring, 2, "bees")
        vectors.put(OLD, [one, two], of(one, two))
        orphan = folder / "vectors" / "000009"
        orphan.mkdir()
        assert vectors.keep_only([two], [OLD]) == 1
        assert shown(vectors, OLD, 1, 2) == [None, [127, 3]]
        assert (vectors.in_force(), vectors.keep_only([two], [OLD])) == (OLD, 0)
        assert not orphan.exists()

    def test_the_vectors_of_encoders_that_are_in_use_no_more_go(self, vectors: Vectors, ring: KeyRing) -> None:
        one = text(ring, 1, "tea")
        for encoder in (OLD, NEW):
            vectors.put(encoder, [one], of(one))
        assert vectors.keep_only([one], [OLD]) == 1
        assert (vectors.size(OLD), vectors.size(NEW)) == (1, 0)

    def test_a_text_whose_vault_has_no_key_is_kept_by_nobody(self, vectors: Vectors, ring: KeyRing) -> None:
        hers, his = text(ring, 1, "tea"), text(ring, 2, "ale", BOB)
        vectors.put(OLD, [hers, his], of(hers, his))
        ring.flush()
        ring.destroy(frozenset(ring.listing(ANN)))
        assert vectors.keep_only([hers, his], [OLD]) == 1


class TestAnotherEncoder:
    def test_is_built_beside_and_put_in_force_when_it_is_complete(self, vectors: Vectors, ring: KeyRing) -> None:
        one, two = text(ring, 1, "tea"), text(ring, 2, "bees")
        vectors.put(OLD, [one, two], of(one, two))
        vectors.put(NEW, [one], {"tea": quantised((1, 2, 3))})
        assert (vectors.in_force(), shown(vectors, OLD, 1, 2)) == (OLD, [[127, 1], [127, 3]])
        assert vectors.missing(NEW, [one, two]) == [two]
        assert shown(vectors, NEW, 1, 2) == [[42, 85, 127], None], "never another's"
        vectors.put(NEW, [two], {"bees": quantised((3, 2, 1))})
        vectors.swap(NEW)
        assert (vectors.in_force(), vectors.size(OLD), vectors.size(NEW)) == (NEW, 0, 2)
        assert shown(vectors, NEW, 1, 2) == [[42, 85, 127], [127, 85, 42]]

    def test_with_nothing_to_encode_is_in_force_at_once(self, vectors: Vectors) -> None:
        vectors.swap(NEW)
        assert vectors.in_force() == NEW


class TestTheFolder:
    @pytest.mark.parametrize("damage", ["cut", "no database", "no name", "gone"])
    def test_that_cannot_be_used_is_begun_anew(
        self, damage: str, vectors: Vectors, ring: KeyRing, folder: Path
    ) -> None:
        one = text(ring, 1, "tea")
        vectors.put(OLD, [one], of(one))
        vectors.close()
        (data,) = folder.rglob("data.mdb")
        match damage:
            case "cut":
                data.write_bytes(data.read_bytes()[:5000])
            case "no database":
                data.unlink()
            case "no name":
                (folder / "vectors" / "CURRENT").write_text("../log")
            case _:
                shutil.rmtree(folder / "vectors")
        assert (vectors.in_force(), shown(vectors, OLD, 1), vectors.missing(OLD, [one])) == ("", [None], [one])
        vectors.put(OLD, [one], of(one))
        assert shown(vectors, OLD, 1) == [[127, 1]]
        assert len(list(folder.rglob("data.mdb"))) == 1

    def test_that_is_removed_while_it_is_open_is_nothing_at_once(
        self, vectors: Vectors, ring: KeyRing, folder: Path
    ) -> None:
        one = text(ring, 1, "tea")
        vectors.put(OLD, [one], of(one))
        shutil.rmtree(folder / "vectors")
        assert (vectors.in_force(), shown(vectors, OLD, 1), vectors.missing(OLD, [one])) == ("", [None], [one])

    def test_that_cannot_be_used_goes_where_something_is_to_be_removed(
        self, vectors: Vectors, ring: KeyRing, folder: Path
    ) -> None:
        one = text(ring, 1, "tea")
        vectors.put(OLD, [one], of(one))
        vectors.close()
        (data,) = folder.rglob("data.mdb")
        data.write_bytes(data.read_bytes()[:5000])
        assert vectors.drop(ring.listing(ANN)) == 0
        assert not (folder / "vectors").exists()

    def test_is_read_while_it_is_copied_and_copied_while_it_is_replaced(
        self, vectors: Vectors, ring: KeyRing, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, two = text(ring, 1, "tea"), text(ring, 2, "bees")
        vectors.put(OLD, [one, two], of(one, two))
        copying, go_on, real = Event(), Event(), vectors_folder._fill

        def slowly(copy: lmdb.Environment, entries: Iterator[vectors_folder.Entry], in_force: str) -> None:
            copying.set()
            go_on.wait()
            real(copy, entries, in_force)

        monkeypatch.setattr(vectors_folder, "_fill", slowly)
        thread = Thread(target=lambda: vectors.keep_only([two], [OLD]))
        thread.start()
        copying.wait()
        assert shown(vectors, OLD, 1, 2) == [[127, 1], [127, 3]]
        place = Folder(folder / "vectors")
        with place.building() as fresh:  # what another process does
            open_environment(fresh, writable=True, durable=False).close()
            place.put_in_force(fresh)
        assert shown(vectors, OLD, 1, 2) == [None, None]
        go_on.set()
        thread.join()
        assert shown(vectors, OLD, 1, 2) == [None, [127, 3]]


QUERY = quantised((1, 0))


def seqs(*numbers: int) -> list[Seq]:
    return [Seq(number) for number in numbers]


def told(vectors: Vectors, *numbers: int) -> list[int | None]:
    """Cosines with what is asked, in thousandths."""
    found = vectors.cosines(OLD, QUERY, seqs(*numbers)).tolist()
    return [None if isnan(each) else floor(each * 1000) for each in found]


def count(patched: pytest.MonkeyPatch) -> list[list[int]]:
    """What each question opens from now on."""
    opening: list[list[int]] = []
    real = Vectors._open

    def counted(store: Vectors, encoder: str, wanted: Sequence[int], *tables: Any) -> Some | None:
        opening.append([*wanted])
        return real(store, encoder, wanted, *tables)

    patched.setattr(Vectors, "_open", counted)
    return opening


class TestInMemory:
    """What was opened stays there as rows of a matrix."""

    def test_a_question_is_held_against_what_is_there_and_again_from_memory(
        self, vectors: Vectors, ring: KeyRing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, two = text(ring, 7, "tea"), text(ring, 9, "bees", BOB)
        assert np.isnan(vectors.cosines(OLD, QUERY, seqs(7))).all(), "there is nothing yet"
        vectors.put(OLD, [one, two], {"tea": quantised((0, 1)), "bees": quantised((1, 0))})
        assert told(vectors, 9, 8, 7, 9) == [1000, None, 0, 1000]
        opening = count(monkeypatch)
        assert told(vectors, 7, 9) == [0, 1000]
        assert told(vectors, 9, 8, 7) == [1000, None, 0]
        assert opening == [[8]]

    def test_what_comes_is_opened_alone_and_what_is_made_anew_is_another(
        self, vectors: Vectors, ring: KeyRing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, two = text(ring, 1, "tea"), text(ring, 2, "bees")
        vectors.put(OLD, [one], {"tea": quantised((1, 0))})
        assert told(vectors, 1, 2) == [1000, None]
        opening = count(monkeypatch)
        vectors.put(OLD, [two], {"bees": quantised((0, 1))})
        assert (told(vectors, 1, 2), opening) == ([1000, 0], [[2]])
        vectors.put(OLD, [one], {"tea": quantised((-1, 0))})
        assert told(vectors, 1, 2) == [-1000, 0]
        vectors.put(OLD, [one._replace(text="bees")], {})
        assert told(vectors, 1, 2) == [0, 0], "the row has another text"

    def test_nothing_stays_of_whom_an_erasure_took(self, vectors: Vectors, ring: KeyRing) -> None:
        hers, his = text(ring, 1, "tea"), text(ring, 2, "ale", BOB)
        vectors.put(OLD, [hers, his], of(hers, his))
        told(vectors, 1, 2)
        ring.flush()
        ring.destroy(frozenset(ring.listing(ANN)))
        assert told(vectors, 2) == [999], "asked for somebody else alone"
        assert vectors.in_memory() == [2]

    def test_what_lies_in_a_vault_without_a_key_is_not_opened_and_costs_the_others_nothing(
        self, vectors: Vectors, ring: KeyRing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hers, his = text(ring, 1, "tea"), text(ring, 2, "ale", BOB)
        vectors.put(OLD, [hers, his], of(hers, his))
        ring.flush()
        ring.destroy(frozenset(ring.listing(ANN)))
        opening = count(monkeypatch)
        assert [told(vectors, 1, 2) for _ in range(2)] == [[None, 999]] * 2
        assert opening == [[1, 2], [1]]

    def test_what_is_to_be_let_go_leaves_no_number_behind(self, vectors: Vectors, ring: KeyRing) -> None:
        one, two = text(ring, 1, "tea"), text(ring, 2, "bees")
        vectors.put(OLD, [one, two], of(one, two))
        told(vectors, 1, 2)
        vectors.let_go(seqs(1, 5, 9_999))
        assert vectors.in_memory() == [2]
        assert sorted(vectors._opened._numbers.ravel().tolist())[-3:] == [0, 3, 127]
        assert told(vectors, 1, 2) == [999, 999]
        vectors.let_go()
        assert (vectors.in_memory(), vectors._opened._numbers.size) == ([], 0)
        assert told(vectors, 1, 2) == [999, 999]

    def test_letting_go_does_not_wait_for_what_is_written(self, vectors: Vectors, ring: KeyRing) -> None:
        """Whoever records a redaction has the rows in hand, and another process may be writing vectors."""
        one, two = text(ring, 1, "tea"), text(ring, 2, "bees")
        vectors.put(OLD, [one, two], of(one, two))
        told(vectors, 1, 2)
        writing, go_on = Event(), Event()

        def write() -> None:
            with vectors._folder.writing(ROWS):
                writing.set()
                go_on.wait()

        thread = Thread(target=write, daemon=True)
        thread.start()
        writing.wait()
        letting = Thread(target=lambda: vectors.let_go(seqs(1)), daemon=True)
        letting.start()
        letting.join(10)
        assert (letting.is_alive(), vectors.in_memory()) == (False, [2])
        go_on.set()
        thread.join()

    def test_another_encoder_s_are_never_beside_them(self, vectors: Vectors, ring: KeyRing) -> None:
        one = text(ring, 1, "tea")
        vectors.put(OLD, [one], {"tea": quantised((1, 0))})
        vectors.put(NEW, [one], {"tea": quantised((0, 1, 0))})
        longer = quantised((0, 1, 1))
        for _ in range(2):
            assert told(vectors, 1) == [1000]
            assert vectors.cosines(NEW, longer, seqs(1)).tolist() == [127 / sqrt(2 * 127 * 127)]
        with pytest.raises(ValueError, match="are of two encoders"):
            vectors.cosines(NEW, QUERY, seqs(1))
        with pytest.raises(ValueError, match="are of two encoders"):
            vectors.cosines(OLD, longer, seqs(1))

    def test_where_there_is_no_room_for_all_they_are_all_compared_and_no_more_is_kept(
        self, vectors: Vectors, ring: KeyRing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(vectors_module, "_AT_ONCE", 2)
        texts = [text(ring, number, f"{number}") for number in range(1, 8)]
        vectors.put(OLD, texts, {each.text: quantised((1, each.seq)) for each in texts})
        wanted = [int(1000 / sqrt(1 + number**2)) for number in range(1, 8)]
        for most in (7, 3, 1, 0):
            vectors.let_go()
            vectors.keep_at_most(most * (2 + 24) + 1)
            opening = count(monkeypatch)
            for _ in range(2):
                found = told(vectors, *range(1, 8))
                assert found == pytest.approx(wanted, abs=4)
                assert vectors.in_memory() == list(range(1, most + 1))
            assert sum(map(len, opening)) == 7 + 7 - most

    def test_how_much_all_of_them_take_can_be_told_without_a_key(self, vectors: Vectors, ring: KeyRing) -> None:
        assert vectors.bytes_of(OLD) == 0
        one, two = text(ring, 1, "tea"), text(ring, 2, "bees")
        vectors.put(OLD, [one, two], of(one, two))
        ring.flush()
        ring.destroy(frozenset(ring.listing(ANN)))
        assert (vectors.bytes_of(OLD), vectors.bytes_of(NEW)) == (2 * (2 + 24), 0)

    def test_what_was_not_asked_for_the_longest_goes_first(self, vectors: Vectors, ring: KeyRing) -> None:
        texts = [text(ring, number, f"{number}") for number in range(1, 8)]
        vectors.put(OLD, texts, of(*texts))
        vectors.keep_at_most(4 * (2 + 24))
        for asked, kept in (
            ((1, 2), [1, 2]),
            ((3, 4), [1, 2, 3, 4]),
            ((1,), [1, 2, 3, 4]),
            ((5,), [1, 3, 4, 5]),
            ((4, 6, 7), [4, 5, 6, 7]),
            ((1, 2, 3, 4, 5), [1, 2, 4, 5]),
        ):
            told(vectors, *asked)
            assert vectors.in_memory() == kept


class TestWarming:
    """What a question will ask for can be opened ahead."""

    def test_the_question_then_opens_nothing(
        self, vectors: Vectors, ring: KeyRing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, two, three = (text(ring, number, f"{number}") for number in range(1, 4))
        vectors.warm(OLD, [one], vectors.mark())
        vectors.put(OLD, [one, two], of(one, two))
        vectors.warm(OLD, [two, one, two, three], vectors.mark())
        assert vectors.in_memory() == [1, 2]
        opening = count(monkeypatch)
        assert (told(vectors, 1, 2), opening) == ([999, 999], [])
        vectors.warm(OLD, [one, two], vectors.mark())
        assert sum(map(len, opening)) == 0, "what is there already is not opened again"

    def test_what_was_let_go_since_its_row_was_seen_is_not_opened_again(self, vectors: Vectors, ring: KeyRing) -> None:
        one, two = text(ring, 1, "tea"), text(ring, 2, "bees")
        vectors.put(OLD, [one, two], of(one, two))
        mark = vectors.mark()
        vectors.let_go(seqs(1))
        vectors.warm(OLD, [one, two], mark)
        assert vectors.in_memory() == []
        mark = vectors.mark()
        vectors.let_go()
        vectors.warm(OLD, [one, two], mark)
        assert vectors.in_memory() == []
        mark = vectors.mark()
        vectors.let_go([])
        vectors.warm(OLD, [two], mark)
        assert vectors.in_memory() == [2]

    def test_nobody_s_are_let_go_for_it(self, vectors: Vectors, ring: KeyRing) -> None:
        texts = [text(ring, number, f"{number}") for number in range(1, 6)]
        vectors.put(OLD, texts, of(*texts))
        for most, kept in ((3, [2, 5, 1]), (2, [2, 5]), (1, [2])):
            vectors.keep_at_most(most * (2 + 24))
            told(vectors, *kept[:2])
            vectors.warm(OLD, texts[:1], vectors.mark())
            vectors.warm(OLD, texts, vectors.mark())
            assert vectors.in_memory() == sorted(kept)

    def test_those_of_an_encoder_that_is_not_searched_do_not_drive_the_others_out(
        self, vectors: Vectors, ring: KeyRing
    ) -> None:
        one = text(ring, 1, "tea")
        vectors.put(OLD, [one], of(one))
        vectors.put(NEW, [one], {"tea": quantised((0, 1, 0))})
        told(vectors, 1)
        vectors.warm(NEW, [one], vectors.mark())
        assert vectors.in_memory() == [1]
        assert vectors._opened._numbers.shape[1] == 2

    def test_whose_key_is_gone_is_not_opened(self, vectors: Vectors, ring: KeyRing) -> None:
        hers, his = text(ring, 1, "tea"), text(ring, 2, "ale", BOB)
        vectors.put(OLD, [hers, his], of(hers, his))
        ring.flush()
        ring.destroy(frozenset(ring.listing(ANN)))
        vectors.warm(OLD, [hers, his], vectors.mark())
        assert vectors.in_memory() == [2]
