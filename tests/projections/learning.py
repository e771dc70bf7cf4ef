"""A conversation that is learned from, with real decisions: said, read by a model, merged, summed up, answered.

town = Town()
tea = town.says("I like green tea")
town.reads([tea], {"text": "User likes green tea.", "evidence": "I like green tea"})
town.item("green tea")                    # the item as it now is
"""

import json
from collections.abc import Sequence
from typing import Any

from projections.decisions.answer import turn_origin
from projections.decisions.delete import DeletedRequest, delete_all
from projections.decisions.draft import Minter
from projections.decisions.extraction import ExtractionRequest, learn
from projections.decisions.hear import HeardRequest, hear, message_identity
from projections.decisions.meet import Account
from projections.decisions.merge import MergeRequest, merge
from projections.decisions.place import PlaceSeen
from projections.decisions.quieted import quieted_turn
from projections.decisions.summaries import RefreshRequest, refresh
from projections.decisions.work import WorkRequest, record_work
from projections.events import Event, ExtractionAnswered, MergeAnswered, SummaryAnswered, TurnAnswered
from projections.events.values import Audience, AuthorKind, By, ItemUse, Limits, ModelUse
from projections.fold import Record
from projections.ids import NOBODY, EventId, Handle, Point, Ref
from projections.items import ItemRow, items_of
from projections.messages import MessageRow, find_message
from projections.people import person_of
from projections.policies.compartments import in_guild
from projections.policies.evidence import InputMessage
from projections.policies.guards import Guarding
from projections.summaries import SummaryRow, find_summary
from tests.projections.items import KNOWN
from tests.world import NOW, World, fresh, origin

GUILD = Ref("discord", "9")
GENERAL = PlaceSeen("discord", "7", "channel", "general", "guild", guild=GUILD, guild_name="Garden")
SESSION = "discord:channel:7"
HERE = Audience("guild", Ref("discord", "7"))
HOME = in_guild(GUILD)
ADA = Account("discord", "100", "Ada")
SELF = Account("discord", "1", "dnam")
CALL = ModelUse("haiku", "7", prompt_digest=b"d" * 32, tokens_in=30, cost_micros=45)
MODEL = By("model", name="haiku", version="7")
LATER = NOW + 86_400_000


