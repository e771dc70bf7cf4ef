"""What a program hands in, also one that no checker of types has seen: refused in words that name the argument, before
anything is looked at or recorded.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar, get_args

from dnam.errors import Unknown
from dnam.times import LATEST_MS
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.events.values import ActorKind, By
from projections.ids import NOBODY, Handle, Ref
from projections.policies.compartments import OWNER, SELF, Setting, direct, everywhere

T = TypeVar("T")
HANDLE_BYTES = 16
NOBODY_MEANT = (
    "this handle is nobody's: whoever it was taken from is not known here, or asked that nothing of theirs is kept"
)
MESSAGE_MEANT = "a message is known by its id on its platform"
HANDLES_FROM = "take it from `heard.person`, or from `await memory.person(...)`"


def strings(**given: object) -> None:
    """BadRequest where one of these is no string."""
    for name, value in given.items():
        if not isinstance(value, str):
            raise BadRequest(f"`{name}` is a string, not {_kind(value)}")


def names(**given: object) -> None:
    """The same of what a platform calls something: BadRequest also where that holds half a character, which no id can
    be made from.
    """
    strings(**given)
    for name, value in given.items():
        try:
            str(value).encode()
        except UnicodeEncodeError:
            raise BadRequest(f"`{name}` has half a character in it (a surrogate): no id can be made from it") from None


def identified(**given: object) -> None:
    """The same of what somebody or something is known by, which cannot be empty."""
    names(**given)
    for name, value in given.items():
        if not value:
            raise BadRequest(f"`{name}` is empty: people are known by an id of theirs on a platform")


def message_key(key: object) -> None:
    """BadRequest for what is no platform's id of a message."""
    names(key=key)
    if not key:
        raise BadRequest(f"`key` is empty: {MESSAGE_MEANT}")


def message_keys(keys: str | Iterable[str]) -> tuple[str, ...]:
    """A platform's ids of messages, one or as many as are in a list, each once and in order. BadRequest where one is
    none.
    """
    found = (keys,) if isinstance(keys, str) else each(str, keys=keys)
    for key in found:
        names(keys=key)
        if not key:
            raise BadRequest(f"one of `keys` is empty: {MESSAGE_MEANT}")
    return tuple(dict.fromkeys(found))


def times(**given: int | None) -> None:
    """BadRequest where one of these is no time in ms since 1970, in a year that there is; None, which is the present,
    may be.
    """
    for name, value in given.items():
        if value is not None:
            whole_number(**{name: value})
            wrong = _beyond(value)
            if wrong:
                raise BadRequest(f"`{name}` is ms since 1970, and {value} lies {wrong}")


def whole_number(**given: object) -> None:
    """BadRequest where one of these is no whole number."""
    for name, value in given.items():
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadRequest(f"`{name}` is a whole number, not {_kind(value)}")


def of_kind(kind: type, **given: object) -> None:
    """BadRequest where one of these is nothing of this kind."""
    for name, value in given.items():
        if not isinstance(value, kind):
            raise BadRequest(f"`{name}` is {_a(kind)}, not {_kind(value)}")


def account(given: object) -> None:
    """BadRequest for what is no account, or has an id that is no string, as a platform's own library may have it."""
    _account("account", given)


def _account(name: str, given: object) -> None:
    of_kind(Account, **{name: given})
    assert isinstance(given, Account)
    identified(**{f"{name}.platform": given.platform, f"{name}.id": given.id})
    strings(**{f"{name}.name": given.name, f"{name}.username": given.username})


def place(given: object) -> None:
    """The same of a place. One that is direct is somebody's: else all who speak in such a one would share it."""
    of_kind(PlaceSeen, place=given)
    assert isinstance(given, PlaceSeen)
    identified(**{"place.platform": given.platform})
    names(**{"place.key": given.key})
    strings(**{"place.name": given.name, "place.guild_name": given.guild_name})
    for name, ref in {"guild": given.guild, "parent": given.parent, "readers": given.readers}.items():
        if ref is not None:
            of_kind(Ref, **{f"place.{name}": ref})
            names(**{f"place.{name}.platform": ref.platform, f"place.{name}.key": ref.key})
    if given.partner is not None:
        _account("place.partner", given.partner)
    elif given.audience == "direct":
        raise BadRequest("`place.partner` is missing: a direct conversation is somebody's")


