"""Where items live, as people and the operator decide it: share, keep private, and what belongs to nobody."""

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, get_args

from dnam import arguments
from dnam.keeping import Keeping
from dnam.unnamed import unnamed
from dnam.whereabouts import LOCAL, openings_for
from projections.decisions.draft import Decision, Origin, part
from projections.decisions.moving import BESIDE, MoveRequest, keeping_private, move, sharing
from projections.decisions.moving_back import move_back
from projections.decisions.remember import ForgetRequest, RememberRequest, forget, remember
from projections.errors import BadRequest
from projections.events.values import About, By, Evidence, IntentKind, Item, Source
from projections.ids import NOBODY, Handle
from projections.items import ITEMS, item_key, items_in
from projections.policies.compartments import OWNER, SELF, Opening, Setting, is_portable
from projections.policies.item_ids import is_id
from projections.policies.text import whole
from projections.rows import Rows
from replay.chronicle import LogChronicle

Way = Callable[[Handle, str, By, int, Origin], MoveRequest]
"""Which way an item goes: whose it is, its id, who asks, when (ms), and where the ids come from."""
BOTH = "What has the id {id} there says something else: this has one of its own, and both are kept."
"""What is told of an item that got another id where it came to."""
Verb = Literal["forgotten", "restored", "put back as it was", "moved back"]
"""What becomes of an item when what was done to it is taken back."""
ABOUT: dict[str, About] = {SELF: "self", OWNER: "owner"}
"""What an item of nobody's is about; everything else is a guild's."""


class Opposite(NamedTuple):
    """How a change of an item is taken back: what it is to say again, and where that was from if that is known, or in
    which compartment it is to lie again.
    """

    item: Item
    way: Verb
    text: str = ""
    compartment: str = ""
    source: Source | None = None


