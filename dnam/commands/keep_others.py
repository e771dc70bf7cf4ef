"""*Remember this* on somebody else's message: it becomes lore of the server, with its author as the source.

Whose memory would it be? Not that of whoever points at it: an item of theirs made of another's words would stay when
the other took them back. So it belongs to nobody, lies where everybody of the server could read it anyway, and rests on
the message: it is sealed with its author's key, and goes when they forget it, delete the message or are erased.

It is refused where not everybody of the server can read, of what was not heard, of what its author took back, and of
who asked that nothing is learned from them.
"""

from typing import NamedTuple

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Invocation, Reply
from dnam.commands.picking import shown_id
from dnam.commands.pointing import Pointed
from dnam.commands.undo import undoable
from dnam.configuration import config_for
from dnam.settings import Settings
from projections.caller import with_names
from projections.consent import is_out
from projections.decisions.hear import message_identity
from projections.errors import BadRequest
from projections.events.values import Evidence, Source
from projections.ids import NOBODY, Handle, Point, Ref
from projections.items import is_quiet
from projections.messages import find_message
from projections.people import SOMEONE
from projections.policies.compartments import Setting, audience_now, in_guild
from projections.quoting import one_line
from projections.rows import Rows

OTHERS = (
    "These are somebody else's words, and only they can have me remember them. "
    f"To keep something in your own words: `{PREFIX} remember <text>`."
)
OWN = "this is my own message: I keep what you say of yourself, in your words, and not what I say"
UNHEARD = "this is somebody else's message, and I did not hear it: I keep no words of theirs that I cannot take back"
NO_PERSON = "this was not said by a person, so I do not keep it"
TAKEN_BACK = "its author took back what I remembered of it, so I do not keep it"
UNWILLING = "its author asked that I learn nothing from them"
FRAME = "A member said: “{words}”"
REACH = (
    "It is lore of this server: everybody here may be told. It goes when its author deletes or rewrites the message, or"
    " is erased."
)


class Theirs(NamedTuple):
    """Somebody else's message that may be kept: the words, whose they are, what they stand in, and who could read them
    where.
    """

    words: str
    speaker: Handle
    evidence: Evidence
    where: Setting
    place: Ref
    guild: Ref


async def remember_others(assistant: Assistant, asked: Invocation, pointed: Pointed) -> Reply:
    """Keep somebody else's words as lore of the server, where everybody of it can read them."""
    if pointed.is_own:
        raise BadRequest(OWN)
    guild = asked.setting.guild
    if guild is None or asked.setting.audience.kind != "guild":
        return Reply(OTHERS, failed=True)
    memory = assistant.memory
    found = await memory.look(lambda rows: _theirs(rows, asked, pointed, guild, memory.settings))
    source = Source("discord", place=found.place, message=pointed.message, guild=guild)
    item = await memory.remember_nobodys(
        in_guild(guild),
        FRAME.format(words=found.words),
        by=asked.by,
        source=source,
        evidence=(found.evidence,),
        where=found.where,
        speakers=(found.speaker,),
        origin=asked.origin,
    )
    return await undoable(assistant, Reply(f"Remembered: {one_line(item.text)}\n{REACH} ({shown_id(item)})", (item,)))


def _theirs(rows: Rows, asked: Invocation, pointed: Pointed, guild: Ref, settings: Settings) -> Theirs:
    heard = rows.ids.event_id(message_identity(pointed.message.platform, pointed.message.key, "heard", pointed.said))
    epochs = range(asked.setting.audience.epoch, -1, -1)
    found = (find_message(rows, asked.session, each, Point(pointed.said, heard)) for each in epochs)
    message = next((each.row.message for each in found if each is not None), None)
    if message is None:
        raise BadRequest(UNHEARD)
    if message.author != "person" or message.speaker == NOBODY or not message.text.strip():
        raise BadRequest(NO_PERSON)
    if audience_now(rows, message.audience).kind != "guild":
        raise BadRequest(OTHERS)
    if is_quiet(rows, heard):
        raise BadRequest(TAKEN_BACK)
    learn = config_for(rows, settings, message.speaker, message.place, guild).learn
    if learn == "none" or is_out(rows, message.speaker):
        raise BadRequest(UNWILLING)
    words = with_names(message.text, message.spans, lambda _: SOMEONE).replace(f"@{SOMEONE}", SOMEONE)
    evidence = Evidence(words, heard, pointed.message)
    where = Setting(NOBODY, message.audience, guild)
    return Theirs(words, message.speaker, evidence, where, message.place, guild)
