"""What a model may not overwrite: what was said later than the messages it read, and what a person just changed."""

from projections.ids import EventId
from projections.items import ItemRow

VERSION = "precedence@1"
HUMANS = frozenset({"person", "operator"})


def outranked(row: ItemRow, said: int, shown: EventId | None) -> str:
    """Why an item stands against a model that read messages up to `said` (ms); empty when it does not.

    It goes by `updated`, which is when the words were said that the item rests on; an event of the model's is `said` as
    late as anything that it had before it. `shown` is the event that had made the item when the model saw it, if it was
    shown.
    """
    human = row.by.kind in HUMANS
    if row.item.updated > said:
        return "a person changed it later than this was said" if human else "what is there was said later"
    if human and shown is not None and shown != row.event:
        return "a person changed it while the model was thinking"
    return ""
