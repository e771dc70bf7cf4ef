"""Where things may be told, as people say it: share, keep private, lore, notes, and *Remember this* of others."""

import asyncio
import re
from collections.abc import AsyncIterator
from functools import partial

import pytest

from dnam.commands.command import Invocation, Reply
from dnam.commands.forget_lore import NOT_EDITED
from dnam.commands.keep_others import NO_PERSON, TAKEN_BACK, UNHEARD, UNWILLING
from dnam.commands.lore import NO_LORE, NO_SERVER, NOT_MANAGING, NOT_OWNER, NOT_OWNER_SELF, NOT_PRIVATE
from dnam.commands.picking import completions
from dnam.commands.pointing import Pointed
from dnam.commands.sharing import NOT_KEPT, NOT_SHARED
from dnam.commands.table import MENUS, point, read, run
from dnam.commands.undo import undo_change
from dnam.consenting import consent
from dnam.scopes import set_config
from dnam.whereabouts import Heard
from projections.config import Scope
from projections.decisions.audience import AudienceRequest, change_audience
from projections.decisions.delete import DeletedRequest, delete
from projections.decisions.draft import Draft
from projections.decisions.hear import message_identity
from projections.decisions.place import PlaceSeen
from projections.events import Event, MessageHeard
from projections.events.values import OPERATOR, PLATFORM, AudienceKind, Evidence, Message
from projections.ids import NOBODY, Handle, Ref
from projections.items import items_of
from projections.policies.compartments import OWNER, SELF
from projections.rows import Rows
from replay.erasure import erase
from tests.dnam.discord.stage import events
from tests.dnam.test_pointing import GUILD, OPEN, STAFF, Talk
from tests.world import NOW

GARDEN = f"guild/{GUILD}"
BOTH: tuple[AudienceKind, ...] = ("channel", "guild")


class Town(Talk):
    """People who ask with more rights than most."""

    async def asks_as(
        self, user: str, text: str, place: PlaceSeen | None = None, *, manages: bool = False, owner: bool = False
    ) -> Reply:
        heard, _ = await self.speaks(user, "hello", place)
        setting = heard.setting
        if owner and setting.audience.kind == "direct":
            setting = setting._replace(besides=(OWNER,))
        call = read(text)
        assert call is not None
        asked = Invocation(setting, heard.session, manages_guild=manages, is_owner=owner)
        return await run(self.assistant, asked, call)

    async def keeps(self, user: str, text: str, place: PlaceSeen | None = None) -> str:
        return (await self.asks_as(user, f"!memory remember {text}", place)).items[0].id

    async def places(self, owner: Handle) -> list[str]:
        found = await self.memory.look(lambda rows: [each.row.item for each in items_of(rows, owner)])
        return sorted(each.compartment for each in found if each.status == "active")

    async def undoes(self, user: str, reply: Reply, place: PlaceSeen | None = None) -> Reply:
        heard, _ = await self.speaks(user, "hello", place)
        assert reply.undo is not None
        return await undo_change(self.assistant, Invocation(heard.setting, heard.session), reply.undo)

    async def others(self, heard: Heard, pointed: Pointed) -> Reply:
        asked = Invocation(heard.setting, heard.session)
        return await point(self.assistant, asked, MENUS[0], pointed._replace(by_asker=False))


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    made = Town()
    yield made
    made.memory.engine.close()


