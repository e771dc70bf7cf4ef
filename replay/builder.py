"""Building views: beside the live ones, in segments, while the log goes on; then they are put in force at once.

Most of the work runs unlocked. The last stretch, from where the log was to where it is, runs under the write lock, so
that nothing is missing when CURRENT is replaced. No segment cuts a decision. A helper (helper.py) folds some of them.

What is half built when somebody is erased holds what they wrote: the builder throws it away at its next segment, and
the erasure is not complete before it has.
"""

import gc
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from projections.events import MessageRedacted, PersonErased
from projections.fold import Fold
from replay import codec
from replay.errors import Damaged, DamagedViews, KeyMissing, NotALog
from replay.folder import remove_for_good
from replay.folding import Folding
from replay.helper import helped
from replay.line import Line
from replay.live import Live
from replay.log import Head, Log
from replay.misfit import fits
from replay.position import Position
from replay.store import DiskStore
from replay.thinning import copy_readable
from replay.tree import CompactRange, graft
from replay.views import Views, digest_rows, tables_of

STRETCH = 4096
"""How many events the last stretch may have, under the write lock; with more, another round runs unlocked."""

Progress = Callable[[int, int], None]
"""Called with the events done and the events to do."""


def silent(done: int, total: int) -> None:
    """No progress."""


def bring(
    views: Views,
    store: DiskStore,
    folding: Folding,
    upto: int,
    progress: Progress = silent,
    tree: CompactRange | None = None,
    *,
    indexed: bool = True,
) -> None:
    """Fold everything that views lack, up to a seq, and commit it segment by segment. A `tree` of what they have grows
    along, and so does the retrieval index, unless it is to be made when the rows are there.
    """
    if views.position() is None:
        views.commit({}, Position(0, bytes(32), store.log.id), since=0)
    with helped(store, folding, upto - _reached(views)) as helper:
        line = Line(views, store, folding, upto, helper)
        while (done := _reached(views)) < upto:
            with no_collection():
                segment = line.next(done)
                find = store.log.find if indexed else None
                came_first = not views.write(segment.folded.rows, segment.position, since=done, find=find)
            if came_first:
                continue  # another process came first: go on from where it is
            if tree is not None:
                for node in segment.folded.nodes:
                    graft(tree, *node)
            if not store.shared:
                store.unmap()
                views.unmap()
            progress(segment.position.size, max(upto, segment.position.size))


def _reached(views: Views) -> int:
    position = views.position()
    return 0 if position is None else position.size


@contextmanager
def no_collection() -> Iterator[None]:
    """Without looking for garbage: a segment makes a hundred thousand rows, and no cycles among them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def bring_up(store: DiskStore, live: Live, head: Head) -> None:
    """A writer's long catch-up, unlocked: other processes' commits meanwhile are kept."""
    views = live.views()
    assert views is not None
    bring(views, store, live.folding, head.size)


class _Overtaken(Exception):
    """Somebody was erased since a build was begun: it holds what is to be gone."""


class _Watch:
    """Looks at every step of a build whether somebody was erased. To be made when the folder is there: an erasure waits
    for those that it finds.
    """

    def __init__(self, store: DiskStore, progress: Progress) -> None:
        self._store = store
        self._epoch = store.log.head().epoch
        self._progress = progress

    def is_overtaken(self) -> bool:
        return self._store.log.head().epoch != self._epoch

    def look(self) -> None:
        """_Overtaken when somebody was."""
        if self.is_overtaken():
            raise _Overtaken

    def progress(self, done: int, total: int) -> None:
        """Progress that looks first."""
        self.look()
        self._progress(done, total)


class Built(NamedTuple):
    """A rebuild: how many events, and the digest of all rows where it was asked for."""

    events: int
    digest: bytes


def rebuild(store: DiskStore, fold: Fold, progress: Progress = silent, *, digested: bool = False) -> Built:
    """Build all views anew beside the live ones and put them in force. Begins again if an erasure came in between."""
    while (built := _rebuild_once(store, fold, progress, digested, None)) is None:
        pass
    return built


def thin_out(store: DiskStore, fold: Fold, progress: Progress = silent) -> Built:
    """The same after an erasure, from what the live views hold: every row but those of destroyed keys is copied. Where
    they cannot be used, everything is built anew. What others had half built is gone too: Busy when one of them hangs.
    """
    place = store.views_folder()
    others = place.others()
    try:
        while (built := _rebuild_once(store, fold, progress, False, copy_readable)) is None:
            pass
    except DamagedViews:
        built = rebuild(store, fold, progress)
    place.see_gone(others)
    return built


Start = Callable[[Views, DiskStore, Folding, Progress], None]
"""Puts rows into an empty build, and says how far they are."""


def _rebuild_once(
    store: DiskStore, fold: Fold, progress: Progress, digested: bool, start: Start | None
) -> Built | None:
    from replay.recall.indexing import (  # they bring numpy, which whoever only looks has no need of
        is_shared,
        make_index,
    )

    place = store.views_folder()
    with place.building() as fresh:
        watch = _Watch(store, progress)
        folding, tree = Folding(fold, store), None if start else CompactRange()
        views = Views(fresh, fold, writable=True, building=True)
        try:
            if start is not None:
                start(views, store, folding, watch.progress)
            _approach(views, store, folding, watch.progress, tree)
            with helped(store, folding, _reached(views) if is_shared(views) else 0) as helper, no_collection():
                make_index(views, helper, watch.look)
            with store.lock:
                store.refresh()
                watch.look()
                head, before = store.log.head(), place.current()
                bring(views, store, folding, head.size, watch.progress, tree)
                if tree is not None:
                    _hold_against(tree, head)
                digest = views.digest() if digested else b""
                views.sync()
                views.close()  # who follows CURRENT opens it at once, and LMDB opens nothing twice
                place.put_in_force(fresh)
        except _Overtaken:
            return None
        except KeyMissing:
            if watch.is_overtaken():  # destroyed meanwhile, not missing
                return None
            raise
        finally:
            views.close()
    if before is not None:
        remove_for_good(before)
    return Built(head.size, digest)


def _hold_against(tree: CompactRange, head: Head) -> None:
    """What was folded must be what the log's tree was made of."""
    if tree.root() != head.root():
        raise Damaged("the log's headers are not those that its tree was made of; `dnam verify` names what was changed")


