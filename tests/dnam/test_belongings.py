"""Everything of one person's, and nothing of anybody else's."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dnam.assistant import Assistant
from dnam.cli.screen import jsonable
from dnam.exports.belongings import THEMSELF, Belongings, Happened, belongings
from dnam.exports.belongings_json import as_json
from dnam.exports.belongings_page import page
from dnam.memory import Memory
from dnam.times import iso
from dnam.whereabouts import in_direct, with_handles
from projections.decisions.draft import Draft
from projections.decisions.hear import HeardRequest, Mention, hear, message_identity
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import ConfigSet, ItemMoved, ItemRefused, ItemUpserted, PersonNoted, PersonOptedOut
from projections.events.event import Event
from projections.events.values import OPERATOR, Audience, By, Evidence, Item, Source
from projections.ids import EventId, Ref
from projections.items import items_of
from projections.messages import spoken_in, units_of
from projections.people import SOMEONE, accounts_of
from projections.policies.compartments import Setting, direct, everywhere, in_guild
from replay.erasure import erase
from tests.dnam.cli.memories import GARDEN, GENERAL, STAFF
from tests.dnam.scripted import FakeClock, ScriptedModel
from tests.replay.stage import event_id
from tests.world import NOW

KIM = Account("discord", "1000000001", "Kim")
INES = Account("discord", "2000000002", "Ines")
TOBI = Account("discord", "3000000003", "Tobi")


def heard(who: Account, text: str, key: str, place: PlaceSeen | None = GENERAL, **more: Any) -> HeardRequest:
    where = place or PlaceSeen("discord", "", "direct", "", "direct", partner=who)
    said = NOW + int(key) * 1000
    return with_handles(HeardRequest(key, where, "person", who, text, said, (), **more))


async def say(memory: Memory, request: HeardRequest) -> None:
    await memory.record(lambda rows: hear(rows, request))


async def record(memory: Memory, *events: Event) -> None:
    drafts = [Draft(event_id(f"{memory.engine.head().size} {n}"), each) for n, each in enumerate(events)]
    await memory.record(lambda rows: drafts)


async def talk(memory: Memory) -> None:
    """Kim among others: mentioned, quoted, replied to, answered in public and in a DM."""
    await say(memory, heard(INES, "Kim, the secret of Ines is a fern", "1", mentions=(Mention(0, KIM),)))
    asks = heard(KIM, "thanks !, I like moss", "2", mentions=(Mention(7, INES),), reply_to=Ref("discord", "1"))
    await say(memory, asks)
    await say(memory, heard(TOBI, "I saw Kim plant cacti", "3", STAFF))
    await say(memory, heard(KIM, "moss is best", "4", mentions=(Mention(0, TOBI, "quote"),)))
    question = await memory.hear(heard(KIM, "what does everybody like?", "5"))
    await memory.answered(question, await memory.context(question), "Fern for one, moss for the other.")
    alone = await memory.hear(heard(KIM, "what do I like?", "6", None))
    await memory.answered(alone, await memory.context(alone), "You like moss.")
    await memory.answered(await memory.hear(heard(INES, "and me?", "7", None)), await memory.context(alone), "Ferns!")


async def remember(memory: Memory) -> None:
    """An item with a life, of Kim's; one of Ines's; a summary of Kim's DM; a note and a setting."""
    kim = await memory.person(KIM.id, platform="discord")
    ines = await memory.person(INES.id, platform="discord")
    in_general = Setting(kim, Audience("guild", Ref("discord", "1")), GARDEN)
    item = await memory.remember(kim, "likes moss", setting=in_general)
    await memory.edit(kim, item.id, "likes moss most")
    await memory.remember(kim, "hates frost", setting=in_direct(kim, "discord"))
    await memory.forget(kim, "hates frost")
    await memory.remember(ines, "grows ferns in secret", setting=in_general._replace(person=ines))
    assistant = Assistant(memory, ScriptedModel({"summary": lambda _: "Moss was talked of."}))
    assert await assistant.summarise(f"discord:dm:{kim.hex()}", Audience("direct", _dm(kim)), kim)
    await record(memory, PersonNoted(said=NOW, by=OPERATOR, person=kim, note="waters on Mondays"))
    await record(memory, PersonNoted(said=NOW, by=OPERATOR, person=ines, note="knows ferns"))
    own = ConfigSet(said=NOW, by=OPERATOR, scope=f"person/{kim.hex()}", key="tone", value="dry", person=kim)
    await record(memory, own)
    await record(memory, ConfigSet(said=NOW, by=OPERATOR, scope="global", key="tone", value="ferny"))


def _dm(person: bytes) -> Ref:
    return Ref("discord", f"dm:{person.hex()}")


def theirs(path: Path, *actions: Callable[[Memory], Awaitable[object]], user: str = KIM.id) -> Belongings:
    async def acting() -> Belongings:
        async with Memory.open(path, clock=FakeClock(NOW + 100_000)) as memory:
            for action in actions:
                await action(memory)
            person = await memory.person(user, platform="discord")
            folding = memory.engine.live.folding
            return await memory.look(lambda rows: belongings(rows, folding, person, "dnam", NOW))

    return asyncio.run(acting())


