"""What can go wrong with a log, grouped by when it happens.

LogError
├── opening   NotALog · NewerLog · Truncated · NothingHere · LogMissing
├── keys      KeyRingMissing · KeyRingUnreadable · ForeignKeyRing · KeyMissing
├── reading   UnknownEvent · Damaged · DamagedViews
└── writing   CannotWrite ─ LogFull · ReadOnly
              Busy · HeadMoved · EventConflict · Refused · ClockJumped · NewerViews
"""

from projections.errors import DnamError


class LogError(DnamError):
    """Something about the log, its keys or its views."""


class NotALog(LogError):
    """What lies at this path is not a log of dnam."""


class NothingHere(LogError):
    """There is no log at this path yet, and only a writer makes one."""


class LogMissing(LogError):
    """There is a key ring that has been used, and no log."""


class NewerLog(LogError):
    """The log's form is newer than this program."""


class Truncated(LogError):
    """A file is shorter than its own first page says."""


class KeyRingMissing(LogError):
    """There is a log and no key ring."""


class KeyRingUnreadable(LogError):
    """The key ring is there and cannot be read."""


class ForeignKeyRing(LogError):
    """The key ring belongs to another log."""


class KeyMissing(LogError):
    """A body is locked: its key is not in the ring, and no erasure destroyed it."""


class UnknownEvent(LogError):
    """A stored event is of a tag or version that this program does not know."""


class Damaged(LogError):
    """A stored event is not what was written."""


class DamagedViews(LogError):
    """A row of the views is not what was written. They can be deleted and built again."""


class CannotWrite(LogError):
    """The disk did not take it. Nothing was written."""


class LogFull(CannotWrite):
    """No room: the disk or the map is full."""


class ReadOnly(CannotWrite):
    """The folder, or this way of opening it, is for reading only."""


class Busy(LogError):
    """Somebody else holds the write lock for too long."""


class HeadMoved(LogError):
    """Another writer appended in between: read on, and decide again."""


class EventConflict(LogError):
    """An id that dnam itself gave is in the log already."""


class Refused(LogError):
    """A decision's events may not be recorded."""


class ClockJumped(LogError):
    """The clock went far ahead of the time that really passed."""


class NewerViews(LogError):
    """The views were made by a newer program, which may be writing."""
