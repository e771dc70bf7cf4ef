"""Hearing: what arrives becomes a message once, with handles for accounts and places described."""

from typing import Any

import pytest

from projections.calls import calls
from projections.context import Request, assemble
from projections.decisions.answer import AnswerRequest, DeliverRequest, answer, deliver
from projections.decisions.draft import Origin
from projections.decisions.hear import (
    ON_ITS_WAY_MS,
    WINDOW,
    Answered,
    DeletedRequest,
    HeardRequest,
    Mention,
    accounts,
    delete,
    hear,
    is_kept_out,
    message_identity,
    takes_back,
)
from projections.decisions.meet import Account, meet
from projections.decisions.place import PlaceSeen, describe, place_ref, session_of
from projections.errors import BadRequest
from projections.events import (
    Event,
    MessageDeleted,
    MessageEdited,
    MessageHeard,
    MessageRedacted,
    PersonErased,
    PersonOptedIn,
    PersonOptedOut,
    PersonRenamed,
    PersonSeen,
    PlaceDescribed,
    TurnAnswered,
    TurnDelivered,
)
from projections.events.heard import PlaceKind
from projections.events.values import OPERATOR, Attachment, Audience, Limits, ModelUse
from projections.ids import NOBODY, Handle, Point, Ref
from projections.messages import as_heard, find_message, messages_after, spoken_in, units_of
from projections.pending import undelivered
from projections.people import SOMEONE, accounts_of, name_of, names_of, person_of
from projections.places import audience_of, find_place, place_of
from projections.policies.compartments import Setting
from projections.retrieval import Vocabulary
from projections.turns import DELIVERIES, asked_after, turns_after
from tests.world import NOW, World, fresh, origin

GUILD = Ref("discord", "9")
GENERAL = PlaceSeen("discord", "7", "channel", "general", "guild", guild=GUILD, guild_name="Garden")
SESSION = "discord:channel:7"
ADA = Account("discord", "100", "Ada")
BEN = Account("discord", "200", "Ben")
DM = PlaceSeen("discord", "555", "direct", "", "direct", partner=ADA)


def person_of_first(events: list[Event]) -> Handle:
    """Whose account is new, by the first of what was recorded."""
    seen = events[0]
    assert isinstance(seen, PersonSeen)
    return seen.person


def said(key: str = "1", text: str = "hello", **changes: Any) -> HeardRequest:
    """A message of Ada's in general."""
    request = HeardRequest(key, GENERAL, "person", ADA, text, NOW, fresh(salt=key))
    return request._replace(**changes)


def test_an_account_s_own_name_is_kept_once_beside_the_one_its_person_goes_by() -> None:
    world, ada = World(), ADA._replace(username="ada.l")
    first = [each.event for each in hear(world.rows, said(speaker=ada))]
    assert [(each.name, each.TAG) for each in first if isinstance(each, PersonSeen | PersonRenamed)] == [
        ("ada.l", "person.seen"), ("Ada", "person.renamed"),
    ]  # fmt: skip
    world.decide(hear, said(speaker=ada))
    found = person_of(world.rows, "discord", "100")
    assert found is not None
    assert (found.row.name, name_of(world.rows, found.row.person)) == ("Ada", "Ada")
    assert {each.name for each in names_of(world.rows, found.row.person)} == {"Ada", "ada.l"}
    later = hear(world.rows, said("2", speaker=ada, said=NOW + 1))
    assert not [each for each in later if isinstance(each.event, PersonSeen | PersonRenamed)]
    for alike in ("Ada", "ada", ""):
        same = [each.event for each in hear(World().rows, said(speaker=ADA._replace(username=alike)))]
        assert [each.name for each in same if isinstance(each, PersonSeen | PersonRenamed)] == ["Ada"]


