"""The transparency channel: what everybody there may see of each of them."""

from tests.loopback.discord import Person
from tests.scenario.stage import Stage, without


async def chapter(stage: Stage) -> None:
    """One pinned message for each of them, with what all of the guild may see."""
    cast = stage.cast

    def shown() -> bool:
        texts = (_pinned(stage, cast.kim), _pinned(stage, cast.ada), _pinned(stage, cast.tobi))
        return all(part in text for part, text in zip(("marigold tea", "lavender", "south wall"), texts, strict=True))

    await stage.until(shown, "everybody's memory on the wall")
    stage.transcript.mark("the wall", "everybody's memory is pinned there")
    for each in cast.people:
        others = ["velvet", "linen", "flannel", "turnip", "cider", "anchor", "rudder"]
        assert without(_pinned(stage, each), others), "what was said elsewhere is not for all of Garden"


def _pinned(stage: Stage, person: Person) -> str:
    """What is pinned of somebody on the wall."""
    found = (each.content for each in stage.world.bot_messages(stage.cast.wall) if each.pinned)
    return next((each for each in found if each.startswith(f"**Memory of {person.name}**")), "")
