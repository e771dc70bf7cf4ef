"""The library: what the README promises to whoever builds on it."""

import asyncio
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import dnam
import dnam.memory
import replay.views
from dnam import Memory
from dnam.errors import Unknown
from dnam.times import LATEST_MS
from dnam.whereabouts import Heard, asked_in, locate
from projections.calls import calls
from projections.decisions.draft import Draft
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.events import PersonOptedOut
from projections.events.values import OPERATOR, Audience, By
from projections.ids import NOBODY, EventId, Ref
from projections.policies.compartments import Setting
from projections.rows import Rows
from projections.times import DAY_MS
from projections.turns import TURNS
from replay.errors import NothingHere, ReadOnly
from tests.dnam.scripted import FakeClock, ScriptedModel, say, talking
from tests.world import NOW

GUILD = Ref("discord", "9")
GENERAL = PlaceSeen("local", "7", "channel", "general", "guild", guild=GUILD, guild_name="Garden")


async def test_what_is_remembered_is_there_after_a_restart(tmp_path: Path) -> None:
    async with Memory.open(tmp_path / "data") as memory:
        item = await memory.remember("ada", "my train leaves at 7:40")
        assert item.status == "active"
    async with Memory.open(tmp_path / "data") as memory:
        assert [each.text for each in await memory.show("ada")] == ["my train leaves at 7:40"]


async def test_what_lmdb_took_for_many_rows_is_given_back_to_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = list[bool]()
    monkeypatch.setattr(dnam.memory, "give_back", lambda: given.append(True))
    async with Memory.open(tmp_path) as memory:
        await memory.remember("ada", "my train leaves at 7:40")
        memory.engine.commit_views()
        assert given == []
        monkeypatch.setattr(replay.views, "MOST_ROWS", 1)
        await memory.remember("ada", "my train leaves from platform 3")
        memory.engine.commit_views()
    assert given == [True]


