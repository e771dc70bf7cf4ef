"""Rows as they are now: the views, and above them an overlay folded from the log's tail.

Every process folds its own tail, from its own and other processes' events alike, with the same code that rebuilds. So
serving live is a replay that has not ended.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import lmdb

from projections.counting import counted
from projections.events import Event, MessageRedacted
from projections.fold import Fold, Record
from projections.ids import EventId, VaultId
from projections.rows import RawRows, Rows
from replay import codec
from replay.errors import Damaged, DamagedViews, EndLost, KeyMissing, LogError, UnknownEvent
from replay.folding import Folding, seqs_in
from replay.kept import Kept
from replay.known import Ids, Seen
from replay.living import Living
from replay.lmdb_file import REFUSED, GivenUp
from replay.log import Glance, Head, StoredEvent
from replay.misfit import fits
from replay.overlay import Layer, Layered, Overlay, dropped_in
from replay.position import Position
from replay.remembered import Known, Remembered
from replay.snapshot import NoRows, Snapshot
from replay.store import Store
from replay.views import Views

if TYPE_CHECKING:
    from replay.recall.recalling import Recall, Zones


class Tail(NamedTuple):
    """What a group recorded, behind event `after` up to and with `upto`."""

    layer: Layer
    after: int
    upto: int


class Look(NamedTuple):
    """The look that is under way, if any: at the views, how many events they hold there, and the rows as they are."""

    snapshot: Snapshot | None = None
    size: int = 0
    raw: RawRows | None = None


NOBODY_LOOKS = Look()


class Looking:
    """One look at the rows, which `with` begins and ends. Every write group has one; a generator would take longer.

    One within another is of the same moment, and sees the same: what is folded stays above what it was folded above.
    """

    __slots__ = ("_before", "_begun", "_live")

    def __init__(self, live: "Live") -> None:
        self._live = live
        self._before = live._look
        self._begun: tuple[Views, lmdb.Transaction] | None = None

    def __enter__(self) -> RawRows:
        live = self._live
        if self._before.raw is not None:
            return self._before.raw
        while (views := live.views()) is not None:
            transaction = views.begun()
            try:
                look = live._look_at(views, transaction)
                if look is not None:
                    self._begun = views, transaction
                    return live._begin(look)
            except BaseException:  # raised again: the look is over
                live._look = self._before
                views.ended(transaction)
                raise
            views.ended(transaction)
            live._follow_again()
        assert live.base == 0, "rows below the overlay are gone"
        return live._begin(Look(raw=live._layers(NoRows())))

    def __exit__(self, *_: object) -> None:
        self._live._look = self._before
        if self._begun is not None:
            views, transaction = self._begun
            views.ended(transaction)


class Live:
    """The rows of a store, kept up with its log. Not for two threads at once: the engine has the mutex."""

    def __init__(self, store: Store, fold: Fold) -> None:
        self.store = store
        self.folding = Folding(fold, store)
        self._epoch = store.log.head().epoch
        self._start_over()

    def _start_over(self) -> None:
        self.overlay = Overlay()
        self.base = 0
        self.folded = 0
        self._redacted = 0
        self.stopped: LogError | None = None
        self.locked = self._locked()
        self._usable: Position | None = None
        self._known = Known({}, {})
        self._known_at: Position | None = None
        self._kept = Kept()
        self._recall: Recall | None = None
        self.store.let_go()
        self._look = NOBODY_LOOKS

    def _locked(self) -> LogError | None:
        """What keeps everybody from writing: a log that does not end where it says, or before its views do; one that a
        newer program wrote to, also where its views are those of this one; or a vault that seals events, has no key
        here, and was not erased.

        Its people are not known either, so that what is derived from it could not be put into the right vault.
        """
        said, last = self.store.log.ends()
        if said != last:
            return Damaged(
                f"the log says that it ends at #{said}, and its last event is #{last}: what is shown may lack some. "
                "Run `dnam verify`; `dnam restore-backup` brings a whole one back"
            )
        lost = self.store.misfit()
        if lost:
            return EndLost(lost)
        for unknown in codec.unknown_forms(self.store.log.forms()):
            return UnknownEvent(unknown)
        ring, vaults = self.store.ring, self.store.log.vaults()
        ring.refresh()  # behind the vaults: what they are of has its keys before its events
        locked = vaults - self.folding.erased - ring.vaults.keys()
        if not locked:
            return None
        return KeyMissing(
            f"the keys of {counted(len(locked), 'vault')} of {ring.whose} are not in the key ring, and no erasure "
            f"destroyed them. {ring.remedy}; until then nothing can be written"
        )

    def freshen(self) -> Head:
        """Follow the log, the views and the ring as other processes left them; the log's head."""
        head = self.follow()
        self.catch_up(head)
        return head

    def catch_up(self, head: Head, upto: int | None = None) -> None:
        """Fold what is new up to a head that `follow` found just now, or no further than an event before it."""
        self._follow_views(head)
        end = head.size if upto is None else upto
        if end > self.folded and self.stopped is None:
            self.store.ring.refresh()
            self._fold_tail(end)

    def follow(self) -> Head:
        """See what other processes replaced or erased, and fold nothing; the log's head."""
        if self.store.refresh():
            self._start_over()
        head = self.store.log.head()
        if head.epoch != self._epoch:
            self._after_erasure(head)
        return head

    def doomed(self) -> frozenset[VaultId]:
        """Vaults that an erasure names and whose keys are still in the ring."""
        return self.folding.erased & self.store.ring.vaults.keys()

    def _after_erasure(self, head: Head) -> None:
        self.store.ring.reload()
        self.folding.after_erasure()
        self._epoch = head.epoch
        self._start_over()

    def views(self) -> Views | None:
        """The views, when they can be used."""
        return self.store.views if self._usable is not None else None

    def freshen_views(self) -> None:
        """Look how far the views are, and fold nothing yet."""
        self._follow_views(self.store.log.head())

    def _follow_views(self, head: Head) -> None:
        """Let go of what the views hold by now; where what was folded cannot lie above them, begin anew above them."""
        position = self._position()
        if position != self._usable:
            self._usable = position if position is not None and fits(position, self.store.log, head) else None
        size = 0 if self._usable is None else self._usable.size
        if not self._can_lie_above(size):
            usable = self._usable
            self._start_over()
            self._usable = usable
            self.base = self.folded = size
        elif size > self.base:
            self.overlay.drop_upto(size)
            self.base = size

    def _can_lie_above(self, size: int) -> bool:
        """Whether what was folded can lie above views of so many events.

        Where a redaction was folded that they lack, its rows may have been none here, since the body was gone already,
        and are some in these views. Where they hold more than was folded, an older row would hide a newer one.
        """
        return size == self.base or max(self.base, self._redacted) <= size <= self.folded

    def _follow_again(self) -> None:
        """Fold as far as before, above views that moved on since they were followed."""
        self.catch_up(self.follow(), self.folded if self.stopped is None else None)

    def _position(self) -> Position | None:
        """How far the views are. Where the disk has just refused a commit of theirs in another thread, LMDB gives them
        up before anybody is told: they are opened anew.
        """
        views = self.store.views
        if views is None:
            return None
        try:
            return views.position()
        except GivenUp:
            REFUSED.setdefault(views.folder, "")
        self.follow()
        return None if self.store.views is None else self.store.views.position()

    def _fold_tail(self, end: int) -> None:
        self._kept.clear()
        before = self.folded
        try:
            self._fold_behind(end)
        finally:
            if self._recall is not None:
                self._recall.changed_since(self.overlay.tables, before)
            if self._redacted > before:
                self.store.let_go(dropped_in(self.overlay.tables, before))

    def _fold_behind(self, end: int) -> None:
        with self.raw() as raw:
            run: list[StoredEvent] = []
            for stored in self.store.log.read(self.folded, end):
                run.append(stored)
                try:
                    if codec.decode_header(stored.header).left:
                        continue
                    self.folding.take_decision(run, self.overlay, raw)
                    if any(codec.decode_header(each.header).tag == MessageRedacted.TAG for each in run):
                        self._redacted = stored.seq
                except (UnknownEvent, KeyMissing, Damaged) as error:
                    self.stopped = error
                    return
                self.folded = stored.seq
                run = []

    def raw(self) -> "Looking":
        """Encoded rows of this moment, for a `with`: the views under what was folded above them."""
        return Looking(self)

    @property
    def is_looked_at(self) -> bool:
        """Whether a look is under way: what was recorded since joins the rows with the next one."""
        return self._look.raw is not None

    def _begin(self, look: Look) -> RawRows:
        self._look = look
        assert look.raw is not None
        return look.raw

    def _look_at(self, views: Views, transaction: lmdb.Transaction) -> Look | None:
        """The rows of views as a transaction sees them, under what was folded; None where that cannot lie above them:
        in another thread, or process, a commit of theirs has ended since they were followed.
        """
        position, snapshot = views.seen_in(transaction)
        if position is None or position.size < self.base:
            raise DamagedViews(f"{views.folder} went back; run `dnam replay`")
        if not self._can_lie_above(position.size):
            return None
        if position != self._known_at:
            self._known, self._known_at = Known({}, {}), position
        return Look(snapshot, position.size, self._layers(Remembered(snapshot, self._known)))

    def _layers(self, below: RawRows) -> RawRows:
        layered = Layered(self.overlay, below)
        return Living(layered, self.folding.erased) if self.folding.erased else layered

    def absorb(self, tail: Tail) -> None:
        """Take over what a group recorded. Where rows do not end just before it, it was read from the log already, or
        will be.
        """
        if tail.after != self.folded:
            return
        self._kept.changed(tail.layer)
        if self._recall is not None:
            self._recall.changed(tail.layer.tables)
        self.store.let_go(dropped_in(tail.layer.tables, tail.after))
        self.overlay.absorb(tail.layer)
        self.folded = tail.upto

    def ids(self, log: Glance | None = None, seen: Seen | None = None) -> Ids:
        """What the log, or one look at it, knows of ids now; `seen` is what was looked up in it already."""
        return Ids(log or self.store.log, self.store.ring, self.folding.erased, seen)

    @contextmanager
    def rows(self) -> Iterator[Rows]:
        """Typed rows of this moment."""
        with self.raw() as raw:
            yield Rows(raw, self.ids(), self._kept, partial(self._zones, raw), self._event, partial(self._touched, raw))

    def _event(self, event: EventId) -> Event | None:
        """An event of the log, as far as it can be read."""
        seq = self.store.log.find(event)
        with suppress(UnknownEvent, KeyMissing, Damaged):
            record = None if seq is None else self.folding.record_at(seq)
            return None if record is None else record.event
        return None

    def _touched(self, raw: RawRows, table: str, key: bytes) -> list[Record]:
        """The events that touched a row, as far as they can be read."""
        found: list[Record] = []
        for seq in seqs_in(raw, table, key):
            with suppress(UnknownEvent, KeyMissing, Damaged):
                record = self.folding.record_at(seq)
                found += [] if record is None else [record]
        return found

    def _zones(self, raw: RawRows) -> "Zones":
        from replay.recall.recalling import Recall, Zones  # they bring numpy, which most looks have no need of

        snapshot, size, _ = self._look
        indexed = size if snapshot is not None and snapshot.indexed else 0
        if self._recall is None or (self._recall.has_disk and not indexed):
            self._recall = Recall(lambda: self._look.snapshot, has_disk=indexed > 0)
        return Zones(self._recall, raw, indexed, self.overlay.tables, self.store.log.find, self.folding.erased)
