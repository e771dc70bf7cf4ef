"""Scopes as people name them, and configuring one: the same for the command line and for `!memory config`.

    global                everything
    guild/ID, guild       a guild; the one where it is asked
    channel/ID, here      a channel, thread or group; the one where it is asked
    person/USER, me       a person of whom something was heard; whoever asks, who is a `person` without a name too

ID is Discord's, or `platform:id`, or the name of a place that dnam knows; of a channel also `#name`. In Discord, what
its server lists is known too, also where nothing was said yet (`Listed`).
"""

import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from dnam.access import Access
from dnam.errors import Ambiguous, Unknown
from dnam.finding import place_words, the_person
from dnam.secrets import place_without_secrets
from projections.config import GLOBAL, Scope
from projections.decisions.configure import ConfigRequest, configure
from projections.decisions.draft import Origin
from projections.decisions.place import PlaceSeen, describe_unheard, place_ref
from projections.errors import BadRequest
from projections.events.values import By
from projections.ids import DISCORD, NOBODY, EventId, Handle, Ref
from projections.people import name_of
from projections.places import PLACES, PlaceRow, find_place
from projections.quoting import in_quotes
from projections.rows import Rows

FORMS = "global, guild/ID, channel/ID, person/USER"
HERE = ", guild, here, me; as `config set me learn=none`"
CHANNEL = re.compile(r"<#([0-9]{1,20})>")
"""A channel as a client writes it, where it is not spelled out."""
ACCOUNT = re.compile(r"(?:[a-z]{1,32}:)?[0-9]{1,20}")
"""Somebody by their id on a platform."""

Listed = Callable[[str], tuple[PlaceSeen, ...]]
"""The channels of a guild that go by an id or a name, as its platform lists them now."""


class Here(NamedTuple):
    """Where it is asked, and by whom; nowhere on the command line."""

    person: Handle = NOBODY
    place: Ref | None = None
    guild: Ref | None = None


def named_kind(text: str) -> str:
    """What a scope by its id or name is one of: person, guild, channel; empty for one that names nothing."""
    kind, name = _parts(text)
    return kind if name and kind in ("person", "guild", "channel") else ""


def listed_as(listed: Listed, text: str) -> tuple[PlaceSeen, ...]:
    """The channels that a scope may mean, as their platform lists them."""
    kind, name = _parts(text)
    return listed(name) if kind == "channel" and name else ()


def _parts(text: str) -> tuple[str, str]:
    kind, _, name = text.strip().partition("/")
    if kind.startswith(("#", "<#")):
        kind, name = "channel", text.strip()
    return kind.casefold(), CHANNEL.sub(r"\1", name.strip()).removeprefix("#")


def the_scope(
    rows: Rows,
    text: str,
    here: Here = Here(),  # noqa: B008 - a constant
    within: Ref | None = None,
    listed: Collection[PlaceSeen] = (),
) -> Scope:
    """Which scope is meant. BadRequest, Unknown and Ambiguous say what there is; of places, what there is `within` a
    guild, where one is given: then what is anywhere else is Unknown. `listed` are channels that may be meant, and that
    are there, whatever is known of them.
    """
    match _parts(text):
        case "global", "":
            return GLOBAL
        case "me" | "person", "" if here.person:
            return Scope("person", person=here.person)
        case "here", "" if here.place is not None:
            return Scope("channel", here.place)
        case "guild", "" if here.guild is not None:
            return Scope("guild", here.guild)
        case "person", who if who:
            return Scope("person", person=_person(rows, who))
        case ("guild" | "channel") as which, name if name:
            return Scope(
                "guild" if which == "guild" else "channel", _place(rows, which == "guild", name, within, listed)
            )
        case _:
            raise BadRequest(f"{in_quotes(text)} is no scope: {FORMS}{HERE if here.place else ''}")


def _person(rows: Rows, who: str) -> Handle:
    """Who is meant, without whose name is near: others may read it. Of whom nothing was heard yet nobody keeps
    anything, not even what holds for them.
    """
    try:
        return the_person(rows, who, says_near=False)
    except Unknown:
        if ACCOUNT.fullmatch(who) is None:
            raise
        raise Unknown(
            f"nothing was heard from {in_quotes(who)} yet: what holds for a person can be set once something was"
        ) from None


