"""How far a shadow is behind: what was recorded since that it would be made of.

What an adoption records is no such thing, nor is anything else that came of a loop or a policy: it is made again from
what people said and did, or not at all (`projections/rederiving/roles.py`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from dnam.shadows import Manifest
from projections.rederiving.roles import ROLES, Role, role_of
from replay import codec
from replay.engine import Engine
from replay.errors import LogError
from replay.log import StoredEvent

_ROLES: Mapping[str, Role] = {each.TAG: role for each, role in ROLES.items()}
_NOTHING_NEW: tuple[Role, ...] = ("derived", "left out")


def behind(live: Engine, manifest: Manifest) -> int:
    """How many events of its memory a shadow does not know yet and would read; 0 where it is up to now."""
    return sum(_is_read(live, stored) for stored in live.store.log.read(manifest.upto))


def behind_each(data: Path, manifests: Sequence[Manifest]) -> dict[str, int]:
    """The same of each of these shadows of the log in a folder, by name; empty where that log cannot be opened."""
    if not manifests:
        return {}
    try:
        with Engine.open(data, writable=False) as live, live.reading():
            return {each.name: behind(live, each) for each in manifests}
    except (LogError, OSError):  # whoever opens it for anything else hears why
        return {}


def _is_read(live: Engine, stored: StoredEvent) -> bool:
    """Only of what its tag alone does not tell, the event is opened: a person may have done it."""
    if _ROLES.get(codec.decode_header(stored.header).tag, "kept") not in _NOTHING_NEW:
        return True
    try:
        record = live.live.folding.record(stored)
    except LogError:  # the derivation says what is wrong with it
        return True
    return record is not None and role_of(record.event) not in _NOTHING_NEW