class TestSharing:
    async def test_what_was_told_in_private_is_told_elsewhere_once_it_is_shared(self, town: Town) -> None:
        item = await town.keeps("ada", "I like tea")
        heard, _ = await town.speaks("ada", "hm", OPEN)
        assert "tea" not in (await town.asks_as("ada", "!memory show", OPEN)).text
        reply = await town.asks_as("ada", f"!memory share {item}")
        assert reply.text == (
            "Shared: I like tea\nIt may be told wherever I answer you, in front of whoever reads along there. "
            f"(`{item}`; `!memory keep-private` is the other way)"
        )
        assert "I like tea" in (await town.asks_as("ada", "!memory show", OPEN)).text
        assert (await town.asks_as("ada", f"!memory share {item}")).text == f"`{item}` is shared already."
        assert await town.places(heard.person) == [f"person/{heard.person.hex()}/everywhere"]

    async def test_kept_private_it_is_told_in_direct_messages_alone(self, town: Town) -> None:
        item = await town.keeps("ada", "I like tea", OPEN)
        heard, _ = await town.speaks("ada", "hm")
        reply = await town.asks_as("ada", f"!memory keep-private {item}", OPEN)
        assert reply.text.startswith("Kept private: I like tea\nIt stays in your direct messages. (")
        assert "tea" not in (await town.asks_as("ada", "!memory show", OPEN)).text
        assert "tea" in (await town.asks_as("ada", "!memory show")).text
        again = await town.asks_as("ada", f"!memory keep-private {item}")
        assert again.text == f"`{item}` is kept in your direct messages already."
        assert await town.places(heard.person) == [f"person/{heard.person.hex()}/direct"]

    async def test_nobody_moves_what_the_place_does_not_open(self, town: Town) -> None:
        item = await town.keeps("ada", "I like tea")
        for user, place in (("ada", OPEN), ("kim", None)):
            for command in ("share", "keep-private"):
                reply = await town.asks_as(user, f"!memory {command} {item}", place)
                assert (reply.failed, reply.text[:21]) == (True, "There is no item `dur")

    async def test_a_share_is_undone_where_it_was_made(self, town: Town) -> None:
        item = await town.keeps("ada", "I like tea", OPEN)
        heard, _ = await town.speaks("ada", "hm")
        shared = await town.asks_as("ada", f"!memory share {item}", OPEN)
        reply = await town.undoes("ada", shared, OPEN)
        assert reply.text.startswith("Undone `share`: this is told again where it was told before")
        assert await town.places(heard.person) == [GARDEN]
        assert (await town.undoes("ada", reply, OPEN)).text.startswith("Undone `keep-private`")
        assert await town.places(heard.person) == [f"person/{heard.person.hex()}/everywhere"]

    async def test_what_was_taken_out_of_a_place_comes_back_into_it(self, town: Town) -> None:
        item = await town.keeps("ada", "I like tea", OPEN)
        heard, _ = await town.speaks("ada", "hm")
        await town.keeps("ada", "I like rain")
        hidden = await town.asks_as("ada", f"!memory keep-private {item}", OPEN)
        assert (await town.undoes("ada", hidden, STAFF)).text.startswith("Undone `keep-private`")
        assert await town.places(heard.person) == [GARDEN, f"person/{heard.person.hex()}/direct"]

    async def test_elsewhere_it_is_not_known_what_was_hidden(self, town: Town) -> None:
        item = await town.keeps("ada", "I like tea", STAFF)
        hidden = await town.asks_as("ada", f"!memory keep-private {item}", STAFF)
        assert (await town.undoes("ada", hidden, OPEN)).failed


