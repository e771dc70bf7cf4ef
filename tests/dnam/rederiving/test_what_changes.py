"""What was edited, taken back or closed, before a memory is made anew and after."""

import asyncio
from pathlib import Path

import pytest

from dnam.consenting import consent
from dnam.model import ExtractionInputs
from dnam.rederiving.finding import messages_of
from dnam.shadows.manifest import load
from projections.decisions.audience import AudienceRequest, change_audience
from projections.decisions.delete import DeletedRequest, delete
from projections.decisions.draft import Draft, Origin
from projections.decisions.place import PlaceSeen
from projections.decisions.redact import Redaction, redaction_of
from projections.events import MessageRedacted
from projections.items import REFUSALS, items_of
from projections.messages import MessageRow
from projections.rederiving import taking_back
from projections.rederiving.roles import TOLD
from projections.rows import Rows
from replay.engine import Engine
from replay.shadows.shadow import shadow_engine
from replay.units import units
from tests.dnam.rederiving.test_rederiving import OTHER, texts, told
from tests.dnam.rederiving.village import GARDEN, STAFF, Village, both, derive, reader, talk

CLOSED = PlaceSeen("discord", "1", "channel", "general", "channel", guild=GARDEN, guild_name="Garden")
HALL = PlaceSeen("discord", "3", "channel", "hall", "guild", guild=GARDEN, guild_name="Garden")
SESSION = "discord:channel:1"
ORIGIN = Origin(seed=b"the channel opens".ljust(32), now=1)


async def delete_it(there: Village, key: str, said: int) -> None:
    """A message is deleted in Discord."""
    there.said += 60_000
    request = DeletedRequest("discord", key, SESSION, said, there.said)
    await there.memory.record(lambda rows: delete(rows, request))


async def edited(there: Village) -> None:
    key = await there.say("kim", "I like tea")
    said = there.said
    await there.say("kim", "I like rain")
    await there.learn("kim")
    await there.edit("kim", key, said, "I like coffee")
    await there.say("kim", "I like snow")
    await there.learn("kim")


def test_an_edited_message_is_read_as_it_is_now_where_it_was_read_again(tmp_path: Path) -> None:
    told(tmp_path, edited)
    manifest = asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    live, shadow = both(tmp_path)
    assert texts(live) == ["likes coffee", "likes rain", "likes snow"]
    assert texts(shadow) == ["enjoys coffee", "enjoys rain", "enjoys snow"]
    assert len(manifest.changed) == 1


def test_what_is_edited_after_a_shadow_was_made_is_read_again_there_too(tmp_path: Path) -> None:
    points: list[tuple[str, int]] = []

    async def before(there: Village) -> None:
        points.append((await there.say("kim", "I like tea"), there.said))
        await there.learn("kim")

    async def after(there: Village) -> None:
        there.said = points[0][1] + 60_000
        await there.edit("kim", *points[0], "I like coffee")
        await there.learn("kim")

    told(tmp_path, before)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    assert texts(both(tmp_path)[1]) == ["enjoys tea"]
    told(tmp_path, after)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    assert texts(both(tmp_path)[1]) == ["enjoys coffee"]


def summaries(path: Path, name: str = "next") -> list[list[str]]:
    """Of the live memory, and of the shadow."""
    return [[text for text, _, _ in each["summaries"].values()] for each in both(path, name)]


@pytest.mark.parametrize("made_after", [(), (0,), (1,), (0, 1, 2)])
def test_an_edited_message_is_in_the_summary_that_read_it_as_it_is_now(
    tmp_path: Path, made_after: tuple[int, ...]
) -> None:
    points: list[tuple[str, int]] = []

    async def sums_up(there: Village) -> None:
        points.append((await there.say("kim", "I like tea"), there.said))
        await there.say("kim", "I like rain")
        await there.summarise()

    async def edits(there: Village) -> None:
        there.said = points[0][1] + 600_000
        await there.edit("kim", *points[0], "I like coffee")

    async def sums_up_again(there: Village) -> None:
        for number, what in enumerate(("snow", "hail"), 2):
            there.said = points[0][1] + number * 600_000
            await there.say("kim", f"I like {what}")
            await there.summarise()

    for number, each in enumerate((sums_up, edits, sums_up_again)):
        told(tmp_path, each)
        if number in made_after:
            asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    said = "I like coffee I like rain I like snow"
    assert summaries(tmp_path) == [
        [f"They likes: {said} They likes: I like hail"],
        [f"They enjoys: {said} They enjoys: I like hail"],
    ]


