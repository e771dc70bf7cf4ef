"""What people ask of the memory: as text, as slash commands, in menus and with buttons."""

from tests.loopback.discord import Message, Person
from tests.scenario.stage import Stage

KEPT = "the shed key of the marigold house is under the blue pot"


async def chapter(stage: Stage) -> None:
    await _in_plain_text(stage)
    await _as_slash_commands(stage)
    await _in_the_menu_of_a_message(stage)


async def _in_plain_text(stage: Stage) -> None:
    cast, kim = stage.cast, stage.cast.kim
    assert KEPT in (await stage.commands_it(kim, cast.general, f"!memory remember {KEPT}")).content
    assert KEPT in (await stage.commands_it(kim, cast.teahouse, "!memory show")).content
    assert KEPT in (await stage.commands_it(kim, cast.general, f"!memory forget {KEPT}")).content
    assert KEPT not in (await stage.commands_it(kim, cast.general, "!memory show")).content
    await stage.commands_it(kim, cast.general, "!memory undo")
    assert KEPT in (await stage.commands_it(kim, cast.general, "!memory show")).content


async def _as_slash_commands(stage: Stage) -> None:
    cast, ada = stage.cast, stage.cast.ada
    await stage.told(ada, await ada.uses(cast.general, "/memory remember text:lavender is cut in July"))
    shown = await stage.told(ada, await ada.uses(cast.general, "/memory show"))
    assert "lavender is cut in July" in shown.content
    assert shown.only_for is ada
    menu = await stage.told(ada, await ada.uses(cast.general, "/memory forget what:lavender is cut in July"))
    await _pressed(stage, ada, menu, "Forget 1", "Forgot 1 item")
    assert "cut in July" not in (await stage.told(ada, await ada.uses(cast.general, "/memory show"))).content
    await _pressed(stage, ada, menu, "Undo", "Undone")
    assert "cut in July" in (await stage.told(ada, await ada.uses(cast.general, "/memory show"))).content


async def _pressed(stage: Stage, person: Person, message: Message, label: str, then: str) -> None:
    """Press a button, and wait until the message says what came of it."""
    await person.clicks(message, label)
    await stage.until(lambda: then in message.content, f"{label!r} to do what it says")
    stage.transcript.line("", person.name, f"presses {label}: {message.content}")


async def _in_the_menu_of_a_message(stage: Stage) -> None:
    cast, tobi = stage.cast, stage.cast.tobi
    said = await tobi.says(cast.general, "my thyme grows beside the south wall")
    kept = await stage.told(tobi, await tobi.applies("Remember this", said))
    assert "south wall" in kept.content
    answer = await stage.answer(await stage.asks(tobi, cast.teahouse, "what is beside the wall?"))
    assert "south wall" in answer.content
    why = await stage.told(tobi, await tobi.applies("Why did you say that?", answer))
    assert "south wall" in why.content
    assert f"/{cast.general.id}/{said.id}" in why.content, "it says where that came from"
