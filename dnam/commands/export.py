"""`!memory export`: everything that is whoever asks, as a file, for them alone."""

from dnam.assistant import Assistant
from dnam.belongings import belongings
from dnam.belongings_json import as_json
from dnam.commands.command import Arguments, File, Invocation, Reply
from dnam.commands.erase import whoever_asks
from dnam.memory import Memory
from projections.ids import Handle
from projections.rows import Rows

NAME = "what-i-know-of-you.json"
NOTHING = "I keep nothing about you, so there is nothing to export."
MOST_BYTES = 8_000_000
"""What fits into one message of every platform."""
TOO_LARGE = "That is {} MB, more than a message takes. Whoever runs me can give it to you: `dnam export`."
TYPED = "I cannot hand out a file here. In a shell: `dnam export {} --out memory.json`"
SENT = "All that is yours is in the file that I sent you in a direct message."


async def export(assistant: Assistant, asked: Invocation, _: Arguments) -> Reply:
    """Everything of theirs; it is sent to them and nobody else."""
    memory = assistant.memory
    person = await whoever_asks(assistant, asked)
    if not person:
        return Reply(NOTHING, failed=True)
    if not asked.has_buttons:
        return Reply(TYPED.format(person.hex()))
    data = await memory.look(lambda rows: _data(memory, rows, person))
    if len(data) > MOST_BYTES:
        return Reply(TOO_LARGE.format(f"{len(data) / 1_000_000:.0f}"), failed=True)
    return Reply(SENT, file=File(NAME, data))


def _data(memory: Memory, rows: Rows, person: Handle) -> bytes:
    return as_json(belongings(rows, memory.engine.live.folding, person, memory.settings.assistant_name, memory.now()))
