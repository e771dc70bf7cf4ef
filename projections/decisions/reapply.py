"""A person's act, applied again in a memory whose items another model made (design §9): what they decided holds there.

event                                    done there
──────────────────────────────────────   ────────────────────────────────────────
item.remembered, a kept item.redacted    `reapply_kept.remember`
item.upserted that edits                 `reapply_kept.edit`
item.upserted that takes apart           `reapply_kept.take_apart`
what the assistant noted for them        `reapply_noted`: note, no_longer, follow
an item.deprecated of a revert           `reapply_reverted.take_back`
item.upserted, item.deprecated, else     `reapply_kept.bring_in`: an import
item.restored                            `reapply_kept.restore`
item.moved into direct messages          `reapply_taken.keep_private`
item.moved elsewhere                     `reapply_shared.share`
item.reverted behind one taken back      `reapply_shared.stay`
item.forgotten, a refusing item.redacted `reapply_taken.forget`
summary.reset                            the summary is cleared, up to where it was
"""

from collections.abc import Callable

import msgspec

from projections.decisions import reapply_kept, reapply_noted, reapply_reverted, reapply_shared, reapply_taken
from projections.decisions.draft import Draft, Minter, decided_before
from projections.decisions.reapplying import POLICY, Reapplying, ReapplyRequest
from projections.events import (
    ItemDeprecated,
    ItemEvent,
    ItemForgotten,
    ItemMoved,
    ItemRedacted,
    ItemRestored,
    ItemReverted,
    ItemUpserted,
    SummaryReset,
)
from projections.events.values import Intent, Saw
from projections.policies.compartments import direct
from projections.policies.human_acts import is_noted, read_human
from projections.rows import Rows
from projections.summaries import find_summary

__all__ = ["ReapplyRequest", "reapply"]

Act = Callable[[Reapplying], None]


def reapply(rows: Rows, request: ReapplyRequest) -> list[Draft]:
    """What the act comes to among these rows; nothing when it was applied before, is no person's, or what it wants
    holds already.
    """
    event = request.event
    if rows.ids.status(request.id) != "unknown" or decided_before(rows, request.origin) or not read_human(event):
        return []
    if isinstance(event, SummaryReset):
        return _reset(rows, request, event)
    applying = Reapplying(rows, request, event)
    _act(event)(applying)
    return applying.shelf.drafts


def _act(event: ItemEvent) -> Act:
    if is_noted(event):
        return _noted(event)
    if reapply_reverted.is_reverted(event):
        return reapply_reverted.take_back
    match event:
        case ItemForgotten():
            return reapply_taken.forget
        case ItemRestored():
            return reapply_kept.restore
        case ItemMoved(item=item):
            return reapply_taken.keep_private if item.compartment == direct(item.owner) else reapply_shared.share
        case ItemReverted():
            return reapply_shared.stay
        case ItemUpserted(intent=intent) if intent is not None:
            return reapply_kept.take_apart if intent.action == "restore" else reapply_kept.edit
        case ItemUpserted() | ItemDeprecated():
            return reapply_kept.bring_in
        case ItemRedacted(item=item, refuses=refuses) if refuses or item.status == "forgotten":
            return reapply_taken.forget
        case _:
            return reapply_kept.remember


def _noted(event: ItemEvent) -> Act:
    if isinstance(event, ItemMoved):
        return reapply_noted.follow
    return reapply_noted.no_longer if isinstance(event, ItemDeprecated) else reapply_noted.note


def _reset(rows: Rows, request: ReapplyRequest, event: SummaryReset) -> list[Draft]:
    """The summary that there is, cleared; the recorded event, where it says so of this era and no later moment."""
    found = find_summary(rows, event.session, event.audience.epoch)
    row = None if found is None else found.row
    if row is None or (row.era == event.era and row.said <= event.said):
        known = tuple(each for each in event.causes if rows.ids.status(each) == "known")
        carried = event if request.given is not None else msgspec.structs.replace(event, causes=known)
        return [Draft(request.id, carried, natural=True, given=request.given)]
    said = max(event.said, row.said)
    saw = Intent("reset", saw=Saw(row.text, "summary", ""))
    made = msgspec.structs.replace(event, said=said, causes=(row.event,), era=row.era, policy=POLICY, intent=saw)
    return [Minter(rows, request.origin).draft(made)]
