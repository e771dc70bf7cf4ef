"""LoCoMo's JSON: very long conversations of two people, in sessions.

    [{"sample_id": "conv-1",
      "conversation": {"speaker_a": …, "speaker_b": …,
                       "session_1_date_time": "1:56 pm on 8 May, 2023",
                       "session_1": [{"speaker", "dia_id": "D1:3", "text", "img_url"?, "blip_caption"?}, …], …}}, …]

Times are taken as UTC. People are named after the conversation they are in: two Johns of two conversations are two
people. Everything beside `conversation` (questions, observations, summaries) is for evaluation and is not read.

A file that breaks off inside a conversation gives nothing of it. `sample_id`, of which the ids of its messages are
made, stands behind the turns, and so may a session's date: whole turns would come in as somebody else's, and once more
with the whole file.
"""

import heapq
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from dnam.importers import order, stream
from dnam.importers.source import (
    Arrival,
    Arrived,
    BrokenImport,
    Channel,
    Format,
    ImportFailed,
    NonEmpty,
    Options,
    Skipped,
    Writer,
    audience_kind,
)
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.events.values import Attachment
from projections.ids import Ref

PLATFORM = "locomo"
FORMAT: Format = "locomo"
SESSION = re.compile(r"session_([0-9]{1,9})")
DATE = re.compile(
    r"\s*(\d{1,2}):(\d{2})\s*(am|pm)\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})\s*", re.IGNORECASE | re.ASCII
)
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip


WHOLE = (
    "A conversation comes in whole or not at all: its sample_id, which its turns are known by, stands behind them, and "
    "so may the dates."
)
"""What is told of a file that breaks off."""


SAME_ID = "a turn with a dia_id that was there before"
"""Why something is skipped."""


class _Turn(msgspec.Struct):
    speaker: NonEmpty
    dia_id: NonEmpty
    text: str | None = ""
    img_url: str | list[str] | None = None
    blip_caption: str | None = None


class _Sample(msgspec.Struct):
    conversation: dict[str, Any]
    sample_id: str | None = None


class _Session(NamedTuple):
    """`date` in ms, None when it has none that can be read. `is_list`: whether its turns stand in one, or are lost."""

    number: int
    date: int | None
    turns: list[Any]
    is_list: bool = True


class _Conversation(NamedTuple):
    key: str
    speakers: tuple[str, ...]
    sessions: list[_Session]

    @property
    def name(self) -> str:
        return " & ".join(self.speakers)

    @property
    def turn_count(self) -> int:
        return sum(len(session.turns) for session in self.sessions)


class LoCoMo:
    """A file of LoCoMo conversations. They are few and small: each reading holds them all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.format = FORMAT

    @property
    def channels(self) -> tuple[Channel, ...]:
        found = (each for each in order.until_broken(self._conversations(), []) if isinstance(each, _Conversation))
        return tuple(Channel(each.key, each.name, "channel", messages=each.turn_count) for each in found)

    def read(self, options: Options) -> Iterator[Arrival]:
        """See `Source.read`."""
        broken: list[ImportFailed] = []
        conversations: list[_Conversation] = []
        for each in order.until_broken(self._conversations(), broken):
            if isinstance(each, Skipped):
                yield each
            else:
                conversations.append(each)
        readings = [order.timed(_messages(each, _place(each, options), options.assistants)) for each in conversations]
        for _, arrival in heapq.merge(*readings, key=lambda timed: timed[0]):
            yield arrival
        if broken:
            raise broken[0]

    def writers(self) -> Iterator[Writer]:
        """Who speaks in each conversation. Raises BrokenImport behind what could be read."""
        for each in self._conversations():
            if isinstance(each, _Conversation):
                for arrival in _messages(each, _place(each, Options()), ()):
                    if isinstance(arrival, Arrived):
                        speaker = arrival.request.speaker
                        yield Writer(speaker, (speaker.name,), "person")

    def _conversations(self) -> Iterator[_Conversation | Skipped]:
        keys: set[str] = set()
        for number, value in enumerate(_values(self.path), 1):
            read = _conversation(number, value)
            if isinstance(read, _Conversation) and read.key in keys:
                yield Skipped(
                    "conversation with a sample_id that was there before", f"conversation {number} ({read.key})"
                )
                continue
            if isinstance(read, _Conversation):
                keys.add(read.key)
            yield read


def _values(path: Path) -> Iterator[object]:
    """Each whole conversation. Raises BrokenImport, which says why nothing of the next one comes in."""
    try:
        yield from stream.values(path, "item", "conversation")
    except BrokenImport as error:
        raise BrokenImport(path, error.where, f"{error} {WHOLE}") from error


def _conversation(number: int, value: object) -> _Conversation | Skipped:
    try:
        sample = msgspec.convert(value, _Sample)
    except msgspec.ValidationError as error:
        return Skipped("not in the form of a conversation", f"conversation {number}: {error}")
    content = sample.conversation
    speakers = dict.fromkeys(str(content[key]) for key in ("speaker_a", "speaker_b") if content.get(key))
    sessions = sorted(_sessions(content), key=lambda each: (each.date or 0, each.number))
    return _Conversation(sample.sample_id or _fingerprint(tuple(speakers), sessions), tuple(speakers), sessions)


def _fingerprint(speakers: tuple[str, ...], sessions: list[_Session]) -> str:
    """What a conversation without an id is known by: who speaks, and how it begins. Not by its place in the file: the
    first of two files are two conversations.
    """
    begins = next((each for each in sessions if each.is_list), None)
    start = (speakers,) if begins is None else (speakers, begins.date, begins.turns[:1])
    digest = sha256(repr(start).encode("utf-8", "surrogatepass")).hexdigest()
    return f"conversation-{digest[:16]}"


def _sessions(content: dict[str, Any]) -> Iterator[_Session]:
    for key, turns in content.items():
        named = SESSION.fullmatch(key)
        if named:
            is_list = isinstance(turns, list)
            date = session_ms(content.get(f"{key}_date_time"))
            yield _Session(int(named[1]), date, turns if is_list else [], is_list)


def session_ms(date: object) -> int | None:
    """A session's date ("1:56 pm on 8 May, 2023", taken as UTC) in ms since 1970; None when it is none."""
    found = DATE.fullmatch(date) if isinstance(date, str) else None
    if found is None or found[5].lower() not in MONTHS:
        return None
    half_day = 12 if found[3].lower() == "pm" else 0
    month = MONTHS.index(found[5].lower()) + 1
    try:
        moment = datetime(int(found[6]), month, int(found[4]), int(found[1]) % 12 + half_day, int(found[2]), tzinfo=UTC)
    except ValueError:
        return None
    return max(int(moment.timestamp()) * 1000, 0)


