"""A prompt is made while the disk writes what it answers: the same one, once, and only for who is answered there."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest

from dnam.assistant import Assistant
from dnam.exchange import Exchange, Exchanges
from dnam.memory import Memory
from dnam.unwritten import Unwritten
from dnam.whereabouts import Heard, locate, with_handles
from projections.context import Context
from projections.decisions.audience import AudienceRequest, change_audience
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import MessageHeard, TurnAnswered
from projections.events.values import Attachment, AuthorKind
from projections.ids import LAST, NOBODY, SNOWFLAKE_EPOCH_MS, Ref
from projections.rows import Rows
from replay.erasure import erase
from replay.errors import LogFull, Refused
from replay.log import Commit, Head, Syncing, untold
from tests.dnam.discord.stage import events
from tests.dnam.scripted import ScriptedModel, talking
from tests.world import NOW

ADA, KIM = Account("local", "ada", "Ada"), Account("local", "kim", "Kim")
GARDEN = PlaceSeen("discord", "7", "channel", "garden", "guild", guild=Ref("discord", "g"))
BETWEEN = PlaceSeen("local", "", "direct", "", "direct", partner=ADA)
DAY = 24 * 60 * 60 * 1000
TALK = (
    "The beans are in the third row since May",
    "Kim, did the tomatoes get any water?",
    "I water them at seven, as ever",
    "What did we sow in the third row?",
    "Ada prefers beans over peas",
    "ok",
    "Which row has the beans, and who waters the tomatoes?",
)


def says(number: int, text: str, place: PlaceSeen, who: Account = ADA, said: int | None = None) -> HeardRequest:
    moment = NOW + number * 1000 if said is None else said
    return HeardRequest(f"m{number}", place, "person", who, text, moment, (), addressed=True)


@contextmanager
def prepared(assistant: Assistant) -> Iterator[list[Context]]:
    """What prompts are made meanwhile."""
    made: list[Context] = []
    real = assistant.memory.assembled

    def assembled(*args: object, **fields: object) -> Context:
        made.append(real(*args, **fields))  # type: ignore[arg-type]  # whatever it is given
        return made[-1]

    with patch.object(assistant.memory, "assembled", assembled):
        yield made


async def recorded(exchange: Exchange) -> None:
    assert exchange.writing is not None
    assert await exchange.writing


async def exchanged(exchanges: Exchanges, request: HeardRequest) -> Exchange:
    exchange = await exchanges.hear(request, to_answer=True)
    await exchanges.think(exchange)
    await exchanges.answered(exchange, request.said + 1)
    await exchanges.delivered(exchange, said=request.said + 2)
    return exchange


@pytest.mark.parametrize("apart", [1000, 30 * 60 * 1000, DAY], ids=["at once", "later", "on other days"])
@pytest.mark.parametrize("place", [GARDEN, BETWEEN], ids=["guild", "direct"])
async def test_it_is_the_prompt_that_would_be_made_afterwards(tmp_path: Path, place: PlaceSeen, apart: int) -> None:
    async with talking(tmp_path, ScriptedModel(), summary_every_n_turns="99") as assistant:
        exchanges = Exchanges(assistant, Unwritten())
        speakers = (ADA, KIM) if place is GARDEN else (ADA,)
        for number, text in enumerate(TALK * 2):
            who = speakers[number % len(speakers)]
            with prepared(assistant) as made:
                request = says(number, text, place, who, NOW + number * apart)
                exchange = await exchanges.hear(request, to_answer=True)
                await exchanges.think(exchange)
            assert len(made) == 1
            assert exchange.thought is not None
            await recorded(exchange)
            assert exchange.thought.context == await assistant.memory.context(
                exchange.heard, files=exchange.thought.files
            )
            assert exchange.heard.point.id in exchange.thought.context.causes
            await exchanges.answered(exchange, request.said + 1)
            await exchanges.delivered(exchange, said=request.said + 2)


@pytest.mark.parametrize("author", ["person", "webhook"])
@pytest.mark.parametrize("place", [GARDEN, BETWEEN], ids=["guild", "direct"])
async def test_what_is_told_of_a_message_while_it_is_decided_is_what_a_look_has_of_it_afterwards(
    tmp_path: Path, place: PlaceSeen, author: AuthorKind
) -> None:
    async with talking(tmp_path, ScriptedModel()) as assistant:
        told: list[Heard] = []
        for number in range(2):  # the first one brings who said it along, and where
            request = with_handles(says(number, "hello", place)._replace(author=author))
            heard = await assistant.memory.hear_ready(request, lambda heard, _: told.append(heard))
            assert heard == await assistant.memory.look(partial(locate, request=request))
            assert told == [heard][:number]


@pytest.mark.parametrize("addressed", [True, False])
async def test_a_judge_says_among_the_rows_whether_there_will_be_an_answer_to_prepare(
    tmp_path: Path, addressed: bool
) -> None:
    async with talking(tmp_path, ScriptedModel()) as assistant:
        exchanges, asked = Exchanges(assistant, Unwritten()), list[Rows]()

        def judge(rows: Rows) -> bool:
            asked.append(rows)
            return addressed

        await recorded(await exchanges.hear(says(1, "hello", GARDEN)))
        request = says(2, "and now?", GARDEN)._replace(addressed=not addressed)
        with prepared(assistant) as made:
            exchange = await exchanges.hear(request, to_answer=True, judge=judge)
            await recorded(exchange)
            assert exchange.ahead is None or exchange.ahead.result() is not None
        heard = [each for each in events(assistant.memory, MessageHeard) if each.message.text == "and now?"]
        assert ([each.message.addressed for each in heard], len(asked)) == ([addressed], 1)
        assert (exchange.ahead is not None, len(made)) == (addressed, int(addressed))


@pytest.mark.parametrize("place", [GARDEN, BETWEEN], ids=["guild", "direct"])
async def test_answers_that_were_said_behind_it_stand_in_it_as_they_will_afterwards(
    tmp_path: Path, place: PlaceSeen
) -> None:
    """A clock that is ahead by more than people wait: every answer lies behind the next questions."""
    async with talking(tmp_path, ScriptedModel(), summary_every_n_turns="99") as assistant:
        exchanges = Exchanges(assistant, Unwritten())
        for number, text in enumerate(TALK):
            request = says(number, text, place)
            exchange = await exchanges.hear(request, to_answer=True)
            assert (exchange.ahead is None) == (number == 0)
            await exchanges.think(exchange)
            assert exchange.thought is not None
            context = exchange.thought.context
            assert sum(line.is_turn for line in context.window.lines) == number
            await exchanges.answered(exchange, request.said + 60_000)
            assert context == await assistant.memory.context(exchange.heard, files=exchange.thought.files)
            await exchanges.delivered(exchange, said=request.said + 60_001)


async def test_mentions_replies_and_attachments_are_as_they_will_be(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel()) as assistant:
        exchanges = Exchanges(assistant, Unwritten())
        await exchanged(exchanges, says(1, "The beans are up", GARDEN, KIM))
        await exchanged(exchanges, says(2, "hello", GARDEN))
        request = says(3, "is this yours?", GARDEN)._replace(
            reply_to=Ref("discord", "m1"), attachments=(Attachment("beans.png", 12),)
        )
        exchange = await exchanged(exchanges, request)
        assert exchange.thought is not None
        assert "(reply to Kim)" in exchange.thought.context.text
        assert "[attachment: beans.png]" in exchange.thought.context.text


async def test_what_it_replies_to_is_quoted_as_it_will_be_also_where_it_was_said_long_ago(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel(), message_history_count="2") as assistant:
        exchanges = Exchanges(assistant, Unwritten())
        old = says(1, "The beans are up", GARDEN, KIM)._replace(key=str((NOW + 1000 - SNOWFLAKE_EPOCH_MS) << 22))
        await exchanged(exchanges, old)
        for number in (2, 3):
            await exchanged(exchanges, says(number, "hello", GARDEN))
        request = says(4, "is this true?", GARDEN)._replace(reply_to=Ref("discord", old.key))
        exchange = await exchanges.hear(request, to_answer=True)
        assert exchange.ahead is not None
        await exchanges.think(exchange)
        await recorded(exchange)
        assert exchange.thought is not None
        context = exchange.thought.context
        assert "\nReplied-to message:\n[Kim]: The beans are up\n" in context.text
        assert context == await assistant.memory.context(exchange.heard, files=exchange.thought.files)


async def test_who_is_met_just_now_is_answered_as_ever(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel()) as assistant:
        exchange = await Exchanges(assistant, Unwritten()).hear(says(1, "hello", BETWEEN), to_answer=True)
        assert exchange.ahead is None
        thought = await Exchanges(assistant, Unwritten()).think(exchange)
        assert exchange.heard.point.id in thought.context.causes


async def test_what_nobody_answers_is_prepared_for_nothing(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel()) as assistant:
        exchanges = Exchanges(assistant, Unwritten())
        await exchanged(exchanges, says(1, "hello", GARDEN))
        with prepared(assistant) as made:
            assert (await exchanges.hear(says(2, "nobody asks", GARDEN))).ahead is None
            assert (await exchanges.hear(says(1, "hello", GARDEN), to_answer=True)).ahead is None  # it is known
        assert made == []


async def test_it_serves_one_answer_and_no_other_readers(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel()) as assistant:
        exchanges = Exchanges(assistant, Unwritten())
        await exchanged(exchanges, says(1, "The beans are up", GARDEN))
        with prepared(assistant) as made:
            exchange = await exchanges.hear(says(2, "what is up?", GARDEN), to_answer=True)
            closed = await exchanges.think(exchange, closed=True)
            assert len(made) == 2
            assert closed.context == made[1]
            assert closed.context.past == ()
            await exchanges.think(exchange)
            assert len(made) == 3


@pytest.mark.parametrize("place", [GARDEN, BETWEEN], ids=["guild", "direct"])
async def test_what_fails_there_is_tried_again_and_told(tmp_path: Path, place: PlaceSeen) -> None:
    async with talking(tmp_path, ScriptedModel()) as assistant:
        exchanges = Exchanges(assistant, Unwritten())
        await exchanged(exchanges, says(1, "hello", place))
        real, fails = assistant.prepare_here, [OSError("the disk is gone"), None]

        def prepare(*args: object) -> object:
            if (error := fails.pop(0)) is not None:
                raise error
            return real(*args)  # type: ignore[arg-type]  # whatever it is given

        with patch.object(assistant, "prepare_here", prepare):
            exchange = await exchanged(exchanges, says(2, "how are you?", place))
        assert fails == []
        assert exchange.thought is not None
        assert "hello" in exchange.thought.context.text
        with patch.object(assistant, "prepare_here", side_effect=OSError("the disk is gone")):
            await exchanged(exchanges, says(3, "and now?", place))
        assert "the disk is gone" in str(list(assistant.failures))


async def test_what_could_not_be_recorded_is_answered_from_what_is_there(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel()) as assistant:
        unwritten = Unwritten()
        exchanges = Exchanges(assistant, unwritten)
        await exchanged(exchanges, says(1, "hello", GARDEN))
        refused, over, real = threading.Event(), threading.Semaphore(0), assistant.prepare_here

        def prepare(*args: object) -> object:
            wait(refused)
            try:
                return real(*args)  # type: ignore[arg-type]  # whatever it is given
            finally:
                over.release()

        with patch.object(assistant, "prepare_here", prepare), at_the_end(assistant.memory, full):
            exchange = await exchanges.hear(says(2, "how are you?", GARDEN), to_answer=True)
            assert exchange.ahead is None
            refused.set()
            thought = await exchanges.think(exchange)
        assert thought.context.message.words == "how are you?"
        assert thought.context.message.seq == 0  # by its own text
        assert exchange.heard.point.id == LAST
        for _ in range(2):  # that which was begun early, and that of the answer
            assert await asyncio.to_thread(over.acquire, timeout=20)
        with prepared(assistant) as made:
            assert await unwritten.again()
            await asyncio.sleep(0)
        assert made == []  # it was answered long ago
        assert exchange.heard.point.id != LAST


async def test_the_model_does_not_wait_for_the_disk(tmp_path: Path) -> None:
    """It is asked while the question is being written; what it says is recorded behind that."""
    async with talking(tmp_path, ScriptedModel()) as assistant:
        exchanges = Exchanges(assistant, Unwritten())
        await exchanged(exchanges, says(1, "hello", GARDEN))
        goes_on = threading.Event()
        with at_the_end(assistant.memory, lambda: wait(goes_on)):
            exchange = await exchanges.hear(says(2, "how are you?", GARDEN), to_answer=True)
            thought = await exchanges.think(exchange)
            assert exchange.writing is not None
            assert not exchange.writing.done()
            answering = asyncio.create_task(exchanges.answered(exchange))
            await asyncio.sleep(0)
            assert not exchange.is_kept
            goes_on.set()
            await answering
        await exchanges.delivered(exchange)
        assert exchange.heard.point.id in thought.context.causes
        said = [event.TAG for event in events(assistant.memory, MessageHeard, TurnAnswered)]
        assert said == ["message.heard", "turn.answered"] * 2


@pytest.mark.parametrize("fate", ["it waits", "it never can be"])
async def test_what_was_answered_and_could_not_be_recorded(tmp_path: Path, fate: str) -> None:
    """The prompt was ready first. Where the question can be recorded later, the answer is behind it; else it rests on
    what else was in its prompt.
    """
    async with talking(tmp_path, ScriptedModel()) as assistant:
        unwritten = Unwritten()
        exchanges = Exchanges(assistant, unwritten)
        await exchanged(exchanges, says(1, "hello", GARDEN))
        asked = threading.Event()

        def fail() -> None:
            wait(asked)
            raise LogFull("the disk is full: make room") if fate == "it waits" else Refused("not this one")

        with at_the_end(assistant.memory, fail):
            exchange = await exchanges.hear(says(2, "how are you?", GARDEN), to_answer=True)
            thought = await exchanges.think(exchange)
            assert exchange.heard.point.id in thought.context.causes
            asked.set()
            assert exchange.writing is not None
            assert await exchange.writing is (fate != "it waits")
        await exchanges.answered(exchange)
        assert str(unwritten) == ("1 message, 1 answer" if fate == "it waits" else "")
        assert await unwritten.again()
        await exchanges.delivered(exchange)
        _, turn = events(assistant.memory, TurnAnswered)
        assert (exchange.heard.point.id in turn.causes) is (fate == "it waits")
        assert len(events(assistant.memory, MessageHeard)) == (2 if fate == "it waits" else 1)


async def test_an_answer_that_is_broken_off_is_behind_a_question_that_is_written_later(tmp_path: Path) -> None:
    """The program ends while the disk still writes the question, and that fails."""
    async with talking(tmp_path, ScriptedModel()) as assistant:
        unwritten = Unwritten()
        exchanges = Exchanges(assistant, unwritten)
        await exchanged(exchanges, says(1, "hello", GARDEN))
        with fails_later(assistant.memory) as goes_on:
            exchange = await exchanges.hear(says(2, "how are you?", GARDEN), to_answer=True)
            await exchanges.think(exchange)
            answering = asyncio.create_task(exchanges.answered(exchange))
            await asyncio.sleep(0)
            answering.cancel()
            await asyncio.wait({answering})
            exchanges.broken_off(exchange, None)
            goes_on.set()
            assert exchange.writing is not None
            assert not await exchange.writing
        exchanges.broken_off(exchange, None)  # once more: it is recorded once
        assert await unwritten.again()
        assert [event.TAG for event in events(assistant.memory, MessageHeard, TurnAnswered)] == [
            "message.heard",
            "turn.answered",
        ] * 2
        assert exchange.heard.point.id in events(assistant.memory, TurnAnswered)[-1].causes


async def test_an_answer_lies_where_its_question_came_to_lie(tmp_path: Path) -> None:
    """The place closes while both wait to be recorded."""
    async with talking(tmp_path, ScriptedModel()) as assistant:
        memory, unwritten = assistant.memory, Unwritten()
        exchanges = Exchanges(assistant, unwritten)
        await exchanged(exchanges, says(1, "hello", GARDEN))
        await answered_while_failing(exchanges, says(2, "how are you?", GARDEN))
        closed = AudienceRequest(GARDEN._replace(audience="channel"), memory.now(), memory.origin())
        await memory.record(lambda rows: change_audience(rows, closed))
        assert await unwritten.again()
        question, turn = events(memory, MessageHeard)[-1], events(memory, TurnAnswered)[-1]
        assert isinstance(question, MessageHeard)
        assert isinstance(turn, TurnAnswered)
        assert question.message.audience == turn.audience
        assert (turn.audience.kind, turn.audience.epoch) == ("channel", 1)


async def test_what_an_answer_took_is_told_of_also_where_its_asker_was_erased_meanwhile(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel()) as assistant:
        memory, unwritten = assistant.memory, Unwritten()
        exchanges = Exchanges(assistant, unwritten)
        await exchanged(exchanges, says(1, "hello", GARDEN, KIM, NOW - 9000))
        await exchanged(exchanges, says(2, "hello", GARDEN, ADA, NOW - 8000))
        exchange = await answered_while_failing(exchanges, says(3, "how are you?", GARDEN, ADA, NOW - 7000))
        await asyncio.to_thread(erase, memory.engine, exchange.heard.person)
        assert await unwritten.again()
        assert list(unwritten.lost) == []
        turn = events(memory, TurnAnswered)[-1]
        assert isinstance(turn, TurnAnswered)
        assert (turn.text, turn.asker) == ("", NOBODY)


async def answered_while_failing(exchanges: Exchanges, request: HeardRequest) -> Exchange:
    """It is answered from what was prepared, and then the disk refuses the question; both wait."""
    with fails_later(exchanges.assistant.memory) as goes_on:
        exchange = await exchanges.hear(request, to_answer=True)
        await exchanges.think(exchange)
        goes_on.set()
        assert exchange.writing is not None
        assert not await exchange.writing
    await exchanges.answered(exchange)
    return exchange


@contextmanager
def fails_later(memory: Memory) -> Iterator[threading.Event]:
    """A disk that is full, and says so when the event is set."""
    goes_on = threading.Event()

    def fail() -> None:
        wait(goes_on)
        full()

    with at_the_end(memory, fail):
        yield goes_on


async def test_what_is_recorded_after_it_was_given_up_is_prepared_for_nobody(tmp_path: Path) -> None:
    """The log was given it, and took longer than an answer waits."""
    async with talking(tmp_path, ScriptedModel()) as assistant:
        unwritten = Unwritten()
        exchanges = Exchanges(assistant, unwritten)
        await exchanged(exchanges, says(1, "hello", GARDEN))
        unwritten.limit = lambda: asyncio.timeout(0)
        exchange = await exchanges.hear(says(2, "how are you?", GARDEN), to_answer=True)
        unwritten.limit = lambda: asyncio.timeout(20)
        assert exchange.heard.point.id == LAST
        assert await unwritten.again()
        assert exchange.ahead is None


@contextmanager
def at_the_end(memory: Memory, happens: Callable[[], None]) -> Iterator[None]:
    """A disk that takes everything, and at the end of it something happens, in the writer's thread."""
    log = memory.engine.store.log
    append: Callable[..., Head] = log.append

    def appended(commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
        def end() -> None:
            syncing()
            happens()

        return append(commit, expected, end)

    with patch.object(log, "append", appended):
        yield


def full() -> None:
    raise LogFull("the disk is full: make room")


def wait(event: threading.Event) -> None:
    assert event.wait(20)


async def test_an_exchange_that_is_over_is_let_go_of_at_once(tmp_path: Path) -> None:
    """Without a collection of garbage, which a process that answers people does seldom (`dnam.steadiness`)."""
    async with talking(tmp_path, ScriptedModel(), summary_every_n_turns="99") as assistant:
        exchanges, kept = Exchanges(assistant, Unwritten()), list[weakref.ref[Exchange]]()
        gc.collect()
        gc.disable()
        try:
            for number, text in enumerate(TALK):
                kept.append(weakref.ref(await exchanged(exchanges, says(number, text, GARDEN))))
            await asyncio.sleep(0)  # what is done is told of with the next turn of the loop
            assert [each() for each in kept] == [None] * len(TALK)
        finally:
            gc.enable()
