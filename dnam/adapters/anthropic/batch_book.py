"""The book of batches: which question is in which batch, so that none is paid for twice.

One JSON file. Ids, digests, counts and times stand in it, and no word of anybody's. It is written before a batch is
sent and after: of what was being sent when a run was killed, the next run knows that it may have arrived.

    sending ──(the API named it)──▶ sent ──(the API is done with it)──▶ ended
       │
       └──(it never arrived)──▶ struck out
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from dnam.model import Reply
from dnam.outfile import write
from dnam.took import Took
from projections.errors import DnamError

State = Literal["sending", "sent", "ended"]


class DamagedBook(DnamError):
    """The file is no book of batches."""


class Entry(msgspec.Struct):
    """A batch: the questions in it, those of them that it has no answer to, those whose reply was `counted` as paid
    for, when it was sent, in ms, and its id, which is empty while it is being sent.
    """

    ids: frozenset[str]
    count: int
    when: int
    id: str = ""
    state: State = "sending"
    useless: set[str] = set()
    counted: set[str] = set()

    @property
    def answers(self) -> frozenset[str]:
        """The questions that are answered by it, or will be."""
        return self.ids - self.useless

    @property
    def is_counted(self) -> bool:
        """Whether it is known what each of its answers took."""
        return self.state == "ended" and self.answers <= self.counted


class Written(msgspec.Struct):
    """The file. `version` is that of its form; `took` what all replies took that were ever counted, also those of
    batches that do not stand here any more.
    """

    version: Literal[1] = 1
    batches: list[Entry] = []
    took: Took = msgspec.field(default_factory=Took)


class Book:
    """The entries of a file, in the order in which they were sent; every change is on disk when it is made."""

    def __init__(self, path: Path) -> None:
        """DamagedBook when the file is none; no file is an empty book."""
        self._path = path
        self._written = _read(path)
        self._of = {each: entry for entry in self._written.batches for each in entry.answers}

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._written.batches)

    def of(self, question: str) -> Entry | None:
        """The batch that answers a question; None where none does."""
        return self._of.get(question)

    def knows(self, batch: str) -> bool:
        """Whether a batch of the API's stands in it."""
        return any(entry.id == batch for entry in self._written.batches)

    def begin(self, questions: Iterable[str], when: int) -> Entry:
        """These are about to be sent."""
        ids = frozenset(questions)
        entry = Entry(ids, len(ids), when)
        self._written.batches.append(entry)
        self._of.update(dict.fromkeys(ids, entry))
        self._write()
        return entry

    def sent(self, entry: Entry, batch: str) -> None:
        """They are in a batch of the API's."""
        entry.id, entry.state = batch, "sent"
        self._write()

    def ended(self, entry: Entry) -> None:
        """There is a result for each of them."""
        if entry.state != "ended":
            entry.state = "ended"
            self._write()

    def give_up(self, entry: Entry, questions: Iterable[str]) -> None:
        """The batch has no answer to these: they may be sent again. Without any left, it is struck out."""
        entry.useless.update(questions)
        self._of = {each: holds for each, holds in self._of.items() if holds is not entry or each not in entry.useless}
        if not entry.answers:
            self._written.batches.remove(entry)
        self._write()

    @property
    def took(self) -> Took:
        """What all replies took that were counted."""
        return self._written.took

    def count(self, entry: Entry, replies: Mapping[str, Reply]) -> tuple[Reply, ...]:
        """These questions have these replies, whoever waits for them: those that were not counted before."""
        fresh = {each: reply for each, reply in replies.items() if each not in entry.counted}
        for reply in fresh.values():
            self._written.took.add(reply)
        if fresh:
            entry.counted.update(fresh)
            self._write()
        return tuple(fresh.values())

    def strike_out(self, entry: Entry) -> None:
        """There is no such batch, or nothing is to be had from it any more."""
        self.give_up(entry, entry.ids)

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write(self._path, msgspec.json.encode(self._written, order="deterministic").decode() + "\n")


def _read(path: Path) -> Written:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Written)
    except FileNotFoundError:
        return Written()
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DamagedBook(
            f"{path} is damaged, or another version of dnam wrote it ({error}). Bring it back from a copy. Without it, "
            "what was already sent is asked, and paid for, again: to have that, remove it"
        ) from error
