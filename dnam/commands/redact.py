"""`!memory redact`: a message is taken back here and left in Discord, by whoever wrote it, or by the owner.

An answer is taken back by whom it answers. What is somebody else's wants to be confirmed, wherever it is asked: `redact
<message> yes`. A message of somebody else's and one that nobody heard are told in the same words: what others said is
not to be found out by its number.
"""

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Invocation, Parameter, Reply
from dnam.commands.erase import SURE, whoever_asks
from dnam.redacting import Meant, redact, the_message
from projections.counting import counted
from projections.decisions.consent import BY_THEMSELF
from projections.errors import BadRequest
from projections.events.values import OPERATOR
from projections.ids import Handle
from projections.people import name_of
from projections.quoting import one_line
from projections.rows import Rows
from replay.reading import Reader

PARAMETERS = (
    Parameter("message", "a message that you wrote, or an answer to you: its link, or its id"),
    Parameter(SURE, "where it is somebody else's", optional=True),
)
NOT_YOURS = (
    "I know no message of yours by that, nor an answer to you, or it is taken back already. A message's link works, or"
    " its id."
)
DONE = (
    "Taken back: its words are gone here{more}. What {whose} asked me to keep stays until it is forgotten. The bytes"
    " leave my log at night; backups and exports made before hold them until they are removed. The message itself stays"
    " in Discord until it is deleted there, and so does my answer to it."
)
OF_ANOTHER = (
    "This takes back {what}, here and with what was made of it alone, for good."
    " To do it: `{prefix} redact {message} {sure}`"
)
MORE = ", and so is what was made of it ({others})"


async def redact_message(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Take a message back, with what a model made of it alone."""
    memory = assistant.memory
    sure = arguments.get(SURE, "").casefold()
    if sure not in ("", SURE):
        raise BadRequest(f"it takes one message, and where it is somebody else's {SURE} behind it")
    person = await whoever_asks(assistant, asked)
    try:
        reader = Reader(memory.engine.live)
        meant = await memory.look(lambda rows: the_message(rows, reader, arguments["message"]))
    except BadRequest:
        if asked.is_told_why:
            raise
        return Reply(NOT_YOURS, failed=True)
    is_theirs = bool(person) and _whose(meant) == person
    if not (is_theirs or asked.is_owner):
        return Reply(NOT_YOURS, failed=True)
    if not (is_theirs or sure):
        what = await memory.look(lambda rows: _of_whom(rows, meant))
        wanted = one_line(arguments["message"])
        return Reply(OF_ANOTHER.format(what=what, prefix=PREFIX, message=wanted, sure=SURE))
    others = await redact(memory, meant.event, BY_THEMSELF if is_theirs else OPERATOR) - 1
    more = MORE.format(others=counted(others, "event")) if others > 0 else ""
    return Reply(DONE.format(more=more, whose="you" if is_theirs else "its author"))


def _of_whom(rows: Rows, meant: Meant) -> str:
    name = one_line(name_of(rows, _whose(meant)))
    return f"a message of {name}'s" if meant.message is not None else f"an answer to {name}"


def _whose(meant: Meant) -> Handle:
    """Who wrote the message, or whom the answer is to."""
    if meant.message is not None:
        return meant.message.message.speaker
    assert meant.turn is not None
    return meant.turn.asker
