"""Who one is, what the application is, and where the gateway stands."""

from tests.loopback.discord.errors import cannot_send_to_user, unknown
from tests.loopback.discord.permissions import ALL
from tests.loopback.discord.rest import Answer, Call, Route
from tests.loopback.discord.state import State
from tests.loopback.discord.wire import Wire


def me(state: State, call: Call) -> Answer:
    return Answer(state.bot.wire() | {"mfa_enabled": False, "locale": "en-US", "verified": True, "email": None})


def user(state: State, call: Call) -> Answer:
    if call.id("user_id") not in state.users:
        raise unknown("User")
    return Answer(state.users[call.id("user_id")].wire())


def application(state: State, call: Call) -> Answer:
    return Answer(state.application.wire())


def my_guilds(state: State, call: Call) -> Answer:
    guilds: list[Wire] = [
        {
            "id": str(each.id),
            "name": each.name,
            "icon": None,
            "banner": None,
            "owner": each.owner is state.bot,
            "permissions": str(int(each.allowed(state.bot) & ALL)),
            "features": [],
        }
        for each in state.guilds_of(state.bot)
    ]
    return Answer(guilds)


def direct(state: State, call: Call) -> Answer:
    """The DM with somebody; that it is closed shows when something is said in it."""
    someone = state.users.get(int(call.body["recipient_id"]))
    if someone is None:
        raise unknown("User")
    if someone.bot:
        raise cannot_send_to_user()
    return Answer(state.direct(someone).wire(state.bot))


def gateway(state: State, call: Call) -> Answer:
    return Answer({"url": state.settings.gateway_url})


def gateway_bot(state: State, call: Call) -> Answer:
    limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
    return Answer({"url": state.settings.gateway_url, "shards": state.settings.shards, "session_start_limit": limit})


TABLE = (
    Route("GET", "/users/@me", me),
    Route("POST", "/users/@me/channels", direct),
    Route("GET", "/users/@me/guilds", my_guilds),
    Route("GET", "/users/{user_id}", user),
    Route("GET", "/applications/@me", application),
    Route("GET", "/oauth2/applications/@me", application),
    Route("GET", "/gateway", gateway, open=True),
    Route("GET", "/gateway/bot", gateway_bot),
)
