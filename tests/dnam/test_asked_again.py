"""The same message asks again, as after a crash before its reply: whatever a command changes, it changes once.

What a command does goes by ids that are made from the message that asks. So it is known when it is asked again, also
where something else was done in between, and nothing is written.
"""

from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest

from dnam.commands.command import Invocation, Reply
from dnam.commands.done_before import DONE
from dnam.commands.parse import Call
from dnam.commands.table import COMMANDS, read, run
from dnam.erasing.person import erase
from dnam.whereabouts import LOCAL
from projections.decisions.draft import Origin, part
from projections.decisions.hear import message_identity
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.events.values import OPERATOR, Item
from projections.ids import Identity
from projections.items import ITEMS
from projections.policies.compartments import SELF
from replay.jobs import Job
from tests.dnam.test_commands import CLOSED, OPEN, World
from tests.world import NOW

TEA = "remember I like tea"
SUMMARY = "(a summary is made)"


class Case(NamedTuple):
    """A command; what was asked before it and, between its two times, after it. `{id}` is the item's that was kept.
    `recorded`: what it did lies in the log under ids made from the message; else nothing comes of it a second time.
    """

    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    place: PlaceSeen | None = None
    recorded: bool = True


CASES = {
    "remember": Case(TEA, after=("forget I like tea",)),
    "edit": Case("edit {id} I like rain", (TEA,), ("edit {id} I like snow",)),
    "forget": Case("forget I like tea", (TEA,), ("restore {id}",)),
    "restore": Case("restore {id}", (TEA, "forget {id}"), ("forget {id}",)),
    "share": Case("share {id}", (TEA,), ("keep-private {id}",)),
    "keep-private": Case("keep-private {id}", (TEA,), place=OPEN),
    "lore": Case("lore tea is at four", after=("forget tea is at four",), place=OPEN),
    "note": Case("note self be kind to all", after=("forget be kind to all",)),
    "undo": Case("undo", ("remember the first thing is roses", "remember the second one says tulips")),
    "reset rolling": Case("reset rolling", (SUMMARY,), (SUMMARY,)),
    "extract": Case("extract", recorded=False),
    "opt-out": Case("opt-out", after=("opt-in",)),
    "opt-in": Case("opt-in", ("opt-out",), ("opt-out",)),
    "erase": Case("erase", (TEA,), recorded=False),
    "redact": Case("redact local:m1", recorded=False),
    "erase-guild": Case("erase-guild", (TEA,), place=OPEN, recorded=False),
    "compact": Case("compact", (TEA,), recorded=False),
    "config": Case("config set me learn=none", after=("config set me learn=heard",)),
}


class Room(World):
    """Somebody who owns and manages everything, and whose messages have names."""

    def __init__(self) -> None:
        super().__init__()
        self.id = ""
        self.count = 0

    async def asked(self, key: str, place: PlaceSeen | None) -> Invocation:
        heard = await self.memory.heard("ada", "hello there", key="m1", place=place)
        return Invocation(
            heard.setting,
            heard.session,
            is_owner=True,
            manages_guild=True,
            account=Account(LOCAL, "ada"),
            has_buttons=True,
            request=request(key),
        )

    async def does(self, text: str, place: PlaceSeen | None = None, key: str = "") -> Reply:
        self.count += 1
        if text == SUMMARY:
            return await self.summarised()
        call = read(f"!memory {text.format(id=self.id)}")
        assert isinstance(call, Call)
        reply = await run(self.assistant, await self.asked(key or f"other {self.count}", place), call)
        self.id = self.id or next((each.id for each in reply.items), "")
        return reply

    async def summarised(self) -> Reply:
        heard = await self.says("ada", f"The release is on Friday, by {self.count}.")
        await self.assistant.summarise(heard.session, heard.setting.audience, heard.person)
        return Reply(SUMMARY)

    @property
    def size(self) -> int:
        return self.memory.engine.head().size

    def items(self) -> list[Item]:
        with self.memory.engine.reading() as rows:
            return [found.row.item for found in rows.scan(ITEMS)]


def request(key: str) -> Identity:
    return message_identity(LOCAL, key, "asked", NOW)


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    made = Room()
    yield made
    made.memory.engine.close()


def test_every_command_that_changes_something_has_a_case() -> None:
    assert CASES.keys() == {each.name for each in COMMANDS if each.changes}


