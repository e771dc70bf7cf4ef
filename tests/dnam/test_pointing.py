"""A message that somebody points at: remembering it, and why the assistant said it."""

from collections.abc import AsyncIterator

import pytest

from dnam.commands.command import Invocation, Reply
from dnam.commands.keep import COMMAND, GONE, WORDLESS
from dnam.commands.keep_others import OTHERS
from dnam.commands.pointing import Pointed
from dnam.commands.table import MENUS, point
from dnam.commands.why import NO_ANSWER, NOTHING_KEPT, TAKEN_BACK
from dnam.whereabouts import Heard
from projections.decisions.delete import delete_all
from projections.decisions.hear import DeletedRequest, delete
from projections.decisions.place import PlaceSeen
from projections.decisions.withdraw import WithdrawRequest
from projections.events import MessageRedacted
from projections.events.values import OPERATOR
from projections.ids import NOBODY, Ref
from projections.items import items_of
from projections.policies.compartments import Setting
from projections.turns import SENT, sent_key
from tests.dnam.test_commands import World
from tests.replay.stage import drafts
from tests.world import NOW

GUILD = Ref("discord", "9")
OPEN = PlaceSeen("discord", "1", "channel", "general", "guild", guild=GUILD, guild_name="Garden")
STAFF = PlaceSeen("discord", "2", "channel", "staff", "channel", guild=GUILD, guild_name="Garden")
REMEMBER, WHY = MENUS


class Talk(World):
    """People on Discord, who point at messages."""

    def __init__(self) -> None:
        super().__init__()
        self.keys = 100

    async def speaks(self, user: str, text: str, place: PlaceSeen | None = None) -> tuple[Heard, Pointed]:
        self.keys += 1
        said = NOW + self.keys
        heard = await self.memory.heard(user, text, place=place, platform="discord", key=str(self.keys), said=said)
        return heard, Pointed(Ref("discord", str(self.keys)), said, text, by_asker=True)

    async def is_answered(self, user: str, text: str, place: PlaceSeen | None = None) -> tuple[Heard, Pointed]:
        """The question, and the message as which the answer arrived."""
        heard, _ = await self.speaks(user, text, place)
        answered = await self.assistant.answer(heard)
        self.keys += 1
        sent = Ref("discord", str(self.keys))
        await self.memory.delivered(heard, answered.turn, [sent])
        return heard, Pointed(sent, NOW + self.keys, answered.text, by_asker=False)

    async def points(self, heard: Heard, menu: int, pointed: Pointed) -> Reply:
        return await point(self.assistant, Invocation(heard.setting, heard.session), MENUS[menu], pointed)


@pytest.fixture
async def talk() -> AsyncIterator[Talk]:
    made = Talk()
    yield made
    made.memory.engine.close()


