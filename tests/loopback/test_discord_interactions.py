"""Commands, buttons, menus and forms on the loopback Discord, answered by the real discord.py."""

from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
from discord import app_commands

from tests.loopback.bots import Listener, listening, raw
from tests.loopback.discord import Channel, Guild, Permission, Person, World, running
from tests.loopback.discord.menus import labels

Slash = discord.Interaction[Listener]


KINDS = [discord.SelectOption(label="Green", value="g"), discord.SelectOption(label="Black", value="b")]


class Pages(discord.ui.View):
    """Two buttons, a form and a menu."""

    @discord.ui.button(label="Next")
    async def turn(self, interaction: Slash, _: Any) -> None:
        await interaction.response.edit_message(content="page two", view=self)

    @discord.ui.button(label="Later")
    async def later(self, interaction: Slash, _: Any) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content="page three", view=None)

    @discord.ui.button(label="Tell", emoji="🍵")
    async def tell(self, interaction: Slash, _: Any) -> None:
        await interaction.response.send_modal(Tea())

    @discord.ui.button(label="Greyed", disabled=True)
    async def greyed(self, interaction: Slash, _: Any) -> None:
        raise AssertionError

    @discord.ui.select(options=KINDS)
    async def choose(self, interaction: Slash, select: discord.ui.Select[Any]) -> None:
        await interaction.response.send_message(f"chose {select.values[0]}", ephemeral=True)


