"""`!memory config`: what the assistant does here, for those who may change it.

config                              what holds here, and which scope it is from
config set SCOPE KEY=VALUE          SCOPE: here, guild, me (or person); who manages a server also channel/ID or #name of
                                    one in it; the owner also global and anything by its id
config unset SCOPE KEY
config set SCOPE retention_days=N yes   also where that takes away what stands now
config get SCOPE [KEY]
config list                         what holds here
"""

from collections.abc import Iterator, Sequence

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Invocation, Parameter, Reply
from dnam.configuration import held
from dnam.errors import Unknown
from dnam.overdue import Overdue, taken_by
from dnam.retention import KEY as RETENTION
from dnam.scopes import (
    Here,
    assignment,
    caution,
    is_seen,
    listed_as,
    meet_channel,
    named_kind,
    scope_words,
    set_config,
    the_scope,
)
from projections.config import Scope, config_rows
from projections.decisions.place import PlaceSeen, place_ref
from projections.errors import BadRequest
from projections.places import place_of
from projections.policies.configurable import BY_NAME, check, the_key
from projections.policies.rights import FOR_MANAGERS, NO_CHANNEL, OF_OTHERS, Asker, objection
from projections.quoting import one_line
from projections.rows import Rows

ACTIONS = ("list", "get", "set", "unset")
SHOWS = frozenset({"list", "get"})
EXAMPLES = {"get": "me", "set": "me learn=none", "unset": "me learn"}
"""Of what everybody may do."""
SCOPES = "here, guild, me, or global"
SURE = "yes"
OLDER = (
    "{undone}: {what} would not be kept any longer. The words go for good, with what I learned from them alone,"
    " within a day or at my next start. To do it: `{prefix} {how} {sure}`"
)
PARAMETERS = (
    Parameter("action", "list, get, set or unset", choices=ACTIONS, optional=True),
    Parameter("scope", "here, guild, me (your own words), global, or one by its id", completes="scope", optional=True),
    Parameter("setting", "KEY=VALUE, as learn=none or respond_mode=all", optional=True),
)


def only_looks(given: Arguments) -> bool:
    """Whether what is set is shown, and nothing set."""
    return given.get("action", "list") in SHOWS


