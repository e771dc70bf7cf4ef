"""Which compartment a memory is put into, which ones a context opens, and on what each may rest (design §7).

Everything recalled lies in exactly one compartment, and only what every reader of an answer may see is open there: no
code fetches more and leaves out some of it.

    learned in    about the person             about the guild     shared
    ───────────   ──────────────────────────   ─────────────────   ───────────────────────────────────────────────
    guild         P, guild/G                   nobody, guild/G     P, person/P/everywhere, of whatever is P's own:
    channel       P, person/P/channel/C        as about P          by P, or by two keys (`promotion`)
    direct        P, person/P/direct           as about P

    asked in      opens of P's own                                            of nobody's
    ───────────   ─────────────────────────────────────────────────────────   ───────────────────────────────────
    guild         guild/G · person/P/everywhere                               guild/G · self
    channel       guild/G · person/P/channel/C · person/P/everywhere          guild/G · channel/C · self
    P's own DMs   person/P/direct · person/P/everywhere · guild/* ·           owner, where P is the owner · self
                  person/P/channel/C of every C that P can read now
    another DM    person/P/everywhere                                         self

    lies in               may rest on itself, on self, and on
    ───────────────────   ─────────────────────────────────────────────────────────────────────────────────────
    guild/G               -
    channel/C             guild/G, of the guild that C is in
    person/P/channel/C    channel/C, and guild/G of the guild that C is in
    person/P/direct       all of P's own, and what else P can read
    person/P/everywhere   -
    owner                 -
    self                  itself alone

What was said lies where its audience is: `channel/C` is also where that goes which a whole guild could read until fewer
could (`said_in`). Once all can read C again it opens `guild/G` alone: what lies in C's compartments is of the time when
fewer could, widening opens nothing old, and only P's own DMs open what is P's of it (`is_of_before`).

What is about the assistant itself, or its owner, is written by hand, or taken down by the answering model's tool in the
owner's own DMs; said by somebody else it is theirs. Of others who take part, a context opens what all who read the
answer could have heard from them (`opened_of`): nothing portable, and nothing in direct messages.
"""

from typing import NamedTuple

from projections.events.values import About, Audience, Item
from projections.ids import NOBODY, Handle, Ref
from projections.items import compartments_of
from projections.places import audience_of
from projections.rows import Rows

VERSION = "compartments@2"
SELF = "self"
OWNER = "owner"


class Setting(NamedTuple):
    """A context: who is being answered, who can read the answer, and in which guild.

    `besides` are compartments that the person's own DMs open by what only their platform knows: `owner`, and what was
    learned from them in channels that they can read now. Whoever asks the platform says it anew each time.
    """

    person: Handle
    audience: Audience
    guild: Ref | None = None
    besides: tuple[str, ...] = ()


class Opening(NamedTuple):
    """One owner's items in one compartment, which a context may read. NOBODY owns lore, `owner` and `self`."""

    owner: Handle
    compartment: str


def in_guild(guild: Ref) -> str:
    """What all of a guild can read."""
    return f"guild/{guild}"


def in_channel(place: Ref) -> str:
    """What was said in a restricted channel."""
    return f"channel/{place}"


def of_person_in(person: Handle, place: Ref) -> str:
    """What was learned from a person in a restricted channel."""
    return f"person/{person.hex()}/channel/{place}"


def direct(person: Handle) -> str:
    """A person's DMs."""
    return f"person/{person.hex()}/direct"


def everywhere(person: Handle) -> str:
    """A person's portable items."""
    return f"person/{person.hex()}/everywhere"


def is_portable(compartment: str) -> bool:
    """Whether what lies there is open wherever its person is answered."""
    return compartment.startswith("person/") and compartment.endswith("/everywhere")


def readers_place(compartment: str) -> Ref | None:
    """The restricted channel whose readers a compartment is for; None where it is for others."""
    match compartment.split("/", 3):
        case ["person", _, "channel", name]:
            return _ref(name)
        case ["channel", *_]:
            return _ref(compartment.removeprefix("channel/"))
        case _:
            return None


def guild_of(compartment: str) -> Ref | None:
    """The guild all of which a compartment is for; None where it is for others."""
    kind, _, name = compartment.partition("/")
    return _ref(name) if kind == "guild" else None


def is_of_before(rows: Rows, compartment: str) -> bool:
    """Whether it is for those who could read a channel when fewer could than now: no place opens it any more, and of
    what is a person's own their direct messages do.
    """
    place = readers_place(compartment)
    audience = None if place is None else audience_of(rows, place)
    return audience is not None and audience.kind == "guild"


def _ref(name: str) -> Ref:
    platform, _, key = name.partition(":")
    return Ref(platform, key)


# -- where something is put ------------------------------------------------------------------------------------------


def place(about: About, setting: Setting, *, shared: bool = False) -> Opening:
    """Where what is learned of a person in this context lives. `shared`: the two keys of `promotion` agree."""
    person, guild = setting.person, setting.guild
    if about == "guild" and guild is not None and setting.audience.kind == "guild":
        return Opening(NOBODY, in_guild(guild))
    return Opening(person, everywhere(person) if shared else place_item(setting))


