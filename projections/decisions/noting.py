"""What the answering model notes down by its tool `memory_write`: the call is an event, and what it wrote follows it.

It goes through the same decisions as what an extraction notes: guards, what was taken back, precedence, caps,
promotion.

    namespace   goes to                                             where
    ─────────   ─────────────────────────────────────────────────   ───────────────────────────────────────────────────
    me          the asker's items, where it was said                everywhere
    guild       lore                                                where all of a server can read it
    self        what the assistant knows of itself                  in its owner's own direct messages
    owner       the owner's layer                                   the same

Nothing is noted but what the asker said themself, in the message that is answered or before it in the same place
(`policies/own_words`): so neither what the model read of others nor what it knows of the asker from elsewhere comes to
lie where it was not said. Nor is what they only denied, asked or supposed in these words (`policies/asserting`), nor
what says the opposite of them, or of somebody else (`policies/turned`). Such a call is as theirs as what it wrote;
every other one lies where the answer does, and rests on all that the model had before it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

from projections.caller import Caller
from projections.consent import is_out
from projections.decisions.draft import MOST_EVENTS, Draft, Minter, Origin, decided_before
from projections.decisions.extraction import ExtractionRequest, extract
from projections.decisions.guarded import Guarded, shown_text
from projections.decisions.lore import Said, add_lore
from projections.decisions.overtaken import is_overtaken
from projections.decisions.shelf import Shelf, causes_of, policy_by, rests_on
from projections.decisions.tools import CallRequest, Came, called, record_call
from projections.events import Event, ItemEvent, ItemMoved, ItemRefused, ItemUpserted, ToolCalled
from projections.events.values import About, Evidence, Item, ItemUse, Source
from projections.ids import DISCORD, NOBODY, Handle, Point
from projections.items import items_in
from projections.messages import MessageRow, SpokenRow, find_message
from projections.people import name_of
from projections.policies import asserting, own_words
from projections.policies import turned as turning
from projections.policies.asserting import unasserted
from projections.policies.compartments import OWNER, SELF, Setting, place_said
from projections.policies.evidence import InputMessage, check
from projections.policies.guards import Guarding
from projections.policies.learned_from import LearnedAs, is_learned_from
from projections.policies.own_words import beyond
from projections.policies.promotion import NO_WORDS, SharingWords
from projections.policies.replies import Quote, UpsertEntry
from projections.policies.text import folded, tidy
from projections.policies.turned import turned
from projections.rows import Found, Rows
from projections.window_line import spoken_words

VERSION = f"noting@3 {own_words.VERSION} {asserting.VERSION} {turning.VERSION}"
Namespace = Literal["me", "guild", "self", "owner"]

OVERTAKEN = "what it rests on was taken back meanwhile, so nothing was kept"
NOT_LEARNED = "nothing is learned from what they say here; they can keep it themselves with `!memory remember`"
NO_LORE = (
    "lore is what everybody of a server may know, and not everybody can read what is said here; "
    "in the namespace `me` it can be kept for whoever said it"
)
NOT_OWNER = "this is written for the assistant's owner alone, in the owner's own direct messages"
RESTORE = "; `!memory restore {id}` brings that back"
NO_SUCH = "there is no memory {id} of theirs here, so nothing was replaced or kept"
STRANGE = (
    "only what the person said themself, here, can be noted down, in their own words, and {word!r} is not among them"
)


class Note(NamedTuple):
    """What is to be noted down, in the words that the person used: `quote` are these, `replaces` is an item's id."""

    namespace: Namespace
    text: str
    quote: str
    kind: str
    replaces: str = ""
    shareable: bool = False


class NoteRequest(NamedTuple):
    """A note that a call wants kept. `window` are the messages before the question that the model was shown, `shown`
    the items. `origin` is for what is written, beside the call's own.
    """

    call: CallRequest
    note: Note
    window: tuple[Point, ...]
    shown: tuple[ItemUse, ...]
    origin: Origin
    assistant: str
    cap: int = 200
    sharing: SharingWords = NO_WORDS
    guarding: Guarding = Guarding()


def take_note(rows: Rows, request: NoteRequest, learned_as: LearnedAs) -> list[Draft]:
    """The call and behind it all that it leads to; the call alone where nothing may be noted. `learned_as` says what is
    learned from whoever says it.
    """
    call = request.call
    if decided_before(rows, call.origin) or is_out(rows, call.setting.person):
        return []
    if is_overtaken(rows, call.before):
        return record_call(rows, call, Came("failed", OVERTAKEN))
    spoken = _spoken(rows, request)
    strange = beyond(f"{request.note.text} {request.note.quote}", _texts(rows, spoken, call), _small(rows, request))
    if strange:
        return record_call(rows, call, Came("refused", STRANGE.format(word=strange)))
    return _Noting(rows, request, spoken).run(learned_as)


# -- whose words -----------------------------------------------------------------------------------------------------


def _spoken(rows: Rows, request: NoteRequest) -> list[Found[MessageRow]]:
    """What the asker said: the question, and what of theirs stood in the prompt before it."""
    call = request.call
    epoch = call.setting.audience.epoch
    points = dict.fromkeys((*request.window, call.question))
    found = (find_message(rows, call.session, epoch, point) for point in points)
    return [each for each in found if each is not None and each.row.message.speaker == call.setting.person]


