"""The log: whether it opens, reads to its end and is locked nowhere; the clock beside it; what was never brought in."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dnam.discoclaw.file_set import MARK
from dnam.doctor.check import SECONDS, Finding, Patient, doubt, skipped, well, wrong
from projections.counting import counted
from replay.errors import DamagedPages, KeyRingDamaged, KeyRingMissing, LogError, NotALog, NothingHere, Truncated
from replay.ring.file import COPIES
from replay.store import UNUSABLE
from replay.versions import EARLIER, NEWER

if TYPE_CHECKING:
    from replay.engine import Engine

LATEST = 256
"""How many of the last events are read whole. `dnam verify` reads all of them."""
SLIGHTLY_AHEAD_MS = 60_000
DRIFT_MS = 1_000
DATE_MS = 1_000
"""How finely the date of an answer tells the time."""
FULL = "`dnam verify` looks at every event, `dnam repair` helps where something is lost."
REBUILT = "`dnam replay` builds them again, and so does the next command that writes."
KEYS = (
    "Without it nothing that is sealed can be read: else only `dnam restore-backup` helps, from a backup that has keys."
    " `dnam verify` looks at everything that needs no key."
)
SLOWER = "Nothing is lost; until then, looking takes longer."
INSTALL = "Until then, `dnam run` and every other command that writes is refused."
RIGHTS = "Let the user that dnam runs as read and write there."
AFRESH = "`dnam repair` puts right what it can; `dnam restore-backup` puts a backup in force."


async def health(patient: Patient) -> list[Finding]:
    """Head, damage, keys: what a quick look shows."""
    from replay.engine import Engine

    try:
        with Engine.open(patient.data, writable=False) as engine:
            return [*_copies(patient.data / "keys"), *_health(engine)]
    except NothingHere:
        return skipped("there is no log here yet", "`dnam run`, `dnam chat` or `dnam import` begins one.")
    except (DamagedPages, NotALog, Truncated) as error:  # it cannot be opened: nor can `dnam verify`
        return wrong(str(error), AFRESH)
    except (KeyRingMissing, KeyRingDamaged) as error:
        return wrong(str(error), KEYS)
    except OSError as error:
        return wrong(f"{error.filename or patient.data} cannot be read: {error.strerror}", RIGHTS)
    except LogError as error:
        return wrong(str(error), FULL)


def _copies(keys: Path) -> list[Finding]:
    """The ring is kept twice, because without it nothing can be read."""
    copies = [(keys / name).read_bytes() if (keys / name).is_file() else b"" for name in COPIES]
    if len(set(copies)) == 1:
        return []
    return doubt(
        f"the two copies of the key ring in {keys} differ", "What is in either holds; the next writer mends it."
    )


def _health(engine: "Engine") -> list[Finding]:
    with engine.reading():
        stopped = engine.stopped()
    found = [] if stopped is None else wrong(f"as of #{engine.live.folded}: {stopped}", FULL)
    cut = _cut(engine)
    found += [each for what in cut for each in wrong(what, FULL)]
    lost = engine.store.misfit()
    if lost and str(stopped) != lost:
        found += wrong(lost, FULL)
    noticed = [each.what for each in getattr(engine.store, "findings", ()) if each.what not in (*cut, lost)]
    found += [finding for what in noticed for finding in _noticed(what)]
    found += _latest(engine) if stopped is None else []
    size = engine.head().size
    last = f"; the last {min(size, LATEST)} read whole" if size else ""
    return found or well(f"{counted(size, 'event')}{last}")


def _noticed(what: str) -> list[Finding]:
    """What opening noticed, and a writer mends. Views that are damaged are no matter of opinion."""
    if what.startswith(UNUSABLE):
        return wrong(what, REBUILT)
    if what.startswith(NEWER):
        return wrong(what, INSTALL)
    if what.startswith(EARLIER):
        return doubt(what, SLOWER)
    return doubt(what, REBUILT if what.startswith("the views") else "The next command that writes mends it.")


def _cut(engine: "Engine") -> list[str]:
    """What no writer mends: the end of the key ring is lost."""
    store = engine.store
    try:
        store.ring.refuse_cut(store.log.ring())
    except LogError as error:
        return [str(error)]
    return []


def _latest(engine: "Engine") -> list[Finding]:
    """The last events, unsealed and decoded."""
    size, found = engine.head().size, []
    for stored in engine.store.log.read(max(size - LATEST, 0), size):
        try:
            engine.live.folding.record(stored)
        except LogError as error:
            found += wrong(f"#{stored.seq}: {error}", FULL)
    return found


async def erasures(patient: Patient) -> list[Finding]:
    """What cannot be undone and was broken off: copies of somebody may be left in the clear."""
    from dnam.erasing.unfinished import GOES_ON, told, unfinished_at

    try:
        left = told(unfinished_at(patient.data))
    except (LogError, OSError):  # the log's own check says what is wrong with it
        return skipped("the log could not be read")
    found = [finding for each in left for finding in wrong(each, f"Make room if the disk is full: {GOES_ON}.")]
    return found or well("none was broken off")


async def clock(patient: Patient) -> list[Finding]:
    """A clock behind the log keeps new events at the log's last time; one that is off dates everything wrongly."""
    log, drift = _beside_the_log(patient), await _drift(patient)
    found = [*(log or []), *_off(drift)]
    discord = "Discord's was not asked" if drift is None else "not off Discord's"
    if log is None and not found:
        return skipped(f"the log could not be read; {discord}")
    return found or well(f"it is not behind the log; {discord}")


