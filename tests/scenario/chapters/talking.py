"""Three people in two guilds, a thread and DMs: a preference is used where it may be told, and nowhere else."""

from projections.quoting import TITLES
from tests.scenario.claude import UNKNOWN
from tests.scenario.process import dnam, ran
from tests.scenario.stage import Stage, without


async def chapter(stage: Stage) -> None:
    cast = stage.cast
    await stage.chatters(12, cast.general, cast.deck)
    await stage.start()
    await stage.there()
    await _a_second_one_is_refused(stage)
    await _a_preference_is_told(stage)
    await _it_is_used(stage)
    await _in_company(stage)
    await _a_thread(stage)
    await _the_summary_refreshes(stage)


async def _a_second_one_is_refused(stage: Stage) -> None:
    second = await ran(dnam("run"), stage.env, stage.folder)
    assert second.code == 2
    assert "a bot with this token already runs on" in second.out
    stage.transcript.mark("refused", "a second bot on the same token and folder")


async def _a_preference_is_told(stage: Stage) -> None:
    """By the third turn of a person the assistant learns, in every place at once."""
    cast, kim = stage.cast, stage.cast.kim
    assert await stage.answered(kim, cast.general, "I prefer marigold tea over coffee.") == UNKNOWN
    await stage.answered(kim, kim.dm, "I prefer velvet tea over water.")
    await stage.answered(kim, cast.deck, "I prefer anchor rope over string.")
    await stage.until(lambda: stage.claude.count("extraction") >= 3, "an extraction for each circle")
    await stage.until(lambda: stage.world.state.commands, "the commands to be known")
    await stage.shows(kim, cast.general, "marigold")
    await stage.shows(kim, kim.dm, "velvet")
    await stage.shows(kim, cast.deck, "anchor")


async def _it_is_used(stage: Stage) -> None:
    """In another channel of the guild; not in the other guild; what was said in a DM stays there."""
    cast, kim = stage.cast, stage.cast.kim
    elsewhere = await stage.answered(kim, cast.teahouse, "which tea shall I order?")
    assert "marigold" in elsewhere
    assert without(elsewhere, ["velvet", "anchor"])
    assert await stage.answered(kim, cast.deck, "which tea shall I bring?") == UNKNOWN
    direct = await stage.answered(kim, kim.dm, "which tea shall I drink alone?")
    assert "velvet" in direct
    assert "marigold" in direct, "their own items follow them into their DM"


async def _in_company(stage: Stage) -> None:
    """Others mention them, and ask; the cellar is for two of them."""
    cast = stage.cast
    await stage.chatters(24, cast.general, cast.teahouse, cast.cellar, cast.deck, cast.wharf)
    await stage.answered(
        cast.ada, cast.cellar, f"{cast.kim.mention} and I press apples. I prefer cider from here over tea."
    )
    await stage.answered(cast.ada, cast.general, "I work on a lavender press.")
    await stage.answered(cast.ada, cast.ada.dm, "I prefer linen shirts.")
    await stage.shows(cast.ada, cast.general, "lavender")
    await stage.shows(cast.ada, cast.cellar, "cider")
    assert without(await stage.answered(cast.ada, cast.general, "which tea, and which press?"), ["cider"])
    await stage.answered(cast.tobi, cast.general, f"what does {cast.ada.mention} press?")
    await stage.answered(cast.tobi, cast.tobi.dm, "I prefer flannel shirts.")


async def _a_thread(stage: Stage) -> None:
    """A public thread is read by whoever reads its channel."""
    cast = stage.cast
    seed = await cast.ada.says(cast.general, f"{cast.tobi.mention} where does the lavender go?")
    thread = await cast.ada.begins_thread(cast.general, "seedlings", at=seed)
    await stage.chatters(8, thread)
    assert "marigold" in await stage.answered(cast.kim, thread, "and tea with it?")


async def _the_summary_refreshes(stage: Stage) -> None:
    """With the fifth turn of a session; a later prompt rests on it."""
    cast = stage.cast
    for text in ("I grow thyme now.", "I prefer thyme honey over sugar.", "any news?", "and the garden?"):
        await stage.answered(cast.tobi, cast.teahouse, text)
    await stage.until(lambda: stage.claude.count("summary"), "a summary")
    await stage.shows(cast.tobi, cast.teahouse, "**Rolling summary:**", but="**Rolling summary:** (0 chars")
    await stage.shows(cast.tobi, cast.teahouse, "thyme honey")
    await stage.answered(cast.tobi, cast.teahouse, "what did we say?")
    assert TITLES["summary"] in stage.claude.prompt("what did we say?")
