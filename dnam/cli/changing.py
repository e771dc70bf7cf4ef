"""What the operator does to somebody's items by hand: `remember`, `edit`, `forget` and `restore`."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from dnam.cli.command import Command, Data, ItemId, Json, MaybeText, Place, Text, User, UserOrNobody, typed
from dnam.cli.placing import GuildName, OfItself, OwnersLayer, compartment_of
from dnam.cli.screen import in_quotes
from dnam.cli.shell import Shell
from projections.errors import BadRequest

if TYPE_CHECKING:
    from dnam.memory import Memory
    from projections.events.values import Item
    from projections.ids import Handle
    from projections.policies.compartments import Setting


WORDS_STAY = (
    "What was written stands where it was written, and is not searched any more, unless something else that is kept "
    "rests on it: `dnam redact MESSAGE` takes a message's words away too."
)


RULE = "It takes an id, or words as they stand there, at least 60 % of all"
MOST_MEANT = 3


class Done(NamedTuple):
    """What was done, to which items, and how to say so; or that nothing was, and why."""

    done: str | None
    items: "Sequence[Item]"
    words: str


def remember(
    user: UserOrNobody = None,
    text: MaybeText = None,
    guild: GuildName = None,
    owner: OwnersLayer = False,
    of_itself: OfItself = False,
    new: Annotated[bool, typer.Option("--new", help="Meet somebody nobody knows yet, under this name.")] = False,
    place: Place = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Keep this for a person.

    It holds in their direct messages, or in the place that --in names. With --guild, --owner or --self it is nobody's,
    and no USER is given.
    """
    if guild is not None or owner or of_itself:
        if text is not None or new or place is not None:
            raise BadRequest("what is kept with --guild, --owner or --self is nobody's: give its text alone")
        if user is None:
            raise BadRequest("say what is to be kept: its text")
        _remember_nobodys(Shell(data, as_json), user, guild, owner=owner, of_itself=of_itself)
        return
    if user is None or text is None:
        raise BadRequest("say whom and what: `dnam remember USER TEXT`")

    async def action(memory: "Memory") -> Done:
        from dnam.commands.made_room import made_room
        from projections.events.values import OPERATOR

        person = await _met(memory, name, place, new=new)
        setting = await _setting(memory, person, place)
        item = await memory.remember(person, text, by=OPERATOR, setting=setting)
        return Done("remembered", [item], f"Remembered: {item.text}{await made_room(memory, item, asked=None)}")

    from dnam.finding import DIRECT, new_name

    shell, name = Shell(data, as_json), new_name(user) if new else user
    if new:
        _refuse(shell, text)
    nowhere = place is not None and place.strip().casefold() != DIRECT
    _tell(shell, shell.run(action, create=new and not nowhere, named=place if new else user))


def _refuse(shell: Shell, text: str) -> None:
    """BadRequest for words that are not kept, before a memory is begun for them."""
    from dnam.guarding import guarding_of
    from dnam.keeping import refuse_text
    from dnam.languages import load

    refuse_text(text, guarding_of(load(shell.settings.language)))


def _remember_nobodys(shell: Shell, text: str, guild: str | None, *, owner: bool, of_itself: bool) -> None:
    async def action(memory: "Memory") -> Done:
        from projections.events.values import OPERATOR

        compartment = await memory.look(lambda rows: compartment_of(rows, guild, owner, of_itself))
        item = await memory.remember_nobodys(compartment, text, by=OPERATOR)
        return Done("remembered", [item], f"Remembered: {item.text} ({item.id})")

    _tell(shell, shell.run(action, named=guild))


async def _known(memory: "Memory", user: str) -> "Handle":
    """Who is meant: the operator may say a name."""
    from dnam.finding import the_person

    return await memory.look(lambda rows: the_person(rows, user))


