"""`search`: what is kept here and what was said that has words of a text. It looks where it is asked, and sees what is
open there to all who read the answer, of the people in the room too; where nobody else reads it, also what is open in
direct messages.

    --explain    with the reasons
    --limit N    how many of each are listed
    --all        also what was said, has none of the words and stands beside what has

These are the options of `dnam search` that make sense where it is asked; they stand anywhere among the words. Any other
word like them is refused, since it may have been meant as one; where it stands first it is looked for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Invocation, Reply
from dnam.commands.items import whose
from dnam.commands.picking import listed
from dnam.contexts import Context, with_room
from dnam.hits import Hits, Sought, Spoken, Telling, search, why
from dnam.marking import excerpt, marker
from dnam.times import shown, zone_of
from projections.errors import BadRequest
from projections.events.values import Item
from projections.ids import LAST, NOBODY, Handle, Point
from projections.quoting import label, one_line
from projections.rows import Rows

MOST, MOST_ITEMS = 10, 100
"""How much of what was said is listed, and how many items."""
MOST_REASONS = 6
EXPLAIN, LIMIT, ALL = "--explain", "--limit", "--all"
OPTIONS = (
    f"behind the words there may be `{EXPLAIN}` (why each was found), `{LIMIT} N` (how many are listed, up to "
    f"{MOST_ITEMS}) and `{ALL}` (also what stands beside such). A word that begins with `--` is looked for where it "
    "stands first"
)
LOOKS_BACK = frozenset({"--at", "--said"})
"""What `dnam search` looks back with."""
MENTIONS = (
    "a mention is not searched for: nothing is kept by a platform's id. Write the name in its place, as it stands among"
    " what is said"
)
_MENTION = re.compile(r"<@[!&]?[0-9]+>")
_OPTION = re.compile(r"(--[a-z][a-z-]*)(?:=(.*))?", re.IGNORECASE)
NO_DAY = "Nothing was said here on the day that you name"
NOTHING = f"Nothing kept or said here has one of these words: `{PREFIX} show` lists what is kept."


class _Asked(NamedTuple):
    """What a text asks for: the words that are looked for, and how."""

    words: str
    explained: bool
    most: int
    most_items: int
    beside: bool


class _Found(NamedTuple):
    """What was found, what was said as it is told, and what others are called of whom something is known."""

    hits: Hits
    spoken: list[Spoken]
    names: Mapping[Handle, str]


async def find(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """The best hits, items first, with links to what was said."""
    memory = assistant.memory
    words, explained, most, most_items, beside = _read(arguments["words"])
    vocabulary = memory.vocabulary
    sought = Sought(words, memory.now(), most, most_items, asker=asked.person, beside=beside, vocabulary=vocabulary)

    def look(rows: Rows) -> _Found:
        here, *besides = contexts(asked)
        here = with_room(rows, memory, here, Point(sought.now, LAST))
        found = search(rows, [here, *besides], sought)
        telling = Telling(rows, memory.settings.assistant_name, asked.direct)
        marks, spoken = marker(words), [telling.spoken(hit) for hit in found.said]
        others = {hit.item.owner for hit in found.items} - {NOBODY, asked.person}
        names = {each: telling.person(each) for each in sorted(others)}
        return _Found(found, [each._replace(text=excerpt(each.text, marks)) for each in spoken], names)

    hits, spoken, names = await memory.look(look)
    if hits.empty:
        return Reply(f"{NO_DAY}." if hits.misses_day else NOTHING)
    zone = zone_of(memory.settings.timezone)
    times = [shown(hit.said, zone) for hit in hits.said]
    sections = [*_items(hits, names, explained=explained), *_said(hits, spoken, times, explained=explained)]
    if hits.said and hits.misses_day:
        sections.append(f"{NO_DAY}: what is listed was said on others.")
    if len(hits.said) == most:
        sections.append(f"Of what was said no more than the best {most} are listed.")
    return Reply("\n".join(sections), tuple(hit.item for hit in hits.items if hit.item.owner not in names))


def contexts(asked: Invocation) -> list[Context]:
    """Where it is asked, and where the reply is read, if that is elsewhere."""
    here = Context(asked.session, asked.setting)
    return [here] if asked.sees == asked.setting else [here, Context("", asked.sees)]


def _read(text: str) -> _Asked:
    """The words, and what is asked for with them. BadRequest for what is no option here."""
    if _MENTION.search(text):
        raise BadRequest(MENTIONS)
    given, words, options = iter(text.split()), list[str](), dict[str, str]()
    for word in given:
        found = _OPTION.fullmatch(word)
        option, value = (found[1].casefold(), found[2]) if found else ("", None)
        if option in (EXPLAIN, ALL) and value is None:
            options[option] = ""
        elif option == LIMIT:
            options[option] = next(given, "") if value is None else value
        elif option and (words or options):
            raise BadRequest(_unknown(option))
        else:
            words.append(word)
    limit = _number(options[LIMIT]) if LIMIT in options else None
    return _Asked(" ".join(words), EXPLAIN in options, limit or MOST, limit or MOST_ITEMS, ALL in options)


def _unknown(option: str) -> str:
    then = f"; `{PREFIX} at <when>` lists what was kept at a moment" if option in LOOKS_BACK else ""
    return f"`{PREFIX} search` has no option `{option}`{then}: {OPTIONS}"


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MOST_ITEMS):
        raise BadRequest(f"`{LIMIT}` needs a whole number from 1 to {MOST_ITEMS}: how many of each are listed")
    return int(text)


def _items(hits: Hits, names: Mapping[Handle, str], *, explained: bool) -> Iterator[str]:
    if hits.items:
        yield f"**Found:** {len(hits.items)}"
    for hit in hits.items:
        item, reasons = hit.item, f" ({why(hit.reasons, MOST_REASONS)})" if explained else ""
        yield f"{_of_another(item, names[item.owner]) if item.owner in names else _own(item)}{reasons}"


def _own(item: Item) -> str:
    """With what names it to a command."""
    return f"{listed([item])[0]}{whose(item)}"


def _of_another(item: Item, name: str) -> str:
    """As it stands in a prompt: no command of theirs takes it."""
    return f"- {one_line(name)}: [{label(item.kind) or 'fact'}] {one_line(item.text)}"


def _said(hits: Hits, spoken: Sequence[Spoken], times: Sequence[str], *, explained: bool) -> Iterator[str]:
    if hits.said:
        yield f"**Said:** {len(hits.said)}"
    for hit, each, when in zip(hits.said, spoken, times, strict=True):
        link = f" {each.link}" if each.link else ""
        reasons = f" ({why(hit.reasons, MOST_REASONS)})" if explained else ""
        yield f'- {one_line(each.who)} in {one_line(each.where)}, {when}: "{each.text}"{link}{reasons}'