def test_a_first_message_brings_its_speaker_its_guild_and_its_place() -> None:
    world = World()
    seen, guild, place, heard = world.decide(hear, said())
    assert isinstance(seen, PersonSeen)
    assert (seen.platform, seen.platform_id, seen.name) == ("discord", "100", "Ada")
    assert isinstance(guild, PlaceDescribed)
    assert (guild.place, guild.kind, guild.name, guild.session) == (GUILD, "guild", "Garden", "")
    assert isinstance(place, PlaceDescribed)
    assert (place.place, place.session, place.guild) == (Ref("discord", "7"), SESSION, GUILD)
    assert isinstance(heard, MessageHeard)
    assert heard.message.speaker == seen.person == heard.by.person
    assert heard.message.audience == Audience("guild", Ref("discord", "7"))
    assert name_of(world.rows, seen.person) == "Ada"


def test_a_message_that_was_just_heard_is_what_will_lie_there() -> None:
    world = World()
    world.decide(hear, said())
    seen, *_, heard = world.records
    assert as_heard(heard) == find_message(world.rows, SESSION, 0, Point(NOW, heard.id))
    with pytest.raises(ValueError, match=r"person\.seen"):
        as_heard(seen)


def test_a_second_message_is_only_that() -> None:
    world = World()
    world.decide(hear, said())
    assert [type(event) for event in world.decide(hear, said("2", "again"))] == [MessageHeard]
    texts = [found.row.message.text for found in messages_after(world.rows, SESSION, 0, None)]
    assert sorted(texts) == ["again", "hello"]


def test_a_message_delivered_twice_is_heard_once() -> None:
    world = World()
    world.decide(hear, said())
    assert world.decide(hear, said()) == []


def test_mentions_become_handles_and_nobody_s_id_stays_in_the_text() -> None:
    world = World()
    request = said(text="hi  and ", mentions=(Mention(3, BEN), Mention(8, ADA), Mention(8, BEN, "quote")))
    assert accounts(request) == [ADA, BEN]
    heard = world.decide(hear, request)[-1]
    assert isinstance(heard, MessageHeard)
    ben = person_of(world.rows, "discord", "200")
    assert ben is not None
    assert [span.person for span in heard.message.spans] == [ben.row.person, heard.message.speaker, ben.row.person]
    assert [span.kind for span in heard.message.spans] == ["mention", "mention", "quote"]


def test_names_that_came_at_once_are_in_the_order_in_which_they_were_recorded() -> None:
    world = World()
    for number in range(20):
        account = Account("discord", f"{number}", f"Name {number}", f"account{number}")
        world.decide(hear, said(f"{number}", speaker=account))
    for number in range(20):
        found = person_of(world.rows, "discord", f"{number}")
        assert found is not None
        names = [each.name for each in names_of(world.rows, found.row.person)]
        assert names == [f"account{number}", f"Name {number}"]


def test_a_new_name_is_a_renaming_and_an_older_one_is_not() -> None:
    world = World()
    person = person_of_first(world.decide(hear, said()))
    later = said("2", speaker=ADA._replace(name="Countess"), said=NOW + 1)
    renamed = world.decide(hear, later)[0]
    assert isinstance(renamed, PersonRenamed)
    assert (renamed.name, renamed.previous) == ("Countess", "Ada")
    earlier = said("3", speaker=ADA._replace(name="Augusta"), said=NOW - 5)
    assert [type(event) for event in world.decide(hear, earlier)] == [MessageHeard]
    assert [row.name for row in names_of(world.rows, person)] == ["Ada", "Countess"]
    assert [found.row.name for found in accounts_of(world.rows, person)] == ["Countess"]


def test_a_direct_message_is_named_after_the_handle() -> None:
    world = World()
    events = world.decide(hear, said(place=DM, attachments=(Attachment("map.png", 12),)))
    heard = events[-1]
    assert isinstance(heard, MessageHeard)
    person = heard.message.speaker
    assert heard.message.session == f"discord:dm:{person.hex()}" == session_of(DM, person)
    assert heard.message.place == Ref("discord", f"dm:{person.hex()}") == place_ref(DM, person)
    found = place_of(world.rows, heard.message.session)
    assert found is not None
    assert (found.row.kind, found.row.name, found.row.person) == ("direct", "", person)


