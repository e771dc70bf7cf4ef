"""What people take back in a memory while a shadow of it is being made holds in the shadow before the walk has come to
it: no later question shows it, be it as an item or in a summary that is gone on with.

    what they saw is here     it is taken back as it would be at its place, where nothing more comes of it then
    nothing here says it      it is refused from then on, and what left recall with it does here; at its place it is
                              looked for again, since something may say it by then

What was taken back before waits for its place: so a derivation that was broken off, and nothing more, ends the same.
"""

from collections.abc import Iterable, Iterator

from dnam.rederiving.finding import was_held
from dnam.rederiving.scope import LiveScope
from dnam.rederiving.seeds import ahead, applied
from projections.decisions.draft import Decision, Draft, first_id
from projections.decisions.reapply import ReapplyRequest, reapply
from projections.events import ItemEvent, ItemForgotten
from projections.items import ITEMS
from projections.lives import address_of, key_of
from projections.rederiving.roles import role_of
from projections.rows import Rows
from replay.chronicle import LogChronicle
from replay.engine import Engine
from replay.errors import Refused
from replay.units import Sheaf, Told, stored_with, units


def take_back_ahead(live: Engine, shadow: Engine, scope: LiveScope, cap: int, after: int) -> None:
    """Take back in a shadow what was in its memory behind a seq. `cap` is the most items that one person has."""
    for sheaf in list(_forgetting(live, after)):
        events = [each.event for each in sheaf.told if isinstance(each.event, ItemEvent)]
        for told in sheaf.told:
            event = told.event
            if isinstance(event, ItemForgotten) and role_of(event) == "decided" and scope.has(event):
                others = tuple(each for each in events if each is not event)
                _take_back(shadow, _request(live, told, event, others, cap))


def _forgetting(live: Engine, after: int) -> Iterator[Sheaf]:
    """The decisions behind a seq by which something was taken back."""
    chronicle, size, last = LogChronicle(live.live), live.head().size, after
    for stored in stored_with(live, (ItemForgotten.TAG,), after, size):
        if stored.seq > last:
            sheaf = next(units(live, chronicle.beginning(stored.seq) - 1, size))
            last = sheaf.last
            yield sheaf


def _request(live: Engine, told: Told, event: ItemForgotten, others: tuple[ItemEvent, ...], cap: int) -> ReapplyRequest:
    made = applied(told.id, event.said)
    return ReapplyRequest(event, told.id, made, told.given, cap, others, was_held(live, event))


def _take_back(shadow: Engine, request: ReapplyRequest) -> None:
    try:
        shadow.record(_decision(request))
    except Refused:  # it would be open to more people here: at its place it stands as it was recorded
        return


def _decision(request: ReapplyRequest) -> Decision:
    made = ahead(request.id, request.event.said)
    refusal = request._replace(id=first_id(made), origin=made, given=None)

    def decide(rows: Rows) -> list[Draft]:
        drafts = reapply(rows, request)
        return drafts if not drafts or _takes(rows, drafts) else reapply(rows, refusal)

    return decide


def _takes(rows: Rows, drafts: Iterable[Draft]) -> bool:
    """Whether something that is active here is taken back."""
    items = (each.event.item for each in drafts if isinstance(each.event, ItemForgotten))
    found = (rows.get(ITEMS, key_of(address_of(each))) for each in items)
    return any(row is not None and row.item.status == "active" for row in found)