async def config(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Set, unset, or show what is set. Who may not is told who may."""
    action, scope = arguments.get("action", "list"), arguments.get("scope", "")
    if action not in ACTIONS:
        raise BadRequest(f"{action!r} is no way to configure: {', '.join(ACTIONS)}")
    if action == "list":
        return await assistant.memory.look(lambda rows: Reply("\n".join(_holding(assistant, rows, asked))))
    if not scope:
        raise BadRequest(f"say of which scope, as `config {action} {EXAMPLES[action]}`: {SCOPES}")
    if action == "get":
        listed = listed_as(asked.channels, scope)
        setting = arguments.get("setting", "").strip()
        key = the_key(setting).name if setting else ""
        return await assistant.memory.look(lambda rows: _set_for(rows, asked, scope, listed, key))
    return await _change(assistant, asked, scope, action, _setting(action, scope, arguments.get("setting", "")))


def _setting(action: str, scope: str, setting: str) -> str:
    """What is to be set or unset; BadRequest says which of the two words is missing where there is one alone."""
    if setting:
        return setting
    if scope.partition("=")[0].strip() in BY_NAME:
        raise BadRequest(f"say of which scope first, as `config {action} here {one_line(scope)}`: {SCOPES}")
    what = "KEY=VALUE" if action == "set" else "a key"
    raise BadRequest(f"say what to {action}: {what} behind the scope, as `config {action} {EXAMPLES[action]}`")


async def _change(assistant: Assistant, asked: Invocation, scope: str, action: str, setting: str) -> Reply:
    memory = assistant.memory
    setting, is_sure = _said_sure(setting)
    key, value = assignment(setting) if action == "set" else (the_key(setting.strip()).name, None)
    listed = listed_as(asked.channels, scope)
    meant = await memory.look(lambda rows: _permitted(rows, asked, scope, listed, the_key(key).name))
    if value is not None:
        check(key, value)
    taken = await taken_by(memory, meant, key, value)
    if any(taken) and not is_sure:
        return takes_words(taken, meant, asked, "Not set yet", f"config {action} {scope} {setting}")
    await meet_channel(memory, meant, listed)
    changed = await set_config(memory, meant, key, value, asked.by, origin=asked.origin)
    seen = await memory.look(lambda rows: is_seen(rows, meant))
    unseen = "" if seen or value is None else " I have heard nothing there yet: is the id right?"
    return Reply(f"{await holds_now(assistant, meant, key, value, changed=changed)}{unseen}")


async def holds_now(assistant: Assistant, scope: Scope, key: str, value: str | None, *, changed: bool) -> str:
    """What a key of a scope is now, from when on, and what somebody should know of that."""
    named = await assistant.memory.look(lambda rows: scope_words(rows, str(scope)))
    now = f"`{key}` is not set" if value is None else f"`{key} = {one_line(value)}`"
    told = caution(key, value)
    silent = f" {told[:1].upper()}{told[1:]}." if told else ""
    return f"{one_line(named)}: {now}, {_since(key, value) if changed else 'as before'}.{silent}"


def _said_sure(setting: str) -> tuple[str, bool]:
    """What is to be set or unset, and whether it may take away what stands now."""
    words = setting.split()
    if setting.startswith(RETENTION) and words[-1].casefold() == SURE:
        return " ".join(words[:-1]), True
    return setting, False


def takes_words(taken: Overdue, scope: Scope, asked: Invocation, undone: str, how: str) -> Reply:
    """That it is not done, since words would go: how much, of somebody's own not where others read along; and `how` to
    have it done.
    """
    what = str(taken) if asked.is_alone or scope.kind != "person" else "what you said longer ago"
    return Reply(OLDER.format(undone=undone, what=what, prefix=PREFIX, how=how, sure=SURE), failed=True)


def _since(key: str, value: str | None) -> str:
    """From when on a change holds: what is old is looked for once a day."""
    if key == RETENTION:
        return "what is older goes within a day" if value not in (None, "0") else "from now on"
    return "from the next message on"


def _permitted(rows: Rows, asked: Invocation, text: str, listed: Sequence[PlaceSeen], key: str = "") -> Scope:
    """The scope that is meant. BadRequest for whoever may not. They learn nothing of what there is: nobody but the
    owner looks anybody up, and who manages a server looks up what is in it. `listed` are the channels of this server
    that it may mean.
    """
    asker = asker_of(asked, listed)
    kind = "" if asked.is_owner else named_kind(text)
    if kind == "person":
        raise BadRequest(f"{OF_OTHERS}; of your own words say `me`")
    if kind and asker.manages is None:
        raise BadRequest(FOR_MANAGERS)
    try:
        scope = the_scope(rows, text, asked_at(rows, asked), asker.manages, listed)
    except Unknown:
        if asked.is_owner:
            raise
        raise BadRequest(NO_CHANNEL if kind == "channel" else FOR_MANAGERS) from None
    why = objection(rows, asker, scope, key)
    if why:
        raise BadRequest(why)
    return scope


def asked_at(rows: Rows, asked: Invocation) -> Here:
    """Where it is asked: a public thread is a place of its own, though its readers are its channel's."""
    found = place_of(rows, asked.session)
    place = asked.setting.audience.place if found is None else found.row.place
    return Here(asked.person, place, asked.setting.guild)


def asker_of(asked: Invocation, listed: Sequence[PlaceSeen]) -> Asker:
    """Who asks. An owner need manage nothing."""
    manages = asked.setting.guild if asked.manages_guild and not asked.is_owner else None
    return Asker(asked.person, asked.is_owner, manages, frozenset(map(place_ref, listed)))


def _set_for(rows: Rows, asked: Invocation, text: str, listed: Sequence[PlaceSeen], key: str) -> Reply:
    """What a scope has itself: of one key, or of all."""
    scope = _permitted(rows, asked, text, listed)
    own = (row for row in config_rows(rows) if row.scope == str(scope) and key in ("", row.key))
    nothing = f"(`{key}` is not set)" if key else "(nothing is set)"
    lines = sorted(_line(row.key, row.value) for row in own)
    return Reply("\n".join([f"**{one_line(scope_words(rows, str(scope)))}:**", *(lines or [nothing])]))


def _holding(assistant: Assistant, rows: Rows, asked: Invocation) -> Iterator[str]:
    yield "**What holds here:**"
    for each in held(rows, assistant.memory.settings, *asked_at(rows, asked)):
        yield _line(each.key, each.value, f"from {one_line(scope_words(rows, each.origin))}")


def _line(key: str, value: str, told: str = "") -> str:
    return f"`{key} = {value}`" + (f" ({told})" if told else "")