def _place(rows: Rows, is_guild: bool, name: str, within: Ref | None, listed: Iterable[PlaceSeen]) -> Ref:
    """A place by its id or its name; an id may be of one that dnam has not seen yet."""
    platform, colon, key = name.partition(":")
    ref = Ref(platform, key) if colon else Ref(DISCORD, name)
    refs = [place_ref(each) for each in listed]
    if ref in refs or _may_be(rows, ref, within):
        return ref
    known = (
        found.row.place
        for found in rows.scan(PLACES)
        if found.row.name.casefold() == name.casefold()
        and (found.row.kind == "guild") == is_guild
        and _is_in(found.row, within)
    )
    named = tuple(dict.fromkeys((*known, *refs)))
    if not named:
        raise Unknown(f"dnam knows no {'guild' if is_guild else 'channel'} {in_quotes(name)}: give its id")
    if len(named) > 1:
        raise Ambiguous(f"{in_quotes(name)} may be any of", tuple(map(str, sorted(named))))
    return named[0]


def _may_be(rows: Rows, ref: Ref, within: Ref | None) -> bool:
    """Whether this is a place, as far as anybody knows."""
    seen = find_place(rows, ref)
    if seen is not None and _is_in(seen.row, within):
        return True
    return within in (None, ref) and ref.key.isascii() and ref.key.isdecimal()


def _is_in(row: PlaceRow, guild: Ref | None) -> bool:
    """Whether a place is a guild or in it; with none given, any is."""
    return guild is None or guild in (row.place, row.guild)


def is_seen(rows: Rows, scope: Scope) -> bool:
    """Whether dnam knows the place that is meant, where one is: any id can be given."""
    return scope.ref is None or find_place(rows, scope.ref) is not None


def scope_words(rows: Rows, scope: str) -> str:
    """A stored scope with the name that people know it by."""
    kind, _, what = scope.partition("/")
    match kind:
        case "person":
            return f"person/{name_of(rows, Handle(bytes.fromhex(what)))}"
        case "guild" | "channel":
            name = place_words(rows, what)
            return scope if name == what else f"{scope} ({name})"
        case _:
            return scope


def assignment(text: str) -> tuple[str, str]:
    """KEY=VALUE in its two parts; also `KEY VALUE`."""
    key, sign, value = text.partition("=")
    if not sign:
        key, _, value = text.strip().partition(" ")
    if not key.strip() or not value.strip():
        raise BadRequest(f"{in_quotes(text)} sets nothing: write KEY=VALUE, as respond_mode=all")
    return key.strip(), value.strip()


def caution(key: str, value: str | None) -> str:
    """What somebody should know of what they set; empty where there is nothing."""
    if (key, value) == ("respond_mode", "none"):
        return (
            "in Discord, typed commands (`!memory`) are not answered there either, and a terminal still answers: "
            "`/memory config` takes it back"
        )
    return ""


async def meet_channel(memory: Access, scope: Scope, listed: Iterable[PlaceSeen]) -> None:
    """Record of the channel that is meant to which guild it belongs, and what it is called, where only its platform's
    list said so.
    """
    meant = next((place_without_secrets(each) for each in listed if place_ref(each) == scope.ref), None)
    if meant is not None:
        said, origin = memory.now(), memory.origin()
        await memory.record(lambda rows: describe_unheard(rows, meant, said, origin))


async def set_config(
    memory: Access,
    scope: Scope,
    key: str,
    value: str | None,
    by: By,
    *,
    undoes: EventId | None = None,
    origin: Origin | None = None,
) -> bool:
    """Give a key of a scope a value, or None; in force with the next message. Whether that changed anything.
    `undoes` is the event of the same person that it takes back; `origin` is what its platform calls the request.
    """
    request = ConfigRequest(scope, key, value, by, origin or memory.origin(), memory.now(), undoes)
    return bool((await memory.record(lambda rows: configure(rows, request))).events)
