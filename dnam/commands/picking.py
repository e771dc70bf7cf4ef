"""Choosing items by hand: what can be forgotten or brought back here, which of it is meant, and doing it.

A menu names an item by the end of its row's key (compartment and id, 64 hex digits), so that two items with one
id are told apart, and what a menu says after a restart is found again. Whose item it is never comes from a menu: it is
the person's who asks, and only where the place opens it, or one of nobody's that they may change there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Completes, Invocation, Reply
from dnam.commands.made_room import made_room
from dnam.commands.nobodys import forgettable, means, nobodys, restorable
from dnam.finding import compartment_words
from dnam.whereabouts import openings_for
from projections.decisions.remember import RESTORABLE
from projections.durable import Sought, matching
from projections.events.values import Item, Scoring
from projections.items import ItemRow, item_key, items_in
from projections.policies.compartments import Setting
from projections.policies.matching import find_meant
from projections.quoting import label, one_line
from projections.rows import Found, Rows

Act = Literal["forget", "restore"]
STATUSES: Mapping[Act, frozenset[str]] = {"forget": frozenset({"active"}), "restore": RESTORABLE}
ALREADY: Mapping[Act, str] = {"forget": "Forgotten already", "restore": "Remembered already"}
OWNER_BYTES = 16
BEFORE = (
    "What was kept here when fewer could read along is told in your direct messages with me alone, and "
    f"`{PREFIX} share <id>` there lets it be told again"
)
WORDS_STAY = "What you wrote stands where you wrote it: delete that message to take its words away too."


class Offer(NamedTuple):
    """Items to choose from, and whether the words that were given mean exactly these."""

    items: tuple[Item, ...]
    exact: bool


def own_rows(rows: Rows, setting: Setting) -> Iterator[Found[ItemRow]]:
    """The person's own items that the place opens, of every status."""
    for opening in openings_for(rows, setting.person, setting):
        yield from items_in(rows, *opening)


def own(rows: Rows, setting: Setting) -> Iterator[Item]:
    """The same, without what made them."""
    return (each.row.item for each in own_rows(rows, setting))


def within_reach(rows: Rows, asked: Invocation, act: Act) -> Iterator[Found[ItemRow]]:
    """What somebody can forget or bring back there: their own, then what is nobody's."""
    yield from (each for each in own_rows(rows, asked.sees) if each.row.item.status in STATUSES[act])
    yield from forgettable(rows, asked) if act == "forget" else restorable(rows, asked)


def offer(rows: Rows, asked: Invocation, act: Act, sought: Sought, scoring: Scoring) -> Offer:
    """What may be meant: what an id or most of the words name, of their own before what is nobody's; else what shares
    words with them, as a prompt would find it; without words everything, the newest first.
    """
    words = sought.words
    found = sorted(within_reach(rows, asked, act), key=lambda each: (-each.row.item.updated, each.row.item.id))
    if not words:
        return Offer(tuple(each.row.item for each in found), exact=False)
    own_ones = [each.row for each in found if each.row.item.owner]
    named = [row.item for row in own_ones if row.item.id == words]
    meant = named or [row.item for row in find_meant(own_ones, "", words).rows]
    meant = meant or [each.row.item for each in found if not each.row.item.owner and means(each.row.item, words)]
    if meant:
        return Offer(tuple(meant), exact=True)
    return Offer(tuple(hit.item for hit in matching(found, sought, scoring)), exact=False)


class Completion(NamedTuple):
    """An item to choose while typing: what is shown, and its id."""

    words: str
    id: str


def completions(
    rows: Rows, asked: Invocation, completes: Completes, typed: str, *, of_nobody: bool = False
) -> list[Completion]:
    """The items that fit what was typed so far, newest first: by id, or by all of its words in any order. `of_nobody`:
    also those of nobody's that they may take back or bring back; any item may be one of nobody's that is shown there.
    """
    words, others = typed.casefold().split(), of_nobody or completes == "any"
    found = [each for each in _reach(rows, asked, completes) if (each.owner or others) and _fits(each, words)]
    found.sort(key=lambda each: (-each.updated, each.id))
    return [Completion(f"[{label(each.kind) or 'fact'}] {one_line(each.text)}", each.id) for each in found]


def _reach(rows: Rows, asked: Invocation, completes: Completes) -> Iterator[Item]:
    if completes == "any":
        shown = (each.row.item for each in nobodys(rows, asked))
        return chain(own(rows, asked.sees), (item for item in shown if item.status == "active"))
    return (each.row.item for each in within_reach(rows, asked, "restore" if completes == "gone" else "forget"))


