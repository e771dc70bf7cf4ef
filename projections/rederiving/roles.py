"""What becomes of each event of a log when its memory is derived anew: a table.

    kept          it is taken over as it was recorded: what was said, who people are, what they asked for, the turns
    decided       a person did it to an item or a summary: it is applied again to what there is (`decisions/reapply`)
    scheduled     a loop ran: it runs again, on the same messages
    taken back    words went: what goes with them is decided again, from what was derived anew
    readers       who can read a place changed: the items that move with it are others
    derived       it came of a loop, a policy or an earlier adoption: it is made again, or not at all
    left out      it tells of this log alone

Where only what came later is derived anew, what takes back something that is kept from before, as an adoption, goes on
doing so (`decisions/reapply_undone`).

Of an item event, who did it decides; what the operator reverted, and the taking back of that, is decided again. What
the answering model did with a tool is kept, since no loop does it again; what it noted down with one is decided: it may
have put right what another model says in other words.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from projections import events as e
from projections.decisions.reapply_reverted import is_again_as_it_was
from projections.events import Event
from projections.policies.human_acts import is_noted, read_human

Role = Literal["kept", "decided", "scheduled", "taken back", "readers", "derived", "left out"]

ROLES: Mapping[type[Event], Role] = {
    e.MessageHeard: "kept",
    e.MessageEdited: "taken back",
    e.MessageDeleted: "taken back",
    e.PlaceDescribed: "kept",
    e.PlaceAudienceChanged: "readers",
    e.TurnAnswered: "kept",
    e.TurnFailed: "kept",
    e.TurnInterrupted: "kept",
    e.TurnDelivered: "kept",
    e.TurnWithdrawn: "taken back",
    e.TurnQuieted: "kept",
    e.ToolCalled: "kept",
    e.ItemRemembered: "decided",
    e.ItemUpserted: "derived",
    e.ItemDeprecated: "derived",
    e.ItemMerged: "derived",
    e.ItemEvicted: "derived",
    e.ItemForgotten: "decided",
    e.ItemRestored: "decided",
    e.ItemMoved: "derived",
    e.ItemRedacted: "derived",
    e.ItemWithdrawn: "derived",
    e.ItemClosed: "derived",
    e.ItemReverted: "derived",
    e.ItemRefused: "derived",
    e.SummaryRefreshed: "derived",
    e.SummaryFailed: "scheduled",
    e.SummaryReset: "decided",
    e.SummaryReverted: "derived",
    e.SummaryWithheld: "derived",
    e.SummaryAnswered: "scheduled",
    e.ExtractionAnswered: "scheduled",
    e.ExtractionFailed: "scheduled",
    e.ExtractionReplied: "left out",
    e.MergeAnswered: "derived",
    e.MergeFailed: "derived",
    e.MergeReplied: "left out",
    e.ReflectionAnswered: "derived",
    e.ReplyWithdrawn: "derived",
    e.PersonSeen: "kept",
    e.PersonRenamed: "kept",
    e.PersonNoted: "kept",
    e.NoticeGiven: "kept",
    e.SnapshotPosted: "kept",
    e.ConfigSet: "kept",
    e.PersonOptedOut: "kept",
    e.PersonOptedIn: "kept",
    e.PersonErased: "left out",
    e.ErasureCompleted: "left out",
    e.MessageRedacted: "taken back",
    e.ImportBegan: "kept",
    e.ImportEnded: "kept",
    e.ModelResolved: "kept",
    e.TextsEncoded: "left out",
    e.RederivationAdopted: "left out",
    e.JobFailed: "left out",
}
"""The role of an event by its kind, where nothing else is known of it."""
PLAIN: frozenset[type[Event]] = frozenset(
    {e.MessageHeard, e.PlaceDescribed, e.TurnAnswered, e.TurnDelivered, e.PersonSeen}
)
"""What is always kept, and changes nothing that was derived before it: most of a log."""
TOLD = frozenset(each.TAG for each, role in ROLES.items() if role in ("kept", "taken back", "readers"))
"""The tags of what is taken over also where its words are gone: its id and its place stay."""


def role_of(event: Event) -> Role:
    """What becomes of an event."""
    if isinstance(event, e.ItemEvent) and read_human(event):
        return "decided"
    if is_again_as_it_was(event):
        return "decided"
    if isinstance(event, e.SummaryRefreshed) and event.by.kind != "model":
        return "kept"  # another program's
    return ROLES[type(event)]


def is_by_tool(decided: Sequence[Event]) -> bool:
    """Whether these events of one decision are what the answering model did with a tool, and nothing of it is to be
    applied again.
    """
    return any(isinstance(each, e.ToolCalled) for each in decided) and not any(map(is_noted, decided))
