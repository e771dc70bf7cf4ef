"""A person's act on its way into items that another model made.

Where it comes to the very same as in the log it was recorded in, that event comes over as it is, with its id; else an
event of its own is made, which rests on what is there. So a memory made anew by the same model has the same acts.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

import msgspec

from projections.decisions.draft import Draft, Origin
from projections.decisions.given import Given
from projections.decisions.moving import arrived, found_there
from projections.decisions.remember import asked
from projections.decisions.shelf import Shelf, causes_of, rests_on
from projections.events import ItemEvent, ItemForgotten, ItemRedacted
from projections.events.summaries import SummaryReset
from projections.events.values import Evidence, Intent, Item, Status
from projections.ids import EventId
from projections.items import ItemRow, forgotten_of
from projections.policies import human_acts, matching, meant, quiet
from projections.policies.item_ids import fresh_id
from projections.policies.matching import says
from projections.policies.meant import WAYS, Found, Seen, find, says_seen, seen_in
from projections.policies.precedence import HUMANS
from projections.policies.quiet import MOST_QUIET
from projections.policies.text import normalise
from projections.rows import Rows

VERSION = "reapply@1"
POLICY = " ".join([VERSION, *(each.VERSION for each in (human_acts, meant, matching, quiet))])
NOTHING_SAYS = "nothing here says what they saw: it stands as a refusal"
ELSEWHERE = ", in another place"
AND_TEXT = ", and by its text"
E = TypeVar("E", bound=ItemEvent)


class ReapplyRequest(NamedTuple):
    """What a person did, or the operator or an import, as it was recorded: `event` under its `id`. `origin` gives ids
    to whatever is not that event itself. `given` is how it was recorded, where it comes from another log: then it may
    name causes that are not here. `cap` is the most items that one person has. `together` are the other item events of
    the same decision: what each of them means is its own.
    """

    event: ItemEvent | SummaryReset
    id: EventId
    origin: Origin
    given: Given | None = None
    cap: int = 200
    together: tuple[ItemEvent, ...] = ()


class Reapplying:
    """One act: `event` as it was recorded, what was `seen`, and the owner's items while it is applied."""

    def __init__(self, rows: Rows, request: ReapplyRequest, event: ItemEvent) -> None:
        self.rows = rows
        self.request = request
        self.event = event
        self.seen: Seen = seen_in(event)
        self.shelf = Shelf(rows, request.origin, event.item.owner)
        self.at: int = event.item.updated
        """When they asked, as the item has it, in ms."""

    def here(self, *but: Status) -> list[ItemRow]:
        """What lies in the act's compartment, but for these statuses; active items first."""
        return _active_first(meant.here(self.shelf.all(), self.seen), but)

    def to_take(self, seen: Seen, *but: Status) -> Found:
        """The items that an act takes away by which this was seen: way by way in its compartment, else elsewhere. Where
        what was found says something else, what says just that in the act's compartment is meant too.
        """
        owned = self.shelf.all()
        near, far = (_active_first(rows, but) for rows in (meant.here(owned, seen), meant.elsewhere(owned, seen)))
        ways = ((rows, way, where) for way in WAYS for rows, where in ((near, ""), (far, ELSEWHERE)))
        tried = (find(rows, seen, (way,))._replace(reason=f"{way[1]}{where}") for rows, way, where in ways)
        found = next((each for each in tried if each.rows), Found())
        if any(says_seen(row, seen) for row in meant.here(found.rows, seen)):
            return found
        more = tuple(row for row in near if says_seen(row, seen))
        return Found((*found.rows, *more), f"{found.reason}{AND_TEXT}") if more else found

    def same_act(self, row: ItemRow, tag: str) -> bool:
        """Whether an item is as an earlier act of this kind left it, in which they saw the very same."""
        mine = unquoted(self.event.intent)
        theirs = unquoted(row.intent)
        if mine is None or theirs is None or theirs.saw is None:
            return False
        return row.tag == tag and mine.saw == theirs.saw

    def own_row(self) -> ItemRow | None:
        """What lies at the address where the act found its item."""
        return next((row for row in self.here() if row.item.id == self.seen.id), None)

    # What comes of it

    def carry(self, *, room: bool = False) -> Draft:
        """The event as it was recorded. `room`: others make room for the item."""
        event = self.event
        if self.request.given is None:
            known = tuple(each for each in event.causes if self.rows.ids.status(each) == "known")
            event = msgspec.structs.replace(event, causes=known)
        draft = Draft(self.request.id, event, natural=True, given=self.request.given)
        self._take(event, room, draft)
        return draft

    def apply(self, made: ItemEvent, *, room: bool = False) -> None:
        """What the act comes to here; the recorded event, where that says the same."""
        if self.says_the_same(made):
            self.carry(room=room)
        else:
            self._take(made, room, None)

    def says_the_same(self, made: ItemEvent) -> bool:
        """Whether an event does to the rows what the recorded one did: its causes and its words on why may differ."""
        words = {name: getattr(self.event, name) for name in ("causes", "reason", "policy", "intent")}
        return type(made) is type(self.event) and msgspec.structs.replace(made, **words) == self.event

    def _take(self, event: ItemEvent, room: bool, carried: Draft | None) -> None:
        if room:
            self.shelf.add(event, self.request.cap, carried)
        else:
            self.shelf.put(event, carried)

    def made(self, kind: type[E], row: ItemRow | None, item: Item, how: str, *causes: EventId, **more: object) -> E:
        """An event of this kind about an item, by whoever acted; `row` is what is there of it."""
        event = self.event
        return kind(
            said=event.said if row is None else max(event.said, row.said),
            by=event.by,
            causes=causes_of([] if row is None else [row.event], causes),
            item=item,
            reason=f"{self.why()}; {how}",
            policy=POLICY,
            intent=unquoted(event.intent),
            **more,
        )

    def why(self) -> str:
        """Who asked; of what a policy left of an act, what it says itself."""
        return asked(self.event.by) if self.event.by.kind in HUMANS else self.event.reason

    def landing(self, item: Item, row: ItemRow | None, to: str) -> tuple[Item, ItemRow | None]:
        """The item as it may come into a compartment from where the row lies, and what is there that it becomes one
        with. What they took back there in other words is not that, unless it was so where this was recorded: a move
        onto it lifts the refusal.
        """
        at = found_there(self.shelf, item, to)
        if at is None or at.item.status != "forgotten" or says(at, item.kind, item.text):
            return item, at
        if row is not None and arrived(row.item, at, to, self.at) == self.event.item:
            return item, at
        taken = {each.item.id for each in self.shelf.within([to])}
        return msgspec.structs.replace(item, id=fresh_id(item.kind, item.text, taken)), None

    # What it rests on

    def new_evidence(self) -> tuple[Evidence, ...]:
        """What the act brought: quotes of the messages that it names as causes, as far as they are known here. What the
        item rested on before is not among it.
        """
        named = frozenset(each for each in self.event.causes if self.rows.ids.status(each) == "known")
        return tuple(each for each in self.event.item.evidence if not each.message or each.message in named)

    # What leaves recall

    def forget(self, gone: Iterable[ItemRow], leaves: Mapping[EventId, tuple[EventId, ...]], how: str) -> None:
        """These items are taken back; `leaves` is what leaves recall with them by what there is here. The answers that
        had left with the recorded item leave with the first: they may repeat it.
        """
        answers = frozenset(self.known_quiet()) - frozenset(rests_on(self.event.item.evidence))
        for row in gone:
            leaving = self._leaving(row, leaves[row.event], answers)
            self.apply(self.made(ItemForgotten, row, self._forgotten(row.item), how, quiet=leaving))
            answers = frozenset()

    def replace(self, found: Iterable[ItemRow], how: str) -> None:
        """These items give way to what the person put in their stead; the messages stay."""
        for row in found:
            self.apply(self.made(ItemForgotten, row, self._forgotten(row.item), how))

    def _forgotten(self, item: Item) -> Item:
        return msgspec.structs.replace(item, updated=max(self.at, item.updated), status="forgotten", kept=False)

    def known_quiet(self) -> tuple[EventId, ...]:
        """What had left recall with the recorded item, as far as it is known here."""
        quiet = self.event.quiet if isinstance(self.event, ItemForgotten | ItemRedacted) else ()
        return tuple(each for each in quiet if self.rows.ids.status(each) == "known")

    def _leaving(self, row: ItemRow, leaves: tuple[EventId, ...], answers: frozenset[EventId]) -> tuple[EventId, ...]:
        resting = frozenset(rests_on(row.item.evidence))
        messages = [each for each in leaves if each in resting]
        others = answers.union(each for each in leaves if each not in resting)
        return (*messages, *sorted(others, reverse=True))[:MOST_QUIET]

    # What stands as a refusal

    def refuse(self, because: EventId | None, quiet: tuple[EventId, ...] = ()) -> None:
        """What they saw is refused from now on: a forgotten item at an address of its own. Not where it is already, nor
        where nobody knows the words.
        """
        if not normalise(self.seen.text) or self._is_refused():
            return
        event, item = self.event, self._refusal()
        refusal = ItemForgotten(
            said=event.said,
            by=event.by,
            causes=() if because is None else (because,),
            item=item,
            reason=f"{self.why()}; {NOTHING_SAYS}",
            policy=POLICY,
            intent=unquoted(event.intent),
            quiet=quiet,
        )
        self.shelf.put(refusal)

    def _is_refused(self) -> bool:
        """Whether their very words were taken back in this compartment, now or before."""
        return any(
            (row.compartment, row.kind, normalise(row.text)) == self._words
            for row in (found.row for found in forgotten_of(self.rows, self.seen.owner))
        ) or self.is_covered(row for row in self.here() if row.item.status == "forgotten")

    def is_covered(self, gone: Iterable[ItemRow]) -> bool:
        """Whether taking these back refuses what they saw for as long as they want: by its very words, where they took
        it back, so that it is lifted when they say it again and not before.
        """
        items = (row.item for row in gone)
        return any((each.compartment, each.kind, normalise(each.text)) == self._words for each in items)

    @property
    def _words(self) -> tuple[str, str, str]:
        return self.seen.compartment, self.seen.kind, normalise(self.seen.text)

    def _refusal(self) -> Item:
        seen, item = self.seen, self.event.item
        return Item(
            id=fresh_id(seen.kind, seen.text, {row.item.id for row in self.shelf.within([seen.compartment])}),
            owner=seen.owner,
            compartment=seen.compartment,
            kind=seen.kind,
            text=seen.text,
            created=self.at,
            updated=self.at,
            source=item.source,
            status="forgotten",
            about=item.about,
        )


def unquoted(intent: Intent | None) -> Intent | None:
    """What they meant, without the quotes that they saw: an item here may rest on other messages, and no quote may
    stand in what does not go when its message goes.
    """
    if intent is None or intent.saw is None:
        return intent
    evidence = tuple(Evidence("", each.message, each.ref) for each in intent.saw.evidence)
    return msgspec.structs.replace(intent, saw=msgspec.structs.replace(intent.saw, evidence=evidence))


def _active_first(rows: Iterable[ItemRow], but: tuple[Status, ...]) -> list[ItemRow]:
    wanted = (row for row in rows if row.item.status not in but)
    return sorted(wanted, key=lambda row: (row.item.status != "active", row.item.compartment, row.item.id))
