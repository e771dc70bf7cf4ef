"""How many replies could not be used is told of a shadow."""

import asyncio
from pathlib import Path

import msgspec

from dnam.model import Ask
from dnam.shadows.manifest import load
from tests.dnam.cli.memories import dnam
from tests.dnam.rederiving.test_rederiving import OTHER, told
from tests.dnam.rederiving.village import Village, derive, reader, talk
from tests.dnam.scripted import Script, ScriptedModel


def declining(words: str) -> ScriptedModel:
    """A model that says nothing of use about whatever has these words."""
    model = reader("enjoys", name="other")
    for purpose, script in tuple(model.scripts.items()):

        def mute(ask: Ask, script: Script = script) -> str:
            return "" if words in ask.prompt else str(script(ask))

        model.scripts[purpose] = mute
    return model


def test_a_shadow_says_how_many_replies_could_not_be_used(tmp_path: Path) -> None:
    told(tmp_path, talk)
    done = asyncio.run(derive(tmp_path, declining("snow"), asked=OTHER))
    assert done.unusable == 2  # what ada said last, and the summary of it
    assert load(tmp_path, "next").unusable == 2
    (shown,) = dnam("shadows", "--json", "--data", tmp_path).values
    assert shown["unusable"] == 2
    assert sum(shown["why_unusable"].values()) == 2
    assert "the model's summary was empty" in shown["why_unusable"]
    table = dnam("shadows", "--data", tmp_path).out.splitlines()
    assert table[0].split()[-4:] == ["unusable", "read", "less", "cost"]
    named = table.index("next: why replies could not be used")
    assert table[named - 1].split()[-3] == "2"
    assert "    1: the model's summary was empty" in table[named + 1 :]
    assert asyncio.run(derive(tmp_path, reader("enjoys", name="other"), "good", OTHER)).unusable == 0


def test_what_failed_when_it_was_recorded_is_not_counted_where_it_comes_over(tmp_path: Path) -> None:
    async def nothing(there: Village) -> None:
        await there.say("kim", "I like rain")
        await there.learn("kim")

    told(tmp_path, nothing, model=declining("rain"))
    since = msgspec.structs.replace(OTHER, since=10_000)
    assert asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=since)).unusable == 0
    assert asyncio.run(derive(tmp_path, declining("rain"), "anew", OTHER)).unusable == 1


def test_the_command_tells_it_at_its_end(tmp_path: Path) -> None:
    told(tmp_path, talk)
    script = tmp_path / "mute.toml"
    script.write_text('name = "other"\n')
    asked = msgspec.structs.replace(OTHER, model=f"script:{script}", summary_model=f"script:{script}")
    asyncio.run(derive(tmp_path, declining("snow"), asked=asked))
    ran = dnam("rederive", "--name", "next", "--data", tmp_path)
    assert ran.code == 0, ran.err
    assert "2 runs got no reply that could be used: what they had read counts as unread." in ran.out
    assert "    1 of these: the model's summary was empty" in ran.out
    ran = dnam("rederive", "--name", "next", "--json", "--data", tmp_path)
    assert ran.value["why_unusable"]["the model's summary was empty"] == 1
