"""What comes of the answering model's tools: whose words are noted, where they go, and what is refused."""

import json
from typing import Any

import msgspec
import pytest

from dnam.languages import load
from dnam.sharing import sharing_of
from projections.decisions.consent import ConsentRequest, opt_out
from projections.decisions.delete import DeletedRequest, delete_all
from projections.decisions.draft import Draft
from projections.decisions.hear import HeardRequest, hear, message_identity
from projections.decisions.meet import Account
from projections.decisions.noting import NO_LORE, NOT_LEARNED, NOT_OWNER, OVERTAKEN, Note, NoteRequest, take_note
from projections.decisions.place import PlaceSeen, place_ref, session_of
from projections.decisions.remember import ForgetRequest, RememberRequest, forget, remember
from projections.decisions.tools import MOST_INPUT_CHARS, CallRequest, Came, record_call
from projections.events import (
    Event,
    ItemDeprecated,
    ItemEvent,
    ItemEvicted,
    ItemMoved,
    ItemRefused,
    ItemUpserted,
    MessageHeard,
    PlaceAudienceChanged,
    ToolCalled,
)
from projections.events.values import PLATFORM, Attachment, Audience, By, ItemUse, Source
from projections.ids import NOBODY, EventId, Handle, Point, Ref
from projections.items import ItemRow, items_of
from projections.messages import find_message
from projections.people import person_of
from projections.policies.compartments import OWNER, SELF, Opening, Setting, direct, everywhere, in_guild, of_person_in
from projections.policies.learned_from import Learn, as_addressed
from projections.policies.resting import lies_in, widening
from projections.rows import Rows
from projections.vaults import home
from tests.projections.items import KNOWN, ORDER
from tests.world import NOW, World, fresh, handle, origin

GUILD = Ref("discord", "9")
GENERAL = PlaceSeen("discord", "7", "channel", "general", "guild", guild=GUILD, guild_name="Garden")
STAFF = PlaceSeen("discord", "8", "channel", "staff", "channel", guild=GUILD, guild_name="Garden")
ADA, KIM = Account("discord", "100", "Ada"), Account("discord", "200", "Kim")
MODEL = By("model", name="sonnet", version="5")
ALREADY = EventId(handle("another cause"))


def dm_of(who: Account) -> PlaceSeen:
    return PlaceSeen("discord", f"dm {who.id}", "direct", "", "direct", partner=who)