async def _met(memory: "Memory", user: str, place: str | None, *, new: bool) -> "Handle":
    """Who is meant; with `new`, somebody unknown becomes a person of this machine, unless the place is none."""
    from dnam.errors import Unknown
    from dnam.whereabouts import new_handle

    try:
        known = await _known(memory, user)
    except Unknown as error:
        if not new:
            raise Unknown(f"{error}; --new makes a new person") from None
        await _setting(memory, new_handle(), place)
        return await memory.person(user, make=True)
    if new:
        raise BadRequest(f"there is a {in_quotes(user)} already: leave --new out to mean them, or give another name")
    return known


async def _setting(memory: "Memory", person: "Handle", place: str | None) -> "Setting | None":
    """The setting of a place that was named; without one, all of a person's items are meant."""
    from dnam.finding import whereabouts

    if place is None:
        return None
    return await memory.look(lambda rows: whereabouts(rows, person, place).setting)


def edit(user: User, item: ItemId, text: Text, place: Place = None, data: Data = None, as_json: Json = False) -> None:
    """Change what an item says; its id stays."""

    async def action(memory: "Memory") -> Done:
        from projections.events.values import OPERATOR

        person = await _known(memory, user)
        setting = await _setting(memory, person, place)
        items = await memory.edit(person, item, text, by=OPERATOR, setting=setting)
        return Done("edited", items, f"Changed: {items[0].text}") if items else Done(None, (), "It says so already.")

    shell = Shell(data, as_json)
    _tell(shell, shell.run(action, named=user))


def forget(
    user: UserOrNobody = None,
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT|ID", callback=typed, help="An item's id, or a piece of its text, at least 60 % of it."
        ),
    ] = None,
    guild: GuildName = None,
    owner: OwnersLayer = False,
    of_itself: OfItself = False,
    place: Place = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Take back what matches.

    It stays listed with `show --all`, can be restored, and is not learned again. With --guild, --owner or --self it is
    nobody's, no USER is given, and `lore --all` lists it.
    """
    from projections.policies.text import whole

    if guild is not None or owner or of_itself:
        if what is not None or place is not None:
            raise BadRequest("what is kept with --guild, --owner or --self is nobody's: give its id or its text alone")
        if user is None:
            raise BadRequest("say what is to be forgotten: its id or its text")
        _forget_nobodys(Shell(data, as_json), user, guild, owner=owner, of_itself=of_itself)
        return
    if user is None or what is None:
        raise BadRequest("say whom and what: `dnam forget USER TEXT|ID`")
    asked = what

    async def action(memory: "Memory") -> Done:
        from shlex import quote

        from dnam.finding import is_item
        from dnam.whereabouts import in_direct
        from projections.events.values import OPERATOR
        from projections.policies.item_ids import is_id

        person, meant = await _known(memory, user), whole(asked).strip()
        setting = await _setting(memory, person, place)
        named = await memory.look(lambda rows: is_item(rows, person, meant))
        by_words = [] if named else await memory.forget(person, meant, by=OPERATOR, setting=setting)
        is_named = named or (not by_words and is_id(meant))  # one that nobody has is refused, as by `restore`
        items = await memory.forget(person, id=meant, by=OPERATOR, setting=setting) if is_named else by_words
        if not items:
            meant_too = await memory.search(person, meant, setting=setting or in_direct(person))
            return _not_forgotten(shell.command(f"show {quote(user)}"), [hit.item for hit in meant_too[:MOST_MEANT]])
        return Done("forgotten", items, _forgotten(shell, user, items))

    shell = Shell(data, as_json)
    _tell(shell, shell.run(action, named=user))


def _forget_nobodys(shell: Shell, what: str, guild: str | None, *, owner: bool, of_itself: bool) -> None:
    from shlex import quote

    async def action(memory: "Memory") -> Done:
        from projections.events.values import OPERATOR

        compartment = await memory.look(lambda rows: compartment_of(rows, guild, owner, of_itself))
        items = await memory.forget_nobodys(compartment, what.strip(), by=OPERATOR)
        kept = f"--guild {quote(guild)}" if guild is not None else "--owner" if owner else "--self"
        hints = (f"  {item.text} ({item.id})\n    {shell.command(f'restore {kept} {item.id}')}" for item in items)
        lines = [f"Forgot {len(items)} item(s).", *hints]
        listed = shell.command(f"lore {kept}")
        return Done("forgotten", items, "\n".join(lines)) if items else _not_forgotten(listed)

    _tell(shell, shell.run(action, named=guild))


def _not_forgotten(listed: str, meant: "Sequence[Item]" = ()) -> Done:
    """That nothing is meant by these words, and what shares words with them."""
    lines = [f"No matching items found. {RULE}: `{listed}` lists what there is."]
    lines += ["Did you mean:", *(f"  {item.text} ({item.id})" for item in meant)] if meant else []
    return Done(None, (), "\n".join(lines))


def _forgotten(shell: Shell, user: str, items: "Sequence[Item]") -> str:
    from shlex import quote

    from dnam.finding import place_option

    ids = Counter(item.id for item in items)
    options = [place_option(item.compartment) if ids[item.id] > 1 else "" for item in items]
    places = [f" --in {quote(option)}" if option else "" for option in options]
    lines = [
        f"  {item.text}\n    {shell.command(f'restore {quote(user)} {item.id}{place}')}"
        for item, place in zip(items, places, strict=True)
    ]
    return "\n".join([f"Forgot {len(items)} item(s).", *lines, WORDS_STAY])


def restore(
    user: UserOrNobody = None,
    item: Annotated[
        str | None, typer.Argument(metavar="ID", callback=typed, help="An item's id, as `dnam show --all` lists it.")
    ] = None,
    guild: GuildName = None,
    owner: OwnersLayer = False,
    of_itself: OfItself = False,
    place: Place = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Bring back an item that was forgotten, deprecated or evicted.

    With --guild, --owner or --self it is nobody's, and no USER is given.
    """
    if guild is not None or owner or of_itself:
        if item is not None or place is not None:
            raise BadRequest("what is kept with --guild, --owner or --self is nobody's: give its id alone")
        if user is None:
            raise BadRequest("say what is to come back: its id")
        _restore_nobodys(Shell(data, as_json), user, guild, owner=owner, of_itself=of_itself)
        return
    if user is None or item is None:
        raise BadRequest("say whose and which: `dnam restore USER ID`")
    wanted = item

    async def action(memory: "Memory") -> Done:
        from projections.events.values import OPERATOR

        person = await _known(memory, user)
        setting = await _setting(memory, person, place)
        return _all_restored(await memory.restore(person, wanted, by=OPERATOR, setting=setting))

    shell = Shell(data, as_json)
    _tell(shell, shell.run(action, named=user))


