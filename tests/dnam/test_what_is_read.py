"""Which messages an extraction reads: none that was said where nothing is learned from, and all that came in late."""

from pathlib import Path

import pytest

from dnam.assistant import Assistant
from dnam.learning.learner import Learner
from dnam.loops import extraction
from dnam.model import ExtractionInputs
from projections.config import GLOBAL, Scope
from projections.decisions.configure import ConfigRequest, configure
from projections.decisions.place import PlaceSeen
from projections.events import ExtractionAnswered
from projections.events.values import OPERATOR
from projections.ids import Ref
from tests.dnam.scripted import FakeClock, ScriptedModel, say, talking
from tests.dnam.test_loops import recorded

GUILD = Ref("local", "garden")
ROOM = PlaceSeen("local", "general", "channel", "general", "guild", guild=GUILD, guild_name="Garden")
MARKET = PlaceSeen("local", "market", "channel", "market", "guild", guild=GUILD, guild_name="Garden")
ON_REQUEST = {"summary_enabled": "0", "durable_every_n_turns": "1000"}
MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS


async def configure_learn(assistant: Assistant, scope: Scope, learn: str | None) -> None:
    """The operator says what is learned from."""
    memory = assistant.memory
    request = ConfigRequest(scope, "learn", learn, OPERATOR, memory.origin(), memory.now())
    await memory.record(lambda rows: configure(rows, request))


def lines(model: ScriptedModel) -> list[list[str]]:
    """What each extraction was shown of what Ada said."""
    inputs = [ask.inputs for ask in model.asked("extraction")]
    return [[line.text for line in each.lines] for each in inputs if isinstance(each, ExtractionInputs)]


# -- what was said where nothing is learned from -----------------------------------------------------------------------


@pytest.mark.parametrize("anew", ["addressed", "heard", None])
async def test_what_was_said_while_nothing_was_learned_is_passed_over_also_later(
    tmp_path: Path, anew: str | None
) -> None:
    model = ScriptedModel()
    async with talking(tmp_path, model, None, **ON_REQUEST) as assistant:
        ada = await assistant.memory.person("ada", make=True)
        me = Scope("person", person=ada)
        await say(assistant, "ada", "before")
        await configure_learn(assistant, me, "none")
        await say(assistant, "ada", "my doctor says it is gout")
        assert await assistant.extract(ada) == []
        await configure_learn(assistant, me, anew)
        await say(assistant, "ada", "after")
        await assistant.extract(ada)
        assert lines(model) == [["before", "after"]]
        learner = Learner(assistant, [ada], [])
        assert await assistant.memory.look(learner.lessons) == []


