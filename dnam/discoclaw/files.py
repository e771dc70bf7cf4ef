"""A memory as DiscoClaw's own files: `durable/<user id>.json` and `rolling/<session>.json`, in the form of version 2.

The durable file of a user says nothing of where an item holds: DiscoClaw puts it into every answer to that user. So
only what every reader of such an answer may see goes into it:

    goes in      P's portable items (`person/P/everywhere`), and P's items of the one guild that the files are for
    stays out    what was learned in direct messages and restricted channels, items of other guilds, what is nobody's,
                 what a person took back

A rolling file is read in its own session only, so every session of Discord has one. Statuses fold into two: whatever
is not active any more is deprecated. People and sessions of other platforms have no name in this form.

A file depends on rows alone, so two exports of one memory are the same bytes. What a channel is called is not in it: a
name changes without the items, and may be of a channel that not everybody knows of.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from dnam.finding import compartment_class
from projections.errors import BadRequest
from projections.events.values import Item, Source
from projections.ids import DISCORD, Handle, Ref
from projections.items import items_of
from projections.lookup import people
from projections.people import AccountRow, accounts_of
from projections.places import PLACES, PlaceRow, audience_of, find_place, place_of
from projections.policies.compartments import everywhere, in_guild
from projections.policies.kinds import DEFAULT_KIND, DNAM_KINDS
from projections.quoting import in_quotes
from projections.rows import Rows
from projections.summaries import find_summary

DURABLE, ROLLING = "durable", "rolling"
VERSION = 2
FORM = 1
"""Which rules these are: a mirror of others is made anew."""
SNOWFLAKE = re.compile(r"[0-9]{1,20}")
SESSION = re.compile(r"discord:(channel|thread):([0-9]{1,20})")

OTHER_PLATFORM = "people without a Discord account: the form names its files after one"
OTHER_SESSION = "summaries of sessions outside of Discord"
ELSEWHERE = {
    "direct": "items from direct messages: a durable file is read in every channel",
    "channel": "items from restricted channels: a durable file is read in every channel",
    "guild": "items of another guild, or of one of several: --guild says which one the files are for",
}
NOT_THEIRS = "items that belong to nobody, or to the assistant or its owner"
TAKEN_BACK = "items that a person took back"
SAME_ID = "items whose id is also that of another one of the same person: the active, newer one counts"


class FilesOf(NamedTuple):
    """Files by name, `durable/1.json`; None where there is to be none. `left_out` counts by reason what is in none."""

    files: dict[str, bytes | None]
    left_out: Counter[str]


def guilds(rows: Rows) -> list[Ref]:
    """Every guild of Discord that is known."""
    places = [found.row for found in rows.scan(PLACES)]
    known = {each.guild for each in places} | {each.place for each in places if each.kind == "guild"}
    return sorted(each for each in known if each is not None and each.platform == DISCORD)


def only_guild(rows: Rows) -> Ref | None:
    """The guild that the files are for, when nobody says which: the only one that there is."""
    known = guilds(rows)
    return known[0] if len(known) == 1 else None


def the_guild(rows: Rows, text: str) -> Ref:
    """A guild by its id or its name. BadRequest says which there are."""
    known = {each: _name(rows, each) for each in guilds(rows)}
    exact = [each for each in known if text in (each.key, str(each))]
    found = exact or [each for each, name in known.items() if name.casefold() == text.casefold()]
    if not known:
        raise BadRequest(f"which guild is {in_quotes(text)}? No guild is known here")
    if len(found) != 1:
        listed = ", ".join(f"{name or 'unnamed'} ({each.key})" for each, name in known.items())
        raise BadRequest(f"which guild is {in_quotes(text)}? There are: {listed}")
    return found[0]


def _name(rows: Rows, place: Ref) -> str:
    found = find_place(rows, place)
    return "" if found is None else found.row.name


def all_files(rows: Rows, guild: Ref | None) -> FilesOf:
    """Every file of a memory."""
    whole = FilesOf({}, Counter())
    of_people = (of_person(rows, person, guild) for person in people(rows))
    for each in chain(of_people, (of_session(rows, session) for session in sessions(rows))):
        whole.files.update((name, data) for name, data in each.files.items() if data is not None)
        whole.left_out.update(each.left_out)
    return whole


def sessions(rows: Rows) -> list[str]:
    """Every session there is."""
    return sorted(found.row.session for found in rows.scan(PLACES) if found.row.session)


# -- durable -------------------------------------------------------------------------------------------------------


def of_person(rows: Rows, person: Handle, guild: Ref | None) -> FilesOf:
    """A person's durable files, the same one for each account that they have on Discord."""
    left_out: Counter[str] = Counter()
    accounts = _accounts(rows, person)
    items = list(_items(rows, person, guild, left_out))
    if not accounts:
        return FilesOf({}, Counter({OTHER_PLATFORM: 1}) if items or left_out else Counter())
    data = _durable(items) if items else None
    return FilesOf({f"{DURABLE}/{each.platform_id}.json": data for each in accounts}, left_out)