def test_threads_have_sessions_of_their_own() -> None:
    assert session_of(GENERAL._replace(kind="thread")) == "discord:thread:7"


@pytest.mark.parametrize("author", ["bot", "webhook", "self", "unknown"])
def test_only_people_become_people(author: str) -> None:
    world = World()
    heard = world.decide(hear, said(author=author))[-1]
    assert isinstance(heard, MessageHeard)
    assert (heard.message.speaker, heard.message.author_name) == (NOBODY, "Ada")
    assert person_of(world.rows, "discord", "100") is None
    assert units_of(world.rows, NOBODY) == []


def test_what_counts_as_an_edit_only_is_nothing_where_it_was_never_heard() -> None:
    world = World()
    edit = said(text="hello!", edited=NOW + 10)._replace(only_known=True)
    assert world.decide(hear, edit) == []
    world.decide(hear, said())
    edited, _ = world.decide(hear, edit)
    assert isinstance(edited, MessageEdited)


def test_a_copy_counts_as_an_edit_only_when_it_was_edited_later() -> None:
    world = World()
    world.decide(hear, said(addressed=True))
    assert world.decide(hear, said(text="other words, same message")) == []
    edited, _ = world.decide(hear, said(text="hello!", edited=NOW + 10))
    assert isinstance(edited, MessageEdited)
    assert (edited.message.text, edited.said, edited.message.addressed) == ("hello!", NOW + 10, True)
    assert world.decide(hear, said(text="hello!", edited=NOW + 10)) == []
    assert world.decide(hear, said(text="hell", edited=NOW + 5)) == []
    assert [found.row.message.text for found in messages_after(world.rows, SESSION, 0, None)] == ["hello!"]


def test_a_deletion_takes_the_message_and_can_be_repeated() -> None:
    world = World()
    world.decide(hear, said())
    request = DeletedRequest("discord", "1", SESSION, NOW, NOW + 20)
    deleted, _ = world.decide(delete, request)
    assert isinstance(deleted, MessageDeleted)
    assert list(messages_after(world.rows, SESSION, 0, None)) == []
    assert world.decide(delete, request) == []
    assert world.decide(hear, said(text="late edit", edited=NOW + 30)) == []
    assert world.decide(delete, request._replace(key="never heard")) == []


def test_nothing_of_somebody_who_opted_out_is_heard() -> None:
    world = World()
    hashed = (world.ids.keyed_hash("discord", "100"),)
    assert not is_kept_out(world.rows, said())
    world.add(PersonOptedOut(said=NOW, by=OPERATOR, hashes=hashed))
    assert is_kept_out(world.rows, said())
    assert not is_kept_out(world.rows, said("2", speaker=BEN, mentions=(Mention(0, ADA),)))
    assert world.decide(hear, said()) == []
    heard = world.decide(hear, said("2", speaker=BEN, mentions=(Mention(0, ADA),)))[-1]
    assert isinstance(heard, MessageHeard)
    assert heard.message.spans[0].person == NOBODY
    assert meet(world.rows, ADA, origin("m"), fresh(), NOW) == []
    world.add(PersonOptedIn(said=NOW, by=OPERATOR, hashes=hashed))
    assert world.decide(hear, said("3")) != []


@pytest.mark.parametrize("place", [GENERAL, DM], ids=["channel", "dm"])
def test_an_edit_of_who_opted_out_takes_the_old_words_back_and_brings_no_new_ones(place: PlaceSeen) -> None:
    world, out = World(), World()
    outs = PersonOptedOut(said=NOW, by=OPERATOR, hashes=(world.ids.keyed_hash("discord", "100"),))
    world.decide(hear, said(text="my pin is velvet", place=place))
    world.add(outs)
    edit = said(text="never mind", place=place, edited=NOW + 9)
    untouched = (
        said(text="never mind", place=place),
        said(text="my pin is velvet", place=place, edited=NOW + 9),
        said("2", text="never mind", place=place, edited=NOW + 9),
    )
    assert not takes_back(world.rows, edit._replace(author="self"))
    for request in untouched:
        assert (takes_back(world.rows, request), world.decide(hear, request)) == (False, [])
    assert takes_back(world.rows, edit)
    deleted, redacted = world.decide(hear, edit)
    assert isinstance(deleted, MessageDeleted)
    assert isinstance(redacted, MessageRedacted)
    assert (deleted.said, deleted.heard_said) == (NOW + 9, NOW)
    assert (takes_back(world.rows, edit), world.decide(hear, edit)) == (False, [])
    out.add(outs)
    assert (takes_back(out.rows, edit), out.decide(hear, edit)) == (False, [])


