"""What people ask of a memory: remember, forget, edit, restore, show, recall, search."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial
from typing import cast

from dnam import arguments
from dnam.access import Access, refuse_stranger
from dnam.unmerging import before_merge
from dnam.unnamed import unnamed
from dnam.whereabouts import LOCAL, in_direct, openings_for
from projections.decisions.draft import Decision, Draft, Minter, Origin, decided_before, part
from projections.decisions.remember import (
    EditRequest,
    ForgetRequest,
    RememberRequest,
    RestoreRequest,
    edit,
    forget,
    item_text,
    remember,
    restore,
)
from projections.decisions.undoing import undoing
from projections.durable import Ranked, Sought, ranked
from projections.errors import BadRequest
from projections.events import ItemEvent
from projections.events.values import By, Evidence, Item, Scoring, Source
from projections.ids import Handle
from projections.items import ITEMS, ItemRow, item_key, items_in, items_of
from projections.policies.compartments import Opening, Setting, opened, place_item
from projections.policies.guards import Guarding
from projections.policies.text import whole
from projections.rows import Found, Rows
from replay.chronicle import LogChronicle
from replay.group import Recorded

GONE_SINCE = "that was asked for and done before, and is gone since"


class Keeping(Access):
    """Items, as people and the operator handle them. `user` is a platform's id of a person, or their handle. `origin`
    is what a platform calls a request: what was asked by the same one before is not done again, and what came of it
    then is returned.

    Raises Unknown for a `user` whom nobody here has met and for `by` of such a person, BadRequest for an id that
    nothing has there, and LogError for what could not be recorded. A list is empty where nothing had to change.
    """

    async def remember(
        self,
        user: str | Handle,
        text: str,
        *,
        platform: str = LOCAL,
        by: By | None = None,
        setting: Setting | None = None,
        source: Source | None = None,
        evidence: tuple[Evidence, ...] = (),
        origin: Origin | None = None,
    ) -> Item:
        """Keep this for a person; where it holds is where they said it (default: their direct messages).

        `evidence` are the words that it rests on, and `source` is where they stand; without, the person's own asking.
        Raises BadRequest for words that say nothing or that a guard holds back, for somebody who opted out, and for an
        `origin` whose item is gone since. Who is not known yet is met.
        """
        arguments.strings(text=text)
        arguments.acting(by, setting)
        arguments.perhaps(Source, source=source)
        arguments.perhaps(Origin, origin=origin)
        evidence = arguments.each(Evidence, evidence=evidence)
        await self._known_actor(by)
        if isinstance(user, str) and user:
            refuse_text(text, self.guarding)  # before somebody is met for it
        person = await self.person(user, platform=platform, make=True)
        where = setting or in_direct(person)
        asked = Source("manual", place=where.audience.place if where.audience.kind != "direct" else None)
        request = RememberRequest(
            owner=person,
            compartment=place_item(where),
            text=unnamed(whole(text)),
            by=by or By("person", person),
            said=self.now(),
            source=source or asked,
            origin=origin or self.origin(),
            evidence=evidence,
            cap=self.settings.durable_max_items,
            where=where,
            guarding=self.guarding,
        )

        def decide(rows: Rows) -> list[Draft]:
            refuse_stranger(rows, person)  # who was erased since they were looked up
            return remember(rows, request)

        return await self._kept(decide, request.origin)

    async def _kept(self, decision: Decision, origin: Origin) -> Item:
        """The item that was to be kept."""
        kept = await self._items(decision, origin)
        if not kept:
            raise BadRequest(GONE_SINCE)
        return kept[0]

    async def _items(self, decision: Decision, origin: Origin) -> list[Item]:
        """The items that a decision changed; that it had changed, where its request was decided before."""
        changed = items_of_recorded(await self.record(decision))
        return changed or await self.look(lambda rows: [each.item for each in self._done_by(rows, origin)])

    def _done_by(self, rows: Rows, origin: Origin) -> Iterator[ItemEvent]:
        """What was recorded by a request that a platform names, as far as it can be read."""
        if origin.identity is not None and decided_before(rows, origin):
            for record in LogChronicle(self.engine.live).decision(Minter(rows, origin).next()):
                if isinstance(record.event, ItemEvent):
                    yield record.event

    async def forget(
        self,
        user: str | Handle,
        needle: str = "",
        *,
        id: str = "",
        platform: str = LOCAL,
        by: By | None = None,
        setting: Setting | None = None,
        origin: Origin | None = None,
    ) -> list[Item]:
        """Take back what matches the words (60 % rule) or the id; the items, as they are afterwards.

        Empty where no active item matches the words, or what has the id is forgotten already. Raises BadRequest for an
        id that no item has there, and where there are neither words nor an id.
        """
        arguments.strings(needle=needle, id=id)
        arguments.acting(by, setting)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        person = await self.person(user, platform=platform)
        openings = await self.look(lambda rows: openings_for(rows, person, setting))
        request = ForgetRequest(
            person,
            openings,
            by or By("person", person),
            self.now(),
            origin or self.origin(),
            unnamed(whole(needle)),
            id,
        )
        return await self._items(lambda rows: forget(rows, request), request.origin)

    async def forget_all(
        self, items: Iterable[Item], *, by: By, undoes: bool = False, origin: Origin | None = None
    ) -> list[Item]:
        """Take back these items and no others, as one act: all have one time. The items, as they are afterwards; empty
        where all of them are forgotten already. `undoes`: that takes back what the same person did before. BadRequest
        for an item that is not there.
        """
        items = arguments.each(Item, items=items)
        arguments.actor(by)
        arguments.of_kind(bool, undoes=undoes)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        said, made = self.now(), origin or self.origin()
        each = (self._forgetting(item, by, said, part(made, number)) for number, item in enumerate(items))
        return await self._changed(each, undoes=undoes)

    def _forgetting(self, item: Item, by: By, said: int, origin: Origin) -> Decision:
        return partial(_forgetting, ForgetRequest(item.owner, _here(item), by, said, origin, id=item.id))

    async def edit(
        self,
        user: str | Handle,
        id: str,
        text: str,
        *,
        platform: str = LOCAL,
        by: By | None = None,
        setting: Setting | None = None,
        origin: Origin | None = None,
    ) -> list[Item]:
        """Change what an item says; its id stays. The item, as it is afterwards; empty where it says so already.

        Raises BadRequest for an id that no item has there or several have, for one that is not active, for words that
        say nothing, that a guard holds back or that another item says there, and for somebody who opted out.
        """
        arguments.strings(id=id, text=text)
        arguments.acting(by, setting)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        person = await self.person(user, platform=platform)
        openings = await self.look(lambda rows: openings_for(rows, person, setting))
        said, made, words = self.now(), origin or self.origin(), unnamed(whole(text))
        actor = by or By("person", person)
        request = EditRequest(person, id, words, actor, said, made, openings, guarding=self.guarding)
        return await self._items(lambda rows: edit(rows, request), made)

    async def restore(
        self,
        user: str | Handle,
        id: str,
        *,
        platform: str = LOCAL,
        by: By | None = None,
        setting: Setting | None = None,
        origin: Origin | None = None,
    ) -> list[Item]:
        """Bring an item back; it comes first. One that was merged comes apart from the item that it became part of.

        Empty where it is active already. Raises BadRequest for an id that no item has there, or several have that could
        come back, and for somebody who opted out.
        """
        arguments.strings(id=id)
        arguments.acting(by, setting)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        person = await self.person(user, platform=platform)
        openings = await self.look(lambda rows: openings_for(rows, person, setting))
        return await self._restored(person, id, openings, by or By("person", person), origin or self.origin())

    async def _restored(
        self, owner: Handle, id: str, openings: tuple[Opening, ...], by: By, origin: Origin
    ) -> list[Item]:
        request = RestoreRequest(
            owner,
            id,
            by,
            self.now(),
            origin,
            openings,
            self.settings.durable_max_items,
            before=await self.look(lambda rows: before_merge(rows, self.engine.live, owner, id, openings)),
        )
        restored = await self._items(lambda rows: restore(rows, request), origin)
        return sorted(restored, key=lambda item: item.id != id)

    async def restore_all(
        self, items: Iterable[Item], *, by: By, undoes: bool = False, origin: Origin | None = None
    ) -> list[Item]:
        """Bring back these items and no others, as one act: all have one time. The items, as they are afterwards; what
        makes room for them is left out. Empty where all of them are active already. BadRequest as by `restore`.
        """
        items = arguments.each(Item, items=items)
        arguments.actor(by)
        arguments.of_kind(bool, undoes=undoes)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        said, made = self.now(), origin or self.origin()
        each = [await self._restoring(item, by, said, part(made, number)) for number, item in enumerate(items)]
        return await self._standing(await self._changed(each, undoes=undoes))

    async def _restoring(self, item: Item, by: By, said: int, origin: Origin) -> Decision:
        """It comes apart from what it was merged into, which is as it was until then."""
        here, live = _here(item), self.engine.live
        before = await self.look(lambda rows: before_merge(rows, live, item.owner, item.id, here))
        cap = self.settings.durable_max_items
        return partial(_restoring, RestoreRequest(item.owner, item.id, by, said, origin, here, cap, before))

    async def edit_this(self, item: Item, text: str, *, by: By, origin: Origin | None = None) -> list[Item]:
        """Change what this item says, and no other of its id; the item, as it is afterwards. Empty where it says so
        already, BadRequest as by `edit`.
        """
        arguments.of_kind(Item, item=item)
        arguments.strings(text=text)
        arguments.actor(by)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        words, said, made = unnamed(whole(text)), self.now(), origin or self.origin()
        request = EditRequest(item.owner, item.id, words, by, said, made, _here(item), guarding=self.guarding)
        return await self._items(lambda rows: edit(rows, request), made)

    async def restore_this(self, item: Item, *, by: By, origin: Origin | None = None) -> list[Item]:
        """Bring this item back, and no other of its id; it comes first. One that was merged comes apart. Empty where it
        is active already, BadRequest as by `restore`.
        """
        arguments.of_kind(Item, item=item)
        arguments.actor(by)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        return await self._restored(item.owner, item.id, _here(item), by, origin or self.origin())

    async def reword(
        self,
        item: Item,
        text: str,
        *,
        by: By,
        undoes: bool = True,
        source: Source | None = None,
        origin: Origin | None = None,
    ) -> list[Item]:
        """Have this item, and no other of its id, say again what it said before; `source` is where it had that from.
        The item, as it is afterwards. Empty where it says so already, BadRequest as by `edit`, but no guard is asked.
        """
        arguments.of_kind(Item, item=item)
        arguments.strings(text=text)
        arguments.actor(by)
        arguments.of_kind(bool, undoes=undoes)
        arguments.perhaps(Source, source=source)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        reword = self._rewording(item, text, by, self.now(), origin or self.origin(), source)
        return await self._changed([reword], undoes=undoes)

    def _rewording(self, item: Item, text: str, by: By, said: int, origin: Origin, source: Source | None) -> Decision:
        words = whole(text)
        request = EditRequest(item.owner, item.id, words, by, said, origin, _here(item), guarding=None, source=source)
        return partial(_editing, request)

    async def _changed(self, decisions: Iterable[Decision], *, undoes: bool = False) -> list[Item]:
        """What these decisions changed, one after the other and in one commit: no crash comes between them."""
        wanted = [partial(_undoing, each) if undoes else each for each in decisions]
        return items_of_recorded(await self._record_together(wanted))

    async def _standing(self, items: Iterable[Item]) -> list[Item]:
        """These items as they are, each once, without what made room."""
        keys = dict.fromkeys(item_key(each.owner, each.compartment, each.id) for each in items)
        found = await self.look(lambda rows: [rows.get(ITEMS, key) for key in keys])
        return [row.item for row in found if row is not None and row.item.status != "evicted"]

    async def show(
        self,
        user: str | Handle,
        *,
        platform: str = LOCAL,
        at: int | datetime | None = None,
        setting: Setting | None = None,
    ) -> list[Item]:
        """A person's active items, newest first: all of them, or those that a setting opens.

        `at` is a moment by recorded order: a seq, or a time; one without a zone is a time of this machine's. Raises
        Unknown for a `user` whom nobody here has met, BadRequest for a moment that is none or is not there yet. Empty
        where nothing of theirs is open there.
        """
        arguments.perhaps(Setting, setting=setting)
        person = await self.person(user, platform=platform)

        def question(rows: Rows) -> list[Item]:
            found = items_of(rows, person) if setting is None else _opened_items(rows, person, setting)
            active = (each.row.item for each in found if each.row.item.status == "active")
            return sorted(active, key=lambda item: (-item.updated, item.id))

        if at is None:
            return await self.look(question)
        return await self.look_back(self.moment(at), lambda _, then: question(then))

    async def recall(
        self, user: str | Handle, text: str, *, platform: str = LOCAL, setting: Setting | None = None
    ) -> list[Ranked]:
        """A person's items that hold now, in the order in which a prompt for this text would take them, each with its
        reasons. Its score is how well it fits: by recall, the scoring unless another is set, in 1/1024. Empty where
        nothing of theirs is open there; Unknown for a `user` whom nobody here has met.
        """
        arguments.strings(text=text)
        arguments.perhaps(Setting, setting=setting)
        person = await self.person(user, platform=platform)
        sought = self._sought(text)

        def question(rows: Rows) -> list[Ranked]:
            return self._ranked(rows, _own_openings(rows, person, setting or in_direct(person)), sought)

        return await self.look(question)

    async def search(
        self, user: str | Handle, text: str, *, platform: str = LOCAL, setting: Setting | None = None
    ) -> list[Ranked]:
        """A person's items that hold now and share words with a text, best first, each with its reasons: all of them,
        or those that a setting opens. Empty where none shares one; Unknown for a `user` whom nobody here has met.
        """
        arguments.strings(text=text)
        arguments.perhaps(Setting, setting=setting)
        person = await self.person(user, platform=platform)
        sought = self._sought(text)

        def question(rows: Rows) -> list[Ranked]:
            openings = _all_openings(rows, person) if setting is None else _own_openings(rows, person, setting)
            return sorted((hit for hit in self._ranked(rows, openings, sought) if hit.overlap), key=_best_first)

        return await self.look(question)

    def _sought(self, text: str) -> Sought:
        return Sought(whole(text), "", self.now(), self.vocabulary)

    def _ranked(self, rows: Rows, openings: Iterable[Opening], sought: Sought) -> list[Ranked]:
        return list(ranked(rows, openings, sought, cast(Scoring, self.settings.scoring)))


def refuse_text(text: str, guarding: Guarding) -> None:
    """BadRequest for words that are not kept for a person, whoever that is."""
    item_text(unnamed(whole(text)), guarding)


def _undoing(decision: Decision, rows: Rows) -> list[Draft]:
    return undoing(decision(rows))


def _forgetting(request: ForgetRequest, rows: Rows) -> list[Draft]:
    return forget(rows, request)


def _editing(request: EditRequest, rows: Rows) -> list[Draft]:
    return edit(rows, request)


def _restoring(request: RestoreRequest, rows: Rows) -> list[Draft]:
    return restore(rows, request)


def _here(item: Item) -> tuple[Opening, ...]:
    return (Opening(item.owner, item.compartment),)


def items_of_recorded(recorded: Recorded) -> list[Item]:
    """The items of a decision's events, as they are afterwards."""
    return [event.item for event in recorded.events if isinstance(event, ItemEvent)]


def _opened_items(rows: Rows, person: Handle, setting: Setting) -> Iterator[Found[ItemRow]]:
    """A person's items in the compartments that a setting opens, and in no others."""
    own = _own_openings(rows, person, setting)
    return (found for owner, compartment in own for found in items_in(rows, owner, compartment))


def _own_openings(rows: Rows, person: Handle, setting: Setting) -> Iterator[Opening]:
    return (each for each in opened(rows, setting) if each.owner == person)


def _all_openings(rows: Rows, person: Handle) -> list[Opening]:
    """Wherever a person has items."""
    places = dict.fromkeys(each.row.item.compartment for each in items_of(rows, person))
    return [Opening(person, each) for each in places]


def _best_first(hit: Ranked) -> int:
    return -hit.score
