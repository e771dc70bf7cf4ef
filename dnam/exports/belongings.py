"""Everything that is one person's, readable: what they said, what is remembered of them, their direct conversations.

Nobody else gets in. Other people are "someone", what they wrote stays with them, and answers in places that others read
too are left out; only in the person's own direct conversation does everything stand that stands there.
"""

from collections.abc import Iterable, Iterator

import msgspec

from dnam.finding import compartment_words, place_words
from projections.caller import Caller, with_names
from projections.config import CONFIG
from projections.consent import ERASED, OPTED_OUT
from projections.events import ItemEvent, ItemMerged, ItemMoved
from projections.events.values import By, Item
from projections.fold import Record
from projections.ids import NOBODY, EventId, Handle, Ref, Seq, VaultId
from projections.items import ITEMS, REFUSALS, ItemRow, forgotten_of, item_key, items_of, made_of, owner_key
from projections.lookup import SessionCard, sessions_with
from projections.messages import MessageRow, find_message, spoken_in, units_of
from projections.people import NOTES, PEOPLE, SOMEONE, AccountRow, accounts_of, name_of, names_of
from projections.rows import Found, Rows
from projections.said import Entry, forwards
from projections.summaries import find_summary
from replay.folding import Folding
from replay.history import history_prefix
from replay.overlay import HISTORY

FORM = 1
THEMSELF = "themself"
LEFT_OUT = (
    "what others wrote, also where it was written to this person",
    "who else is mentioned in a message: they are `someone` here; a name typed as a word stands as it was typed",
    "the assistant's answers outside of direct messages, which belong to everybody who was in the conversation",
    "what models were sent and replied: the items and summaries that came of it are here",
)


class Account(msgspec.Struct, frozen=True):
    """An account on a platform, and what its owner decided. `erased_until` is in ms."""

    platform: str
    id: str
    name: str
    opted_out: bool
    erased_until: int | None


class Name(msgspec.Struct, frozen=True):
    """A name and since when (ms) it was used."""

    name: str
    platform: str
    said: int


class Note(msgspec.Struct, frozen=True):
    """What the operator noted, or what was set for the person: a key and its value."""

    said: int | None
    key: str
    text: str


class Spoken(msgspec.Struct, frozen=True):
    """A message of theirs. `said` and `edited` are in ms; `where` is the place's name."""

    said: int
    where: str
    text: str
    attachments: tuple[str, ...]
    edited: int | None


class Happened(msgspec.Struct, frozen=True):
    """A step in the life of an item: when it was recorded and said (ms), what it was, by whom, and how it left it."""

    at: int
    said: int
    what: str
    by: str
    text: str
    status: str
    why: str
    policy: str
    asked: str


class Quote(msgspec.Struct, frozen=True):
    """Their own words that an item rests on."""

    text: str
    event: EventId


class Remembered(msgspec.Struct, frozen=True):
    """An item, and its life. Times in ms, confidence in thousandths."""

    id: str
    kind: str
    type: str
    text: str
    tags: tuple[str, ...]
    status: str
    where: str
    source: str
    confidence: int
    created: int
    updated: int
    quotes: tuple[Quote, ...]
    life: tuple[Happened, ...]


class NotRemembered(msgspec.Struct, frozen=True):
    """What they took back, or what was refused because of that."""

    kind: str
    text: str
    where: str
    why: str


class Line(msgspec.Struct, frozen=True):
    """Something said in a direct conversation. `by` is `themself`, or what the other side is called there."""

    said: int
    by: str
    text: str


class Direct(msgspec.Struct, frozen=True):
    """A direct conversation: its rolling summary, the date of that (ms), and all that was said."""

    session: str
    summary: str
    summarised: int | None
    lines: tuple[Line, ...]


class Belongings(msgspec.Struct, frozen=True):
    """Everything of one person's, as of `made` (ms). By their `vaults` an export is known when they are erased. `lore`
    is nobody's, in their words.
    """

    dnam_person: int
    made: int
    person: Handle
    vaults: tuple[VaultId, ...]
    name: str
    accounts: tuple[Account, ...]
    names: tuple[Name, ...]
    notes: tuple[Note, ...]
    settings: tuple[Note, ...]
    messages: tuple[Spoken, ...]
    items: tuple[Remembered, ...]
    lore: tuple[Remembered, ...]
    taken_back: tuple[NotRemembered, ...]
    refused: tuple[NotRemembered, ...]
    direct: tuple[Direct, ...]
    left_out: tuple[str, ...]


