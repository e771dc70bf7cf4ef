"""`!memory erase`, `opt-out`, `opt-in` and `export`, as they are typed and answered; and what was under way then."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from dnam.assistant import Assistant
from dnam.background import Background
from dnam.commands.command import Invocation, Reply
from dnam.commands.consent import IN, IN_ALREADY, NOBODY_KNOWN, NOT_OUT, OPTED_OUT, OUT, OUT_ALREADY
from dnam.commands.erase import NOTHING
from dnam.commands.export import NAME, SENT
from dnam.commands.pointing import Pointed
from dnam.commands.table import MENUS, confirmed, guarded, point, read, run
from dnam.commands.undo import undo_change
from dnam.contexts import Context
from dnam.erasing.guild import CANNOT_REACH as BEYOND_GUILD
from dnam.erasing.person import CANNOT_REACH as BEYOND_PERSON
from dnam.exchange import DREW, Exchange, Exchanges
from dnam.hits import Hits, Sought, search
from dnam.letting_go import letting_go
from dnam.memory import Memory
from dnam.unwritten import Unwritten
from dnam.whereabouts import LOCAL, Heard, handle_of
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import (
    ErasureCompleted,
    ExtractionAnswered,
    ExtractionFailed,
    JobFailed,
    PersonErased,
    PersonOptedOut,
    TurnAnswered,
    TurnFailed,
)
from projections.events.values import By
from projections.ids import NOBODY, Ref
from projections.pending import is_settled
from projections.policies.item_ids import derive
from projections.turns import TurnRow
from replay.erasure import erase, unfinished
from replay.errors import LogFull
from replay.store import DiskStore
from tests.dnam.discord.stage import events
from tests.dnam.held import HeldModel
from tests.dnam.scripted import FakeClock, settings

GARDEN = Ref("local", "garden")
OPEN = PlaceSeen(LOCAL, "general", "channel", "general", "guild", guild=GARDEN, guild_name="Garden")
TEA = '{"upserts": [{"kind": "preference", "text": "likes tea", "quote": "I like tea"}]}'
QUOTED = TEA.replace('"quote"', '"evidence"')


class World:
    """A memory in a folder, with a model that waits where it is told to."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.model = HeldModel({"extraction": lambda _: TEA})
        self.assistant = Assistant(memory, self.model)

    async def says(self, user: str, text: str, place: PlaceSeen | None = None) -> Heard:
        heard = await self.memory.heard(user, text, place=place)
        answered = await self.assistant.answer(heard)
        await self.memory.delivered(heard, answered.turn)
        return heard

    async def asked_by(self, user: str, place: PlaceSeen | None = None, *, has_buttons: bool = False) -> Invocation:
        heard = await self.memory.heard(user, "hello", place=place)
        account = Account(LOCAL, user, user)
        return Invocation(heard.setting, heard.session, account=account, has_buttons=has_buttons)

    async def replies(
        self, user: str, text: str, place: PlaceSeen | None = None, *, has_buttons: bool = False
    ) -> Reply:
        call = read(f"!memory {text}")
        assert call is not None
        return await run(self.assistant, await self.asked_by(user, place, has_buttons=has_buttons), call)

    async def settled(self) -> None:
        """Until nothing goes on in the background."""
        await self.assistant.settle()
        if self.memory.engine.finisher is not None:
            await asyncio.to_thread(self.memory.engine.finisher.join)

    async def knows(self, user: str) -> bool:
        account = Account(LOCAL, user)
        return bool(await self.memory.look(lambda rows: handle_of(rows, account)))


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with Memory.open(tmp_path / "data", settings=settings(), clock=FakeClock()) as memory:
        made = World(memory)
        yield made
        await made.settled()


# -- erase ---------------------------------------------------------------------------------------------------------


async def test_it_says_what_it_will_do_and_how_to_confirm(world: World) -> None:
    await world.says("kim", "I like tea")
    reply = await world.replies("kim", "erase")
    assert "That is 2 messages, 1 answer and " in reply.text
    assert "Discord: messages there stay" in reply.text
    assert "the model provider" in reply.text
    assert "backups with keys" in reply.text
    assert "in the log's headers" in reply.text
    assert "What you set for yourself (`config`) goes with it" in reply.text
    assert "what others typed about you, which is theirs" in reply.text
    assert reply.text.endswith("To do it: `!memory erase yes`")
    assert reply.confirm == ""
    assert await world.knows("kim")


