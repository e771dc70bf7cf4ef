"""Forget and restore from a menu: choose ─▶ look at what would happen ─▶ do it ─▶ undo.

What is chosen stands in the menu itself, as its defaults, so that nothing is kept here between two presses.
"""

from collections.abc import Iterable, Sequence

import discord

from dnam.adapters.discord.ui.asking import Asking
from dnam.adapters.discord.ui.pressed import Pressed, read
from dnam.adapters.discord.ui.shown import Shown, button, view_of
from dnam.commands.command import Invocation, Reply
from dnam.commands.items import forget, restore
from dnam.commands.picking import Act, Offer, act_on, offer, picked, preview, token, within_reach
from dnam.commands.table import guarded
from dnam.commands.undo import undoable
from dnam.markdown import tamed
from projections.durable import Sought
from projections.events.values import Item
from projections.quoting import label, one_line
from projections.rows import Rows

MOST_OPTIONS = 25
MOST_LABEL = 100
VERBS: dict[Act, str] = {"forget": "Forget", "restore": "Restore"}
NONE: dict[Act, str] = {"forget": "No matching items found.", "restore": "There is nothing here to bring back."}
ASK: dict[Act, str] = {
    "forget": "What shall I forget? Nothing is forgotten before you confirm it.",
    "restore": "What shall I remember again?",
}
UNCHANGED = "Nothing was changed."


async def offered(asking: Asking, interaction: discord.Interaction, act: Act, words: str) -> None:
    """Show what may be meant; what the words mean exactly is chosen already."""

    async def making(asked: Invocation) -> Shown:
        refused = await _refused(asking, asked, act)
        if refused is not None:
            return refused
        found = await _offered(asking, asked, act, words)
        if words and not found.items:  # none that they may: why not
            reply = await guarded(
                asking.desk.assistant, asked, f"/memory {act}", lambda: _named(asking, asked, act, words)
            )
            return asking.lists.shown(reply, interaction.user.id)
        chosen = found.items[:MOST_OPTIONS] if found.exact else ()
        return _menu(act, interaction.user.id, found.items, chosen, paged=not words)

    await asking.show(interaction, making)


async def _offered(asking: Asking, asked: Invocation, act: Act, words: str) -> Offer:
    memory = asking.desk.memory
    sought = Sought(words, "", memory.now(), memory.vocabulary)
    return await memory.look(lambda rows: offer(rows, asked, act, sought, memory.limits().scoring))


async def _named(asking: Asking, asked: Invocation, act: Act, words: str) -> Reply:
    if act == "forget":
        return await forget(asking.desk.assistant, asked, {"what": words})
    return await restore(asking.desk.assistant, asked, {"id": words})


async def turned(asking: Asking, interaction: discord.Interaction, act: Act, offset: int) -> None:
    """Show other items to choose from, of all there are."""

    async def making(asked: Invocation) -> Shown:
        found = await _offered(asking, asked, act, "")
        return _menu(act, interaction.user.id, found.items, (), paged=True, offset=offset)

    await asking.change(interaction, making)


async def chosen(asking: Asking, interaction: discord.Interaction, act: Act, tokens: Sequence[str]) -> None:
    """Show what would happen to what is chosen now."""
    among = [each.value for each in menu_options(interaction)]

    async def making(asked: Invocation) -> Shown:
        rows_items = await asking.desk.memory.look(lambda rows: _both(rows, asked, act, among, tokens))
        return _menu(act, interaction.user.id, *rows_items, paged=False)

    await asking.change(interaction, making)


async def done(asking: Asking, interaction: discord.Interaction, act: Act) -> None:
    """Do it to what is chosen."""
    tokens = [each.value for each in menu_options(interaction) if each.default]

    async def making(asked: Invocation) -> Shown:
        assistant = asking.desk.assistant

        async def do() -> Reply:
            return await undoable(assistant, await act_on(assistant, asked, tokens, act))

        reply = await guarded(assistant, asked, f"/memory {act}", do)
        return asking.lists.shown(reply, interaction.user.id)

    await asking.settle(interaction, making)


