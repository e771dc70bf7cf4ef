"""Documents: what was said, as it is found. One row of a message or of an answer is one document, and nothing else.

A document's number is the seq of the event that made this version of its row. Its address has two parts. The `zone` is
who could read it when it was said: everyone in a guild, a restricted place, two people in direct messages. The
`unit` is its session in one epoch of that audience. Whoever searches opens zones, and in them units (see `opened`);
what stands in others is neither found nor counted.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from projections.events.values import Audience, Message, Span
from projections.ids import NOBODY, EventId, Handle, Ref, Seq, digest16
from projections.items import QUIET
from projections.messages import MESSAGES, MessageRow, key_point, unit
from projections.policies.compartments import in_channel, in_guild
from projections.recall.english import FIRST_WORDS, GREETINGS, TIME_WORDS
from projections.recall.words import Terms, read, terms_in, words
from projections.remembered import of_people
from projections.rows import RawRows, Stored
from projections.turns import TURNS, TurnRow

ASKS, ENDS_ASKING, TIMED, FIRST_PERSON = 1, 2, 4, 8
"""It has a question mark, other than in a link; it ends with one; it tells when something was; it is about who says it.
"""
_QUESTION_MARKS = ("?", "？", "؟")
"""With that of Chinese and Japanese, and that of Arabic."""
_ASKING = re.compile(r"\?(?![\w&=%#])|[？؟]")
"""In a link something follows a question mark that follows no question: `?q=`."""
NAMES_SHIFT, MOST_NAMES = 4, 3
"""How many words with a capital letter stand within its sentences: in the two bits above those."""
_ADDRESSED = "".join(rf"(?<!{each} .)" for each in GREETINGS)
_NAME = re.compile(rf"[A-Z](?<=[^.!?,\s] .){_ADDRESSED}[a-z]{{2,}}\b")
"""Not at the beginning of a sentence, and nobody who is only addressed. What stands before it is looked at behind its
first letter, so that other places are passed over at once.
"""
TABLES = (MESSAGES.table, TURNS.table)
"""Where documents lie."""
DECODE = {MESSAGES.table: MESSAGES.decode, TURNS.table: TURNS.decode}


class Document(NamedTuple):
    """A document, ready to be found. `id` names the message or turn; `said` is in ms; `speaker` is NOBODY for the
    assistant, bots and webhooks; `flags` say what it is like (ASKS and the others below).
    """

    seq: Seq
    id: EventId
    zone: bytes
    unit: bytes
    said: int
    speaker: Handle
    terms: Terms
    flags: int


def flags_of(text: str, said: Sequence[str] | None = None) -> int:
    """What a text is like; `said` are its words, where they are known already."""
    said = words(text) if said is None else said
    flags = ASKS if _ASKING.search(text) else 0
    flags |= ENDS_ASKING if text.rstrip().endswith(_QUESTION_MARKS) else 0
    flags |= 0 if TIME_WORDS.isdisjoint(said) else TIMED
    flags |= 0 if FIRST_WORDS.isdisjoint(said) else FIRST_PERSON
    return flags | min(len(_NAME.findall(text)), MOST_NAMES) << NAMES_SHIFT


@of_people
@lru_cache(4096)
def zone_of(audience: Audience, guild: Ref | None) -> bytes:
    """16 bytes for an audience, without its epoch."""
    match audience.kind:
        case "guild" if guild is not None:
            return digest16(in_guild(guild))
        case "direct":
            return digest16(str(audience.place))
        case _:
            return digest16(in_channel(audience.place))


def is_document(row: MessageRow | TurnRow) -> bool:
    """Whether there is anything in it to find."""
    if isinstance(row, TurnRow):
        return bool(row.text.strip() or row.spans)
    message = row.message
    return bool(message.text.strip() or message.spans or any(each.caption for each in message.attachments))


def document(table: str, key: bytes, stored: Stored) -> Document | None:
    """The document that a row is; None where it says nothing."""
    row: MessageRow | TurnRow = DECODE[table](stored.body)  # type: ignore[assignment]  # one decoder a table
    if not is_document(row):
        return None
    text, spans, speaker = _words(row)
    of = row if isinstance(row, TurnRow) else row.message
    people = [span.person for span in spans if span.person != NOBODY]
    zone, point, told = zone_of(of.audience, of.guild), key_point(key), read(text)
    flags = flags_of(of.text, told.words if text == of.text else None)
    return Document(stored.seq, point.id, zone, key[:16], point.said, speaker, terms_in(told, people), flags)


def _words(row: MessageRow | TurnRow) -> tuple[str, tuple[Span, ...], Handle]:
    if isinstance(row, TurnRow):
        return row.text, row.spans, NOBODY
    return spoken_text(row.message), row.message.spans, row.message.speaker


def spoken_text(message: Message) -> str:
    """What a message says: its text, and what its files show."""
    if not message.attachments:
        return message.text
    return " ".join([message.text, *(each.caption for each in message.attachments)])


def documents_in(raw: RawRows, session: str, epoch: int) -> Iterator[Document]:
    """The documents of a unit, table by table, without those that went quiet."""
    return documents_at(raw, unit(session, epoch))


def documents_at(raw: RawRows, prefix: bytes) -> Iterator[Document]:
    """The same where keys begin with a unit, and perhaps a `said` in it."""
    for table in TABLES:
        for key, stored in raw.scan(table, prefix, prefix + b"\xff" * 25):
            made = None if is_quiet(raw, key) else document(table, key, stored)
            if made is not None:
                yield made


def is_quiet(raw: RawRows, key: bytes) -> bool:
    """Whether what lies under this key left recall with something that a person took back."""
    return raw.get(QUIET.table, id_of(key)) is not None


def id_of(key: bytes) -> EventId:
    """The id of the message or turn that lies under a key."""
    return EventId(key[-16:])
