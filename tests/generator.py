"""Histories: what people, the assistant and the operator might do, in any order.

A history is a list of steps, each a kind and a salt; a `Teller` turns a step into the drafts of one decision. So a
failing history shrinks by leaving steps out, and the same steps always tell the same story. `MAKERS` has an entry for
every event of the vocabulary; a test fails when one is missing.
"""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from projections import events as e
from projections.decisions.draft import Draft
from tests.laws import memories, people, talk, work
from tests.laws.teller import ANYTHING, Makers, Matter, Teller

MAKERS: Makers = {
    e.MessageHeard: talk.heard,
    e.MessageEdited: talk.edited,
    e.MessageDeleted: talk.deleted,
    e.PlaceDescribed: talk.described,
    e.PlaceAudienceChanged: talk.audience_changed,
    e.TurnAnswered: talk.answered,
    e.TurnFailed: talk.unanswered,
    e.TurnInterrupted: talk.interrupted,
    e.TurnDelivered: talk.delivered,
    e.TurnWithdrawn: talk.withdrawn,
    e.TurnQuieted: talk.quieted,
    e.ToolCalled: talk.called,
    e.ItemRemembered: memories.remembered,
    e.ItemUpserted: memories.upserted,
    e.ItemDeprecated: memories.deprecated,
    e.ItemMerged: memories.merged,
    e.ItemEvicted: memories.evicted,
    e.ItemForgotten: memories.forgotten,
    e.ItemRestored: memories.restored,
    e.ItemMoved: memories.moved,
    e.ItemRedacted: memories.redacted,
    e.ItemWithdrawn: memories.withdrawn,
    e.ItemClosed: memories.closed,
    e.ItemReverted: memories.reverted,
    e.ItemRefused: memories.refused,
    e.SummaryRefreshed: work.refreshed,
    e.SummaryFailed: work.summary_failed,
    e.SummaryReset: work.summary_reset,
    e.SummaryReverted: work.summary_reverted,
    e.SummaryWithheld: work.summary_withheld,
    e.SummaryAnswered: work.summary_answered,
    e.ExtractionAnswered: work.extracted,
    e.ExtractionFailed: work.extraction_failed,
    e.ExtractionReplied: work.extraction_replied,
    e.MergeAnswered: work.merge_answered,
    e.MergeFailed: work.merge_failed,
    e.MergeReplied: work.merge_replied,
    e.ReflectionAnswered: work.reflected,
    e.ReplyWithdrawn: work.reply_withdrawn,
    e.PersonSeen: people.seen,
    e.PersonRenamed: people.renamed,
    e.PersonNoted: people.noted,
    e.NoticeGiven: people.notice,
    e.SnapshotPosted: people.snapshot,
    e.ConfigSet: people.configured,
    e.PersonOptedOut: people.opted_out,
    e.PersonOptedIn: people.opted_in,
    e.PersonErased: people.erased,
    e.ErasureCompleted: people.completed,
    e.MessageRedacted: people.redacted,
    e.ImportBegan: people.import_began,
    e.ImportEnded: people.import_ended,
    e.ModelResolved: work.resolved,
    e.TextsEncoded: work.encoded,
    e.RederivationAdopted: work.adopted,
    e.JobFailed: work.job_failed,
}
OFTEN = (e.MessageHeard,) * 8 + (e.MessageEdited, e.MessageDeleted, e.TurnAnswered, e.ItemUpserted, e.MessageRedacted)


class Step(NamedTuple):
    """One decision to come."""

    kind: type[e.Event]
    salt: int


class Story(NamedTuple):
    """A history that is told step by step."""

    steps: tuple[Step, ...]
    most_events: int = 200
    matter: Matter = ANYTHING

    def decisions(self) -> Iterator[list[Draft]]:
        """The drafts of each decision, in order."""
        teller = Teller(MAKERS, self.matter)
        for kind, salt in self.steps:
            drafts = teller.tell(kind, salt)
            if len(teller.told) > self.most_events:
                return
            yield drafts


@st.composite
def stories(draw: st.DrawFn, most_events: int = 200) -> Story:
    """Histories of up to so many events."""
    size = draw(st.integers(0, most_events))
    kinds = st.sampled_from((*MAKERS, *OFTEN, *OFTEN))
    steps = draw(st.lists(st.builds(Step, kinds, st.integers(0, 255)), min_size=size, max_size=size))
    return Story(tuple(steps), most_events)


def fixed_story(size: int = 120, salt: int = 7) -> Story:
    """A history that is the same in every run, with every kind of event in it."""
    chance = Random(salt)
    choices: list[type[e.Event]] = [*MAKERS, *OFTEN, *OFTEN]
    kinds: list[type[e.Event]] = [*MAKERS, *chance.choices(choices, k=size)]
    chance.shuffle(kinds)
    return Story(tuple(Step(kind, chance.randrange(256)) for kind in kinds), 10_000)
