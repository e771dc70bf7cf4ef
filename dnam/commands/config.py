"""`!memory config`: what the assistant does here, for those who may change it.

config                              what holds here, and which scope it is from
config set SCOPE KEY=VALUE          SCOPE: here, guild, me (or person); the owner also global and anything by its id
config unset SCOPE KEY
config get SCOPE
config list                         what holds here
"""

from collections.abc import Iterator

from dnam.assistant import Assistant
from dnam.commands.command import Arguments, Invocation, Parameter, Reply
from dnam.configuration import held
from dnam.errors import Ambiguous, Unknown
from dnam.scopes import Here, assignment, is_seen, scope_words, set_config, the_scope
from projections.config import Scope, config_rows
from projections.errors import BadRequest
from projections.places import place_of
from projections.policies.configurable import the_key
from projections.policies.rights import Asker, objection
from projections.quoting import one_line
from projections.rows import Rows

ACTIONS = ("list", "get", "set", "unset")
EXAMPLES = {"get": "me", "set": "me learn=none", "unset": "me learn"}
"""Of what everybody may do."""
PARAMETERS = (
    Parameter("action", "list, get, set or unset", choices=ACTIONS, optional=True),
    Parameter("scope", "here, guild, me (your own words), global, or one by its id", optional=True),
    Parameter("setting", "KEY=VALUE, as learn=none or respond_mode=all", optional=True),
)


async def config(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Set, unset, or show what is set. Who may not is told who may."""
    action, scope = arguments.get("action", "list"), arguments.get("scope", "")
    if action not in ACTIONS:
        raise BadRequest(f"{action!r} is no way to configure: {', '.join(ACTIONS)}")
    if action == "list":
        return await assistant.memory.look(lambda rows: Reply("\n".join(_holding(assistant, rows, asked))))
    if not scope:
        raise BadRequest(f"say of which scope, as `config {action} {EXAMPLES[action]}`: here, guild, me, or global")
    if action == "get":
        return await assistant.memory.look(lambda rows: _set_for(rows, asked, scope))
    return await _change(assistant, asked, scope, action, arguments.get("setting", ""))


async def _change(assistant: Assistant, asked: Invocation, scope: str, action: str, setting: str) -> Reply:
    memory = assistant.memory
    key, value = assignment(setting) if action == "set" else (the_key(setting.strip()).name, None)
    meant = await memory.look(lambda rows: _permitted(rows, asked, scope, the_key(key).name))
    changed = await set_config(memory, meant, key, value, asked.by)
    named, seen = await memory.look(lambda rows: (scope_words(rows, str(meant)), is_seen(rows, meant)))
    now = f"`{key}` is not set" if value is None else f"`{key} = {one_line(value)}`"
    unseen = "" if seen or value is None else " I have heard nothing there yet: is the id right?"
    return Reply(f"{one_line(named)}: {now}{', from the next message on' if changed else ', as before'}.{unseen}")


def _permitted(rows: Rows, asked: Invocation, text: str, key: str = "") -> Scope:
    """The scope that is meant. BadRequest for whoever may not; they learn nothing of what there is."""
    try:
        scope = the_scope(rows, text, _here(rows, asked))
    except (Unknown, Ambiguous):
        if asked.is_owner or asked.manages_guild:
            raise
        raise BadRequest("that is for the owner, and for members who may manage that server") from None
    why = objection(rows, _asker(asked), scope, key)
    if why:
        raise BadRequest(why)
    return scope


def _here(rows: Rows, asked: Invocation) -> Here:
    """Where it is asked: a public thread is a place of its own, though its readers are its channel's."""
    found = place_of(rows, asked.session)
    place = asked.setting.audience.place if found is None else found.row.place
    return Here(asked.person, place, asked.setting.guild)


def _asker(asked: Invocation) -> Asker:
    return Asker(asked.person, asked.is_owner, asked.setting.guild if asked.manages_guild else None)


def _set_for(rows: Rows, asked: Invocation, text: str) -> Reply:
    scope = _permitted(rows, asked, text)
    lines = sorted(f"`{row.key} = {row.value}`" for row in config_rows(rows) if row.scope == str(scope))
    return Reply("\n".join([f"**{one_line(scope_words(rows, str(scope)))}:**", *(lines or ["(nothing is set)"])]))


def _holding(assistant: Assistant, rows: Rows, asked: Invocation) -> Iterator[str]:
    yield "**What holds here:**"
    for each in held(rows, assistant.memory.settings, *_here(rows, asked)):
        yield f"`{each.key} = {each.value}` (from {one_line(scope_words(rows, each.origin))})"
