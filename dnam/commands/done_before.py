"""A command that was carried out before its reply was said: the bot was ended in between, and takes it up again. So may
be one of a platform's own menus, where that tells of it twice.

The ids of what a command does are made from the message that asks. So what is in the log under them was done, and is
not done a second time; what came of it is told as far as it still stands.
"""

from collections.abc import Iterator

from dnam.assistant import Assistant
from dnam.commands.command import Invocation, Reply
from dnam.commands.picking import listed
from dnam.commands.undo import event_of, undoable
from projections.decisions.draft import Minter, Origin, decided_before, part
from projections.events import ItemEvent
from projections.events.values import Item
from projections.policies.compartments import Opening, opened
from projections.rows import Rows
from replay.chronicle import LogChronicle

DONE = "`{prefix} {name}` is done: I did it when you asked, and could not say so until now."
MENU_DONE = "*{name}* is done: I did it when you asked, and could not say so until now."


async def is_done(assistant: Assistant, origin: Origin) -> bool:
    """Whether something was recorded already by this request."""
    return await assistant.memory.look(lambda rows: decided_before(rows, origin))


async def done_before(assistant: Assistant, asked: Invocation, words: str, origin: Origin) -> Reply:
    """That it is done, in these words, with the items that it left as they are now."""
    chronicle = LogChronicle(assistant.memory.engine.live)
    items = await assistant.memory.look(lambda rows: tuple(_left_so(rows, asked, chronicle, origin)))
    lines = [words, *listed(items)]
    return await undoable(assistant, Reply("\n".join(lines), items))


def _left_so(rows: Rows, asked: Invocation, chronicle: LogChronicle, origin: Origin) -> Iterator[Item]:
    """What the request changed, that nothing changed since, and that the place shows."""
    here = opened(rows, asked.sees)
    number = 0
    while decided_before(rows, part(origin, number)):
        for record in chronicle.decision(Minter(rows, part(origin, number)).next()):
            event = record.event
            if not isinstance(event, ItemEvent) or event.by != asked.by:
                continue
            if event_of(rows, event.item) == record.id and Opening(event.item.owner, event.item.compartment) in here:
                yield event.item
        number += 1
