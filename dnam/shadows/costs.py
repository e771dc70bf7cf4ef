"""What re-deriving took. It stands in the shadows, since a memory is only read meanwhile; and in the event by which one
was taken over, also once that shadow is gone.
"""

from pathlib import Path

from dnam.shadows.manifest import listing
from projections.errors import BadRequest
from projections.events import RederivationAdopted
from replay.engine import Engine
from replay.units import tagged


def rederived_micros(engine: Engine, data: Path) -> int:
    """What it took in all, in 10⁻⁶ USD: of every shadow that is here, or was taken over. One that was dropped without
    that, or that cannot be read, is not among them.
    """
    took = dict[str, int]()
    for _, event in tagged(engine, (RederivationAdopted.TAG,), engine.head().size):
        if isinstance(event, RederivationAdopted):
            took[event.shadow.hex()] = max(took.get(event.shadow.hex(), 0), event.cost_micros)
    try:
        there = listing(data, lambda _name, _why: None)
    except BadRequest:  # a file lies where shadows do
        there = ()
    took |= {each.log: max(took.get(each.log, 0), each.cost_micros) for each in there}
    return sum(took.values())