def _messages(conversation: _Conversation, place: PlaceSeen, assistants: Sequence[str]) -> Iterator[Arrival]:
    """A conversation's messages, each said later than the one before it: turn n of a session n ms after its date. Of
    turns with one id, which would be one message, the first is taken.
    """
    last, given = -1, set[str]()
    for session in conversation.sessions:
        if not session.is_list:
            yield Skipped("session whose turns are not in a list", f"{conversation.key}, session {session.number}")
        for number, value in enumerate(session.turns, 1):
            where = f"{conversation.key}, session {session.number}, turn {number}"
            turn = _turn(session, value, where)
            if isinstance(turn, Skipped):
                yield turn
                continue
            if turn.dia_id in given:
                yield Skipped(SAME_ID, f"{where} ({turn.dia_id})")
                continue
            given.add(turn.dia_id)
            last = max((session.date or 0) + number, last + 1)
            yield Arrived(_request(conversation, place, turn, last, assistants))


def _turn(session: _Session, value: object, where: str) -> _Turn | Skipped:
    if session.date is None:
        return Skipped("in a session without a date", where)
    try:
        turn = msgspec.convert(value, _Turn)
    except msgspec.ValidationError as error:
        return Skipped("not in the form of a turn", f"{where}: {error}")
    return turn if (turn.text or "").strip() or _attachments(turn) else Skipped("empty", where)


def _request(
    conversation: _Conversation, place: PlaceSeen, turn: _Turn, said: int, assistants: Sequence[str]
) -> HeardRequest:
    is_assistant = _is_assistant(conversation, turn.speaker, assistants)
    return HeardRequest(
        key=f"{conversation.key}/{turn.dia_id}",
        place=place,
        author="self" if is_assistant else "person",
        speaker=_account(conversation.key, turn.speaker),
        text=turn.text or "",
        said=said,
        fresh=(),
        attachments=_attachments(turn),
        # With two in a conversation, whoever is not the assistant speaks to it.
        addressed=not is_assistant
        and any(_is_assistant(conversation, each, assistants) for each in conversation.speakers),
    )


def _is_assistant(conversation: _Conversation, speaker: str, assistants: Sequence[str]) -> bool:
    """Whether a speaker is meant: by an id, or by a name, which fits in every conversation."""
    theirs = (_account(conversation.key, speaker).id, speaker.casefold())
    return any(each == theirs[0] or each.casefold() == theirs[1] for each in assistants)


def _account(key: str, speaker: str) -> Account:
    return Account(PLATFORM, f"{key}/{speaker}", speaker)


def _attachments(turn: _Turn) -> tuple[Attachment, ...]:
    """The images of a turn; the caption is the first one's."""
    urls = [turn.img_url] if isinstance(turn.img_url, str) else turn.img_url or []
    names = [_file_name(url) for url in urls] or (["image"] if turn.blip_caption else [])
    captions = [turn.blip_caption or ""] + [""] * len(names)
    return tuple(Attachment(name, caption=caption) for name, caption in zip(names, captions, strict=False))


def _file_name(url: str) -> str:
    try:
        return urlsplit(url).path.rsplit("/", 1)[-1] or "image"
    except ValueError:
        return "image"


def _place(conversation: _Conversation, options: Options) -> PlaceSeen:
    """Where a conversation took place. There is no guild in the file: told that one could read it, it gets one."""
    told = options.told(conversation.key)
    in_guild = told == "guild"
    return PlaceSeen(
        platform=PLATFORM,
        key=conversation.key,
        kind="direct" if told == "dm" else "channel",
        name=conversation.key,  # its people are named in their own events alone
        audience=audience_kind(told or "channel"),
        guild=Ref(PLATFORM, f"{conversation.key}/guild") if in_guild else None,
        guild_name=conversation.key if in_guild else "",
        partner=_partner(conversation, options) if told == "dm" else None,
        told=told is not None,
    )


def _partner(conversation: _Conversation, options: Options) -> Account:
    """Whose DM it is: of the one who is not the assistant."""
    people = [each for each in conversation.speakers if not _is_assistant(conversation, each, options.assistants)]
    if len(people) != 1:
        raise BadRequest(
            f"{conversation.key} is no one person's DM: {conversation.name} are people."
            " Say --audience channel, or which of them was the assistant (--assistant)."
        )
    return _account(conversation.key, people[0])