async def test_a_conversation_ends_up_in_the_prompt_of_its_next_turn(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        first = await memory.heard("ada", "I prefer tea", name="Ada")
        context = await memory.context(first)
        turn = await memory.answered(first, context, "Tea it is.")
        await memory.delivered(first, turn, [Ref("local", "m2")])
        second = await memory.heard("ada", "what do I prefer?")
        text = (await memory.context(second)).text
        assert "[Ada]: I prefer tea\n[dnam]: Tea it is." in text
        assert text.endswith("User message:\nwhat do I prefer?")


@pytest.mark.parametrize(("said", "words"), [(-1, "before that"), (LATEST_MS, "a day in the future")])
async def test_a_time_that_cannot_be_is_refused(tmp_path: Path, said: int, words: str) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        with pytest.raises(BadRequest, match=f"ms since 1970, and {said} lies .*{words}"):
            await memory.heard("ada", "hello", said=said)
        assert memory.engine.head().size == 0
        assert await memory.heard("ada", "hello", said=NOW + 30 * DAY_MS)


async def test_the_same_message_and_the_same_answer_are_recorded_once(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        heard = await memory.heard("ada", "hello", key="1", said=NOW)
        context = await memory.context(heard)
        turn = await memory.answered(heard, context, "hi")
        size = memory.engine.head().size
        again = await memory.heard("ada", "hello", key="1", said=NOW)
        assert again == heard
        assert await memory.answered(again, context, "hi, twice", said=turn.said + 5) == turn
        assert memory.engine.head().size == size


@pytest.mark.parametrize("later", [0, 59_000, 90_000, DAY_MS - 180_000])
async def test_a_key_alone_tells_that_a_message_was_heard_and_when(tmp_path: Path, later: int) -> None:
    """Its id has the minute in which it was said; it was heard, and answered, once more in another one."""
    clock = FakeClock()
    async with Memory.open(tmp_path, clock=clock) as memory:
        heard = await memory.heard("ada", "I prefer tea", key="1")
        context = await memory.context(heard)
        turn = await memory.answered(heard, context, "Tea it is.")
        size = memory.engine.head().size
        clock.time += later
        again = await memory.heard("ada", "I prefer tea", key="1")
        assert again == heard
        assert (await memory.context(again)).text == context.text
        assert await memory.answered(again, context, "Tea, once more.") == turn
        assert memory.engine.head().size == size
        assert await memory.edited("1", "I prefer coffee")
        edited = await memory.heard("ada", "I prefer tea", key="1")
        assert (edited.point, edited.text) == (heard.point, "I prefer coffee")
        await memory.deleted("1")
        size = memory.engine.head().size
        clock.time += 90_000
        await memory.heard("ada", "I prefer tea", key="1")
        assert memory.engine.head().size == size


async def test_a_key_of_another_day_is_that_of_another_message(tmp_path: Path) -> None:
    clock = FakeClock()
    async with Memory.open(tmp_path, clock=clock) as memory:
        heard = await memory.heard("ada", "I prefer tea", key="1")
        clock.time += 2 * DAY_MS
        assert (await memory.heard("ada", "I prefer tea", key="1")).point != heard.point
        assert (await memory.heard("ada", "I prefer tea", key="1", said=heard.point.said)).point == heard.point


async def test_what_was_heard_before_has_the_words_of_then(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        heard = await memory.heard("ada", "I prefer tea", key="1", said=NOW)
        assert await memory.heard("ada", "I prefer coffee", key="1", said=NOW) == heard
        assert "coffee" not in (await memory.context(heard)).text


async def test_forget_edit_and_restore(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        item = await memory.remember("ada", "likes green tea")
        (edited,) = await memory.edit("ada", item.id, "likes black tea")
        assert (edited.id, edited.text) == (item.id, "likes black tea")
        assert await memory.forget("ada", "tea") == []
        (forgotten,) = await memory.forget("ada", "likes black")
        assert forgotten.status == "forgotten"
        assert await memory.show("ada") == []
        (restored,) = await memory.restore("ada", item.id)
        assert restored.status == "active"
        with pytest.raises(BadRequest, match="durable-00000000"):
            await memory.edit("ada", "durable-00000000", "likes rain")


async def test_show_at_a_moment(tmp_path: Path) -> None:
    clock = FakeClock()
    async with Memory.open(tmp_path, clock=clock) as memory:
        await memory.remember("ada", "likes tea")
        size = memory.engine.head().size
        then = datetime.fromtimestamp(clock.time / 1000, UTC)
        clock.time += 60_000
        await memory.remember("ada", "has a cat")
        assert [item.text for item in await memory.show("ada")] == ["has a cat", "likes tea"]
        assert [item.text for item in await memory.show("ada", at=size)] == ["likes tea"]
        assert [item.text for item in await memory.show("ada", at=then)] == ["likes tea"]
        assert await memory.show("ada", at=0) == []
        assert await memory.show("ada", at=datetime.fromtimestamp(0, UTC)) == []
        last = memory.engine.head().size
        with pytest.raises(BadRequest, match=f"there is no event #{last + 1} yet: the log ends at #{last}"):
            await memory.show("ada", at=last + 1)
        with pytest.raises(BadRequest, match="a moment is a seq or a datetime, not '2026-01-01'"):
            await memory.show("ada", at="2026-01-01")  # type: ignore[arg-type]  # what people try
        for none in (-1, True):
            with pytest.raises(BadRequest, match=f"a moment is a seq or a datetime, not {none}"):
                await memory.show("ada", at=none)


async def test_nobody_says_nothing(tmp_path: Path) -> None:
    async with Memory.open(tmp_path / "data") as memory:
        with pytest.raises(BadRequest, match="`user` is empty"):
            await memory.heard("", "hello")
        assert memory.engine.head().size == 0


async def test_a_place_decides_where_something_holds(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        private = await memory.remember("ada", "sings in the shower")
        heard = await memory.heard("ada", "hello", place=GENERAL)
        public = await memory.remember("ada", "grows tomatoes", setting=heard.setting)
        assert private.compartment.endswith("/direct")
        assert public.compartment == "guild/discord:9"
        assert [item.text for item in await memory.show("ada", setting=heard.setting)] == ["grows tomatoes"]
        hits = await memory.recall("ada", "do I grow tomatoes?", setting=heard.setting)
        assert [hit.item.text for hit in hits] == ["grows tomatoes"]
        everything = await memory.recall("ada", "tomatoes")
        assert {hit.item.text for hit in everything} == {"grows tomatoes", "sings in the shower"}
        assert await memory.forget("ada", "sings in the shower", setting=heard.setting) == []


async def test_a_name_is_nobody_s_id(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("mallory", "hi", name="ada")
        asked = (
            memory.show("ada"),
            memory.recall("ada", "tea"),
            memory.forget("ada", "tea"),
            memory.edit("ada", "i", "t"),
        )
        for each in (*asked, memory.restore("ada", "i")):
            with pytest.raises(Unknown):
                await each
        await memory.remember("ada", "likes tea")
        assert await memory.show("mallory") == []
        assert len(await memory.show("ada")) == 1


async def test_nothing_is_remembered_of_who_opted_out(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:

        def opt_out(rows: Rows) -> list[Draft]:
            event = PersonOptedOut(said=NOW, by=OPERATOR, hashes=(rows.ids.keyed_hash("local", "ada"),))
            return [Draft(EventId(b"o" * 16), event)]

        await memory.record(opt_out)
        with pytest.raises(Unknown, match="nothing of theirs is kept"):
            await memory.remember("ada", "likes tea")
        first = await memory.heard("ada", "a secret")
        await memory.delivered(first, await memory.answered(first, await memory.context(first), "a secret answer"))
        second = await memory.heard("ada", "hello")
        assert "secret answer" not in (await memory.context(second)).text
        assert memory.engine.head().size == 2
        with memory.engine.reading() as rows:
            (turn,) = [found.row for found in rows.scan(TURNS)]
            assert [call.work for call in calls(rows)] == ["answer"]
        assert (turn.text, turn.asker) == ("", NOBODY)


async def test_an_id_is_one_of_its_platform(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        item = await memory.remember("100", "likes tea", platform="discord")
        with pytest.raises(Unknown):
            await memory.show("100")
        assert len(await memory.recall("100", "tea", platform="discord")) == 1
        assert len(await memory.edit("100", item.id, "likes green tea", platform="discord")) == 1
        assert len(await memory.forget("100", id=item.id, platform="discord")) == 1
        assert len(await memory.restore("100", item.id, platform="discord")) == 1
        assert len(await memory.show(item.owner)) == 1


async def test_what_a_place_does_not_open_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.remember("ada", "sings in the shower")
        heard = await memory.heard("ada", "hello", place=GENERAL)
        await memory.remember("ada", "grows tomatoes", setting=heard.setting)

        def everything(*_: object) -> None:
            raise AssertionError

        monkeypatch.setattr("dnam.keeping.items_of", everything)
        assert [item.text for item in await memory.show("ada", setting=heard.setting)] == ["grows tomatoes"]
        hits = await memory.recall("ada", "tomatoes shower", setting=heard.setting)
        assert [hit.item.text for hit in hits] == ["grows tomatoes"]


async def test_where_a_message_was_heard_is_what_a_look_behind_it_says(tmp_path: Path) -> None:
    few, renamed = GENERAL._replace(audience="channel"), GENERAL._replace(name="allgemein")
    direct = PlaceSeen("local", "", "direct", "", "direct", partner=Account("local", "ada", "Ada"))
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:

        async def heard_in(place: PlaceSeen, key: str, name: str = "Ada", edited: int | None = None) -> Heard:
            who = Account("local", "ada", name)
            request = HeardRequest(
                key=key, place=place, author="person", speaker=who, text=f"word {key}", said=NOW, fresh=(),
                edited=edited,
            )  # fmt: skip
            heard = await memory.hear(request)
            assert heard == await memory.look(lambda rows: locate(rows, request))
            return heard

        assert (await heard_in(GENERAL, "1")).name == "Ada"
        assert (await heard_in(GENERAL, "2")).setting.audience.kind == "guild"
        assert (await heard_in(GENERAL, "3", "Ada L.")).name == "Ada L."
        assert (await heard_in(renamed, "4")).setting.audience.epoch == 0
        assert (await heard_in(GENERAL, "4", edited=NOW + 5)).text == "word 4"
        assert (await heard_in(few, "4")).setting.audience.epoch == 1
        assert (await heard_in(few, "5")).setting.audience.epoch == 1
        assert (await heard_in(direct, "6")).setting.audience.kind == "direct"
        assert (await heard_in(direct, "7")).setting.audience.kind == "direct"


async def test_people_whom_nobody_knows_are_named(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        with pytest.raises(Unknown, match="nobody here has the id local:ada"):
            await memory.show("ada")
        await memory.heard("u1", "hi")
        with pytest.raises(BadRequest, match="nothing"):
            await memory.remember("u1", "   ")


async def test_reading_needs_a_log_and_never_writes(tmp_path: Path) -> None:
    with pytest.raises(NothingHere):
        async with Memory.open(tmp_path / "data", writable=False):
            raise AssertionError
    assert not (tmp_path / "data").exists()
    async with Memory.open(tmp_path / "data") as memory:
        await memory.remember("ada", "likes tea")
    async with Memory.open(tmp_path / "data", writable=False) as memory:
        assert len(await memory.show("ada")) == 1
        with pytest.raises(ReadOnly):
            await memory.remember("ada", "likes coffee")


async def test_strange_texts_are_kept_as_they_can_be(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        for text in ("", "\x00\x07\x1b[31m", "a\ud800b", "x" * 1_000_000, "e\u0301 \U0001f600"):
            heard = await memory.heard("ada", text)
            context = await memory.context(heard)
            await memory.answered(heard, context, text or "…")
        with pytest.raises(BadRequest, match="at most 400"):
            await memory.remember("ada", "x" * 1_000_000)
        item = await memory.remember("ada", "an a\ud800b")
        assert item.text == "an a\ufffdb"


async def test_somebody_else_may_ask_for_a_person(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        person = await memory.person("ada", make=True)
        setting = Setting(person, Audience("direct", Ref("local", f"dm:{person.hex()}")))
        await memory.remember(person, "likes tea", by=By("operator"), setting=setting)
        assert len(await memory.show(person)) == 1


async def test_many_at_once(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await asyncio.gather(*(memory.heard(f"u{n % 7}", f"message {n}") for n in range(200)))
        assert len(set(await asyncio.gather(*(memory.person(f"u{n}") for n in range(7))))) == 7


async def test_summaries_and_items_come_at_their_cadence(tmp_path: Path) -> None:
    model = ScriptedModel({"extraction": lambda _: '{"upserts": [{"kind": "fact", "text": "User likes tea."}]}'})
    async with talking(tmp_path, model, summary_every_n_turns="2", durable_every_n_turns="3") as assistant:
        await say(assistant, "ada", "one", "two", "three")
        assert [len(model.asked(purpose)) for purpose in ("summary", "extraction")] == [1, 1]
        assert [item.text for item in await assistant.memory.show("ada")] == ["User likes tea."]
        heard = await assistant.memory.heard("ada", "four")
        assert "They talked." in (await assistant.memory.context(heard)).text
        assert list(assistant.failures) == []


def test_importing_does_nothing(tmp_path: Path) -> None:
    code = "import dnam, os, sys; print(sorted(os.listdir('.')), 'lmdb' in sys.modules, dnam.__version__)"
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.split()[:2] == ["[]", "False"]
    with pytest.raises(AttributeError):
        dnam.Nothing  # noqa: B018 - asking is the test


async def test_one_key_in_two_guilds_is_refused_by_whatever_takes_a_place(tmp_path: Path) -> None:
    garden = PlaceSeen("local", "general", "channel", "general", "guild", guild=Ref("local", "9"), guild_name="Garden")
    harbour = garden._replace(guild=Ref("local", "10"), guild_name="Harbour")
    async with Memory.open(tmp_path / "d") as memory:
        await memory.heard("ada", "the garden's gate code is 4711", place=garden, name="Ada", key="a1")
        with pytest.raises(BadRequest, match="another guild"):
            await memory.heard("bob", "hello, what is new?", place=harbour, name="Bob", key="b1")
        with pytest.raises(BadRequest, match="another guild"):
            await memory.look(lambda rows: asked_in(rows, Account("local", "bob"), harbour))


async def test_whom_nobody_knows_is_told_without_a_command(tmp_path: Path) -> None:
    async with Memory.open(tmp_path) as memory:
        with pytest.raises(Unknown, match="nobody here has the id local:9: they are known by the platform's id"):
            await memory.person("9")
