"""Names lie in their people's own vaults: what is derived of others' words holds none of who was merely mentioned."""

import json
from pathlib import Path

from dnam.model import Ask, ExtractionInputs, Line, SummaryInputs
from projections.decisions.hear import HeardRequest, Mention
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import TurnAnswered
from projections.ids import Point, Ref
from replay.engine import Engine
from tests.dnam.scripted import FakeClock, ScriptedModel, talking
from tests.world import NOW

GENERAL = PlaceSeen("discord", "7", "channel", "general", "guild", guild=Ref("discord", "9"))
ADA, QUILL = Account("discord", "1", "Ada"), Account("discord", "2", "Quillfeather")


def echo(ask: Ask) -> str:
    """A model that repeats everything it was shown."""
    shown = ask.inputs
    assert isinstance(shown, ExtractionInputs | SummaryInputs)
    text = " / ".join(f"{line.name} {line.text}" for line in shown.lines)
    if isinstance(shown, SummaryInputs):
        return text
    return json.dumps({"upserts": [{"kind": "fact", "text": text}], "deprecations": []})


def lines(ask: Ask) -> tuple[Line, ...]:
    """What was said, as a loop reads it."""
    assert isinstance(ask.inputs, ExtractionInputs | SummaryInputs)
    return ask.inputs.lines


def readable(engine: Engine) -> str:
    """All bodies that can be read, but for those in people's own vaults that name them."""
    records = (engine.live.folding.record(stored) for stored in engine.store.log.read(0))
    return "\n".join(repr(each.event) for each in records if each and not each.event.TAG.startswith("person."))


async def test_no_name_of_somebody_mentioned_gets_into_what_is_derived(tmp_path: Path) -> None:
    model = ScriptedModel(
        {"answer": lambda _: "Ask Quillfeather, or @Quillfeather again.", "extraction": echo, "summary": echo}
    )
    every = {"durable_every_n_turns": "1", "summary_every_n_turns": "1"}
    async with talking(tmp_path, model, FakeClock(), **every) as assistant:
        memory = assistant.memory
        request = HeardRequest(
            key="1", place=GENERAL, author="person", speaker=ADA, text="I prefer working with ", said=NOW, fresh=(),
            mentions=(Mention(22, QUILL),), addressed=True,
        )  # fmt: skip
        heard = await memory.hear(request)
        answered = await assistant.answer(heard)
        assistant.after_turn(heard)
        await assistant.settle()
        assert answered.text == "Ask Quillfeather, or @Quillfeather again."
        assert [ask.purpose for ask in model.asks].count("extraction") == 1
        assert "Quillfeather" not in readable(memory.engine)
        read = [line.text for purpose in ("extraction", "summary") for line in lines(model.asked(purpose)[0])]
        assert read[:2] == ["I prefer working with @someone"] * 2
        assert read[2:] == ["Ask @someone, or @someone again."]
        [turn] = [each for each in events(memory.engine) if isinstance(each, TurnAnswered)]
        assert (turn.text, [span.at for span in turn.spans]) == ("Ask , or  again.", [4, 9])
        context = await memory.context(heard._replace(point=Point(NOW + 10_000_000, heard.point.id)))
        assert "[dnam]: Ask @Quillfeather, or @Quillfeather again." in context.text


def events(engine: Engine) -> list[object]:
    records = (engine.live.folding.record(stored) for stored in engine.store.log.read(0))
    return [each.event for each in records if each is not None]


async def test_a_summary_tells_who_is_called_like_the_assistant_from_it(tmp_path: Path) -> None:
    model = ScriptedModel({"answer": lambda _: "I grow peas.", "summary": echo})
    async with talking(tmp_path, model, FakeClock(), summary_every_n_turns="1") as assistant:
        request = HeardRequest(
            "1", GENERAL, "person", Account("discord", "1", "dnam"), "I grow roses", NOW, (), addressed=True
        )
        heard = await assistant.memory.hear(request)
        await assistant.answer(heard)
        assistant.after_turn(heard)
        await assistant.settle()
    read = [(line.name, line.assistant) for line in lines(model.asked("summary")[0])]
    assert read == [("user dnam", False), ("dnam", True)]