def test_what_is_deleted_after_a_shadow_was_made_goes_with_what_was_made_of_it(tmp_path: Path) -> None:
    points: list[tuple[str, int]] = []

    async def before(there: Village) -> None:
        points.append((await there.say("kim", "I like tea"), there.said))
        await there.say("kim", "I like rain")
        await there.learn("kim")
        await there.summarise()

    async def after(there: Village) -> None:
        there.said = points[0][1] + 600_000
        await delete_it(there, *points[0])

    told(tmp_path, before)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    told(tmp_path, after)
    manifest = asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    live, shadow = both(tmp_path)
    assert (texts(live), texts(shadow)) == (["likes rain"], ["enjoys rain"])
    assert manifest.upto == load(tmp_path, "next").upto
    fresh = asyncio.run(derive(tmp_path, reader("enjoys", name="other"), "fresh", OTHER))
    there = both(tmp_path, "fresh")[1]
    assert texts(there) == ["enjoys rain"]
    for each in (shadow, there):  # made once more, and made without it
        assert [text for text, _, _ in each["summaries"].values()] == ["They enjoys: I like rain"]
    assert len(fresh.changed) == 2  # the extraction and the summary had read it


async def closed(there: Village) -> None:
    await there.say("kim", "I like tea")
    await there.learn("kim")
    await there.say("kim", "I like rain", CLOSED)
    await there.learn("kim")


def test_what_was_learned_in_a_channel_that_closed_is_where_it_is_in_the_live_memory(tmp_path: Path) -> None:
    told(tmp_path, closed)
    asyncio.run(derive(tmp_path, reader()))
    live, shadow = both(tmp_path)
    assert shadow == live
    assert {compartment for _, compartment, _ in shadow["items"]} == {
        f"person/{next(iter(shadow['items']))[0]}/channel/discord:1"
    }
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), "others", OTHER))
    others = both(tmp_path, "others")[1]
    assert {key[1] for key in others["items"]} == {key[1] for key in live["items"]}


def test_what_a_person_put_otherwise_moves_though_its_message_says_something_else_by_now(tmp_path: Path) -> None:
    async def reworded(there: Village) -> None:
        key = await there.say("kim", "I like tea")
        said = there.said
        await there.say("kim", "I like rain", HALL)
        await there.learn("kim")
        kim = await there.handle("kim")
        for item in await there.memory.look(lambda rows: [each.row.item for each in items_of(rows, kim)]):
            await there.memory.edit(kim, item.id, item.text.replace("likes", "collects"))
        await there.memory.record(lambda rows: change_audience(rows, AudienceRequest(CLOSED, there.said, ORIGIN)))
        await there.say("kim", "I like snow", HALL)
        await there.learn("kim")
        await there.edit("kim", key, said, "I like coffee", CLOSED)

    told(tmp_path, reworded)
    asyncio.run(derive(tmp_path, model := reader("enjoys", name="other"), asked=OTHER))
    (in_the_hall,) = (ask.prompt for ask in model.asks if "snow" in ask.prompt)
    assert "collects rain" in in_the_hall
    assert "collects tea" not in in_the_hall  # what came of it would be open to the whole guild, adopted too
    live, shadow = (
        {item.text: item.compartment for item in each["items"].values() if item.text.startswith("collects")}
        for each in both(tmp_path)
    )
    assert live["collects tea"].endswith("/channel/discord:1")
    assert live["collects rain"] == "guild/discord:9"
    assert shadow == live


def test_lore_is_decided_in_the_recorded_order_whoever_replies_first(tmp_path: Path) -> None:
    async def three(there: Village) -> None:
        for who in ("kim", "ada", "tobi"):
            await there.say(who, "I like the market")
            await there.learn(who)

    told(tmp_path, three, model=reader(about="guild"))
    asyncio.run(derive(tmp_path, reader(name="other", about="guild"), asked=OTHER))
    live, shadow = both(tmp_path)
    assert [(item.text, item.source_count) for item in shadow["items"].values()] == [("likes the market", 3)]
    assert [item.evidence for item in shadow["items"].values()] == [item.evidence for item in live["items"].values()]