def _beside_the_log(patient: Patient) -> list[Finding] | None:
    """What its last event says of this clock; None where it cannot be read: the log's own check says why."""
    from replay.engine import Engine

    try:
        with Engine.open(patient.data, writable=False) as engine:
            ahead = engine.head().at - patient.now()
    except (LogError, OSError):
        return None if (patient.data / "log").exists() else []
    if ahead <= SLIGHTLY_AHEAD_MS:
        return []
    return wrong(
        f"the log's last event is {_span(ahead)} ahead of this clock",
        "Set the clock right (NTP). Until it has caught up, new events carry the time of that last one.",
    )


class _Drift(NamedTuple):
    """How far this clock is ahead of Discord's, in ms: at least, and about. What is behind is negative."""

    least: int
    about: int


async def _drift(patient: Patient) -> _Drift | None:
    """How far this clock is off the date that Discord's answers carry; None where it cannot be reached, or there is no
    bot. That date has no fractions of a second, and is some time under way: for neither the clock is blamed.
    """
    if not patient.settings.discord_token:
        return None
    import aiohttp

    base, asked = (patient.settings.discord_api_url or "https://discord.com/api/v10").rstrip("/"), patient.now()
    try:
        timeout = aiohttp.ClientTimeout(total=SECONDS)
        async with aiohttp.ClientSession(timeout=timeout) as session, session.get(f"{base}/gateway") as response:
            return _drift_of(asked, patient.now(), _date_ms(response.headers["Date"]))
    except (aiohttp.ClientError, TimeoutError, OSError, KeyError, ValueError):  # the token's check says so
        return None


def _drift_of(asked: int, answered: int, date: int) -> _Drift:
    """By this clock, when it was asked and when it had answered, and the date that the answer carries."""
    behind = min(answered - date, 0)
    return _Drift(behind or max(asked - date - DATE_MS, 0), answered - date)


def _off(drift: _Drift | None) -> list[Finding]:
    if drift is None or abs(drift.least) <= DRIFT_MS:
        return []
    off = "ahead of" if drift.least > 0 else "behind"
    return wrong(f"this clock is {_span(abs(drift.about))} {off} Discord's", "Set the clock right (NTP).")


def _date_ms(text: str) -> int:
    """An HTTP date (RFC 9110 §5.6.7) in ms."""
    from email.utils import parsedate_to_datetime

    return int(parsedate_to_datetime(text).timestamp() * 1000)


def _span(milliseconds: int) -> str:
    return str(timedelta(seconds=milliseconds // 1000))


async def brought_in(patient: Patient) -> list[Finding]:
    """Whether DiscoClaw's own files, where a setting names their folder, have been imported."""
    settings = patient.settings
    folders = [each for each in (settings.durable_data_dir, settings.summary_data_dir) if each is not None]
    waiting = [each for each in folders if any(each.glob("*.json")) and not (each / MARK).exists()]
    if not waiting:
        return skipped("no folder of DiscoClaw's is named, or there is nothing in it")
    if _imported(patient):
        return well("what DiscoClaw kept was brought in")
    names = " ".join(map(str, dict.fromkeys(_root(each) for each in waiting)))
    return doubt(f"what DiscoClaw kept in {names} was never brought in", f"`dnam import {names}` does that.")


def _root(folder: Path) -> Path:
    """`durable/` and `rolling/` of one folder are imported together, as that folder."""
    return folder.parent if folder.name in ("durable", "rolling") else folder


def _imported(patient: Patient) -> bool:
    from projections.imports import imports
    from replay.engine import Engine

    try:
        with Engine.open(patient.data, writable=False) as engine, engine.reading() as rows:
            return any("discoclaw" in each.formats and each.said is not None for each in imports(rows))
    except (LogError, OSError):
        return False