class Tea(discord.ui.Modal, title="Which tea"):
    kind: discord.ui.TextInput[Any] = discord.ui.TextInput(label="What kind", default="oolong")

    async def on_submit(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message(f"{self.kind.value} it is")


class Brewer(Listener):
    """It has a group of commands, and one in the menu of messages."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.tree.add_command(TEA)
        self.tree.add_command(REMEMBER)


TEA = app_commands.Group(name="tea", description="About tea")


@TEA.command(name="show", description="What there is")
async def show(
    interaction: Slash, kind: str = "all", cups: app_commands.Range[int, 1, 5] = 1, whose: discord.User | None = None
) -> None:
    await interaction.response.send_message(f"{kind} {cups} {whose}", ephemeral=True, view=Pages())


@show.autocomplete("kind")
async def kinds(interaction: Slash, typed: str) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=each.title(), value=each) for each in ("green", "black") if each.startswith(typed)]


@TEA.command(name="brew", description="Takes a while")
async def brew(interaction: Slash, sort: str) -> None:
    await interaction.response.defer(ephemeral=True, thinking=True)
    await interaction.followup.send(f"{sort} is ready")
    await interaction.followup.send("and it is hot")


@TEA.command(name="pour", description="Edits what it said")
async def pour(interaction: Slash) -> None:
    await interaction.response.send_message("pouring", view=Pages())
    await interaction.edit_original_response(content="poured")
    assert (await interaction.original_response()).content == "poured"


@app_commands.context_menu(name="Remember this")
async def remember(interaction: Slash, message: discord.Message) -> None:
    await interaction.response.send_message(f"remembering {message.content}", ephemeral=True)


REMEMBER = remember


@pytest.fixture
async def brewer(world: World, general: Channel, kim: Person) -> AsyncIterator[Brewer]:
    client = Brewer(world)
    async with running(client, world):
        yield client


async def test_a_slash_command_is_answered_in_private(
    brewer: Brewer, world: World, general: Channel, kim: Person
) -> None:
    used = await kim.uses(general, "/tea show kind:green tea cups:3 whose:@Kim")
    reply = await used.reply()
    assert reply.content == "green tea 3 kim"
    assert reply.ephemeral
    assert reply.only_for is kim
    assert world.messages(general) == []
    assert world.private_messages(kim) == [reply]
    assert world.requests("GET", str(reply.id)) == []


async def test_what_is_private_is_told_as_if_said_directly(
    brewer: Brewer, world: World, general: Channel, kim: Person
) -> None:
    """Discord does so (discord-api-docs issue 4557), and a bot that keeps what it hears has to mind."""
    reply = await (await kim.uses(general, "/tea show")).reply()
    told = [each for each in world.gateway.events if each.name == "MESSAGE_CREATE"]
    assert [each.data["id"] for each in told] == [str(reply.id)]
    assert "guild_id" not in told[0].data


async def test_an_option_completes_while_it_is_typed(brewer: Brewer, general: Channel, kim: Person) -> None:
    offered = await kim.completes(general, "/tea show cups:2 kind:gr")
    assert [(each.name, each.value) for each in offered] == [("Green", "green")]
    used = await kim.uses(general, "/tea show", kind=offered[0].value)
    assert (await used.reply()).content == "green 1 None"


async def test_a_deferred_answer_becomes_the_first_follow_up(brewer: Brewer, kim: Person) -> None:
    used = await kim.uses(kim.dm, "/tea brew sort:oolong")
    reply = await used.reply()
    assert reply.content == "oolong is ready"
    assert reply.ephemeral
    assert (await used.followup()).content == "and it is hot"
    assert used.original is reply


async def test_an_answer_can_be_edited_and_read(brewer: Brewer, world: World, general: Channel, kim: Person) -> None:
    used = await kim.uses(general, "/tea pour")
    reply = await used.reply()
    await world.until(lambda: reply.content == "poured")
    assert world.bot_messages(general) == [reply]
    await world.gateway.flushed()


async def test_buttons_update_at_once_or_later(brewer: Brewer, world: World, general: Channel, kim: Person) -> None:
    reply = await (await kim.uses(general, "/tea show")).reply()
    assert labels(reply) == ["Next", "Later", "Tell", "Greyed"]
    await (await kim.clicks(reply, "Next")).answered()
    assert reply.content == "page two"
    await kim.clicks(reply, "Later")
    await world.until(lambda: reply.content == "page three")
    assert labels(reply) == []


async def test_a_menu_is_chosen_from(brewer: Brewer, general: Channel, kim: Person) -> None:
    reply = await (await kim.uses(general, "/tea show")).reply()
    chosen = await (await kim.selects(reply, "Black")).reply()
    assert chosen.content == "chose b"
    assert chosen.reference is reply


async def test_a_form_is_filled_in(brewer: Brewer, general: Channel, kim: Person) -> None:
    reply = await (await kim.uses(general, "/tea show")).reply()
    opened = await kim.clicks(reply, "🍵")
    assert (await opened.opened())["title"] == "Which tea"
    as_it_was = await kim.submits(opened)
    assert (await as_it_was.reply()).content == "oolong it is"
    other = await kim.submits(opened, What_kind="sencha")
    assert other.token != as_it_was.token


async def test_a_command_in_the_menu_of_a_message(brewer: Brewer, general: Channel, kim: Person) -> None:
    hello = await kim.says(general, "tea at four")
    used = await kim.applies("Remember this", hello)
    assert (await used.reply()).content == "remembering tea at four"


async def test_what_cannot_be_typed_or_pressed_is_the_test_s_mistake(
    brewer: Brewer, world: World, garden: Guild, general: Channel, kim: Person
) -> None:
    reply = await (await kim.uses(general, "/tea show")).reply()
    ada = world.person("Ada", garden)
    for wrong in (
        kim.uses(general, "/coffee"),
        kim.uses(general, "/tea spill"),
        kim.uses(general, "/tea brew"),
        kim.uses(general, "/tea show cups:9"),
        kim.uses(general, "/tea show colour:red"),
        kim.clicks(reply, "Previous"),
        kim.clicks(reply, "Greyed"),
        kim.selects(reply, "White"),
        ada.clicks(reply, "Next"),
    ):
        with pytest.raises(AssertionError):
            await wrong


async def test_commands_are_offered_where_they_are_meant(
    world: World, garden: Guild, general: Channel, kim: Person
) -> None:
    client = Listener(world)

    @client.tree.command(description="For those who manage the guild")
    @app_commands.default_permissions(manage_guild=True)
    @app_commands.guild_only()
    async def config(interaction: Slash) -> None:
        await interaction.response.send_message("set")

    async with running(client, world):
        with pytest.raises(AssertionError, match="no /config"):
            await kim.uses(general, "/config")
        garden.role("keeper", Permission.MANAGE_GUILD, kim)
        assert (await (await kim.uses(general, "/config")).reply()).content == "set"
        with pytest.raises(AssertionError, match="no /config"):
            await kim.uses(kim.dm, "/config")


async def test_commands_of_a_guild_stay_there(world: World, garden: Guild, general: Channel, kim: Person) -> None:
    elsewhere = world.guild("Attic", kim).channel("boxes")
    async with listening(world) as client:
        here = discord.Object(garden.id)
        client.tree.add_command(TEA, guild=here)
        first = await client.tree.sync(guild=here)
        second = await client.tree.sync(guild=here)
        assert [each.id for each in first] == [each.id for each in second]
        assert (await (await kim.uses(general, "/tea show")).reply()).ephemeral
        with pytest.raises(AssertionError, match="no /tea"):
            await kim.uses(elsewhere, "/tea show")
        client.tree.clear_commands(guild=here)
        await client.tree.sync(guild=here)
    assert world.state.commands == {}


async def test_an_interaction_is_answered_once_and_not_too_late(world: World, general: Channel, kim: Person) -> None:
    async with running(Brewer(world), world), raw(world) as asked:
        used = await kim.uses(general, "/tea show")
        await used.reply()
        callback = f"/interactions/{used.id}/{used.token}/callback"
        status, body, _ = await asked.ask("POST", callback, {"type": 4, "data": {"content": "again"}})
        assert (status, body["code"]) == (400, 40060)
        used.expire()
        status, body, _ = await asked.ask("POST", callback, {"type": 4, "data": {"content": "late"}})
        assert (status, body["code"]) == (404, 10062)
        webhook = f"/webhooks/{world.application.id}/{used.token}"
        status, body, _ = await asked.ask("POST", webhook, {"content": "later"})
        assert (status, body["code"]) == (401, 50027)


async def test_an_answer_that_does_not_fit_is_refused(world: World, general: Channel, kim: Person) -> None:
    async with running(Brewer(world), world), raw(world) as asked:
        with world.gateway.held():
            used = await kim.uses(general, "/tea show")
            update = {"type": 7, "data": {"content": "what page?"}}
            status, body, _ = await asked.ask("POST", f"/interactions/{used.id}/{used.token}/callback", update)
    assert (status, body["code"]) == (400, 50035)


class Card(discord.ui.LayoutView):
    """Components of the second kind: text and buttons in a box."""

    def __init__(self) -> None:
        super().__init__()
        more: discord.ui.Button[Card] = discord.ui.Button(label="More")
        more.callback = self.more  # type: ignore[method-assign]  # discord.py's own way
        box: discord.ui.Container[Card] = discord.ui.Container()
        box.add_item(discord.ui.TextDisplay("what I know"))
        box.add_item(discord.ui.Section(discord.ui.TextDisplay("tea"), accessory=more))
        self.add_item(box)

    async def more(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message("all of it", ephemeral=True)


async def test_text_and_buttons_in_boxes(brewer: Brewer, world: World, general: Channel, kim: Person) -> None:
    await brewer.text(general.id).send(view=Card())
    used = await kim.clicks(world.bot_messages(general)[0], "More")
    assert (await used.reply()).content == "all of it"


async def test_people_and_channels_are_chosen_in_menus(
    brewer: Brewer, world: World, garden: Guild, general: Channel, kim: Person
) -> None:
    class Choosing(discord.ui.View):
        @discord.ui.select(cls=discord.ui.UserSelect, placeholder="Who", max_values=2)
        async def who(self, interaction: Slash, select: discord.ui.UserSelect[Any]) -> None:
            await interaction.response.send_message(", ".join(each.name for each in select.values))

        @discord.ui.select(cls=discord.ui.ChannelSelect, placeholder="Where")
        async def where(self, interaction: Slash, select: discord.ui.ChannelSelect[Any]) -> None:
            await interaction.response.send_message(f"{select.values[0].name}")

    ada = world.person("Ada", garden)
    await brewer.text(general.id).send("choose", view=Choosing())
    (asked,) = world.bot_messages(general)
    assert (await (await kim.selects(asked, kim, ada, at="Who")).reply()).content == "kim, ada"
    assert (await (await kim.selects(asked, general, at="Where")).reply()).content == "general"


async def test_embeds_arrive_as_they_were_sent(brewer: Brewer, world: World, general: Channel) -> None:
    embed = discord.Embed(title="Tea", description="green", timestamp=discord.utils.snowflake_time(general.id))
    embed.add_field(name="cups", value="3").set_footer(text="at four").set_author(name="Marcy")
    await brewer.text(general.id).send(embed=embed)
    found = await anext(brewer.text(general.id).history(limit=1))
    assert found.embeds[0].to_dict() == embed.to_dict()
