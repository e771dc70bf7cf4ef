"""Undo: the opposite of the last thing that a person did here, and of what a button names."""

import re
from collections.abc import AsyncIterator

import msgspec
import pytest

from dnam.commands.command import Invocation, Reply
from dnam.commands.table import read, run
from dnam.commands.undo import ALSO_CONFIRMED, CONFIRMED, CONFIRMED_IT, ELSEWHERE, NOTHING, OUTDATED, undo_change
from dnam.reverting import Plan, carry_out, caused_by, plan
from projections.decisions.draft import Draft, Minter
from projections.decisions.place import PlaceSeen
from projections.events import ItemUpserted
from projections.events.values import By, Source
from projections.ids import EventId, Ref
from projections.items import items_of
from projections.rows import Rows
from replay.chronicle import LogChronicle
from replay.reading import Reader
from tests.dnam.test_commands import CLOSED, OPEN, World


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World()
    yield made
    made.memory.engine.close()


async def held(world: World, user: str = "ada") -> list[str]:
    return sorted(item.text for item in await world.memory.show(user))


async def presses(world: World, reply: Reply, user: str = "ada") -> Reply:
    heard = await world.memory.heard(user, "hello")
    assert reply.undo is not None
    return await undo_change(world.assistant, Invocation(heard.setting, heard.session), reply.undo)


async def test_what_was_remembered_is_forgotten_and_its_button_remembers_it_again(world: World) -> None:
    await world.remembers("ada", "I like tea")
    reply = await world.reply("ada", "!memory undo")
    assert reply.text.startswith("Undone `remember`: this is forgotten.\n- [fact] I like tea `durable-")
    assert await held(world) == []
    assert (await presses(world, reply)).text.startswith("Undone `forget`: this is remembered again.\n")
    assert await held(world) == ["I like tea"]


async def test_asked_for_once_more_it_goes_one_step_further_back(world: World) -> None:
    emus, owls = await world.remembers("ada", "I like emus"), await world.remembers("ada", "I like owls")
    await world.asks("ada", f"!memory edit {emus} I love emus")
    await world.asks("ada", f"!memory edit {emus} I adore emus")
    await world.remembers("ada", "I like cats", OPEN)
    await world.asks("ada", "!memory forget I like cats", OPEN)
    for undone, left in (
        ("forget", ["I adore emus", "I like cats", "I like owls"]),
        ("remember", ["I adore emus", "I like owls"]),
        ("edit", ["I like owls", "I love emus"]),
        ("edit", ["I like emus", "I like owls"]),
        ("remember", ["I like emus"]),
        ("remember", []),
    ):
        assert (await world.asks("ada", "!memory undo")).startswith(f"Undone `{undone}`: ")
        assert await held(world) == left
    assert await world.reply("ada", "!memory undo") == Reply(NOTHING, failed=True)
    assert (await world.asks("ada", f"!memory restore {owls}")).startswith("Restored: ")
    assert (await world.asks("ada", "!memory undo")).startswith("Undone `restore`: this is forgotten.\n")
    assert await world.reply("ada", "!memory undo") == Reply(NOTHING, failed=True)


async def test_what_an_edit_put_right_stands_beside_the_first_words_said_again_and_each_is_walked_back(
    world: World,
) -> None:
    item = await world.remembers("ada", "I like tea")
    await world.asks("ada", f"!memory edit {item} I like coffee")
    again = await world.remembers("ada", "I like tea")
    assert again != item
    shown = await world.asks("ada", "!memory show")
    for text, its in (("I like coffee", item), ("I like tea", again)):
        assert re.search(rf"^- \[fact\] {text} .*`{its}`$", shown, re.MULTILINE)
    for undone, left in (("remember", ["I like coffee"]), ("edit", ["I like tea"]), ("remember", [])):
        assert (await world.asks("ada", "!memory undo")).startswith(f"Undone `{undone}`: ")
        assert await held(world) == left


async def test_every_act_on_one_item_is_walked_back(world: World) -> None:
    item = await world.remembers("ada", "I like tea", OPEN)
    acts = (f"forget {item}", f"restore {item}", f"edit {item} I like rain", f"share {item}", f"keep-private {item}")
    for each in acts:
        assert not (await world.reply("ada", f"!memory {each}", OPEN)).failed
    undone = [(await world.asks("ada", "!memory undo", OPEN)).partition(":")[0] for _ in range(6)]
    names = ("keep-private", "share", "edit", "restore", "forget", "remember")
    assert undone == [f"Undone `{each}`" for each in names]
    assert await world.reply("ada", "!memory undo", OPEN) == Reply(NOTHING, failed=True)
    assert await held(world) == []