def test_what_was_edited_before_they_opted_out_is_as_it_was() -> None:
    world = World()
    world.decide(hear, said(text="my pin is velvet"))
    world.decide(hear, said(text="my pin is gone", edited=NOW + 5))
    world.add(PersonOptedOut(said=NOW + 6, by=OPERATOR, hashes=(world.ids.keyed_hash("discord", "100"),)))
    assert world.decide(hear, said(text="my pin is velvet", edited=NOW + 4)) == []
    assert isinstance(world.decide(hear, said(text="gone", edited=NOW + 9))[0], MessageDeleted)


def test_what_was_erased_does_not_come_back() -> None:
    world = World()
    hashed = (world.ids.keyed_hash("discord", "100"),)
    world.add(PersonErased(said=NOW, by=OPERATOR, vaults=(), hashes=hashed, until=NOW))
    assert world.decide(hear, said()) == []
    assert world.decide(hear, said("2", said=NOW + 1)) != []


def erased(world: World, who: Account, until: int = NOW) -> None:
    world.add(
        PersonErased(
            said=NOW, by=OPERATOR, vaults=(), hashes=(world.ids.keyed_hash(who.platform, who.id),), until=until
        )
    )


def test_what_the_assistant_said_before_an_erasure_is_not_heard_again_whoever_it_answered() -> None:
    world, bot = World(), Account("discord", "1", "dnam")
    erased(world, BEN, NOW - 9)
    erased(world, ADA)
    for key, moment in enumerate((0, NOW, NOW + ON_ITS_WAY_MS)):
        assert world.decide(hear, said(str(key), author="self", speaker=bot, said=moment)) == []
    assert world.decide(hear, said("3", author="self", speaker=bot, said=NOW + ON_ITS_WAY_MS + 1)) != []
    other = Account("discord", "2", "feed")
    assert world.decide(hear, said("4", author="bot", speaker=other)) != []  # others' words are theirs


BOT = Account("discord", "1", "dnam")


def answering(key: str, to: str, *, marked: bool = True, **changes: Any) -> HeardRequest:
    """The assistant's own message, which answers one of ADA's that was said at NOW."""
    asked = Ref("discord", to)
    marks = {"reply_to": asked, "reply_said": NOW} if marked else {"answers": Answered(asked, NOW, ADA)}
    given: dict[str, Any] = {"said": NOW + 9} | marks | changes
    return said(key, author="self", speaker=BOT, **given)


@pytest.mark.parametrize("marked", [True, False], ids=["a reply", "what follows"])
def test_what_answers_a_message_that_was_taken_back_is_not_heard(marked: bool) -> None:
    world = World()
    world.decide(hear, said("a", text="my pin is velvet"))
    world.decide(hear, said("b", text="and my name"))
    world.decide(delete, DeletedRequest("discord", "a", session_of(GENERAL), NOW, NOW + 5))
    assert world.decide(hear, answering("c", "a", text="velvet it is", marked=marked)) == []
    assert world.decide(hear, answering("d", "b", marked=marked)) != []
    assert world.decide(hear, answering("e", "never heard", marked=marked)) != []
    own = said("f", said=NOW + 20, reply_to=Ref("discord", "a"), reply_said=NOW)
    assert world.decide(hear, own) != []  # others' words are theirs


def test_what_answers_words_that_were_only_edited_is_heard() -> None:
    world = World()
    world.decide(hear, said("a", text="my pin is velvet"))
    world.decide(hear, said("a", text="my pin is satin", edited=NOW + 3))
    assert world.decide(hear, answering("b", "a", text="satin it is")) != []