def belongings(rows: Rows, folding: Folding, person: Handle, assistant: str, made: int) -> Belongings:
    """What is this person's, from the rows; the lives of items from the events that made them."""
    return _Collector(rows, folding, person, assistant).all(made)


class _Collector:
    def __init__(self, rows: Rows, folding: Folding, person: Handle, assistant: str) -> None:
        self._rows = rows
        self._folding = folding
        self._person = person
        self._caller = Caller(rows, assistant, frozenset({person}))
        self._own: set[EventId] = set()

    def all(self, made: int) -> Belongings:
        rows, person = self._rows, self._person
        cards = sessions_with(rows, person)
        messages = sorted(self._messages(), key=lambda each: each.said)  # first: they say which quotes are their own
        return Belongings(
            dnam_person=FORM,
            made=made,
            person=person,
            vaults=tuple(sorted(self._vaults())),
            name=name_of(rows, person),
            accounts=tuple(self._account(found.row) for found in accounts_of(rows, person)),
            names=tuple(Name(each.name, each.platform, each.said) for each in names_of(rows, person)),
            notes=tuple(Note(each.row.said, "", each.row.note) for each in rows.scan(NOTES, person)),
            settings=tuple(self._settings()),
            messages=tuple(messages),
            items=self._in_order(items_of(rows, person)),
            lore=self._in_order(filter(self._is_theirs, items_of(rows, NOBODY))),
            taken_back=tuple(self._taken_back()),
            refused=tuple(self._refused()),
            direct=tuple(map(self._direct, cards)),
            left_out=LEFT_OUT,
        )

    # -- who they are -----------------------------------------------------------------------------------------------

    def _vaults(self) -> set[VaultId]:
        """Those of their own, in which their accounts lie."""
        raw, found = self._rows.raw, accounts_of(self._rows, self._person)
        return {stored.vault for each in found if (stored := raw.get(PEOPLE.table, each.key)) is not None}

    def _account(self, row: AccountRow) -> Account:
        hashed = self._rows.ids.keyed_hash(row.platform, row.platform_id)
        erased = self._rows.get(ERASED, hashed)
        opted_out = self._rows.get(OPTED_OUT, hashed) is not None
        return Account(row.platform, row.platform_id, row.name, opted_out, None if erased is None else erased.until)

    def _settings(self) -> Iterator[Note]:
        own = f"person/{self._person.hex()}"
        for found in self._rows.scan(CONFIG):
            if found.row.scope == own:
                yield Note(None, found.row.key, found.row.value)

    # -- what they said ---------------------------------------------------------------------------------------------

    def _messages(self) -> Iterator[Spoken]:
        for where in units_of(self._rows, self._person):
            for point in spoken_in(self._rows, self._person, where):
                found = find_message(self._rows, where.session, where.audience.epoch, point)
                if found is not None:
                    self._own |= {found.row.event, found.row.heard}
                    yield self._spoken(found.row, self._place(where.audience.place, where.audience.kind == "direct"))

    def _spoken(self, row: MessageRow, where: str) -> Spoken:
        message = row.message
        text = with_names(message.text, message.spans, self._caller.mention)
        names = tuple(f"{each.name}: {each.caption}" if each.caption else each.name for each in message.attachments)
        return Spoken(message.said, where, text, names, message.edited)

    def _place(self, place: Ref, direct: bool) -> str:
        return "direct messages" if direct else place_words(self._rows, str(place))

    def _direct(self, card: SessionCard) -> Direct:
        rows, session = self._rows, card.session
        found = find_summary(rows, session, card.audience.epoch)
        entries = [each for epoch in range(card.audience.epoch + 1) for each in forwards(rows, session, epoch, None)]
        text, said = ("", None) if found is None or not found.row.text else (found.row.text, found.row.said)
        return Direct(card.key, text, said, tuple(map(self._line, entries)))

    def _line(self, entry: Entry) -> Line:
        if not isinstance(entry.row, MessageRow):
            text = with_names(entry.row.text, entry.row.spans, self._caller.mention)
            return Line(entry.row.said, self._caller.assistant_in(entry.row), text)
        message = entry.row.message
        text = with_names(message.text, message.spans, self._caller.mention)
        own = message.speaker == self._person
        return Line(message.said, THEMSELF if own else self._caller.author(message), text)

    # -- what is remembered of them ---------------------------------------------------------------------------------

    def _in_order(self, found: Iterable[Found[ItemRow]]) -> tuple[Remembered, ...]:
        return tuple(sorted(map(self._item, found), key=lambda each: (each.created, each.id)))

    def _is_theirs(self, found: Found[ItemRow]) -> bool:
        """Whether what is nobody's is in their words: they wrote it down, or said what it is made of."""
        item = found.row.item
        words = made_of(item)
        if words:
            return words <= self._own
        first = next(self._events(item_key(item.owner, item.compartment, item.id)), None)
        return first is not None and first[1].by.person == self._person

    def _item(self, found: Found[ItemRow]) -> Remembered:
        item = found.row.item
        return Remembered(
            id=item.id,
            kind=item.kind,
            type=item.type,
            text=item.text,
            tags=item.tags,
            status=item.status,
            where=compartment_words(self._rows, item.compartment),
            source=item.source.type,
            confidence=item.confidence,
            created=item.created,
            updated=item.updated,
            quotes=tuple(Quote(each.quote, each.message) for each in item.evidence if each.message in self._own),
            life=tuple(self._life(item)),
        )

    def _life(self, item: Item) -> Iterator[Happened]:
        """What happened where it lies, and where it lay before it moved there."""
        keys, steps = [item_key(item.owner, item.compartment, item.id)], dict[Seq, Happened]()
        for key in keys:
            for record, event in self._events(key):
                if isinstance(event, ItemMoved):
                    before = item_key(event.item.owner, event.from_compartment, event.from_id)
                    keys += [before] if before not in keys else []
                steps.setdefault(record.seq, self._happened(record, event, key))
        return (steps[seq] for seq in sorted(steps))

    def _events(self, key: bytes) -> Iterator[tuple[Record, ItemEvent]]:
        prefix = history_prefix(ITEMS.table, key)
        for _, stored in self._rows.raw.scan(HISTORY, prefix, prefix + b"\xff" * 9):
            record = self._folding.record_at(stored.seq)
            if record is not None and isinstance(record.event, ItemEvent):
                yield record, record.event

    def _happened(self, record: Record, event: ItemEvent, key: bytes) -> Happened:
        left = _left(event, key)
        asked = "" if event.intent is None else event.intent.needle or event.intent.chosen
        return Happened(
            at=record.at,
            said=event.said,
            what=event.TAG.removeprefix("item."),
            by=self._who(event.by),
            text=left.text,
            status=left.status,
            why=event.reason,
            policy=event.policy,
            asked=asked if event.by.person in (self._person, b"") else "",
        )

    def _who(self, by: By) -> str:
        match by.kind:
            case "person":
                return THEMSELF if by.person == self._person else SOMEONE
            case "operator" | "platform":
                return f"the {by.kind}"
            case _:
                return " ".join(part for part in (by.kind, by.name, by.version) if part)

    def _taken_back(self) -> Iterator[NotRemembered]:
        for found in forgotten_of(self._rows, self._person):
            row = found.row
            yield NotRemembered(row.kind, row.text, compartment_words(self._rows, row.compartment), "taken back")

    def _refused(self) -> Iterator[NotRemembered]:
        for found in self._rows.scan(REFUSALS, owner_key(self._person)):
            row = found.row
            yield NotRemembered(row.kind, row.text, compartment_words(self._rows, row.compartment), row.reason)


def _left(event: ItemEvent, key: bytes) -> Item:
    """The item under this key, as the event left it."""
    others = event.absorbed if isinstance(event, ItemMerged) else ()
    items = (event.item, *others)
    return next((each for each in items if item_key(each.owner, each.compartment, each.id) == key), event.item)