async def test_what_its_button_took_back_is_the_next_to_undo(world: World) -> None:
    await world.remembers("ada", "I like emus")
    await world.remembers("ada", "I like tea")
    await presses(world, await world.reply("ada", "!memory undo"))
    assert await held(world) == ["I like emus", "I like tea"]
    assert (await world.asks("ada", "!memory undo")).startswith(
        "Undone `restore`: this is forgotten.\n- [fact] I like tea"
    )
    assert (await world.asks("ada", "!memory undo")).startswith("Undone `remember`: ")
    assert await held(world) == []


async def test_what_somebody_else_changed_since_is_left_and_what_lies_before_it(world: World) -> None:
    from projections.events.values import OPERATOR

    emus, tea = await world.remembers("ada", "I like emus"), await world.remembers("ada", "I like tea")
    await world.memory.edit("ada", tea, "I like green tea", by=OPERATOR)
    await world.asks("ada", f"!memory edit {tea} I like black tea")
    undone = [(await world.asks("ada", "!memory undo")).splitlines()[:2] for _ in range(2)]
    assert undone == [
        ["Undone `edit`: this says again what it said before.", f"- [fact] I like green tea `{tea}`"],
        ["Undone `remember`: this is forgotten.", f"- [fact] I like emus `{emus}`"],
    ]
    assert await world.reply("ada", "!memory undo") == Reply(NOTHING, failed=True)


class TestPlaces:
    """What is undone in a place is what that place shows, and its words are told where they may be."""

    async def slash(self, world: World, text: str, place: PlaceSeen) -> str:
        """As a slash command, whose reply nobody else sees."""
        heard, alone = await world.memory.heard("ada", "hello", place=place), await world.memory.heard("ada", "hello")
        call = read(text)
        assert call is not None
        asked = Invocation(heard.setting, heard.session, eyes=alone.setting)
        return (await run(world.assistant, asked, call)).text

    async def test_what_was_done_elsewhere_stays_also_where_nobody_else_sees_the_reply(self, world: World) -> None:
        await world.remembers("ada", "I like cats", OPEN)
        await world.remembers("ada", "I fear dogs")
        told = await self.slash(world, "!memory undo", OPEN)
        assert told.startswith("Undone `remember`: this is forgotten.\n- [fact] I like cats")
        assert told.endswith(f"\n{ELSEWHERE}")
        assert await self.slash(world, "!memory undo", OPEN) == f"{NOTHING}\n{ELSEWHERE}"
        assert await held(world) == ["I fear dogs"]

    async def test_a_button_still_takes_back_what_was_done_from_there_to_something_elsewhere(
        self, world: World
    ) -> None:
        item = await world.remembers("ada", "I fear dogs")
        heard, alone = await world.memory.heard("ada", "hello", place=OPEN), await world.memory.heard("ada", "hello")
        asked, call = Invocation(heard.setting, heard.session, eyes=alone.setting), read(f"!memory forget {item}")
        assert call is not None
        reply = await run(world.assistant, asked, call)
        assert reply.undo is not None
        told = (await undo_change(world.assistant, asked, reply.undo)).text
        assert told.startswith("Undone `forget`: this is remembered again.\n- [fact] I fear dogs")

    async def test_what_leaves_the_place_by_being_undone_is_not_told_there(self, world: World) -> None:
        item = await world.remembers("ada", "I fear dogs")
        await world.asks("ada", f"!memory share {item}")
        told = await world.asks("ada", "!memory undo", OPEN)
        assert told.startswith("Undone `share`: this is told again where it was told before, and nowhere else.\n")
        assert "dogs" not in told
        assert f"`{item}`" in told
        assert await world.reply("ada", "!memory undo", OPEN) == Reply(NOTHING, failed=True)
        assert "I fear dogs" in await world.asks("ada", "!memory undo")

    async def test_what_it_said_before_it_was_shared_is_not_brought_to_light(self, world: World) -> None:
        item = await world.remembers("ada", "I fear dogs")
        await world.asks("ada", f"!memory edit {item} I prefer cats")
        await world.asks("ada", f"!memory share {item}")
        await world.asks("ada", f"!memory edit {item} I love cats")
        told = [await world.asks("ada", "!memory undo", OPEN) for _ in range(3)]
        assert [each.partition(":")[0] for each in told[:2]] == ["Undone `edit`", "Undone `share`"]
        assert told[2] == NOTHING
        assert "dogs" not in "".join(told)
        assert await held(world) == ["I prefer cats"]