@pytest.mark.parametrize("told", [BEYOND_PERSON, BEYOND_GUILD], ids=["person", "guild"])
def test_every_receipt_names_whom_the_words_were_sent_to(told: tuple[str, ...]) -> None:
    for who in ("Discord", "the model provider", "the encoder's where there is one", "backups with keys", "`dnam log`"):
        assert any(who in line for line in told), who


async def test_where_there_are_buttons_one_confirms_it_and_no_word_does(world: World) -> None:
    await world.says("kim", "I like tea")
    for typed in ("erase", "erase yes", "erase sure"):
        reply = await world.replies("kim", typed, has_buttons=True)
        assert (reply.confirm, reply.failed) == ("erase", False)
        assert reply.text.endswith("To do it, press *Erase everything* below.")
        assert "erase yes" not in reply.text
    assert events(world.memory, PersonErased) == []
    done = await confirmed(world.assistant, await world.asked_by("kim", has_buttons=True), "erase")
    assert done.text.startswith("**Erased.**")
    assert len(events(world.memory, PersonErased)) == 1


async def test_help_tells_the_word_only_where_it_confirms(world: World) -> None:
    assert "`!memory erase [yes]`: " in (await world.replies("kim", "help")).text
    assert "`!memory erase`: " in (await world.replies("kim", "help", has_buttons=True)).text


async def test_typed_it_is_confirmed_by_a_word(world: World) -> None:
    await world.says("kim", "I like tea")
    await world.says("ada", "I like coffee")
    no = await world.replies("kim", "erase please")
    assert (no.failed, no.text) == (True, "To erase everything, confirm it: `!memory erase yes`.")
    done = await world.replies("kim", "erase YES")
    assert done.text.startswith("**Erased.** The keys to everything that was yours are destroyed")
    assert "3 messages, 1 answer and " in done.text
    assert "tea" not in done.text
    assert not await world.knows("kim")
    assert await world.knows("ada")
    (event,) = events(world.memory, PersonErased)
    assert event.by == By("person", NOBODY)  # what lies in the clear names nobody
    await world.settled()
    assert unfinished(world.memory.engine) == []
    (completed,) = events(world.memory, ErasureCompleted)
    assert completed.by == event.by  # nobody else had it done
    assert (await world.replies("kim", "show")).failed is False  # somebody new


async def test_where_others_read_along_nothing_is_counted(world: World) -> None:
    await world.says("kim", "a secret in my own messages")
    plan = await world.replies("kim", "erase", OPEN)
    done = await world.replies("kim", "erase yes", OPEN)
    for reply in (plan, done):
        assert "message" in reply.text
        assert not any(f"{number} message" in reply.text for number in range(9))
        assert "under" not in reply.text


async def test_who_is_not_known_has_nothing_to_erase(world: World) -> None:
    asked = Invocation((await world.asked_by("ada")).setting._replace(person=NOBODY), "local:dm:x")
    call = read("!memory erase")
    assert call is not None
    for reply in (await run(world.assistant, asked, call), await confirmed(world.assistant, asked, "erase")):
        assert reply == Reply(NOTHING, failed=True)


