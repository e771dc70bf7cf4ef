"""Every command, run in front of everybody while its person has private items and no room left: no reply tells of one.

A cap is a person's over all of their compartments, and an id, a word or an undo may mean something that lies elsewhere.
So each command of the table, each menu and each button is tried in an open channel, in several ways, by somebody with
items in their direct messages, in a restricted channel, and forgotten ones. The reply, and the ids of the items that it
is about, are held against the words and ids of all that is not told there.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

import pytest

from dnam.commands import table
from dnam.commands.command import Invocation, Reply
from dnam.commands.picking import STATUSES, Act, act_on, offer, preview, token
from dnam.commands.pointing import Menu, Pointed
from dnam.commands.undo import undo_change
from projections.durable import Sought
from projections.ids import Ref
from tests.dnam.scripted import ScriptedModel, settings
from tests.privacy.town import CANARY, GARDEN, Town, extraction, ref, town

CAP = 7
TEA, GREEN = "I like tea", "I like the garden"
TYPED: Mapping[str, tuple[str, ...]] = {
    "show": ("show",),
    "search": ("search jars", "search jars --all --explain", "search {word}"),
    "at": ("at now", "at 1 day ago"),
    "history": ("history {private}", "history {public}", "history {twin}"),
    "remember": ("remember I keep a heron and a pump", "remember {same}", "remember I like tea"),
    "edit": ("edit {private} I keep owls", "edit {public} {same}", "edit {twin} I keep owls"),
    "forget": ("forget {private}", "forget {same}", "forget jars", "forget {public}", "forget {twin}"),
    "restore": ("restore {private}", "restore {hidden}", "restore {gone}", "restore {older}"),
    "share": ("share {private}", "share {public}", "share {twin}"),
    "keep-private": ("keep-private {private}", "keep-private {public}", "keep-private {twin}"),
    "lore": ("lore", "lore the gate opens at nine"),
    "note": ("note me I keep a heron and a pump", "note guild the gate opens at nine", "note owner I keep a pump"),
    "undo": ("undo",),
    "reset rolling": ("reset rolling",),
    "extract": ("extract",),
    "export": ("export",),
    "opt-out": ("opt-out",),
    "opt-in": ("opt-in",),
    "erase": ("erase",),
    "redact": ("redact {private}", "redact discord:m1"),
    "erase-guild": ("erase-guild",),
    "compact": ("compact",),
    "costs": ("costs",),
    "config": ("config", "config set me learn=none", "config unset me learn"),
    "help": ("help",),
}
"""How each command is typed. `private` and `hidden` are ids of what lies in direct messages, the second forgotten;
`public` of what lies here, `gone` of what was forgotten here, and `older` of what made room after that; `twin` is one
of what lies there and of what lies here. `word` and `same` are the words of something private.
"""
BEFORE = ("", "forget {public}", "share {public}", "keep-private {public}", "keep-private {twin}", "restore {older}")
"""What was done there just before: what `undo` and the button take back."""


class Filled(NamedTuple):
    """A town in which Kim has as many items as there may be; what stands in what is typed for their ids and words; what
    is not told in the channel, and what is not told to Kim alone either, who cannot read the attic by now. `opened` are
    the compartments of the channel and of Kim's direct messages, and `told` is what was held where it was told.
    """

    made: Town
    names: Mapping[str, str]
    secret: frozenset[str]
    closed: frozenset[str]
    opened: frozenset[str]
    told: set[str]

    async def asked(self, *, alone: bool) -> Invocation:
        """Kim, who owns the bot, in the open channel. `alone`: nobody else sees the reply."""
        here, direct = await self.made.here("kim", "general"), await self.made.here("kim", "dm kim")
        eyes = direct.setting if alone else None
        return Invocation(here.setting, here.session, is_owner=True, manages_guild=True, eyes=eyes)

    async def types(self, text: str, *, alone: bool = False) -> Reply:
        """What is replied, which tells nothing that is not told there."""
        typed = text.format_map(self.names)
        call = table.read(f"!memory {typed}")
        assert call is not None
        reply = await table.run(self.made.assistant, await self.asked(alone=alone), call)
        return await self.holds(reply, typed, alone=alone)

    async def holds(self, reply: Reply, typed: str = "", *, alone: bool = False) -> Reply:
        """Nothing is in it that is not told there, but what was typed. What was brought back there is told again."""
        said = f"{reply.text} {' '.join(each.id for each in reply.items)}"
        where = self.opened if alone else self.opened - {f"person/{(await self.made.handle('kim')).hex()}/direct"}
        held = [each for each in await self.made.items("kim") if each.compartment in where]
        self.told.update(word for each in held for word in (each.id, *CANARY.findall(each.text)))
        secret = self.closed if alone else self.secret
        leaks = {each for each in secret - self.told if each in said and each not in typed}
        assert not leaks, (typed, reply.text, leaks)
        return reply

    async def presses(self, reply: Reply, *, alone: bool = False) -> Reply:
        """The button of a reply."""
        assert reply.undo is not None
        asked = await self.asked(alone=alone)
        return await self.holds(await undo_change(self.made.assistant, asked, reply.undo), alone=alone)


@asynccontextmanager
async def filled() -> AsyncIterator[Filled]:
    """What is private is the oldest, so that it makes room."""
    model = ScriptedModel(
        {"answer": lambda _: "I see", "extraction": extraction, "summary": lambda _: "They spoke of jars"}
    )
    async with town({"learn": "heard", "durable_max_items": str(CAP)}, model) as made:
        names = {"same": "I keep my jars in the zqbarnqz", "word": "zqbarnqz"}
        for name, place, text in (
            ("older", "general", "I used to like zqolderqz"),
            ("gone", "general", "I used to like zqgoneqz"),
            ("hidden", "dm kim", "I was once in zqjailqz"),
            ("private", "dm kim", "I am treated for zqillqz"),
            ("closed", "attic", names["same"]),
            ("twin", "dm kim", TEA),
            ("public", "general", GREEN),
        ):
            names[name] = await _kept(made, place, text)
        for place, text in (
            ("general", "forget {older}"), ("general", "forget {gone}"), ("dm kim", "forget {hidden}"),
            ("dm kim", "edit {twin} I drink zqginqz"),
        ):  # fmt: skip
            assert not (await made.command("kim", place, text.format_map(names))).failed
        assert await _kept(made, "general", TEA) == names["twin"]
        await made.hears("kim", "general", "I like jars named zqjarqz", "m1", addressed=False)
        made.reading = False
        closed = frozenset({names["closed"], names["word"]})
        private = closed.union(names[each] for each in ("hidden", "private", "gone", "older"))
        private |= {"zqolderqz", "zqgoneqz", "zqjailqz", "zqillqz", "zqginqz"}
        kim = (await made.handle("kim")).hex()
        here = frozenset({f"guild/{ref(GARDEN)}", f"person/{kim}/everywhere", f"person/{kim}/direct"})
        yield Filled(made, names, private, closed, here, set())


async def _kept(made: Town, place: str, text: str) -> str:
    reply = await made.command("kim", place, f"remember {text}")
    assert not reply.failed, reply.text
    return reply.items[0].id


def test_every_command_is_tried() -> None:
    assert TYPED.keys() == {each.name for each in table.COMMANDS}


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("name", TYPED)
async def test_no_reply_tells_what_not_every_reader_of_it_may_see(name: str, before: str, alone: bool) -> None:
    for text in TYPED[name]:
        async with filled() as there:
            if before:
                await there.types(before)
            reply = await there.types(text, alone=alone)
            for _ in range(2):
                if reply.undo is not None:
                    reply = await there.presses(reply, alone=alone)


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("act", STATUSES)
async def test_no_menu_offers_what_is_not_told_there_and_none_tells_it_once_it_is_chosen(act: Act, alone: bool) -> None:
    """In Discord a menu is for who asked alone; this is so wherever it is read. What can be brought back is offered."""
    async with filled() as there:
        memory, asked = there.made.memory, await there.asked(alone=alone)
        scoring, said = memory.limits().scoring, Sought("", "", memory.now(), memory.vocabulary)
        found = await memory.look(lambda rows: offer(rows, asked, act, said, scoring).items)
        assert {each.id for each in found} == await _offered(there, act, alone=alone)
        if act == "restore":
            there.told.update(word for each in found for word in (each.id, *CANARY.findall(each.text)))
        await there.holds(Reply(preview(found, act), found), alone=alone)
        await there.holds(await act_on(there.made.assistant, asked, map(token, found), act), alone=alone)


async def _offered(there: Filled, act: Act, *, alone: bool) -> set[str]:
    kept = [each for each in await there.made.items("kim", *STATUSES[act]) if each.compartment in there.opened]
    return {each.id for each in kept if alone or not each.compartment.endswith("/direct")}


@pytest.mark.parametrize("menu", table.MENUS)
@pytest.mark.parametrize("alone", [False, True])
async def test_no_menu_of_a_message_tells_what_is_not_told_there(menu: Menu, alone: bool) -> None:
    async with filled() as there:
        made, said = there.made, there.made.messages[0].request
        heard = await made.hears("kim", "general", "and what of the jars?", "m2", addressed=False)
        thought = await made.assistant.think(heard)
        turn = await made.memory.answered(heard, thought.context, thought.text, call=thought.use)
        await made.memory.delivered(heard, turn, [Ref("discord", "a1")])
        message = Ref("discord", said.key if menu.changes else "a1")
        pointed = Pointed(message, said.said, said.text, by_asker=True)
        asked = await there.asked(alone=alone)
        reply = await there.holds(await table.point(there.made.assistant, asked, menu, pointed), alone=alone)
        assert not reply.failed


# -- and this is no idle trial -----------------------------------------------------------------------------------------


async def test_what_makes_room_elsewhere_is_only_counted_in_front_of_others() -> None:
    """First what was forgotten goes, then what is oldest: in direct messages, in the attic, here, and there."""
    async with filled() as there:
        told = []
        for word in ("heron", "kettle", "pump", "spade", "rake", "lamp"):
            reply = await there.types(f"remember I keep a {word}")
            told.append(reply.text.splitlines()[-1].removeprefix("To make room for it, 1 older item went"))
        here, untold = f": {GREEN} (`{there.names['public']}`)", " that is not told here"
        assert told == [f"{each}. They can be restored." for each in (*(untold,) * 4, here, untold)]


async def test_where_nobody_reads_along_it_is_told_as_far_as_who_asks_may_see_it() -> None:
    async with filled() as there:
        told = []
        for word in ("heron", "kettle", "pump", "spade"):
            reply = await there.types(f"remember I keep a {word}", alone=True)
            told.append(reply.text.splitlines()[-1].removeprefix("To make room for it, 1 older item went"))
        gone, jail, ill = (f": {{}} (`{there.names[each]}`)" for each in ("gone", "hidden", "private"))
        assert [each.removesuffix(". They can be restored.") for each in told] == [
            gone.format("I used to like zqgoneqz"),
            jail.format("I was once in zqjailqz"),
            ill.format("I am treated for zqillqz"),
            " that is not told here",
        ]


async def test_of_many_that_make_room_those_are_told_that_may_be_and_the_rest_is_counted() -> None:
    async with filled() as there:
        there.made.memory.settings = settings(durable_max_items="1")
        reply = await there.types("remember I keep a heron")
        tea, garden = (f"{text} (`{there.names[each]}`)" for each, text in (("twin", TEA), ("public", GREEN)))
        assert reply.text.splitlines()[-1] == (
            f"To make room for it, 7 older items went: {garden}; {tea}; and 5 that are not told here. "
            "They can be restored."
        )