async def test_all_that_one_forgetting_took_comes_back(world: World) -> None:
    await world.remembers("ada", "I like green tea")
    await world.remembers("ada", "I like green tea!")
    await world.remembers("ada", "I live in Oslo")
    assert (await world.asks("ada", "!memory forget like green tea")).startswith("Forgot 2 item(s).")
    await world.asks("ada", "!memory undo")
    assert await held(world) == ["I like green tea", "I like green tea!", "I live in Oslo"]


async def test_an_edited_item_says_again_what_it_said(world: World) -> None:
    item = await world.remembers("ada", "I like tea")
    await world.asks("ada", f"!memory edit {item} I like rain")
    reply = await world.asks("ada", "!memory undo")
    assert reply.startswith("Undone `edit`: this says again what it said before.\n- [fact] I like tea")
    assert await held(world) == ["I like tea"]


async def test_an_edited_item_that_is_put_back_is_cited_as_before(world: World) -> None:
    """And as edited once that is undone."""
    item = await world.remembers("ada", "I like tea")
    (row,) = await world.memory.show("ada")
    said = Source("discord", Ref("discord", "5"), Ref("discord", "m"))
    learned = ItemUpserted(said=row.updated, by=By("model", name="m"), item=msgspec.structs.replace(row, source=said))
    await world.memory.record(lambda rows: [Minter(rows, world.memory.origin()).draft(learned)])
    await world.asks("ada", f"!memory edit {item} I like rain")
    (edited,) = await world.memory.show("ada")
    reply = await world.reply("ada", "!memory undo")
    (back,) = await world.memory.show("ada")
    await presses(world, reply)
    (again,) = await world.memory.show("ada")
    assert [each.text for each in (edited, back, again)] == ["I like rain", "I like tea", "I like rain"]
    assert [each.source.type for each in (edited, back, again)] == ["manual", "discord", "manual"]
    assert back.source == said


async def test_of_two_items_with_one_id_the_one_that_was_changed_is_put_back(world: World) -> None:
    item = await world.remembers("ada", "I like tea", OPEN)
    await world.asks("ada", f"!memory edit {item} I like rain", OPEN)
    assert await world.remembers("ada", "I like tea") == item
    await world.asks("ada", "!memory undo")
    assert (await world.asks("ada", "!memory undo", OPEN)).startswith("Undone `edit`: ")
    assert await held(world) == ["I like tea"]


async def test_a_restored_item_is_forgotten_again(world: World) -> None:
    item = await world.remembers("ada", "I like tea")
    await world.asks("ada", f"!memory forget {item}")
    await world.asks("ada", f"!memory restore {item}")
    assert (await world.asks("ada", "!memory undo")).startswith("Undone `restore`: this is forgotten.")