class TestLore:
    async def test_who_manages_the_server_adds_and_everybody_there_is_told(self, town: Town) -> None:
        reply = await town.asks_as("ada", "!memory lore We meet on Fridays", OPEN, manages=True)
        assert reply.text.startswith("Remembered: We meet on Fridays\nIt is lore: everybody")
        assert [item.owner for item in reply.items] == [NOBODY]
        assert "We meet on Fridays" in (await town.asks_as("kim", "!memory show", STAFF)).text
        listed = (await town.asks_as("kim", "!memory lore", OPEN)).text
        assert listed.startswith("**Lore of this server:** 1")
        assert "Fridays" not in (await town.asks_as("kim", "!memory show")).text

    @pytest.mark.parametrize(
        ("text", "place", "rights", "words"),
        [
            ("lore x is y", OPEN, {}, NOT_MANAGING),
            ("lore x is y", None, {"manages": True}, NO_SERVER),
            ("lore", None, {}, NO_SERVER),
            ("note guild x is y", OPEN, {"owner": True}, NOT_MANAGING),
            ("note lore: x is y", None, {"manages": True}, NO_SERVER),
            ("note self x is y", None, {}, NOT_OWNER_SELF),
            ("note owner x is y", None, {}, NOT_OWNER),
            ("note private x is y", OPEN, {"owner": True}, NOT_PRIVATE),
            ("note mars x is y", OPEN, {"owner": True}, "There is no namespace of this name: me, guild, self, owner."),
        ],
    )
    async def test_a_refusal_says_why(
        self, town: Town, text: str, place: PlaceSeen | None, rights: dict[str, bool], words: str
    ) -> None:
        assert await town.asks_as("ada", f"!memory {text}", place, **rights) == Reply(words, failed=True)

    async def test_there_may_be_none_yet(self, town: Town) -> None:
        assert (await town.asks_as("ada", "!memory lore", OPEN)).text == NO_LORE

    async def test_each_namespace_goes_where_it_belongs(self, town: Town) -> None:
        heard, _ = await town.speaks("ines", "hm")
        for name in ("me", "self", "owner"):
            await town.asks_as("ines", f"!memory note {name} I am noted for {name}", owner=True)
        await town.asks_as("ines", "!memory note guild We are noted too", OPEN, manages=True)
        assert await town.places(heard.person) == [f"person/{heard.person.hex()}/direct"]
        assert await town.places(NOBODY) == [GARDEN, OWNER, SELF]
        seen = (await town.asks_as("ines", "!memory show", owner=True)).text
        assert "noted for owner" in seen
        assert "noted for self" in seen
        others = (await town.asks_as("kim", "!memory show")).text
        assert re.search(r"noted for self .*`durable-[0-9a-f]+`, about me$", others, re.M)
        assert "noted for owner" not in others

    async def test_who_may_take_it_back(self, town: Town) -> None:
        item = (await town.asks_as("ada", "!memory lore We meet on Fridays", OPEN, manages=True)).items[0].id
        assert f"`{item}`, lore" in (await town.asks_as("kim", "!memory show", OPEN)).text
        nothing = "No matching items found. That is lore of this server: it is taken back by who wrote it"
        assert (await town.asks_as("kim", f"!memory forget {item}", OPEN)).text.startswith(nothing)
        there = await town.asks_as("kim", f"!memory forget {item}", manages=True)
        assert there.text.startswith("No matching items found. I look for"), "not from a DM"
        edited = await town.asks_as("ada", f"!memory edit {item} We meet on Mondays", OPEN, manages=True)
        assert edited == Reply(NOT_EDITED, failed=True)
        reply = await town.asks_as("kim", f"!memory forget {item}", OPEN, manages=True)
        assert reply.text.startswith("Forgot 1 item(s).")
        assert reply.text.endswith("To take it back: `!memory restore <id>`")
        assert await town.places(NOBODY) == []
        assert (await town.asks_as("kim", "!memory undo", OPEN)).text.startswith("Undone `forget`")
        assert (await town.asks_as("ines", f"!memory forget {item}", OPEN, owner=True)).text.startswith("Forgot 1")

    @pytest.mark.parametrize("what", ["We meet on Fridays", "meet on fridays", "id"])
    async def test_it_is_taken_back_by_its_words_and_brought_back_by_its_id(self, town: Town, what: str) -> None:
        item = (await town.asks_as("ada", "!memory lore We meet on Fridays", OPEN, manages=True)).items[0].id
        asked = f"!memory forget {item if what == 'id' else what}"
        told = await town.asks_as("kim", asked, OPEN)
        assert told.text.startswith("No matching items found. That is lore of this server: it is taken back by who ")
        assert (await town.asks_as("ada", asked, OPEN)).text.startswith("Forgot 1 item(s).")
        assert await town.places(NOBODY) == []
        assert (await town.asks_as("kim", f"!memory restore {item}", OPEN)).failed
        back = await town.asks_as("ada", f"!memory restore {item}", OPEN)
        assert back.text == f"Restored: We meet on Fridays\n(`{item}`)"
        assert await town.places(NOBODY) == [GARDEN]
        assert (await town.undoes("ada", back, OPEN)).text.startswith("Undone `restore`: this is forgotten.")

    async def test_of_the_same_words_their_own_goes_first(self, town: Town) -> None:
        await town.asks_as("ada", "!memory lore We meet on Fridays", OPEN, manages=True)
        await town.keeps("ada", "We meet on Fridays", OPEN)
        assert (await town.asks_as("ada", "!memory forget We meet on Fridays", OPEN)).items[0].owner != NOBODY
        assert (await town.asks_as("ada", "!memory forget We meet on Fridays", OPEN)).items[0].owner == NOBODY

    @pytest.mark.parametrize("name", ["self", "owner"])
    async def test_the_owner_takes_notes_back_and_nobody_else(self, town: Town, name: str) -> None:
        item = (await town.asks_as("ines", f"!memory note {name} Answers come late", owner=True)).items[0].id
        told = (await town.asks_as("kim", "!memory forget Answers come late", OPEN, manages=True)).text
        assert ("my owner takes it back" in told) is (name == "self")
        assert (await town.asks_as("ines", "!memory forget Answers come late", owner=True)).text.startswith("Forgot 1")
        assert await town.places(NOBODY) == []
        assert (await town.asks_as("kim", f"!memory restore {item}", OPEN, manages=True)).failed
        assert (await town.asks_as("ines", f"!memory restore {item}", owner=True)).text.startswith("Restored: ")
        assert await town.places(NOBODY) == [name]

    async def test_what_is_of_somebody_s_words_only_they_bring_back(self, town: Town) -> None:
        _, pointed = await town.speaks("kim", "I grow pumpkins", OPEN)
        heard, _ = await town.speaks("ada", "hm", OPEN)
        item = (await town.others(heard, pointed)).items[0].id
        assert (await town.asks_as("kim", "!memory forget I grow pumpkins", OPEN)).text.startswith("Forgot 1")
        for rights in ({"manages": True}, {"owner": True}):
            assert (await town.asks_as("ines", f"!memory restore {item}", OPEN, **rights)).failed
        assert (await town.asks_as("kim", f"!memory restore {item}", OPEN)).text.startswith("Restored: ")

    async def test_it_is_said_where_it_comes_from_and_to_others_not_by_whom(self, town: Town) -> None:
        item = (await town.asks_as("ada", "!memory lore We meet on Fridays", OPEN, manages=True)).items[0].id
        for user, who in (("ada", "ada"), ("kim", "someone")):
            told = await town.asks_as(user, f"!memory history {item}", OPEN)
            lines = told.text.splitlines()
            assert lines[0] == f"**[fact] We meet on Fridays** `{item}` (active, in guild Garden)"
            assert f": remembered by {who}: " in lines[1]
            assert lines[2:] == ["  We meet on Fridays"]
            assert not told.failed
        elsewhere = await town.asks_as("kim", f"!memory history {item}")
        assert elsewhere.text.startswith("There is no item `durable-")

    async def test_its_id_completes_where_its_history_is_asked_for(self, town: Town) -> None:
        item = (await town.asks_as("ada", "!memory lore We meet on Fridays", OPEN, manages=True)).items[0].id
        for place, found in ((OPEN, [item]), (None, [])):
            heard, _ = await town.speaks("kim", "hm", place)
            asked = Invocation(heard.setting, heard.session)
            told = await town.memory.look(partial(completions, asked=asked, completes="any", typed="fridays"))
            assert [each.id for each in told] == found
        await town.asks_as("ada", f"!memory forget {item}", OPEN)
        heard, _ = await town.speaks("kim", "hm", OPEN)
        asked = Invocation(heard.setting, heard.session)
        assert await town.memory.look(partial(completions, asked=asked, completes="any", typed="")) == []

    async def test_what_it_quotes_is_what_everybody_there_may_read(self, town: Town) -> None:
        _, pointed = await town.speaks("kim", "I grow pumpkins", OPEN)
        heard, _ = await town.speaks("ada", "hm", OPEN)
        item = (await town.others(heard, pointed)).items[0].id
        told = (await town.asks_as("ines", f"!memory history {item}", OPEN)).text
        assert ": remembered by someone: " in told
        assert re.search(r"  > kim, .*: \"I grow pumpkins\"", told)
        gone = (await town.asks_as("kim", f"!memory forget {item}", OPEN)).text
        assert gone.startswith("Forgot 1")
        told = (await town.asks_as("ines", f"!memory history {item}", OPEN)).text
        assert told.startswith("There is no item `durable-"), "what was taken back is told to nobody there"

    async def test_of_notes_their_owner_is_told_whole_and_others_of_what_is_told_them(self, town: Town) -> None:
        notes = {
            name: (await town.asks_as("ines", f"!memory note {name} Answers come late", owner=True)).items[0].id
            for name in ("self", "owner")
        }
        assert len(set(notes.values())) == 1, "one id, in two compartments"
        alone = (await town.asks_as("ines", f"!memory history {notes['owner']}", owner=True)).text
        assert alone.count(": remembered by ines: ") == 2
        assert "It may be told in" not in alone
        for place in (OPEN, None):
            told = (await town.asks_as("kim", f"!memory history {notes['self']}", place)).text
            assert told.count(": remembered by someone: ") == 1
            assert "(active, everywhere, about the assistant itself)" in told
        await town.asks_as("ines", "!memory forget Answers come late", owner=True)
        assert (
            "status: active → forgotten"
            in (await town.asks_as("ines", f"!memory history {notes['self']}", owner=True)).text
        )
        assert (await town.asks_as("kim", f"!memory history {notes['self']}", OPEN)).failed

    @pytest.mark.parametrize(
        ("name", "words"), [("guild", "lore"), ("self", "know of myself"), ("owner", "a note for")]
    )
    async def test_nobody_shares_it_or_keeps_it_for_themselves(self, town: Town, name: str, words: str) -> None:
        place, rights = (OPEN, {"manages": True}) if name == "guild" else (None, {"owner": True})
        item = (await town.asks_as("ines", f"!memory note {name} Answers come late", place, **rights)).items[0].id
        for command, why in (("share", NOT_SHARED), ("keep-private", NOT_KEPT)):
            reply = await town.asks_as("ines", f"!memory {command} {item}", place, **rights)
            assert reply.failed
            assert words in reply.text
            assert reply.text.endswith(why)
        own = await town.keeps("ines", "Answers come late", place)
        assert own == item
        shared = await town.asks_as("ines", f"!memory share {item}", place, **rights)
        assert shared.text.startswith("Shared: "), "their own of this id goes first"

    async def test_who_wrote_it_down_may_undo_it(self, town: Town) -> None:
        reply = await town.asks_as("ada", "!memory lore We meet on Fridays", OPEN, manages=True)
        assert (await town.undoes("kim", reply, OPEN)).failed
        assert (await town.undoes("ada", reply, OPEN)).text.startswith("Undone `remember`: this is forgotten.")


