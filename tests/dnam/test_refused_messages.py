"""One message that a model will not read does not stop the loops: it is found, passed over, and that is recorded."""

from pathlib import Path

from dnam.model import Ask, Reply, SummaryInputs, unheard
from projections.decisions.place import PlaceSeen
from projections.events import ExtractionFailed, SummaryFailed
from projections.fruitless import PASSED_OVER, SHOWN
from projections.ids import Ref
from tests.dnam.scripted import ScriptedModel, down, lines_of, talking
from tests.dnam.test_loops import recorded

GUILD = Ref("local", "garden")
ROOM = PlaceSeen("local", "general", "channel", "general", "guild", guild=GUILD, guild_name="Garden")
BY_HAND = {"summary_every_n_turns": "1000", "durable_every_n_turns": "1000"}
POISON = "the words that no model reads"
TALK = [*(f"before {n}" for n in range(20)), POISON, *(f"after {n}" for n in range(20))]


class Refusing(ScriptedModel):
    """A model that declines whatever holds those words."""

    async def ask(self, ask: Ask, hear: object = unheard) -> Reply:
        reply = await super().ask(ask)
        if POISON not in ask.prompt:
            return reply
        return Reply("", self.name, self.version, tokens_in=3, stop="refusal")


def read(model: ScriptedModel, purpose: str, *, worked: bool = True) -> list[str]:
    """What was in the prompts that the model did not decline, in order."""
    asks = [ask for ask in model.asked(purpose) if (POISON not in ask.prompt) == worked]
    return [line.text for ask in asks for line in lines_of(ask) if not line.assistant]


async def test_an_extraction_finds_the_message_and_goes_on_without_it(tmp_path: Path) -> None:
    model = Refusing()
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        heard = [await assistant.memory.heard("ada", text) for text in TALK]
        while await assistant.extract(heard[0].person):
            assert len(model.asks) < 40
        assert read(model, "extraction") == [text for text in TALK if text != POISON]
        errors = [each.error for each in recorded(assistant, ExtractionFailed)]
        assert [error.endswith(PASSED_OVER) for error in errors] == [False] * (len(SHOWN) - 1) + [True]
        assert "declined" in errors[-1]


async def test_a_summary_finds_the_message_and_goes_on_without_it(tmp_path: Path) -> None:
    model = Refusing()
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        heard = [await assistant.memory.heard("ada", text, place=ROOM) for text in TALK]
        session, audience = heard[0].session, heard[0].setting.audience
        for _ in range(40):
            await assistant.summarise(session, audience, heard[0].person)
        assert read(model, "summary") == [text for text in TALK if text != POISON]
        errors = [each.error for each in recorded(assistant, SummaryFailed)]
        assert [error.endswith(PASSED_OVER) for error in errors] == [False] * (len(SHOWN) - 1) + [True]


async def test_a_new_era_waits_until_the_message_is_found_so_that_nothing_older_is_passed_over(tmp_path: Path) -> None:
    model = Refusing()
    async with talking(tmp_path, model, None, era_refreshes="1", **BY_HAND) as assistant:

        async def refreshes(text: str) -> bool:
            await assistant.memory.heard("ada", text, place=ROOM)
            return await assistant.summarise(first.session, first.setting.audience, first.person)

        first = await assistant.memory.heard("ada", "an older word", place=ROOM)
        assert await refreshes("and another")
        for text in (POISON, *(f"then {n}" for n in range(len(SHOWN) - 1))):
            assert not await refreshes(text)
        assert await refreshes("and so on")
        assert await refreshes("in a new era")
        found, anew = (each.inputs for each in model.asked("summary")[-2:])
        assert isinstance(found, SummaryInputs)
        assert isinstance(anew, SummaryInputs)
        assert (found.previous, anew.previous) == ("They talked.", "")
        assert [line.text for line in anew.lines] == [
            *("an older word", "and another", *(f"then {n}" for n in range(len(SHOWN) - 1))),
            *("and so on", "in a new era"),
        ]


async def test_a_service_that_is_down_costs_no_message(tmp_path: Path) -> None:
    model = ScriptedModel({"extraction": down, "summary": down})
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        heard = await assistant.memory.heard("ada", "I like tea")
        for _ in range(len(SHOWN) + 2):
            await assistant.extract(heard.person)
            await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        model.scripts.clear()
        (learned,) = await assistant.extract(heard.person)
        assert learned.error == ""
        assert await assistant.summarise(heard.session, heard.setting.audience, heard.person)


async def test_an_empty_summary_counts_too(tmp_path: Path) -> None:
    model = ScriptedModel({"summary": lambda _: " "})
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        heard = await assistant.memory.heard("ada", "I like tea")
        for _ in range(len(SHOWN) + 2):
            await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        assert len(model.asked("summary")) == len(SHOWN)
        assert all("empty" in each.error for each in recorded(assistant, SummaryFailed))
