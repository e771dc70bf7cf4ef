"""Learning from what has not been read yet: `learn`, and what follows an `import`."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from dnam.cli.command import Command, Data, Json, Yes
from dnam.cli.failures import COULD_NOT, Ending
from dnam.cli.half_done import SoFar, told_so_far
from dnam.cli.screen import Screen, note
from dnam.cli.shell import Shell, nothing_yet
from projections.counting import counted
from replay.errors import NothingHere

if TYPE_CHECKING:
    from pathlib import Path

    from dnam.learning.learner import Estimate, LearnedAll, Learner
    from dnam.memory import Memory
    from projections.ids import Handle


def learn(
    user: Annotated[str | None, typer.Option(metavar="USER", help="Only from this person.")] = None,
    session: Annotated[str | None, typer.Option(metavar="SESSION", help="Only this session's summary.")] = None,
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Learn from what was heard or imported and not read yet.

    Where there is no log, there is nothing to learn from, and that is no failure. Ctrl-C breaks it off: what was
    learned stays, and the same command goes on.
    As JSON: the `extractions` and `summaries` that worked, how many `events` about items came of them; `errors` of
    calls that are tried again, and `unmerged`, why items that are close stay apart; `put_off`, why it stopped before
    its end, and how many calls are `left`: null where something failed, and they were not counted.
    """
    shell = Shell(data, as_json, yes)
    shell.tell_unheeded()
    with told_so_far(shell.out, lambda: nothing_learned()._asdict()) as so_far:
        learned = _learned(shell, user, session, so_far)
    if as_json:
        shell.out.emit(learned)
    if not learned.is_whole:
        raise Ending(COULD_NOT)


def _learned(shell: Shell, user: str | None, session: str | None, so_far: SoFar) -> "LearnedAll":
    async def action(memory: "Memory") -> "LearnedAll":
        persons = None if user is None else [await _person(memory, user)]
        chosen = None if session is None else [await _session(memory, session)]
        if user is not None and session is None:
            chosen = []
        if session is not None and user is None:
            persons = []
        async with learner_of(memory, shell.data, persons, chosen) as learner:
            so_far.value = lambda: learner.so_far()._asdict()
            return await learn_all(memory, learner, shell.out)

    try:
        return shell.run(action, named=user or session)
    except NothingHere:
        nothing_yet(shell.data)
        return nothing_learned()


def nothing_learned() -> "LearnedAll":
    """What comes of learning where nothing is done."""
    from dnam.learning.learner import LearnedAll

    return LearnedAll(0, 0, 0, ())


@asynccontextmanager
async def learner_of(
    memory: "Memory", data: "Path", persons: "Iterable[Handle] | None", chosen: Iterable[str] | None
) -> "AsyncIterator[Learner]":
    """Who learns from what these people said and in these sessions was said; None stands for all of them. Nobody else
    learns in the folder meanwhile, so what is unread is to be looked for only now.
    """
    from dnam.assistant import Assistant
    from dnam.learning.alone import learning_alone
    from dnam.learning.learner import Learner
    from dnam.models import opened

    async with learning_alone(data, note), opened(memory, note) as model:
        assistant = Assistant(memory, model)
        try:
            yield Learner(assistant, persons, chosen)
        finally:
            if not await assistant.unwritten.again():
                note(f"not recorded, and given up: {assistant.unwritten}; {assistant.unwritten.reason}")


async def _person(memory: "Memory", user: str) -> "Handle":
    from dnam.finding import the_person

    return await memory.look(lambda rows: the_person(rows, user))


async def _session(memory: "Memory", text: str) -> str:
    from dnam.finding import the_session

    return (await memory.look(lambda rows: the_session(rows, text))).session


async def learn_all(memory: "Memory", learner: "Learner", out: Screen) -> "LearnedAll":
    """Learn, and say what came of it; where the model is paid, only after its price was agreed to."""
    import asyncio

    estimate = await memory.look(learner.estimate)
    if not estimate.calls:
        _say(out, "Nothing to learn: everything has been read.")
        return nothing_learned()
    if learner.paid and not out.confirm(_price(memory, estimate)):
        _say(out, "Not learned. `dnam learn` does it later.")
        return nothing_learned()
    try:
        with out.progress("learning", "calls") as tell:
            learned = await learner.learn(tell)
    except asyncio.CancelledError:  # raised again: Ctrl-C
        note(_broken_off_words(learner.so_far()))
        raise
    _say(out, _learned_words(learned))
    for error, count in Counter(learned.errors).most_common():
        note(f"{count} call(s) failed and will be tried again by `dnam learn`: {error}")
    for error, count in Counter(learned.unmerged).most_common():
        note(f"items that are close stay apart, since {count} merge(s) failed: {error}")
    if learned.put_off:
        note(f"{counted(learned.left or 0, 'call')} put off, which `dnam learn` makes later: {learned.put_off}")
    return learned


def _learned_words(learned: "LearnedAll") -> str:
    return (
        f"Learned: {counted(learned.events, 'event')} about items "
        f"from {counted(learned.extractions, 'extraction')}; summaries refreshed {learned.summaries} times."
    )


def _broken_off_words(learned: "LearnedAll") -> str:
    left = "" if learned.left is None else f" {counted(learned.left, 'call')} left:"
    return f"broken off. {_learned_words(learned)}{left} `dnam learn` goes on"


def _price(memory: "Memory", estimate: "Estimate") -> str:
    from dnam.guess import guessed_micros
    from dnam.prices import dollars

    tokens = f"sends about {estimate.characters // 4:,} tokens of what was said"
    micros = guessed_micros(memory.settings, estimate)
    cost = "what it costs is not known" if micros is None else f"it may cost {dollars(micros)} or so"
    return f"Learning takes {counted(estimate.calls, 'call')} of a paid model and {tokens}; {cost}. Go on?"


def _say(out: Screen, text: str) -> None:
    if not out.as_json:
        out.line(text)


COMMANDS = (Command("learn", learn, "learn --user ada", changes=True),)