class Placing(Keeping):
    """Items and the compartments that they live in. `user` is a platform's id of a person, or their handle. Errors and
    empty lists are as `Keeping` has them.
    """

    async def share(
        self,
        user: str | Handle,
        id: str,
        *,
        platform: str = LOCAL,
        by: By | None = None,
        setting: Setting | None = None,
        origin: Origin | None = None,
    ) -> list[Item]:
        """Let an item be open wherever its person is answered; the item at its new address.

        It becomes one with what says the same there. Where its id is that of something else there, it has another one.
        Empty where it is there already. Raises BadRequest for an id that no active item has there.
        """
        arguments.strings(id=id)
        arguments.acting(by, setting)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        return await self._move(sharing, await self.person(user, platform=platform), id, by, setting, origin)

    async def keep_private(
        self,
        user: str | Handle,
        id: str,
        *,
        platform: str = LOCAL,
        by: By | None = None,
        setting: Setting | None = None,
        origin: Origin | None = None,
    ) -> list[Item]:
        """Let an item be open in its person's direct messages alone. Its id, errors and an empty list are as by
        `share`.
        """
        arguments.strings(id=id)
        arguments.acting(by, setting)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        return await self._move(keeping_private, await self.person(user, platform=platform), id, by, setting, origin)

    async def move_back(
        self, item: Item, compartment: str, *, by: By, undoes: bool = True, origin: Origin | None = None
    ) -> list[Item]:
        """Put this item, and no other of its id, back into a compartment that it came from. What it had become one with
        is an item of its own again, as it was before; the one that is put back comes first. What makes room is left
        out.
        """
        arguments.of_kind(Item, item=item)
        arguments.of_owner(compartment, item.owner)
        change = Opposite(item, "moved back", compartment=compartment)
        return await self.take_back([change], by=by, undoes=undoes, origin=origin)

    async def take_back(
        self, changes: Iterable[Opposite], *, by: By, undoes: bool = True, origin: Origin | None = None
    ) -> list[Item]:
        """Do the opposite of what was done to these items, and to no others of their ids: all of it in one commit, so
        that nothing can come in between. The items as they are afterwards, what moves back after the rest; what makes
        room for that is left out, and what it had become one with is an item of its own again, as it was before.
        """
        changes = arguments.each(Opposite, changes=changes)
        for each in changes:
            arguments.perhaps(Source, source=each.source)
            if each.way == "moved back":
                arguments.of_owner(each.compartment, each.item.owner)
        arguments.actor(by)
        arguments.of_kind(bool, undoes=undoes)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        said, made = self.now(), origin or self.origin()
        made_of = [await self._opposite(each, by, said, part(made, number)) for number, each in enumerate(changes)]
        return await self._standing(await self._changed(made_of, undoes=undoes))

    async def _opposite(self, change: Opposite, by: By, said: int, origin: Origin) -> Decision:
        match change.way:
            case "forgotten":
                return self._forgetting(change.item, by, said, origin)
            case "restored":
                return await self._restoring(change.item, by, said, origin)
            case "put back as it was":
                return self._rewording(change.item, change.text, by, said, origin, change.source)
            case "moved back":
                return self._moving_back(change.item, change.compartment, by, said, origin)
            case _:
                raise BadRequest(f"`way` is one of {', '.join(get_args(Verb))}, not {change.way!r}")

    def _moving_back(self, item: Item, compartment: str, by: By, said: int, origin: Origin) -> Decision:
        action: IntentKind = "share" if is_portable(compartment) else "keep_private"
        here = (Opening(item.owner, item.compartment),)
        request = MoveRequest(item.owner, item.id, compartment, action, by, said, origin, here)
        cap = self.settings.durable_max_items
        return lambda rows: move_back(rows, LogChronicle(self.engine.live), request, cap)

    async def _move(
        self, way: Way, person: Handle, id: str, by: By | None, setting: Setting | None, origin: Origin | None
    ) -> list[Item]:
        request = way(person, id, by or By("person", person), self.now(), origin or self.origin())
        if setting is not None:
            openings = await self.look(lambda rows: openings_for(rows, person, setting))
            request = request._replace(openings=openings)
        items = await self._items(lambda rows: move(rows, request), request.origin)
        return list({(each.compartment, each.id): each for each in items}.values())

    async def remember_nobodys(
        self,
        compartment: str,
        text: str,
        *,
        by: By,
        source: Source | None = None,
        evidence: Iterable[Evidence] = (),
        where: Setting | None = None,
        speakers: Iterable[Handle] = (),
        origin: Origin | None = None,
    ) -> Item:
        """Keep this as nobody's: a guild's lore, what the assistant is to know of itself, or the owner's layer.

        Whether whoever asks may is for the caller to say. `where` is the place whose readers it is for, where it rests
        on something said there, by these `speakers`. Raises BadRequest for a compartment that is not nobody's, for
        words that say nothing or that a guard holds back, for a speaker who opted out, and where by now fewer can read
        the place than the compartment.
        """
        arguments.strings(text=text)
        arguments.nobodys(compartment)
        arguments.actor(by)
        arguments.perhaps(Source, source=source)
        arguments.perhaps(Setting, where=where)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        request = RememberRequest(
            owner=NOBODY,
            compartment=compartment,
            text=unnamed(whole(text)),
            by=by,
            said=self.now(),
            source=source or Source("manual"),
            origin=origin or self.origin(),
            evidence=arguments.each(Evidence, evidence=evidence),
            cap=self.settings.durable_max_items,
            where=where,
            guarding=self.guarding,
            about=ABOUT.get(compartment, "guild"),
            speakers=arguments.each(bytes, speakers=speakers),
        )
        return await self._kept(lambda rows: remember(rows, request), request.origin)

    async def forget_nobodys(self, compartment: str, what: str, *, by: By, origin: Origin | None = None) -> list[Item]:
        """Take back what of nobody's the id names there, or else the words cover; the items, as they are afterwards.
        Empty where the words cover none; BadRequest for an id that nothing has there.
        """
        arguments.strings(compartment=compartment, what=what)
        arguments.actor(by)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        here = (Opening(NOBODY, compartment),)
        named = any(item.id == what for item in await self.nobodys(compartment))
        needle, item_id = ("", what) if named else (unnamed(whole(what)), "")
        request = ForgetRequest(NOBODY, here, by, self.now(), origin or self.origin(), needle, item_id)
        gone = await self._items(lambda rows: forget(rows, request), request.origin)
        if gone or named or not is_id(what):
            return gone
        return await self._items(lambda rows: forget(rows, request._replace(needle="", id=what)), request.origin)

    async def restore_nobodys(self, compartment: str, id: str, *, by: By, origin: Origin | None = None) -> list[Item]:
        """Bring back an item of nobody's, by its id; it comes first. Empty where it is there already, BadRequest for an
        id that nothing has there.
        """
        arguments.strings(compartment=compartment, id=id)
        arguments.actor(by)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        here = (Opening(NOBODY, compartment),)
        return await self._restored(NOBODY, id, here, by, origin or self.origin())

    async def nobodys(self, compartment: str) -> list[Item]:
        """The active items of nobody's in a compartment, newest first; empty where there are none, or no such
        compartment.
        """
        arguments.strings(compartment=compartment)
        found = await self.look(lambda rows: _active(rows, compartment))
        return sorted(found, key=lambda item: (-item.updated, item.id))


def is_beside(rows: Rows, item: Item, id: str) -> bool:
    """Whether an item that had this id has another one where it came to, since something else has that there."""
    row = rows.get(ITEMS, item_key(item.owner, item.compartment, item.id))
    return row is not None and row.reason.endswith(BESIDE.format(id=id))


def _active(rows: Rows, compartment: str) -> list[Item]:
    items = (found.row.item for found in items_in(rows, NOBODY, compartment))
    return [item for item in items if item.status == "active"]
