"""What re-deriving took. It stands in the shadows, since a memory is only read meanwhile; in the event by which one was
taken over, also once that shadow is gone; and of those that were dropped in `data/shadows/dropped.json`.
"""

from pathlib import Path

import msgspec

from dnam.errors import ShadowUnusable
from dnam.shadows.manifest import known, listing
from projections.errors import BadRequest
from projections.events import RederivationAdopted
from replay.engine import Engine
from replay.folder import replace_file
from replay.lmdb_file import translated
from replay.shadows.shadow import SHADOWS
from replay.units import tagged

DROPPED = "dropped.json"
"""What the shadows took that were dropped, in 10⁻⁶ USD, by the ids of their logs (hex)."""


def rederived_micros(engine: Engine, data: Path) -> int:
    """What it took in all, in 10⁻⁶ USD: of every shadow that is here, was taken over, or was dropped. One that cannot
    be read, or could not when it was dropped, is not among them. BadRequest where the file of those is damaged.
    """
    took = _dropped(data)
    for _, event in tagged(engine, (RederivationAdopted.TAG,), engine.head().size):
        if isinstance(event, RederivationAdopted):
            took[event.shadow.hex()] = max(took.get(event.shadow.hex(), 0), event.cost_micros)
    try:
        there = listing(data, lambda _name, _why: None)
    except BadRequest:  # a file lies where shadows do
        there = ()
    took |= {each.log: max(took.get(each.log, 0), each.cost_micros) for each in there}
    return sum(took.values())


def keep_cost(data: Path, name: str) -> None:
    """Note what a shadow took that is about to be dropped, as far as that can be read."""
    try:
        manifest = known(data, name)
    except (BadRequest, ShadowUnusable):
        return
    if manifest is None or not manifest.cost_micros:
        return
    took = _dropped(data)
    took[manifest.log] = max(took.get(manifest.log, 0), manifest.cost_micros)
    with translated(data):
        replace_file(data / SHADOWS / DROPPED, msgspec.json.encode(took, order="deterministic") + b"\n")


def _dropped(data: Path) -> dict[str, int]:
    """What those took that were dropped. BadRequest where that cannot be read."""
    file = data / SHADOWS / DROPPED
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, int])
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        why = f"{file} is damaged, and says what re-deriving cost of shadows that were dropped ({error})"
        raise BadRequest(f"{why}: without it that is not counted any more; to have that, remove it") from error
