"""What a shadow may cost, and what stands against taking it over."""

import asyncio
import json
from pathlib import Path

import msgspec
import pytest

from dnam.consenting import consent
from dnam.errors import PriceUnknown
from dnam.model import Ask, ExtractionInputs
from dnam.rederiving.rederivation import rederiving
from dnam.shadows.manifest import Asked, Manifest, cost_words, drop, load, making
from projections.decisions.delete import DeletedRequest, delete
from projections.policies.item_ids import derive as derived_id
from replay.engine import Engine
from replay.errors import Busy
from tests.dnam.cli.memories import Ran, dnam
from tests.dnam.rederiving.test_rederiving import OTHER, texts, told
from tests.dnam.rederiving.village import SETTINGS, Village, both, derive, memories, reader, talk
from tests.dnam.scripted import FakeClock, ScriptedModel
from tests.world import NOW

SESSION = "discord:channel:1"
THIRD = Asked("third", "third", "extraction@4", "summary@2", "apart@1")


def adopt(path: Path) -> Ran:
    ran = dnam("adopt", "next", "--behind", "--yes", "--data", path)
    assert ran.code == 0, ran.err
    return ran


def active(path: Path) -> list[str]:
    with Engine.open(path, writable=False) as live:
        return texts(memories(live))


def test_of_who_opted_out_nothing_is_read_taken_over_or_brought_back(tmp_path: Path) -> None:
    told(tmp_path, talk)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    adopt(tmp_path)
    assert "enjoys snow" in active(tmp_path)

    async def out(there: Village) -> None:
        await consent(there.memory, await there.handle("ada"), out=True)

    told(tmp_path, out)
    before = active(tmp_path)
    dnam("adopt", "--undo", "next", "--yes", "--data", tmp_path)
    assert [text for text in active(tmp_path) if "snow" in text or "rain" in text] == [
        text for text in before if "snow" in text or "rain" in text
    ]
    model = reader("adores", name="third")
    asyncio.run(derive(tmp_path, model, "third", THIRD))
    assert {inputs.user for inputs in model.given(ExtractionInputs)} == {"Kim"}
    assert dnam("adopt", "third", "--behind", "--yes", "--data", tmp_path).code == 0
    assert "adores snow" not in active(tmp_path)


def test_the_diff_shows_nothing_of_a_message_that_is_gone(tmp_path: Path) -> None:
    points: list[tuple[str, int]] = []

    async def before(there: Village) -> None:
        points.append((await there.say("kim", "I like canary yellow"), there.said))
        await there.say("kim", "I like rain")
        await there.learn("kim")
        await there.summarise()

    async def after(there: Village) -> None:
        request = DeletedRequest("discord", points[0][0], SESSION, points[0][1], points[0][1] + 600_000)
        await there.memory.record(lambda rows: delete(rows, request))

    told(tmp_path, before)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    assert "canary" in dnam("diff", "--shadow", "next", "--data", tmp_path).out
    told(tmp_path, after)
    page = tmp_path / "page.html"
    ran = dnam("diff", "--shadow", "next", "--data", tmp_path)
    dnam("diff", "--shadow", "next", "--html", page, "--data", tmp_path)
    assert "canary" not in ran.out + page.read_text(encoding="utf-8")
    assert "rain" in ran.out


def joining(name: str) -> ScriptedModel:
    """A model that makes one item of all that is liked, and goes on with it."""
    model = reader(name=name)

    def extract(ask: Ask) -> str:
        assert isinstance(ask.inputs, ExtractionInputs)
        known = next((each for each in ask.inputs.items if each.text.startswith("likes")), None)
        liked = [(line, line.text.partition("I like ")[2]) for line in ask.inputs.lines if "I like " in line.text]
        text = " and ".join((known.text if known else "likes nothing", *(what for _, what in liked)))
        evidence = [{"quote": f"I like {what}", "message": line.id} for line, what in liked]
        entry = {"id": known.id if known else "", "kind": "preference", "text": text, "tags": [], "evidence": evidence}
        return json.dumps({"upserts": [entry] if liked else [], "deprecations": []})

    model.scripts["extraction"] = extract
    return model