async def test_what_was_only_heard_before_everything_was_learned_from_stays_so(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with talking(tmp_path, model, None, **ON_REQUEST) as assistant:
        heard = await assistant.memory.heard("ada", "between us", place=ROOM, addressed=False)
        await configure_learn(assistant, Scope("guild", GUILD), "heard")
        await assistant.memory.heard("ada", "to everybody", place=ROOM, addressed=False)
        await assistant.extract(heard.person)
        await configure_learn(assistant, Scope("guild", GUILD), "addressed")
        assert await assistant.extract(heard.person) == []
        assert lines(model) == [["to everybody"]]


async def test_neither_a_late_message_nor_a_clock_that_is_off_lets_it_through(tmp_path: Path) -> None:
    clock, model = FakeClock(), ScriptedModel()
    async with talking(tmp_path, model, clock, **ON_REQUEST) as assistant:
        await configure_learn(assistant, GLOBAL, "none")
        fast = await assistant.memory.heard("ada", "by a clock that is fast", said=clock.time + DAY_MS)
        clock.time += MINUTE_MS
        meanwhile = clock.time
        clock.time += MINUTE_MS
        await configure_learn(assistant, GLOBAL, None)
        await assistant.memory.heard("ada", "heard late", said=meanwhile)
        assert await assistant.extract(fast.person) == []
        await assistant.memory.heard("ada", "now")
        await assistant.extract(fast.person)
        assert lines(model) == [["now"]]


async def test_the_narrowest_scope_of_that_moment_counts(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with talking(tmp_path, model, None, **ON_REQUEST) as assistant:
        ada = await assistant.memory.person("ada", make=True)
        await configure_learn(assistant, Scope("guild", GUILD), "none")
        await configure_learn(assistant, Scope("person", person=ada), "addressed")
        await assistant.memory.heard("ada", "I said I may be learned from", place=ROOM)
        await assistant.extract(ada)
        assert lines(model) == [["I said I may be learned from"]]


# -- what comes in late ------------------------------------------------------------------------------------------------


async def test_what_is_heard_after_an_extraction_read_on_elsewhere_is_read_by_the_next(tmp_path: Path) -> None:
    clock, model = FakeClock(), ScriptedModel()
    async with talking(tmp_path, model, clock, **ON_REQUEST) as assistant:
        waiting = clock.now()
        heard = await assistant.memory.heard("ada", "I like tea", place=ROOM)
        await assistant.extract(heard.person)
        await assistant.memory.heard("ada", "I am allergic to nuts", place=MARKET, said=waiting)
        await assistant.extract(heard.person)
        assert lines(model) == [["I like tea"], ["I am allergic to nuts"]]
        assert await assistant.extract(heard.person) == []
        first, second = recorded(assistant, ExtractionAnswered)
        assert isinstance(first, ExtractionAnswered)
        assert isinstance(second, ExtractionAnswered)
        assert first.upto == second.upto


async def test_what_comes_in_late_is_found_among_the_last_that_were_read_and_before_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction, "MOST_LATE", 3)
    clock, model = FakeClock(), ScriptedModel()
    async with talking(tmp_path, model, clock, **ON_REQUEST) as assistant:
        memory, began = assistant.memory, clock.now()
        ada = await memory.person("ada", make=True)
        for minute in range(0, 10, 2):
            await memory.heard("ada", f"minute {minute}", place=ROOM, said=began + minute * MINUTE_MS)
        await assistant.extract(ada)
        for minute in (1, 5, 7, 9):  # of what lies before minute 8, which was read last, the newest three are looked at
            await memory.heard("ada", f"minute {minute}", place=ROOM, said=began + minute * MINUTE_MS)
        await assistant.extract(ada)
        assert lines(model)[1] == ["minute 7", "minute 9"]


async def test_an_answer_to_what_came_in_late_is_a_turn(tmp_path: Path) -> None:
    clock, model = FakeClock(), ScriptedModel()
    every = {**ON_REQUEST, "durable_every_n_turns": "1"}
    async with talking(tmp_path, model, clock, **every) as assistant:
        waiting = clock.now()
        await say(assistant, "ada", "I like tea")
        late = await assistant.memory.heard("ada", "I am allergic to nuts", place=MARKET, said=waiting)
        await assistant.answer(late)
        assistant.after_turn(late)
        await assistant.settle()
        assert lines(model) == [["I like tea"], ["I am allergic to nuts"]]


async def test_who_was_answered_late_and_is_quiet_now_is_waited_for(tmp_path: Path) -> None:
    from projections.policies.cadence import quiet_since

    clock = FakeClock()
    async with talking(tmp_path, ScriptedModel(), clock, **ON_REQUEST) as assistant:
        waiting = clock.now()
        heard = await assistant.memory.heard("ada", "I like tea", place=ROOM)
        await assistant.extract(heard.person)
        assert await assistant.memory.look(lambda rows: quiet_since(rows, heard.person)) is None
        late = await assistant.memory.heard("ada", "I am allergic to nuts", place=MARKET, said=waiting)
        await assistant.answer(late)
        assert await assistant.memory.look(lambda rows: quiet_since(rows, heard.person)) == heard.point.said


async def test_what_was_said_long_before_is_left_to_dnam_learn(tmp_path: Path) -> None:
    clock, model = FakeClock(), ScriptedModel()
    async with talking(tmp_path, model, clock, **ON_REQUEST) as assistant:
        heard = await assistant.memory.heard("ada", "I like tea", place=ROOM)
        await assistant.extract(heard.person)
        await assistant.memory.heard("ada", "long ago", place=MARKET, said=heard.point.said - 31 * DAY_MS)
        assert await assistant.extract(heard.person) == []
        await Learner(assistant, [heard.person], []).learn(lambda *_: None)
        assert lines(model) == [["I like tea"], ["long ago"]]