class TestConfirmed:
    """What only confirmed an item is passed over, and goes with the item."""

    async def test_what_was_confirmed_since_is_taken_back_with_that(self, world: World) -> None:
        secret = await world.remembers("ada", "my diagnosis is secret")
        await world.asks("ada", f"!memory forget {secret}")
        for _ in range(3):
            await world.remembers("ada", "the bin goes out on Monday")
        told = await world.asks("ada", "!memory undo")
        assert told.startswith("Undone `remember`: this is forgotten.\n- [fact] the bin goes out on Monday")
        assert told.endswith(f"\n{CONFIRMED_IT}")
        assert ALSO_CONFIRMED not in told
        assert await held(world) == []
        assert (await world.asks("ada", "!memory undo")).startswith("Undone `forget`: this is remembered again.\n")
        assert (await world.asks("ada", "!memory undo")).startswith("Undone `remember`: ")
        assert await world.reply("ada", "!memory undo") == Reply(NOTHING, failed=True)
        assert await held(world) == []

    async def test_what_was_done_between_is_undone_first_and_said_to_be_older(self, world: World) -> None:
        for text in ("I like tea", "I like emus", "I like tea"):
            await world.remembers("ada", text)
        told = await world.asks("ada", "!memory undo")
        assert told.startswith("Undone `remember`: this is forgotten.\n- [fact] I like emus")
        assert told.endswith(f"\n{ALSO_CONFIRMED}")
        assert await held(world) == ["I like tea"]
        told = await world.asks("ada", "!memory undo")
        assert told.startswith("Undone `remember`: this is forgotten.\n- [fact] I like tea")
        assert told.endswith(f"\n{CONFIRMED_IT}")
        assert await world.reply("ada", "!memory undo") == Reply(NOTHING, failed=True)
        assert await held(world) == []

    async def test_its_button_brings_it_back_with_its_count_and_that_is_the_next_to_undo(self, world: World) -> None:
        for text in ("I like emus", "I like tea", "I like tea"):
            await world.remembers("ada", text)
        assert (await presses(world, await world.reply("ada", "!memory undo"))).text.startswith("Undone `forget`: ")
        assert {item.text: item.source_count for item in await world.memory.show("ada")} == {
            "I like emus": 1,
            "I like tea": 2,
        }
        told = [await world.asks("ada", "!memory undo") for _ in range(2)]
        assert [each.splitlines()[0] for each in told] == [
            "Undone `restore`: this is forgotten.",
            "Undone `remember`: this is forgotten.",
        ]
        assert await world.reply("ada", "!memory undo") == Reply(NOTHING, failed=True)

    async def test_remembered_anew_afterwards_it_is_an_act_of_its_own(self, world: World) -> None:
        for _ in range(2):
            await world.remembers("ada", "I like tea")
        await world.asks("ada", "!memory undo")
        for _ in range(2):
            await world.remembers("ada", "I like tea")
        assert (await world.asks("ada", "!memory undo")).endswith(f"\n{CONFIRMED_IT}")
        assert await world.reply("ada", "!memory undo") == Reply(NOTHING, failed=True)
        assert await held(world) == []

    async def test_an_edit_that_was_confirmed_is_taken_back_and_then_what_was_before_it(self, world: World) -> None:
        tea = await world.remembers("ada", "I like tea")
        await world.remembers("ada", "I like tea")
        await world.asks("ada", f"!memory edit {tea} I like rain")
        await world.remembers("ada", "I like rain")
        told = await world.asks("ada", "!memory undo")
        assert told.startswith("Undone `edit`: this says again what it said before.\n- [fact] I like tea")
        assert told.endswith(f"\n{CONFIRMED_IT}")
        assert (await world.asks("ada", "!memory undo")).startswith("Undone `remember`: ")
        assert await world.reply("ada", "!memory undo") == Reply(NOTHING, failed=True)

    async def test_other_capitals_are_a_change(self, world: World) -> None:
        first = await world.remembers("ada", "My train leaves at 7:40")
        assert await world.remembers("ada", "my train leaves at 7:40") == first
        told = await world.asks("ada", "!memory undo")
        assert told.startswith("Undone `remember`: this says again what it said before.\n- [fact] My train leaves")
        assert (await world.asks("ada", "!memory undo")).startswith("Undone `remember`: this is forgotten.\n")

    async def test_what_somebody_else_had_added_stays(self, world: World) -> None:
        from projections.events.values import OPERATOR

        await world.remembers("ada", "I like emus")
        await world.memory.remember("ada", "I like tea", by=OPERATOR)
        await world.remembers("ada", "I like tea")
        told = await world.asks("ada", "!memory undo")
        assert told.startswith("Undone `remember`: this is forgotten.\n- [fact] I like emus")
        assert told.endswith(f"\n{ALSO_CONFIRMED}")
        assert await world.reply("ada", "!memory undo") == Reply(CONFIRMED, failed=True)
        assert await held(world) == ["I like tea"]

    async def test_a_button_under_what_it_confirmed_takes_that_back(self, world: World) -> None:
        first = await world.reply("ada", "!memory remember I like tea")
        for _ in range(2):
            await world.remembers("ada", "I like tea")
        assert (await presses(world, first)).text.startswith("Undone `remember`: this is forgotten.")
        assert await held(world) == []
        assert await presses(world, first) == Reply(OUTDATED, failed=True)
        assert await world.reply("ada", "!memory undo") == Reply(NOTHING, failed=True)

    async def test_a_button_under_it_takes_nothing_back(self, world: World) -> None:
        await world.remembers("ada", "I like tea")
        again = await world.reply("ada", "!memory remember I like tea")
        assert await presses(world, again) == Reply(CONFIRMED, failed=True)
        assert await held(world) == ["I like tea"]