def test_what_stands_in_a_shadow_without_a_message_does_not_bring_its_words(tmp_path: Path) -> None:
    """Nor does what the model goes on with from it; and what is here of it does not go."""
    points: list[tuple[str, int]] = []

    async def before(there: Village) -> None:
        points.append((await there.say("kim", "I like canary yellow"), there.said))
        await there.say("kim", "I like rain")
        await there.learn("kim")

    async def after(there: Village) -> None:
        request = DeletedRequest("discord", points[0][0], SESSION, points[0][1], points[0][1] + 600_000)
        await there.memory.record(lambda rows: delete(rows, request))

    async def later(there: Village) -> None:
        there.said += 86_400_000
        await there.say("kim", "I like snow")
        await there.learn("kim")

    told(tmp_path, before)
    asyncio.run(derive(tmp_path, joining("other"), asked=OTHER))
    told(tmp_path, after)
    assert active(tmp_path) == ["likes rain"]
    for happening in (None, later):
        if happening is not None:
            told(tmp_path, happening)
        asyncio.run(derive(tmp_path, joining("other"), asked=OTHER))
        assert "canary" in str(texts(both(tmp_path)[1])), "it stands there, on what was said later"
        before_it = active(tmp_path)
        ran = dnam("adopt", "next", "--yes", "--data", tmp_path)
        shown = dnam("diff", "--shadow", "next", "--data", tmp_path) if happening is None else ran
        assert "canary" not in ran.out + ran.err + shown.out
        assert active(tmp_path) == before_it


def mistaken(name: str) -> ScriptedModel:
    """A model that takes green tea for black."""
    model = reader(name=name)

    def extract(ask: Ask) -> str:
        assert isinstance(ask.inputs, ExtractionInputs)
        known = next((each.id for each in ask.inputs.items), "")
        evidence = [{"quote": "green tea", "message": ask.inputs.lines[0].id}]
        entry = {"id": known, "kind": "preference", "text": "likes black tea", "tags": [], "evidence": evidence}
        return json.dumps({"upserts": [entry], "deprecations": []})

    model.scripts["extraction"] = extract
    return model


def test_what_the_operator_reverted_is_not_brought_back(tmp_path: Path) -> None:
    async def good(there: Village) -> None:
        await there.say("kim", "I like green tea")
        await there.learn("kim")

    async def bad(there: Village) -> None:
        there.said += 86_400_000
        await there.say("kim", "I like green tea")
        await there.learn("kim")

    told(tmp_path, good)
    told(tmp_path, bad, model=mistaken("scripted"))
    assert active(tmp_path) == ["likes black tea"]
    (seq,) = [each["seq"] for each in dnam("log", "--json", "--data", tmp_path).values if "black" in str(each)][:1]
    assert dnam("revert", "--caused-by", str(seq), "--yes", "--data", tmp_path).code == 0
    assert active(tmp_path) == ["likes green tea"]
    asyncio.run(derive(tmp_path, mistaken("other"), asked=OTHER))
    assert texts(both(tmp_path)[1]) == ["likes black tea"]
    adopt(tmp_path)
    assert active(tmp_path) == ["likes green tea"]


def test_what_they_took_back_when_it_was_not_held_is_not_what_they_put_so_beside_it(tmp_path: Path) -> None:
    """They had it again under another item before they cleared the old one away."""

    async def learns(there: Village) -> None:
        await there.say("kim", "I like tea")
        await there.say("kim", "I like rain")
        await there.learn("kim")

    async def decides(there: Village) -> None:
        there.said += 86_400_000
        await there.say("kim", "no tea for me any more")
        await there.learn("kim")

    def ends(ask: Ask) -> str:
        assert isinstance(ask.inputs, ExtractionInputs)
        return json.dumps({"upserts": [], "deprecations": [tea(ask.inputs)]})

    def tea(inputs: ExtractionInputs) -> dict[str, str]:
        return {"id": next(each.id for each in inputs.items if each.text == "likes tea"), "reason": "no more"}

    async def clears_away(there: Village) -> None:
        kim = await there.handle("kim")
        tea, rain = (derived_id("preference", f"likes {each}") for each in ("tea", "rain"))
        await there.memory.edit(kim, rain, "likes tea")
        await there.memory.forget(kim, id=tea)

    told(tmp_path, learns)
    model = reader()
    model.scripts["extraction"] = ends
    told(tmp_path, decides, model=model)
    assert active(tmp_path) == ["likes rain"]
    told(tmp_path, clears_away)
    assert active(tmp_path) == ["likes tea"]
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    shadow = both(tmp_path)[1]
    assert (texts(shadow), texts(shadow, "forgotten")) == (["likes tea"], ["enjoys tea", "likes tea"])