def _texts(rows: Rows, spoken: Iterable[Found[MessageRow]], call: CallRequest) -> list[str]:
    return [_input(rows, each, call.setting.person).text for each in spoken]


def _input(rows: Rows, found: Found[MessageRow], person: Handle) -> InputMessage:
    """A message as what is learned from it rests on: whoever is only mentioned is "someone". An edited one is read as
    it is now, and decides nothing about what was learned from its old words.
    """
    message = found.row.message
    words = spoken_words(message, Caller(rows, "", only=frozenset({person})))
    if not (message.text.strip() or message.spans):  # what its files show is not what its author said
        words = ""
    return InputMessage(
        found.row.heard, words, message.ref, message.said, message.place, message.guild, audience=message.audience
    )


def _small(rows: Rows, request: NoteRequest) -> frozenset[str]:
    """The words that need not be said: the language's small ones, those that only say that something was said, and
    names of the two who speak.
    """
    words = request.guarding.instructions
    names = f"{name_of(rows, request.call.setting.person)} {request.assistant}".split()
    return words.common.own | words.notes.subjects | words.notes.telling | words.notes.framing | frozenset(names)


# -- noting down -----------------------------------------------------------------------------------------------------


class _Noting:
    """One note, in its person's own words, on its way into the items."""

    def __init__(self, rows: Rows, request: NoteRequest, spoken: Sequence[Found[MessageRow]]) -> None:
        call = request.call
        self._rows = rows
        self._request = request
        self._call = call
        self._spoken = spoken
        self._person = call.setting.person
        self._small = _small(rows, request)
        self._compartment = place_said(rows, self._person, call.setting.audience, call.setting.guild)
        self._minter = Minter(rows, call.origin)
        self._id = self._minter.next()

    def run(self, learned_as: LearnedAs) -> list[Draft]:
        inputs = self._learnable(learned_as)
        unlearned = NOT_LEARNED if self._beyond(each.text for each in inputs) else ""
        why = self._unwelcome() or unlearned or self._unsaid(inputs)
        drafts = [] if why else self._written(inputs)
        came = Came("refused", why) if why else _came(drafts)
        return [Draft(self._id, self._event(came)), *map(_signed, drafts)]

    def _learnable(self, learned_as: LearnedAs) -> tuple[InputMessage, ...]:
        """The messages that may be learned from; the one that is answered was addressed to the assistant."""
        setting = self._call.setting
        judge = learned_as(self._person, SpokenRow(self._call.session, setting.audience, setting.guild))
        asked = self._call.question.id
        return tuple(
            _input(self._rows, each, self._person)
            for each in self._spoken
            if (each.row.heard == asked and judge(each) != "none") or is_learned_from(self._rows, each.row, judge(each))
        )

    def _beyond(self, said: Iterable[str]) -> str:
        """The first word of the note that is not among these."""
        note = self._request.note
        return beyond(f"{note.text} {note.quote}", said, self._small)

    def _unsaid(self, inputs: Sequence[InputMessage]) -> str:
        """Why these do not say that what is noted is so; empty where they may."""
        text, said, guarding = self._request.note.text, [each.text for each in inputs], self._request.guarding
        verdict = unasserted(text, said, guarding.asserting) or turned(text, said, guarding.asserting, guarding.turned)
        return "" if verdict is None else verdict.reason

    def _rests(self, inputs: Sequence[InputMessage]) -> list[Quote]:
        """The quote, and every other message that has to be there for the note to be said: the newest that has the
        next word that the others lack.
        """
        quote = Quote(tidy(self._request.note.quote))
        rests = [each for each in inputs if folded(quote.quote) in folded(each.text)][:1]
        while rests and (word := self._beyond(each.text for each in rests)):
            rests.append(next(each for each in reversed(inputs) if not beyond(word, [each.text])))
        return [quote, *(Quote("", each.id.hex()) for each in rests[1:])]

    def _unwelcome(self) -> str:
        """Why nothing of the kind may be noted here; empty where it may."""
        note, setting = self._request.note, self._call.setting
        match note.namespace:
            case "guild" if not self._compartment.startswith("guild/"):
                return NO_LORE
            case "self" | "owner" if not is_owners(setting):
                return NOT_OWNER
            case "me" if note.replaces and not self._is_there(note.replaces):
                return NO_SUCH.format(id=note.replaces)
            case _:
                return ""

    def _is_there(self, item_id: str) -> bool:
        here = items_in(self._rows, self._person, self._compartment)
        return any(found.row.item.id == item_id and found.row.item.status == "active" for found in here)

    def _written(self, inputs: tuple[InputMessage, ...]) -> list[Draft]:
        namespace = self._request.note.namespace
        if namespace == "self" or namespace == "owner":
            return self._noted(inputs, namespace)
        return extract(self._rows, self._extraction(inputs))

    def _extraction(self, inputs: tuple[InputMessage, ...]) -> ExtractionRequest:
        """The note as the one entry of an extraction's reply."""
        request, note = self._request, self._request.note
        entry = {
            "text": note.text,
            "kind": note.kind,
            "type": "semantic",
            "about": "guild" if note.namespace == "guild" else "person",
            "confidence": 1.0,
            "evidence": [{"quote": each.quote, "message": each.message} for each in self._rests(inputs)],
            "shareable": note.shareable,
            "supersedes": [note.replaces] if note.replaces else [],
        }
        return ExtractionRequest(
            owner=self._person,
            compartment=self._compartment,
            reply=msgspec.json.encode({"upserts": [entry]}).decode(),
            inputs=inputs,
            by=self._call.by,
            origin=request.origin,
            shown=request.shown,
            cap=request.cap,
            said=self._said,
            work=self._id,
            sharing=request.sharing,
            guarding=request.guarding,
        )

    def _noted(self, inputs: tuple[InputMessage, ...], about: About) -> list[Draft]:
        """What the owner wants written about the assistant or for themself. No extraction may write there, so the
        guards are asked here; else it is as lore is.
        """
        request, note = self._request, self._request.note
        quotes = tuple(self._rests(inputs))
        entry = UpsertEntry(note.kind, tidy(note.text), type="semantic", evidence=quotes, must_quote=True)
        found = check(quotes, inputs)
        shelf = Shelf(self._rows, request.origin, NOBODY, MOST_EVENTS - 1)
        held = Guarded(inputs, request.guarding).verdict(entry, found)
        if held is not None:
            shelf.record(self._held(entry, found, held.reason, held.policy))
            return shelf.drafts
        said = Said(
            entry=entry,
            person=self._person,
            compartment=SELF if about == "self" else OWNER,
            evidence=found,
            inputs=inputs,
            by=self._call.by,
            work=self._id,
            said=self._said,
            source=_source(inputs, found),
            cap=request.cap,
            rephrasing=request.guarding.rephrasing,
            about=about,
            refused_in=self._compartment,
        )
        add_lore(self._rows, shelf, said)
        return shelf.drafts

    def _held(self, entry: UpsertEntry, found: tuple[Evidence, ...], reason: str, policy: str) -> ItemRefused:
        return ItemRefused(
            said=self._said,
            by=policy_by(policy),
            causes=causes_of([self._id], rests_on(found)),
            owner=self._person,
            compartment=self._compartment,
            kind=entry.kind,
            text=shown_text(entry.text),
            reason=reason,
            policy=policy,
            evidence=found,
        )

    @property
    def _said(self) -> int:
        return max(self._call.said, self._call.question.said + 1)

    def _event(self, came: Came) -> ToolCalled:
        """The call, resting on its person's own words alone."""
        events = ((each.row.heard, each.row.event) for each in self._spoken)
        own = dict.fromkeys((self._call.question.id, *(event for pair in events for event in pair)))
        request = self._call._replace(before=tuple(own))
        return msgspec.structs.replace(called(self._rows, request, came), compartment=self._compartment)


