"""`search`: what is kept here and what was said that has words of a text. It looks where it is asked, and sees what is
open there to all who read the answer; where nobody else reads it, also what is open in direct messages.
"""

from collections.abc import Iterator, Sequence

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Invocation, Reply
from dnam.commands.items import whose
from dnam.commands.picking import listed
from dnam.contexts import Context
from dnam.hits import Hits, Sought, Spoken, Telling, search, why
from dnam.marking import excerpt, marker
from dnam.times import shown, zone_of
from projections.quoting import one_line
from projections.rows import Rows

MOST, MOST_ITEMS = 10, 100
"""How much of what was said is listed, and how many items."""
MOST_REASONS = 6
EXPLAIN = "--explain"
"""Behind the words: with the reasons."""
NOTHING = f"Nothing kept or said here has one of these words: `{PREFIX} show` lists what is kept."


async def find(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """The best hits, items first, with links to what was said."""
    memory = assistant.memory
    words, explained = _read(arguments["words"])
    sought = Sought(words, memory.now(), MOST, MOST_ITEMS, vocabulary=memory.vocabulary)

    def look(rows: Rows) -> tuple[Hits, list[Spoken]]:
        found = search(rows, contexts(asked), sought)
        telling = Telling(rows, memory.settings.assistant_name, asked.direct)
        marks, spoken = marker(words), [telling.spoken(hit) for hit in found.said]
        return found, [each._replace(text=excerpt(each.text, marks)) for each in spoken]

    hits, spoken = await memory.look(look)
    if not any(hits):
        return Reply(NOTHING)
    zone = zone_of(memory.settings.timezone)
    times = [shown(hit.said, zone) for hit in hits.said]
    sections = [*_items(hits, explained=explained), *_said(hits, spoken, times, explained=explained)]
    if len(hits.said) == MOST:
        sections.append(f"Of what was said no more than the best {MOST} are listed.")
    return Reply("\n".join(sections), tuple(hit.item for hit in hits.items))


def contexts(asked: Invocation) -> list[Context]:
    """Where it is asked, and where the reply is read, if that is elsewhere."""
    here = Context(asked.session, asked.setting)
    return [here] if asked.sees == asked.setting else [here, Context("", asked.sees)]


def _read(words: str) -> tuple[str, bool]:
    """The words, and whether reasons are asked for."""
    kept = [word for word in words.split() if word != EXPLAIN]
    return " ".join(kept), len(kept) < len(words.split())


def _items(hits: Hits, *, explained: bool) -> Iterator[str]:
    if hits.items:
        yield f"**Found:** {len(hits.items)}"
    for line, hit in zip(listed(hit.item for hit in hits.items), hits.items, strict=True):
        yield f"{line}{whose(hit.item)}{f' ({why(hit.reasons, MOST_REASONS)})' if explained else ''}"


def _said(hits: Hits, spoken: Sequence[Spoken], times: Sequence[str], *, explained: bool) -> Iterator[str]:
    if hits.said:
        yield f"**Said:** {len(hits.said)}"
    for hit, each, when in zip(hits.said, spoken, times, strict=True):
        link = f" {each.link}" if each.link else ""
        reasons = f" ({why(hit.reasons, MOST_REASONS)})" if explained else ""
        yield f'- {one_line(each.who)} in {one_line(each.where)}, {when}: "{each.text}"{link}{reasons}'
