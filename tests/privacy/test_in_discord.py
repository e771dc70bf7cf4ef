"""The same in Discord itself: who can read a place is what Discord's permissions say, not what a test says."""

from pathlib import Path

from dnam.adapters.discord.bot import DnamBot
from dnam.model import AnswerInputs
from tests.dnam.discord.stage import Garden, bot_in, garden, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Channel, World
from tests.loopback.discord.channels import ChannelKind
from tests.privacy.town import CANARY

TABLE = """
            general terrace bench nook porch cellar dig docks dm
general     x       x       x     x    x     x      x   .     x
terrace     x       x       x     x    x     x      x   .     x
bench       x       x       x     x    x     x      x   .     x
nook        .       .       .     x    .     .      .   .     x
porch       .       .       .     .    x     .      .   .     x
cellar      .       .       .     .    .     x      x   .     x
dig         .       .       .     .    .     x      x   .     x
docks       .       .       .     .    .     .      .   x     x
dm          .       .       .     .    .     .      .   .     x
"""
"""What Kim had remembered in the row's place, asked for in the column's. Bench is a public thread of general and nook a
private one, dig is a public thread of the cellar; from the porch one member is kept out; the docks are elsewhere.
"""


def expected() -> dict[str, set[str]]:
    """In which places something is known that was told in one."""
    head, *lines = (line.split() for line in TABLE.strip().splitlines())
    return {place: {where for where, mark in zip(head, marks, strict=True) if mark == "x"} for place, *marks in lines}


async def test_what_is_told_in_one_place_is_known_where_the_table_says_and_nowhere_else(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here):
        harbour = world.guild("Harbour", owner=here.guild_owner)
        harbour.add(here.kim)
        async with bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
            places = {
                "general": here.general,
                "terrace": here.guild.channel("terrace"),
                "porch": here.guild.channel("porch", hidden_from=[here.ada]),
                "cellar": here.cellar,
                "bench": await here.kim.begins_thread(here.general, "bench"),
                "nook": await here.kim.begins_thread(here.general, "nook", private=True, add=[world.bot]),
                "dig": await here.kim.begins_thread(here.cellar, "dig"),
                "docks": harbour.channel("docks"),
                "dm": here.kim.dm,
            }
            assert places["nook"].kind is ChannelKind.PRIVATE_THREAD
            await idle(world, bot)
            for name, place in places.items():
                await here.kim.says(place, f"!memory remember I keep jars named zq{name}qz")
                await idle(world, bot)
                assert "Remembered" in "".join(shown(world, place)[-1:]), name
            known = {name: await _known(world, here, bot, model, place) for name, place in places.items()}
    found = {name: {where for where, words in known.items() if f"zq{name}qz" in words} for name in places}
    assert found == expected()


async def _known(world: World, here: Garden, bot: DnamBot, model: ScriptedModel, place: Channel) -> set[str]:
    """What stands in a prompt there as memory, which is what `show` says there."""
    before = len(shown(world, place))
    await here.kim.says(place, "!memory show")
    await idle(world, bot)
    told = " ".join(shown(world, place)[before:])
    await here.kim.says(place, "where are they?", mention=() if place is here.kim.dm else world.bot)
    await idle(world, bot)
    asked = model.asked("answer")[-1].inputs
    assert isinstance(asked, AnswerInputs)
    words = set(CANARY.findall(" ".join(item.text for item in asked.items)))
    assert words == set(CANARY.findall(told))
    return words