class TestOthersWords:
    async def test_where_all_can_read_they_become_lore_with_their_author_as_source(self, town: Town) -> None:
        author, pointed = await town.speaks("kim", "I grow pumpkins", OPEN)
        heard, _ = await town.speaks("ada", "hm", OPEN)
        reply = await town.others(heard, pointed)
        [item] = reply.items
        assert item.text == "A member said: “I grow pumpkins”"
        assert (item.owner, item.compartment, item.about) == (NOBODY, GARDEN, "guild")
        assert (item.source.message, item.evidence[0].message) == (pointed.message, author.point.id)
        assert "everybody here may be told" in reply.text
        assert "pumpkins" in (await town.asks_as("ines", "!memory show", OPEN)).text
        assert await town.places(author.person) == []
        gone = await town.asks_as("kim", f"!memory forget {item.id}", OPEN)
        assert gone.text.startswith("Forgot 1 item(s)."), "whose words they are may take them back"

    async def test_it_is_sealed_with_its_author_s_key_and_not_with_the_keeper_s(self, town: Town) -> None:
        author, pointed = await town.speaks("kim", "I grow pumpkins", OPEN)
        heard, _ = await town.speaks("ada", "hm", OPEN)
        [item] = (await town.others(heard, pointed)).items
        engine = town.memory.engine
        row = await town.memory.look(lambda rows: next(each.row for each in items_of(rows, NOBODY)))
        vault = engine.live.ids().vault(row.event)
        assert item.owner == NOBODY
        assert vault is not None
        assert engine.store.ring.people(vault) == {author.person}

    @pytest.mark.parametrize("how", ["deleted", "erased"])
    async def test_it_goes_with_its_author_s_message_and_with_them(self, town: Town, how: str) -> None:
        author, pointed = await town.speaks("kim", "I grow pumpkins", OPEN)
        heard, _ = await town.speaks("ada", "hm", OPEN)
        own = (await town.asks_as("ada", "!memory lore We meet on Fridays", OPEN, manages=True)).items[0]
        [item] = (await town.others(heard, pointed)).items
        assert item.kept
        if how == "deleted":
            gone = DeletedRequest("discord", pointed.message.key, author.session, pointed.said, NOW + 900)
            await town.memory.record(lambda rows: delete(rows, gone))
        else:
            await asyncio.to_thread(erase, town.memory.engine, author.person)
        left = await town.memory.look(lambda rows: [each.row.item for each in items_of(rows, NOBODY)])
        assert [each.id for each in left] == [own.id]
        assert "pumpkins" not in repr(events(town.memory, Event))
        assert "pumpkins" not in (await town.asks_as("ines", "!memory show", OPEN)).text

    async def test_its_author_may_take_it_back_also_where_others_said_so_too(self, town: Town) -> None:
        _, pointed = await town.speaks("kim", "I grow pumpkins", OPEN)
        heard, _ = await town.speaks("ada", "so do I", OPEN)
        [item] = (await town.others(heard, pointed)).items
        also = Evidence("so do I", heard.point.id, Ref("discord", "2"))
        more = await town.memory.remember_nobodys(
            item.compartment, item.text, by=OPERATOR, source=item.source, evidence=[also]
        )
        assert len(more.evidence) == 2
        nothing = "No matching items found. That is lore"
        assert (await town.asks_as("ada", f"!memory forget {item.id}", OPEN)).text.startswith(nothing)
        assert (await town.asks_as("kim", f"!memory forget {item.id}", OPEN)).text.startswith("Forgot 1 item(s).")

    async def test_of_another_s_message_it_does_not_go(self, town: Town) -> None:
        _, pointed = await town.speaks("kim", "I grow pumpkins", OPEN)
        heard, other = await town.speaks("ada", "so do I", OPEN)
        [item] = (await town.others(heard, pointed)).items
        gone = DeletedRequest("discord", other.message.key, heard.session, other.said, NOW + 900)
        await town.memory.record(lambda rows: delete(rows, gone))
        left = await town.memory.look(lambda rows: [each.row.item for each in items_of(rows, NOBODY)])
        assert left == [item]

    @pytest.mark.parametrize("why", ["unheard", "bot", "picture", "taken back", "unwilling", "out"])
    async def test_it_is_refused_in_words(self, town: Town, why: str) -> None:
        author, pointed = await town.speaks("kim", " " if why == "picture" else "I grow pumpkins", OPEN)
        heard, _ = await town.speaks("ada", "hm", OPEN)
        out = {"unwilling": UNWILLING, "out": UNWILLING}
        expected = {"unheard": UNHEARD, "taken back": TAKEN_BACK, **out}.get(why, NO_PERSON)
        if why == "unheard":
            pointed = pointed._replace(message=Ref("discord", "77"))
        elif why == "bot":
            pointed = await by_a_bot(town, author)
        elif why == "taken back":
            own = await point(town.assistant, Invocation(author.setting, author.session), MENUS[0], pointed)
            await town.memory.forget(author.person, id=own.items[0].id)
        elif why == "unwilling":
            await set_config(town.memory, Scope("person", person=author.person), "learn", "none", PLATFORM)
        elif why == "out":
            await consent(town.memory, author.person, out=True)
        reply = await town.others(heard, pointed)
        assert (reply.failed, reply.text) == (True, f"{expected[:1].upper()}{expected[1:]}.")
        assert await town.places(NOBODY) == []

    async def test_what_was_said_before_fewer_could_read_it_is_not_for_all(self, town: Town) -> None:
        _, pointed = await town.speaks("kim", "I grow pumpkins", OPEN)
        for kind in BOTH:
            request = AudienceRequest(OPEN._replace(audience=kind), NOW + 900, town.memory.origin())
            await town.memory.record(partial(change_audience, request=request))
        heard, _ = await town.speaks("ada", "hm", OPEN)
        assert heard.setting.audience.kind == "guild"
        assert (await town.others(heard, pointed)).failed
        kim, _ = await town.speaks("kim", "hm", OPEN)
        own = await point(town.assistant, Invocation(kim.setting, kim.session), MENUS[0], pointed)
        assert [item.compartment for item in own.items] == [f"person/{kim.person.hex()}/channel/discord:1"]