def when(milliseconds: int | None) -> str:
    return iso(milliseconds) or ""


@pytest.fixture
def of_kim(tmp_path: Path) -> Belongings:
    return theirs(tmp_path, talk, remember)


def test_what_they_said_everywhere_is_there(of_kim: Belongings) -> None:
    assert [(each.where, each.text) for each in of_kim.messages] == [
        ("general", "thanks @someone!, I like moss"),
        ("general", "@someonemoss is best"),
        ("general", "what does everybody like?"),
        ("direct messages", "what do I like?"),
    ]


def test_their_direct_conversation_is_there_whole(of_kim: Belongings) -> None:
    (conversation,) = of_kim.direct
    assert (conversation.session, conversation.summary) == (f"discord:dm:{KIM.id}", "Moss was talked of.")
    assert [(each.by, each.text) for each in conversation.lines] == [
        (THEMSELF, "what do I like?"),
        ("dnam", "You like moss."),
    ]


def test_items_have_their_lives(of_kim: Belongings) -> None:
    lives = {each.text: [(step.what, step.by, step.text, step.status) for step in each.life] for each in of_kim.items}
    assert lives == {
        "likes moss most": [
            ("remembered", THEMSELF, "likes moss", "active"),
            ("upserted", THEMSELF, "likes moss most", "active"),
        ],
        "hates frost": [
            ("remembered", THEMSELF, "hates frost", "active"),
            ("forgotten", THEMSELF, "hates frost", "forgotten"),
        ],
    }
    assert [each.text for each in of_kim.taken_back] == ["hates frost"]


def test_a_life_is_told_from_before_it_moved(tmp_path: Path) -> None:
    async def moving(memory: Memory) -> None:
        kim = await memory.person(KIM.id, platform="discord")
        item = await memory.remember(kim, "likes moss", setting=in_direct(kim, "discord"))
        there = msgspec.structs.replace(item, compartment=everywhere(kim))
        for old, new in ((item, there), (there, item)):
            moved = ItemMoved(said=NOW, by=OPERATOR, item=new, from_compartment=old.compartment, from_id=old.id)
            await record(memory, moved)

    (item,) = theirs(tmp_path, talk, moving).items
    assert [step.what for step in item.life] == ["remembered", "moved", "moved"]
    assert item.where == "in direct messages"


def test_names_notes_and_settings_are_theirs(of_kim: Belongings) -> None:
    assert [(each.platform, each.id, each.name, each.opted_out) for each in of_kim.accounts] == [(*KIM[:3], False)]
    assert [each.name for each in of_kim.names] == ["Kim"]
    assert [each.text for each in of_kim.notes] == ["waters on Mondays"]
    assert [(each.key, each.text) for each in of_kim.settings] == [("tone", "dry")]


def test_nobody_else_gets_in(tmp_path: Path, of_kim: Belongings) -> None:
    others = [theirs(tmp_path, user=each.id) for each in (INES, TOBI)]
    data = msgspec.json.encode(jsonable(of_kim)).decode() + page(of_kim, when)
    for other in others:
        for hidden in (other.name, other.person.hex(), *(each.id for each in other.accounts)):
            assert hidden not in data
    words = ("fern", "cacti", "secret of", "in secret", "Fern for one", "Ferns!", "knows", "ferny")
    assert [each for each in words if each in data] == []
    of_others = b"".join(msgspec.json.encode(jsonable(other)) for other in others)
    assert b"secret" in of_others
    assert b"cacti" in of_others


def test_words_of_others_under_an_item_stay_out(tmp_path: Path) -> None:
    async def quoting(memory: Memory) -> None:
        kim = await memory.person(KIM.id, platform="discord")
        ines = await memory.person(INES.id, platform="discord")
        own, other = await memory.look(lambda rows: tuple(_first(rows, each) for each in (kim, ines)))
        evidence = (Evidence("moss", own), Evidence("secret fern", other), Evidence("cacti", ref=Ref("discord", "3")))
        source = Source("model")
        item = Item("durable-1", kim, everywhere(kim), "fact", "has plants", NOW, NOW, source, evidence=evidence)
        await record(memory, ItemUpserted(said=NOW, by=By("model", name="offline", version="1"), item=item))
        shared = msgspec.structs.replace(item, id="durable-2", text="has a spade")
        await record(memory, ItemUpserted(said=NOW, by=By("person", ines), item=shared))
        refused = ItemRefused(
            said=NOW, by=OPERATOR, owner=kim, compartment=direct(kim), kind="fact", text="hates frost",
            reason="taken back before", policy="refusals@1",
        )  # fmt: skip
        hashed = memory.engine.store.ring.keyed_hash(KIM.platform, KIM.id)
        await record(memory, refused, PersonOptedOut(said=NOW, by=OPERATOR, hashes=(hashed,)))

    found = theirs(tmp_path, talk, quoting)
    by_id = {each.id: each for each in found.items}
    assert [each.text for each in by_id["durable-1"].quotes] == ["moss"]
    assert [step.by for each in found.items for step in each.life] == ["model offline 1", "someone"]
    assert [(each.text, each.why) for each in found.refused] == [("hates frost", "taken back before")]
    assert found.accounts[0].opted_out
    shown = page(found, when)
    assert "you said: “moss”" in shown
    assert "opted out" in shown
    assert "## Refused" in shown


