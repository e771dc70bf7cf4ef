"""The gateway drops, resumes and says things twice; sessions end; messages are edited and deleted."""

from tests.loopback.discord import Permission
from tests.scenario.stage import Stage, without


async def chapter(stage: Stage) -> None:
    await _dropped_in_mid_question(stage)
    await _told_twice(stage)
    await _an_invalid_session(stage)
    await _edited_and_deleted(stage)


async def _dropped_in_mid_question(stage: Stage) -> None:
    """What is said while nobody is connected is told when the session goes on, and the last things a second time."""
    cast, gateway = stage.cast, stage.world.gateway
    await stage.answered(cast.kim, cast.general, "is anybody there, marigold in hand?")
    stage.transcript.mark("dropped", "three events will be told twice")
    await gateway.drop(again=3)
    questions = [
        await stage.asks(cast.kim, cast.general, "did you hear that, with the marigold?"),
        await stage.asks(cast.tobi, cast.deck, "and that, about the rudder?"),
        await stage.asks(cast.ada, cast.ada.dm, "and my linen?"),
    ]
    await stage.chatters(12, cast.general, cast.deck)
    for each in questions:
        await stage.answer(each)
    await stage.until(lambda: gateway.connected, "the session to go on")


async def _told_twice(stage: Stage) -> None:
    """Discord tells of a message again: before it is answered, and afterwards."""
    cast, world = stage.cast, stage.world
    question = await stage.asks(cast.tobi, cast.teahouse, "does thyme like shade?")
    world.redeliver(question)
    await stage.answer(question)
    world.redeliver(question)
    stage.transcript.mark("asked to reconnect")
    await world.gateway.reconnect()
    await stage.answered(cast.tobi, cast.teahouse, "and thyme in the rain?")


async def _an_invalid_session(stage: Stage) -> None:
    """The client has to begin anew, and reads back what it missed, for it is told nothing of that."""
    cast, gateway = stage.cast, stage.world.gateway
    stage.transcript.mark("the session is invalid")
    old = set(gateway.sessions)
    await gateway.invalidate()
    await stage.until(lambda: not gateway.connected, "the client to leave")
    await stage.chatters(16, cast.general, cast.teahouse, cast.cellar, cast.deck)
    missed = await stage.asks(cast.ada, cast.general, "who waters the lavender?")
    await stage.until(lambda: set(gateway.sessions) - old, "a new session")
    await stage.answer(missed)


async def _edited_and_deleted(stage: Stage) -> None:
    """An edit and a deletion while it listens; many deletions at once; what is deleted while it does not listen."""
    cast = stage.cast
    said = await cast.tobi.says(cast.general, "the thyme is for sale")
    await cast.tobi.edits(said, "the thyme is not for sale")
    regretted = await cast.kim.says(cast.general, "marigold secrets")
    await cast.kim.deletes(regretted)
    spam = [
        await cast.tobi.says(cast.general, f"thyme, thyme, thyme, number {each}") for each in ["one", "two", "three"]
    ]
    cast.garden.role("keeper", Permission.MANAGE_MESSAGES, cast.ada)
    await cast.ada.deletes(*spam)
    await stage.answered(cast.kim, cast.general, "what about tea now?")
    prompt = stage.claude.prompt("what about tea now?")
    assert "is not for sale" in prompt
    assert without(prompt, ["is for sale", "marigold secrets", "thyme, thyme"])