async def by_a_bot(town: Town, beside: Heard) -> Pointed:
    """A message of another bot's in the same place."""
    message = Message(
        Ref("discord", "500"), beside.place, beside.session, beside.setting.audience, "bot", NOW + 500, "beep",
        author_name="Robot", guild=GUILD,
    )  # fmt: skip
    event = MessageHeard(said=message.said, by=PLATFORM, message=message)

    def decision(rows: Rows) -> list[Draft]:
        return [Draft(rows.ids.event_id(message_identity("discord", "500", "heard", message.said)), event)]

    await town.memory.record(decision)
    return Pointed(message.ref, message.said, message.text, by_asker=False)


class TestWhy:
    async def test_lore_is_told_to_who_asks_where_it_is_open_to_them_now(self, town: Town) -> None:
        lore = (await town.asks_as("ada", "!memory lore We meet on Fridays", OPEN, manages=True)).items[0]
        heard, answer = await town.is_answered("ada", "When do we meet?", OPEN)
        assert "We meet on Fridays" in (await town.points(heard, 1, answer)).text
        alone, _ = await town.speaks("ada", "hm")
        assert "Fridays" not in (await town.points(alone, 1, answer)).text
        await town.memory.forget_nobodys(lore.compartment, lore.id, by=PLATFORM)
        assert "Fridays" not in (await town.points(heard, 1, answer)).text