def test_what_the_assistant_said_to_who_opted_out_is_not_heard() -> None:
    world = World()
    hashes = (world.ids.keyed_hash(ADA.platform, ADA.id),)
    world.add(PersonOptedOut(said=NOW, by=OPERATOR, hashes=hashes))
    answer = answering("b", "a", marked=False)
    assert is_kept_out(world.rows, answer)
    assert world.decide(hear, answer) == []
    assert world.decide(hear, answer._replace(answers=Answered(Ref("discord", "a"), NOW, BEN))) != []
    assert world.decide(hear, answering("c", "a", marked=False, said=NOW + 30)._replace(author="bot")) != []
    world.add(PersonOptedIn(said=NOW + 20, by=OPERATOR, hashes=hashes))
    assert world.decide(hear, answering("d", "a", marked=False)) == []
    assert world.decide(hear, answering("e", "a", marked=False, said=NOW + 21)) != []


def test_what_answers_a_message_rests_on_it_marked_or_not() -> None:
    world = World()
    (asked,) = (each for each in world.decide(hear, said("a")) if isinstance(each, MessageHeard))
    for n in range(WINDOW + 1):
        world.decide(hear, said(f"between {n}", said=NOW + 1 + n))
    heard = world.decide(hear, answering("b", "a", marked=False, said=NOW + 90))[-1]
    assert isinstance(heard, MessageHeard)
    assert world.ids.event_id(message_identity("discord", "a", "heard", asked.said)) in heard.causes


def test_what_was_said_while_out_is_not_heard_once_somebody_is_heard_again() -> None:
    world = World()
    hashes = (world.ids.keyed_hash(ADA.platform, ADA.id),)
    assert world.decide(hear, said("first", said=NOW - 20)) != []
    world.add(PersonOptedOut(said=NOW - 10, by=OPERATOR, hashes=hashes))
    world.add(PersonOptedIn(said=NOW, by=OPERATOR, hashes=hashes))
    for moment in (NOW - 10, NOW - 1):
        assert world.decide(hear, said(f"out {moment}", said=moment)) == []
    assert world.decide(hear, said("before", said=NOW - 11)) != []
    assert world.decide(hear, said("after", said=NOW)) != []
    (edited,) = world.decide(hear, said("first", said=NOW - 20, text="changed", edited=NOW + 1))[:1]
    assert isinstance(edited, MessageEdited)
    assert world.decide(hear, said("of ben", speaker=BEN, said=NOW - 5)) != []


def test_naming_somebody_who_was_erased_does_not_bring_them_back() -> None:
    world = World()
    erased(world, ADA)
    heard = world.decide(hear, said(speaker=BEN, mentions=(Mention(0, ADA),)))[-1]
    assert isinstance(heard, MessageHeard)
    assert heard.message.spans[0].person == NOBODY
    edited, _ = world.decide(hear, said(speaker=BEN, text="hm", mentions=(Mention(0, ADA),), edited=NOW + 9))
    assert isinstance(edited, MessageEdited)
    assert edited.message.spans[0].person == NOBODY
    assert person_of(world.rows, "discord", "100") is None
    assert meet(world.rows, ADA, origin("m"), fresh(), NOW) == []
    later = world.decide(hear, said("2", speaker=BEN, mentions=(Mention(0, ADA),), said=NOW + 1))
    assert any(isinstance(event, PersonSeen) and event.platform_id == "100" for event in later)


@pytest.mark.parametrize("author", ["person", "self", "bot"])
def test_nothing_is_heard_in_the_dm_of_who_opted_out_or_was_erased(author: str) -> None:
    silent, gone = World(), World()
    silent.add(PersonOptedOut(said=NOW, by=OPERATOR, hashes=(silent.ids.keyed_hash("discord", "100"),)))
    erased(gone, ADA)
    for world in (silent, gone):
        assert world.decide(hear, said(author=author, speaker=BEN, place=DM)) == []
        assert describe(world.rows, DM, NOBODY, NOW, origin("d")) == []


