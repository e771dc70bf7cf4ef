"""Who and where a request is about: from what a person said or typed to handles, settings and openings."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from dnam.errors import Ambiguous, Unknown
from dnam.nearest import or_near
from dnam.secrets import redacted
from projections.counting import counted
from projections.decisions.hear import HeardRequest, accounts, message_identity
from projections.decisions.meet import Account, is_unwelcome
from projections.decisions.place import PlaceSeen, place_ref, refuse_other_guild, seen_audience, session_of
from projections.events.values import Audience, Message
from projections.ids import NOBODY, EventId, Handle, Point, Ref
from projections.items import items_of
from projections.lookup import find_namesakes, person_card
from projections.messages import key_point
from projections.people import ACCOUNTS, name_of, person_of
from projections.places import audience_of
from projections.policies.compartments import Opening, Setting, direct, opened
from projections.quoting import in_quotes
from projections.rows import Rows
from projections.said import END, backwards

LOCAL = "local"
"""The platform of whoever talks to a memory directly: in a terminal, or through the library."""


class Heard(NamedTuple):
    """A message that was heard, and where: what a context and an answer are made for. `account` is a keyed hash of who
    said it, also where they are nobody; it is recorded nowhere.
    """

    point: Point
    session: str
    place: Ref
    setting: Setting
    text: str
    name: str
    account: bytes = b""

    @property
    def person(self) -> Handle:
        """Who said it."""
        return self.setting.person


def new_handle() -> Handle:
    """A person nobody knows yet."""
    return Handle(os.urandom(16))


def with_handles(request: HeardRequest) -> HeardRequest:
    """The request as it may be recorded: with a fresh handle for everybody it names, and without secrets."""
    return redacted(request)._replace(fresh=tuple(new_handle() for _ in accounts(request)))


def locate(rows: Rows, request: HeardRequest) -> Heard:
    """Where a message is, after it was heard. Who opted out is nobody, and their message lies nowhere."""
    place = request.place
    partner = _heard_from(rows, place.partner, request.said) if place.partner else NOBODY
    speaker = _heard_from(rows, request.speaker, request.said) if request.author == "person" else NOBODY
    ref = place_ref(place, partner)
    audience = audience_of(rows, ref) or seen_audience(place, ref)
    heard = rows.ids.event_id(message_identity(place.platform, request.key, "heard", request.said))
    return Heard(
        point=Point(request.said, heard),
        session=session_of(place, partner),
        place=ref,
        setting=Setting(speaker, audience, place.guild),
        text=request.text,
        name=name_of(rows, speaker),
        account=rows.ids.keyed_hash(request.speaker.platform, request.speaker.id),
    )


def drafted(rows: Rows, request: HeardRequest, message: Message, heard: EventId) -> Heard:
    """Where a message is that is to be recorded so, as this event: its decision looked that up."""
    return Heard(
        point=Point(message.said, heard),
        session=message.session,
        place=message.place,
        setting=Setting(message.speaker, message.audience, message.guild),
        text=message.text,
        name=name_of(rows, message.speaker),
        account=rows.ids.keyed_hash(request.speaker.platform, request.speaker.id),
    )


def asked_in(rows: Rows, who: Account, place: PlaceSeen) -> tuple[Setting, str]:
    """In which setting and session somebody asks something of the memory. Who opted out is known there: what was kept
    before is theirs to see and to take back. An audience that was never recorded is the one seen.
    BadRequest for a place that is known as another guild's.
    """
    refuse_other_guild(rows, place)
    partner = handle_of(rows, place.partner) if place.partner else NOBODY
    ref = place_ref(place, partner)
    audience = audience_of(rows, ref) or seen_audience(place, ref)
    if (audience.kind, place.audience) == ("guild", "channel"):  # narrowed, and not recorded yet
        audience = seen_audience(place, ref, audience.epoch)
    return Setting(handle_of(rows, who), audience, place.guild), session_of(place, partner)


def is_one_person(rows: Rows, one: Account, other: Account) -> bool:
    """Whether two accounts are known as the same person's."""
    person = handle_of(rows, one)
    return person != NOBODY and person == handle_of(rows, other)


def _heard_from(rows: Rows, account: Account, said: int) -> Handle:
    """Whose account it is, as far as what they said then is recorded."""
    return NOBODY if is_unwelcome(rows, account, said) else handle_of(rows, account)


def handle_of(rows: Rows, account: Account) -> Handle:
    """Whose account it is; NOBODY when nobody knows it."""
    found = person_of(rows, account.platform, account.id)
    return NOBODY if found is None else found.row.person


def last_said(rows: Rows, session: str, epoch: int) -> Point | None:
    """The last message or answer of a session."""
    newest = next(backwards(rows, session, epoch, END), None)
    return None if newest is None else key_point(newest.key)


def in_direct(person: Handle, platform: str = LOCAL) -> Setting:
    """A person's own direct messages."""
    return Setting(person, Audience("direct", Ref(platform, f"dm:{person.hex()}")))


def openings_for(rows: Rows, person: Handle, setting: Setting | None) -> tuple[Opening, ...]:
    """Where a person's own items may be changed: what the setting opens, or everywhere that they have any."""
    if setting is not None:
        return tuple(each for each in opened(rows, setting) if each.owner == person)
    everywhere = dict.fromkeys(found.row.item.compartment for found in items_of(rows, person))
    return tuple(Opening(person, each) for each in (*everywhere, *({direct(person)} - everywhere.keys())))


def the_one(rows: Rows, user: str, found: Sequence[Handle], *, says_near: bool = False) -> Handle:
    """The one person meant. `says_near`: of a name that nobody has, which is most like it."""
    if not found:
        namesakes = find_namesakes(rows, user)
        if namesakes:
            raise Ambiguous(f"{in_quotes(user)} may be any of", tuple(_described(rows, each) for each in namesakes))
        names = [each.row.name for each in rows.scan(ACCOUNTS)] if says_near else []
        near = or_near(user.strip().removeprefix("@"), names)
        raise Unknown(f"nobody here goes by {in_quotes(user)}{near} `dnam people` lists everybody")
    if len(found) > 1:
        raise Ambiguous(f"{in_quotes(user)} may be any of", tuple(_described(rows, each) for each in found))
    return found[0]


def _described(rows: Rows, person: Handle) -> str:
    card = person_card(rows, person)
    ids = ", ".join(f"{each.platform}:{each.platform_id}" for each in card.accounts)
    return f"{card.name}  {ids}  ({counted(card.messages, 'message')})"
