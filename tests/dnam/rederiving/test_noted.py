"""What the answering model put right at a person's word holds in a shadow, in whatever words the other model has it."""

import asyncio
from pathlib import Path

import pytest

from projections.policies.item_ids import derive as item_id
from tests.dnam.rederiving.test_rederiving import OTHER, texts, told
from tests.dnam.rederiving.village import ASKED, GENERAL, Village, both, derive, reader
from tests.dnam.scripted import Calling, ScriptedModel, calling

NOW_DRINKS = "Kim drinks only black coffee now"
NOTE = {"namespace": "me", "text": NOW_DRINKS, "quote": NOW_DRINKS, "kind": "preference"}


async def corrected(there: Village) -> None:
    """Kim likes tea, is learned from, and then tells the assistant otherwise."""
    await there.say("kim", "I like green tea")
    await there.say("kim", "I like rain")
    await there.learn("kim")
    note = {**NOTE, "replaces": item_id("preference", "likes green tea")}
    assert isinstance(there.assistant.model, ScriptedModel)
    there.assistant.model.scripts["answer"] = calling(Calling((("memory_write", note),)), "Noted.")
    there.said += 60_000
    heard = await there.memory.heard(
        "kim", NOW_DRINKS, platform="discord", place=GENERAL, key="corrects", said=there.said, name="Kim"
    )
    await there.assistant.answer(heard)


@pytest.mark.parametrize("verb", ["enjoys", "likes"])
def test_a_correction_by_talking_reaches_what_the_other_model_says(tmp_path: Path, verb: str) -> None:
    told(tmp_path, corrected)
    asyncio.run(derive(tmp_path, reader(verb, name="other"), asked=OTHER))
    live, shadow = both(tmp_path)
    assert texts(live) == [NOW_DRINKS, "likes rain"]
    assert texts(shadow) == [NOW_DRINKS, f"{verb} rain"]
    assert texts(shadow, "deprecated") == [f"{verb} green tea"]


def test_with_the_same_model_it_is_as_it_was(tmp_path: Path) -> None:
    told(tmp_path, corrected)
    asyncio.run(derive(tmp_path, reader(), asked=ASKED))
    live, shadow = both(tmp_path)
    assert shadow == live