def _restore_nobodys(shell: Shell, item: str, guild: str | None, *, owner: bool, of_itself: bool) -> None:
    async def action(memory: "Memory") -> Done:
        from projections.events.values import OPERATOR

        compartment = await memory.look(lambda rows: compartment_of(rows, guild, owner, of_itself))
        return _all_restored(await memory.restore_nobodys(compartment, item.strip(), by=OPERATOR))

    _tell(shell, shell.run(action, named=guild))


def _all_restored(items: "Sequence[Item]") -> Done:
    if not items:
        return Done(None, (), "It is there already.")
    return Done("restored", items, "\n".join(_restored(each) for each in items))


def _restored(item: "Item") -> str:
    return f"Restored: {item.text}" if item.status == "active" else f"Made room for it: {item.id} {item.text}"


def _tell(shell: Shell, done: Done) -> None:
    if not shell.settings.memory_enabled:
        shell.out.note("memory is switched off (DNAM_MEMORY_ENABLED=0): no answer uses what is kept")
    if shell.out.as_json:
        why = {} if done.done else {"why": done.words}
        shell.out.emit({"done": done.done, **why, "items": done.items})
    else:
        shell.out.lines(done.words)


COMMANDS = (
    Command("remember", remember, 'remember Kim "prefers tea over coffee"', changes=True),
    Command("edit", edit, 'edit Kim durable-1234abcd "prefers green tea"', changes=True),
    Command("forget", forget, 'forget Kim "prefers green tea"', changes=True),
    Command("restore", restore, "restore Kim durable-1234abcd", changes=True),
)