def _fits(item: Item, words: Sequence[str]) -> bool:
    text = f"{item.id} {item.kind} {item.text}".casefold()
    return all(word in text for word in words)


def token(item: Item) -> str:
    """An item's address without its owner, 64 hex digits."""
    return item_key(item.owner, item.compartment, item.id)[OWNER_BYTES:].hex()


def picked(rows: Rows, asked: Invocation, tokens: Iterable[str], act: Act) -> tuple[Item, ...]:
    """The items that a menu's choices name, as far as they are still there to be chosen."""
    wanted = frozenset(tokens)
    return tuple(each.row.item for each in within_reach(rows, asked, act) if token(each.row.item) in wanted)


def preview(items: Sequence[Item], act: Act) -> str:
    """What would happen, in words."""
    if act == "restore":
        return "\n".join([f"This would be remembered again, {len(items)} item(s):", *listed(items)])
    return "\n".join(
        [
            f"This would be forgotten, {len(items)} item(s):",
            *listed(items),
            "The messages that it rests on leave my memory with it, unless something else that I keep rests on them.",
        ]
    )


async def act_on(assistant: Assistant, asked: Invocation, tokens: Iterable[str], act: Act) -> Reply:
    """Forget or restore what a menu's choices name, at once: one act, which one undo takes back."""
    memory, wanted = assistant.memory, frozenset(tokens)
    chosen = await memory.look(lambda rows: picked(rows, asked, wanted, act))
    change = memory.forget_all if act == "forget" else memory.restore_all
    done = await change(chosen, by=asked.by, origin=asked.origin)
    if not done:
        return await assistant.memory.look(lambda rows: _done_before(rows, asked, wanted, act))
    verb, besides = ("Forgot", [WORDS_STAY]) if act == "forget" else ("Restored", [])
    room = "" if act == "forget" else await made_room(memory, *done, asked=asked)
    return Reply("\n".join([f"{verb} {len(done)} item(s).", *listed(done), *besides]) + room, tuple(done))


def _done_before(rows: Rows, asked: Invocation, tokens: Iterable[str], act: Act) -> Reply:
    """What is said where there is nothing to do: that it is so already, as where a bot was killed before it could show
    what came of the first press. It is taken back as that would have been.
    """
    now = picked(rows, asked, tokens, "restore" if act == "forget" else "forget")
    items = tuple(each for each in now if each.status == ("forgotten" if act == "forget" else "active"))
    if not items:
        return Reply("Nothing of that is there any more.", failed=True)
    return Reply("\n".join([f"{ALREADY[act]}, {len(items)} item(s).", *listed(items)]), items)


def listed(items: Iterable[Item]) -> list[str]:
    """Items, one a line, with their ids."""
    return [f"- [{label(item.kind) or 'fact'}] {one_line(item.text)} {shown_id(item)}" for item in items]


def not_here(asked: Invocation, item_id: str, listed_by: str = f"`{PREFIX} show`") -> str:
    """That there is no item of this id, and how to see which there are."""
    before = f". {BEFORE}" if is_opened_since(asked) else ""
    return f"there is no item `{plain(item_id)}` here: {listed_by} lists the ids{before}"


def is_opened_since(asked: Invocation) -> bool:
    """Whether it is asked where others read along, and fewer could before. Whether something of theirs is of that time
    is for them alone to know.
    """
    there = asked.sees.audience
    return there.kind == "guild" and there.epoch > 0


def of_id(rows: Rows, asked: Invocation, item_id: str) -> list[Item]:
    """Their own items of one id that the place shows and that are held."""
    return [each for each in own(rows, asked.sees) if each.id == item_id and each.status == "active"]


def in_each(rows: Rows, items: Iterable[Item]) -> list[str]:
    """What is said where something is done to several items of one id: where each of them lies."""
    places: dict[str, list[str]] = {}
    for item in items:
        places.setdefault(item.id, []).append(one_line(compartment_words(rows, item.compartment)))
    return [_each(item_id, where) for item_id, where in places.items() if len(where) > 1]


def _each(item_id: str, where: Sequence[str]) -> str:
    reach = "both" if len(where) == 2 else "all of them"
    return (
        f"There were {len(where)} items of the id `{plain(item_id)}`, kept {'; '.join(where)}: this holds for {reach}."
    )


def shown_id(item: Item) -> str:
    """An item's id as code, so that it can be copied."""
    return f"`{plain(item.id)}`"


def plain(text: str) -> str:
    """A text as it may stand in code: on one line, without the sign that ends it."""
    return one_line(text).replace("`", "'")