class TestWhatIsNobodysInThePast:
    """`at` shows what `show` would have shown then: also what is nobody's."""

    async def test_it_lists_the_groups_of_show(self, town: Town) -> None:
        await town.asks_as("ada", "!memory note self I am called Dnam the Great", owner=True)
        await town.asks_as("ada", "!memory note owner The vault code is green", owner=True)
        await town.asks_as("ada", "!memory remember I like tea", owner=True)
        told = (await town.asks_as("ada", "!memory at now", owner=True)).text.split("\n")
        assert [line.split(" `")[0] for line in told[3:9]] == [
            "**People** (1)", "- [fact] I like tea",
            "**Community** (1)", "- [fact] I am called Dnam the Great",
            "**Owner Private** (1)", "- [fact] The vault code is green",
        ]  # fmt: skip
        assert told[6].endswith(", about me")
        others = (await town.asks_as("kim", "!memory at now")).text
        assert "Dnam the Great" in others
        assert "vault" not in others
        assert "vault" not in (await town.asks_as("ada", "!memory at now", OPEN, owner=True)).text

    async def test_lore_is_there_as_it_was_as_long_as_it_stands(self, town: Town) -> None:
        await town.asks_as("ada", "!memory lore The gate is green", OPEN, manages=True)
        then = town.memory.engine.head().size
        await town.asks_as("ada", "!memory lore The quay is wet", OPEN, manages=True)
        told = (await town.asks_as("kim", f"!memory at {then}", OPEN)).text
        assert "The gate is green" in told
        assert "quay" not in told
        assert "gate" not in (await town.asks_as("kim", f"!memory at {then}")).text
        await town.asks_as("ada", "!memory forget The gate is green", OPEN, manages=True)
        assert "gate" not in (await town.asks_as("kim", f"!memory at {then}", OPEN)).text

    async def test_what_was_taken_back_of_the_assistant_itself_only_its_owner_sees(self, town: Town) -> None:
        await town.asks_as("ada", "!memory note self I am called Dnam the Great", owner=True)
        then = town.memory.engine.head().size
        await town.asks_as("ada", "!memory forget I am called Dnam the Great", owner=True)
        assert "Great" in (await town.asks_as("ada", f"!memory at {then}", owner=True)).text
        assert "Great" not in (await town.asks_as("kim", f"!memory at {then}")).text