def place_item(setting: Setting) -> str:
    """Where an item that a person teaches in this context lives: among those who could hear it, no wider."""
    match setting.audience.kind:
        case "direct":
            return direct(setting.person)
        case "guild" if setting.guild is not None:
            return in_guild(setting.guild)
        case _:
            return of_person_in(setting.person, setting.audience.place)


def audience_now(rows: Rows, audience: Audience) -> Audience:
    """Who can read now what was said to this audience: narrowing closes it at once, widening opens nothing old."""
    if audience.kind != "guild":
        return audience
    now = audience_of(rows, audience.place)
    if now is None or now == audience:
        return audience
    return now if now.kind == "channel" else Audience("channel", audience.place, audience.epoch)


def place_said(rows: Rows, person: Handle, audience: Audience, guild: Ref | None) -> str:
    """Where that is put which is learned of a person by what they once said to this audience."""
    return place_item(Setting(person, audience_now(rows, audience), guild))


def said_in(rows: Rows, audience: Audience, guild: Ref | None) -> str:
    """The compartment of what was said to an audience, as that can be read now."""
    match audience_now(rows, audience):
        case Audience(kind="direct") as between:
            return f"person/{between.place.key.removeprefix('dm:')}/direct"
        case Audience(kind="guild") if guild is not None:
            return in_guild(guild)
        case now:
            return in_channel(now.place)


# -- what a context opens ----------------------------------------------------------------------------------------------


def opened(rows: Rows, setting: Setting) -> tuple[Opening, ...]:
    """The person's own items that a context opens, and what belongs to nobody there."""
    own = (Opening(setting.person, compartment) for compartment in _own(rows, setting))
    return (*own, *(Opening(NOBODY, compartment) for compartment in _nobodys(setting)))


def opened_of(setting: Setting, other: Handle) -> tuple[Opening, ...]:
    """What a context opens of somebody else: what all who read the answer could have heard from them. Nothing portable,
    and nothing in direct messages.
    """
    if other == NOBODY or setting.audience.kind == "direct":
        return ()
    here = [in_guild(setting.guild)] if setting.guild is not None else []
    if setting.audience.kind == "channel":
        here.append(of_person_in(other, setting.audience.place))
    return tuple(Opening(other, compartment) for compartment in here)


def opens_source(rows: Rows, setting: Setting, item: Item) -> bool:
    """Whether those who read an item in a context can also read the place that it came from, and so may know of it.
    What is portable is open where its place is not.
    """
    place, guild = item.source.place, item.source.guild
    if not is_portable(item.compartment) or place in (None, setting.audience.place) or _is_own_direct(setting):
        return True
    audience = None if guild is None or guild != setting.guild else audience_of(rows, place)
    return audience is not None and audience.kind == "guild"


def _own(rows: Rows, setting: Setting) -> list[str]:
    person, guild = setting.person, setting.guild
    if person == NOBODY:
        return []
    if setting.audience.kind == "direct":
        return list(_in_direct(rows, setting)) if _is_own_direct(setting) else [everywhere(person)]
    here = [in_guild(guild)] if guild is not None else []
    if setting.audience.kind == "channel":
        here.append(of_person_in(person, setting.audience.place))
    return [*here, everywhere(person)]


def _is_own_direct(setting: Setting) -> bool:
    """Whether this is the DM of whoever is answered."""
    return setting.person != NOBODY and setting.audience.place.key == f"dm:{setting.person.hex()}"


def _in_direct(rows: Rows, setting: Setting) -> tuple[str, ...]:
    person = setting.person
    taught = (each for each in compartments_of(rows, person) if each.startswith("guild/"))
    told = (each for each in setting.besides if each.startswith(f"person/{person.hex()}/channel/"))
    return direct(person), everywhere(person), *taught, *told


def _nobodys(setting: Setting) -> list[str]:
    if setting.audience.kind == "direct":
        owners = _is_own_direct(setting) and OWNER in setting.besides
        return [OWNER, SELF] if owners else [SELF]
    here = [in_guild(setting.guild)] if setting.guild is not None else []
    if setting.audience.kind == "channel":
        here.append(in_channel(setting.audience.place))
    return [*here, SELF]


# -- on what it may rest -----------------------------------------------------------------------------------------------


def may_rest(at: Opening, on: Opening, guild: Ref | None, reads: frozenset[str] = frozenset()) -> bool:
    """Whether what lies `at` an owner and compartment may draw on what lies there: nobody may read more by it.

    Of what was said the owner is who said it. `guild` is the one in which the channel of `at` is; `reads` is what else
    the person of `at` can read, as far as anybody knows.
    """
    here, there = at.compartment, on.compartment
    if here == there or (there == SELF and here != SELF):
        return True
    match here.split("/", 3):
        case ["person", person, "direct"]:
            own = there.startswith(f"person/{person}/") or (on.owner.hex() == person and there != OWNER)
            return own or there in reads
        case ["person", _, "channel", place]:
            return there == f"channel/{place}" or _is_guild(there, guild)
        case ["channel", *_]:
            return _is_guild(there, guild)
        case _:
            return False


def _is_guild(compartment: str, guild: Ref | None) -> bool:
    return guild is not None and compartment == in_guild(guild)