@pytest.mark.parametrize("name", CASES)
async def test_what_is_done_is_not_done_again(room: Room, name: str) -> None:
    case = CASES[name]
    for each in case.before:
        await room.does(each, case.place)
    await room.asked("", case.place)
    size = room.size
    first = await room.does(case.text, case.place, "asks")
    assert (room.size > size) == (case.recorded or name in ("extract", "redact"))
    for each in case.after:
        size = room.size
        assert not (await room.does(each, case.place)).failed
        assert room.size > size
    size, items = room.size, room.items()
    again = await room.does(case.text, case.place, "asks")
    assert (room.size, room.items()) == (size, items)
    if case.recorded:
        assert not first.failed
        assert again.text.partition("\n")[0] == DONE.format(prefix="!memory", name=name)


async def test_it_is_told_what_it_left_as_far_as_that_stands(room: Room) -> None:
    first = await room.does(TEA, key="asks")
    again = await room.does(TEA, key="asks")
    assert (again.items, again.undo) == (first.items, first.undo)
    assert again.text.endswith(f"\n- [fact] I like tea `{room.id}`")
    await room.does("edit {id} I like rain")
    stale = await room.does(TEA, key="asks")
    assert (stale.items, stale.undo) == ((), None)
    assert "\n" not in stale.text


async def test_what_its_place_does_not_show_is_not_told(room: Room) -> None:
    await room.does(TEA, OPEN, "asks")
    assert (await room.does(TEA, CLOSED, "asks")).items  # their own of the server, shown there too
    assert (await room.does("keep-private {id}", OPEN, "hides")).items
    assert (await room.does("keep-private {id}", OPEN, "hides")).items == ()


async def test_another_message_that_asks_the_same_is_another(room: Room) -> None:
    await room.does(TEA, key="one")
    await room.does(TEA, key="two")
    assert [each.source_count for each in room.items()] == [2]


async def test_who_asks_without_a_message_asks_anew_each_time(room: Room) -> None:
    for _ in range(2):
        asked = (await room.asked("", None))._replace(request=None)
        call = read(f"!memory {TEA}")
        assert call is not None
        await run(room.assistant, asked, call)
    assert [each.source_count for each in room.items()] == [2]


async def test_what_one_undo_takes_back_is_recorded_in_one_commit(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """No crash comes between the items of one act: what is left of it would be done never, or by the next undo."""
    for place in (None, OPEN):
        await room.does(TEA, place)
    assert len((await room.does("forget {id}")).items) == 2
    written = list[Job]()

    def handed_in(job: Job) -> None:
        written.append(job)
        hand_in(job)

    hand_in = room.memory.engine.hand_in
    monkeypatch.setattr(room.memory.engine, "hand_in", handed_in)
    first = await room.does("undo", key="asks")
    assert len(first.items) == 2
    assert sum(bool(each.result().records) for each in written) == 1
    again = await room.does("undo", key="asks")
    assert again.text.startswith("`!memory undo` is done: ")
    assert set(again.items) == set(first.items)
    assert sum(bool(each.result().records) for each in written) == 1


async def test_the_library_returns_what_came_of_it_then(room: Room) -> None:
    """Whoever builds their own commands has the same, by an origin of their platform's."""
    first = await room.memory.remember("ada", "I like tea", origin=Origin(request("a")))
    assert await room.memory.remember("ada", "I like tea", origin=Origin(request("a"))) == first
    for _ in range(2):
        (edited,) = await room.memory.edit("ada", first.id, "I like rain", origin=Origin(request("b")))
        assert edited.text == "I like rain"
        (shared,) = await room.memory.share("ada", first.id, origin=Origin(request("c")))
        assert shared.source_count == 1
        (gone,) = await room.memory.forget("ada", id=first.id, origin=Origin(request("d")))
        assert gone.status == "forgotten"
    note = await room.memory.remember_nobodys(SELF, "be kind", by=OPERATOR, origin=Origin(request("e")))
    assert await room.memory.remember_nobodys(SELF, "be kind", by=OPERATOR, origin=Origin(request("e"))) == note
    await erase(room.memory, await room.memory.person("ada"))
    with pytest.raises(BadRequest, match="done before, and is gone since"):
        await room.memory.remember("kim", "I like tea", origin=Origin(request("a")))


def test_each_decision_of_a_request_has_ids_of_its_own() -> None:
    for origin in (Origin(request("a")), Origin(seed=bytes(32))):
        parts = [part(origin, number) for number in range(3)]
        assert parts[0] == origin
        assert len(set(parts)) == 3