def _accounts(rows: Rows, person: Handle) -> list[AccountRow]:
    """A person's accounts on Discord, the oldest first."""
    own = (found.row for found in accounts_of(rows, person))
    known = [each for each in own if each.platform == DISCORD and SNOWFLAKE.fullmatch(each.platform_id)]
    return sorted(known, key=lambda each: (len(each.platform_id), each.platform_id))


def _items(rows: Rows, person: Handle, guild: Ref | None, left_out: Counter[str]) -> Iterator[Item]:
    opened = {everywhere(person), *([in_guild(guild)] if guild is not None else [])}
    best: dict[str, Item] = {}
    for item in (found.row.item for found in items_of(rows, person)):
        if item.status == "forgotten":
            left_out[TAKEN_BACK] += 1
        elif item.compartment not in opened:
            left_out[ELSEWHERE.get(compartment_class(item.compartment), NOT_THEIRS)] += 1
        else:
            left_out[SAME_ID] += item.id in best
            best[item.id] = max(best.get(item.id, item), item, key=_rank)
    left_out += Counter()  # drops what was counted zero times
    yield from sorted(best.values(), key=lambda each: (each.created, each.id))


def _rank(item: Item) -> tuple[bool, int, str]:
    return item.status == "active", item.updated, item.compartment


def _durable(items: list[Item]) -> bytes:
    updated = max(each.updated for each in items)
    return _json({"version": VERSION, "updatedAt": updated, "items": [_item(each) for each in items]})


def _item(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "kind": item.kind if item.kind in DNAM_KINDS else DEFAULT_KIND,
        "text": item.text,
        "tags": item.tags,
        "status": "active" if item.status == "active" else "deprecated",
        "source": _source(item.source),
        "createdAt": item.created,
        "updatedAt": item.updated,
        "hitCount": item.hits,
        "lastHitAt": item.last_hit or 0,
    }


SOURCE_TYPES: Mapping[str, str] = {"discord": "discord", "manual": "manual", "model": "summary", "import": "import"}


def _source(source: Source) -> dict[str, str]:
    found = {
        "type": SOURCE_TYPES[source.type],
        "channelId": _key(source.place),
        "messageId": _key(source.message),
        "guildId": _key(source.guild),
    }
    return {name: value for name, value in found.items() if value}


def _key(ref: Ref | None) -> str:
    """Discord's id of a place or a message; a DM is named after a handle, which is none."""
    return ref.key if ref is not None and ref.platform == DISCORD and SNOWFLAKE.fullmatch(ref.key) else ""


# -- rolling -------------------------------------------------------------------------------------------------------


def of_session(rows: Rows, session: str) -> FilesOf:
    """A session's rolling file, or that there is to be none."""
    place = place_of(rows, session)
    if place is None:
        return FilesOf({}, Counter())
    audience = audience_of(rows, place.row.place)
    found = find_summary(rows, session, 0 if audience is None else audience.epoch)
    name = _file_name(rows, session, place.row)
    if found is None or not found.row.text:
        return FilesOf({name: None} if name else {}, Counter())
    if not name:
        return FilesOf({}, Counter({OTHER_SESSION: 1}))
    return FilesOf({name: _json({"summary": found.row.text, "updatedAt": found.row.said})}, Counter())


def _file_name(rows: Rows, session: str, place: PlaceRow) -> str:
    """`rolling/discord-channel-1.json`: what no file name may hold is `-`, as DiscoClaw has it."""
    if place.person:
        accounts = _accounts(rows, place.person) if place.place.platform == DISCORD else []
        return f"{ROLLING}/{DISCORD}-dm-{accounts[0].platform_id}.json" if accounts else ""
    named = SESSION.fullmatch(session)
    return f"{ROLLING}/{DISCORD}-{named[1]}-{named[2]}.json" if named else ""


def _json(value: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