async def test_who_was_erased_meanwhile_has_nothing_to_erase(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = await world.asked_by("kim")
    monkeypatch.setattr("dnam.commands.erase.whoever_asks", _constant(asked.person))
    await asyncio.to_thread(erase, world.memory.engine, asked.person)
    assert await confirmed(world.assistant, asked, "erase") == Reply(NOTHING, failed=True)


def _constant(value: object) -> Callable[..., object]:
    async def constant(*_: object) -> object:
        return value

    return constant


def _folder(world: World) -> Path:
    store = world.memory.engine.store
    assert isinstance(store, DiskStore)
    return store.path


async def test_exports_in_the_folder_are_counted_and_go(world: World) -> None:
    await world.says("kim", "I like tea")
    export = await world.replies("kim", "export", has_buttons=True)
    assert export.file is not None
    path = _folder(world) / "kim.json"
    path.write_bytes(export.file.data)
    assert "Exports in my folder that held you, removed: 1." in (await world.replies("kim", "erase yes")).text
    assert not path.exists()


async def test_a_file_that_cannot_be_removed_yet_does_not_make_it_undone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise LogFull("the disk is full")

    monkeypatch.setattr("dnam.erasing.person.sweep", full)
    await world.says("kim", "I like tea")
    done = await world.replies("kim", "erase yes")
    assert (done.failed, done.text.partition(" ")[0]) == (False, "**Erased.**")
    assert "if that is broken off, it is finished at my next start" in done.text
    assert [str(each) for each in world.memory.engine.view_errors] == ["the disk is full"]


async def test_a_memory_without_a_folder_is_erased_too() -> None:
    from dnam.languages import load
    from replay.engine import Engine

    world = World(Memory(Engine.in_memory(FakeClock()), settings(), load("en")))
    await world.says("kim", "I like tea")
    assert "1 key" in (await world.replies("kim", "erase yes")).text
    assert not await world.knows("kim")
    await world.settled()
    world.memory.engine.close()


# -- opting out and in ---------------------------------------------------------------------------------------------


async def test_who_opts_out_is_not_recorded_and_may_still_take_back(world: World) -> None:
    await world.says("kim", "I like tea")
    item = (await world.replies("kim", "remember I like tea")).items[0]
    asked = await world.asked_by("kim")
    assert (await world.replies("kim", "opt-out")).text.startswith(OUT)
    size = world.memory.engine.head().size
    heard = await world.memory.heard("kim", "and coffee")
    assert heard.person == NOBODY
    assert (await world.replies("kim", "opt-out")).text.startswith(OUT_ALREADY)
    assert world.memory.engine.head().size == size
    (event,) = events(world.memory, PersonOptedOut)
    assert event.by == By("person", NOBODY)
    for words in ("remember I like coffee", f"edit {item.id} I like coffee", "extract"):
        assert await _run(world, asked, words) == Reply(OPTED_OUT, failed=True)
    menu = next(each for each in MENUS if each.changes)
    pointed = Pointed(Ref(LOCAL, "1"), 1, "I like coffee", by_asker=True)
    assert await point(world.assistant, asked, menu, pointed) == Reply(OPTED_OUT, failed=True)
    assert world.memory.engine.head().size == size
    assert (await _run(world, asked, f"forget {item.id}")).text.startswith("Forgot 1 item(s).")
    assert (await world.replies("kim", "opt-in")).text == IN
    assert (await world.replies("kim", "opt-in")).text == IN_ALREADY
    assert (await world.memory.heard("kim", "and coffee")).person == asked.person


@pytest.mark.parametrize(("has_buttons", "prefix"), [(True, "/memory"), (False, "!memory")])
async def test_who_opts_out_is_told_of_commands_that_are_answered(world: World, has_buttons: bool, prefix: str) -> None:
    """A typed one is not, where the bot answers nobody: there `/memory` works all the same."""
    reply = await world.replies("kim", "opt-out", has_buttons=has_buttons)
    assert f"`{prefix} erase`" in reply.text
    assert f"`{prefix} opt-in`" in reply.text


async def test_who_cannot_be_opted_out_just_now_is_told_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = await world.asked_by("kim")

    def full(_: object) -> None:
        raise LogFull("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(world.memory.engine, "hand_in", full)
        assert await _run(world, asked, "opt-out") == Reply(NOT_OUT, failed=True)
    assert "the disk is full" in " ".join(world.assistant.failures)
    assert (await _run(world, asked, "opt-out")).text.startswith(OUT)


async def _run(world: World, asked: Invocation, words: str) -> Reply:
    call = read(f"!memory {words}")
    assert call is not None
    return await run(world.assistant, asked, call)


async def test_who_opted_out_may_undo_what_they_remembered_and_nothing_else(world: World) -> None:
    await world.says("kim", "I like tea")
    for words in ("remember I like tea", "remember I like rain", "forget I like tea", "remember I like cats"):
        await world.replies("kim", words)
    asked = await world.asked_by("kim")
    await world.replies("kim", "opt-out")
    told = await _run(world, asked, "undo")
    assert told.text.startswith("Undone `remember`: this is forgotten.\n- [fact] I like cats")
    size = world.memory.engine.head().size
    assert await _run(world, asked, "undo") == Reply(OPTED_OUT, failed=True)
    assert world.memory.engine.head().size == size
    assert told.undo is not None
    undone = told.undo
    again = await guarded(world.assistant, asked, "Undo", lambda: undo_change(world.assistant, asked, undone))
    assert again.failed
    assert world.memory.engine.head().size == size
    await world.replies("kim", "opt-in")
    assert (await _run(world, asked, "undo")).text.startswith("Undone `forget`: ")


async def test_what_they_had_set_is_not_undone_for_who_opted_out(world: World) -> None:
    await world.says("kim", "I like tea")
    await world.replies("kim", "config set me learn=none")
    asked = await world.asked_by("kim")
    await world.replies("kim", "opt-out")
    assert await _run(world, asked, "undo") == Reply(OPTED_OUT, failed=True)


async def test_who_opted_out_may_export_and_erase(world: World) -> None:
    await world.says("kim", "I like tea")
    await world.replies("kim", "opt-out")
    exported = await world.replies("kim", "export", has_buttons=True)
    assert exported.file is not None
    assert (await world.replies("kim", "erase yes")).text.startswith("**Erased.**")
    assert (await world.memory.heard("kim", "hello again")).person == NOBODY


async def test_who_has_no_account_here_can_record_nothing(world: World) -> None:
    asked = Invocation((await world.asked_by("ada")).setting._replace(person=NOBODY), "local:dm:x")
    for words in ("opt-out", "opt-in"):
        assert await _run(world, asked, words) == Reply(NOBODY_KNOWN, failed=True)


# -- export --------------------------------------------------------------------------------------------------------


async def test_all_that_is_theirs_is_a_file_for_them(world: World) -> None:
    await world.says("kim", "I like tea")
    reply = await world.replies("kim", "export", has_buttons=True)
    assert reply.text == SENT
    assert reply.file is not None
    assert reply.file.name == NAME
    value = json.loads(reply.file.data)
    assert [each["text"] for each in value["messages"]] == ["I like tea", "hello"]


async def test_where_no_file_can_be_sent_it_says_what_to_type(world: World) -> None:
    person = await world.memory.person("kim", make=True)
    told = "I cannot hand out a file here. In a shell: `dnam export {} --out memory.json{}`"
    assert (await world.replies("kim", "export")).text == told.format("kim", "")
    asked = (await world.asked_by("kim"))._replace(is_told_why=True)
    assert (await _run(world, asked, "export")).text == told.format("kim", f" --data {_folder(world)}")
    await world.memory.meet(Account("elsewhere", "kim", "kim"))
    assert (await world.replies("kim", "export")).text == told.format(person.hex(), "")


async def test_what_is_too_large_for_a_message_is_not_sent(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnam.commands.export.MOST_BYTES", 10)
    reply = await world.replies("kim", "export", has_buttons=True)
    assert (reply.failed, reply.file) == (True, None)
    assert "`dnam export`" in reply.text


async def test_of_whom_nothing_is_kept_nothing_is_exported(world: World) -> None:
    asked = Invocation((await world.asked_by("ada")).setting._replace(person=NOBODY), "local:dm:x", has_buttons=True)
    assert (await _run(world, asked, "export")).failed


# -- what was under way --------------------------------------------------------------------------------------------


async def learning(world: World, *users: str) -> "list[asyncio.Task[None]]":
    """Everybody is being learned from, and the model has been asked about each."""
    for user in users:
        await world.says(user, "I like tea")
    world.model.hold("extraction")
    people = [await world.memory.person(user) for user in users]
    for person in people:
        world.model.reached["extraction"].clear()
        world.assistant._start_learning(person, "test")
        await world.model.reached["extraction"].wait()
    return list(world.assistant._jobs._tasks.values())


async def test_a_call_for_somebody_who_erases_themself_is_given_up(world: World) -> None:
    (job,) = await learning(world, "kim")
    await world.replies("kim", "erase yes")
    await asyncio.wait({job})
    assert job.cancelled()
    assert events(world.memory, ExtractionAnswered, ExtractionFailed, JobFailed) == []


@pytest.mark.parametrize("way", ["erased", "opted out"])
async def test_work_that_ends_after_that_writes_nothing_and_is_no_failure(world: World, way: str) -> None:
    """Somebody else's process did it, so that nothing was given up here."""
    (job,) = await learning(world, "kim")
    kim = await world.memory.person("kim")
    if way == "erased":
        await asyncio.to_thread(erase, world.memory.engine, kim)
    else:
        await _opted_out_elsewhere(world)
    size = world.memory.engine.head().size
    world.model.let_go()
    await asyncio.wait({job})
    assert job.exception() is None
    assert world.memory.engine.head().size == size
    assert len(world.assistant.failures.after(0)) == 0
    assert world.memory.engine.store.ring.listing(kim) == [] or way == "opted out"
    assert await world.assistant.extract(kim) == []  # nor is it tried again


async def _opted_out_elsewhere(world: World) -> None:
    from dnam.consenting import consent

    assert await consent(world.memory, NOBODY, (Account(LOCAL, "kim"),), out=True)


async def test_others_are_learned_from_all_the_same(world: World) -> None:
    jobs = await learning(world, "kim", "ada")
    await world.replies("kim", "erase yes")
    world.model.let_go()
    await asyncio.wait(jobs)
    answered = events(world.memory, ExtractionAnswered)
    assert [each.owner for each in answered] == [await world.memory.person("ada")]


async def test_a_merge_of_what_is_gone_is_no_failure(world: World) -> None:
    from dnam.jobs import Job
    from replay.errors import ErasedMeanwhile

    assert isinstance(world.assistant, Background)
    await world.assistant.went_wrong(Job("merge", "x"), ErasedMeanwhile("gone"))
    assert len(world.assistant.failures.after(0)) == 0


async def test_a_call_for_somebody_whom_another_process_erased_is_given_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: asyncio.Queue[float] = asyncio.Queue()
    looks: asyncio.Queue[None] = asyncio.Queue()

    async def pause(seconds: float) -> None:
        asked.put_nowait(seconds)
        await looks.get()

    kims, adas = await learning(world, "kim", "ada")
    kim = await world.memory.person("kim")
    async with letting_go(world.assistant, pause):
        await asked.get()
        looks.put_nowait(None)  # nothing was erased
        await asked.get()
        await asyncio.to_thread(erase, world.memory.engine, kim)
        with monkeypatch.context() as broken:
            broken.setattr(world.memory.engine, "reading", _cannot_be_read)
            looks.put_nowait(None)
            await asked.get()
        assert not kims.done()
        looks.put_nowait(None)
        await asyncio.wait({kims})
        assert kims.cancelled()
        assert not adas.done()
    world.model.let_go()
    await asyncio.wait({adas})


def _cannot_be_read() -> None:
    raise LogFull("not just now")


async def answering(world: World, user: str) -> tuple[Exchanges, Exchange]:
    """An answer that was thought and is not recorded yet; the place's window holds what others said."""
    exchanges = Exchanges(world.assistant, Unwritten())
    who = Account(LOCAL, user, user)
    request = HeardRequest("q1", OPEN, "person", who, "who likes tea?", world.memory.now(), (), addressed=True)
    exchange = await exchanges.hear(request)
    await exchanges.think(exchange)
    return exchanges, exchange


async def test_an_answer_that_drew_on_who_was_erased_is_not_kept_nor_given_again(world: World) -> None:
    await world.says("kim", "I like tea", OPEN)
    exchanges, exchange = await answering(world, "ada")
    await asyncio.to_thread(erase, world.memory.engine, await world.memory.person("kim"))
    before = events(world.memory, TurnAnswered)
    await exchanges.answered(exchange)
    await exchanges.delivered(exchange)
    assert events(world.memory, TurnAnswered) == before
    (failed,) = events(world.memory, TurnFailed)
    assert isinstance(failed, TurnFailed)
    assert (failed.error, failed.told, failed.call.tokens_out) == (DREW, "", 2)
    assert (len(exchanges.unwritten), len(exchanges.unwritten.lost.after(0))) == (0, 0)
    point = exchange.heard.point
    assert await world.memory.look(lambda rows: is_settled(rows, point))


async def test_of_an_answer_to_who_was_erased_nothing_is_kept(world: World) -> None:
    exchanges, exchange = await answering(world, "kim")
    await asyncio.to_thread(erase, world.memory.engine, await world.memory.person("kim"))
    size = world.memory.engine.head().size
    await exchanges.answered(exchange)
    await exchanges.delivered(exchange)
    assert world.memory.engine.head().size == size
    assert (len(exchanges.unwritten), len(exchanges.unwritten.lost.after(0))) == (0, 0)


# -- what is said behind a forget --------------------------------------------------------------------------------------


async def test_an_answer_that_repeats_what_was_forgotten_is_in_no_search_and_raises_nothing(world: World) -> None:
    """It had the message in its window still: no word of it confirms a guess of anybody who may search there."""
    memory = world.memory
    world.assistant = Assistant(memory, HeldModel({"extraction": lambda _: QUOTED}))
    await world.says("ada", "I like tea", OPEN)
    await world.replies("ada", "extract", OPEN)
    await world.replies("ada", "forget likes tea", OPEN)
    heard = await memory.heard("ben", "what does Ada like?", place=OPEN)
    context = await memory.context(heard)
    assert "I like tea" in context.window.words, "it stands there still"
    turn = await memory.answered(heard, context, "From our conversation: I like tea, Ada says.")
    await memory.delivered(heard, turn)
    for number in range(12):
        await memory.heard("ben", f"the gate is open, {number}", place=OPEN)
    where = [Context(heard.session, heard.setting)]

    async def found(word: str) -> Hits:
        sought = Sought(word, memory.now(), 50, 50, beside=True)
        return await memory.look(lambda rows: search(rows, where, sought))

    for word in ("tea", "teax", "zanzibar"):
        assert (await found(word)) == Hits()
    await world.replies("ada", f"restore {derive('preference', 'likes tea')}", OPEN)
    answers = [each.row.text for each in (await found("tea")).said if isinstance(each.row, TurnRow)]
    assert "From our conversation: I like tea, Ada says." in answers
