"""What people are called: one name, not what this or that server calls them."""

from pathlib import Path
from typing import Any

from dnam.adapters.discord.translate import translate
from projections.events import PersonRenamed
from tests.dnam.discord.made import KIM, OWN, channel, guild, message
from tests.dnam.discord.stage import bot_in, events, garden, idle
from tests.dnam.scripted import ScriptedModel


async def test_what_one_server_calls_somebody_is_not_told_in_another(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here):
        clinic = world.guild("Clinic", here.kim, here.ada)
        clinic.members[here.kim.id].nick = "Kim of ward 9"
        ward = clinic.channel("ward")
        async with bot_in(world, tmp_path, model) as bot:
            for each in (ward, here.general, ward):
                await here.kim.says(each, "hello")
                await idle(world, bot)
            await here.ada.says(ward, "is that you?", mention=here.kim)
            await here.ada.says(here.general, "who was that?", mention=world.bot)
            await idle(world, bot)
            assert events(bot, PersonRenamed) == []
            assert "Kim" in model.asked("answer")[-1].prompt
            assert "ward 9" not in model.asked("answer")[-1].prompt


def test_an_account_s_own_name_comes_along() -> None:
    request = translate(message("hello", author=KIM | {"username": "kimber_9"}), OWN)
    assert request is not None
    assert (request.speaker.name, request.speaker.username) == ("Kim", "kimber_9")


async def own_line(path: Path, name: str = "") -> str:
    """The line of the bot's own words in the prompt of the next answer."""
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, path, model, assistant_name=name) as bot:
        for text in ("hello", "and now?"):
            await here.kim.says(here.general, text, mention=world.bot)
            await idle(world, bot)
    [line] = (each for each in model.asks[-1].prompt.split("\n") if each.endswith("]: yes"))
    return line


async def test_the_bot_goes_by_its_name_in_discord_unless_it_was_given_one(tmp_path: Path) -> None:
    assert await own_line(tmp_path / "as it is called") == "[marcy]: yes"
    assert await own_line(tmp_path / "as it is set", "Iris") == "[Iris]: yes"


def test_who_is_mentioned_goes_by_no_nickname_either() -> None:
    named: dict[str, Any] = KIM | {
        "member": {"nick": "Kimmy", "roles": [], "joined_at": None, "flags": 0, "mute": False, "deaf": False}
    }
    where = guild(channels=(channel(),)).get_channel(10)
    request = translate(message("ask <@1>", where, mentions=[named]), OWN)
    assert request is not None
    assert [each.account.name for each in request.mentions] == ["Kim"]