class TestRememberThis:
    @pytest.mark.parametrize("text", ["!memory remember I own a boat", " !Memory  show", "!memory", "!memory boats"])
    async def test_a_command_is_nothing_that_was_said(self, talk: Talk, text: str) -> None:
        heard, _ = await talk.speaks("1", "hello", OPEN)
        for by_asker in (True, False):
            pointed = Pointed(Ref("discord", "9"), NOW + 9, text, by_asker=by_asker)
            assert await talk.points(heard, 0, pointed) == Reply(COMMAND, failed=True)
        assert not list(await talk.memory.look(lambda rows: [*items_of(rows, heard.person)]))

    @pytest.mark.parametrize(
        ("place", "reach", "where"),
        [
            (None, "It stays in your direct messages, unless you share it.", "person/{}/direct"),
            (OPEN, "It may be told wherever everyone in this server can read.", "guild/discord:9"),
            (STAFF, "It stays in this channel: whoever can read here may be told.", "person/{}/channel/discord:2"),
        ],
    )
    async def test_one_s_own_words_become_an_item_that_rests_on_the_message(
        self, talk: Talk, place: PlaceSeen | None, reach: str, where: str
    ) -> None:
        heard, pointed = await talk.speaks("ada", "I like tea", place)
        reply = await talk.points(heard, 0, pointed)
        [item] = reply.items
        assert reply.text == f"Remembered: I like tea\n{reach} (`{item.id}`)"
        assert (item.owner, item.compartment) == (heard.person, where.format(heard.person.hex()))
        assert [(each.quote, each.message, each.ref) for each in item.evidence] == [
            ("I like tea", heard.point.id, pointed.message)
        ]
        assert (item.source.type, item.source.message) == ("discord", pointed.message)
        assert reply.undo is not None

    async def test_it_leaves_when_its_message_is_forgotten_with_it(self, talk: Talk) -> None:
        heard, pointed = await talk.speaks("ada", "I like tea", OPEN)
        [item] = (await talk.points(heard, 0, pointed)).items
        row = await talk.memory.look(lambda rows: next(items_of(rows, item.owner)).row)
        assert row.tag == "item.remembered"
        [gone] = await talk.memory.forget(heard.person, id=item.id)
        assert gone.status == "forgotten"

    @pytest.mark.parametrize("place", [None, STAFF])
    async def test_somebody_else_s_words_are_not_taken_where_not_all_can_read(
        self, talk: Talk, place: PlaceSeen | None
    ) -> None:
        heard, pointed = await talk.speaks("ada", "I fear dogs", place)
        assert await talk.points(heard, 0, pointed._replace(by_asker=False)) == Reply(OTHERS, failed=True)
        assert await talk.memory.show(heard.person) == []

    async def test_the_words_as_they_are_now_are_taken_whatever_is_pointed_at(self, talk: Talk) -> None:
        heard, pointed = await talk.speaks("ada", "I like tea", OPEN)
        reply = await talk.points(heard, 0, pointed._replace(text="I like rain"))
        assert reply.items[0].text == "I like tea"

    async def test_of_a_message_that_was_never_heard_the_words_are_kept(self, talk: Talk) -> None:
        heard, _ = await talk.speaks("ada", "hm", OPEN)
        unheard = Pointed(Ref("discord", "7"), NOW, "I like tea", by_asker=True)
        [item] = (await talk.points(heard, 0, unheard)).items
        assert [(each.quote, each.message, each.ref) for each in item.evidence] == [
            ("I like tea", b"", Ref("discord", "7"))
        ]

    async def test_a_message_that_was_taken_back_is_not_kept(self, talk: Talk) -> None:
        heard, pointed = await talk.speaks("ada", "I like tea", OPEN)
        request = DeletedRequest("discord", pointed.message.key, heard.session, pointed.said, NOW + 999)
        await talk.memory.record(lambda rows: delete(rows, request))
        reply = await talk.points(heard, 0, pointed)
        assert (reply.failed, reply.text) == (True, f"T{GONE[1:]}.")

    async def test_no_words_are_no_memory(self, talk: Talk) -> None:
        heard, _ = await talk.speaks("ada", "hm")
        picture = Pointed(Ref("discord", "7"), NOW, "  ", by_asker=True)
        assert await talk.points(heard, 0, picture) == Reply(WORDLESS, failed=True)

    async def test_too_long_is_said_in_words(self, talk: Talk) -> None:
        heard, pointed = await talk.speaks("ada", "x" * 1900)
        reply = await talk.points(heard, 0, pointed)
        assert (reply.failed, reply.text[:24]) == (True, "That is 1,900 characters")

    async def test_what_was_said_to_few_stays_with_few_when_the_channel_opens(self, talk: Talk) -> None:
        _, pointed = await talk.speaks("ada", "I lead the team", STAFF)
        heard, _ = await talk.speaks("ada", "hm", STAFF._replace(audience="guild"))
        [item] = (await talk.points(heard, 0, pointed)).items
        assert item.compartment == f"person/{heard.person.hex()}/channel/discord:2"

    async def test_who_opted_out_keeps_nothing(self, talk: Talk) -> None:
        heard, pointed = await talk.speaks("ada", "I like tea", OPEN)
        nobody = heard._replace(setting=Setting(NOBODY, heard.setting.audience, GUILD))
        reply = await talk.points(nobody, 0, pointed)
        assert (reply.failed, reply.text[:25]) == (True, "I keep nothing about you,")