def test_what_was_forgotten_is_refused_in_the_shadow(tmp_path: Path) -> None:
    async def again(there: Village) -> None:
        there.said += 86_400_000
        await there.say("kim", "I like long walks", STAFF)
        await there.learn("kim")

    told(tmp_path, talk, again)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    with (
        Engine.open(tmp_path, writable=False) as live,
        shadow_engine(tmp_path, "next", beside=live) as shadow,
        shadow.reading() as rows,
    ):
        assert any("long walks" in found.row.text for found in rows.scan(REFUSALS))
    assert not any("long walks" in text for text in texts(both(tmp_path)[1]))


def test_who_opted_out_is_learned_nothing_of(tmp_path: Path) -> None:
    told(tmp_path, talk)

    async def out(there: Village) -> None:
        await consent(there.memory, await there.handle("ada"), out=True)

    told(tmp_path, out)
    model = reader("enjoys", name="other")
    asyncio.run(derive(tmp_path, model, asked=OTHER))
    assert not any("snow" in text for text in texts(both(tmp_path)[1]))
    assert {inputs.user for inputs in model.given(ExtractionInputs)} == {"Kim"}


def test_many_items_move_with_a_channel_in_several_decisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def many(there: Village) -> None:
        for what in ("tea", "rain", "snow"):
            await there.say("kim", f"I like {what}")
        await there.learn("kim")
        await there.say("ada", "good morning", CLOSED)

    told(tmp_path, many)
    monkeypatch.setattr(taking_back, "MOST_MOVED", 2)
    asyncio.run(derive(tmp_path, reader()))
    live, shadow = both(tmp_path)
    assert shadow == live
    assert len({compartment for _, compartment, _ in shadow["items"]}) == 1


def test_much_that_says_a_deleted_message_again_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points: list[tuple[str, int]] = []

    async def before(there: Village) -> None:
        points.append((await there.say("kim", "I like tea"), there.said))
        await there.learn("kim")

    async def after(there: Village) -> None:
        there.said = points[0][1] + 600_000
        await delete_it(there, *points[0])

    told(tmp_path, before)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    with monkeypatch.context() as killed:  # before the shadow was followed
        killed.setattr("dnam.shadows.followed.shadows_in", lambda _: [])
        told(tmp_path, after)
    parts: list[int] = []

    def in_parts(rows: Rows, messages: list[MessageRow], said: int, instead: str | None = None) -> Redaction:
        """As if there were too much for one decision: the first part is the last of the bodies."""
        whole = redaction_of(rows, messages, said, instead)
        parts.append(len(whole.bodies))
        first = Origin(seed=b"first part".ljust(32), now=said)
        return Redaction((), whole.bodies[-1:], first) if len(parts) == 1 else whole

    monkeypatch.setattr(taking_back, "redaction_of", in_parts)
    with (
        Engine.open(tmp_path, writable=False) as live,
        shadow_engine(tmp_path, "next", writable=True, beside=live) as shadow,
    ):
        (deletion,) = units(live, load(tmp_path, "next").upto, live.head().size)
        drafts = [each.draft() for each in deletion.told if each.header.tag in TOLD]
        gone = [
            event for each in deletion.told if isinstance(each.event, MessageRedacted) for event in each.event.events
        ]

        def decide(rows: Rows) -> list[Draft]:
            return taking_back.take_back(rows, drafts, messages_of(shadow, rows, gone), ORIGIN)

        while shadow.record(decide).records:
            pass
    assert parts[0] == parts[1] + 1  # what went first has nothing more to lose
    assert texts(both(tmp_path)[1]) == []


def test_a_channel_that_opens_moves_nothing(tmp_path: Path) -> None:
    opened = STAFF._replace(audience="guild")

    async def opens(there: Village) -> None:
        await there.say("kim", "I like tea", STAFF)
        await there.learn("kim")
        await there.memory.record(lambda rows: change_audience(rows, AudienceRequest(opened, there.said, ORIGIN)))
        await there.say("kim", "I like rain", opened)
        await there.learn("kim")

    told(tmp_path, opens)
    asyncio.run(derive(tmp_path, reader()))
    live, shadow = both(tmp_path)
    assert shadow == live
    assert len({compartment for _, compartment, _ in shadow["items"]}) == 2
