"""What somebody takes back is found and told nowhere any more: neither what they said, nor what was answered by it."""

import pytest

from dnam.commands.undo import NARROWER
from dnam.model import AnswerInputs, Ask
from tests.privacy.town import EVERY_TURN, Parrot, Town, town

JARS = "I always like the big round jars from the old market named zqroundqz"


def telling(ask: Ask) -> str:
    """Who asks for the jars is told of them."""
    assert isinstance(ask.inputs, AnswerInputs)
    named = "zqroundqz" in ask.prompt and "jars" in ask.inputs.message
    return "You like jars named zqroundqz" if named else "Good to know."


def talkative() -> Parrot:
    model = Parrot()
    model.scripts["answer"] = telling
    return model


async def is_found(made: Town, person: str, key: str) -> bool:
    """Whether somebody finds it there, is shown it, or would be told."""
    seen = await made.prompt(person, key, "what jars?"), await made.found(person, key), await made.shown(person, key)
    return any("zqroundqz" in each.text for each in seen)


@pytest.mark.parametrize(
    "steps", [[], ["keep-private {id}"], ["edit {id} I always like jars"], ["forget {id}", "restore {id}"]]
)
async def test_an_answer_in_another_guild_leaves_with_what_it_told(steps: list[str]) -> None:
    async with town({**EVERY_TURN, "message_history_count": "4"}, talkative()) as made:
        await made.remembers("kim", "dm kim", JARS)
        (item,) = await made.items("kim")
        await made.command("kim", "dm kim", f"share {item.id}")
        made.oracle.shares("zqroundqz")
        await made.says("kim", "docks", "and what of the jars?")
        assert await is_found(made, "ines", "docks")
        for step in (*steps, "forget {id}"):
            assert not (await made.command("kim", "dm kim", step.format(id=item.id))).failed
        for number in range(4):
            await made.says("ines", "docks", f"lovely weather {number}")
        assert not await is_found(made, "ines", "docks")


@pytest.mark.parametrize("times", [2, 55])
async def test_what_was_said_again_and_again_leaves_with_all_of_it(times: int) -> None:
    async with town({"learn": "heard"}, talkative()) as made:
        for _ in range(times):
            await made.says("kim", "general", JARS, addressed=False)
            await made.learns("kim")
        await made.says("kim", "general", JARS, addressed=False)
        (item,) = await made.items("kim")
        await made.command("kim", "general", f"forget {item.id}")
        assert not await is_found(made, "ines", "terrace")
        await made.command("kim", "general", "undo")
        assert "zqroundqz" in (await made.found("ines", "terrace")).text


@pytest.mark.parametrize("first", ["keep-private", "share"])
async def test_a_move_that_is_undone_after_its_channel_was_closed_opens_nothing(first: str) -> None:
    async with town({"learn": "heard"}) as made:
        await made.says("kim", "general", JARS, addressed=False)
        await made.learns("kim")
        (item,) = await made.items("kim")
        await made.command("kim", "dm kim", f"{first} {item.id}")
        made.oracle.close("general")
        await made.compares()
        undone = await made.command("kim", "dm kim", "undo")
        assert undone.text.splitlines()[0] == f"Undone `{first}`: {NARROWER}."
        await made.hears("kim", "stage", "hello", "in stage", addressed=False)
        for person in ("kim", "ines"):
            made.check(await made.prompt(person, "stage"), await made.shown(person, "stage"))
        assert "zqroundqz" in (await made.prompt("kim", "general")).text