@pytest.mark.parametrize("kind", ["group", "direct"])
def test_a_place_that_is_named_after_its_people_has_no_name(kind: PlaceKind) -> None:
    world = World()
    group = PlaceSeen("discord", "8", kind, "Ada, Ben", "channel")
    world.decide(hear, said(place=group))
    found = find_place(world.rows, Ref("discord", "8"))
    assert found is not None
    assert found.row.name == ""


def test_redacted_messages_are_not_heard_again() -> None:
    world = World()
    world.decide(hear, said())
    heard = world.ids.event_id(message_identity("discord", "1", "heard", NOW))
    world.add(MessageRedacted(said=NOW, by=OPERATOR, events=(heard,)))
    assert world.decide(hear, said(edited=NOW + 9)) == []


def test_a_known_place_keeps_its_audience_and_may_get_a_new_name() -> None:
    world = World()
    world.decide(hear, said())
    renamed = GENERAL._replace(name="lounge")
    described, heard = world.decide(hear, said("2", place=renamed))
    assert isinstance(described, PlaceDescribed)
    assert isinstance(heard, MessageHeard)
    assert (described.name, described.audience.kind) == ("lounge", "guild")
    assert heard.message.audience.kind == "guild"
    assert audience_of(world.rows, Ref("discord", "7")) == heard.message.audience


def test_a_place_can_be_described_alone() -> None:
    world = World()
    drafts = describe(world.rows, GENERAL, NOBODY, NOW, origin("d"))
    described = [draft.event for draft in drafts if isinstance(draft.event, PlaceDescribed)]
    assert [each.name for each in described] == ["Garden", "general"]
    assert len(described) == len(drafts)
    for draft in drafts:
        world.record(draft)
    assert describe(world.rows, GENERAL, NOBODY, NOW, origin("e")) == []
    found = find_place(world.rows, GUILD)
    assert found is not None
    assert found.row.kind == "guild"
    assert place_of(world.rows, "discord:channel:0") is None


def test_an_account_joins_a_known_person_once() -> None:
    world = World()
    ada = person_of_first(world.decide(hear, said()))
    other = Account("local", "ada", "ada")
    for draft in meet(world.rows, other, origin("j"), (), NOW, ada):
        world.record(draft)
    assert {found.row.platform for found in accounts_of(world.rows, ada)} == {"discord", "local"}
    assert meet(world.rows, other, origin("k"), (), NOW, ada) == []
    assert meet(world.rows, other, origin("l"), fresh(), NOW) == []


def test_nobody_is_someone() -> None:
    assert name_of(World().rows, NOBODY) == SOMEONE


def ask(world: World) -> AnswerRequest:
    """An answer to Ada's message."""
    person = person_of_first(world.decide(hear, said()))
    audience = Audience("guild", Ref("discord", "7"))
    point = Point(NOW, world.ids.event_id(message_identity("discord", "1", "heard", NOW)))
    setting = Setting(person, audience, GUILD)
    context = assemble(world.rows, Request(setting, SESSION, point, "dnam", Vocabulary(frozenset(), frozenset())))
    use = ModelUse(model="offline", version="1")
    return AnswerRequest(
        point, SESSION, Ref("discord", "7"), audience, GUILD, person, "hi!", context, use, Limits(), NOW, "dnam"
    )


def test_a_question_is_answered_once_and_later_than_it_was_asked() -> None:
    world = World()
    request = ask(world)
    (turn,) = world.decide(answer, request)
    assert isinstance(turn, TurnAnswered)
    assert turn.said == NOW + 1
    assert turn.causes == request.context.causes
    assert len(turn.nonce) == 25
    assert world.decide(answer, request._replace(text="something else")) == []
    assert [found.row.text for found in turns_after(world.rows, SESSION, 0, None)] == ["hi!"]
    assert [point.said for point, _ in asked_after(world.rows, request.asker, None)] == [NOW + 1]


