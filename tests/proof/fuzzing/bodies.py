"""Headers and bodies of events, changed as trees: what is in msgspec, in C, shows a fuzzer no coverage, so that changed
bytes alone would hardly ever be a body again.

    a kind, each as often ──▶ one of its bodies ──▶ its tree, changed in some places ──▶ bytes
    what the fuzzer has   ──────────────────────▶ bytes changed as it likes, one time of five
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any

import msgspec

from projections.events import EVENTS
from replay import codec
from tests.generator import fixed_story
from tests.proof.fuzzing.corpus import CORPUS

Raw = Callable[[bytes, int], bytes]
"""Bytes, changed in any way to at most so many."""
MOST_OF_A_KIND, STEPS = 8, 400
RAW, ALIKE = 0.2, 0.55
"""How often bytes are changed, and how often each value stays of its type; else anything may stand anywhere."""
NUMBERS = (0, 1, -1, 127, 128, 255, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, -(2**31), -(2**63))
TEXTS = ("", "\x00", "a" * 5_000, "\u202e", "\ufffd", "🦊" * 40, "e\u0301", "$[...", "null", "-0", "../..", "{}")
STRANGE: tuple[Any, ...] = (
    *NUMBERS, *TEXTS, None, True, False, 0.5, float("nan"), float("inf"), b"", b"\xff" * 33, [], {}, [[]], {"": {}},
    msgspec.msgpack.Ext(5, b"some"), msgspec.msgpack.Ext(-1, b"\xff" * 12),
)  # fmt: skip
LYING = tuple(
    msgspec.Raw(each)
    for each in (
        b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff",
        b"\xc9\xff\xff\xff\xff\x05", b"\xdc\x00\x02\xc0", b"\x82\xa1a\x01\xa1a\x02", b"\x81\x01\x02", b"\xa2\xed\xa0",
        b"\xc1", b"",
    )
)  # fmt: skip
"""Arrays, maps, bytes and texts that are said to be longer than they are, a key that comes twice, one that is no text,
a text that is no UTF-8, what msgpack has no meaning for, and nothing at all.
"""


def seeds() -> tuple[tuple[bytes, ...], ...]:
    """Bodies by kind, as the target numbers them: those of the corpus, and what a told story has of each."""
    found: list[list[bytes]] = [[] for _ in range(len(EVENTS) + 1)]
    for path in sorted((CORPUS / "envelope").iterdir()):
        data = path.read_bytes()
        found[data[0]].append(data[1:])
    numbers = {event: number for number, event in enumerate(EVENTS, 1)}
    for draft in (draft for told in fixed_story(STEPS).decisions() for draft in told):
        of_kind, body = found[numbers[type(draft.event)]], codec.encode_body(draft.event)
        if len(of_kind) < MOST_OF_A_KIND and body not in of_kind:
            of_kind.append(body)
    return tuple(map(tuple, found))


def change(data: bytes, most: int, dice: Random, kinds: Sequence[Sequence[bytes]], raw: Raw) -> bytes:
    """An input for the target `envelope`, of at most so many bytes, made of `data` or of one of the bodies by kind."""
    if dice.random() < RAW:
        return raw(data, most)
    number = dice.randrange(len(kinds))
    tree = msgspec.msgpack.decode(dice.choice(kinds[number]))
    is_alike = dice.random() < ALIKE
    for _ in range(dice.choice((1, 1, 2, 3))):
        change_one(tree, dice, is_alike=is_alike)
    return (bytes([number]) + msgspec.msgpack.encode(tree))[:most]


def change_one(tree: Any, dice: Random, *, is_alike: bool) -> None:
    """Change the tree in one place, at any depth."""
    places = [*_places(tree)]
    if not places:
        return
    holder, key = dice.choice(places)
    if is_alike:
        holder[key] = _alike(holder[key], dice)
    else:
        dice.choice(ROUGHLY)(holder, key, dice)


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Each value in a tree: what holds it, and its key or index there."""
    keys = tree.keys() if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    return [place for key in keys for place in ((tree, key), *_places(tree[key]))]


def _alike(value: Any, dice: Random) -> Any:
    """Another value of the same type, where there is one."""
    make = ALIKES.get(type(value))
    return make(value, dice) if make else value


def _number(value: int, dice: Random) -> int:
    near = min(max(value + dice.randint(-3, 3), -(2**63)), 2**64 - 1)
    return dice.choice((near, dice.getrandbits(dice.randint(1, 63)), dice.choice(NUMBERS)))


def _text(value: str, dice: Random) -> str:
    at = dice.randrange(len(value) + 1)
    return dice.choice((value[:at], value + value[at:], value[:at] + chr(dice.randrange(32, 0xD800)) + value[at:])) or (
        dice.choice(TEXTS)
    )


def _bytes(value: bytes, dice: Random) -> bytes:
    return dice.choice((dice.randbytes(len(value)), dice.randbytes(dice.randrange(64)), value[::-1], value * 2))


def _list(value: list[Any], dice: Random) -> list[Any]:
    at = dice.randrange(len(value) + 1)
    return dice.choice((value[:at], value[::-1], value + value[:at], value * dice.randint(2, 40)))


ALIKES: Mapping[type, Callable[[Any, Random], Any]] = {
    bool: lambda value, _: not value,
    int: _number,
    str: _text,
    bytes: _bytes,
    list: _list,
}


def _one_of(values: Sequence[Any], dice: Random) -> Any:
    """A copy: it is changed where it is put, and must neither change here nor be put into itself."""
    return deepcopy(dice.choice(values))


def _strange(holder: Any, key: Any, dice: Random) -> None:
    holder[key] = _one_of(STRANGE, dice)


def _lying(holder: Any, key: Any, dice: Random) -> None:
    holder[key] = dice.choice(LYING)


def _nested(holder: Any, key: Any, dice: Random) -> None:
    inside, deep = msgspec.msgpack.encode(holder[key]), dice.choice((1, 2, 100, 5_000))
    holder[key] = msgspec.Raw(dice.choice((b"\x91", b"\x81\xa0")) * deep + inside)


def _gone(holder: Any, key: Any, _: Random) -> None:
    del holder[key]


def _more(holder: Any, key: Any, dice: Random) -> None:
    """Something that nobody asked for."""
    if isinstance(holder, list):
        holder.insert(key, _one_of((holder[key], *STRANGE), dice))
    else:
        holder[dice.choice(("", "also", str(key).upper(), key, 7))] = _one_of(STRANGE, dice)


ROUGHLY: tuple[Callable[[Any, Any, Random], None], ...] = (_strange, _lying, _nested, _gone, _more)