def perhaps(kind: type, **given: object) -> None:
    """The same of what may be left out, which None does."""
    of_kind(kind, **{name: value for name, value in given.items() if value is not None})


def each(kind: type, **given: Iterable[T]) -> tuple[T, ...]:
    """What is in the one that is given. BadRequest where that holds nothing, or something of another kind."""
    ((name, values),) = given.items()
    if not isinstance(values, Iterable):
        raise BadRequest(f"`{name}` is a list in which each is {_a(kind)}, not {_kind(values)}")
    found = tuple(values)
    for value in found:
        if not isinstance(value, kind):
            raise BadRequest(f"each of `{name}` is {_a(kind)}, not {_kind(value)}")
    return found


def path(given: object) -> None:
    """BadRequest for what is no path."""
    if not isinstance(given, (str, Path)):
        raise BadRequest(f"`path` is a string or a Path, not {_kind(given)}")


def acting(by: object, setting: object) -> None:
    """BadRequest where who acts is no By, or where they do is no Setting; None, which is the person themself and all
    that is theirs, may be.
    """
    if by is not None:
        actor(by)
    perhaps(Setting, setting=setting)


def actor(by: object) -> None:
    """BadRequest where this is no By that a log could keep: of another kind, or of a person without a handle. Whether
    there is such a person, the rows tell (`Access`).
    """
    of_kind(By, by=by)
    assert isinstance(by, By)
    if by.kind not in get_args(ActorKind):
        raise BadRequest(f"`by` is of a kind that there is not: one of {', '.join(get_args(ActorKind))}")
    if by.kind != "person":
        return
    of_kind(bytes, **{"by.person": by.person})
    if len(by.person) != HANDLE_BYTES:
        raise BadRequest(f"`by` is a person without a handle of {HANDLE_BYTES} bytes: {HANDLES_FROM}")


def nobodys(compartment: object) -> None:
    """BadRequest for what is no compartment that something of nobody's may lie in."""
    strings(compartment=compartment)
    assert isinstance(compartment, str)
    if compartment not in (SELF, OWNER) and not _is_of_a_place(compartment, "guild/", "channel/"):
        raise BadRequest(
            f"`compartment` is {SELF!r}, {OWNER!r}, or `guild/PLATFORM:ID` of a server: what is a person's own, "
            "`remember` keeps"
        )


def of_owner(compartment: object, owner: Handle) -> None:
    """BadRequest for what is no compartment that an item of this owner's may lie in."""
    strings(compartment=compartment)
    assert isinstance(compartment, str)
    if compartment in (direct(owner), everywhere(owner)):
        return
    if not _is_of_a_place(compartment, "guild/", f"person/{owner.hex()}/channel/"):
        raise BadRequest("`compartment` is one that the item came from: nothing of its owner's may lie in another one")


def _is_of_a_place(compartment: str, *kinds: str) -> bool:
    """Whether it is one of these kinds, and names a platform and what that calls the place."""
    named = next((compartment.removeprefix(kind) for kind in kinds if compartment.startswith(kind)), "")
    return all(named.partition(":"))


def functions(**given: object) -> None:
    """BadRequest where one of these cannot be called."""
    for name, value in given.items():
        if not callable(value):
            raise BadRequest(f"`{name}` is a function, not {_kind(value)}")


def handle(given: bytes) -> Handle:
    """A handle as it stands in `heard.person`. Unknown for nobody's, BadRequest for what is none."""
    if given == NOBODY:
        raise Unknown(NOBODY_MEANT)
    if len(given) != HANDLE_BYTES:
        raise BadRequest(f"a handle has {HANDLE_BYTES} bytes, not {len(given)}; a platform's id is a string")
    return Handle(given)


def _beyond(said: int) -> str:
    return "before that" if said < 0 else "behind the year 9999" if said > LATEST_MS else ""


def _a(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"


def _kind(value: object) -> str:
    """What something is, without saying it: it may be somebody's words."""
    return "None" if value is None else type(value).__name__
