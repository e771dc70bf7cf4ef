"""What has to be true afterwards, whatever happened: seen from Discord, from Claude, and in the log.

Discord   whatever was asked has exactly one answer, and nothing that the bot said stands there unaccounted for
Claude    no prompt holds words that its readers may not read, and no request was refused
log       each question has one turn, each answer that stands in Discord was delivered as that, verify and replay;
          what people said was heard once, as it now stands, and what they deleted is gone
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from typing import TypeVar

from dnam.adapters.discord.places import PLATFORM
from dnam.adapters.discord.translate import said_of
from dnam.memory import Memory
from projections.decisions.hear import message_identity
from projections.events import (
    Event,
    ExtractionAnswered,
    SummaryRefreshed,
    TurnAnswered,
    TurnDelivered,
    TurnFailed,
)
from projections.ids import EventId
from projections.messages import MESSAGES
from tests.dnam.discord.stage import events
from tests.dnam.scripted import settings
from tests.loopback.discord import Message
from tests.loopback.discord.messages import MessageKind
from tests.scenario.process import bare, dnam, ran
from tests.scenario.readers import leak
from tests.scenario.stage import Stage

E = TypeVar("E", bound=Event)
SPOKEN = (MessageKind.DEFAULT, MessageKind.REPLY)
MENTION = re.compile(r"<@!?[0-9]+>")


async def check(stage: Stage) -> None:
    """Raises with what is wrong. The bot has ended."""
    _each_has_one_answer(stage)
    _nothing_leaked(stage)
    assert stage.server.refused == [], f"Claude refused: {stage.server.refused}"
    assert "Traceback" not in stage.bot.log, stage.bot.log
    async with Memory.open(stage.folder / "data", settings=settings()) as memory:
        log_agrees(stage, memory)
        _all_was_heard(stage, memory)
    await _file_is_sound(stage)
    stage.world.state.check()


def _each_has_one_answer(stage: Stage) -> None:
    counts = {each: len(stage.answers(each)) for each in (*stage.asked, *stage.commands)}
    wrong = {repr(each): count for each, count in counts.items() if count != 1}
    assert wrong == {}, f"answered not once: {wrong}"
    stage.transcript.mark("counted", f"{len(counts)} questions, each with one answer")


def _nothing_leaked(stage: Stage) -> None:
    leaks = [found for each in stage.claude.prompts if (found := leak(each))]
    assert leaks == [], f"others' words in a prompt: {leaks}"
    stage.transcript.mark("read", f"{len(stage.claude.prompts)} prompts, nothing in them that others may not read")


# -- the log -----------------------------------------------------------------------------------------------------------


def log_agrees(stage: Stage, memory: Memory) -> None:
    """AssertionError where turns, failures and deliveries in the log are not what was asked and what stands there."""
    answered = Counter(each.answers for each in _of(memory, TurnAnswered))
    failed = Counter(each.answers for each in _of(memory, TurnFailed))
    questions = {_heard_id(memory, each): each for each in stage.asked}
    counts = {each: (answered[each], failed[each]) for each in questions}
    wrong = {repr(questions[each]): turns for each, turns in counts.items() if sum(turns) != 1}
    assert wrong == {}, f"not one turn in the log, but so many answered and failed: {wrong}"
    unasked = {each.hex() for each in {*answered, *failed} - set(questions)}
    assert unasked == set(), f"it answered what nobody asked: turns of the messages {unasked}"
    _deliveries_agree(stage, memory, {questions[each] for each in failed})
    for kind in (SummaryRefreshed, ExtractionAnswered):
        assert _of(memory, kind), f"there is no {kind.TAG} in the log"


def _all_was_heard(stage: Stage, memory: Memory) -> None:
    """Nobody here opted out, and the bot sees every channel: whatever they said besides commands is in the log once."""
    said = {str(each.id): each for each in _said_by_people(stage)}
    with memory.engine.reading() as rows:
        messages = [each.row.message for each in rows.scan(MESSAGES)]
    texts = {each.ref.key: each.text for each in messages if each.author == "person"}
    times = Counter(each.ref.key for each in messages if each.author == "person")
    wrong = {repr(each): times[key] for key, each in said.items() if times[key] != 1}
    assert wrong == {}, f"heard not once: {wrong}"
    assert texts.keys() <= said.keys(), "what was deleted is gone"
    other = {repr(each): texts[key] for key, each in said.items() if not _is_as_said(texts[key], each)}
    assert other == {}, f"not as it stands in Discord: {other}"
    stage.transcript.mark("heard", f"{len(said)} messages, each once and as it now stands")


def _said_by_people(stage: Stage) -> Iterator[Message]:
    """What stands in Discord of what people said, but for what they asked of the memory."""
    for channel in stage.world.state.channels.values():
        for each in stage.world.messages(channel):
            if each.author in stage.cast.people and each.kind in SPOKEN and each not in stage.commands:
                yield each


def _is_as_said(text: str, message: Message) -> bool:
    """Whether a text says what a message says: whom it mentions the log has beside the text."""
    return bool(re.fullmatch(".*".join(map(re.escape, MENTION.split(message.content))), text, re.DOTALL))


def _deliveries_agree(stage: Stage, memory: Memory, failed: set[Message]) -> None:
    """Each of the bot's messages is part of a recorded answer, tells of a failure, or replies to a command."""
    told = {int(ref.key) for each in _of(memory, TurnDelivered) for ref in each.messages}
    said = {each.id: each for each in _said(stage)}
    other = failed | set(stage.commands)
    unrecorded = [each for each in said.values() if each.id not in told and each.reference not in other]
    assert unrecorded == [], f"in Discord, and delivered by no turn in the log: {unrecorded}"
    assert told <= set(said), f"delivered by a turn in the log, and not in Discord: messages {told - set(said)}"


def _said(stage: Stage) -> Iterator[Message]:
    """What the bot said to somebody in a channel."""
    for channel in stage.world.state.channels.values():
        if channel is not stage.cast.wall:
            found = stage.world.bot_messages(channel)
            yield from (each for each in found if each.kind in SPOKEN)


def _of(memory: Memory, kind: type[E]) -> list[E]:
    return [each for each in events(memory, kind) if isinstance(each, kind)]


def _heard_id(memory: Memory, message: Message) -> EventId:
    with memory.engine.reading() as rows:
        return rows.ids.event_id(message_identity(PLATFORM, str(message.id), "heard", said_of(message.id)))


async def _file_is_sound(stage: Stage) -> None:
    folder, env = stage.folder, {**bare(), "DNAM_DATA": str(stage.folder / "data")}
    looks = (("verify", "--open"), ("replay", "--check"))
    for words, done in zip(
        looks, await asyncio.gather(*(ran(dnam(*each), env, folder) for each in looks)), strict=True
    ):
        assert done.code == 0, f"dnam {' '.join(words)} ended with {done.code}:\n{done.out}"
        stage.transcript.mark(f"dnam {' '.join(words)}", done.out)