class Talk:
    """One place, in which Ada and Kim say things a second apart, and the model is asked by Ada."""

    def __init__(self, place: PlaceSeen = GENERAL, besides: tuple[str, ...] = ()) -> None:
        self.world = World()
        self.place = place
        self.besides = besides
        self.count = 0
        self.said: list[Point] = []

    @property
    def rows(self) -> Rows:
        return self.world.rows

    def person(self, who: Account = ADA) -> Handle:
        found = person_of(self.rows, who.platform, who.id)
        assert found is not None
        return found.row.person

    def says(self, text: str, who: Account = ADA, **more: Any) -> Point:
        self.count += 1
        said = NOW + 1000 * self.count
        fields = {"addressed": True, **more}
        request = HeardRequest(
            str(self.count), self.place, "person", who, text, said, fresh(salt=str(self.count)), **fields
        )
        self.world.decide(hear, request)
        identity = message_identity("discord", str(self.count), "heard", said)
        self.said.append(Point(said, self.rows.ids.event_id(identity)))
        return self.said[-1]

    def deletes(self, message: Point) -> list[Event]:
        key = str((message.said - NOW) // 1000)
        gone = DeletedRequest("discord", key, self.session, message.said, NOW + 10**8)
        return [self.world.record(draft).event for draft in delete_all(self.rows, [gone])]

    @property
    def session(self) -> str:
        return session_of(self.place, self.person() if self.place.partner else NOBODY)

    @property
    def setting(self) -> Setting:
        partner = self.person() if self.place.partner else NOBODY
        audience = Audience(self.place.audience, place_ref(self.place, partner))
        return Setting(self.person(), audience, self.place.guild, self.besides)

    def call(self, name: str = "call", tool: str = "memory_write", given: Any = "{}", **more: Any) -> CallRequest:
        fields: dict[str, Any] = {
            "tool": tool,
            "input": given if isinstance(given, str) else json.dumps(given),
            "number": 1,
            "question": self.said[-1],
            "session": self.session,
            "place": self.setting.audience.place,
            "setting": self.setting,
            "by": MODEL,
            "said": NOW + 10**6,
            "origin": origin(name),
            "before": tuple(each.id for each in self.said),
        }
        return CallRequest(**{**fields, **more})

    def request(self, text: str, quote: str | None = None, namespace: Any = "me", **more: Any) -> NoteRequest:
        name = f"{len(self.world.records)} {text}"
        note = Note(namespace, text, text if quote is None else quote, more.pop("kind", "fact"))
        note = note._replace(**{key: more.pop(key) for key in ("replaces", "shareable") if key in more})
        call = self.call(name, **{key: more.pop(key) for key in ("before", "setting") if key in more})
        call = call._replace(input=json.dumps(note._asdict(), ensure_ascii=False))
        fields: dict[str, Any] = {
            "window": tuple(self.said[:-1]), "shown": (), "origin": origin(f"note {name}"), "assistant": "dnam",
            "guarding": KNOWN,
        }  # fmt: skip
        return NoteRequest(call=call, note=note, **{**fields, **more})

    def notes(self, text: str, quote: str | None = None, namespace: Any = "me", **more: Any) -> list[Event]:
        """A note is asked for; the events, which the engine would all record."""
        learned_as = more.pop("learned_as", as_addressed)
        return self.records(take_note(self.rows, self.request(text, quote, namespace, **more), learned_as))

    def records(self, drafts: list[Draft]) -> list[Event]:
        by_id: dict[EventId, Event] = {each.id: each.event for each in self.world.records}
        by_id |= {each.id: each.event for each in drafts}
        for draft in drafts:
            causes = {cause: by_id.get(cause) for cause in draft.event.causes}
            assert widening(self.rows, draft.event, causes) == ""
            self.world.record(draft)
        return [draft.event for draft in drafts]

    def items(self, owner: Account | None = ADA) -> list[ItemRow]:
        who = NOBODY if owner is None else self.person(owner)
        return [found.row for found in items_of(self.rows, who)]

    def tells(self, words: str) -> list[str]:
        """The kinds of events in whose words these can still be read."""
        known = (each for each in self.world.records if self.rows.ids.status(each.id) == "known")
        return sorted({each.event.TAG for each in known if words.casefold() in repr(each.event).casefold()})


def called(events: list[Event]) -> ToolCalled:
    assert isinstance(events[0], ToolCalled)
    return events[0]


# -- me --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [GENERAL, STAFF, dm_of(ADA)], ids=lambda place: place.audience)
def test_what_is_noted_goes_where_it_was_said_and_rests_on_the_words(place: PlaceSeen) -> None:
    talk = Talk(place)
    question = talk.says("Remember that I like green tea")
    event, item = talk.notes("I like green tea", kind="preference")
    assert isinstance(event, ToolCalled)
    assert isinstance(item, ItemUpserted)
    compartment = {
        "guild": in_guild(GUILD),
        "channel": of_person_in(talk.person(), Ref("discord", "8")),
        "direct": direct(talk.person()),
    }[place.audience]
    assert (item.item.owner, item.item.compartment, item.item.kind) == (talk.person(), compartment, "preference")
    assert (item.item.text, item.item.status, item.by) == ("I like green tea", "active", MODEL)
    record = talk.world.records[-2]
    assert item.causes == (record.id, question.id)
    assert item.reason == "by memory_write: no item has this id or says this"
    assert (event.outcome, event.compartment, event.answers) == ("written", compartment, question.id)
    assert event.items == (ItemUse(talk.person(), compartment, item.item.id, talk.world.records[-1].id),)
    assert event.causes == (question.id,)
    assert home(event).people == {talk.person()}
    assert not home(event).era
    assert lies_in(talk.rows, event) == Opening(talk.person(), compartment)


def test_the_same_request_twice_is_one_call() -> None:
    talk = Talk()
    talk.says("I like green tea")
    request = talk.request("I like green tea")
    talk.records(take_note(talk.rows, request, as_addressed))
    assert take_note(talk.rows, request, as_addressed) == []
    assert record_call(talk.rows, request.call, Came("found")) == []


def test_what_a_forward_beside_own_words_says_is_not_noted_and_what_an_image_shows_is() -> None:
    talk = Talk()
    forward = Attachment("forwarded message", caption="I am allergic to peanuts")
    talk.says("look what she wrote", attachments=(forward, Attachment("cat.png", caption="my cat on a chair")))
    assert called(talk.notes("I am allergic to peanuts")).outcome == "refused"
    assert called(talk.notes("My cat on a chair")).outcome == "written"


def test_what_an_image_shows_that_nobody_said_a_word_about_is_not_noted() -> None:
    talk = Talk()
    talk.says("", attachments=(Attachment("cat.png", caption="my cat on a chair"),))
    assert called(talk.notes("My cat on a chair")).outcome == "refused"


def test_what_was_said_before_may_be_noted_too_and_others_words_may_not() -> None:
    talk = Talk()
    talk.says("my cat is called Mia")
    talk.says("I am allergic to peanuts", KIM)
    talk.says("remember the name of my cat")
    event = called(talk.notes("My cat is called Mia"))
    assert event.outcome == "written"
    assert set(event.causes) == {talk.said[0].id, talk.said[2].id}
    for text, quote, word in (
        ("Kim is allergic to peanuts", None, "kim"),
        ("My cat is called Mia", "allergic to peanuts", "allergic"),
    ):
        (refused,) = talk.notes(text, quote)
        assert isinstance(refused, ToolCalled)
        assert (refused.outcome, refused.compartment, refused.items) == ("refused", "", ())
        assert repr(word) in refused.reason
        assert set(refused.causes) == {each.id for each in talk.said}  # what it had before it: it may be in its words
        assert home(refused).era
        assert lies_in(talk.rows, refused) == Opening(NOBODY, in_guild(GUILD))


def test_a_note_rests_on_every_message_that_its_words_are_from() -> None:
    talk = Talk()
    talk.says("I have a cat")
    talk.says("she is called Mia")
    talk.says("remember what my cat is called")
    _, item = talk.notes("my cat is called Mia", "my cat is called")
    assert isinstance(item, ItemUpserted)
    assert [(each.quote, each.message) for each in item.item.evidence] == [
        ("my cat is called", talk.said[2].id),
        ("", talk.said[1].id),
    ]
    assert {talk.said[1].id, talk.said[2].id} < set(item.causes)
    assert talk.said[0].id not in item.causes


def test_what_is_known_from_elsewhere_is_not_noted_in_a_channel() -> None:
    talk = Talk()
    talk.says("remember what I told you")
    (refused,) = talk.notes("I am in therapy", "what I told you", before=(talk.said[-1].id, ALREADY))
    assert isinstance(refused, ToolCalled)
    assert (refused.outcome, refused.compartment) == ("refused", "")
    assert ALREADY in refused.causes
    assert talk.items() == []


def test_who_is_only_mentioned_is_nobody_s_word() -> None:
    talk = Talk()
    talk.says("hello", KIM)
    talk.says("Remember that Kim is my sister")
    assert called(talk.notes("Kim is my sister")).outcome == "written"  # they typed it


def test_a_note_says_nothing_twice_and_is_confirmed_by_what_is_said_again() -> None:
    talk = Talk()
    talk.says("I like green tea")
    talk.notes("I like green tea")
    known = called(talk.notes("I like green tea"))
    assert (known.outcome, known.items) == ("known", ())
    talk.says("I like green tea, really")
    assert called(talk.notes("I like green tea", window=())).outcome == "written"
    (row,) = talk.items()
    assert row.item.source_count == 2


def test_the_guards_are_asked_as_for_what_is_learned() -> None:
    talk = Talk()
    talk.says(f"remember: {ORDER}")
    event, refused = talk.notes(ORDER)
    assert isinstance(event, ToolCalled)
    assert isinstance(refused, ItemRefused)
    assert (event.outcome, event.reason) == ("refused", refused.reason)
    talk = Talk()
    talk.says("I like green tea and black tea")
    event, refused = talk.notes("I like green tea", "black green")
    assert isinstance(refused, ItemRefused)
    assert "occur in none" in refused.reason
    assert talk.items() == []


def test_what_was_forgotten_stays_forgotten() -> None:
    talk = Talk()
    talk.says("I like green tea")
    talk.notes("I like green tea")
    person, (row,) = talk.person(), talk.items()
    talk.world.decide(
        forget,
        ForgetRequest(person, (Opening(person, row.item.compartment),), By("person", person), NOW + 10**7,
                      origin("forget"), id=row.item.id),
    )  # fmt: skip
    talk.says("I like green tea")
    event, refused = talk.notes("I like green tea")
    assert isinstance(refused, ItemRefused)
    assert called([event]).outcome == "refused"
    assert refused.against == row.item.id


def test_what_no_longer_holds_is_replaced_by_its_id() -> None:
    talk = Talk()
    talk.says("I live in Lyon")
    talk.notes("I live in Lyon")
    (old,) = talk.items()
    talk.says("I moved to Nantes")
    event, gone, item = talk.notes("I moved to Nantes", replaces=old.item.id)
    assert isinstance(gone, ItemDeprecated)
    assert isinstance(item, ItemUpserted)
    assert item.item.supersedes == (old.item.id,)
    assert gone.reason.startswith("by memory_write: ")
    assert called([event]).items[0].id == item.item.id
    (refused,) = talk.notes("I moved", replaces=old.item.id)  # it is not active any more
    assert old.item.id in called([refused]).reason


def test_the_cap_holds() -> None:
    talk, events = Talk(), list[Event]()
    for number in range(3):
        talk.says(f"I own {number + 2} bicycles of steel")
        events = talk.notes(f"I own {number + 2} bicycles of steel", cap=2)
    assert isinstance(events[-1], ItemEvicted)
    assert not events[-1].reason.startswith("by memory_write")  # the cap did that
    assert len([row for row in talk.items() if row.item.status == "active"]) == 2


def test_what_the_person_changed_meanwhile_stands() -> None:
    talk = Talk()
    talk.says("I live in Lyon")
    talk.notes("I live in Lyon")
    (old,) = talk.items()
    person = talk.person()
    talk.world.decide(
        remember,
        RememberRequest(person, old.item.compartment, "I live in Lyon", By("person", person), NOW + 10**7,
                        Source("manual"), origin("by hand"), guarding=KNOWN),
    )  # fmt: skip
    talk.says("I live in Paris now")
    shown = (ItemUse(person, old.item.compartment, old.item.id, old.event),)
    events = talk.notes("I live in Paris", replaces=old.item.id, shown=shown)
    assert not any(isinstance(each, ItemDeprecated) for each in events)
    assert any(isinstance(each, ItemRefused) for each in events)


def test_what_both_keys_let_go_follows_its_person() -> None:
    talk = Talk()
    talk.says("I prefer Python")
    events = talk.notes("I prefer Python", kind="preference", shareable=True, sharing=sharing_of(load("en")))
    moved = events[-1]
    assert isinstance(moved, ItemMoved)
    assert moved.item.compartment == everywhere(talk.person())
    assert [use.compartment for use in called(events).items] == [in_guild(GUILD), everywhere(talk.person())]


# -- guild, self, owner ----------------------------------------------------------------------------------------------


def test_lore_is_noted_where_everybody_reads_it_and_nowhere_else() -> None:
    talk = Talk()
    talk.says("we raid on Fridays, all of us")
    event, item = talk.notes("we raid on Fridays", namespace="guild")
    assert isinstance(item, ItemUpserted)
    assert (item.item.owner, item.item.compartment, item.item.about) == (NOBODY, in_guild(GUILD), "guild")
    assert called([event]).outcome == "written"
    for place in (STAFF, dm_of(ADA)):
        there = Talk(place)
        there.says("we raid on Fridays, all of us")
        (refused,) = there.notes("we raid on Fridays", namespace="guild")
        assert (called([refused]).outcome, called([refused]).reason) == ("refused", NO_LORE)
        assert there.items(None) == []


def test_a_place_that_only_some_read_by_now_has_no_lore() -> None:
    talk = Talk()
    talk.says("we raid on Fridays, all of us")
    place = Ref("discord", "7")
    narrow = Audience("channel", place, 1)
    talk.world.add(
        PlaceAudienceChanged(said=NOW, by=PLATFORM, place=place, audience=narrow, previous=Audience("guild", place))
    )
    assert called(talk.notes("we raid on Fridays", namespace="guild")).reason == NO_LORE
    noted = talk.notes("we raid on Fridays")[1]
    assert isinstance(noted, ItemUpserted)
    assert noted.item.compartment == of_person_in(talk.person(), place)


@pytest.mark.parametrize(("namespace", "compartment"), [("self", SELF), ("owner", OWNER)])
def test_the_owner_has_it_noted_in_their_own_dms(namespace: str, compartment: str) -> None:
    talk = Talk(dm_of(ADA), (OWNER,))
    question = talk.says("note that the server moves in May")
    event, item = talk.notes("the server moves in May", namespace=namespace)
    assert isinstance(item, ItemUpserted)
    assert (item.item.owner, item.item.compartment, item.item.about) == (NOBODY, compartment, namespace)
    assert item.item.source == Source("discord", talk.setting.audience.place, Ref("discord", "1"))
    assert item.causes == (talk.world.records[-2].id, question.id)
    assert called([event]).compartment == direct(talk.person())
    assert home(item).people == frozenset()  # and that of its causes: hers
    assert called(talk.notes("the server moves in May", namespace=namespace)).outcome == "known"
    talk.says("the server moves in May, as I said")
    assert called(talk.notes("the server moves in May", namespace=namespace, window=())).outcome == "written"


@pytest.mark.parametrize("namespace", ["self", "owner"])
def test_what_is_held_of_the_owner_s_is_kept_as_theirs(namespace: str) -> None:
    talk = Talk(dm_of(ADA), (OWNER,))
    talk.says(f"note this: {ORDER}; and that the server moves in May")
    event, refused = talk.notes(ORDER, namespace=namespace)
    assert isinstance(refused, ItemRefused)
    assert (refused.owner, refused.compartment) == (talk.person(), direct(talk.person()))
    assert called([event]).outcome == "refused"
    talk.says("the server moves in May")
    talk.notes("the server moves in May", namespace=namespace, window=())
    (row,) = talk.items(None)
    here = (Opening(NOBODY, row.item.compartment),)
    talk.world.decide(
        forget, ForgetRequest(NOBODY, here, By("person", talk.person()), NOW + 10**7, origin("f"), id=row.item.id)
    )
    talk.says("the server moves in May, still")
    event, again = talk.notes("the server moves in May", namespace=namespace, window=())
    assert isinstance(again, ItemRefused)
    assert again.compartment == direct(talk.person())


@pytest.mark.parametrize("namespace", ["self", "owner"])
@pytest.mark.parametrize(
    ("place", "besides"), [(GENERAL, (OWNER,)), (dm_of(ADA), ()), (STAFF, ())], ids=["guild", "not the owner", "staff"]
)
def test_nobody_else_and_nowhere_else(namespace: str, place: PlaceSeen, besides: tuple[str, ...]) -> None:
    talk = Talk(place, besides)
    talk.says("the server moves in May")
    (refused,) = talk.notes("the server moves in May", namespace=namespace)
    assert (called([refused]).outcome, called([refused]).reason) == ("refused", NOT_OWNER)
    assert talk.items(None) == []


def test_the_door_to_the_owner_s_layers_is_narrow() -> None:
    """What the engine lets in: a note by a tool, and nothing that only looks like one."""
    talk = Talk(dm_of(ADA), (OWNER,))
    talk.says("the server moves in May")
    drafts = take_note(talk.rows, talk.request("the server moves in May", namespace="owner"), as_addressed)
    call, item = drafts[0].event, drafts[1].event
    assert isinstance(call, ToolCalled)
    assert isinstance(item, ItemUpserted)
    heard = talk.world.records[-1].event
    assert isinstance(heard, MessageHeard)
    whole: dict[EventId, Event | None] = {drafts[0].id: call, talk.said[0].id: heard}
    assert widening(talk.rows, item, whole) == ""
    assert widening(talk.rows, item, {**whole, talk.said[0].id: None}) == ""
    replace = msgspec.structs.replace
    kims = replace(heard, message=replace(heard.message, speaker=handle("kim")))
    mine = replace(item, item=replace(item.item, owner=talk.person()))
    elsewhere = replace(item, item=replace(item.item, compartment=in_guild(GUILD)))
    for event, causes in (
        (item, {talk.said[0].id: heard}),  # no call
        (item, {**whole, drafts[0].id: replace(call, besides=())}),  # not the owner
        (item, {**whole, drafts[0].id: replace(call, asker=handle("kim"))}),  # not their own messages
        (item, {**whole, talk.said[0].id: kims}),  # not their own words
        (item, {**whole, ALREADY: elsewhere}),  # something besides
        (item, {**whole, ALREADY: mine}),
        (item, {**whole, ALREADY: talk.world.records[0].event}),
        (mine, whole),
    ):
        rests = replace(event, causes=tuple(causes))
        if event is not mine:
            assert widening(talk.rows, rests, causes) != ""
    again = replace(item, causes=(*item.causes, ALREADY))
    assert widening(talk.rows, again, {**whole, ALREADY: item}) == ""  # what stands in that layer


# -- what is not noted -----------------------------------------------------------------------------------------------


def test_where_nothing_is_learned_nothing_is_noted() -> None:
    def never(_: Handle, __: Any) -> Any:
        return lambda _: "none"

    talk = Talk()
    talk.says("I like green tea")
    (refused,) = talk.notes("I like green tea", learned_as=never)
    assert (called([refused]).outcome, called([refused]).reason) == ("refused", NOT_LEARNED)
    assert talk.items() == []


@pytest.mark.parametrize(("learn", "outcome"), [("heard", "written"), ("addressed", "refused")])
def test_of_what_was_not_said_to_the_assistant_only_what_may_be_learned(learn: Learn, outcome: str) -> None:
    talk = Talk()
    talk.says("my cat is called Mia", addressed=False)
    talk.says("remember the name of my cat")
    events = talk.notes("my cat is called Mia", learned_as=lambda _, __: lambda _: learn)
    assert called(events).outcome == outcome


def test_a_note_has_no_words_of_what_may_not_be_learned_from() -> None:
    talk = Talk()
    talk.says("my cat is called Mia", addressed=False)
    talk.says("remember that my cat is called so")
    (refused,) = talk.notes("my cat is called Mia", "my cat is called")
    assert (called([refused]).outcome, called([refused]).reason) == ("refused", NOT_LEARNED)


def test_a_question_that_was_answered_without_being_addressed_counts_as_said_to_it() -> None:
    talk = Talk()
    talk.says("I like green tea", addressed=False)
    assert called(talk.notes("I like green tea")).outcome == "written"


def test_who_opted_out_leaves_no_call() -> None:
    talk = Talk()
    talk.says("I like green tea")
    talk.world.decide(opt_out, ConsentRequest(NOW, origin("out"), talk.person()))
    assert talk.notes("I like green tea") == []
    assert record_call(talk.rows, talk.call(), Came("found")) == []


def test_what_was_taken_back_meanwhile_is_neither_noted_nor_kept_in_the_call() -> None:
    talk = Talk()
    talk.says("my cat is called Mia")
    talk.says("remember my cat")
    request = talk.request("my cat is called Mia")
    talk.deletes(talk.said[0])
    (event,) = talk.records(take_note(talk.rows, request, as_addressed))
    assert (called([event]).outcome, called([event]).reason, called([event]).input) == ("failed", OVERTAKEN, "")
    assert talk.tells("Mia") == []


# -- looking for something -------------------------------------------------------------------------------------------


def test_a_call_that_looks_for_something_rests_on_all_that_it_showed() -> None:
    talk = Talk()
    talk.says("my cat is called Mia")
    talk.notes("my cat is called Mia")
    (row,) = talk.items()
    talk.says("what is my cat called?")
    use = ItemUse(talk.person(), row.item.compartment, row.item.id, row.event)
    came = Came("found", items=(use,), found=(talk.said[0].id,))
    request = talk.call("look", "memory_search", {"query": "cat"}, before=(talk.said[1].id,), number=3)
    (event,) = talk.records(record_call(talk.rows, request, came))
    assert isinstance(event, ToolCalled)
    assert event.causes == (talk.said[1].id, row.event, talk.said[0].id)
    assert (event.items, event.found, event.number) == ((use,), (talk.said[0].id,), 3)
    assert (event.tool, event.input, event.outcome) == ("memory_search", '{"query": "cat"}', "found")
    assert event.place == Ref("discord", "7")
    assert home(event) == home(event)._replace(era=True)


def test_a_call_is_as_long_as_it_may_be() -> None:
    talk = Talk()
    talk.says("hello")
    (draft,) = record_call(talk.rows, talk.call(tool="x" * 500, given="\ud800" + "y" * 10_000), Came("failed", "why"))
    event = called([draft.event])
    assert (len(event.tool), len(event.input)) == (200, MOST_INPUT_CHARS)
    assert event.input.startswith("\ufffd")


# -- what is taken back ----------------------------------------------------------------------------------------------


def test_a_deleted_question_takes_the_call_and_what_it_wrote() -> None:
    talk = Talk()
    talk.says("remember that I like green tea")
    talk.notes("I like green tea")
    talk.says("and what about black tea?")
    look = talk.call("look", "memory_search", {"query": "green tea"})
    talk.records(record_call(talk.rows, look, Came("found")))
    talk.deletes(talk.said[0])
    assert talk.items() == []
    assert talk.tells("green tea") == []


def test_what_was_written_by_a_call_goes_with_its_own_message_alone() -> None:
    talk = Talk()
    talk.says("we speak of black tea")
    talk.says("remember that I like green tea")
    talk.notes("I like green tea")
    talk.deletes(talk.said[0])
    assert [row.item.text for row in talk.items()] == ["I like green tea"]


def test_nothing_said_by_the_owner_is_left_when_it_is_deleted() -> None:
    talk = Talk(dm_of(ADA), (OWNER,))
    talk.says("the server moves in May")
    talk.notes("the server moves in May", namespace="self")
    talk.deletes(talk.said[0])
    assert talk.items(None) == []
    assert talk.tells("in May") == []


def test_a_call_that_was_shown_an_item_goes_with_it() -> None:
    talk = Talk()
    talk.says("my cat is called Mia")
    talk.notes("my cat is called Mia")
    (row,) = talk.items()
    use = ItemUse(talk.person(), row.item.compartment, row.item.id, row.event)
    talk.says("how are you?")
    look = talk.call("look", "memory_search", {"query": "Mia"}, before=(talk.said[1].id,))
    talk.records(record_call(talk.rows, look, Came("found", items=(use,))))
    talk.deletes(talk.said[0])
    assert talk.tells("Mia") == []


def test_an_edited_message_is_read_as_it_is_now() -> None:
    talk = Talk()
    talk.says("I like green tea")
    old = talk.said[0]
    edited = HeardRequest(
        "1", talk.place, "person", ADA, "I like black tea", old.said, fresh(salt="e"), edited=old.said + 500
    )
    talk.world.decide(hear, edited)
    row = find_message(talk.rows, talk.session, 0, old)
    assert row is not None
    shown = (old.id, row.row.event)
    assert called(talk.notes("I like green tea", before=shown)).outcome == "refused"
    event, item = talk.notes("I like black tea", before=shown)
    assert isinstance(item, ItemEvent)
    assert set(called([event]).causes) == {old.id, row.row.event}
