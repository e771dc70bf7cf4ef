"""What was moved, cleared or taken back stays so, whatever goes later: the message behind the last change, or a person
whose words were in it too.
"""

from dnam.erasing.guild import erase_whole_guild
from projections.ids import NOBODY, Handle
from projections.items import items_of
from projections.summaries import find_summary
from tests.privacy.town import EVERY_TURN, GARDEN, OWNER, Town, ref, town

JARS = "I like the round jars zqroundqz"
GATE = "everybody knows the gate opens at nine with zqgateqz"
NEW_ERAS = dict(EVERY_TURN, era_refreshes="1")


async def kept(made: Town, owner: Handle) -> set[tuple[str, str]]:
    """The status and the kind of compartment of each item of an owner."""
    rows = await made.memory.look(lambda rows: [found.row.item for found in items_of(rows, owner)])
    return {(item.status, item.compartment.replace(owner.hex() or "-", "P").partition("/discord")[0]) for item in rows}


async def said_in(made: Town, person: str, key: str) -> tuple[int, str] | None:
    """The era and the text of the summary in force."""
    here = await made.here(person, key)
    found = await made.memory.look(lambda rows: find_summary(rows, here.session, here.setting.audience.epoch))
    return None if found is None else (found.row.era, found.row.text)


async def test_what_is_kept_private_stays_so_when_the_message_goes_that_it_was_said_again_in() -> None:
    async with town(EVERY_TURN) as made:
        await made.says("kim", "dm kim", JARS)
        kim = await made.handle("kim")
        (item,) = await made.items("kim")
        await made.command("kim", "dm kim", f"share {item.id}")
        await made.says("kim", "dm kim", JARS)
        assert await kept(made, kim) == {("active", "person/P/everywhere"), ("active", "person/P/direct")}
        await made.command("kim", "dm kim", f"keep-private {item.id}")
        await made.deletes(made.messages[1])
        assert await kept(made, kim) == {("active", "person/P/direct")}
        assert "zqroundqz" not in (await made.prompt("kim", "docks")).text


async def closed(made: Town, *speakers: str, text: str) -> None:
    """Said in an open channel, which fewer can read from then on."""
    for speaker in speakers:
        await made.says(speaker, "terrace", text)
    made.oracle.places["terrace"].members = {"kim", "ada"}
    made.oracle.close("terrace")
    await made.compares()


async def test_what_moved_with_a_channel_that_closed_does_not_return_with_a_message_that_goes() -> None:
    async with town(EVERY_TURN) as made:
        await closed(made, "kim", "kim", text=JARS)
        await made.deletes(made.messages[1])
        assert await kept(made, await made.handle("kim")) == {("active", "person/P/channel")}
        made.check(await made.prompt("kim", "general"))


async def test_lore_that_moved_does_not_return_with_the_erasure_of_who_said_it_too() -> None:
    async with town(EVERY_TURN) as made:
        await closed(made, "kim", "ada", text=GATE)
        assert await kept(made, NOBODY) == {("active", "channel")}
        await made.erases("ada")
        assert await kept(made, NOBODY) == set()
        made.check(await made.prompt("kim", "general", "when does the gate open?"))


async def test_lore_that_was_taken_back_does_not_return_with_the_erasure_of_who_said_it_too() -> None:
    async with town(EVERY_TURN) as made:
        await made.says("kim", "general", GATE)
        await made.says("ada", "terrace", GATE)
        rows = await made.memory.look(lambda rows: [found.row.item for found in items_of(rows, NOBODY)])
        (item,) = rows
        await made.command(OWNER, "general", f"forget {item.id}")
        await made.erases("ada")
        assert await kept(made, NOBODY) == set()
        assert "zqgateqz" not in (await made.prompt("kim", "stage", "when does the gate open?")).text
        assert not (await made.memory.nobodys(item.compartment))


async def a_summary_of_two(made: Town) -> None:
    """A summary of Kim's words alone, and behind it one in a new era that read Ada's too."""
    made.oracle.guilds[GARDEN].add("ada")
    await made.says("kim", "general", "I like jars named zqsecretqz")
    assert await said_in(made, "kim", "general") == (0, "I heard of zqsecretqz")


async def the_next_era(made: Town) -> None:
    await made.says("ada", "general", "nice weather zqweatherqz", addressed=False)
    for number in range(24):
        await made.says("kim", "general", f"line {number} of my long story", addressed=False)
    await made.says("kim", "general", "and so it ended")


async def test_a_summary_with_what_was_forgotten_does_not_return_with_an_erasure() -> None:
    async with town(NEW_ERAS) as made:
        await a_summary_of_two(made)
        await made.command("kim", "general", "forget I like jars named zqsecretqz")
        await the_next_era(made)
        assert await said_in(made, "kim", "general") == (1, "I heard of zqweatherqz")
        await made.erases("ada")
        assert await said_in(made, "kim", "general") == (1, ""), "it is made anew"
        assert "zqsecretqz" not in (await made.prompt("kim", "general")).text, "nor its era's answers"
        assert "zqsecretqz" not in (await made.transparent("kim", "general")).text


async def test_a_summary_that_was_cleared_does_not_return_with_an_erasure() -> None:
    async with town(NEW_ERAS) as made:
        await a_summary_of_two(made)
        await the_next_era(made)
        await made.command("kim", "general", "reset rolling")
        await made.erases("ada")
        assert await said_in(made, "kim", "general") == (1, "")


async def test_a_server_that_is_erased_keeps_nothing_of_lore_that_was_taken_back_or_moved() -> None:
    async with town(EVERY_TURN) as made:
        await made.command(OWNER, "general", "lore the old gate code was zqgonequz")
        rows = await made.memory.look(lambda rows: [found.row.item for found in items_of(rows, NOBODY)])
        await made.command(OWNER, "general", f"forget {rows[0].id}")
        await closed(made, "kim", "ada", text=GATE)
        await erase_whole_guild(made.memory, ref(GARDEN))
        left = "".join(repr(event) for event in made.events())
        assert "zqgonequz" not in left
        assert "zqgateqz" not in left
