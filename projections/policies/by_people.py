"""What people decided of their items: it wins over whatever is derived (design §9).

an item is a person's where        because
────────────────────────────────   ──────────────────────────────────────────────────────────────────────────
a person or the operator did it    they wrote, edited, shared, restored or forgot it, and nobody has since
they meant something by it         also where a policy carried it out for them
they asked to keep it              that lasts until they forget it, whatever a model says of it later
it is forgotten                    it stays so until its person says otherwise
it was typed, or imported          nobody's model here had made it: there is nothing to make anew
"""

from projections.items import ItemRow
from projections.policies.precedence import HUMANS

VERSION = "by-people@1"
BY_HAND = frozenset({"manual", "import"})
"""Sources of items that no model here has made."""


def is_by_people(row: ItemRow) -> bool:
    """Whether an item is as a person, or an import, left it: then nothing that is derived touches it."""
    item = row.item
    decided = row.by.kind in HUMANS or row.intent is not None
    return decided or item.kept or item.status == "forgotten" or item.source.type in BY_HAND
