"""What can go wrong with a log, grouped by when it happens.

LogError      behind a dash stands what inherits from the error in front of it
├── opening   NotALog ─ CurrentLost
│             NewerLog · Truncated · NothingHere · LogMissing
├── keys      KeyRingMissing · KeyRingUnreadable · KeyRingDamaged · ForeignKeyRing · KeyMissing
├── reading   UnknownEvent · Damaged ─ DamagedPages · EndLost
│             DamagedViews
├── trusting  NotACheckpoint · ForeignCheckpoint · UnknownSigner · ForgedCheckpoint · CheckpointAhead · HistoryRewritten
│             SigningKeyUnusable
├── keeping   NotABackup · ForeignBackup · DamagedBackup · WrongPassphrase · InUse
└── writing   CannotWrite ─ LogFull · ReadOnly
              Refused ─ ErasedMeanwhile
              Busy · HeadMoved · EventConflict · ClockJumped · NewerViews
"""

from projections.errors import DnamError


class LogError(DnamError):
    """Something about the log, its keys or its views."""


class NotALog(LogError):
    """What lies at this path is not a log of dnam."""


class CurrentLost(NotALog):
    """There are logs here, and CURRENT does not name one of them."""


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


class KeyRingDamaged(LogError):
    """Records of the key ring are lost in both copies."""


class ForeignKeyRing(LogError):
    """The key ring belongs to another log."""


class KeyMissing(LogError):
    """A body is locked: its key is not in the ring, and no erasure destroyed it."""


class UnknownEvent(LogError):
    """A stored event is of a tag or version that this program does not know."""


class Damaged(LogError):
    """A stored event is not what was written."""


class DamagedPages(Damaged):
    """The pages of an LMDB file do not fit together: what is in them must not be believed, nor LMDB trust them."""


class EndLost(Damaged):
    """The views know of events that the log does not have: it lost its end, or an older copy was put in its place; or
    they are another log's. Nothing is written before the log is accepted as it is, by hand.
    """


class DamagedViews(LogError):
    """A row of the views is not what was written. They can be deleted and built again."""


class NotACheckpoint(LogError):
    """This is no signed note, or not one of a tree head."""


class ForeignCheckpoint(LogError):
    """The checkpoint is of another log."""


class UnknownSigner(LogError):
    """Nobody whose key is known signed the checkpoint."""


class ForgedCheckpoint(LogError):
    """The checkpoint says whose it is, and they did not sign this text."""


class CheckpointAhead(LogError):
    """The log ends before the checkpoint: it was cut, or an older copy was put in its place."""


class HistoryRewritten(LogError):
    """The log does not begin with the events that were there when the checkpoint was signed."""


class SigningKeyUnusable(LogError):
    """The key that signs checkpoints cannot be read, or is another log's."""


class NotABackup(LogError):
    """What lies at this path is no backup of dnam, or one of a newer form."""


class ForeignBackup(LogError):
    """The backup is of another log, or of another history of this one."""


class DamagedBackup(LogError):
    """A backup is not what was written: a file was cut, changed or lost."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}. Use another backup; a new one is made by `dnam backup` into an empty folder")


class WrongPassphrase(LogError):
    """The passphrase does not open the keys in the backup."""


class InUse(LogError):
    """The data folder is open already: in another process, or in this one."""


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


class ErasedMeanwhile(Refused):
    """What was to be recorded is of somebody who was erased, or rests on them: work that was under way then."""


class ClockJumped(LogError):
    """The clock went far ahead of the time that really passed."""


class NewerViews(LogError):
    """The views were made by a newer program, which may be writing."""
