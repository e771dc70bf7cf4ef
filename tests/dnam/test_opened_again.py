"""A channel that fewer could read for a while: what was kept there is told in direct messages alone, and every reply
says so, and how it is told elsewhere again (design §7: widening opens nothing old).
"""

from collections.abc import AsyncIterator
from functools import partial

import pytest

from dnam.commands.command import Invocation, Reply
from dnam.commands.picking import BEFORE
from dnam.commands.table import read, run
from dnam.finding import whereabouts
from dnam.whereabouts import in_direct
from dnam.why_not import WhyNot, why_not
from projections.decisions.audience import AudienceRequest, change_audience
from projections.events.values import OPERATOR, AudienceKind
from projections.policies.compartments import in_channel, of_person_in
from projections.rows import Rows
from tests.dnam.test_lore import BOTH, Town
from tests.dnam.test_pointing import OPEN
from tests.world import NOW

BY_THEN = "in channel general as it was when fewer could read it"
IN_GUILD = "in guild Garden"


class Hidden(Town):
    """The channel was hidden from some, and is not any more."""

    async def becomes(self, kind: AudienceKind) -> None:
        request = AudienceRequest(OPEN._replace(audience=kind), NOW + 900, self.memory.origin())
        await self.memory.record(partial(change_audience, request=request))

    async def is_hidden_for_a_moment(self) -> None:
        for kind in BOTH:
            await self.becomes(kind)

    async def asks_alone(self, text: str) -> Reply:
        """What ada is told in the channel, where nobody else sees the reply, and she may read what she may there."""
        heard, _ = await self.speaks("ada", "hm", OPEN)
        eyes = in_direct(heard.person, "discord")._replace(besides=(of_person_in(heard.person, heard.place),))
        call = read(text)
        assert call is not None
        return await run(self.assistant, Invocation(heard.setting, heard.session, eyes=eyes), call)

    async def seen(self, item: str) -> WhyNot:
        """Why it is not told in the channel."""
        heard, _ = await self.speaks("ada", "hm", OPEN)

        def question(rows: Rows) -> list[WhyNot]:
            return why_not(rows, heard.person, item, whereabouts(rows, heard.person, "general"), NOW)

        [found] = await self.memory.look(question)
        return found


@pytest.fixture
async def town() -> AsyncIterator[Hidden]:
    made = Hidden()
    yield made
    made.memory.engine.close()


async def kept(town: Hidden) -> str:
    """What was kept there before."""
    item = await town.keeps("ada", "I like tea", OPEN)
    await town.is_hidden_for_a_moment()
    return item


@pytest.mark.parametrize("command", ["history {}", "share {}", "keep-private {}", "edit {} I like plums", "restore {}"])
async def test_where_others_read_along_the_way_out_is_said_whether_there_is_any_or_not(
    town: Hidden, command: str
) -> None:
    item = await kept(town)
    for each in (item, "durable-00000000"):
        reply = await town.asks_as("ada", f"!memory {command.format(each)}", OPEN)
        assert reply.failed
        by = "show all` in your direct messages with me" if command.startswith("restore") else "show`"
        assert reply.text.startswith(f"There is no item `{each}` here: `!memory {by} lists the ids. {BEFORE}.")
    forgot = await town.asks_as("ada", f"!memory forget {item}", OPEN)
    assert f"`!memory show` lists what there is. {BEFORE}." in forgot.text


async def test_where_always_all_could_read_nothing_is_said_of_it(town: Hidden) -> None:
    for command in ("history", "forget"):
        assert "fewer" not in (await town.asks_as("ada", f"!memory {command} durable-00000000", OPEN)).text


async def test_who_is_alone_is_told_where_it_is_kept_and_where_it_may_be_told(town: Hidden) -> None:
    item = await kept(town)
    shown = (await town.asks_alone("!memory show")).text
    alone = f"kept {BY_THEN}, so told in your direct messages alone (`!memory share` changes that)"
    assert f"- [fact] I like tea `{item}`, {alone}\n" in shown
    told = (await town.asks_alone(f"!memory history {item}")).text
    assert told.startswith(f"**[fact] I like tea** `{item}` (active, {BY_THEN})")
    assert "It may be told in: ada's own direct messages, while ada can read general. `!memory share`" in told
    assert (await town.asks_alone(f"!memory edit {item} I like green tea")).text.startswith("Edited: I like green tea")
    assert (await town.asks_alone(f"!memory share {item}")).text.startswith("Shared: I like green tea")
    assert "I like green tea" in (await town.asks_as("ada", "!memory show", OPEN)).text


async def test_of_two_of_one_id_it_is_said_which_one_was_taken(town: Hidden) -> None:
    item = await kept(town)
    assert await town.keeps("ada", "I like tea", OPEN) == item
    edited = (await town.asks_alone(f"!memory edit {item} I like green tea")).text
    assert edited.endswith(f"\nThis is the one kept {IN_GUILD}. What else has the id stays as it is, kept {BY_THEN}.")
    assert "This is" not in (await town.asks_as("ada", f"!memory edit {item} I like tea", OPEN)).text
    await town.asks_as("ada", f"!memory forget {item}", OPEN)
    back = (await town.asks_alone(f"!memory restore {item}")).text
    assert back.endswith(f"\nThis is the one kept {IN_GUILD}. What else has the id stays as it is, kept {BY_THEN}.")


@pytest.mark.parametrize("command", ["share", "keep-private", "forget"])
async def test_what_is_done_to_both_of_one_id_is_said_to_be(town: Hidden, command: str) -> None:
    item = await kept(town)
    await town.keeps("ada", "I like tea", OPEN)
    told = (await town.asks_alone(f"!memory {command} {item}")).text
    both = f"There were 2 items of the id `{item}`, kept "
    assert f"{both}{IN_GUILD}; {BY_THEN}: this holds for both." in told or (
        f"{both}{BY_THEN}; {IN_GUILD}: this holds for both." in told
    )


async def test_the_terminal_names_no_opener_that_does_not_open_it(town: Hidden) -> None:
    item = await kept(town)
    found = await town.seen(item)
    assert (found.is_open, found.where, found.do) == (False, BY_THEN, "share")
    opens_nothing = "all of its server can read the channel by now, which opens nothing old"
    assert found.reasons == (f"it lives {BY_THEN}, and this place does not open that: {opens_nothing}",)
    assert found.opens_it == ("ada's own direct messages, while ada can read general",)


async def test_what_is_nobody_s_there_is_opened_by_no_place(town: Hidden) -> None:
    heard, _ = await town.speaks("ada", "hm", OPEN)
    await town.becomes("channel")
    lore = await town.memory.remember_nobodys(in_channel(heard.place), "The key hangs inside", by=OPERATOR)
    assert (await town.seen(lore.id)).opens_it == ("general",)
    await town.becomes("guild")
    found = await town.seen(lore.id)
    assert (found.is_open, found.opens_it) == (False, ())