class TestWhereItMayBeTold:
    """`show` says it of what is not told where what is learned there is (design §10)."""

    async def line(self, town: Town, place: PlaceSeen | None, asked: str = "!memory show") -> str:
        told = (await town.asks_as("ada", asked, place)).text
        return next(line for line in told.split("\n") if "I like tea" in line).rpartition("`")[2]

    async def test_sharing_shows(self, town: Town) -> None:
        item = await town.keeps("ada", "I like tea")
        assert await self.line(town, None) == ""
        await town.asks_as("ada", f"!memory share {item}")
        assert await self.line(town, None) == ", told everywhere"
        assert await self.line(town, OPEN) == ", told everywhere"
        assert await self.line(town, None, "!memory at now") == ", told everywhere"

    async def test_what_a_server_s_channel_taught_is_marked_in_direct_messages_alone(self, town: Town) -> None:
        await town.keeps("ada", "I like tea", OPEN)
        assert await self.line(town, OPEN) == ""
        assert await self.line(town, None) == ", told in guild Garden"
        assert await self.line(town, STAFF) == ", told in guild Garden"

    async def test_a_restricted_channel_s_is_not_marked_there(self, town: Town) -> None:
        await town.keeps("ada", "I like tea", STAFF)
        assert await self.line(town, STAFF) == ""

    async def test_what_does_not_fit_is_marked_too(self, town: Town) -> None:
        await town.keeps("ada", "I like tea", OPEN)
        for number in range(14):
            await town.keeps("ada", f"I like number {number}")
        told = (await town.asks_as("ada", "!memory show")).text
        besides = told.partition("**Also kept")[2]
        assert re.search(r"I like (tea|number \d+)", besides)
        assert told.count(", told in guild Garden") == 1
