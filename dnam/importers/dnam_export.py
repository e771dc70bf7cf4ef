"""dnam's own export (dnam/exports/form.py), decision by decision, to be taken back as it was.

A file is read twice: first its digest, so that nothing of a file that was changed comes in. One that broke off has no
last line: what is whole in it is given, and then the break is raised.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dnam.exports.form import FORM, End, EventLine, GapLine, Head, Line, VaultLine, decode, event_of
from dnam.importers import stream
from dnam.importers.source import Arrival, BrokenImport, Channel, Format, Options, UnreadableImport
from projections.decisions.draft import Draft
from projections.decisions.given import Given, GivenVault, lost
from projections.errors import BadRequest
from projections.ids import EventId, VaultId
from replay.codec import UNREADABLE
from replay.errors import UnknownEvent

SIGN = "dnam_export"
FORMAT: Format = "dnam-export"


CHANGED = "Nothing was imported; take an unchanged copy."


class Returned(NamedTuple):
    """The events of one decision, as they are to be recorded. `gaps` are those whose words are gone."""

    drafts: tuple[Draft, ...]
    gaps: frozenset[EventId]


class DnamExport:
    """An export. `whole` says whether its last line is there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.format = FORMAT
        self.whole = False
        self.head = self._head()
        self._check()
        named = Channel("", path.name, "unknown", messages=self.head.events, must_ask=False)
        self.channels: tuple[Channel, ...] = (named,)

    def read(self, options: Options) -> Iterator[Arrival]:  # noqa: ARG002 - nothing to choose
        """It does not come in among other things, but as a whole: see `decisions`."""
        raise BadRequest(f"{self.path} is an export of a whole memory: import it alone, into a new folder")

    def _head(self) -> Head:
        for number, line in self._lines():
            if isinstance(line, Head) and number == 1:
                if line.dnam_export > FORM:
                    wrong = f"{self.path} has form {line.dnam_export}, and this program knows up to {FORM}."
                    raise BrokenImport(self.path, "line 1", f"{wrong} A newer dnam knows it.")
                return line
            break
        raise BrokenImport(self.path, "line 1", f"{self.path} does not begin as an export of dnam does.")

    def _check(self) -> None:
        """Whether it is whole, and what was exported."""
        sha, last, ended = hashlib.sha256(), b"", b""
        for line in self._raw():
            sha.update(last)
            last = line
            ended = ended or (line if line.endswith(b"\n") and b'"line":"end"' in line else b"")
        end = self._decoded(0, ended) if ended else None
        if not isinstance(end, End):
            return
        if ended != last:
            wrong = f"{self.path} goes on behind its last line."
            raise BrokenImport(self.path, "behind the last line", f"{wrong} {CHANGED}")
        self.whole = True
        if end.digest != sha.hexdigest() or end.events != self.head.events:
            wrong = f"{self.path} was changed since it was exported: its lines do not have the digest in its last line."
            raise BrokenImport(self.path, "the last line", f"{wrong} {CHANGED}")

    def decisions(self) -> Iterator[Returned]:
        """What it holds, in recorded order. BrokenImport after the last whole decision of one that broke off."""
        vaults: dict[bytes, GivenVault] = {}
        run: list[EventLine | GapLine] = []
        taken = 0
        for number, line in self._lines():
            match line:
                case VaultLine():
                    vaults[line.vault] = line.given()
                case EventLine() | GapLine():
                    self._expect(number, line.seq, taken + len(run) + 1)
                    run.append(line)
                    if not line.left:
                        yield self._decision(number, run, vaults)
                        taken, run = taken + len(run), []
                case End():
                    return
        remedy = "Export it again and import that: what is here already is not added twice."
        raise BrokenImport(self.path, f"after event {taken}", f"{self._cut_after(taken)} {remedy}")

    def _cut_after(self, taken: int) -> str:
        """What is missing of a file without its last line, of which so many events are whole decisions."""
        count, left = self.head.events, self.head.events - taken
        if not left:
            there = f"has all of its {count} events, and not its last line, by which it is known to be unchanged"
            return f"{self.path} {there}."
        missing = "the last one is missing" if left == 1 else f"{left} are missing"
        return f"{self.path} breaks off after event {taken} of {count}: {missing}."

    def _expect(self, number: int, seq: int, expected: int) -> None:
        if seq != expected:
            raise self._broken(number, f"it has event {seq} where event {expected} should be")

    def _decision(self, number: int, run: list[EventLine | GapLine], vaults: dict[bytes, GivenVault]) -> Returned:
        try:
            drafts = tuple(_draft(line, vaults.get(line.vault)) for line in run)
        except UNREADABLE as error:
            raise self._broken(number, str(error)) from error
        except UnknownEvent as error:
            raise BrokenImport(self.path, f"line {number}", f"{self.path}, line {number}: {error}") from error
        return Returned(drafts, frozenset(EventId(line.id) for line in run if isinstance(line, GapLine)))

    def _lines(self) -> Iterator[tuple[int, Line]]:
        """Whole lines by number; one that broke off at the file's end is none."""
        for number, data in enumerate(self._raw(), 1):
            if data.endswith(b"\n"):
                yield number, self._decoded(number, data)

    def _decoded(self, number: int, data: bytes) -> Line:
        try:
            return decode(data)
        except UNREADABLE as error:
            raise self._broken(number, str(error)) from error

    def _raw(self) -> Iterator[bytes]:
        with stream.opened(self.path) as file:
            try:
                yield from file
            except OSError as error:
                raise UnreadableImport(self.path, f"{self.path} cannot be read: {error.strerror}.") from error

    def _broken(self, number: int, what: str) -> BrokenImport:
        wrong = f"{self.path}, line {number}, is not as dnam exports it: {what}."
        return BrokenImport(self.path, f"line {number}", f"{wrong} Export it again.")


def _draft(line: EventLine | GapLine, ring: GivenVault | None) -> Draft:
    event = lost(line.tag, line.version) if isinstance(line, GapLine) else event_of(line)
    given = Given(line.at, VaultId(line.vault), ring)
    return Draft(EventId(line.id), event, natural=True, given=given)
