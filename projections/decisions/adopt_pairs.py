"""What becomes of one pair when a shadow is taken over: what stands against it here, and the event that it leads to.

The shadow judged by what it had before it. The live memory has more: what people decided since, what they forgot, who
can read a place by now. So everything is asked again that could let something in which the loops would not have let in.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import msgspec

from projections.consent import is_out
from projections.decisions.adopt_refused import New, Refusing
from projections.decisions.adopted import VERSION, Adoption, is_adopted
from projections.decisions.shelf import causes_of, changed, policy_by, rests_on, said_of
from projections.derived import effects_of
from projections.events import (
    Event,
    ItemDeprecated,
    ItemEvent,
    ItemEvicted,
    ItemMoved,
    ItemUpserted,
    MessageEdited,
    MessageHeard,
)
from projections.events.summaries import SummaryEvent
from projections.events.values import By, Item
from projections.ids import EventId, Handle, Seq
from projections.items import ItemRow, items_of
from projections.policies import by_people, capacity, guards, item_ids, kept_private, old_words, promotion, refusals
from projections.policies.by_people import is_by_people
from projections.policies.capacity import address
from projections.policies.closeness import Measure
from projections.policies.compartments import OWNER, SELF, direct, is_portable, place_said
from projections.policies.guards import Guarding, held_text
from projections.policies.item_ids import fresh_id
from projections.policies.promotion import NO_WORDS, Claimed, SharingWords, Verdict, promote
from projections.policies.resting import widening
from projections.rederiving.pairs import Address, Pair, compare, differing
from projections.rederiving.scope import Scope, has_item
from projections.rows import Rows

TAKEN_OVER = "rederived as "
"""How the reason of what was taken over begins; the shadow's name follows."""
POLICIES = (guards.OF_MERGES, promotion.VERSION, item_ids.VERSION, kept_private.VERSION, old_words.VERSION)
POLICY = " ".join((VERSION, by_people.VERSION, refusals.POLICY, *POLICIES))
NOTING = "noting@"
"""What the policy of a note has in it that the assistant took down while it answered."""

BY_PEOPLE = "a person wrote, corrected, kept or forgot it"
NEWER = "it changed here since, which the shadow does not know yet"
BESIDE_LOOPS = "it was not learned by reading, so reading anew says nothing of it"
SHARED = "its person, and no model, let it follow them everywhere"
SAID = "what a person decided on says this already"
UNFOUNDED = "nothing that it rests on is here any more"
TAKEN_BACK = "some of what it rests on was taken back"
SPOILED = "what the shadow has of it rests on what was taken back"
OUT = "they opted out: nothing of theirs is recorded"
REVERTED = "the operator took back what had come of it here"
UNDONE = "what the shadow has of it was taken back here since"


class AdoptRequest(NamedTuple):
    """What a shadow has of an owner: their rows of every status. `name` is what it is called, `by` the model that made
    it with `prompt`, or a policy where none did, `upto` how much of this log it knew (seq).

    `reverted` are the addresses of items here that say again what they said because the operator reverted what had
    come of them.

    `spoiled` are those of items here which the shadow has with words that are gone by now: of these it says nothing.

    `undone` are those that the shadow has as an adoption had left them which was taken back behind its end.

    `chosen` are the addresses of what is to be taken, None for all. `rests` are the messages that an item of the shadow
    rests on, by its event, where it quotes none; `heard` are the messages that these items rest on, by their ids, as
    they are recorded here, and `stood` the events with their words when that was read. `guarding` and `sharing` are
    what is known of the language. `scope` is what the shadow was asked for: of the rest it knows nothing. `measure` is
    an encoder's, of the texts that come and those that were taken back, where there is one.
    """

    adoption: Adoption
    owner: Handle
    items: tuple[ItemRow, ...]
    name: str
    by: By
    prompt: str = ""
    upto: int = 0
    chosen: frozenset[Address] | None = None
    rests: Mapping[EventId, tuple[EventId, ...]] = {}
    heard: Mapping[EventId, Event] = {}
    stood: Mapping[EventId, EventId | None] = {}
    cap: int = 200
    guarding: Guarding = Guarding()
    sharing: SharingWords = NO_WORDS
    scope: Scope = Scope()
    measure: Measure | None = None
    reverted: frozenset[Address] = frozenset()
    spoiled: frozenset[Address] = frozenset()
    undone: frozenset[Address] = frozenset()


def standing(rows: Rows, message: EventId) -> EventId | None:
    """The event with the words of a message as it now is, which is its last edit's where there is one; None where they
    were taken back, or it was never heard here.
    """
    status = rows.ids.status(message)
    if status != "redacted":
        return message if status == "known" else None
    edits = (effect for effect, tag in effects_of(rows, message) if tag == MessageEdited.TAG)
    return next((each for each in edits if rows.ids.status(each) == "known"), None)


