"""Tree heads to the letter: what is parsed, what is refused in which words, and what a proof of one event carries."""

import pytest

from projections.errors import BadRequest
from projections.ids import EventId
from replay.errors import CheckpointAhead, Damaged, HistoryRewritten, NotACheckpoint
from replay.log import EMPTY, Commit, Entry, MemoryLog
from replay.proofs import edge_at, inclusion_proof, root_at
from replay.tree_head import Checkpoint, Grown, Inclusion, grown_since, prove, refuse_unknown

ROOT = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="


def log_of(count: int, word: str = "header") -> MemoryLog:
    log = MemoryLog(b"i" * 16, b"c" * 16)
    entries = [Entry(EventId(n.to_bytes(16, "big")), f"{word} {n}".encode(), None) for n in range(count)]
    log.append(Commit(entries, at=1), EMPTY)
    return log


def head(log: MemoryLog, size: int) -> Checkpoint:
    return Checkpoint("dnam/log", size, root_at(log, size))


@pytest.mark.parametrize("size", [0, 7, 10**20 - 1])
def test_a_size_of_up_to_twenty_digits_is_read(size: int) -> None:
    assert Checkpoint.parse(f"dnam/log\n{size}\n{ROOT}\n").size == size


@pytest.mark.parametrize("size", ["9" * 21, "00", "+1", "1 "])
def test_another_size_is_refused_with_what_it_says(size: str) -> None:
    with pytest.raises(NotACheckpoint) as refused:
        Checkpoint.parse(f"dnam/log\n{size}\n{ROOT}\n")
    assert str(refused.value) == f"this note is no checkpoint: {size!r} is no number of events"


def test_what_is_no_tree_head_is_told_whole() -> None:
    with pytest.raises(NotACheckpoint) as refused:
        Checkpoint.parse("dnam/log\n7\n")
    assert str(refused.value) == (
        "this note is no checkpoint: it begins with an origin, a size and a root, a line each"
    )
    with pytest.raises(NotACheckpoint) as refused:
        Checkpoint.parse("dnam/log\n7\nAAAA\n")
    assert str(refused.value) == "this note is no checkpoint: 'AAAA' is no root of a tree"


@pytest.mark.parametrize(("old", "lacks"), [(6, "#6"), (8, "#6 to #8")])
def test_a_log_that_is_shorter_is_told_what_it_lacks(old: int, lacks: str) -> None:
    log = log_of(8)
    with pytest.raises(CheckpointAhead) as refused:
        grown_since(log, head(log, old), 5, root_at(log, 5))
    assert str(refused.value) == (
        f"the checkpoint has {old} events and the log 5: it lacks {lacks}. "
        "The log was cut, or an older copy was put in its place"
    )


def test_a_history_that_was_rewritten_is_told_with_both_roots() -> None:
    log, other = log_of(8), log_of(8, "another")
    with pytest.raises(HistoryRewritten) as refused:
        grown_since(other, head(log, 1), 8, root_at(other, 8))
    assert str(refused.value) == (
        f"history was rewritten: #1 had the root {root_at(log, 1).hex()} when the checkpoint was "
        f"signed, and now {root_at(other, 1).hex()}"
    )


def test_what_follows_and_does_not_fit_is_told() -> None:
    log = log_of(8)
    with pytest.raises(Damaged) as refused:
        grown_since(log, head(log, 5), 8, b"another root".ljust(32))
    assert str(refused.value) == (
        "#1 to #8 cannot be proved to begin with the checkpoint's events: the headers are not those that "
        "the tree was made of"
    )
    assert grown_since(log, head(log, 8), 8, root_at(log, 8)) == Grown(0, [])


@pytest.mark.parametrize("seq", [0, -1, 9])
def test_an_event_that_is_not_there_is_told(seq: int) -> None:
    with pytest.raises(BadRequest) as refused:
        refuse_unknown(seq, 8)
    assert str(refused.value) == f"there is no event #{seq}: the log has 8"
    refuse_unknown(1, 8)
    refuse_unknown(8, 8)


def test_a_proof_carries_all_that_checking_it_needs() -> None:
    log = log_of(8)
    found = prove(log, 6, head(log, 7), edge_at(log, 7), "a note")
    path = inclusion_proof(log, 6, edge_at(log, 7))
    assert found == Inclusion("dnam/log", 6, 7, b"header 5", path, root_at(log, 7), "a note")


def test_an_event_that_cannot_be_proved_is_told() -> None:
    log = log_of(8)
    with pytest.raises(Damaged) as refused:
        prove(log, 6, Checkpoint("dnam/log", 8, bytes(32)), edge_at(log, 8), "a note")
    assert str(refused.value) == (
        "#6 cannot be proved: its header, or the tree near it, is not what was written. `dnam verify` names "
        "what is damaged"
    )
    with pytest.raises(Damaged) as refused:
        prove(log, 9, Checkpoint("dnam/log", 9, bytes(32)), edge_at(log, 8), "a note")
    assert str(refused.value) == "event #9 is missing. `dnam verify` names what is damaged"


class Nothing:
    """A log that has lost its tree."""

    def subtrees(self, level: int, first: int, upto: int) -> list[bytes]:
        return []


@pytest.mark.parametrize(("size", "span"), [(1, "#1 to #1"), (2, "#1 to #2"), (512, "#1 to #512")])
def test_a_tree_that_is_not_whole_is_told(size: int, span: str) -> None:
    with pytest.raises(Damaged) as refused:
        root_at(Nothing(), size)
    assert str(refused.value) == (
        f"the tree over {span} is not whole: nothing can be proved with it. `dnam verify` names what is damaged"
    )
