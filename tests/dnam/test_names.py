"""Names lie in their people's own vaults: what is derived of others' words holds none of who was merely mentioned."""

import json
from pathlib import Path

import pytest

from dnam.importers.detect import detect
from dnam.importers.source import Options
from dnam.importing.importer import Importer
from dnam.model import Ask, ExtractionInputs, Line, SummaryInputs
from dnam.secrets import MOST_NAME_CHARS, account_without_secrets
from projections.decisions.hear import HeardRequest, Mention
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import PersonRenamed, PersonSeen, PlaceDescribed, ToolCalled, TurnAnswered
from projections.ids import Point, Ref
from projections.people import name_of
from replay.engine import Engine
from tests.dnam.importers.files import export, message, user, write
from tests.dnam.scripted import Calling, FakeClock, ScriptedModel, talking
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


async def test_a_name_is_cut_to_what_a_name_may_have_wherever_it_comes_from(tmp_path: Path) -> None:
    long, family = "Quill" * 1_000, "\U0001f469\u200d\U0001f469\u200d"
    given = write(
        tmp_path / "talk.json",
        export(
            message(1, author=user(long, "7")),
            message(2, author=user("x" * (MOST_NAME_CHARS - 2) + family, "8")),
            message(3, author=user(long, "7")),
            name=long,
        ),
    )
    async with talking(tmp_path / "data", ScriptedModel(), FakeClock()) as assistant:
        memory = assistant.memory
        tally = await Importer(memory).bring(detect(given).read(Options(audience="guild")), lambda _: None)
        assert (tally.messages, tally.skipped) == (3, {})
        heard = await memory.heard("9", "hello", name=f"  {long}")
        await memory.heard("9", "hello again", name=f"  {long}")
        records = [memory.engine.live.folding.record(stored) for stored in memory.engine.store.log.read(0)]
        found = [each.event for each in records if each and isinstance(each.event, PersonSeen | PersonRenamed)]
        places = [each.event.name for each in records if each and isinstance(each.event, PlaceDescribed)]
        assert len(found) == 3  # nobody is renamed by a name that is as long
        names = [each.name for each in found]
        assert names[0] == long[:MOST_NAME_CHARS]
        assert names[1] == "x" * (MOST_NAME_CHARS - 2) + family[0]
        assert all(len(each) <= MOST_NAME_CHARS for each in (*names, *places))
        assert long[:MOST_NAME_CHARS] in places
        assert await memory.look(lambda rows: name_of(rows, heard.person)) == names[2]


def test_what_is_cut_once_is_cut_no_more() -> None:
    account = Account("discord", "1", "Q" * 5_000, "u" * 101)
    once = account_without_secrets(account)
    assert [len(once.name), len(once.username)] == [MOST_NAME_CHARS, MOST_NAME_CHARS]
    assert account_without_secrets(once) == once


QUILLS = Account("discord", "2", "Tobiasz Quillfeather")
CALLS = (
    ("memory_search", {"query": "what does tobiasz QUILLFEATHER like"}),
    ("conversation_search", {"query": "Tobiasz"}),
    ("memory_write", {"namespace": "me", "text": "prefers Quillfeather", "quote": "I prefer", "kind": "preference"}),
    ("memory_search", {"Tobiasz": 1}),
)


@pytest.mark.parametrize("said", ["I know no Tobiasz  Quillfeather.", "TOBIASZ? No idea.", "ask quillfeather, Tobiasz"])
async def test_no_name_of_somebody_mentioned_gets_into_an_answer_or_a_call_however_it_is_written(
    said: str, tmp_path: Path
) -> None:
    def answer(ask: Ask) -> str | Calling:
        assert ask.rounds or "@Tobiasz Quillfeather" in ask.prompt
        return said if ask.rounds else Calling(CALLS)

    async with talking(tmp_path, ScriptedModel({"answer": answer}), FakeClock()) as assistant:
        request = HeardRequest(
            key="1", place=GENERAL, author="person", speaker=ADA, text="I prefer working with ", said=NOW, fresh=(),
            mentions=(Mention(22, QUILLS),), addressed=True,
        )  # fmt: skip
        answered = await assistant.answer(await assistant.memory.hear(request))
        assert answered.text == said
        calls = [each for each in events(assistant.memory.engine) if isinstance(each, ToolCalled)]
        assert [(each.tool, each.outcome) for each in calls] == [
            ("memory_search", "found"),
            ("conversation_search", "found"),
            ("memory_write", "refused"),
            ("memory_search", "failed"),
        ]
        assert json.loads(calls[0].input) == {"query": "what does someone like"}
        assert "'someone' is not among them" in calls[2].reason
        written = readable(assistant.memory.engine).casefold()
        assert "tobiasz" not in written
        assert "quillfeather" not in written