def is_owners(setting: Setting) -> bool:
    """Whether these are the owner's own direct messages."""
    own = setting.audience.kind == "direct" and setting.audience.place.key == f"dm:{setting.person.hex()}"
    return own and OWNER in setting.besides


def _source(inputs: Sequence[InputMessage], found: Sequence[Evidence]) -> Source:
    """The message that the words stand in, or else the last one."""
    first = next(iter(rests_on(found)), None)
    message = next((each for each in inputs if each.id == first), inputs[-1])
    return Source("discord" if message.ref.platform == DISCORD else "model", message.place, message.ref, message.guild)


def _signed(draft: Draft) -> Draft:
    """The draft; what the model did says that it did so by this tool, and so does what a note went on to."""
    event = draft.event
    if isinstance(event, ItemMoved):
        return draft._replace(event=msgspec.structs.replace(event, policy=f"{event.policy} {VERSION}"))
    if not isinstance(event, ItemEvent) or event.by.kind != "model":
        return draft
    reason, policy = f"by memory_write: {event.reason}", f"{event.policy} {VERSION}"
    return draft._replace(event=msgspec.structs.replace(event, reason=reason, policy=policy))


def _came(drafts: Sequence[Draft]) -> Came:
    """What the drafts of a note amount to."""
    items = tuple(_use(each, event.item) for each, event in _added(drafts))
    refused = next((each.event for each in drafts if isinstance(each.event, ItemRefused)), None)
    if items:
        return Came("written", items=items)
    if refused is None:
        return Came("known", "it is remembered already")
    way_out = RESTORE.format(id=refused.against) if refused.against else ""
    return Came("refused", f"{refused.reason}{way_out}")


def _added(drafts: Iterable[Draft]) -> Iterator[tuple[Draft, ItemEvent]]:
    """What was added or changed, and where it went from there."""
    for draft in drafts:
        event: Event = draft.event
        if isinstance(event, ItemUpserted | ItemMoved):
            yield draft, event


def _use(draft: Draft, item: Item) -> ItemUse:
    return ItemUse(item.owner, item.compartment, item.id, draft.id)
