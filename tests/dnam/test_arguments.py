"""What the library is handed by a program that no checker of types has seen is refused in words, and not recorded."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timezone
from pathlib import Path
from typing import Any, cast

import pytest

from dnam import Memory
from dnam.erasing.person import erase
from dnam.errors import Unknown
from dnam.whereabouts import Heard
from projections.decisions.draft import Decision, Draft, Origin
from projections.decisions.meet import Account, meet
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.events import PersonOptedOut
from projections.events.values import OPERATOR, By, Item
from projections.ids import NOBODY, EventId, Handle, Ref
from projections.items import items_of
from projections.policies.compartments import SELF
from projections.rows import Rows
from replay.group import Recorded
from tests.dnam.scripted import FakeClock
from tests.world import NOW

DIRECT = PlaceSeen("local", "", "direct", "", "direct")
ROOM = PlaceSeen("local", "7", "thread", "", "guild")
Asking = Callable[[Memory, Any], Awaitable[object]]
OF_A_PERSON: dict[str, Asking] = {
    "show": lambda memory, user: memory.show(user),
    "recall": lambda memory, user: memory.recall(user, "tea"),
    "search": lambda memory, user: memory.search(user, "tea"),
    "remember": lambda memory, user: memory.remember(user, "likes rain"),
    "forget": lambda memory, user: memory.forget(user, "the owner's note"),
    "edit": lambda memory, user: memory.edit(user, "durable-00000000", "likes rain"),
    "restore": lambda memory, user: memory.restore(user, "durable-00000000"),
    "share": lambda memory, user: memory.share(user, "durable-00000000"),
    "keep_private": lambda memory, user: memory.keep_private(user, "durable-00000000"),
    "person": lambda memory, user: memory.person(user, make=True),
}


async def opted_out(memory: Memory, *users: str) -> None:
    """From now on nothing of theirs is recorded."""

    def decide(rows: Rows) -> list[Draft]:
        hashes = tuple(rows.ids.keyed_hash("local", each) for each in users)
        return [Draft(EventId(b"o" * 16), PersonOptedOut(said=NOW, by=OPERATOR, hashes=hashes))]

    await memory.record(decide)


@pytest.mark.parametrize("name", OF_A_PERSON)
async def test_who_is_nobody_has_nothing_and_gets_nothing(tmp_path: Path, name: str) -> None:
    """`heard.person` of two who opted out is the same: what is nobody's, as the owner's notes, is neither's."""
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.remember_nobodys(SELF, "the owner's note", by=By("operator"))
        await opted_out(memory, "zed", "yan")
        heard = await memory.heard("zed", "a secret")
        assert heard.person == NOBODY
        size = memory.engine.head().size
        with pytest.raises(Unknown, match="asked that nothing of theirs is kept"):
            await OF_A_PERSON[name](memory, heard.person)
        assert memory.engine.head().size == size
        assert [item.text for item in await memory.nobodys(SELF)] == ["the owner's note"]


@pytest.mark.parametrize("name", OF_A_PERSON)
async def test_a_handle_that_nobody_has_is_nobody_s(tmp_path: Path, name: str) -> None:
    """As one that a program made up, or kept of somebody who was erased since: no item is of somebody unknown."""
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("ada", "hello")
        size = memory.engine.head().size
        with pytest.raises(Unknown, match="this handle is nobody's: whoever it was taken from is not known here"):
            await OF_A_PERSON[name](memory, Handle(b"somebody unknown"))
        assert memory.engine.head().size == size


async def test_nothing_is_kept_for_who_is_erased_while_it_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        person = await memory.person("ada", make=True)
        record = memory.record

        async def later(decision: Decision) -> Recorded:
            monkeypatch.undo()
            await erase(memory, person)
            return await record(decision)

        monkeypatch.setattr(memory, "record", later)
        with pytest.raises(Unknown, match="this handle is nobody's"):
            await memory.remember(person, "likes rain")
        assert await memory.look(lambda rows: list(items_of(rows, person))) == []


