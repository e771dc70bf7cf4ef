"""A change that takes back an earlier one of the same person is marked as that, so that the next undo goes further."""

from collections.abc import Iterable

import msgspec

from projections.decisions.draft import Draft
from projections.events import ItemEvent


def undoing(drafts: Iterable[Draft]) -> list[Draft]:
    """These changes, as what takes an earlier one back."""
    return [_marked(each) for each in drafts]


def _marked(draft: Draft) -> Draft:
    event = draft.event
    if not isinstance(event, ItemEvent) or event.intent is None:
        return draft
    intent = msgspec.structs.replace(event.intent, undoes=True)
    return draft._replace(event=msgspec.structs.replace(event, intent=intent))
