"""Registering application commands, for everywhere or for a guild."""

from tests.loopback.discord.commands import Command
from tests.loopback.discord.errors import missing_access, unknown
from tests.loopback.discord.rest import NO_CONTENT, Answer, Call, Route
from tests.loopback.discord.state import State
from tests.loopback.discord.wire import Wire

EVERYWHERE = "/applications/{application_id}/commands"
IN_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands"


def listed(state: State, call: Call) -> Answer:
    return Answer([each.wire() for each in _of(state, call)])


def replaced(state: State, call: Call) -> Answer:
    """All of them at once; who keeps its name and kind keeps its id."""
    scope = _scope(state, call)
    before = {(each.name, each.kind): each for each in _of(state, call)}
    kept = [_made(state, scope, body, before) for body in call.body or []]
    for each in before.values():
        del state.commands[each.id]
    state.commands |= {each.id: each for each in kept}
    return Answer([each.wire() for each in kept])


def added(state: State, call: Call) -> Answer:
    """One more, or one with the same name anew."""
    before = {(each.name, each.kind): each for each in _of(state, call)}
    made = _made(state, _scope(state, call), call.body, before)
    status = 200 if made.id in state.commands else 201
    state.commands[made.id] = made
    return Answer(made.wire(), status)


def one(state: State, call: Call) -> Answer:
    return Answer(_one(state, call).wire())


def changed(state: State, call: Call) -> Answer:
    command = _one(state, call)
    command.body |= call.body
    command.version = state.ids.next()
    return Answer(command.wire())


def removed(state: State, call: Call) -> Answer:
    del state.commands[_one(state, call).id]
    return NO_CONTENT


def _scope(state: State, call: Call) -> int | None:
    if call.id("application_id") != state.application.id:
        raise unknown("Application")
    if "guild_id" not in call.path:
        return None
    if call.id("guild_id") not in {each.id for each in state.guilds_of(state.bot)}:
        raise missing_access()
    return call.id("guild_id")


def _of(state: State, call: Call) -> list[Command]:
    scope = _scope(state, call)
    return [each for each in state.commands.values() if each.guild == scope]


def _one(state: State, call: Call) -> Command:
    found = next((each for each in _of(state, call) if each.id == call.id("command_id")), None)
    if found is None:
        raise unknown("application command")
    return found


def _made(state: State, scope: int | None, body: Wire, before: dict[tuple[str, int], Command]) -> Command:
    made = Command(state.ids.next(), state.ids.next(), state.application.id, scope, body)
    old = before.get((made.name, made.kind))
    made.id = old.id if old else made.id
    return made


TABLE = tuple(
    route
    for base in (EVERYWHERE, IN_GUILD)
    for route in (
        Route("GET", base, listed),
        Route("PUT", base, replaced),
        Route("POST", base, added),
        Route("GET", base + "/{command_id}", one),
        Route("PATCH", base + "/{command_id}", changed),
        Route("DELETE", base + "/{command_id}", removed),
    )
)
