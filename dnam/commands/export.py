"""`!memory export`: everything that is whoever asks, as a file, for them alone."""

from shlex import quote

from dnam.assistant import Assistant
from dnam.commands.command import Arguments, File, Invocation, Reply
from dnam.commands.erase import whoever_asks
from dnam.erasing.swept import folder_of
from dnam.exports.belongings import belongings
from dnam.exports.belongings_json import as_json
from dnam.memory import Memory
from projections.ids import Handle
from projections.lookup import find_people
from projections.people import name_of
from projections.rows import Rows

NAME = "what-i-know-of-you.json"
NOTHING = "I keep nothing about you, so there is nothing to export."
MOST_BYTES = 8_000_000
"""What fits into one message of every platform."""
TOO_LARGE = "That is {} MB, more than a message takes. Whoever runs me can give it to you: `dnam export`."
TYPED = "I cannot hand out a file here. In a shell: `dnam export {user} --out memory.json{data}`"
SENT = "All that is yours is in the file that I sent you in a direct message."


async def export(assistant: Assistant, asked: Invocation, _: Arguments) -> Reply:
    """Everything of theirs; it is sent to them and nobody else."""
    memory = assistant.memory
    person = await whoever_asks(assistant, asked)
    if not person:
        return Reply(NOTHING, failed=True)
    if not asked.has_buttons:
        user = await memory.look(lambda rows: _user(rows, person))
        return Reply(TYPED.format(user=quote(user), data=_data_option(memory) if asked.is_told_why else ""))
    data = await memory.look(lambda rows: _data(memory, rows, person))
    if len(data) > MOST_BYTES:
        return Reply(TOO_LARGE.format(f"{len(data) / 1_000_000:.0f}"), failed=True)
    return Reply(SENT, file=File(NAME, data))


def _user(rows: Rows, person: Handle) -> str:
    """What a person is called in a shell: their name, unless it may be somebody else's too."""
    name = name_of(rows, person)
    return name if find_people(rows, name) == [person] else person.hex()


def _data_option(memory: Memory) -> str:
    """Which memory this is. A folder is for those to know who run it."""
    folder = folder_of(memory)
    return "" if folder is None else f" --data {quote(str(folder))}"


def _data(memory: Memory, rows: Rows, person: Handle) -> bytes:
    return as_json(belongings(rows, memory.engine.live.folding, person, memory.settings.assistant_name, memory.now()))
