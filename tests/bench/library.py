"""Much that was said, quickly: a memory in which somebody, or a guild, said so many texts.

The first message of each person, and of each place, is heard as ever; the others are the same event with another id,
text and time, a thousand in a decision. The engine seals, folds and commits them as it does everything.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

import msgspec

from dnam.whereabouts import locate, with_handles
from projections.decisions.draft import Draft
from projections.decisions.hear import HeardRequest, hear
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import ItemUpserted, MessageEdited, MessageHeard
from projections.events.values import OPERATOR, PLATFORM, Evidence, Item, Source
from projections.ids import EventId, Handle, Ref, seeded_id
from projections.messages import MESSAGES
from projections.policies.compartments import place_item
from projections.recall.search import Wanted
from projections.rows import Rows
from replay.engine import Engine
from tests.bench.talk import FIRST_KEY, FIRST_SAID, STEP_MS, account

AT_ONCE = 1_000
"""How many events a decision makes."""
TOGETHER = 25
"""How many texts follow one another in a place."""


def direct_messages(who: Account) -> PlaceSeen:
    """Somebody's own."""
    return PlaceSeen("discord", "", "direct", "", "direct", partner=who)


class Library:
    """Says texts in a memory, from a number on, in these places in turn and by so many people in turn.

    Who asks is the first of the people, in the first place.
    """

    def __init__(self, engine: Engine, places: Sequence[PlaceSeen], people: int = 1, first: int = 0) -> None:
        self._engine = engine
        self._places = places
        self.next = first
        self._in_places = [self.hear("hello", place) for place in places]
        self._speakers = [self.hear("hello", places[0], who).message.speaker for who in range(people)]
        self._first = self.next
        """The number of the first text."""

    def hear(self, text: str, place: PlaceSeen | None = None, who: int = 0) -> MessageHeard:
        """One message, as the bot hears it, durable when this returns."""
        request = self._request(text, place or self._places[0], who)
        self.next += 1
        recorded = self._engine.record(lambda rows: hear(rows, request))
        return next(each.event for each in recorded.records if isinstance(each.event, MessageHeard))

    def _request(self, text: str, place: PlaceSeen, who: int) -> HeardRequest:
        request = HeardRequest(
            key=str(FIRST_KEY + self.next),
            place=place,
            author="person",
            speaker=account(who),
            text=text,
            said=FIRST_SAID + self.next * STEP_MS,
            fresh=(),
        )
        return with_handles(request)

    def say(self, texts: Iterable[str]) -> None:
        """Many messages."""
        drafts = self._moved(texts)
        while some := list(islice(drafts, AT_ONCE)):
            self._engine.record(partial(_these, some))

    def _moved(self, texts: Iterable[str]) -> Iterator[Draft]:
        for text in texts:
            number, self.next = self.next, self.next + 1
            pattern = self._in_places[number // TOGETHER % len(self._in_places)]
            said = FIRST_SAID + number * STEP_MS
            message = msgspec.structs.replace(
                pattern.message,
                ref=Ref("discord", str(FIRST_KEY + number)),
                speaker=self._speakers[number * 7 % len(self._speakers)],
                said=said,
                text=text,
            )
            heard = msgspec.structs.replace(pattern, said=said, message=message)
            yield Draft(_message_id(number), heard)

    def teach(self, texts: Sequence[str], items: int) -> None:
        """Let who asks have so many items, each of the words of one of these texts, which were said, and resting on it:
        as what is learned does. They are spread over all of them.
        """
        with self._engine.reading() as rows:
            setting = locate(rows, self._request("", self._places[0], 0)).setting
        person, compartment, step = setting.person, place_item(setting), len(texts) // items
        said = ((each, texts[each]) for each in range(0, step * items, step))
        drafts = [_item(person, compartment, number, text, self._first + at) for number, (at, text) in enumerate(said)]
        self._engine.record(partial(_these, drafts))

    def edit(self, texts: Sequence[str]) -> None:
        """Let as many messages say something else, spread over all of them; each is a decision of its own."""
        with self._engine.reading() as rows:
            found = [each.row for each in rows.scan(MESSAGES)]
        for number, text in enumerate(texts):
            row = found[number * (len(found) // len(texts))]
            said = FIRST_SAID + (self.next + number) * STEP_MS
            message = msgspec.structs.replace(row.message, text=text, edited=said)
            edited = MessageEdited(said=said, by=PLATFORM, heard=row.heard, message=message)
            self._engine.record(partial(_these, [Draft(seeded_id(b"library edits", number, said), edited)]))

    def asked(self) -> Wanted:
        """What who asks looks for, after everything that was said; without a text."""
        with self._engine.reading() as rows:
            return asked(rows, self._places[0], self.next)


def asked(rows: Rows, place: PlaceSeen, number: int) -> Wanted:
    """What the first person looks for in a place, at the time of the message of this number; without a text."""
    found = locate(rows, HeardRequest("", place, "person", account(0), "", FIRST_SAID + number * STEP_MS, ()))
    return Wanted("", found.setting, found.session, found.point.said)


def _these(drafts: list[Draft], _: Rows) -> list[Draft]:
    return drafts


def _message_id(number: int) -> EventId:
    return seeded_id(b"library", number, FIRST_SAID + number * STEP_MS)


def _item(person: Handle, compartment: str, number: int, text: str, rests_on: int) -> Draft:
    """One that rests on the message of this number."""
    said = FIRST_SAID + number
    evidence = (Evidence("", _message_id(rests_on), Ref("discord", str(FIRST_KEY + rests_on))),)
    item = Item(
        id=f"durable-{number:08x}", owner=person, compartment=compartment, kind="fact", text=text, created=said,
        updated=said, source=Source("manual"), evidence=evidence,
    )  # fmt: skip
    return Draft(seeded_id(b"library items", number, said), ItemUpserted(said=said, by=OPERATOR, item=item))