class TestWhy:
    async def test_it_lists_what_stood_in_the_prompt_with_links_to_where_it_came_from(self, talk: Talk) -> None:
        said, pointed = await talk.speaks("ada", "I like tea", OPEN)
        [item] = (await talk.points(said, 0, pointed)).items
        heard, answer = await talk.is_answered("ada", "What do I like?", OPEN)
        reply = await talk.points(heard, 1, answer)
        lines = reply.text.splitlines()
        assert lines[0] == "**What I remembered when I said that:**"
        assert lines[1] == f"- **[fact] I like tea** `{item.id}`"
        assert lines[2].startswith("  remembered by ada, 2023-11-14 ")
        assert lines[2].endswith(f"; `!memory history {item.id}`")
        assert lines[3].endswith(f'"I like tea" https://discord.com/channels/9/1/{pointed.message.key}')
        assert lines[4].startswith("Also in the prompt: 1 message(s) of the recent conversation")
        assert [each.id for each in reply.items] == [item.id]

    async def test_another_is_told_how_many_there_were_and_no_word_of_them(self, talk: Talk) -> None:
        said, pointed = await talk.speaks("ada", "I like tea", OPEN)
        await talk.points(said, 0, pointed)
        _, answer = await talk.is_answered("ada", "What do I like?", OPEN)
        kim, _ = await talk.speaks("kim", "hm", OPEN)
        reply = await talk.points(kim, 1, answer)
        assert "tea" not in reply.text
        assert reply.text.splitlines()[0] == "1 item(s) more that are not told here."
        assert reply.items == ()

    async def test_what_was_taken_back_since_is_not_told_where_others_read(self, talk: Talk) -> None:
        said, pointed = await talk.speaks("ada", "I fear dogs", OPEN)
        [item] = (await talk.points(said, 0, pointed)).items
        heard, answer = await talk.is_answered("ada", "What do I fear?", OPEN)
        await talk.memory.forget(heard.person, id=item.id)
        assert "dogs" not in (await talk.points(heard, 1, answer)).text
        dm, _ = await talk.speaks("ada", "hm")
        alone = (await talk.points(dm, 1, answer)).text
        assert f"- **[fact] I fear dogs** `{item.id}` (forgotten since)" in alone

    async def test_other_words_since_are_said_to_be_others(self, talk: Talk) -> None:
        said, pointed = await talk.speaks("ada", "I like tea", OPEN)
        [item] = (await talk.points(said, 0, pointed)).items
        heard, answer = await talk.is_answered("ada", "What do I like?", OPEN)
        await talk.memory.edit(heard.person, item.id, "I like rain")
        reply = await talk.points(heard, 1, answer)
        assert f"- **[fact] I like rain** `{item.id}` (in other words then)" in reply.text

    async def test_nothing_may_have_stood_there(self, talk: Talk) -> None:
        heard, answer = await talk.is_answered("ada", "Hello", OPEN)
        assert (await talk.points(heard, 1, answer)).text.splitlines()[0] == NOTHING_KEPT

    async def test_a_message_that_is_no_answer(self, talk: Talk) -> None:
        heard, pointed = await talk.speaks("ada", "Hello", OPEN)
        assert await talk.points(heard, 1, pointed) == Reply(NO_ANSWER, failed=True)

    async def test_an_answer_that_was_taken_back(self, talk: Talk) -> None:
        heard, answer = await talk.is_answered("ada", "Hello", OPEN)
        turn = await talk.memory.look(lambda rows: rows.get(SENT, sent_key(answer.message)))
        assert turn is not None
        gone = MessageRedacted(said=NOW + 5000, by=OPERATOR, events=(turn.turn,))
        await talk.memory.record(drafts(gone))
        assert await talk.points(heard, 1, answer) == Reply(TAKEN_BACK, failed=True)

    async def test_an_answer_that_was_deleted(self, talk: Talk) -> None:
        heard, answer = await talk.is_answered("ada", "Hello", OPEN)
        gone = WithdrawRequest("discord", (answer.message.key,), heard.session, NOW + 5000)
        await talk.memory.record(lambda rows: delete_all(rows, [], gone))
        assert await talk.points(heard, 1, answer) == Reply(TAKEN_BACK, failed=True)


def test_menus_have_the_names_that_people_know() -> None:
    assert [each.name for each in MENUS] == ["Remember this", "Why did you say that?"]
    assert all(each.help for each in MENUS)
