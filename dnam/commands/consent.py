"""`!memory opt-out` and `opt-in`: whether anything of whoever asks is recorded from now on."""

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Invocation, Reply
from dnam.commands.erase import whoever_asks
from dnam.consenting import consent
from projections.consent import OPTED_OUT as OUT_NOW
from projections.consent import is_out
from projections.decisions.consent import BY_THEMSELF
from projections.rows import Rows
from replay.errors import LogError

OUT = "From now on I record nothing of what you say, and learn nothing about you."
OUT_ALREADY = "You have opted out already: I record nothing of what you say."
STAYS = (
    "What I have of you stays until you take it away: `{prefix} erase`. I still answer you where I may, and remember"
    " nothing of it. To change your mind: `{prefix} opt-in`."
)
NOT_OUT = "That could not be recorded, so you are not opted out: ask me again later, until I say that it is done."
"""Nobody may believe that nothing is recorded of them while it is."""
IN = "You are heard again, from now on. What you said meanwhile, I have not heard."
IN_ALREADY = "You have not opted out: I hear you already."
NOBODY_KNOWN = "I cannot tell who you are here, so I can record nothing about you, not even this."

OPTED_OUT = f"You opted out, so I record nothing about you. `{PREFIX} opt-in` changes that."


async def opt_out(assistant: Assistant, asked: Invocation, _: Arguments) -> Reply:
    """Record nothing of theirs from now on. What is under way about them ends."""
    try:
        changed = await _consent(assistant, asked, out=True)
    except (LogError, OSError) as error:
        assistant.failures.append(f"opt-out: {error}", f"somebody's opting out could not be recorded: {error}")
        return Reply(NOT_OUT, failed=True)
    if changed is None:
        return Reply(NOBODY_KNOWN, failed=True)
    return Reply(f"{OUT if changed else OUT_ALREADY}\n{STAYS.format(prefix=asked.prefix)}")


async def opt_in(assistant: Assistant, asked: Invocation, _: Arguments) -> Reply:
    """Record what they say again."""
    changed = await _consent(assistant, asked, out=False)
    if changed is None:
        return Reply(NOBODY_KNOWN, failed=True)
    return Reply(IN if changed else IN_ALREADY)


async def _consent(assistant: Assistant, asked: Invocation, *, out: bool) -> bool | None:
    """Whether something changed; None where nobody knows who asks."""
    person = await whoever_asks(assistant, asked)
    accounts = () if asked.account is None else (asked.account,)
    if not person and not accounts:
        return None
    changed = await consent(assistant.memory, person, accounts, BY_THEMSELF, out=out, origin=asked.origin)
    if out and person:
        assistant.give_up(person)
    return changed


def is_unheard(rows: Rows, asked: Invocation) -> bool:
    """Whether who asks opted out, known or not."""
    account = asked.account
    if asked.person or account is None:
        return is_out(rows, asked.person)
    return rows.get(OUT_NOW, rows.ids.keyed_hash(account.platform, account.id)) is not None
