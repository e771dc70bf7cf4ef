"""SIGKILL at the worst moments: the loopback servers hold the bot exactly there. SIGTERM in the middle of an answer."""

import asyncio

from dnam.adapters.discord.appearing import UNFINISHED
from tests.loopback.discord import Channel
from tests.loopback.discord.limits import ANY, Fault
from tests.loopback.discord.wire import Wire
from tests.loopback.messages import Holds
from tests.scenario.stage import Stage

TWINE = "the twine for the marigold lies in the second drawer"


async def chapter(stage: Stage) -> None:
    await _heard_and_no_reply_yet(stage)
    await _answered_and_not_sent(stage)
    await _sent_and_not_recorded(stage)
    await _obeyed_and_not_said(stage)
    await _in_mid_extraction(stage)
    await _told_to_end_in_mid_answer(stage)


def _held(stage: Stage, kind: str, about: str) -> Holds:
    """The next call of a kind with these words in its prompt gets no reply until it is let go."""
    held = Holds(asyncio.Event(), asyncio.Event())
    stage.claude.then(kind, held, about)
    return held


def _sending(stage: Stage, channel: Channel) -> Fault:
    """What the bot says next there is on its way until the gate is opened: the whole of it. A part of an answer, which
    a slow machine sees before, arrives: Claude is not done then, nothing is recorded yet, and killed now it would ask
    again, which is lawful.
    """
    return stage.world.slow(ANY, f"/channels/{channel.id}/messages*", asks=_is_whole)


def _is_whole(body: Wire) -> bool:
    return "content" in body and not body["content"].endswith(UNFINISHED)


async def _heard_and_no_reply_yet(stage: Stage) -> None:
    cast = stage.cast
    held = _held(stage, "answer", "what tea was it again?")
    question = await stage.asks(cast.kim, cast.teahouse, "what tea was it again?")
    await stage.until(held.reached.is_set, "the question to be at Claude")
    await stage.kill("the question is heard, Claude has not replied")
    await stage.chatters(6, cast.general, cast.deck)
    await stage.start_another()
    assert "marigold" in (await stage.answer(question)).content


async def _answered_and_not_sent(stage: Stage) -> None:
    cast = stage.cast
    sending = _sending(stage, cast.general)
    question = await stage.asks(cast.kim, cast.general, "tea, once more?")
    await stage.until(lambda: sending.met, "the answer to be on its way")
    thought = stage.claude.count("answer")
    await stage.kill("the answer is recorded, and never reaches Discord")
    assert stage.answers(question) == []
    await stage.start()
    await stage.answer(question)
    assert stage.claude.count("answer") == thought, "it was thought of once"


async def _sent_and_not_recorded(stage: Stage) -> None:
    cast = stage.cast
    sending = _sending(stage, cast.deck)
    question = await stage.asks(cast.tobi, cast.deck, "is the rudder fixed?")
    await stage.until(lambda: sending.met, "the answer to be on its way")
    thought = stage.claude.count("answer")
    await stage.kill("the answer reaches Discord, and the bot does not learn of it")
    sending.open()
    await stage.until_quiet(lambda: stage.answers(question), "the answer to reach Discord")
    await stage.start()
    await stage.answered(cast.tobi, cast.deck, "and the anchor, is it the rudder's?".replace("anchor", "keel"))
    assert stage.claude.count("answer") == thought + 1


async def _obeyed_and_not_said(stage: Stage) -> None:
    """What a command says is done once, and its reply comes after all."""
    cast, kim = stage.cast, stage.cast.kim
    sending = _sending(stage, cast.general)
    command = await kim.says(cast.general, f"!memory remember {TWINE}")
    stage.commands.append(command)
    await stage.until(lambda: sending.met, "the reply to be on its way")
    await stage.kill("what a command says is done, and its reply never reaches Discord")
    await stage.start()
    assert "is done" in (await stage.answer(command)).content
    assert TWINE in (await stage.commands_it(kim, cast.general, "!memory undo")).content
    assert TWINE not in (await stage.commands_it(kim, cast.general, "!memory show")).content


async def _in_mid_extraction(stage: Stage) -> None:
    """What was being learned is learned when it is back."""
    cast, tobi = stage.cast, stage.cast.tobi
    held = _held(stage, "extraction", "rudder oak")
    for text in ("I prefer rudder oak over pine.", "is the rudder dry?", "and is it straight, the rudder?"):
        await stage.answered(tobi, cast.deck, text)
    await stage.until(held.reached.is_set, "Claude to be asked what is to be learned")
    await stage.kill("Claude reads what Tobi said, and has not replied")
    await stage.start()
    await stage.there()
    await stage.shows(tobi, cast.deck, "rudder oak")


async def _told_to_end_in_mid_answer(stage: Stage) -> None:
    ada = stage.cast.ada
    held = _held(stage, "answer", "what of my linen?")
    question = await stage.asks(ada, ada.dm, "what of my linen?")
    await stage.until(held.reached.is_set, "the question to be at Claude")
    stage.bot.end()
    stage.transcript.mark("told to end", "in the middle of an answer")
    held.let_go.set()
    await stage.ended()
    assert len(stage.answers(question)) == 1
    await stage.start()
    await stage.there()
