"""The memory, for whoever builds on it: hear, assemble a context, record the answer; remember, forget, show, recall.

    async with Memory.open("data") as memory:
        heard = await memory.heard("ada", "I prefer tea over coffee")
        context = await memory.context(heard)
        await memory.answered(heard, context, "Tea it is.")

Everything that is written is durable when the call returns. Opening a folder that is empty makes a new memory in it.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

from dnam.errors import Unknown
from dnam.languages import Language, load
from dnam.settings import Settings, read
from dnam.whereabouts import (
    LOCAL,
    Heard,
    handle_of,
    in_direct,
    locate,
    new_handle,
    openings_for,
    the_one,
    with_handles,
)
from projections.context import Context, Request, assemble
from projections.decisions.answer import AnswerRequest, DeliverRequest, answer, deliver, turn_origin
from projections.decisions.draft import Decision, Origin
from projections.decisions.hear import HeardRequest, PlaceSeen, hear
from projections.decisions.meet import Account, meet
from projections.decisions.remember import (
    EditRequest,
    ForgetRequest,
    RememberRequest,
    RestoreRequest,
    edit,
    forget,
    remember,
    restore,
)
from projections.events import ItemEvent, TurnAnswered
from projections.events.values import By, FileDigest, Item, Limits, ModelUse, Source
from projections.ids import EventId, Handle, Ref
from projections.items import items_of
from projections.lookup import find_people
from projections.people import person_of
from projections.policies.compartments import Setting, opened, place_item
from projections.policies.text import whole
from projections.retrieval import Hit, Vocabulary, query, rank
from projections.rows import Rows
from projections.summaries import era_of
from replay.clock import Clock
from replay.engine import Engine
from replay.group import Recorded
from replay.travel import Moment, settled

T = TypeVar("T")


class Turn(NamedTuple):
    """An answer that was recorded. `nonce` goes with the message that is sent."""

    id: EventId
    said: int
    era: int
    nonce: str


class Memory:
    """An open memory. Made by `Memory.open`, closed by leaving its `async with`."""

    def __init__(self, engine: Engine, settings: Settings, language: Language) -> None:
        self.engine = engine
        self.settings = settings
        self.language = language
        self.vocabulary = Vocabulary(language.stop_words, language.project_words)

    @staticmethod
    @asynccontextmanager
    async def open(
        path: str | Path | None = None,
        *,
        settings: Settings | None = None,
        writable: bool = True,
        clock: Clock | None = None,
    ) -> AsyncIterator["Memory"]:
        """A memory in a folder (default: the setting DNAM_DATA), for as long as the `async with` lasts.

        Settings are their defaults unless they are given: `dnam.settings.read(os.environ, {})` reads the environment.
        """
        chosen = settings or read({}, {})
        language = load(chosen.language)
        engine = await asyncio.to_thread(
            Engine.open,
            chosen.data if path is None else Path(path),
            writable=writable,
            create=writable,
            clock=clock,
            view_commit_events=chosen.view_commit_events,
        )
        try:
            yield Memory(engine, chosen, language)
        finally:
            await asyncio.to_thread(engine.close)

    # -- time and dice: the shell's, handed to decisions ------------------------------------------------------------

    def now(self) -> int:
        """The clock, in ms."""
        return self.engine.recorder.now()

    def origin(self) -> Origin:
        """A fresh origin for a request that no platform names."""
        return Origin(seed=os.urandom(32), now=self.now())

    async def record(self, decision: Decision) -> Recorded:
        """Decide, fold and record; returns when it is durable. Cancelling it ends the waiting, not the recording."""
        # Without the shield the engine's own future would be cancelled, in the middle of a group with others in it.
        return await asyncio.shield(asyncio.wrap_future(self.engine.submit(decision)))

    async def look(self, question: Callable[[Rows], T]) -> T:
        """Ask something of the rows as they are now, off the event loop."""
        return await asyncio.to_thread(self._look, question)

    def _look(self, question: Callable[[Rows], T]) -> T:
        with self.engine.reading() as rows:
            return question(rows)

    # -- hearing and answering --------------------------------------------------------------------------------------

    async def heard(
        self,
        user: str,
        text: str,
        *,
        place: PlaceSeen | None = None,
        name: str = "",
        platform: str = LOCAL,
        key: str = "",
        said: int | None = None,
        addressed: bool = True,
    ) -> Heard:
        """Somebody said something: `user` is the platform's id of them, `key` of the message (default: a fresh one).

        Without a `place` it was a direct message. `said` is ms since 1970, default now. The same key is heard once.
        """
        account = await self._account(platform, whole(user), whole(name))
        where = place or PlaceSeen(platform, "", "direct", "", "direct", partner=account)
        request = HeardRequest(
            key=key or os.urandom(16).hex(),
            place=where,
            author="person",
            speaker=account,
            text=whole(text),
            said=self.now() if said is None else said,
            fresh=(),
            addressed=addressed,
        )
        return await self.hear(request)

    async def _account(self, platform: str, user: str, name: str) -> Account:
        """An account under the name given, else the one it has, else its id."""
        if not name:
            found = await self.look(lambda rows: person_of(rows, platform, user))
            name = user if found is None else found.row.name
        return Account(platform, user, name)

    async def hear(self, request: HeardRequest) -> Heard:
        """Hear a message as an adapter translated it; fresh handles are added here."""
        ready = with_handles(request)
        await self.record(lambda rows: hear(rows, ready))
        return await self.look(lambda rows: locate(rows, ready))

    def request(self, heard: Heard, *, files: Sequence[FileDigest] = (), actions: str = "") -> Request:
        """What a prompt for this message is made for."""
        return Request(
            setting=heard.setting,
            session=heard.session,
            point=heard.point,
            assistant=self.settings.assistant_name,
            vocabulary=self.vocabulary,
            text=heard.text,
            limits=self.limits(),
            files=tuple(files),
            actions=actions,
        )

    def limits(self) -> Limits:
        """The budgets in force. What is switched off has none; the recent conversation is no memory."""
        settings = self.settings
        durable, summary = settings.durable_memory_enabled, settings.summary_enabled
        return Limits(
            items=settings.durable_inject_max_items if settings.memory_enabled and durable else 0,
            item_chars=settings.durable_inject_max_chars,
            history_messages=settings.message_history_count,
            history_chars=settings.message_history_budget,
            summary_chars=settings.summary_max_chars if settings.memory_enabled and summary else 0,
        )

    async def context(self, heard: Heard, *, files: Sequence[FileDigest] = (), actions: str = "") -> Context:
        """The prompt for a message, and what every line of it rests on."""
        request = self.request(heard, files=files, actions=actions)
        return await self.look(lambda rows: assemble(rows, request))

    async def answered(
        self,
        heard: Heard,
        context: Context,
        text: str,
        *,
        call: ModelUse | None = None,
        files: Sequence[FileDigest] = (),
        said: int | None = None,
    ) -> Turn:
        """The assistant's answer, before it is sent. A question is answered once: a second answer is not recorded.

        `said` is when it was finished, in ms, default now.
        """
        request = AnswerRequest(
            question=heard.point,
            session=heard.session,
            place=heard.place,
            audience=heard.setting.audience,
            guild=heard.setting.guild,
            asker=heard.person,
            text=text,
            context=context,
            call=call or ModelUse(model="unknown", version="", prompt_digest=context.digest),
            limits=self.limits(),
            said=self.now() if said is None else said,
            assistant=self.settings.assistant_name,
            files=tuple(files),
        )
        recorded = await self.record(lambda rows: answer(rows, request))
        for record in recorded.records:
            if isinstance(record.event, TurnAnswered):
                return Turn(record.id, record.event.said, record.event.era, record.event.nonce)
        return await self.look(lambda rows: _turn_of(rows, heard))

    async def delivered(
        self, heard: Heard, turn: Turn, messages: Sequence[Ref] = (), *, said: int | None = None
    ) -> None:
        """The answer arrived, as these messages of the platform; `said` is when, in ms, default now."""
        request = DeliverRequest(
            turn.id,
            heard.session,
            heard.setting.audience,
            turn.era,
            heard.person,
            tuple(messages),
            max(self.now() if said is None else said, turn.said),
        )
        await self.record(lambda rows: deliver(rows, request))

    # -- what people ask for ----------------------------------------------------------------------------------------

    async def remember(
        self, user: str | Handle, text: str, *, by: By | None = None, setting: Setting | None = None
    ) -> Item:
        """Keep this for a person; where it holds is where they said it (default: their direct messages)."""
        person = await self.person(user, make=True)
        where = setting or in_direct(person)
        request = RememberRequest(
            owner=person,
            compartment=place_item(where),
            text=whole(text),
            by=by or By("person", person),
            said=self.now(),
            source=Source("manual", place=where.audience.place if where.audience.kind != "direct" else None),
            origin=self.origin(),
            cap=self.settings.durable_max_items,
        )
        recorded = await self.record(lambda rows: remember(rows, request))
        return _items(recorded)[0]

    async def forget(
        self,
        user: str | Handle,
        needle: str = "",
        *,
        id: str = "",
        by: By | None = None,
        setting: Setting | None = None,
    ) -> list[Item]:
        """Take back what matches the words (60 % rule) or the id; the items, as they are afterwards."""
        person = await self.person(user)
        openings = await self.look(lambda rows: openings_for(rows, person, setting))
        request = ForgetRequest(
            person, openings, by or By("person", person), self.now(), self.origin(), whole(needle), id
        )
        return _items(await self.record(lambda rows: forget(rows, request)))

    async def edit(
        self, user: str | Handle, id: str, text: str, *, by: By | None = None, setting: Setting | None = None
    ) -> list[Item]:
        """Change what an item says; its id stays."""
        person = await self.person(user)
        openings = await self.look(lambda rows: openings_for(rows, person, setting))
        request = EditRequest(person, id, whole(text), by or By("person", person), self.now(), self.origin(), openings)
        return _items(await self.record(lambda rows: edit(rows, request)))

    async def restore(
        self, user: str | Handle, id: str, *, by: By | None = None, setting: Setting | None = None
    ) -> list[Item]:
        """Bring an item back."""
        person = await self.person(user)
        openings = await self.look(lambda rows: openings_for(rows, person, setting))
        request = RestoreRequest(
            person,
            id,
            by or By("person", person),
            self.now(),
            self.origin(),
            openings,
            self.settings.durable_max_items,
        )
        return _items(await self.record(lambda rows: restore(rows, request)))

    # -- looking ----------------------------------------------------------------------------------------------------

    async def show(
        self, user: str | Handle, *, at: int | datetime | None = None, setting: Setting | None = None
    ) -> list[Item]:
        """A person's active items, newest first: all of them, or those that a setting opens.

        `at` is a moment by recorded order: a seq, or a time.
        """
        person = await self.person(user)

        def question(rows: Rows) -> list[Item]:
            own = [found.row.item for found in items_of(rows, person) if found.row.item.status == "active"]
            places = None if setting is None else {each.compartment for each in opened(rows, setting)}
            kept = (each for each in own if places is None or each.compartment in places)
            return sorted(kept, key=lambda item: (-item.updated, item.id))

        if at is None:
            return await self.look(question)
        return await asyncio.to_thread(self._look_back, self._moment(at), question)

    def _moment(self, at: int | datetime) -> Moment:
        seq = at if isinstance(at, int) else self.engine.seq_at(int(at.timestamp() * 1000))
        return Moment(seq=settled(self.engine.store.log, seq))

    def _look_back(self, moment: Moment, question: Callable[[Rows], T]) -> T:
        with self.engine.past(moment) as rows:
            return question(rows)

    async def recall(self, user: str | Handle, text: str, *, setting: Setting | None = None) -> list[Hit]:
        """A person's items by how well they fit a text, best first, each with its reasons."""
        person = await self.person(user)
        now = self.now()

        def question(rows: Rows) -> list[Hit]:
            places = {(each.owner, each.compartment) for each in opened(rows, setting or in_direct(person))}
            own = (found for found in items_of(rows, person) if found.row.item.status == "active")
            here = (found for found in own if (person, found.row.item.compartment) in places)
            return rank(here, query(text, "", now, self.vocabulary), self.vocabulary)

        return await self.look(question)

    async def person(self, user: str | Handle, *, make: bool = False) -> Handle:
        """Who is meant. Unknown and Ambiguous say what there is; with `make`, an unknown local user is met now."""
        if isinstance(user, bytes):
            return user
        found = await self.look(lambda rows: find_people(rows, user))
        if not found and make:
            return await self._met(user)
        return await self.look(lambda rows: the_one(rows, user, found))

    async def _met(self, user: str) -> Handle:
        person = await self.meet(Account(LOCAL, whole(user), whole(user)))
        if not person:
            raise Unknown(f"{user!r} asked that nothing of theirs is kept")
        return person

    async def meet(self, account: Account) -> Handle:
        """Whose account it is; an unknown one is met now. NOBODY for somebody who opted out."""
        known = await self.look(lambda rows: handle_of(rows, account))
        if known:
            return known
        origin, fresh, said = self.origin(), (new_handle(),), self.now()
        await self.record(lambda rows: meet(rows, account, origin, fresh, said))
        return await self.look(lambda rows: handle_of(rows, account))


def _items(recorded: Recorded) -> list[Item]:
    return [event.item for event in recorded.events if isinstance(event, ItemEvent)]


def _turn_of(rows: Rows, heard: Heard) -> Turn:
    identity = turn_origin(heard.point).identity
    assert identity is not None
    turn = rows.ids.event_id(identity)
    return Turn(turn, heard.point.said + 1, era_of(rows, heard.session, heard.setting.audience.epoch), turn.hex()[-25:])