async def _refused(asking: Asking, asked: Invocation, act: Act) -> Shown | None:
    """What stands in the way of every command, in words."""

    async def nothing() -> Reply:
        return Reply("")

    reply = await guarded(asking.desk.assistant, asked, f"/memory {act}", nothing)
    return Shown(reply.text) if reply.failed else None


def _both(
    rows: Rows, asked: Invocation, act: Act, among: Sequence[str], tokens: Iterable[str]
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """What the menu offers, in its order, and what is chosen of it."""
    by_token = {token(each.row.item): each.row.item for each in within_reach(rows, asked, act)}
    return tuple(by_token[each] for each in among if each in by_token), picked(rows, asked, tokens, act)


def menu_options(interaction: discord.Interaction) -> list[discord.SelectOption]:
    """The options of the menu in the message whose menu or button was used."""
    rows = interaction.message.components if interaction.message is not None else []
    return [
        option
        for row in rows
        if isinstance(row, discord.ActionRow)
        for each in row.children
        if isinstance(each, discord.SelectMenu) and (read(each.custom_id or "") or Pressed("cancel", 0)).what == "pick"
        for option in each.options
    ]


def _menu(act: Act, user: int, items: Sequence[Item], chosen: Sequence[Item], *, paged: bool, offset: int = 0) -> Shown:
    if not items:
        return Shown(NONE[act])
    here = items[offset : offset + MOST_OPTIONS] or items[:MOST_OPTIONS]
    parts: list[discord.ui.Item[discord.ui.View]] = [_select(act, user, here, chosen)]
    parts.append(
        button(
            f"{VERBS[act]} {len(chosen)}" if chosen else VERBS[act],
            Pressed("do", user, (act,)),
            discord.ButtonStyle.danger if act == "forget" else discord.ButtonStyle.primary,
            enabled=bool(chosen),
        )
    )
    parts.append(button("Cancel", Pressed("cancel", user)))
    if paged and len(items) > MOST_OPTIONS:
        parts += _turns(act, user, offset, len(items))
    return Shown(_words(act, items, chosen, paged=paged), view_of(*parts))


def _turns(act: Act, user: int, offset: int, count: int) -> list[discord.ui.Item[discord.ui.View]]:
    after = offset + MOST_OPTIONS
    return [
        button("◀ Back", _more(act, user, offset - MOST_OPTIONS), enabled=offset > 0),
        button("Next ▶", _more(act, user, after), enabled=after < count),
    ]


def _more(act: Act, user: int, offset: int) -> Pressed:
    return Pressed("more", user, (act, str(max(offset, 0))))


def _words(act: Act, items: Sequence[Item], chosen: Sequence[Item], *, paged: bool) -> str:
    if chosen:
        text = tamed(preview(chosen, act))
        return text if len(text) <= 1900 else f"{text[:1900]}…"
    left = len(items) - MOST_OPTIONS
    return ASK[act] if paged or left <= 0 else f"{ASK[act]}\n{left} more match: say more of the words to see them."


def _select(act: Act, user: int, items: Sequence[Item], chosen: Sequence[Item]) -> discord.ui.Select[discord.ui.View]:
    tokens = {token(each) for each in chosen}
    options = [
        discord.SelectOption(
            label=one_line(each.text)[:MOST_LABEL] or each.id[:MOST_LABEL],
            description=f"{label(each.kind) or 'fact'}, {each.id}"[:MOST_LABEL],
            value=token(each),
            default=token(each) in tokens,
        )
        for each in items
    ]
    return discord.ui.Select(
        custom_id=Pressed("pick", user, (act,)).custom_id,
        placeholder=f"{VERBS[act]} …",
        options=options,
        min_values=1,
        max_values=len(options),
    )
