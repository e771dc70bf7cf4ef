"""Snowclaw's nostr_memory.json: what it noted of people, by public key, and of groups. Times are unix seconds.

    {"npubs":  {"<npub or hex>": {"display_names": [["k0", 1739800000]], "first_seen", "notes": […], "preferences"}},
     "groups": {"<id>": {"purpose", "members": [[npub, name]], "themes": […], "decisions": [["…", 1739800000]]}}}

The program's own file has `display_name`, `last_interaction`, `first_seen_group` and `owner_notes` (older:
`guardian_notes`) of people, and `notes` and `last_activity` of groups; both are read. Notes have no times of their own:
they were made between the first and the last that is known of their person. Each record is read by itself.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from dnam.importers import order, stream
from dnam.importers.levels import level
from dnam.importers.npub import public_key
from dnam.importers.source import (
    Arrival,
    Channel,
    Format,
    ImportedItem,
    ImportFailed,
    NonEmpty,
    Options,
    Skipped,
    Where,
)
from dnam.importers.times import unix_ms
from projections.decisions.meet import Account
from projections.events.values import ItemType, SourceType
from projections.events.values import Source as ItemSource
from projections.ids import Ref

PLATFORM = "nostr"
FORMAT: Format = "snowclaw"
NOT_A_PERSON = "not in the form of an npub's memory"
NOT_A_GROUP = "not in the form of a group's memory"
NOT_A_KEY = "an npub that is no public key"
UNTIMED = "a memory without a time"
EMPTY = "an empty note"

Seconds = Annotated[int, msgspec.Meta(ge=0)]


class _Npub(msgspec.Struct):
    first_seen: Seconds = 0
    last_interaction: Seconds = 0
    first_seen_group: str | None = None
    display_name: str = ""
    display_names: list[tuple[str, Seconds]] = []
    notes: list[str] = []
    owner_notes: list[str] = []
    guardian_notes: list[str] = []
    preferences: dict[NonEmpty, str] = {}


class _Group(msgspec.Struct):
    purpose: str | None = None
    members: list[tuple[str, str]] = []
    members_seen: list[str] = []
    themes: list[str] = []
    notes: list[str] = []
    decisions: list[tuple[str, Seconds]] = []
    last_activity: Seconds = 0


class _Note(msgspec.Struct, frozen=True):
    """Something that was noted: its words, and what kind of thing it is. `at` is its own time in ms, if any."""

    text: str
    kind: str
    tag: str
    type: ItemType = "semantic"
    source: SourceType = "model"
    at: int | None = None


class _Whole(msgspec.Struct, frozen=True):
    """What the notes of one record have in common; `first` and `last` are bounds of when they were made, in ms."""

    account: Account | None
    where: Where
    name: str
    first: int
    last: int


class Snowclaw:
    """A file. Records are read one by one; what they say is small, and held to be given in order."""

    channels: tuple[Channel, ...] = ()

    def __init__(self, path: Path) -> None:
        self.path = path
        self.format = FORMAT

    def read(self, options: Options) -> Iterator[Arrival]:  # noqa: ARG002 - the file has no conversations
        """See `Source.read`."""
        broken: list[ImportFailed] = []
        found = list(order.until_broken(self._records(), broken))
        yield from sorted(found, key=lambda each: 0 if isinstance(each, Skipped) else each.said)
        if broken:
            raise broken[0]

    def _records(self) -> Iterator[ImportedItem | Skipped]:
        for key, value in stream.members(self.path, "npubs", "npub"):
            yield from _person(key, value)
        for key, value in stream.members(self.path, "groups", "group"):
            yield from _group(key, value)


# -- people --------------------------------------------------------------------------------------------------------


def _person(key: str, value: object) -> Iterator[ImportedItem | Skipped]:
    account = public_key(key)
    if account is None:
        yield Skipped(NOT_A_KEY, key)
        return
    try:
        npub = msgspec.convert(value, _Npub)
    except msgspec.ValidationError as error:
        yield Skipped(NOT_A_PERSON, f"{key}: {error}")
        return
    yield from _of_one(_of_person(account, npub), list(_noted(npub)))


def _of_person(account: str, npub: _Npub) -> _Whole:
    times = _times(npub.first_seen, npub.last_interaction, *(at for _, at in npub.display_names))
    newest = max(npub.display_names, key=lambda each: each[1], default=("", 0))[0]
    group = npub.first_seen_group
    found = level(FORMAT, "npub, first seen in a group" if group else "npub, of no known group")
    assert found.where is not None
    return _Whole(
        account=Account(PLATFORM, account, npub.display_name or newest),
        where=Where(found.where, Ref(PLATFORM, group) if group else None),
        name=f"npub/{account}",
        first=min(times, default=0),
        last=max(times, default=0),
    )


def _noted(npub: _Npub) -> Iterator[_Note]:
    for text in npub.notes:
        yield _Note(text, "fact", "note")
    for text in (*npub.owner_notes, *npub.guardian_notes):
        yield _Note(text, "fact", "owner-note", source="manual")
    for name, text in npub.preferences.items():
        yield _Note(f"{name}: {text}" if text.strip() else "", "preference", "preference")


# -- groups --------------------------------------------------------------------------------------------------------


def _group(key: str, value: object) -> Iterator[ImportedItem | Skipped]:
    try:
        group = msgspec.convert(value, _Group)
    except msgspec.ValidationError as error:
        yield Skipped(NOT_A_GROUP, f"{key}: {error}")
        return
    found = level(FORMAT, "group")
    assert found.where is not None
    times = _times(group.last_activity, *(at for _, at in group.decisions))
    place = Where(found.where, Ref(PLATFORM, key))
    whole = _Whole(None, place, f"group/{key}", min(times, default=0), max(times, default=0))
    yield from _of_one(whole, list(_known(group)))
    for member in (*group.members_seen, *(npub for npub, _ in group.members)):
        yield Skipped(level(FORMAT, "members of a group").why, f"{key}: {member}")


def _known(group: _Group) -> Iterator[_Note]:
    if group.purpose is not None:
        yield _Note(group.purpose, "fact", "purpose")
    for text in group.themes:
        yield _Note(text, "fact", "theme")
    for text in group.notes:
        yield _Note(text, "fact", "note")
    for text, at in group.decisions:
        yield _Note(text, "fact", "decision", "episodic", at=unix_ms(at))


# -- both ----------------------------------------------------------------------------------------------------------


def _times(*seconds: int) -> list[int]:
    found = (unix_ms(each) for each in seconds)
    return [each for each in found if each is not None]


def _of_one(whole: _Whole, notes: list[_Note]) -> Iterator[ImportedItem | Skipped]:
    for number, note in enumerate(notes, 1):
        place = f"{whole.name}, {note.tag} {number}"
        if not note.text.strip():
            yield Skipped(EMPTY, place)
        elif not (note.at or whole.last):
            yield Skipped(UNTIMED, place)
        else:
            yield _item(whole, note)


def _item(whole: _Whole, note: _Note) -> ImportedItem:
    return ImportedItem(
        account=whole.account,
        id="",
        kind=note.kind,
        text=note.text,
        tags=(note.tag,),
        status="active",
        source=ItemSource(note.source, place=whole.where.place),
        created=note.at or whole.first,
        updated=note.at or whole.last,
        program=FORMAT,
        key=f"{whole.name}/{note.tag}/{note.text}",
        where=whole.where,
        portable=whole.account is not None,
        dated=note.at is not None,
        about="person" if whole.account is not None else "guild",
        type=note.type,
    )
