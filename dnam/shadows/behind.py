"""How far a shadow is behind: what was recorded since that it would be made of.

What an adoption records is no such thing, nor is anything else that came of a loop or a policy: it is made again from
what people said and did, or not at all (`projections/rederiving/roles.py`). But the undoing of an adoption is that the
shadow has as it was recorded, since only what came later is derived anew there.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from dnam.errors import ShadowUnusable
from dnam.rederiving.undone import is_undoing
from dnam.shadows.manifest import Manifest, Unusable
from dnam.shadows.opening import refuse_unusable
from projections.rederiving.roles import ROLES, Role, role_of
from replay import codec
from replay.engine import Engine
from replay.errors import LogError, LogMissing, NothingHere
from replay.log import StoredEvent
from replay.units import stored_events

_ROLES: Mapping[str, Role] = {each.TAG: role for each, role in ROLES.items()}
_NOTHING_NEW: tuple[Role, ...] = ("derived", "left out")


def behind(live: Engine, manifest: Manifest) -> int:
    """How many events of its memory a shadow does not know yet and would read; 0 where it is up to now. They may be
    very many: not to be asked while rows are looked at.
    """
    with live.reading():
        """What other processes erased and rewrote is known from here on."""
    since = manifest.asked.since
    return sum(_is_read(live, stored, since) for stored in stored_events(live, manifest.upto, live.head().size))


def behind_each(data: Path, manifests: Sequence[Manifest], tell: Unusable) -> dict[str, int]:
    """The same of each of these shadows that can be used, by name; `tell` hears why the others cannot be: none can
    where the memory that they are of cannot be read whole.
    """
    if not manifests:
        return {}
    try:
        with Engine.open(data, writable=False) as live:
            _refuse_hindered(live)
            return {each.name: behind(live, each) for each in manifests if _is_usable(live, data, each, tell)}
    except (NothingHere, LogMissing):
        for each in manifests:
            tell(each.name, str(ShadowUnusable(each.name, "it is of a log that is not here")))
    except (LogError, OSError) as error:
        for each in manifests:
            tell(each.name, str(error))
    return {}


def _refuse_hindered(live: Engine) -> None:
    """What keeps everybody from writing to a memory, if anything does: nothing is derived from it or adopted."""
    live.store.ring.refuse_cut(live.store.log.ring())
    with live.reading():
        hindrance = live.stopped()
    if hindrance is not None:
        raise hindrance


def _is_usable(live: Engine, data: Path, manifest: Manifest, tell: Unusable) -> bool:
    try:
        refuse_unusable(live, data, manifest)
    except (ShadowUnusable, LogError) as error:
        tell(manifest.name, str(error))
        return False
    return True


def _is_read(live: Engine, stored: StoredEvent, since: int) -> bool:
    """Only of what its tag alone does not tell, the event is opened: a person may have done it."""
    if _ROLES.get(codec.decode_header(stored.header).tag, "kept") not in _NOTHING_NEW:
        return True
    try:
        record = live.live.folding.record(stored)
    except LogError:  # the derivation says what is wrong with it
        return True
    if record is None:
        return False
    return role_of(record.event) not in _NOTHING_NEW or is_undoing(live, record.event, since)
