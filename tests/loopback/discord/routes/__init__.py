"""The routes that are answered, one file for each kind of thing. All of them together are `TABLE`."""

from tests.loopback.discord.rest import Route
from tests.loopback.discord.routes import channels, commands, guilds, interactions, messages, pins, users

TABLE: tuple[Route, ...] = (
    *users.TABLE,
    *guilds.TABLE,
    *pins.TABLE,
    *messages.TABLE,
    *channels.TABLE,
    *commands.TABLE,
    *interactions.TABLE,
)
"""The first that matches answers: `messages/pins` stands before `messages/{message_id}`."""