def _approach(views: Views, store: DiskStore, folding: Folding, progress: Progress, tree: CompactRange | None) -> None:
    """Come near the log's end without the lock."""
    while True:
        size = store.log.head().size
        if size - _reached(views) <= STRETCH:
            return
        bring(views, store, folding, size, progress, tree, indexed=False)


class Check(NamedTuple):
    """The digests of the rows as they are and as a rebuild makes them, up to the same event; whether the retrieval
    index is what would be made of the rows on disk; and why the views on disk cannot be used, empty where they can, or
    where there are none. Where they cannot, `live` is of rows that were folded from the log, or empty.
    """

    events: int
    live: bytes
    rebuilt: bytes
    index_is_sound: bool
    unusable: str = ""

    @property
    def equal(self) -> bool:
        """Whether live = replay."""
        return self.live == self.rebuilt and self.index_is_sound and not self.unusable


def check(store: DiskStore, fold: Fold, progress: Progress = silent) -> Check:
    """Compare the rows as they are with a rebuild; nothing is changed.

    A redaction or erasure that comes in between takes rows from the one and not from the other: then it is looked at
    again.
    """
    while True:
        size = store.log.head().size
        try:
            found = _check_once(store, fold, progress)
        except _Overtaken:
            continue
        except KeyMissing:
            if not _took_back(store.log, size):
                raise
            continue
        if found.equal or not _took_back(store.log, size):
            return found


def _took_back(log: Log, since: int) -> bool:
    tags = (codec.decode_header(stored.header).tag for stored in log.read(since))
    return any(tag in (MessageRedacted.TAG, PersonErased.TAG) for tag in tags)


def _check_once(store: DiskStore, fold: Fold, progress: Progress) -> Check:
    live = Live(store, fold)
    live.freshen()
    unusable = _unusable(store)
    try:
        with live.raw() as raw:
            digest = digest_rows(raw, tables_of(fold))
    except DamagedViews as error:
        digest, unusable = b"", str(error)
    with _scratch(store) as folder:
        watch = _Watch(store, progress)
        views = Views(folder, fold, writable=True, building=True)
        try:
            tree = CompactRange()
            bring(views, store, Folding(fold, store), live.folded, watch.progress, tree, indexed=False)
            head = store.log.head()
            if head.size == live.folded:
                _hold_against(tree, head)
            rebuilt = views.digest()
            if unusable or live.views() is None or store.views is None:
                return Check(live.folded, digest, rebuilt, index_is_sound=True, unusable=unusable)
            return Check(live.folded, digest, rebuilt, store.views.index_is_what_it_would_be(views, watch.look))
        finally:
            views.close()


def _unusable(store: DiskStore) -> str:
    """Why the views on disk are not used; empty where they are, or where there are none."""
    written = None if store.views is None else store.views.written()  # before the head, which may move on
    if written is not None and not fits(written.position, store.log, store.log.head()):
        return "they are ahead of the log, or of another one"
    return store.unusable_views()


@contextmanager
def _scratch(store: DiskStore) -> Iterator[Path]:
    """A folder for a build that is thrown away: beside the views, or a private one where that disk takes none."""
    with ExitStack() as stack:
        try:
            fresh = stack.enter_context(store.views_folder().building())
        except (OSError, NotALog):
            fresh = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield fresh
