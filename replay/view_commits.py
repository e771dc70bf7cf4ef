"""Views kept up behind the log, by a thread of their own: every few hundred events what the overlay holds is written to
them, and they are opened anew where LMDB took much memory for that.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

from replay import codec
from replay.builder import no_collection
from replay.errors import Busy
from replay.live import Live
from replay.position import Position
from replay.views import Views, unhurried

BEHIND = 4096
"""How many events the views may lack when a writer opens, or in a burst; more are folded into them first."""
BURST = 8
"""A commit of more decisions than this is one of a burst, which is recorded before the views are kept up."""


class ViewCommits:
    """`alone` gives the rows while nobody else looks at them or takes anything over. `every` is how many events are
    gathered.
    """

    def __init__(self, alone: Callable[[], AbstractContextManager[Live]], every: int) -> None:
        self._alone = alone
        self._every = every
        self._thread = ThreadPoolExecutor(1, "views")
        self._under_way = threading.Event()
        self._is_closing = False
        self._seconds: float | None = None
        self._until: float | None = None
        self.errors: list[Exception] = []
        """Why views could not be written. They can wait: that is told when the memory is closed."""
        self.lightened: Callable[[], object] = unhurried
        """Called when views were written and the memory for that was let go."""

    def keep_up(self, live: Live, decisions: int) -> None:
        """Have the views written soon, where enough is new behind a commit of so many decisions."""
        most = max(BEHIND, self._every) if decisions > BURST else self._every
        if live.folded - live.base >= most and live.views() is not None and not self._under_way.is_set():
            self._under_way.set()
            self._thread.submit(self._in_background, most)

    def settled(self) -> None:
        """Wait until what was asked for is done."""
        self._thread.submit(lambda: None).result()

    def closing(self, seconds: float | None, until: float | None) -> None:
        """From now on views are written until then (monotonic seconds) and no longer, in `seconds`; nothing is opened
        anew. Waits for what is under way.
        """
        self._is_closing, self._seconds, self._until = True, seconds, until
        self._thread.shutdown()

    def _in_background(self, least: int) -> None:
        try:
            self.commit(least)
        except Exception as error:  # noqa: BLE001 - views can wait; the error is kept, and told when the memory is closed
            self.errors.append(error)
        finally:
            self._under_way.clear()

    def commit(self, least: int = 1) -> None:
        """Write what the overlay holds to the views; nothing when there are none, or fewer than `least` events are new:
        who asks may have counted before a commit that has just ended.
        """
        views = self._write(least)
        if views is not None and views.is_swollen and not self._is_closing:
            with self._alone() as live:  # nobody looks
                live.follow()
                if views is live.store.views:  # else another process removed their folder
                    views.shrink()
            self.lightened()

    def _write(self, least: int) -> Views | None:
        """The views that were written."""
        with self._alone() as live:
            live.freshen_views()
            log, views, base, upto = live.store.log, live.views(), live.base, live.folded
            if views is None or upto - base < least:
                return None
            live.store.check_readers()  # now and then: a process that stays up opens nothing anew
            stored = log.get(upto)
            assert stored is not None
            position = Position(upto, codec.digest(stored.header), log.id)
            with no_collection():
                changes = live.overlay.changes(upto)
        with no_collection():
            views.commit(changes, position, since=base, find=log.find, look=self._check_time)
        if views.given_up is not None and views.given_up not in self.errors:
            self.errors.append(views.given_up)
        return views

    def _check_time(self) -> None:
        """Busy where closing has no more time for views: they can wait, and the next writer brings them up."""
        if self._until is not None and time.monotonic() > self._until:
            raise Busy(f"they could not be written within the {self._seconds:.2g} s in which it was to close")