def _first(rows: Any, person: Any) -> EventId:
    return next(iter(spoken_in(rows, person, units_of(rows, person)[0]))).id


def test_the_page_takes_nobody_s_words_for_its_own(tmp_path: Path) -> None:
    async def shouting(memory: Memory) -> None:
        await say(memory, heard(KIM, "# Accounts\n- *root* <b>[x](y)", "1"))

    shown = page(theirs(tmp_path, shouting), when)
    assert "\\# Accounts - \\*root\\* \\<b\\>\\[x\\](y)" in shown
    assert shown.count("\n## Accounts") == 1


def test_lore_in_their_words_is_there_whoever_kept_it_and_no_other(tmp_path: Path) -> None:
    async def kept(memory: Memory) -> None:
        kim, ines, tobi = [await memory.person(each.id, platform="discord") for each in (KIM, INES, TOBI)]
        guild = in_guild(GARDEN)

        def heard_as(key: str) -> Evidence:
            return Evidence("words", event_of(memory, key), Ref("discord", key))

        await memory.remember_nobodys(guild, "The garden opens at eight", by=By("person", kim))
        await memory.remember_nobodys(guild, "The shed is locked", by=By("person", ines))
        await memory.remember_nobodys(guild, "The hose is green", by=OPERATOR)
        of_kims = [heard_as("2"), heard_as("4")]
        await memory.remember_nobodys(guild, "Moss is best", by=By("person", tobi), evidence=of_kims)
        await memory.remember_nobodys(
            guild, "Moss and fern", by=By("person", kim), evidence=[heard_as("1"), heard_as("2")]
        )
        await memory.forget_nobodys(guild, "The garden opens at eight", by=OPERATOR)

    of = theirs(tmp_path, talk, kept)
    assert [(each.text, each.status) for each in of.lore] == [
        ("The garden opens at eight", "forgotten"),
        ("Moss is best", "active"),
    ]
    written, others = of.lore
    assert ([each.by for each in written.life], written.quotes) == ([THEMSELF, "the operator"], ())
    assert ([each.by for each in others.life], len(others.quotes)) == ([SOMEONE], 2)
    assert INES.name not in as_json(of).decode()
    told = page(of, when)
    assert "## What is nobody's, in your words\n\n### The garden opens at eight\n" in told
    assert "The shed is locked" not in told


def event_of(memory: Memory, key: str) -> EventId:
    with memory.engine.reading() as rows:
        return rows.ids.event_id(message_identity("discord", key, "heard", NOW + int(key) * 1000))


def test_it_says_what_is_left_out(of_kim: Belongings) -> None:
    assert any("others wrote" in each for each in of_kim.left_out)
    assert "## What is not in here" in page(of_kim, when)


def test_an_account_of_nobody_has_no_belongings(tmp_path: Path, of_kim: Belongings) -> None:
    async def gone(memory: Memory) -> None:
        kim = await memory.person(KIM.id, platform="discord")
        await asyncio.to_thread(erase, memory.engine, kim)
        assert await memory.look(lambda rows: list(accounts_of(rows, kim)) + list(items_of(rows, kim))) == []
        folding = memory.engine.live.folding
        left = await memory.look(lambda rows: belongings(rows, folding, kim, "dnam", NOW))
        assert (left.name, left.messages, left.items, left.direct, left.notes) == ("someone", (), (), (), ())

    theirs(tmp_path, gone, user=INES.id)


def test_the_page_says_what_happened_as_other_lists_do_and_by_whom_by_name(tmp_path: Path) -> None:
    of = theirs(tmp_path, talk, remember)
    told = page(of, when).splitlines()
    steps = [
        line.partition(" ")[2].partition(" ")[2].partition(" (")[0]
        for line in told
        if "Z " in line and " by Kim" in line
    ]
    assert steps == ["remembered by Kim", "changed by Kim", "remembered by Kim", "forgotten by Kim"]
    assert any(line.endswith(" Kim: what do I like?") for line in told)
    assert not any("themself" in line or "upserted" in line for line in told)


@pytest.mark.parametrize(
    ("before", "text", "word"),
    [(None, "tea", "added"), (("tea", "active"), "tea", "confirmed"), (("tea", "active"), "rain", "changed"),
     (("tea", "evicted"), "tea", "revived")],
)  # fmt: skip
def test_a_model_s_step_is_told_by_what_it_did(
    of_kim: Belongings, before: tuple[str, str] | None, text: str, word: str
) -> None:
    step = Happened(NOW, NOW, "upserted", "model m 1", text, "active", "", "", "")
    life = (
        (step,)
        if before is None
        else (msgspec.structs.replace(step, what="first", text=before[0], status=before[1]), step)
    )
    item = msgspec.structs.replace(of_kim.items[0], life=life)
    told = page(msgspec.structs.replace(of_kim, items=(item,)), when)
    assert f" {word} by model m 1: {text}" in told