class Town:
    """One channel, in which things are said a second apart."""

    def __init__(self, place: PlaceSeen = GENERAL, guarding: Guarding = KNOWN) -> None:
        self.world = World()
        self.place = place
        self.guarding = guarding
        self.count = 0

    @property
    def rows(self) -> Any:
        return self.world.rows

    @property
    def ada(self) -> Handle:
        found = person_of(self.rows, "discord", "100")
        assert found is not None
        return found.row.person

    def _request(self, key: int, text: str, who: Account, **more: Any) -> HeardRequest:
        said, place = NOW + 1000 * key, more.pop("place", self.place)
        author: AuthorKind = "self" if who == SELF else "person"
        return HeardRequest(str(key), place, author, who, text, said, fresh(salt=str(key)), **more)

    def says(self, text: str, who: Account = ADA, **more: Any) -> Point:
        self.count += 1
        self.world.decide(hear, self._request(self.count, text, who, **more))
        return self.point(self.count)

    def edits(self, message: Point, text: str, who: Account = ADA, after: int = 500) -> list[Event]:
        key = (message.said - NOW) // 1000
        return self.world.decide(hear, self._request(key, text, who, edited=message.said + after))

    def point(self, key: int) -> Point:
        said = NOW + 1000 * key
        return Point(said, self.rows.ids.event_id(message_identity("discord", str(key), "heard", said)))

    def message(self, point: Point) -> MessageRow | None:
        found = find_message(self.rows, SESSION, HERE.epoch, point)
        return None if found is None else found.row

    def input(self, point: Point) -> InputMessage:
        row = self.message(point)
        assert row is not None
        each = row.message
        return InputMessage(point.id, each.text, each.ref, each.said, each.place, each.guild, row.event)

    def deletes(self, *messages: Point) -> list[Event]:
        wanted = [
            DeletedRequest("discord", str((each.said - NOW) // 1000), SESSION, each.said, LATER) for each in messages
        ]
        return [self.world.record(draft).event for draft in delete_all(self.rows, wanted)]

    # -- models ------------------------------------------------------------------------------------------------------

    def extraction(
        self, messages: Sequence[Point], *upserts: dict[str, Any], gone: Sequence[dict[str, Any]] = ()
    ) -> tuple[WorkRequest, ExtractionRequest]:
        inputs = tuple(map(self.input, messages))
        reply = json.dumps({"upserts": upserts, "deprecations": gone})
        shown = tuple(self._use(row) for row in self.items() if row.item.status == "active")
        name = f"{len(self.world.records)} {reply}"
        last = inputs[-1]
        event = ExtractionAnswered(
            said=last.said,
            by=MODEL,
            causes=tuple(dict.fromkeys(id_ for each in inputs for id_ in (each.id, each.event)))
            + tuple(each.event for each in shown),
            owner=self.ada,
            compartment=HOME,
            after=None,
            upto=Point(last.said, last.id),
            call=CALL,
            inputs=tuple(each.id for each in inputs),
            policy="cadence@1",
            reply=reply,
        )
        request = ExtractionRequest(self.ada, HOME, reply, inputs, MODEL, origin(name), shown, said=last.said)._replace(
            guarding=self.guarding
        )
        return WorkRequest(event, origin(f"work {name}")), request

    def reads(
        self, messages: Sequence[Point], *upserts: dict[str, Any], gone: Sequence[dict[str, Any]] = ()
    ) -> list[Event]:
        return self.learns(*self.extraction(messages, *upserts, gone=gone))

    def learns(self, work: WorkRequest, request: ExtractionRequest) -> list[Event]:
        return [self.world.record(draft).event for draft in learn(self.rows, work, request)]

    def learned(self, text: str, said: str | None = None) -> Point:
        """Something is said and learned as it was said."""
        point = self.says(said or text)
        self.reads([point], {"text": text, "evidence": said or text})
        return point

    def merges(self, older: str, newer: str, text: str) -> list[Event]:
        one, other = self.item(older), self.item(newer)
        reply = json.dumps({"merged_summary": text})
        event = MergeAnswered(
            said=NOW,
            by=MODEL,
            causes=(one.event, other.event),
            owner=self.ada,
            compartment=HOME,
            after=None,
            upto=Point(other.said, other.event),
            call=CALL,
            inputs=(one.event, other.event),
            policy="closeness@2",
            reply=reply,
        )
        request = MergeRequest(
            self._use(one), self._use(other), reply, "close", MODEL, origin(f"merge {text}"), guarding=self.guarding
        )
        work = WorkRequest(event, origin(f"merge work {text}"))
        return [self.world.record(draft).event for draft in merge(self.rows, work, request)]

    def sums_up(
        self, text: str, *messages: Point, shown: Sequence[EventId] = (), era: int = 0, person: Handle = NOBODY
    ) -> list[Event]:
        """A summary of these messages, upon the last one; a `person`'s, as that of their direct messages is."""
        old = find_summary(self.rows, SESSION, HERE.epoch)
        keeps = () if old is None or not old.row.text else (old.row.event,)
        rows = [row for each in messages if (row := self.message(each)) is not None]
        causes = (*keeps, *(shown or dict.fromkeys(id_ for row in rows for id_ in (row.heard, row.event))))
        upto = max(messages)
        common: dict[str, Any] = {"session": SESSION, "audience": HERE, "era": era, "policy": "cadence@1"}
        common["person"] = person
        answered = SummaryAnswered(
            said=upto.said, by=MODEL, causes=causes, after=None, upto=upto, reply=text, call=CALL,
            **common,
        )  # fmt: skip
        work = record_work(self.rows, WorkRequest(answered, origin(f"work {text}")))
        made = [self.world.record(draft) for draft in work]
        request = RefreshRequest(
            text=text, after=None, upto=upto, covered=len(messages), call=CALL, by=MODEL, origin=origin(text),
            previous=None if old is None else old.row.event, causes=tuple(each.id for each in made), said=upto.said,
            shown=causes, **common,
        )  # fmt: skip
        return [each.event for each in made] + self.world.decide(refresh, request)

    def answers(self, question: Point, text: str, *more: Point) -> EventId:
        turn = TurnAnswered(
            said=question.said + 1, by=MODEL, causes=tuple(each.id for each in (question, *more)), session=SESSION,
            place=HERE.place, audience=HERE, era=0, asker=self.ada, answers=question.id, text=text, call=CALL,
            limits=Limits(),
        )  # fmt: skip
        minter = Minter(self.rows, turn_origin(question))
        draft = minter.draft(turn)
        for each in (draft, *quieted_turn(self.rows, minter, draft.id, turn)):
            self.world.record(each)
        return draft.id

    # -- what there is -----------------------------------------------------------------------------------------------

    def items(self) -> list[ItemRow]:
        return [found.row for owner in (self.ada, b"") for found in items_of(self.rows, Handle(owner))]

    def item(self, words: str) -> ItemRow:
        (row,) = [row for row in self.items() if words in row.item.text]
        return row

    def texts(self) -> list[str]:
        return sorted(row.item.text for row in self.items() if row.item.status == "active")

    def summary(self) -> SummaryRow | None:
        found = find_summary(self.rows, SESSION, HERE.epoch)
        return None if found is None else found.row

    def readable(self) -> list[Record]:
        """Every event that still has its words."""
        return [each for each in self.world.records if self.rows.ids.status(each.id) == "known"]

    def tells(self, words: str) -> list[str]:
        """The kinds of events in whose words these can still be read."""
        return sorted({each.event.TAG for each in self.readable() if words.casefold() in repr(each.event).casefold()})

    @staticmethod
    def _use(row: ItemRow) -> ItemUse:
        return ItemUse(row.item.owner, row.item.compartment, row.item.id, row.event)