def test_of_an_answer_in_the_dm_of_nobody_what_it_took_is_recorded_and_no_more() -> None:
    world = World()
    audience = Audience("direct", Ref("discord", "dm:"))
    asked = ask(world)
    took = ModelUse("haiku", "7", prompt_digest=b"d" * 32, cost_micros=7)
    request = asked._replace(session="discord:dm:", audience=audience, asker=NOBODY, call=took)
    (turn,) = world.decide(answer, request)
    assert isinstance(turn, TurnAnswered)
    assert (turn.text, turn.causes, turn.items, turn.left_out, turn.context_digest) == ("", (), (), (), b"")
    assert (turn.call, len(turn.nonce)) == (ModelUse("haiku", "7", cost_micros=7), 25)
    assert [call.cost_micros for call in calls(world.rows)] == [7]
    assert undelivered(world.rows, "discord:dm:", NOW) == []
    assert world.decide(answer, request) == []
    row = next(iter(turns_after(world.rows, "discord:dm:", 0, None))).row
    assert world.decide(deliver, DeliverRequest(row.event, "discord:dm:", audience, 0, NOBODY, (), NOW)) == []


def test_a_delivery_is_recorded_once_and_its_messages_are_not_heard_as_words_of_its_own() -> None:
    world = World()
    world.decide(answer, ask(world))
    turn = next(iter(turns_after(world.rows, SESSION, 0, None)))
    row = turn.row
    request = DeliverRequest(row.event, SESSION, row.audience, 0, row.asker, (Ref("discord", "3"),), NOW + 2)
    (delivered,) = world.decide(deliver, request)
    assert isinstance(delivered, TurnDelivered)
    assert world.decide(deliver, request) == []
    found = world.rows.get(DELIVERIES, row.event)
    assert found is not None
    assert found.messages == (Ref("discord", "3"),)
    assert world.decide(hear, said("3", author="self", speaker=Account("discord", "1", "dnam"))) == []


def test_what_one_person_said_is_listed_by_unit() -> None:
    world = World()
    person = person_of_first(world.decide(hear, said()))
    world.decide(hear, said("2", place=DM))
    world.decide(hear, said("3", said=NOW + 5))
    where = {unit.session: unit for unit in units_of(world.rows, person)}
    assert set(where) == {SESSION, f"discord:dm:{person.hex()}"}
    points = list(spoken_in(world.rows, person, where[SESSION]))
    assert [point.said for point in points] == [NOW, NOW + 5]
    assert list(spoken_in(world.rows, person, where[SESSION], points[0])) == points[1:]


def test_an_origin_without_a_name_mints_the_same_ids_again() -> None:
    world = World()
    first = meet(world.rows, ADA, origin("same"), fresh(), NOW)
    again = meet(world.rows, ADA, origin("same"), fresh(), NOW)
    assert [draft.id for draft in first] == [draft.id for draft in again]
    assert Origin().identity is None


def test_one_key_in_two_guilds_is_no_place_of_both() -> None:
    """It would be one session, and one guild would be told the other's talk."""
    world = World()
    world.decide(hear, said())
    other = GENERAL._replace(guild=Ref("discord", "10"), guild_name="Harbour")
    with pytest.raises(BadRequest, match="another guild"):
        hear(world.rows, said("2", place=other))
    with pytest.raises(BadRequest, match="another guild"):
        describe(world.rows, other, NOBODY, NOW, origin("described"))
    assert hear(world.rows, said("3", place=GENERAL._replace(guild=None))), "of whose guild nothing is said"


def test_what_was_replied_to_who_opted_out_is_not_heard() -> None:
    world, asked = World(), Answered(Ref("discord", "4"), NOW - 1, BEN)
    reply = said("5", author="self", speaker=Account("discord", "1", "dnam"), answers=asked)
    assert not is_kept_out(world.rows, reply)
    world.add(PersonOptedOut(said=NOW - 1, by=OPERATOR, hashes=(world.ids.keyed_hash(BEN.platform, BEN.id),)))
    assert is_kept_out(world.rows, reply)
    assert hear(world.rows, reply) == []
    assert hear(world.rows, said("6", answers=asked)), "what another person replies is theirs"
