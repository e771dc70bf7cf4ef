"""What a program hands in, also one that no checker of types has seen: refused in words that name the argument, before
anything is looked at or recorded.
"""

from dnam.errors import Unknown
from projections.errors import BadRequest
from projections.ids import NOBODY, Handle

HANDLE_BYTES = 16
NOBODY_MEANT = (
    "this handle is nobody's: whoever it was taken from is not known here, or asked that nothing of theirs is kept"
)


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


def whole_number(**given: object) -> None:
    """BadRequest where one of these is no whole number."""
    for name, value in given.items():
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadRequest(f"`{name}` is a whole number, not {_kind(value)}")


def of_kind(kind: type, **given: object) -> None:
    """BadRequest where one of these is nothing of this kind."""
    for name, value in given.items():
        if not isinstance(value, kind):
            raise BadRequest(f"`{name}` is a {kind.__name__}, not {_kind(value)}")


def handle(given: bytes) -> Handle:
    """A handle as it stands in `heard.person`. Unknown for nobody's, BadRequest for what is none."""
    if given == NOBODY:
        raise Unknown(NOBODY_MEANT)
    if len(given) != HANDLE_BYTES:
        raise BadRequest(f"a handle has {HANDLE_BYTES} bytes, not {len(given)}; a platform's id is a string")
    return Handle(given)


def _kind(value: object) -> str:
    """What something is, without saying it: it may be somebody's words."""
    return "None" if value is None else type(value).__name__
