"""What a program takes back of messages: what was deleted or edited on its platform, by the id that it has there."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dnam import Memory
from dnam.assistant import Assistant
from dnam.errors import Unknown
from dnam.model import Ask
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.events import MessageDeleted, MessageEdited, MessageHeard
from projections.events.values import Attachment
from projections.ids import Handle, Ref
from projections.messages import MESSAGES, MessageRow
from replay import codec
from replay.errors import KeyMissing, ReadOnly
from replay.folding import Folding
from replay.ring.file import FileRingStore
from tests.dnam.discord.stage import events
from tests.dnam.scripted import FakeClock, ScriptedModel, lines_of, talking
from tests.dnam.test_redacting_live import learns
from tests.dnam.test_shadows_followed import data, said_in_shadow
from tests.world import NOW

__all__ = ["data"]
GARDEN = Ref("local", "9")
SHED = PlaceSeen("local", "7", "channel", "shed", "guild", guild=GARDEN, guild_name="Garden")
CORNER = PlaceSeen(
    "local", "8", "thread", "corner", "channel", guild=GARDEN, guild_name="Garden", parent=Ref("local", "7")
)
SECRET = "my locker opens with tangerine-monsoon"
WORD = "tangerine"
POND = "my garden has a pond"


def summed(ask: Ask) -> str:
    return " / ".join(line.text for line in lines_of(ask))


def model() -> ScriptedModel:
    """It learns and sums up all that is said, and answers with it."""
    return ScriptedModel({
        "answer": lambda ask: f"You said: {ask.prompt.splitlines()[-1]}",
        "extraction": lambda ask: learns(*(line.text for line in lines_of(ask))),
        "summary": summed,
    })  # fmt: skip


@asynccontextmanager
async def garden(path: Path) -> AsyncIterator[Assistant]:
    async with talking(path, model()) as assistant:
        yield assistant


async def said(assistant: Assistant, key: str, text: str, *, user: str = "kim") -> Handle:
    """Somebody says something in the shed, and is answered, as a message that is called `a` and the same."""
    memory = assistant.memory
    heard = await memory.heard(user, text, key=key, place=SHED, name=user.title())
    answered = await assistant.answer(heard)
    await memory.delivered(heard, answered.turn, [Ref("local", f"a{key}")])
    return heard.person


async def learned(assistant: Assistant, person: Handle) -> None:
    heard = await assistant.memory.heard("kim", "and so on", place=SHED)
    await assistant.extract(person)
    await assistant.summarise(heard.session, heard.setting.audience, person)


async def shown(memory: Memory, user: str = "kim") -> str:
    """All that a program is shown of somebody, and of where they spoke."""
    heard = await memory.heard(user, f"what of the {WORD} and the locker?", place=SHED)
    context = await memory.context(heard)
    items = await memory.show(user)
    hits = [*await memory.recall(user, "locker opens"), *await memory.search(user, "locker opens")]
    hits += await memory.recall(user, "locker opens", setting=heard.setting)
    texts = [context.text.replace(heard.text, ""), *(each.text for each in items), *(each.item.text for each in hits)]
    return "\n".join(texts)


def told(memory: Memory) -> str:
    """All that can be read of the log."""
    store = memory.engine.store
    folding = Folding(memory.engine.fold, store)
    found = (folding.record(each) for each in store.log.read(0))
    return "\n".join(repr(each.event) for each in found if each is not None)


def size(memory: Memory) -> int:
    return memory.engine.head().size


async def rows(memory: Memory) -> list[MessageRow]:
    return await memory.look(lambda rows: [each.row for each in rows.scan(MESSAGES)])


# -- deleted -------------------------------------------------------------------------------------------------------


async def test_what_was_deleted_is_nowhere_any_more_and_neither_is_what_was_made_of_it(tmp_path: Path) -> None:
    async with garden(tmp_path) as assistant:
        memory = assistant.memory
        await said(assistant, "1", SECRET)
        kim = await said(assistant, "2", POND)
        await learned(assistant, kim)
        before = await shown(memory)
        assert before.count(WORD) > 3
        assert await memory.deleted("1") == ["1"]
        after = await shown(memory)
        assert WORD not in after
        assert "pond" in after
        assert WORD not in told(memory).replace(f"what of the {WORD}", "")
        assert len(events(memory, MessageDeleted)) == 1


async def test_the_second_time_nothing_is_recorded(tmp_path: Path) -> None:
    async with garden(tmp_path) as assistant:
        memory = assistant.memory
        await said(assistant, "1", SECRET)
        await memory.deleted("1")
        before = size(memory)
        assert await memory.deleted("1") == []
        assert await memory.deleted("a1") == []
        assert await memory.edited("1", POND) is False
        assert size(memory) == before
        await memory.heard("kim", SECRET, key="1", place=SHED)  # delivered late
        assert WORD not in await shown(memory)


async def test_many_are_deleted_at_once_wherever_they_were_said(tmp_path: Path) -> None:
    async with garden(tmp_path) as assistant:
        memory = assistant.memory
        await said(assistant, "1", SECRET)
        await said(assistant, "2", POND)
        await memory.heard("kim", SECRET, key="3")
        await memory.heard("kim", SECRET, key="4", place=CORNER)
        assert await memory.deleted(["4", "never", "3", "1", "3"]) == ["4", "3", "1"]
        assert [each.message.text for each in await rows(memory)] == [POND]
        assert len(events(memory, MessageDeleted)) == 3


async def test_of_many_that_were_never_heard_none_is_said_to_have_gone(tmp_path: Path) -> None:
    async with garden(tmp_path) as assistant:
        memory = assistant.memory
        await said(assistant, "1", SECRET)
        before = size(memory)
        for keys, words in (("7", "'7'"), (["7", "8"], "'7' and '8'")):
            with pytest.raises(Unknown, match=f"nothing that local calls {words} was heard here"):
                await memory.deleted(keys)
        with pytest.raises(Unknown, match="nothing that slack calls '1' was heard here"):
            await memory.deleted("1", platform="slack")
        with pytest.raises(Unknown, match="nothing that local calls '7'"):
            await memory.edited("7", POND)
        assert size(memory) == before


async def test_an_answer_goes_with_any_message_of_it_and_its_question_stays(tmp_path: Path) -> None:
    async with garden(tmp_path) as assistant:
        memory = assistant.memory
        await said(assistant, "1", POND)
        assert f"You said: {POND}" in await shown(memory)
        assert await memory.deleted("a1") == ["a1"]
        after = await shown(memory)
        assert "You said" not in after
        assert POND in after
        before = size(memory)
        assert await memory.deleted(["a1"]) == []
        assert size(memory) == before


async def test_a_message_that_was_heard_in_two_minutes_goes_both_times(tmp_path: Path) -> None:
    clock = FakeClock()
    async with Memory.open(tmp_path, clock=clock) as memory:
        await memory.heard("kim", SECRET, key="1", said=NOW)
        await memory.heard("kim", SECRET, key="1", said=NOW + 600_000)
        assert await memory.deleted("1") == ["1"]
        assert await rows(memory) == []


async def test_what_somebody_asked_to_keep_stands(tmp_path: Path) -> None:
    async with garden(tmp_path) as assistant:
        memory = assistant.memory
        await said(assistant, "1", SECRET)
        await memory.remember("kim", POND)
        await memory.deleted("1")
        assert [each.text for each in await memory.show("kim")] == [POND]


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        (5, "`keys` is a list in which each is a str, not int"),
        ([5], "each of `keys` is a str, not int"),
        ("", "one of `keys` is empty"),
        (["1", ""], "one of `keys` is empty"),
        ("\ud800", "`keys` has half a character in it"),
    ],
)
async def test_what_names_no_message_is_refused(tmp_path: Path, keys: str, why: str) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        with pytest.raises(BadRequest, match=why):
            await memory.deleted(keys)


async def test_of_no_keys_nothing_is_deleted(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        assert await memory.deleted([]) == []
        assert size(memory) == 0


async def test_a_shadow_follows_what_was_deleted(data: Path) -> None:
    async with Memory.open(data, clock=FakeClock()) as memory:
        key = (await rows(memory))[0].message.ref.key
        assert await memory.deleted(key, platform="discord") == [key]
    assert said_in_shadow(data) == ["I like rain"]


# -- edited --------------------------------------------------------------------------------------------------------


async def test_an_edited_message_says_what_it_says_now_and_nothing_of_before(tmp_path: Path) -> None:
    async with garden(tmp_path) as assistant:
        memory = assistant.memory
        kim = await said(assistant, "1", SECRET)
        await learned(assistant, kim)
        assert await memory.edited("1", POND)
        await assistant.extract(kim)
        after = await shown(memory)
        assert WORD not in after
        assert after.count(POND) > 2
        assert WORD not in told(memory).replace(f"what of the {WORD}", "")


@pytest.mark.parametrize("place", [None, SHED, CORNER, SHED._replace(kind="group", key="5", audience="channel")])
async def test_it_stays_where_it_was_and_by_whom(tmp_path: Path, place: PlaceSeen | None) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", SECRET, key="1", place=place, name="Kim", addressed=False)
        (before,), known = await rows(memory), told(memory).count("Place")
        assert await memory.edited("1", POND, at=NOW + 60_000)
        (after,) = await rows(memory)
        assert (after.message.text, after.message.edited) == (POND, NOW + 60_000)
        assert after.heard == before.heard
        assert repr(after.message).replace(POND, SECRET).replace(f"edited={NOW + 60_000}", "edited=None") == repr(
            before.message
        )
        assert told(memory).count("Place") == known


async def test_a_bot_s_message_with_files_keeps_what_it_had(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        bot = HeardRequest(
            "1", SHED, "bot", Account("local", "b1", "Rosebot"), SECRET, NOW, (),
            attachments=(Attachment("plan.png", 7),), reply_to=Ref("local", "0"),
        )  # fmt: skip
        await memory.hear(bot)
        (before,) = await rows(memory)
        assert await memory.edited("1", POND)
        (after,) = await rows(memory)
        assert after.message.text == POND
        assert (after.message.author, after.message.author_name, after.message.attachments, after.message.reply_to) == (
            before.message.author, before.message.author_name, before.message.attachments, before.message.reply_to,
        )  # fmt: skip


async def test_the_same_words_and_an_older_edit_change_nothing(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", SECRET, key="1", said=NOW)
        assert not await memory.edited("1", SECRET)
        assert await memory.edited("1", POND, at=NOW + 5_000)
        before = size(memory)
        assert not await memory.edited("1", POND)
        assert not await memory.edited("1", POND, at=NOW + 9_000)
        assert not await memory.edited("1", "my garden has a lake", at=NOW + 4_000)
        assert size(memory) == before
        assert await memory.edited("1", "my garden has a lake")  # by a clock that is behind that of its platform
        (row,) = await rows(memory)
        assert row.message.text == "my garden has a lake"


async def test_no_edit_lies_before_its_message_or_far_ahead(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", SECRET, key="1", said=NOW)
        for at, why in ((-1, "before that"), (10**14, "a day in the future"), ("now", "a whole number")):
            with pytest.raises(BadRequest, match=f"`at` .*{why}"):
                await memory.edited("1", POND, at=at)  # type: ignore[arg-type]  # what people try
        assert await memory.edited("1", POND, at=NOW - 5)
        (row,) = await rows(memory)
        assert row.message.edited == NOW


async def test_no_secret_comes_in_by_an_edit(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", POND, key="1")
        key = "sk-ant-api03-" + "Ab1" * 31
        assert await memory.edited("1", f"my key is {key}")
        assert key not in told(memory)
        assert not await memory.edited("1", f"my key is {key}")


async def test_an_edit_lies_in_the_vault_of_who_said_it(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        heard = await memory.heard("kim", SECRET, key="1", place=SHED)
        await memory.edited("1", POND)
        store = memory.engine.store
        headers = [codec.decode_header(header) for _, header in store.log.headers(0, size(memory))]
        of = {each.tag: each.vault for each in headers}
        assert of[MessageEdited.TAG] == of[MessageHeard.TAG]
        assert store.ring.people(of[MessageEdited.TAG]) == {heard.person}


async def test_who_opted_out_since_is_not_heard_by_an_edit_and_their_old_words_go(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", SECRET, key="1", place=SHED)
        await memory.opt_out("kim")
        assert await memory.edited("1", POND)
        assert await rows(memory) == []
        assert WORD not in told(memory)
        assert POND not in told(memory)
        assert not await memory.edited("1", "my garden has a lake")


# -- where nothing can be recorded ---------------------------------------------------------------------------------


async def test_a_memory_that_is_only_read_takes_nothing_back(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", SECRET, key="1")
    async with Memory.open(tmp_path, clock=FakeClock(), writable=False) as memory:
        for attempt in (memory.deleted("1"), memory.edited("1", POND), memory.opt_out("kim"), memory.erase("kim")):
            with pytest.raises(ReadOnly):
                await attempt
        assert SECRET in (await rows(memory))[0].message.text


async def test_a_log_that_stopped_says_why_and_nothing_is_taken_for_gone(tmp_path: Path) -> None:
    """A key is missing, as where the ring is older than the log."""
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", SECRET, key="1")
    ring = FileRingStore(tmp_path / "keys")
    ring.rewrite(ring.read()[:1])
    ring.close()
    shutil.rmtree(tmp_path / "views")
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        assert isinstance(memory.stopped, KeyMissing)
        before = size(memory)
        for attempt in (memory.deleted("1"), memory.edited("1", POND), memory.opt_out("kim"), memory.erase("kim")):
            with pytest.raises(KeyMissing):
                await attempt
        assert size(memory) == before


async def test_two_who_delete_at_once_do_it_once(tmp_path: Path) -> None:
    async with garden(tmp_path) as assistant:
        await said(assistant, "1", SECRET)
        await asyncio.gather(*(assistant.memory.deleted("1") for _ in range(3)))
        assert len(events(assistant.memory, MessageDeleted)) == 1
