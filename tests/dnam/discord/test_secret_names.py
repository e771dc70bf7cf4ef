"""What somebody or something is called in Discord is kept without the secrets in it, whoever meets it first."""

from pathlib import Path

from tests.dnam.discord.stage import bot_in, garden, idle

KEY = "sk-" + "ant-api03-AbCdEf0123456789abcdefghijklmnop"


async def test_the_name_of_a_channel_and_of_who_speaks_and_asks_there(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        named = here.guild.channel(f"my key {KEY}")
        await here.kim.says(named, "!memory show")
        await here.kim.says(named, "hello", mention=world.bot)
        await here.kim.says(here.general, '{"password": "hunter2hunter2"}')
        await here.kim.says(here.general, "!memory remember my pw is hunter2hunter2")
        await idle(world, bot)
        engine = bot.desk.memory.engine
        events = [repr(engine.live.folding.record(stored)) for stored in engine.store.log.read(0)]
        assert any("my key [redacted: api key]" in each for each in events)
        assert not [each for each in events if KEY in each or "hunter2" in each]
