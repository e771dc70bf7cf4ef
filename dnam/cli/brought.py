"""What is brought in, and how: its sources as one stream, and what of them could not be read."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dnam.cli.bringing_words import tally_value

if TYPE_CHECKING:
    from dnam.importers.given import Sources
    from dnam.importers.source import Arrival, ImportFailed, Options, Source
    from dnam.importing.tally import Tally


class Brought(NamedTuple):
    """What is brought in, and how. `unread` are the files of folders that could not be read, once all was; `name` says
    how whoever gave a file calls it.
    """

    found: "Sources"
    options: "Options"
    same: list[tuple[str, str]]
    portable: bool
    unread: "list[ImportFailed]"
    name: Callable[[Path], Path]

    @property
    def total(self) -> int | None:
        """How many messages there are, as the sources have it; None where one does not say before it is read."""
        counts = [channel.messages for source in self.found.all for channel in source.channels]
        if any(count is None for count in counts) or not all(source.channels for source in self.found.all):
            return None
        return sum(count or 0 for count in counts)

    def arrivals(self) -> "Iterator[Arrival]":
        """Everything in the sources that was said by now, in the order of `said`."""
        from dnam.importers.merge import by_now, in_order, located

        now = self.options.now
        return in_order([located(by_now(self._read(each), now), self.name(each.path)) for each in self.found.all])

    def _read(self, source: "Source") -> "Iterator[Arrival]":
        """What a source holds. Of a folder each file stands for itself: a bad one stops nothing else."""
        from dnam.importers.order import until_broken

        read = source.read(self.options)
        return until_broken(read, self.unread) if self.found.stands_apart(source) else read

    def refuse_unread(self) -> None:
        """ImportFailed, behind all that could be read, where a file of a folder could not be; what else could not be is
        told first.
        """
        from dnam.cli.screen import note

        if not self.unread:
            return
        first, *more = self.unread
        first.others = (*first.others, *(each for one in more for each in (one, *one.others)))
        for other in first.others:
            note(str(other))
        raise first

    def value(self, tally: "Tally") -> dict[str, object]:
        """What came of it, for programs."""
        return tally_value(tally, [self.name(each.path) for each in self.found.all], self.found.left_out)
