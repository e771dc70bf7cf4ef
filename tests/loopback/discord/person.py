"""Somebody on this Discord, driven by a test in plain words.

    hello = await kim.says(general, "Hello", mention=world.bot)
    await kim.edits(hello, "Hello there")
    used = await kim.uses(general, "/memory show kind:fact")
    await kim.clicks(await used.reply(), "Next")

Each returns when the event was sent to every connected client. Whatever Discord's own client would not let somebody do
is an AssertionError: the test is wrong, not the bot.
"""

from dataclasses import dataclass

from tests.loopback.discord.channels import Channel
from tests.loopback.discord.commands import MESSAGE_MENU, SLASH, Command
from tests.loopback.discord.forms import filled
from tests.loopback.discord.interactions import Choice, Interaction, InteractionKind
from tests.loopback.discord.menus import button, chosen, menu
from tests.loopback.discord.messages import Message
from tests.loopback.discord.slash import Typed, Value, typed
from tests.loopback.discord.speaker import Speaker
from tests.loopback.discord.users import User
from tests.loopback.discord.wire import Wire


@dataclass(eq=False)
class Person(Speaker):
    """A user who also uses commands, buttons, menus and forms."""

    async def uses(self, channel: Channel, text: str, /, **options: Value) -> Interaction:
        """Use a slash command, its options in the text (`kind:fact`) or beside it."""
        command = typed(self._commands(channel, SLASH), text, options, self.state.users)
        command.check()
        given = command.options()
        return await self._interact(InteractionKind.COMMAND, channel, self._data(command, given, channel))

    async def completes(self, channel: Channel, text: str, option: str = "") -> list[Choice]:
        """Type a slash command up to the middle of its last option, or of `option`, and see what is offered."""
        command = typed(self._commands(channel, SLASH), text, {}, self.state.users)
        focused = option or list(command.values)[-1]
        known = next(each for each in command.known if each["name"] == focused)
        assert known.get("autocomplete"), f"{focused} is not completed"
        data = self._data(command, command.options(focused), channel)
        return await (await self._interact(InteractionKind.COMPLETION, channel, data)).completions()

    async def applies(self, name: str, message: Message) -> Interaction:
        """Choose a command from the menu of a message."""
        self._sees(message)
        channel = self.place(message)
        command = next((each for each in self._commands(channel, MESSAGE_MENU) if each.name == name), None)
        assert command, f"no {name!r} in the menu of {message}"
        data: Wire = {"id": str(command.id), "name": name, "type": MESSAGE_MENU, "target_id": str(message.id)}
        data["resolved"] = {"messages": {str(message.id): message.wire()}}
        return await self._interact(InteractionKind.COMMAND, channel, data)

    async def clicks(self, message: Message, label: str) -> Interaction:
        """Press a button, by its label, emoji or custom id."""
        self._sees(message)
        found = button(message, label)
        data = {"custom_id": found["custom_id"], "component_type": found["type"], "id": found["id"]}
        return await self._interact(InteractionKind.COMPONENT, self.place(message), data, message)

    async def selects(self, message: Message, *labels: str | User | Channel, at: str = "") -> Interaction:
        """Choose in a menu: by label or value, or people or channels; `at`: the menu's placeholder or custom id."""
        self._sees(message)
        found = menu(message, at)
        data: Wire = {"custom_id": found["custom_id"], "component_type": found["type"], "id": found["id"]}
        data["values"] = chosen(found, labels)
        people = [each for each in labels if isinstance(each, User)]
        places = [each for each in labels if isinstance(each, Channel)]
        if people or places:
            data["resolved"] = self._resolved(people, places, self.place(message))
        return await self._interact(InteractionKind.COMPONENT, self.place(message), data, message)

    async def submits(self, opened: Interaction, **fields: str) -> Interaction:
        """Fill in the form that an interaction opened, by labels or custom ids (spaces as `_`), and send it off."""
        form = await opened.opened()
        data = {"custom_id": form["custom_id"], "components": filled(form, fields)}
        return await self._interact(InteractionKind.FORM, opened.channel, data, opened.source, opened)

    def _commands(self, channel: Channel, kind: int) -> list[Command]:
        found = [each for each in self.state.commands.values() if each.kind == kind and each.offered(channel, self)]
        return sorted(found, key=lambda each: each.guild is None)

    def _sees(self, message: Message) -> None:
        assert message.only_for in (None, self), f"{self.name} does not see {message}"
        assert not message.deleted, f"{message} is gone"
        assert self.place(message).sees(self), f"{self.name} does not see {self.place(message)}"

    def _data(self, command: Typed, options: list[Wire], channel: Channel) -> Wire:
        data: Wire = {"id": str(command.command.id), "name": command.command.name, "type": SLASH, "options": options}
        if command.command.guild is not None:
            data["guild_id"] = str(command.command.guild)
        if command.people or command.places:
            data["resolved"] = self._resolved(command.people, command.places, channel)
        return data

    def _resolved(self, people: list[User], places: list[Channel], channel: Channel) -> Wire:
        members = channel.guild.members if channel.guild else {}
        here = {str(each.id): members[each.id].wire(user=False) for each in people if each.id in members}
        return {
            "users": {str(each.id): each.wire() for each in people},
            "members": {key: value | {"permissions": "0"} for key, value in here.items()},
            "channels": {str(each.id): each.wire(self.state.bot) | {"permissions": "0"} for each in places},
        }

    async def _interact(
        self,
        kind: InteractionKind,
        channel: Channel,
        data: Wire,
        source: Message | None = None,
        before: Interaction | None = None,
    ) -> Interaction:
        number = self.state.ids.next()
        made = Interaction(self.state, number, f"interaction-{number}", kind, self, channel, data, source, before)
        self.state.interactions[number] = made
        self.state.tell(made.event())
        await self.gateway.sent()
        return made