@pytest.mark.parametrize("name", OF_A_PERSON)
@pytest.mark.parametrize(
    ("user", "why"),
    [
        (None, "`user` is a string, not None"),
        (5, "`user` is a string, not int"),
        ("", "`user` is empty"),
        (b"x", "a handle has 16 bytes, not 1; a platform's id is a string"),
    ],
)
async def test_who_cannot_be_anybody_is_refused(tmp_path: Path, name: str, user: object, why: str) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        with pytest.raises(BadRequest, match=why):
            await OF_A_PERSON[name](memory, user)
        assert memory.engine.head().size == 0


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"user": 5}, "`user` is a string, not int"),
        ({"user": ""}, "`user` is empty"),
        ({"text": None}, "`text` is a string, not None"),
        ({"text": b"hello"}, "`text` is a string, not bytes"),
        ({"name": None}, "`name` is a string, not None"),
        ({"key": 1174110000000000000}, "`key` is a string, not int"),
        ({"key": "a\ud800b"}, "`key` has half a character"),
        ({"platform": None}, "`platform` is a string, not None"),
        ({"platform": ""}, "`platform` is empty"),
        ({"platform": "a\ud800b"}, "`platform` has half a character"),
        ({"said": 1.5}, "`said` is a whole number, not float"),
        ({"said": True}, "`said` is a whole number, not bool"),
        ({"said": datetime(2026, 3, 6, tzinfo=UTC)}, "`said` is a whole number, not datetime"),
        ({"addressed": None}, "`addressed` is a bool, not None"),
        ({"place": "general"}, "`place` is a PlaceSeen, not str"),
        ({"place": DIRECT}, "`place.partner` is missing: a direct conversation is somebody's"),
        ({"place": DIRECT._replace(partner=cast(Account, "ada"))}, "`place.partner` is an Account, not str"),
        ({"place": DIRECT._replace(partner=Account("local", cast(str, 7)))}, "`place.partner.id` is a string, not int"),
        (
            {"place": DIRECT._replace(partner=Account("local", "kim", "Kim"))},
            "`place.partner` is local:kim and `user` is local:ada: in a direct conversation nobody else speaks",
        ),
        (
            {"place": DIRECT._replace(partner=Account("discord", "ada", "Ada"))},
            "`place.partner` is discord:ada and `user` is local:ada",
        ),
        ({"place": ROOM._replace(guild=cast(Ref, "9"))}, "`place.guild` is a Ref, not str"),
        ({"place": ROOM._replace(guild=Ref("local", cast(str, 9)))}, "`place.guild.key` is a string, not int"),
        ({"place": ROOM._replace(parent=cast(Ref, 7))}, "`place.parent` is a Ref, not int"),
    ],
    ids=repr,
)
async def test_what_is_no_message_is_refused(tmp_path: Path, given: dict[str, Any], why: str) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        with pytest.raises(BadRequest, match=why):
            await memory.heard(**{"user": "ada", "text": "hello", **given})
        assert memory.engine.head().size == 0


async def test_nobody_speaks_in_somebody_else_s_direct_conversation(tmp_path: Path) -> None:
    """It would be told to who speaks there; but another account of the same person's is no other person."""
    place = DIRECT._replace(partner=Account("local", "ada", "Ada"))
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        ada = await memory.heard("ada", "my secret", place=place)
        with pytest.raises(BadRequest, match="nobody else speaks"):
            await memory.heard("bob", "and mine", place=place)
        origin = Origin(seed=b"s" * 32, now=NOW)
        other = Account("local", "ada2", "Ada")
        await memory.record(lambda rows: meet(rows, other, origin, (), NOW, ada.person))
        again = await memory.heard("ada2", "hello again", place=place)
        assert (again.session, again.person) == (ada.session, ada.person)


async def answering(memory: Memory, heard: Heard, wrong: Any) -> object:
    return await memory.answered(heard, await memory.context(heard), wrong)


@pytest.mark.parametrize(
    ("asking", "name"),
    [
        (lambda memory, heard, item, wrong: answering(memory, heard, wrong), "text"),
        (lambda memory, heard, item, wrong: memory.remember("ada", wrong), "text"),
        (lambda memory, heard, item, wrong: memory.remember(heard.person, wrong), "text"),
        (lambda memory, heard, item, wrong: memory.forget("ada", wrong), "needle"),
        (lambda memory, heard, item, wrong: memory.forget("ada", id=wrong), "id"),
        (lambda memory, heard, item, wrong: memory.edit("ada", item.id, wrong), "text"),
        (lambda memory, heard, item, wrong: memory.edit("ada", wrong, "likes rain"), "id"),
        (lambda memory, heard, item, wrong: memory.restore("ada", wrong), "id"),
        (lambda memory, heard, item, wrong: memory.share("ada", wrong), "id"),
        (lambda memory, heard, item, wrong: memory.keep_private("ada", wrong), "id"),
        (lambda memory, heard, item, wrong: memory.recall("ada", wrong), "text"),
        (lambda memory, heard, item, wrong: memory.search("ada", wrong), "text"),
        (lambda memory, heard, item, wrong: memory.show("ada", platform=wrong), "platform"),
    ],
)
@pytest.mark.parametrize("wrong", [None, b"bytes"])
async def test_what_is_no_text_is_refused(
    tmp_path: Path, asking: Callable[[Memory, Heard, Item, Any], Awaitable[object]], name: str, wrong: object
) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        heard, item = await memory.heard("ada", "hello"), await memory.remember("ada", "likes tea")
        size = memory.engine.head().size
        with pytest.raises(BadRequest, match=f"`{name}` is a string, not "):
            await asking(memory, heard, item, wrong)
        assert memory.engine.head().size == size


async def test_a_time_without_a_zone_is_this_machine_s(tmp_path: Path) -> None:
    clock = FakeClock()
    async with Memory.open(tmp_path, clock=clock) as memory:
        await memory.remember("ada", "likes tea")
        then = datetime.fromtimestamp(clock.time / 1000, UTC)
        local = then.astimezone().replace(tzinfo=None)
        assert await memory.show("ada", at=local) == await memory.show("ada", at=then) != []
        assert await memory.show("ada", at=datetime(1, 1, 1, tzinfo=timezone.min)) == []
        with pytest.raises(BadRequest, match="give it a zone"):
            await memory.show("ada", at=datetime(1, 1, 1))  # noqa: DTZ001 - that it has none is the test


async def test_a_handle_as_it_stands_in_what_was_heard_is_taken(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        heard = await memory.heard("ada", "hello")
        await memory.remember(Handle(bytes(heard.person)), "likes tea")
        assert [item.text for item in await memory.show(heard.person)] == ["likes tea"]
