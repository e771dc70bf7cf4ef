"""Where memories come from, in words: what happened, who did it, why, and what was said, for whoever shows it.

The fields of these values are those of `dnam audit --json`, and stable. Times are ms since 1970 with an ISO 8601 twin
in UTC; texts from people are as they were written, and whoever shows them makes them harmless.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from dnam.finding import by_words, compartment_words
from dnam.times import iso
from projections.caller import Caller, with_names
from projections.counting import VOWELS
from projections.events import (
    ItemEvent,
    ItemMerged,
    ItemMoved,
    ItemRefused,
    ItemReverted,
    MessageEdited,
    MessageHeard,
    TurnAnswered,
)
from projections.events.event import Event
from projections.events.values import By, Intent, Item, Message, ModelUse
from projections.events.work import WorkEvent
from projections.ids import EventId, Handle, Seq
from projections.links import Direct, jump_link
from projections.lives import Life, Step, absorbed_by
from projections.quoting import in_quotes
from projections.rows import Rows
from projections.turns import DELIVERIES
from projections.wording import Piece, wording
from replay.audit import Audited, Explained
from replay.cited import Cited
from replay.reading import Readable, Reading

MayQuote = Callable[[Event, EventId], bool]
"""Whether the words of a message or an answer may be shown to whoever asks."""


COMPARTMENT = "compartment"


class Quoted(NamedTuple):
    """A message, as it now is, or an answer that something rests on. `state` says why there is no `text`: redacted,
    erased, and so on; `withheld` when it may not be shown here. `quotes` are the words that the item keeps of it.
    `replaced`: it was edited since, and what it said then is gone.
    """

    seq: Seq
    event: EventId
    tag: str
    state: Readable | str
    author: str
    said: int | None
    said_iso: str | None
    text: str | None
    quotes: tuple[str, ...]
    link: str | None
    replaced: bool


class Gone(NamedTuple):
    """Another event that something rests on, and that cannot be read any more."""

    seq: Seq
    event: EventId
    tag: str
    state: Readable


class Model(NamedTuple):
    """Which model, with which prompt."""

    name: str
    version: str
    prompt: str


class StepWords(NamedTuple):
    """Something that happened to an item. `words` is its text, word by word, beside the one before; `changed` has every
    other field that changed, before and after. `why` is the event's own `reason` and what else it says of that.
    """

    seq: Seq
    event: EventId
    tag: str
    at: int
    at_iso: str | None
    said: int
    said_iso: str | None
    happened: str
    who: str
    by: By
    model: Model | None
    policy: str
    reason: str
    why: str
    text: str
    words: tuple[Piece, ...]
    changed: Mapping[str, tuple[Any, Any]]
    messages: tuple[Quoted, ...]
    quotes: tuple[str, ...]
    gone: tuple[Gone, ...]
    intent: Intent | None


def shown_changes(step: StepWords) -> Mapping[str, tuple[Any, Any]]:
    """What changed, for people: a compartment by where it holds, and not by its key, which may hold a handle."""
    return {name: values for name, values in step.changed.items() if name != COMPARTMENT}


class LifeWords(NamedTuple):
    """An item and what happened to it. Of what was only ever refused, `id` is the one that it would have had."""

    id: str
    owner: Handle
    compartment: str
    where: str
    kind: str
    text: str
    status: str
    steps: tuple[StepWords, ...]


class Narrator:
    """Tells lives with the names of these rows. `may_quote` withholds what may not be shown. `direct` is the direct
    conversation in which it is told. `by_account`: namesakes are told apart by what a command takes.
    """

    def __init__(
        self,
        rows: Rows,
        assistant: str,
        may_quote: MayQuote | None = None,
        direct: Direct | None = None,
        *,
        by_account: bool = False,
    ) -> None:
        self._rows = rows
        self._direct = direct
        self._caller = Caller(rows, assistant, by_account=by_account)
        self._may_quote = may_quote or _everything
        self._where: dict[str, str] = {}

    def life(self, audited: Audited) -> LifeWords:
        """A life in words."""
        life = audited.life
        kind, text = _claim(life)
        steps = tuple(map(self.step, audited.steps))
        owner, compartment, item_id = life.address
        return LifeWords(item_id, owner, compartment, self.where(compartment), kind, text, life.status, steps)

    def where(self, compartment: str) -> str:
        """Where a memory holds."""
        if compartment not in self._where:
            self._where[compartment] = compartment_words(self._rows, compartment)
        return self._where[compartment]

    def step(self, explained: Explained) -> StepWords:
        """Something that happened, in words."""
        step = explained.step
        record, event = step.record, step.record.event
        assert isinstance(event, ItemEvent | ItemRefused)
        model = model_of(event.by, explained.work)
        return StepWords(
            seq=record.seq,
            event=record.id,
            tag=event.TAG,
            at=record.at,
            at_iso=iso(record.at),
            said=event.said,
            said_iso=iso(event.said),
            happened=step.happened,
            who=self.who(event.by, model),
            by=event.by,
            model=model,
            policy=event.policy,
            reason=event.reason,
            why=self.why(step),
            text=event.text if isinstance(event, ItemRefused) else _text(step.after),
            words=wording(_text(step.before), _text(step.after)) if step.after else (),
            changed=self._changed(step),
            messages=tuple(map(self.quoted, explained.cited)),
            quotes=explained.quotes,
            gone=tuple(map(gone, explained.gone)),
            intent=event.intent if isinstance(event, ItemEvent) else None,
        )

    def _changed(self, step: Step) -> dict[str, tuple[Any, Any]]:
        """Every field but the text; a compartment in words too, as `where`."""
        changed = {name: (getattr(step.before, name), getattr(step.after, name)) for name in step.changed}
        changed.pop("text", None)
        if COMPARTMENT in changed:
            before, after = changed[COMPARTMENT]
            changed["where"] = self.where(before), self.where(after)
        return changed

    def who(self, by: By, model: Model | None = None) -> str:
        """Who did it: the person, the model with its prompt, the policy with its version."""
        words = by_words(self._rows, by)
        return f"{words}, prompt {model.prompt}" if model is not None and model.prompt else words

    def why(self, step: Step) -> str:
        """Why it happened, in words."""
        match step.record.event:
            case ItemMoved(from_compartment=compartment) as event:
                more = f"it was {self.where(compartment)} before"
            case ItemMerged() as event:
                more = self._merged(step, event)
            case ItemReverted(gone=True) as event:
                more = "there was nothing of it here before"
            case ItemReverted(was=was) as event:
                more = f"it is again as {by_words(self._rows, was.by)} had left it"
            case ItemRefused(against=against) as event:
                more = f"held against {against}" if against else ""
            case ItemEvent(intent=Intent(action="forget", needle=needle)) as event if needle:
                more = f"with the words {in_quotes(needle)}"
            case ItemEvent() as event:
                more = ""
            case _:
                raise AssertionError("only items' events are in their lives")
        undo = "an undo of what they did before" if _is_undo(event) else ""
        return "; ".join(part for part in (event.reason, undo, more) if part)

    def _merged(self, step: Step, event: ItemMerged) -> str:
        if step.after != event.item:
            return f"it became part of {event.item.id}"
        return f"with {', '.join(each.id for each in absorbed_by(event))}"

    def quoted(self, cited: Cited) -> Quoted:
        """A message or an answer, if it can be read and may be shown."""
        reading = cited.reading
        tell = partial(_quoted, cited)
        match reading.record.event if reading.record else None:
            case MessageHeard(message=message) as event if self._may_quote(event, reading.id):
                return tell(self._caller.author(message), message.said, self._spoken(message), self._link(message))
            case MessageEdited(message=message, heard=heard) as event if self._may_quote(event, heard):
                return tell(self._caller.author(message), message.said, self._spoken(message), self._link(message))
            case TurnAnswered() as turn if self._may_quote(turn, reading.id):
                text = with_names(turn.text, turn.spans, self._caller.person)
                return tell(turn.assistant or self._caller.assistant, turn.said, text, self._turn_link(reading, turn))
            case None:
                return tell("", None, None, None)
            case _:
                return tell("", None, None, None)._replace(state="withheld", quotes=())

    def _spoken(self, message: Message) -> str:
        return with_names(message.text, message.spans, self._caller.person)

    def _link(self, message: Message) -> str | None:
        return jump_link(message.ref, message.place, message.guild, message.audience, self._direct)

    def _turn_link(self, reading: Reading, turn: TurnAnswered) -> str | None:
        delivered = self._rows.get(DELIVERIES, reading.id)
        messages = () if delivered is None else delivered.messages
        links = (jump_link(each, turn.place, turn.guild, turn.audience, self._direct) for each in messages)
        return next(links, None)


def _is_undo(event: ItemEvent | ItemRefused) -> bool:
    return isinstance(event, ItemEvent) and event.intent is not None and event.intent.undoes


def _everything(_: Event, __: EventId) -> bool:
    return True


def _quoted(cited: Cited, author: str, said: int | None, text: str | None, link: str | None) -> Quoted:
    reading, quotes, replaced = cited
    tag = reading.header.tag
    return Quoted(reading.seq, reading.id, tag, reading.state, author, said, iso(said), text, quotes, link, replaced)


def gone(reading: Reading) -> Gone:
    """An event that cannot be read any more."""
    return Gone(reading.seq, reading.id, reading.header.tag, reading.state)


def gone_words(each: Gone | Quoted) -> str:
    """What there is to say of something whose words are not shown."""
    kind = _KINDS.get(each.tag.partition(".")[0], f"{'an' if each.tag[0] in VOWELS else 'a'} {each.tag}")
    verb = _VERBS.get(each.state, "is")
    return f"{kind} that {verb} {_STATES.get(each.state, each.state)} (#{each.seq})"


REPLACED = "edited since, and what it said then is gone"
"""What there is to say of a message that says something else by now."""
_KINDS = {"message": "a message", "turn": "an answer", "item": "an earlier state"}
_VERBS = {"redacted": "was", "erased": "was"}
_STATES = {"withheld": "not shown here", "unknown": "of a newer program"}


def model_of(by: By, work: Reading | None) -> Model | None:
    """The model that did it: as whoever acted, and by the work that was kept of it."""
    event = work.record.event if work is not None and work.record is not None else None
    call: ModelUse | None = event.call if isinstance(event, WorkEvent) else None
    if call is not None:
        return Model(call.model, call.version, call.prompt)
    return Model(by.name, by.version, "") if by.kind == "model" else None


def _claim(life: Life) -> tuple[str, str]:
    """Kind and text of an item, or of what was refused last."""
    if life.item is not None:
        return life.item.kind, life.item.text
    event = life.steps[-1].record.event
    assert isinstance(event, ItemRefused)
    return event.kind, event.text


def _text(item: Item | None) -> str:
    return item.text if item else ""
