"""A person's act on its way into items that another model made.

Where it comes to the very same as in the log it was recorded in, that event comes over as it is, with its id; else an
event of its own is made, which rests on what is there. So a memory made anew by the same model has the same acts.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

import msgspec

from projections.decisions.draft import Draft, Origin
from projections.decisions.given import Given
from projections.decisions.moving import found_there
from projections.decisions.remember import asked, returns_of
from projections.decisions.shelf import Shelf, causes_of, rests_on
from projections.events import ItemDeprecated, ItemEvent, ItemForgotten, ItemMoved, ItemRedacted, ItemRestored
from projections.events.summaries import SummaryReset
from projections.events.values import Evidence, Intent, Item, Status
from projections.ids import EventId
from projections.items import FORGOTTEN, QUIET, ItemRow, forgotten_key, forgotten_of
from projections.policies import alike, human_acts, matching, meant, old_words, quiet
from projections.policies.by_people import is_by_people
from projections.policies.capacity import address
from projections.policies.human_acts import takes_apart
from projections.policies.item_ids import fresh_id
from projections.policies.meant import WAYS, Found, Seen, find, says_seen, seen_in, stood_for
from projections.policies.precedence import HUMANS
from projections.policies.quiet import MOST_QUIET, left_with
from projections.policies.text import normalise
from projections.rows import Rows

VERSION = "reapply@4"
POLICY = " ".join([VERSION, *(each.VERSION for each in (human_acts, meant, matching, quiet, alike, old_words))])
NOTHING_SAYS = "nothing here says what they saw: it stands as a refusal"
ELSEWHERE = ", in another place"
AND_TEXT = ", and by its text"
COVERED = "its text contains the words given"
BEFORE = "it had been taken back before"
ASIDE = "it had been taken back together with {id}, which says what they saw"
OUTDATED = "they put it right in {id}: said before that, it is no news"
E = TypeVar("E", bound=ItemEvent)


class ReapplyRequest(NamedTuple):
    """What a person did, or the operator or an import, as it was recorded: `event` under its `id`. `origin` gives ids
    to whatever is not that event itself. `given` is how it was recorded, where it comes from another log: then it may
    name causes that are not here. `cap` is the most items that one person has. `together` are the other item events of
    the same decision: what each of them means is its own. `held` is whether what it took back was active until then.
    """

    event: ItemEvent | SummaryReset
    id: EventId
    origin: Origin
    given: Given | None = None
    cap: int = 200
    together: tuple[ItemEvent, ...] = ()
    held: bool = True


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

    def saying_first(self, *but: Status) -> list[ItemRow]:
        """What says the very words that they saw alone, if something does in the act's compartment; else all there."""
        here = self.here(*but)
        return [row for row in here if says_seen(row, self.seen)] or here

    def to_take(self, seen: Seen, *but: Status) -> Found:
        """The items that an act takes away by which this was seen: way by way in its compartment, else elsewhere. Where
        what was found says something else, what says just that in the act's compartment is meant too; then, of what was
        found, not what a person put so, unless it stood for that. Where what was found says it and is not held, so is
        what says just that there and is.
        """
        owned = self.shelf.all()
        near, far = (_active_first(rows, but) for rows in (meant.here(owned, seen), meant.elsewhere(owned, seen)))
        near = [row for row in near if self._may_mean(row, seen)]
        ways = ((rows, way, where) for way in WAYS for rows, where in ((near, ""), (far, ELSEWHERE)))
        tried = (find(rows, seen, (way,))._replace(reason=f"{way[1]}{where}") for rows, way, where in ways)
        found = next((each for each in tried if each.rows), Found())
        said = [row for row in meant.here(found.rows, seen) if says_seen(row, seen)]
        if any(row.item.status == "active" for row in said):
            return found
        more = [row for row in near if says_seen(row, seen) and (row.item.status == "active" or not said)]
        made = [row for row in found.rows if said or not is_by_people(row) or stood_for(row, seen)]
        rows = (*more, *made) if said else (*made, *more)
        return Found(rows, f"{found.reason}{AND_TEXT}") if more else found

    def _may_mean(self, row: ItemRow, seen: Seen) -> bool:
        """Whether an act may mean an item. What was not held any more when they took it back was none that they had put
        so, which they went on having beside it: that is meant by its id alone.
        """
        return self.request.held or row.item.id == seen.id or not is_by_people(row) or stood_for(row, seen)

    def still_say(self, *new: str) -> list[ItemRow]:
        """What else says what they saw, which became one of these texts: in their compartment and elsewhere. Nothing,
        where the very item that they saw is here: what lies beside that, they may have had before them and left.
        """
        owned = self.shelf.all()
        if self.is_here_as_seen():
            return []
        near, far = meant.here(owned, self.seen), meant.elsewhere(owned, self.seen)
        return old_words.sayers([*near, *far], self.seen.messages, self.seen.text, new or ("",))

    def is_here_as_seen(self) -> bool:
        """Whether the very item that they saw is here, active or not: by its id, its words and its messages."""
        own = self.own_row()
        return own is not None and says_seen(own, self.seen) and meant.messages_of(own) == self.seen.messages

    def same_act(self, row: ItemRow, tag: str) -> bool:
        """Whether an item is as an earlier act of this kind left it, in which they saw the very same."""
        return row.tag == tag and same_seen(self.event.intent, row.intent)

    def is_of_seen(self, row: ItemRow) -> bool:
        """Whether an act before left an item as it is, in which they saw what they saw now, in the same place."""
        saw = None if row.intent is None else row.intent.saw
        return saw is not None and (saw.compartment, saw.kind, normalise(saw.text)) == self._words

    def takes_apart_as_recorded(self, row: ItemRow) -> bool:
        """Whether a move is taken back of the very same that it was recorded of, and nothing lies where that goes."""
        item = self.event.item
        is_of_this = takes_apart(self.event) and row.event in self.event.causes
        return is_of_this and found_there(self.shelf, item, item.compartment) is None

    def own_row(self) -> ItemRow | None:
        """What lies at the address where the act found its item."""
        return next((row for row in self.here() if row.item.id == self.seen.id), None)

    # What comes of it

    def carry(self, *, room: bool = False) -> Draft:
        """The event as it was recorded. `room`: others make room for the item."""
        event = self.event
        if self.request.given is None:
            event = msgspec.structs.replace(event, causes=self.known_causes())
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
        left = self._taken_back_at(event)
        if room:
            self.shelf.add(event, self.request.cap, carried)
        else:
            self.shelf.put(event, carried)
        if left is not None:
            self._refuse_again(left)

    def _taken_back_at(self, event: ItemEvent) -> ItemRow | None:
        """What lies, taken back, at the address that a move leaves: here that is not what moves."""
        if not isinstance(event, ItemMoved):
            return None
        left = event.from_compartment, event.from_id
        gone = (row for row in self.shelf.all() if row.item.status == "forgotten")
        return next((row for row in gone if address(row.item) == left), None)

    def _refuse_again(self, row: ItemRow) -> None:
        """A move empties its old address. What was taken back there stays so, with what had left recall with it."""
        forgotten = self.rows.get(FORGOTTEN, forgotten_key(row.item))
        again = ItemForgotten(
            said=max(self.event.said, row.said),
            by=row.by,
            causes=causes_of(() if forgotten is None else forgotten.was, [row.event]),
            item=row.item,
            reason=row.reason,
            policy=POLICY,
            intent=row.intent,
            quiet=() if forgotten is None else left_with(self.rows, forgotten),
        )
        self.shelf.put(again)

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

    # What it rests on

    def new_evidence(self) -> tuple[Evidence, ...]:
        """What the act brought: quotes of the messages that it names as causes, as far as they are known here. What the
        item rested on before is not among it.
        """
        named = frozenset(self.known_causes())
        return tuple(each for each in self.event.item.evidence if not each.message or each.message in named)

    def known_causes(self) -> tuple[EventId, ...]:
        """The causes of the recorded event that are here."""
        return tuple(each for each in self.event.causes if self.rows.ids.status(each) == "known")

    def _known(self, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
        return tuple(each for each in evidence if each.message and self.rows.ids.status(each.message) == "known")

    # What leaves recall

    def forget(self, gone: Iterable[ItemRow], leaves: Mapping[EventId, tuple[EventId, ...]], how: str) -> None:
        """These items are taken back; `leaves` is what leaves recall with them by what there is here. What else had
        left with the recorded item, as answers that may repeat it, leaves with the first.
        """
        more = frozenset(self.known_quiet()) - frozenset(rests_on(self.event.item.evidence))
        for row in gone:
            leaving = self._leaving(leaves[row.event], more)
            self.apply(self.made(ItemForgotten, row, self._forgotten(row.item), how, quiet=leaving))
            more = frozenset()

    def give_way(self, found: Iterable[ItemRow], how: str) -> None:
        """These items make way for what stands in their stead; the messages stay. What was said before that does not
        bring them back.
        """
        for row in found:
            item = msgspec.structs.replace(row.item, updated=max(self.at, row.item.updated), status="deprecated")
            made = self.made(ItemDeprecated, row, msgspec.structs.replace(item, kept=False), how)
            self.shelf.put(msgspec.structs.replace(made, intent=None))

    def _forgotten(self, item: Item) -> Item:
        return msgspec.structs.replace(item, updated=max(self.at, item.updated), status="forgotten", kept=False)

    # What comes back into recall

    def returns(self, row: ItemRow) -> tuple[EventId, ...]:
        """What comes back into recall with an item: by what there is here, and of what came back with it where it was
        recorded, the answers that left with this item.
        """
        back = self.rows.get(FORGOTTEN, forgotten_key(row.item))
        if back is None:
            return ()
        computed, resting = returns_of(self.rows, self.shelf, row), frozenset(rests_on(back.evidence))
        recorded = getattr(self.event, "returns", ())
        left = (each for each in recorded if self._left_with(each, back.event))
        answers = {each for each in (*computed, *left) if each not in resting}
        return (*(each for each in computed if each in resting), *sorted(answers, reverse=True))

    def _left_with(self, event: EventId, forgotten: EventId) -> bool:
        row = self.rows.get(QUIET, event)
        return row is not None and row.event == forgotten

    def lay_aside(self, found: Iterable[ItemRow], instead: Item) -> None:
        """These items are taken back no more, and make way for the one that says what they saw."""
        for row in found:
            lifted = msgspec.structs.replace(row.item, status="active")
            how = ASIDE.format(id=instead.id)
            restored = self.made(ItemRestored, row, lifted, how, returns=self.returns(row))
            self.shelf.put(msgspec.structs.replace(restored, intent=None))
            self.give_way([self.shelf.at(row.item)], how)

    def known_quiet(self) -> tuple[EventId, ...]:
        """What had left recall with the recorded item, as far as it is known here."""
        quiet = self.event.quiet if isinstance(self.event, ItemForgotten | ItemRedacted) else ()
        return tuple(each for each in quiet if self.rows.ids.status(each) == "known")

    def _leaving(self, leaves: tuple[EventId, ...], more: frozenset[EventId]) -> tuple[EventId, ...]:
        """In the order in which it left with the recorded item, as far as it did; what did not is behind that."""
        wanted = more.union(leaves)
        return tuple(dict.fromkeys((*(each for each in self.known_quiet() if each in wanted), *leaves)))[:MOST_QUIET]

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

    def refused_before(self) -> ItemRow | None:
        """What was taken back here in the very words that they saw."""
        gone = (row for row in self.here() if row.item.status == "forgotten" and says_seen(row, self.seen))
        return next((row for row in gone if self.is_covered([row])), None)

    def refuse_again(self, row: ItemRow, quiet: tuple[EventId, ...]) -> None:
        """What was taken back by another act is by this one as well: who lifts the other does not lift this."""
        forgotten = self.rows.get(FORGOTTEN, forgotten_key(row.item))
        was, left = ((), ()) if forgotten is None else (forgotten.was, left_with(self.rows, forgotten))
        leaving = tuple(dict.fromkeys((*left, *quiet)))[:MOST_QUIET]
        self.shelf.put(self.made(ItemForgotten, row, self._forgotten(row.item), BEFORE, *was, quiet=leaving))

    def outdate(self, by: Item) -> None:
        """What they saw lies among what holds no more, where nothing here is known by it: said before they put it
        right, it is no news; said later, it is. As it is where this was recorded.
        """
        here = self.here()
        if by.id == self.seen.id or not normalise(self.seen.text):
            return
        if matching.find_upsert(here, "", self.seen.kind, self.seen.text).row is not None:
            return
        taken = {self.seen.id, *(row.item.id for row in here)}
        saw = unquoted(self.event.intent)
        rests = () if saw is None or saw.saw is None else self._known(saw.saw.evidence)
        item = self._of_seen(fresh_id(self.seen.kind, self.seen.text, taken), "deprecated")
        item, row = msgspec.structs.replace(item, evidence=rests), self.shelf.at(by)
        made = self.made(ItemDeprecated, None, item, OUTDATED.format(id=by.id), row.event, *rests_on(rests))
        self.shelf.put(msgspec.structs.replace(made, said=max(made.said, row.said), intent=None))

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
        taken = {row.item.id for row in self.shelf.within([self.seen.compartment])}
        return self._of_seen(fresh_id(self.seen.kind, self.seen.text, taken), "forgotten")

    def _of_seen(self, item_id: str, status: Status) -> Item:
        seen, item = self.seen, self.event.item
        return Item(
            id=item_id,
            owner=seen.owner,
            compartment=seen.compartment,
            kind=seen.kind,
            text=seen.text,
            created=self.at,
            updated=self.at,
            source=item.source,
            status=status,
            about=item.about,
        )


def same_seen(one: Intent | None, other: Intent | None) -> bool:
    """Whether two acts were done before the very same."""
    mine, theirs = unquoted(one), unquoted(other)
    return mine is not None and theirs is not None and theirs.saw is not None and mine.saw == theirs.saw


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
