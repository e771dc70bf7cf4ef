"""What somebody did after they typed a command that is taken up late: it is not carried out over that.

The bot was away when it was typed, or was to be silent there and passed it over. Whoever did something since, with a
button, a slash command or by typing elsewhere, knows what holds; an older wish of theirs must not undo it.
"""

from dnam.assistant import Assistant
from dnam.commands.command import Invocation
from projections.events import ConfigSet, Event, ItemEvent, PersonNoted, PersonOptedIn, PersonOptedOut, SummaryReset
from projections.rows import Rows
from replay import codec
from replay.engine import Engine

ACTS = (ItemEvent, ConfigSet, PersonNoted, SummaryReset)
"""What people do, as it is recorded."""
SINCE = (
    "You typed this while I could not reply, and did something else here or elsewhere since: I left it undone. Type it"
    " again if you still want it."
)


async def did_since(assistant: Assistant, asked: Invocation, said: int, before: int) -> bool:
    """Whether somebody did anything after that moment (ms) that was recorded before another one."""
    engine, account = assistant.memory.engine, asked.account

    def look(rows: Rows) -> bool:
        hashed = b"" if account is None else rows.ids.keyed_hash(account.platform, account.id)
        return any(_is_act(each, asked, hashed) for each in _between(engine, said, before))

    return await assistant.memory.look(look)


def _between(engine: Engine, said: int, before: int) -> list[Event]:
    """What was recorded between two moments and can be read; the latest first."""
    found = list[Event]()
    for seq in range(engine.head().size, 0, -1):
        stored = engine.store.log.get(seq)
        at = 0 if stored is None else codec.decode_header(stored.header).at
        if at < said:
            break
        record = engine.live.folding.record_at(seq) if at < before else None
        if record is not None:
            found.append(record.event)
    return found


def _is_act(event: Event, asked: Invocation, hashed: bytes) -> bool:
    if isinstance(event, PersonOptedOut | PersonOptedIn):
        return hashed in event.hashes
    return isinstance(event, ACTS) and event.by == asked.by
