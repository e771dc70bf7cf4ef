"""*Remember this*: a message that its own author points at becomes an item of theirs, and rests on that message.

Whose memory would it be? What somebody said is theirs (design §5, §7): an item of P made of Q's words would stay when Q
had taken the message back, and tell of Q what Q never asked to have kept. So only who wrote a message can have it
remembered as theirs; what another points at becomes lore of the server, where all of it can read that (`keep_others`).

The item lies where everybody could already read the message, and no wider: in the compartment of the audience that it
was said to, or of the place as it is now where fewer can read that. It goes when the message goes, unless the person
asks again. Of a message that was never heard here the words alone are kept.

Whom it mentions is "someone" in it, but who asks: a name there would outlive its person's erasure.
"""

from typing import NamedTuple

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Invocation, Reply
from dnam.commands.items import reach
from dnam.commands.keep_others import remember_others
from dnam.commands.made_room import made_room
from dnam.commands.parse import is_for_memory
from dnam.commands.picking import shown_id
from dnam.commands.pointing import Pointed
from dnam.commands.undo import undoable
from dnam.unnamed import NOTE, noted, unnamed
from projections.caller import Caller, with_names
from projections.decisions.hear import message_identity
from projections.derived import effects_of
from projections.errors import BadRequest
from projections.events import MessageDeleted
from projections.events.values import Audience, Evidence, Message, Source
from projections.ids import EventId, Point, Ref
from projections.messages import find_message
from projections.people import SOMEONE
from projections.places import place_of
from projections.policies.compartments import Setting, audience_now
from projections.quoting import one_line
from projections.rows import Rows

COMMAND = (
    "This is a command, which I have carried out or answered; I keep none as something that was said. "
    f"To keep a sentence: `{PREFIX} remember <text>`."
)
WORDLESS = "There are no words in this message that I could remember."
GONE = "this message was taken back, so I do not keep it"


class Found(NamedTuple):
    """What there is to remember: the words, who could read them, and what they stand in. `note` says what is not kept
    of the words.
    """

    text: str
    setting: Setting
    evidence: Evidence
    place: Ref
    note: str = ""


async def remember_message(assistant: Assistant, asked: Invocation, pointed: Pointed) -> Reply:
    """Keep the message's words as an item of its author, who asks."""
    if pointed.is_command or is_for_memory(pointed.text):
        return Reply(COMMAND, failed=True)
    if not pointed.by_asker:
        return await remember_others(assistant, asked, pointed)
    memory = assistant.memory
    found = await memory.look(lambda rows: _found(rows, asked, pointed, memory.settings.assistant_name))
    if not found.text.strip():
        return Reply(WORDLESS, failed=True)
    where = found.setting
    source = Source("discord", place=found.place, message=pointed.message, guild=where.guild)
    item = await memory.remember(
        asked.person,
        found.text,
        by=asked.by,
        setting=where,
        source=source,
        evidence=(found.evidence,),
        origin=asked.origin,
    )
    text = f"Remembered: {one_line(item.text)}\n{reach(where.audience)} ({shown_id(item)}){found.note}"
    return await undoable(assistant, Reply(text + await made_room(memory, item, asked=asked), (item,)))


def _found(rows: Rows, asked: Invocation, pointed: Pointed, assistant: str) -> Found:
    """The message as it now is. Raises BadRequest when it was taken back."""
    heard = rows.ids.event_id(message_identity(pointed.message.platform, pointed.message.key, "heard", pointed.said))
    message = _message(rows, asked, Point(pointed.said, heard))
    described = place_of(rows, asked.session)
    place = asked.setting.audience.place if described is None else described.row.place
    if message is None:
        _refuse_gone(rows, heard)
        words = unnamed(pointed.text)
        return Found(words, asked.setting, Evidence(words, ref=pointed.message), place, noted(pointed.text))
    caller = Caller(rows, assistant, only=frozenset({asked.person}))
    text = with_names(message.text, message.spans, caller.person).replace(f"@{SOMEONE}", SOMEONE)
    note = f"\n{NOTE}" if any(each.person != asked.person for each in message.spans) else ""
    setting = asked.setting._replace(audience=_narrower(rows, message.audience, asked.setting.audience))
    return Found(text, setting, Evidence(text, heard, pointed.message), place, note)


def _refuse_gone(rows: Rows, heard: EventId) -> None:
    status = rows.ids.status(heard)
    deleted = any(tag == MessageDeleted.TAG for _, tag in effects_of(rows, heard))
    if deleted or status in ("redacted", "erased"):
        raise BadRequest(GONE)


def _message(rows: Rows, asked: Invocation, point: Point) -> Message | None:
    """From the session in which it is pointed at, in whichever epoch it was said."""
    epochs = range(asked.setting.audience.epoch, -1, -1)
    found = (find_message(rows, asked.session, each, point) for each in epochs)
    return next((each.row.message for each in found if each is not None), None)


def _narrower(rows: Rows, then: Audience, now: Audience) -> Audience:
    """Who could read it when it was said, or fewer where fewer can now, or could since."""
    return now if now.kind == "channel" else audience_now(rows, then)
