"""`!memory erase-guild`: everything that was said and learned in this server, for good, by whoever may manage it.

It says what it will do, and does it once that is confirmed: by a button where there are buttons, else by `erase-guild
yes`. Who may ask for it, the owner too, is looked at again then.
"""

from collections.abc import Iterator, Sequence

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Confirms, Invocation, Parameter, Reply
from dnam.commands.erase import SURE
from dnam.erasing.guild import CANNOT_REACH, STAYS, erase_whole_guild, guild_counted, look_at_guild
from projections.decisions.consent import BY_THEMSELF
from projections.errors import BadRequest
from projections.events.values import OPERATOR
from projections.ids import Ref

BUTTON: Confirms = "erase-guild"
BUTTON_SAYS = "Erase this server"
PARAMETERS = (Parameter(SURE, "once you have read what it does", optional=True, is_typed=True),)
NO_SERVER = "This is no server: ask me in one of its channels."
NOT_MANAGING = (
    f"Only members who may manage this server can have all of it erased. `{PREFIX} erase` takes away what is yours."
)


async def erase_this_guild(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Say what erasing it would do, with a way to confirm it: where there is a button, no word does."""
    guild = _guild(asked)
    sure = "" if asked.has_buttons else arguments.get(SURE, "").casefold()
    if sure and sure != SURE:
        raise BadRequest(f"to erase everything of this server, confirm it: `{PREFIX} erase-guild {SURE}`")
    if sure:
        return await erase_guild_confirmed(assistant, asked)
    taken = await look_at_guild(assistant.memory, guild)
    how = f", press *{BUTTON_SAYS}* below." if asked.has_buttons else f": `{PREFIX} erase-guild {SURE}`"
    lines = [
        f"**Erasing this server takes away, for good:** {guild_counted(taken)}, of everybody in it.",
        *_listed(STAYS),
        "This cannot be undone.",
        f"To do it{how}",
    ]
    return Reply("\n".join(lines), confirm=BUTTON if asked.has_buttons else "")


async def erase_guild_confirmed(assistant: Assistant, asked: Invocation) -> Reply:
    """Do it."""
    receipt = await erase_whole_guild(assistant.memory, _guild(asked), OPERATOR if asked.is_owner else BY_THEMSELF)
    lines = [f"**Erased:** {guild_counted(receipt.taken)}.", *_listed(STAYS)]
    return Reply("\n".join(lines))


def _guild(asked: Invocation) -> Ref:
    """The server; BadRequest where there is none, or who asks may not."""
    guild = asked.setting.guild
    if guild is None:
        raise BadRequest(NO_SERVER)
    if not (asked.is_owner or asked.manages_guild):
        raise BadRequest(NOT_MANAGING)
    return guild


def _listed(stays: Sequence[str]) -> Iterator[str]:
    yield "What stays:"
    yield from (f"- {each}" for each in stays)
    yield "What I cannot reach:"
    yield from (f"- {each}" for each in CANNOT_REACH)