def is_by_adoption(event: ItemEvent | SummaryEvent) -> bool:
    """Whether an adoption recorded it, or its undoing."""
    return event.policy.startswith(VERSION)


def says_shadow(event: ItemEvent) -> str:
    """The name of the shadow that an item was taken over from, or because of; empty where its event names none."""
    if not is_by_adoption(event) or not event.reason.startswith(TAKEN_OVER):
        return ""
    return event.reason.removeprefix(TAKEN_OVER).partition(",")[0].partition(" ")[0]


class Taking:
    """The pairs of one owner, held against the rows before the decision."""

    def __init__(self, rows: Rows, request: AdoptRequest) -> None:
        self._rows = rows
        self._request = request
        self._is_out = is_out(rows, request.owner)
        found = list(items_of(rows, request.owner))
        self._seqs: dict[Address, Seq] = {address(each.row.item): each.seq for each in found}
        self.before: dict[Address, ItemRow] = {address(each.row.item): each.row for each in found}
        told = request.guarding.rephrasing, request.measure
        since = [row for at, row in self.before.items() if self._seqs[at] > request.upto]
        self._refusing = Refusing(rows, request.owner, list(self.before.values()), since, request.heard, *told)

    def pairs(self) -> list[Pair]:
        """What the shadow was asked for, on both sides."""
        scope = self._request.scope
        sides = (self.before.values(), self._request.items)
        return compare(*([row for row in side if has_item(self._rows, scope, row.item)] for side in sides))

    # -- what stands against it --------------------------------------------------------------------------------------

    def against(self, pair: Pair) -> str:
        """Why a pair is left as it is; empty where it may be taken, or nothing comes of it."""
        here = self._over(pair)
        if pair.new is not None and not self.is_news(self.new(pair)):
            return ""
        if self._is_out:
            return OUT
        if here is not None and is_by_people(here):
            return BY_PEOPLE
        if here is not None and address(here.item) in self._request.reverted:
            return REVERTED
        if pair.new is None and address(pair.row.item) in self._request.spoiled:
            return SPOILED
        if not self._request.undone.isdisjoint(address(each.item) for each in (pair.row, here) if each is not None):
            return UNDONE
        if pair.row.item.compartment in (SELF, OWNER) or (here is not None and NOTING in here.policy):
            return BESIDE_LOOPS
        if here is not None and self._is_newer(here):
            return NEWER
        return "" if pair.new is None else self._against_new(self.new(pair))

    def is_news(self, new: New) -> bool:
        """Whether the item is not as it is to be."""
        return new.over is None or new.over.item.status != "active" or bool(differing(new.over.item, new.item))

    def _is_newer(self, here: ItemRow) -> bool:
        """Whether something else than an adoption changed it behind the shadow's end."""
        return self._seqs[address(here.item)] > self._request.upto and not is_adopted(here)

    def _against_new(self, new: New) -> str:
        """The guards stand here too, and what its owner forgot; and nothing is open to more people than its words."""
        portable = is_portable(new.item.compartment)
        if not new.messages:
            return UNFOUNDED
        quoted = rests_on(new.made.item.evidence)
        behind = quoted or self._request.rests.get(new.made.event, ())
        if not quoted and any(standing(self._rows, each) is None for each in behind):
            return TAKEN_BACK
        if any(map(self._changed_since, behind)):
            return TAKEN_BACK
        if portable and is_by_people(new.made):
            return SHARED
        if self._refusing.is_said(new):
            return SAID
        held = held_text(new.item.text, self._request.guarding)
        if held is not None:
            return held.reason
        refused = self._refusing.against(new)
        if refused:
            return refused
        return self._against_following(new) if portable else self._widens(self.upserted(new))

    def _widens(self, event: ItemUpserted) -> str:
        """What the engine would say (`policies/resting`); a row stands in for the event that had made it."""
        found = {cause: self._made.get(cause) or self._request.heard.get(cause) for cause in event.causes}
        return widening(self._rows, event, found)

    @cached_property
    def _made(self) -> Mapping[EventId, ItemUpserted]:
        return {row.event: ItemUpserted(said=row.said, by=row.by, item=row.item) for row in self.before.values()}

    # -- what becomes of it ------------------------------------------------------------------------------------------

    def new(self, pair: Pair) -> New:
        """The item as the shadow has it, on what of its messages is still said here: at the address of the one that it
        is here. That somebody asked to keep what it is there is told by what they did here.
        """
        made, over = pair.row, self._over(pair)
        rests = rests_on(made.item.evidence) or self._request.rests.get(made.event, ())
        evidence = [each for each in made.item.evidence if not each.message or self._stands(each.message)]
        item = msgspec.structs.replace(made.item, evidence=tuple(evidence), kept=over is not None and over.item.kept)
        messages = tuple(filter(self._stands, rests))
        return New(item if over is None else _at(over.item, item), made, over, messages)

    def _over(self, pair: Pair) -> ItemRow | None:
        """The row here that a pair is about, of any status."""
        return pair.old or self.before.get(address(pair.row.item))

    def _changed_since(self, message: EventId) -> bool:
        """Whether a message does not have the words any more that it had when it was asked what the shadow says: they
        may be among what that says.
        """
        stood = self._request.stood
        return message in stood and standing(self._rows, message) != stood[message]

    def _stands(self, message: EventId) -> bool:
        return standing(self._rows, message) is not None

    def upserted(self, new: New) -> ItemUpserted:
        """What it said before rests on messages as well: they are causes too, so that those words go with them."""
        over = new.over
        before = () if over is None else (over.event, *said_of(self._rows, over.item))
        return ItemUpserted(
            said=max(new.made.said, over.said if over else new.made.said),
            by=new.made.by if new.made.by.kind == "model" else self._request.by,
            causes=causes_of(before, new.messages),
            item=new.item,
            reason=self._reason(),
            policy=POLICY,
        )

    def deprecated(self, row: ItemRow) -> ItemDeprecated:
        """What the shadow does not have."""
        return ItemDeprecated(
            said=row.said,
            by=self._request.by,
            causes=causes_of([row.event], said_of(self._rows, row.item)),
            item=changed(row.item, row.item.updated, status="deprecated"),
            reason=f"{self._reason()}, which has no such item",
            policy=POLICY,
        )

    def evicted(self, row: ItemRow) -> ItemEvicted:
        """What makes way for an item that comes next."""
        cap = self._request.cap
        return ItemEvicted(
            said=row.said,
            by=policy_by(capacity.VERSION),
            causes=causes_of([row.event], said_of(self._rows, row.item)),
            item=msgspec.structs.replace(row.item, status="evicted"),
            reason=f"more than {cap} items, and this was the oldest {row.item.status} one",
            policy=f"{VERSION} {capacity.VERSION}",
            cap=cap,
        )

    def _reason(self) -> str:
        request, by = self._request, self._request.by
        model = f" by {by.name}{f'@{by.version}' if by.version else ''}" if by.kind == "model" else ""
        return f"{TAKEN_OVER}{request.name}{model}{f' with {request.prompt}' if request.prompt else ''}"

    # -- what follows its person everywhere --------------------------------------------------------------------------

    def _against_following(self, new: New) -> str:
        learned = self.learned(new)
        if learned is None:
            return UNFOUNDED
        verdict = self._second_key(new, learned)
        return self._widens(self.upserted(learned)) if verdict.shared else verdict.reason

    def _second_key(self, new: New, learned: New) -> Verdict:
        """That a model calls it shareable is one key only: the policy `promotion` is asked here anew."""
        private = [row.item.text for row in self.before.values() if row.item.compartment == direct(new.item.owner)]
        return promote(Claimed(learned.item, True, new.item.confidence, private), self._request.sharing)

    def learned(self, new: New) -> New | None:
        """A portable item where it was learned, under an id that nothing has there; None where that is not known."""
        heard = (self._request.heard.get(each) for each in new.messages)
        said = next((each.message for each in heard if isinstance(each, MessageHeard | MessageEdited)), None)
        if said is None:
            return None
        compartment = place_said(self._rows, new.item.owner, said.audience, said.guild)
        taken = {item_id for where, item_id in self.before if where == compartment}
        item_id = fresh_id(new.item.kind, new.item.text, taken)
        item = msgspec.structs.replace(new.item, compartment=compartment, id=item_id)
        return new._replace(item=item, over=None)

    def followed(self, new: New, learned: New, added: EventId) -> ItemMoved:
        """The move that lets it follow its person; `added` made it where it was learned."""
        over, said = new.over, new.made.said
        before = () if over is None else (over.event,)
        return ItemMoved(
            said=max(said, over.said if over else said),
            by=policy_by(promotion.VERSION),
            causes=causes_of([added], before),
            item=new.item,
            reason=self._second_key(new, learned).reason,
            policy=f"{VERSION} {promotion.VERSION}",
            from_compartment=learned.item.compartment,
            from_id=learned.item.id,
        )


def _at(here: Item, item: Item) -> Item:
    """The item of the shadow in the place of one that is here: at its address, as old as it is, with its uses."""
    return msgspec.structs.replace(
        item,
        id=here.id,
        compartment=here.compartment,
        created=min(here.created, item.created),
        hits=here.hits,
        last_hit=here.last_hit,
    )