async def test_there_may_be_nothing_to_undo(world: World) -> None:
    assert await world.reply("ada", "!memory undo") == Reply(NOTHING, failed=True)


async def test_what_was_taken_back_is_no_more_to_undo_and_nobody_is_said_to_have_changed_nothing(world: World) -> None:
    item = await world.remembers("ada", "I like tea")
    await world.asks("ada", f"!memory forget {item}")
    assert (await world.asks("ada", "!memory undo")).startswith("Undone `forget`: this is remembered again.")
    assert (await world.asks("ada", "!memory undo")).startswith("Undone `remember`: this is forgotten.")
    reply = await world.reply("ada", "!memory undo")
    assert reply == Reply(NOTHING, failed=True)
    assert "I take back what you changed in what this place shows, the last first" in reply.text
    assert await held(world) == []


async def test_what_somebody_else_or_the_operator_did_stays(world: World) -> None:
    from projections.events.values import OPERATOR

    await world.remembers("kim", "I like rain", OPEN)
    await world.memory.person("ada", make=True)
    await world.memory.remember("ada", "I like tea", by=OPERATOR)
    assert (await world.reply("ada", "!memory undo")).failed
    assert await held(world) == ["I like tea"]
    assert await held(world, "kim") == ["I like rain"]


async def test_what_the_place_does_not_open_stays(world: World) -> None:
    await world.remembers("ada", "I lead the team", CLOSED)
    assert (await world.reply("ada", "!memory undo", OPEN)).failed
    assert not (await world.reply("ada", "!memory undo", CLOSED)).failed


async def test_a_button_takes_back_what_it_stands_under_and_not_what_came_later(world: World) -> None:
    first = await world.reply("ada", "!memory remember I like tea")
    await world.remembers("ada", "I live in Oslo")
    assert (await presses(world, first)).text.startswith("Undone `remember`: this is forgotten.\n- [fact] I like tea")
    assert await held(world) == ["I live in Oslo"]


async def test_a_button_does_nothing_to_what_was_changed_since(world: World) -> None:
    first = await world.reply("ada", "!memory remember I like tea")
    await world.asks("ada", f"!memory edit {first.items[0].id} I like rain")
    assert await presses(world, first) == Reply(OUTDATED, failed=True)
    assert await held(world) == ["I like rain"]


async def test_a_button_in_another_s_hand_does_nothing(world: World) -> None:
    first = await world.reply("ada", "!memory remember I like tea")
    assert await presses(world, first, "kim") == Reply(OUTDATED, failed=True)
    assert await held(world) == ["I like tea"]


async def test_an_event_that_changed_no_item_cannot_be_undone(world: World) -> None:
    heard = await world.memory.heard("ada", "hello")
    asked = Invocation(heard.setting, heard.session)
    assert (await undo_change(world.assistant, asked, EventId(bytes(16)))).text == OUTDATED


@pytest.mark.parametrize(
    "command", ["", " at now", " search tea", " help", " forget rain", " restore durable-00000000"]
)
async def test_what_changed_nothing_has_nothing_to_undo(world: World, command: str) -> None:
    await world.remembers("ada", "I like tea")
    assert (await world.reply("ada", f"!memory{command}")).undo is None


async def test_what_a_model_made_of_it_and_was_reverted_is_not_what_it_goes_back_to(world: World) -> None:
    emus = await world.remembers("ada", "I like emus")
    await world.asks("ada", f"!memory edit {emus} I love emus")
    memory = world.memory
    (item,) = await memory.show("ada")
    person, origin = await memory.person("ada"), memory.origin()

    def misread(rows: Rows) -> list[Draft]:
        (row,) = (found.row for found in items_of(rows, person))
        changed = msgspec.structs.replace(item, text="Ada fears emus")
        said, by = row.said + 1, By("model", name="worse", version="1")
        return [Minter(rows, origin).draft(ItemUpserted(said=said, by=by, causes=(row.event,), item=changed))]

    (record,) = (await memory.record(misread)).records
    live = memory.engine.live

    def meant(rows: Rows) -> Plan:
        return plan(memory, rows, caused_by(rows, Reader(live), LogChronicle(live), record.seq))

    assert (await carry_out(memory, await memory.look(meant))).events == 1
    assert await held(world) == ["I love emus"]
    assert (await world.asks("ada", "!memory undo")).startswith("Undone `edit`: this says again what it said before.")
    assert await held(world) == ["I like emus"]
