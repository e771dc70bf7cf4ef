"""A faithful Discord on loopback, to which the real discord.py connects.

It knows REST and the gateway (v10), permissions, intents, rate limits, interactions. What both sides send is held
against Discord's published description, and what is not in that fails the test with its path and value.

    async with World() as world:                       # port 0 on 127.0.0.1; leaving raises any Violation
        garden = world.guild("Garden")
        kim, ada = world.person("Kim", garden), world.person("Ada", garden)
        general = garden.channel("general")

        with pointed(world):                           # discord.py of this process; another process: DISCORD_API_URL
            ...                                        #   = world.api_url, DISCORD_TOKEN = world.token
            await world.ready()                        # the bot is connected, and has read of its guilds

            hello = await kim.says(general, "hello", mention=world.bot)    # returns when it was sent to the client
            await world.until(lambda: world.bot_messages(general))         # woken by every change; no polling
            await kim.says(kim.dm, "and here?")
            await world.gateway.flushed()              # the client has processed all of it: what it did not do now …

People press and choose: `used = await kim.uses(general, "/memory show kind:fact")`, `reply = await used.reply()`,
`await kim.clicks(reply, "Next")`, `kim.selects(reply, "Tea")`, `kim.submits(opened, What_kind="green")`,
`kim.applies("Remember this", hello)`, `await kim.completes(general, "/memory forget item:te")`; what only one person
sees is in `world.private_messages(kim)`. `world.application.owner = kim` makes somebody the bot's owner,
`world.guild("Garden", owner=kim)` a guild's, `garden.role("keeper", Permission.MANAGE_GUILD, kim)` gives permissions,
`garden.permit(general, world.bot, deny=…)` takes them away in a channel, `world.application.enabled` says which
privileged intents are enabled in the portal.

Trouble: `await world.gateway.drop()` (resumes; `again=3`: three events are told twice), `invalidate()`, `reconnect()`,
`with world.gateway.held():`, `world.redeliver(hello)`, `world.limit("POST", "/channels/*/messages", 0.01)`,
`world.fail(…, status=503, after=True)`, `world.cut(…)`, `world.garble(…)`, `gate = world.slow(…)`, `gate.open()`.

discord.py waits two seconds for guilds before it is ready, unless `Client(guild_ready_timeout=…)` says less, and five
before it identifies anew, unless `before_identify_hook` is overridden.

By hand: `python -m tests.loopback.discord` prints an address, a token and a guild.
"""

from tests.loopback.discord.channels import Channel, ChannelKind
from tests.loopback.discord.client import pointed, running
from tests.loopback.discord.description import Violation
from tests.loopback.discord.guilds import Guild
from tests.loopback.discord.messages import Message
from tests.loopback.discord.permissions import Permission
from tests.loopback.discord.person import Person
from tests.loopback.discord.users import Intent, User
from tests.loopback.discord.world import World

__all__ = [
    "Channel",
    "ChannelKind",
    "Guild",
    "Intent",
    "Message",
    "Permission",
    "Person",
    "User",
    "Violation",
    "World",
    "pointed",
    "running",
]
