"""`!memory erase`: everything that is known of whoever asks, for good.

It says what it will do, and does it once that is confirmed: by a button where there are buttons, else by `erase yes`.
The receipt counts what is gone and names what it cannot reach. Where others read along, nothing is counted.
"""

from collections.abc import Iterator, Sequence

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Confirms, Invocation, Parameter, Reply
from dnam.erasing.person import CANNOT_REACH, STAYS, Receipt, Taken, erase, keys_words, look, person_counted
from dnam.whereabouts import handle_of
from projections.decisions.consent import BY_THEMSELF
from projections.errors import BadRequest
from projections.ids import Handle

SURE = "yes"
BUTTON: Confirms = "erase"
BUTTON_SAYS = "Erase everything"
PARAMETERS = (Parameter(SURE, "once you have read what it does", optional=True, is_typed=True),)
NOTHING = "I keep nothing about you, so there is nothing to erase."
FOR_GOOD = (
    "This cannot be undone. What you set for yourself (`config`) goes with it: what you say to me afterwards, I hear as"
    " from somebody new."
)
BEFORE = "`{prefix} export` first gives you a copy; `{prefix} opt-out` keeps me from recording you again."
OF_YOURS = (*STAYS[:-1], "what others typed about you, which is theirs")
"""What stays, as it is said to who is erased."""
FULL = "All that you said to me or near me, what I remember of you, and the answers and summaries that drew on it."


async def erase_me(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Say what erasing would do, with a way to confirm it: where there is a button, no word does."""
    sure = "" if asked.has_buttons else arguments.get(SURE, "").casefold()
    if sure and sure != SURE:
        raise BadRequest(f"to erase everything, confirm it: `{PREFIX} erase {SURE}`")
    person = await whoever_asks(assistant, asked)
    if not person:
        return Reply(NOTHING, failed=True)
    if sure:
        return await erase_confirmed(assistant, asked)
    taken = await look(assistant.memory, person) if asked.is_alone else None
    return Reply("\n".join(_plan(taken, asked)), confirm=BUTTON if asked.has_buttons else "")


async def erase_confirmed(assistant: Assistant, asked: Invocation) -> Reply:
    """Do it. The keys are gone when this returns; what was built from them is built anew behind it."""
    person = await whoever_asks(assistant, asked)
    if not person:
        return Reply(NOTHING, failed=True)
    assistant.give_up(person)
    receipt = await erase(assistant.memory, person, BY_THEMSELF, in_background=True)
    assistant.give_up(person)  # what began meanwhile
    if receipt.event is None:
        return Reply(NOTHING, failed=True)
    return Reply("\n".join(_receipt(receipt, asked)))


async def whoever_asks(assistant: Assistant, asked: Invocation) -> Handle:
    """The person, also where they opted out; NOBODY for whom nobody knows."""
    account = asked.account
    if asked.person or account is None:
        return asked.person
    return await assistant.memory.look(lambda rows: handle_of(rows, account))


def _plan(taken: Taken | None, asked: Invocation) -> Iterator[str]:
    yield "**Erasing everything that I know of you takes away, for good:**"
    yield FULL if taken is None else f"{FULL} That is {person_counted(taken)}, under {keys_words(taken)}."
    yield from _lines("What stays:", OF_YOURS)
    yield from _lines("What I cannot reach:", CANNOT_REACH)
    yield f"{FOR_GOOD} {BEFORE.format(prefix=asked.prefix)}"
    yield f"To do it, press *{BUTTON_SAYS}* below." if asked.has_buttons else f"To do it: `{PREFIX} erase {SURE}`"


def _receipt(receipt: Receipt, asked: Invocation) -> Iterator[str]:
    yield "**Erased.** The keys to everything that was yours are destroyed: nobody can read it any more, nor can I."
    if asked.is_alone:
        gone = person_counted(receipt.taken)
        yield f"{gone[:1].upper()}{gone[1:]}, under {keys_words(receipt.taken)}."
        if receipt.taken.exports:
            yield f"Exports in my folder that held you, removed: {len(receipt.taken.exports)}."
    yield from _lines("What stays:", OF_YOURS)
    yield from _lines("What I cannot reach:", CANNOT_REACH)
    yield "The sealed bytes, which no key opens any more, leave the disk in a bot's next night."
    yield "Summaries in which others are too are made anew; if that is broken off, it is finished at my next start."


def _lines(title: str, lines: Sequence[str]) -> Iterator[str]:
    yield title
    yield from (f"- {each}" for each in lines)
