"""Which messages may be quoted to somebody who asks in a place: those that every reader of the answer may read.

asked in     may be quoted
──────────   ─────────────────────────────────────────────────────────────────────────────────────
guild        what was said there, and where everybody in this guild could read and still can
channel      the same; of what was said there, what the same people could read
direct       what was said in this conversation, and the person's own words
"""

from projections.events.values import Audience, Message
from projections.ids import NOBODY, EventId, Ref
from projections.items import is_quiet
from projections.places import audience_of
from projections.policies.compartments import Setting
from projections.rows import Rows


def may_quote_message(rows: Rows, setting: Setting, message: Message, heard: EventId) -> bool:
    """Whether a message may be quoted here. What left recall with something taken back is for its person alone."""
    if setting.audience.kind == "direct":
        own = message.speaker != NOBODY and message.speaker == setting.person
        return own or message.audience == setting.audience
    return _is_read_by_all(rows, setting, message.audience, message.guild) and not is_quiet(rows, heard)


def may_quote_answer(rows: Rows, setting: Setting, audience: Audience, guild: Ref | None, turn: EventId) -> bool:
    """Whether an answer of the assistant's may be quoted here."""
    if setting.audience.kind == "direct":
        return audience == setting.audience
    return _is_read_by_all(rows, setting, audience, guild) and not is_quiet(rows, turn)


def _is_read_by_all(rows: Rows, setting: Setting, said_to: Audience, guild: Ref | None) -> bool:
    if said_to == setting.audience:  # a thread has its channel's name, and other epochs
        return audience_of(rows, said_to.place) in (None, said_to)
    public = said_to.kind == "guild" and guild is not None and guild == setting.guild
    return public and audience_of(rows, said_to.place) == said_to