def test_a_change_that_the_operator_reverted_does_not_stand_where_the_same_was_made(tmp_path: Path) -> None:
    """And does, where the revert was taken back: in a shadow that is gone on with, and in one that is new."""

    async def learns(there: Village) -> None:
        await there.say("kim", "I like green tea")
        await there.learn("kim")

    async def learns_later(there: Village) -> None:
        there.said += 86_400_000
        await learns(there)

    def derived(name: str) -> list[str]:
        asyncio.run(derive(tmp_path, reader(), name))
        live, shadow = both(tmp_path, name)
        assert live == shadow
        return texts(shadow)

    def of_revert() -> int:
        logged = dnam("log", "--tag", "item.reverted", "--json", "--data", tmp_path).values
        return int(logged[-1]["seq"])

    told(tmp_path, learns)
    told(tmp_path, learns_later, model=mistaken("scripted"))
    assert derived("before") == ["likes black tea"]
    (seq,) = [each["seq"] for each in dnam("log", "--json", "--data", tmp_path).values if "black" in str(each)][:1]
    assert dnam("revert", "--caused-by", str(seq), "--yes", "--data", tmp_path).code == 0
    assert derived("before") == derived("behind") == ["likes green tea"]
    assert dnam("revert", "--undo", str(of_revert()), "--yes", "--data", tmp_path).code == 0
    assert derived("before") == derived("behind") == derived("last") == ["likes black tea"]


def test_an_estimate_counts_what_was_never_learned_and_not_what_was_made(tmp_path: Path) -> None:
    async def unlearned(there: Village) -> None:
        for what in ("tea", "rain", "old maps", "bread", "cats"):
            await there.say("kim", f"I like {what}")

    told(tmp_path, unlearned)

    async def estimated() -> tuple[int, int]:
        async with rederiving(tmp_path, SETTINGS, reader(name="other"), manifest(tmp_path), FakeClock()) as derivation:
            before = derivation.estimate().calls
            done = await derivation.run(lambda *_: None)
            assert derivation.estimate().calls == 0
            return before, done.calls

    expected, made = asyncio.run(estimated())
    assert 3 <= made <= expected == 5  # three extractions of two, and up to two summaries of three


def manifest(path: Path) -> Manifest:
    return Manifest("next", OTHER, NOW, "", "")


def test_a_ceiling_holds_for_no_call_whose_price_is_not_known(tmp_path: Path) -> None:
    told(tmp_path, talk)
    model = reader("enjoys", name="other")
    model.paid = True
    with pytest.raises(PriceUnknown, match="the price of other is not in the table"):
        asyncio.run(derive(tmp_path, model, asked=OTHER, most_micros=1_000_000))
    assert model.asks == []
    done = asyncio.run(derive(tmp_path, model, asked=OTHER))
    assert done.calls == done.unpriced == len(model.asks)
    assert cost_words(done) == "cost not known"
    assert cost_words(msgspec.structs.replace(done, cost_micros=12_300)) == "$0.0123 and more, not known"


def test_two_do_not_make_one_shadow_and_none_is_dropped_while_it_is_made(tmp_path: Path) -> None:
    told(tmp_path, talk)
    asyncio.run(derive(tmp_path, reader(name="other"), asked=OTHER))
    with making(tmp_path, "next"):
        with pytest.raises(Busy, match="another process is making the shadow 'next'"):
            asyncio.run(derive(tmp_path, reader(name="other"), asked=OTHER))
        with pytest.raises(Busy):
            drop(tmp_path, "next")
    drop(tmp_path, "next")
    assert not (tmp_path / "shadows" / "next").exists()


def test_one_shadow_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    told(tmp_path, talk)
    for name in ("good", "bad"):
        asyncio.run(derive(tmp_path, reader(name="other"), name, OTHER))
    (tmp_path / "shadows" / "bad" / "shadow.json").write_text("x")
    ran = dnam("shadows", "--data", tmp_path)
    assert (ran.code, "good" in ran.out, "bad" in ran.err) == (3, True, True)
    assert load(tmp_path, "good").runs > 0
    assert msgspec.structs.asdict(load(tmp_path, "good").asked)["encoder"] == ""
