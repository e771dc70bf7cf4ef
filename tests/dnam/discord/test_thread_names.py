"""What somebody calls a thread is their words: it is kept nowhere, and so it outlives nothing."""

from pathlib import Path

from projections.events import PlaceDescribed
from tests.dnam.discord.stage import bot_in, events, garden, heard, idle
from tests.loopback.discord import ChannelKind

NAME = "zqthreadqz my own roses"


def files_with(folder: Path, word: bytes) -> list[Path]:
    """The files of a memory that hold a word in clear."""
    return [each for each in folder.rglob("*") if each.is_file() and word in each.read_bytes()]


async def test_what_a_thread_or_a_post_is_called_is_kept_nowhere(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        forum = here.guild.channel("questions", ChannelKind.FORUM)
        for above in (here.general, forum):
            thread = await here.kim.begins_thread(above, NAME, add=[world.bot])
            await here.kim.says(thread, "hello", mention=world.bot)
            await here.ada.says(here.general, f"see <#{thread.id}> in <#{here.general.id}>")
            await idle(world, bot)
            assert f"see <#{thread.id}> in #general" in heard(bot)
        names = {each.name for each in events(bot, PlaceDescribed)}
        engine = bot.desk.memory.engine
        stored = [repr(engine.live.folding.record(each)) for each in engine.store.log.read(0)]
    assert names == {"Garden", "general", "questions", ""}
    assert not [each for each in stored if "zqthreadqz" in each]
    assert files_with(tmp_path, b"Garden")
    assert not files_with(tmp_path, b"zqthreadqz")
