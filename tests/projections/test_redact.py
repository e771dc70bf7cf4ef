"""A message that was deleted loses its words, and so does what a model made of it alone (design §8)."""

import msgspec
import pytest
from hypothesis import given
from hypothesis.strategies import lists, sampled_from, text

from projections.calls import calls
from projections.decisions.delete import is_taken_back
from projections.decisions.remember import (
    ForgetRequest,
    RememberRequest,
    RestoreRequest,
    forget,
    remember,
    restore,
)
from projections.errors import BadRequest
from projections.events import (
    Event,
    ItemEvicted,
    ItemRefused,
    ItemUpserted,
    ItemWithdrawn,
    MessageDeleted,
    MessageRedacted,
    PlaceAudienceChanged,
    ReplyWithdrawn,
    SummaryReset,
    SummaryWithheld,
    TurnWithdrawn,
)
from projections.events.values import PLATFORM, Audience, By, Evidence, Intent, Item, Saw, Source
from projections.ids import NOBODY, EventId, Point, Ref
from projections.items import compartment_key, forgotten_of, is_quiet
from projections.messages import spoken_in, units_of
from projections.policies.cadence import summary_due
from projections.policies.compartments import Opening, in_guild
from projections.policies.own_words import key, said_in, sayer
from projections.policies.repeating import repeats
from projections.policies.telling import FRAME, PLAIN, SMALL, telling
from projections.rows import Rows
from projections.summaries import is_withheld
from projections.turns import turns_after
from projections.work import EXTRACTION_ATTEMPTS, EXTRACTIONS, was_read, was_tried
from tests.projections.learning import GENERAL, GUILD, HERE, HOME, LATER, MODEL, SESSION, Town
from tests.world import NOW, World, origin

OFFICE = GENERAL._replace(key="8", name="office")
TEA = "I like green tea"
ROME = "we moved to Rome"


@pytest.fixture
def town() -> Town:
    return Town()


def kinds(events: list[Event]) -> list[str]:
    return [type(each).__name__ for each in events]


def test_its_words_go_and_those_of_every_version(town: Town) -> None:
    message = town.says(TEA)
    town.edits(message, f"{TEA} a lot")
    events = town.deletes(message)
    assert kinds(events) == ["MessageDeleted", "MessageRedacted"]
    assert town.tells("green tea") == []
    assert town.message(message) is None
    assert units_of(town.rows, town.ada) == []
    assert town.deletes(message) == []


def test_what_a_model_learned_from_it_alone_is_gone(town: Town) -> None:
    other = town.learned("User moved to Rome.", ROME)
    message = town.learned("User likes green tea.", TEA)
    events = town.deletes(message)
    assert kinds(events) == ["MessageDeleted", "ItemWithdrawn", "ReplyWithdrawn", "MessageRedacted"]
    assert town.tells("green tea") == []
    assert town.texts() == ["User moved to Rome."]
    assert (was_read(town.rows, other.id), was_read(town.rows, message.id)) == (True, False)
    withdrawn = next(each for each in events if isinstance(each, ItemWithdrawn))
    assert (withdrawn.owner, withdrawn.compartment) == (town.ada, HOME)
    assert "taken back" in withdrawn.reason


def test_what_a_model_was_told_of_other_things_in_the_same_reply_stays(town: Town) -> None:
    tea, rome = town.says(TEA), town.says(ROME)
    town.reads(
        [tea, rome],
        {"text": "User likes green tea.", "evidence": TEA},
        {"text": "User moved to Rome.", "evidence": ROME},
    )
    town.deletes(tea)
    assert town.texts() == ["User moved to Rome."]
    assert town.tells("green tea") == []
    assert was_read(town.rows, rome.id)  # nothing of it is read, or paid for, again
    assert not was_read(town.rows, tea.id)


def test_where_the_extraction_had_come_to_and_what_it_cost_stays(town: Town) -> None:
    first, second = town.learned("User likes green tea.", TEA), town.learned("User moved to Rome.", ROME)
    key = compartment_key(town.ada, HOME)
    before = list(calls(town.rows))
    town.deletes(first)
    town.deletes(second)
    for table in (EXTRACTIONS, EXTRACTION_ATTEMPTS):
        row = town.rows.get(table, key)
        assert row is not None
        assert row.upto == second
    assert list(calls(town.rows)) == before
    assert [each.cost_micros for each in before] == [45, 45]


def test_an_item_that_was_confirmed_later_stands_without_the_words(town: Town) -> None:
    message = town.learned("User likes green tea.", TEA)
    again = town.learned("User likes green tea.", "green tea is what I like")
    events = town.deletes(message)
    assert "ItemRedacted" in kinds(events)
    row = town.item("green tea")
    assert [each.message for each in row.item.evidence] == [again.id]
    assert TEA not in repr([each.event for each in town.readable()])
    assert (row.item.status, row.intent, row.tag) == ("active", None, "item.redacted")
    town.deletes(again)
    assert town.texts() == []
    assert town.tells("green tea") == []


def test_an_item_that_was_only_changed_by_it_says_again_what_it_said_before(town: Town) -> None:
    town.learned("User lives in Paris.", "I live in Paris")
    item_id = town.item("Paris").item.id
    message = town.says(ROME)
    town.reads([message], {"id": item_id, "text": "User lives in Rome.", "evidence": ROME})
    assert town.texts() == ["User lives in Rome."]
    events = town.deletes(message)
    assert kinds(events) == ["MessageDeleted", "ReplyWithdrawn", "MessageRedacted"]
    assert town.texts() == ["User lives in Paris."]
    assert town.tells("Rome") == []


def test_what_was_moved_since_stands_on_what_it_rested_on_before(town: Town) -> None:
    """What it said before is where fewer, or more, could read it: no state to go back to."""
    first = town.learned("User lives in Paris.", "I live in Paris")
    message = town.says(ROME)
    town.reads([message], {"id": town.item("Paris").item.id, "text": "User lives in Rome.", "evidence": ROME})
    row = town.item("Rome")
    later = town.says("nothing of the kind")
    town.reads([later], gone=[{"id": row.item.id}])
    town.deletes(message)
    row = town.item("Rome")
    assert row.item.status == "deprecated"
    assert [each.message for each in row.item.evidence] == [first.id]


def test_what_a_person_asked_to_keep_stands_until_they_forget_it(town: Town) -> None:
    message = town.says(TEA)
    keep(town, "green tea is best", message)
    events = town.deletes(message)
    assert kinds(events) == ["MessageDeleted", "ItemRedacted", "MessageRedacted"]
    row = town.item("green tea is best")
    assert (row.item.status, row.item.evidence, row.item.kept) == ("active", (), True)
    assert row.intent is not None
    assert (row.intent.action, row.intent.saw) == ("remember", None)  # it is still theirs, for merges
    assert TEA not in repr([each.event for each in town.readable()])


def test_what_they_keep_says_again_what_it_said_before_a_model_put_it_otherwise(town: Town) -> None:
    keep(town, "User lives in Paris.", town.says("I live in Paris"))
    message = town.says(ROME)
    town.reads([message], {"id": town.item("Paris").item.id, "text": "User lives in Rome.", "evidence": ROME})
    assert town.item("Rome").item.kept
    events = town.deletes(message)
    assert kinds(events) == ["MessageDeleted", "ReplyWithdrawn", "MessageRedacted"]
    row = town.item("Paris")
    assert (town.texts(), row.item.kept, row.tag) == (["User lives in Paris."], True, "item.remembered")
    assert town.tells("Rome") == []


def test_what_they_keep_and_was_said_again_later_stands(town: Town) -> None:
    keep(town, "User lives in Paris.", town.says("I live in Paris"))
    message = town.says(ROME)
    told = {"id": town.item("Paris").item.id, "text": "User lives in Rome."}
    town.reads([message], {**told, "evidence": ROME})
    later = town.says("Rome is where I live")
    town.reads([later], {**told, "evidence": "Rome is where I live"})
    town.deletes(message)
    assert [each.message for each in town.item("Rome").item.evidence][-1] == later.id


def test_it_stands_too_where_a_model_confirmed_it_since(town: Town) -> None:
    said = town.says("hello there")
    keep(town, "User likes green tea.", said)
    message = town.learned("User likes green tea.", TEA)
    assert town.item("green tea").tag == "item.upserted"
    town.deletes(message, said)
    assert town.texts() == ["User likes green tea."]
    assert TEA not in repr([each.event for each in town.readable()])


def keep(town: Town, text: str, message: Point) -> None:
    evidence = (Evidence(town.input(message).text, message.id, town.input(message).ref),)
    request = RememberRequest(
        owner=town.ada, compartment=HOME, text=text, by=By("person", town.ada), said=message.said + 1,
        source=Source("manual"), origin=origin(f"{text} {message.said}"), evidence=evidence,
    )  # fmt: skip
    assert town.world.decide(remember, request)


def take_back(town: Town, needle: str) -> None:
    request = ForgetRequest(
        owner=town.ada, openings=(Opening(town.ada, HOME),), by=By("person", town.ada), said=LATER - 1,
        origin=origin(f"forget {needle}"), needle=needle,
    )  # fmt: skip
    assert town.world.decide(forget, request)


def test_what_a_person_took_back_is_refused_as_before(town: Town) -> None:
    message, other = town.says(TEA), town.says("it is so good")
    town.reads([message, other], {"text": "User likes green tea.", "evidence": [TEA, "it is so good"]})
    take_back(town, "User likes green tea.")
    (before,) = forgotten_of(town.rows, town.ada)
    town.deletes(message)
    (after,) = forgotten_of(town.rows, town.ada)
    assert (after.row.id, after.row.text, after.row.was) == (before.row.id, before.row.text, before.row.was)
    assert [each.message for each in after.row.evidence] == [other.id]
    assert is_quiet(town.rows, other.id)
    assert TEA not in repr([each.event for each in town.readable()])
    again = town.says("really, green tea")
    events = town.reads([again], {"text": "User likes green tea.", "evidence": "green tea"})
    assert isinstance(events[1], ItemRefused)


@pytest.mark.parametrize("made_room", [False, True])
def test_what_a_person_took_back_goes_with_the_message_that_it_rests_on_alone(town: Town, made_room: bool) -> None:
    """No more is left of it than without the taking back, and it is not to be brought back."""
    message = town.learned("User likes green tea.", TEA)
    answer = town.answers(town.says("so?"), "On the fifth day.", Point(NOW, town.item("green tea").event))
    take_back(town, "User likes green tea.")
    row = town.item("green tea")
    from projections.events import ItemEvicted

    evicted = msgspec.structs.replace(row.item, status="evicted")
    if made_room:
        town.world.add(ItemEvicted(said=LATER, by=MODEL, causes=(row.event,), item=evicted, cap=1))
    events = town.deletes(message)
    assert kinds(events) == ["MessageDeleted", "ItemWithdrawn", "ReplyWithdrawn", "MessageRedacted"]
    assert (town.items(), list(forgotten_of(town.rows, town.ada))) == ([], [])
    assert town.tells("green tea") == []
    assert is_quiet(town.rows, answer)
    back = RestoreRequest(
        owner=town.ada, id=row.item.id, by=By("person", town.ada), said=LATER + 1, origin=origin("back"),
    )  # fmt: skip
    with pytest.raises(BadRequest, match="message that was taken back"):
        restore(town.rows, back)


def test_what_a_person_asked_to_keep_and_took_back_goes_with_it_too(town: Town) -> None:
    message = town.says(TEA)
    keep(town, "green tea is best", message)
    take_back(town, "green tea is best")
    town.deletes(message)
    assert (town.items(), town.tells("green tea")) == ([], [])


def test_what_was_taken_back_goes_with_the_last_of_its_messages(town: Town) -> None:
    message, other = town.says(TEA), town.says("it is so good")
    town.reads([message, other], {"text": "User likes green tea.", "evidence": [TEA, "it is so good"]})
    take_back(town, "User likes green tea.")
    town.deletes(message)
    assert [row.item.status for row in town.items()] == ["forgotten"]
    town.deletes(other)
    assert (town.items(), town.tells("green tea")) == ([], [])


@pytest.mark.parametrize("still", [True, False])
def test_what_was_taken_back_stays_so_as_long_as_an_edited_message_says_it(town: Town, still: bool) -> None:
    """It rests on what the message says now, and goes with it."""
    message = town.learned("User likes green tea.", "I lik green tea")
    take_back(town, "User likes green tea.")
    town.edits(message, TEA if still else "never mind")
    assert [row.item.status for row in town.items()] == ["forgotten"]  # until it is read
    town.reads([message], *([{"text": "User likes green tea.", "evidence": TEA}] if still else []))
    assert [row.item.evidence[0].quote for row in town.items()] == ([TEA] if still else [])
    assert [row.row.text for row in forgotten_of(town.rows, town.ada)] == (["User likes green tea."] if still else [])
    assert still or town.tells("green tea") == []
    town.deletes(message)
    assert (town.items(), town.tells("green tea")) == ([], [])


def test_what_was_refused_loses_its_words(town: Town) -> None:
    town.learned("User likes green tea.", "such a good green tea")
    take_back(town, "User likes green tea.")
    message = town.says("I like Sencha tea, a green tea")
    events = town.reads([message], {"text": "User likes green tea.", "evidence": "Sencha tea"})
    assert isinstance(events[1], ItemRefused)
    assert "item.refused" in town.tells("sencha")
    town.deletes(message)
    assert town.tells("sencha") == []


def test_of_two_that_were_merged_the_other_is_left(town: Town) -> None:
    town.learned("User likes tea.", "I like tea so much")
    newer = town.learned("User likes green Sencha.", "green Sencha is what I like")
    town.merges("likes tea", "Sencha", "User likes tea, green Sencha above all.")
    assert town.texts() == ["User likes tea, green Sencha above all."]
    town.deletes(newer)
    assert town.texts() == ["User likes tea."]
    assert town.tells("sencha") == []


def test_one_that_absorbed_what_was_said_later_stands_and_the_absorbed_stays_absorbed(town: Town) -> None:
    older = town.learned("User likes tea.", "I like tea so much")
    newer = town.learned("User likes green Sencha.", "green Sencha is what I like")
    town.merges("likes tea", "likes green", "User likes tea, green Sencha above all.")
    town.deletes(older)
    assert town.texts() == ["User likes tea, green Sencha above all."]
    row = town.item("above all")
    assert [each.message for each in row.item.evidence] == [newer.id]
    assert town.item("User likes green Sencha.").item.status == "merged"
    assert town.tells("so much") == []


def test_what_a_model_ended_with_it_stays_ended_without_the_reason(town: Town) -> None:
    town.learned("User lives in Paris.", "I live in Paris")
    item_id = town.item("Paris").item.id
    message = town.says("I hate this town")
    town.reads([message], gone=[{"id": item_id, "reason": "hates the town"}])
    assert town.item("Paris").reason == "hates the town"
    town.deletes(message)
    row = town.item("Paris")
    assert (row.item.status, row.item.evidence[0].quote) == ("deprecated", "I live in Paris")
    assert town.tells("hate") == []


def test_lore_goes_with_it_too(town: Town) -> None:
    message = town.says("our raid night is Friday")
    town.reads([message], {"text": "Raid night is Friday.", "about": "guild", "evidence": "our raid night is Friday"})
    assert [row.item.owner for row in town.items()] == [NOBODY]
    town.deletes(message)
    assert town.items() == []
    assert town.tells("raid night") == []


def keeps_anothers(town: Town, text: str, message: Point, name: str = "") -> Item:
    """As lore, by somebody who did not say it."""
    said = town.input(message)
    request = RememberRequest(
        owner=NOBODY, compartment=in_guild(GUILD), text=text, by=By("operator"), said=message.said + 1,
        source=Source("discord", message=said.ref), origin=origin(text + name), about="guild",
        evidence=(Evidence(said.text, message.id, said.ref),),
    )  # fmt: skip
    town.world.decide(remember, request)
    return town.item(text).item


@pytest.mark.parametrize("since", ["", "deleted", "evicted"])
@pytest.mark.parametrize("how", ["deleted", "edited"])
def test_what_was_kept_again_is_not_taken_back_again_with_the_words_that_asked_for_it(
    town: Town, how: str, since: str
) -> None:
    """What had taken it back is the last thing then that is known of it, and goes too."""
    message, other = town.says(TEA), town.says("it is so good")
    town.reads([message, other], {"text": "User likes green tea.", "evidence": [TEA, "it is so good"]})
    take_back(town, "User likes green tea.")
    if since == "deleted":
        town.deletes(other)
    elif since == "evicted":
        row = town.item("green tea")
        item = msgspec.structs.replace(row.item, status="evicted")
        town.world.add(ItemEvicted(said=row.said, by=MODEL, causes=(row.event,), item=item, cap=200))
    asked = town.says("please keep that I like green tea after all")
    keep(town, "User likes green tea.", asked)
    assert (list(forgotten_of(town.rows, town.ada)), is_quiet(town.rows, message.id)) == ([], False)
    if how == "deleted":
        town.deletes(asked)
    else:
        town.edits(asked, "never mind")
        town.reads([asked])
    assert [(each.text, each.status, len(each.evidence)) for each in (row.item for row in town.items())] == [
        ("User likes green tea.", "active", 1 if since == "deleted" else 2)
    ]
    assert (list(forgotten_of(town.rows, town.ada)), is_quiet(town.rows, message.id)) == ([], False)
    events = town.reads([town.says("really, green tea")], {"text": "User likes green tea.", "evidence": "green tea"})
    refused = [each.reason for each in events if isinstance(each, ItemRefused)]
    assert refused == ["what is there was said later"], "not: that they took it back"


def test_what_was_kept_twice_stands_and_what_took_it_back_before_that_too(town: Town) -> None:
    message = town.learned("User likes green tea.", TEA)
    take_back(town, "User likes green tea.")
    keep(town, "User likes green tea.", town.says("keep that"))
    asked = town.says("and keep that once more")
    keep(town, "User likes green tea.", asked)
    assert "MessageRedacted" in kinds(town.deletes(asked))
    assert (list(forgotten_of(town.rows, town.ada)), is_quiet(town.rows, message.id)) == ([], False)
    assert [type(each.event).__name__ for each in town.readable()].count("ItemForgotten") == 1


def test_what_another_kept_of_it_goes_with_it_also_where_more_says_so(town: Town) -> None:
    message = town.says("our raid night is Friday")
    assert keeps_anothers(town, "Raid night is Friday.", message).kept
    again = town.says("raids are on Friday")
    town.reads([again], {"text": "Raid night is Friday.", "about": "guild", "evidence": "raids are on Friday"})
    assert len(town.item("Raid night").item.evidence) == 2
    town.deletes(message)
    assert town.items() == []


def test_what_another_kept_of_it_goes_with_its_words_when_they_are_edited_away(town: Town) -> None:
    message = town.says("our raid night is Friday")
    keeps_anothers(town, "Raid night is Friday.", message)
    town.reads([message], {"text": "We raid.", "about": "guild", "evidence": "our raid night is Friday"})
    town.edits(message, "our raid night is Friday, 8 pm")
    assert town.texts() == ["Raid night is Friday.", "We raid."]
    town.edits(message, "never mind", after=600)
    assert town.texts() == ["We raid."]
    assert town.tells("raid night is Friday.") == []


def takes_back_lore(town: Town, needle: str, name: str = "") -> None:
    request = ForgetRequest(
        owner=NOBODY, openings=(Opening(NOBODY, in_guild(GUILD)),), by=By("operator"), said=LATER - 1,
        origin=origin(f"take back {needle} {name}"), needle=needle,
    )  # fmt: skip
    assert town.world.decide(forget, request)


@pytest.mark.parametrize("edited", [False, True])
def test_what_another_kept_of_it_and_took_back_goes_with_it_too(town: Town, edited: bool) -> None:
    """Twice taken back, and kept once more between: no earlier taking back of it stands again."""
    message = town.says("our raid night is Friday")
    keeps_anothers(town, "Raid night is Friday.", message)
    takes_back_lore(town, "Raid night is Friday.")
    keeps_anothers(town, "Raid night is Friday.", message, "again")
    answer = town.answers(town.says("when?"), "On the fifth day.", Point(NOW, town.item("Raid night").event))
    takes_back_lore(town, "Raid night is Friday.", "again")
    assert is_quiet(town.rows, answer)
    events = town.edits(message, "never mind") if edited else town.deletes(message)
    assert "ItemWithdrawn" in kinds(events)
    assert town.items() == []
    assert list(forgotten_of(town.rows, NOBODY)) == []
    assert town.tells("raid night") == []
    assert is_quiet(town.rows, answer)


def test_what_a_model_made_of_it_and_somebody_took_back_waits_for_the_extraction(town: Town) -> None:
    message = town.says("our raid night is Friday")
    town.reads([message], {"text": "Raid night is Friday.", "about": "guild", "evidence": "our raid night is Friday"})
    takes_back_lore(town, "Raid night is Friday.")
    town.edits(message, "never mind")
    assert [found.row.text for found in forgotten_of(town.rows, NOBODY)] == ["Raid night is Friday."]
    town.reads([message])
    assert (town.items(), list(forgotten_of(town.rows, NOBODY)), town.tells("raid night")) == ([], [], [])


def test_it_stays_taken_back_where_its_words_are_still_said(town: Town) -> None:
    message = town.says("our raid night is Friday")
    keeps_anothers(town, "Raid night is Friday.", message)
    takes_back_lore(town, "Raid night is Friday.")
    town.edits(message, "our raid night is Friday, 8 pm")
    assert [found.row.text for found in forgotten_of(town.rows, NOBODY)] == ["Raid night is Friday."]


def test_what_another_kept_of_it_and_took_back_and_made_room_goes_too(town: Town) -> None:
    message = town.says("our raid night is Friday")
    keeps_anothers(town, "Raid night is Friday.", message)
    takes_back_lore(town, "Raid night is Friday.")
    row = town.item("Raid night")
    from projections.events import ItemEvicted

    evicted = msgspec.structs.replace(row.item, status="evicted")
    town.world.add(ItemEvicted(said=LATER, by=MODEL, causes=(row.event,), item=evicted, cap=1))
    town.deletes(message)
    assert list(forgotten_of(town.rows, NOBODY)) == []
    assert town.tells("raid night") == []


def test_what_somebody_wrote_down_themselves_stands_when_a_message_that_confirmed_it_goes(town: Town) -> None:
    request = RememberRequest(
        owner=NOBODY, compartment=in_guild(GUILD), text="Raid night is Friday.", by=By("operator"), said=LATER - 9,
        source=Source("manual"), origin=origin("typed"), about="guild",
    )  # fmt: skip
    town.world.decide(remember, request)
    message = town.says("raids are on Friday")
    town.reads([message], {"text": "Raid night is Friday.", "about": "guild", "evidence": "raids are on Friday"})
    assert len(town.item("Raid night").item.evidence) == 1
    town.deletes(message)
    assert (town.item("Raid night").item.status, town.item("Raid night").item.evidence) == ("active", ())


def test_it_stands_where_another_message_that_it_rests_on_goes(town: Town) -> None:
    message = town.says("our raid night is Friday")
    keeps_anothers(town, "Raid night is Friday.", message)
    again = town.says("raids are on Friday")
    town.reads([again], {"text": "Raid night is Friday.", "about": "guild", "evidence": "raids are on Friday"})
    town.deletes(again)
    assert [each.message for each in town.item("Raid night").item.evidence] == [message.id]


def test_what_would_rest_on_what_fewer_can_read_by_now_is_gone(town: Town) -> None:
    """What was said there when all could read it is for fewer now, and so is what rests on it alone."""
    closing = town.says("I like tea so much", place=OFFICE)
    open_ = town.says("green tea above all")
    town.reads([open_], {"text": "User likes green tea.", "evidence": "green tea above all"})
    row = town.item("green tea")
    evidence = (Evidence("tea so much", closing.id), *row.item.evidence)
    item = msgspec.structs.replace(row.item, evidence=evidence)
    town.world.add(ItemUpserted(said=LATER, by=MODEL, causes=(row.event, closing.id, open_.id), item=item))
    few = Audience("channel", Ref("discord", "8"), 1)
    town.world.add(
        PlaceAudienceChanged(
            said=LATER, by=PLATFORM, place=few.place, audience=few, previous=Audience("guild", few.place),
            session="discord:channel:8",
        )
    )  # fmt: skip
    town.deletes(open_)
    assert town.items() == []


def test_what_rests_on_what_all_can_read_stands(town: Town) -> None:
    first = town.says("I like tea so much", place=OFFICE)
    second = town.says("green tea above all")
    town.reads([second], {"text": "User likes green tea.", "evidence": "green tea above all"})
    row = town.item("green tea")
    item = msgspec.structs.replace(row.item, evidence=(*row.item.evidence, Evidence("tea so much", first.id)))
    town.world.add(ItemUpserted(said=LATER, by=MODEL, causes=(row.event, first.id, second.id), item=item))
    town.deletes(second)
    assert [each.message for each in town.item("green tea").item.evidence] == [first.id]


def test_what_was_erased_or_deleted_is_taken_back_and_what_was_edited_is_not(town: Town) -> None:
    erased, deleted, edited, there = (town.says(f"number {n} of them") for n in range(4))
    town.world.ids.seen[erased.id] = "erased"
    town.deletes(deleted)
    town.edits(edited, "other words")
    assert [is_taken_back(town.rows, each.id) for each in (erased, deleted, edited, there)] == [
        True,
        True,
        False,
        False,
    ]
    town.world.add(MessageRedacted(said=LATER, by=PLATFORM, events=(there.id,)))
    assert is_taken_back(town.rows, there.id)


# -- summaries -----------------------------------------------------------------------------------------------------


def test_a_summary_that_covered_it_is_withheld_and_made_anew(town: Town) -> None:
    kept = town.says("good morning all")
    message = town.says(TEA)
    town.sums_up("People say good morning.", kept)
    town.sums_up("People say good morning; one likes green tea.", message)
    town.sums_up("Morning, green tea, and more.", town.says("and more"))
    before = town.summary()
    assert before is not None
    events = town.deletes(message)
    assert sum(isinstance(each, SummaryWithheld) for each in events) == 1
    row = town.summary()
    assert row is not None
    assert (row.text, row.upto, row.era, row.floor) == ("", before.upto, 0, None)
    assert is_withheld(row)
    assert not is_withheld(before)
    assert town.tells("green tea") == []
    assert town.tells("People say good morning.") == ["summary.answered", "summary.refreshed"]
    town.answers(town.says("hm?"), "yes")
    assert summary_due(town.rows, SESSION, HERE.epoch, 1)
    assert len(list(calls(town.rows))) == 4  # what was asked is paid for all the same


def test_one_that_did_not_cover_it_stands(town: Town) -> None:
    town.sums_up("People say good morning.", town.says("good morning all"))
    message = town.says(TEA)
    town.deletes(message)
    row = town.summary()
    assert row is not None
    assert row.text == "People say good morning."


def test_a_reset_summary_stays_reset(town: Town) -> None:
    message = town.says(TEA)
    town.sums_up("One likes green tea.", message)
    row = town.summary()
    assert row is not None
    reset = SummaryReset(
        said=LATER - 1, by=By("person", town.ada), causes=(row.event,), session=SESSION, audience=HERE, era=0,
        upto=message, intent=Intent("reset", saw=Saw(row.text, "summary", "")),
    )  # fmt: skip
    town.world.add(reset)
    town.deletes(message)
    row = town.summary()
    assert row is not None
    assert (row.text, row.upto, row.floor, is_withheld(row)) == ("", message, message, False)
    assert town.tells("green tea") == []


# -- answers -------------------------------------------------------------------------------------------------------


def test_the_answer_to_it_goes_and_one_that_repeats_its_words(town: Town) -> None:
    message = town.says("my garden is behind the mill")
    town.answers(message, "Noted.")
    town.answers(town.says("where?"), "You said: my garden is behind the mill!", message)
    town.answers(town.says("and?"), "There is a mill.", message)
    town.answers(town.says("and then?"), "There is a park.", message)
    events = town.deletes(message)
    gone = [each.policy for each in events if isinstance(each, TurnWithdrawn)]
    assert gone == ["redaction@6 repeating@1 telling@2"] * 3
    assert [found.row.text for found in turns_after(town.rows, SESSION, 0, None)] == ["There is a park."]
    assert town.tells("mill") == []


@pytest.mark.parametrize(
    ("said", "answered", "goes"),
    [
        ("my garden is behind the old mill", "so it is behind the old mill", True),
        ("behind the mill", "It is behind the mill.", True),
        ("no, thanks", "No, thanks to you.", False),
        ("it is tangerine-4711", "Note 4711.", True),
        ("it is called Tangerinemonsoon", "Tangerinemonsoon, I see.", True),
        ("I like tea and coffee", "Tea or coffee, as you like", False),
    ],
)
def test_what_counts_as_repeated(said: str, answered: str, goes: bool) -> None:
    assert repeats(answered, said) == goes
    assert not repeats(answered, said, but=said)


TABLE = (
    ("I am allergic to peanuts", "User is allergic to peanuts."),
    ("I live in Zanzibar", "User lives in Zanzibar."),
    ("My name is Ottokar", "User's name is Ottokar."),
    ("I work at Siemens", "User works at Siemens."),
    ("I prefer tea over coffee", "User prefers tea over coffee."),
    ("I have two dogs", "User has two dogs."),
    ("I am a nurse", "User is a nurse."),
    ("I play the cello", "User plays the cello."),
)
"""What is said plainly, and what is learned from it."""


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize(("said", "learned"), TABLE)
def test_an_answer_that_tells_an_item_goes_with_the_message_it_was_made_of(
    town: Town, said: str, learned: str, elsewhere: bool
) -> None:
    """It has the item's words, and not the message's: where both were before it, and where the item alone was."""
    message = town.learned(learned, said)
    causes = [Point(NOW, town.item(learned).event), *([] if elsewhere else [message])]
    words = learned.split(" ")
    town.answers(town.says("what do you know?"), f"From what I remember:\n- [fact] {learned}", *causes)
    town.answers(town.says("and?"), f"Is it {words[-1].upper()}?", *causes)
    town.answers(town.says("and the time?"), "It is noon, and you live well.", *causes)
    town.deletes(message)
    assert [found.row.text for found in turns_after(town.rows, SESSION, 0, None)] == ["It is noon, and you live well."]
    assert town.tells(words[-1].strip(".")) == []


def test_an_answer_that_tells_an_item_which_stands_stays(town: Town) -> None:
    message = town.learned("User likes green tea.", "is there green tea?")
    town.learned("User likes green tea.", "I like green tea a lot")
    town.answers(town.says("so?"), "User likes green tea.", Point(NOW, town.item("green tea").event))
    town.deletes(message)
    assert [found.row.text for found in turns_after(town.rows, SESSION, 0, None)] == ["User likes green tea."]


def test_an_answer_that_tells_what_an_item_says_no_more_goes(town: Town) -> None:
    """It falls back to what it said before the message came."""
    town.learned("User lives in Paris.", "I live in Paris")
    message = town.says(ROME)
    town.reads([message], {"id": town.item("Paris").item.id, "text": "User lives in Rome.", "evidence": ROME})
    shown = Point(NOW, town.item("Rome").event)
    town.answers(town.says("where do I live?"), "In Rome.", shown)
    town.answers(town.says("and before?"), "In Paris.", shown)
    town.deletes(message)
    assert [found.row.text for found in turns_after(town.rows, SESSION, 0, None)] == ["In Paris."]


PEANUTS, NUTS = "User is allergic to peanuts.", "User bears no nuts."


def reworded(town: Town, message: Point, *others: Point) -> None:
    """An item of a message is put otherwise, by it or by others; answers were given before and since."""
    old = town.item(PEANUTS)
    town.answers(town.says("a snack?"), "Not with peanuts.", Point(NOW, old.event))
    rests = [{"text": NUTS, "id": old.item.id, "evidence": "no nuts for me"}]
    town.reads([*others] or [message], *rests)
    shown = Point(NOW, town.item(NUTS).event)
    town.answers(town.says("a cake?"), "One without nuts.", shown)
    town.answers(town.says("and the time?"), "It is noon.", shown)


def answers(town: Town) -> list[str]:
    return [found.row.text for found in turns_after(town.rows, SESSION, 0, None)]


def test_an_answer_that_tells_what_an_item_said_before_goes_with_it(town: Town) -> None:
    """The row of an item has its last words; the answer had those before them."""
    message = town.learned(PEANUTS, "peanuts: no nuts for me")
    reworded(town, message)
    town.deletes(message)
    assert town.items() == []
    assert answers(town) == ["It is noon."]
    assert town.tells("peanut") == []


def test_an_answer_that_tells_what_an_item_that_stands_said_by_a_message_goes_with_that(town: Town) -> None:
    """What it says now, by another message, may be told."""
    message = town.learned(PEANUTS, "I am allergic to peanuts")
    reworded(town, message, town.says("no nuts for me"))
    town.deletes(message)
    assert town.texts() == [NUTS]
    assert answers(town) == ["One without nuts.", "It is noon."]
    assert town.tells("peanut") == []


@pytest.mark.parametrize("learned_again", [True, False])
def test_an_answer_that_tells_what_an_item_said_before_goes_when_its_message_says_something_else(
    town: Town, learned_again: bool
) -> None:
    message = town.learned(PEANUTS, "peanuts: no nuts for me")
    reworded(town, message)
    town.edits(message, "no wine for me")
    entry = {"text": "User bears no wine.", "id": town.item(NUTS).item.id, "evidence": "no wine for me"}
    town.reads([message], *([entry] if learned_again else []))
    assert answers(town) == ["It is noon."]
    assert town.tells("peanut") == []


def test_where_nobody_looks_into_the_log_an_item_said_what_its_row_says() -> None:
    world = World()
    assert Rows(world.raw, world.ids).event(EventId(bytes(16))) is None
    assert world.rows.event(EventId(bytes(16))) is None


@pytest.mark.parametrize(
    ("item", "answer", "tells"),
    [
        ("User is allergic to peanuts.", "not one peanut", True),
        ("User is allergic to peanuts.", "The user is one to like.", False),
        ("User prefers tea over coffee.", "Tea it is", True),
        ("User's name is Bo.", "Hi, Bo!", True),
        ("User's name is Bo.", "That is Bo's.", True),
        ("User's name is Bo.", "a bow", False),
        ("User is 42.", "at 42", True),
        ("User is 42.", "at 420", False),
        ("User studies at MIT.", "the MIT", True),
        ("Der Nutzer mag keine Erdnüsse mit Salz.", "Der Salat ist mit Nüssen", False),
        ("Der Nutzer mag keine Erdnüsse mit Salz.", "ohne Erdnüsse", True),
        ("User lives in Málaga.", "malaga", True),
        ("用户喜欢绿茶", "给你绿茶", False),
        ("用户喜欢绿茶", "你喜欢绿茶", True),
        ("绿茶", "给你绿茶", True),
        ("User works.", "it works", True),
        ("User works.", "the user is here", False),
        ("It is he.", "so it is he, I see", True),
        ("It is he.", "is it he", False),
        ("User's name is Will.", "Will, good morning", True),
        ("I HATE THE NEW PEOPLE", "Noted, you hate new people.", True),
        ("User said no. Never wants people to call.", "You never want people to call you.", True),
        ("User Hates Calls At Work", "You hate work calls.", True),
        ("User Is Working Now", "You are working now.", True),
        ("User is at Home", "You are at home.", True),
        ("User Likes Will", "Will is nice", True),
        ("User's name is Will.", "I will see. Ask Will's sister", True),
        ("User's name is Will.", "I will see, and so will you", False),
        ("🎉🎉", "So: 🎉🎉!", True),
        ("🎉🎉", "🎉", False),
        ("", "so", False),
    ],
)
def test_what_tells_something_of_an_item(item: str, answer: str, tells: bool) -> None:
    assert telling([item])(answer) == tells
    assert not telling([item], but=f"I say {item}")(answer)
    assert not telling([])(answer)


WILL, DON, HOPE = "User's brother is Will.", "User's boss is Don.", "User's sister is called Hope."
WHO, IT, US, TITLE = "User likes The Who.", "User works in IT.", "User lives in the US.", "User has Now And Then."


@pytest.mark.parametrize(
    ("item", "answer", "tells"),
    [
        (WILL, "It is Will.", True),
        (WILL, "Will is the one.", True),
        (WILL, "They are Will's", True),
        (WILL, "They are the Wills’", True),
        (WILL, "So it is WILL", True),
        (WILL, "Those are will's things.", True),
        (WILL, "D'Will and he", True),
        (WILL, "yes, will likes jazz", True),
        (WILL, "Yes.\nwill likes jazz", True),
        (WILL, "No (not will, I hope).", False),
        (WILL, "I will see.\n- It will rain, and he'll be willing.", False),
        (WILL, "2 of them will.", True),
        (WILL, "It will take 2.", False),
        (DON, "Ask Don", True),
        (DON, "Don'll know", True),
        (DON, "Don't worry, they don't know. Done.", False),
        (HOPE, "Hope is well", True),
        (HOPE, "I hope that helps, and hoped it would", False),
        (WHO, "They like The Who", True),
        (WHO, "They like the who", True),
        (WHO, "Who knows? The one who is there: The user.", False),
        (IT, "You are in IT.", True),
        (IT, "IT is it.", True),
        (IT, "So it is “It”", True),
        (IT, "it is work", True),
        (IT, "It is there, and it's fine. Well: It works. (It may.)", False),
        (US, "They are in the US.", True),
        (US, "Let us see.", False),
        (TITLE, "They have now and then", True),
        (TITLE, "They have it Then", True),
        (TITLE, "They have it now, and again. Now what?", False),
        ("Works at Google.", "Google", True),
        ("Works at Google.", "It works", False),
        ("Der Nutzer wohnt bei Mia.", "Das ist Mia", True),
        ("Der Nutzer wohnt bei Mia.", "La casa mia", False),
        ("User studies at MIT.", "Am MIT", True),
        ("User studies at MIT.", "Komm mit mir", False),
    ],
)
def test_a_name_that_is_an_ordinary_word_is_told_where_it_is_written_as_one(
    item: str, answer: str, tells: bool
) -> None:
    """It takes no answer that has only the word; where case says nothing, it takes rather too many."""
    assert telling([item])(answer) == tells
    assert not telling([item], but=f"I say {item}")(answer)


def test_a_name_that_still_stands_somewhere_as_a_word_alone_is_told() -> None:
    """What is said instead counts as a name only where it is one."""
    assert telling([WILL], but="My brother will come.")("It is Will.")
    assert not telling([WILL], but="My brother is not Will.")("It is Will.")


def test_an_answer_with_a_word_that_is_somebody_s_name_stays_where_nobody_is_told(town: Town) -> None:
    message = town.learned("User's brother is Will.", "Will is my brother")
    shown = Point(NOW, town.item("Will").event)
    town.answers(town.says("is it late?"), "It will be noon.", shown)
    town.answers(town.says("who is it?"), "I think that is Will.", shown)
    town.deletes(message)
    assert [found.row.text for found in turns_after(town.rows, SESSION, 0, None)] == ["It will be noon."]


@pytest.mark.parametrize(
    ("word", "text", "is_said"),
    [
        ("peanut", "Peanuts!", True),
        ("peanut", "pearls", False),
        ("bo", "That is Bo's", True),
        ("42", "at 420", False),
        ("绿茶", "给你绿茶", True),
        ("绿茶", "给你茶", False),
        ("cat", "", False),
    ],
)
def test_what_stands_in_a_text(word: str, text: str, is_said: bool) -> None:
    assert said_in(text)(word) == sayer([word])(text) == is_said


@given(text(), text().map(key))
def test_what_stands_in_a_text_is_what_a_text_says(said: str, word: str) -> None:
    assert said_in(said)(word) == sayer([word])(said)
    assert said_in(f"{said} {word}s")(word) == sayer([word])(f"{said} {word}s")


CALLED = sampled_from(sorted({each for each in (SMALL | FRAME) - PLAIN if len(each) > 1}))
AROUND = lists(sampled_from(["the", "will", "Noon", "it.", "So,", "“Then”", "and"]), max_size=4)


@given(AROUND, CALLED.map(str.capitalize), AROUND)
def test_a_name_is_told_wherever_it_stands_as_it_is_written(before: list[str], name: str, after: list[str]) -> None:
    tells = telling([f"User has {name}."])
    assert tells(" ".join((*before, name, *after)))
    assert tells(" ".join((*before, f"{name}'s", *after)))
    assert tells(" ".join((*before, name, *after)).lower())


TELLING = sampled_from(sorted({"peanut", "Zanzibar", "Ottokar", "coffee", "4711", "Müsli", "зелёный", "緑茶が好き"}))
SAYING = sampled_from(sorted(SMALL | FRAME))


@given(lists(SAYING, max_size=6), TELLING, lists(SAYING, max_size=6))
def test_one_word_that_tells_an_item_is_enough_and_none_that_all_say(
    before: list[str], told: str, after: list[str]
) -> None:
    tells = telling([" ".join((*before, told, *after))])
    assert tells(" ".join((*after, told.upper(), *before)))
    assert not tells(" ".join((*before, *after)))


# -- many at once --------------------------------------------------------------------------------------------------


def test_many_at_once_are_one_redaction(town: Town) -> None:
    tea, rome = town.says(TEA), town.says(ROME)
    town.reads(
        [tea, rome],
        {"text": "User likes green tea.", "evidence": TEA},
        {"text": "User moved to Rome.", "evidence": ROME},
    )
    town.sums_up("Tea, Rome.", tea, rome)
    events = town.deletes(tea, rome, tea)
    redacted = [each for each in events if isinstance(each, MessageRedacted)]
    assert len(redacted) == 1
    assert len(set(redacted[0].events)) == len(redacted[0].events)
    assert [each.heard for each in events if isinstance(each, MessageDeleted)] == [tea.id, rome.id]
    assert sum(isinstance(each, ReplyWithdrawn) for each in events) == 2
    assert town.items() == []
    assert town.tells("Rome") == []


def test_what_rests_on_several_of_them_is_gone_when_all_are(town: Town) -> None:
    tea, rome = town.says(TEA), town.says("green tea!")
    town.reads([tea, rome], {"text": "User likes green tea.", "evidence": [TEA, "green tea!"]})
    town.deletes(tea, rome)
    assert town.items() == []


def test_a_failed_extraction_loses_its_reply_and_is_tried_again(town: Town) -> None:
    from projections.events import ExtractionFailed
    from tests.projections.learning import CALL

    tea, rome = town.says(TEA), town.says(ROME)
    town.world.add(
        ExtractionFailed(
            said=rome.said, by=MODEL, causes=(tea.id, rome.id), owner=town.ada, compartment=HOME, after=None, upto=rome,
            call=CALL, inputs=(tea.id, rome.id), error="no JSON", reply=f"said: {TEA}",
        )
    )  # fmt: skip
    assert was_tried(town.rows, rome.id)
    events = town.deletes(tea)
    (withdrawn,) = [each for each in events if isinstance(each, ReplyWithdrawn)]
    assert (withdrawn.failed, withdrawn.inputs, withdrawn.upto, withdrawn.tried) == (True, (), None, rome)
    assert not was_tried(town.rows, rome.id)
    row = town.rows.get(EXTRACTION_ATTEMPTS, compartment_key(town.ada, HOME))
    assert row is not None
    assert (row.upto, row.error) == (rome, "what it was shown was taken back")
    assert [each.failed for each in calls(town.rows)] == [True]


# -- edits ---------------------------------------------------------------------------------------------------------


def test_an_edit_takes_the_old_words_and_is_read_again(town: Town) -> None:
    message = town.learned("User likes green tea.", TEA)
    town.sums_up("One likes green tea.", message)
    assert was_read(town.rows, message.id)
    town.edits(message, "I like coffee")
    assert not was_read(town.rows, message.id)
    assert town.texts() == ["User likes green tea."]  # until it is read
    assert {"extraction.answered", "summary.answered", "summary.refreshed", "message.heard"}.isdisjoint(
        town.tells("green tea")
    )
    row = town.summary()
    assert row is not None
    assert is_withheld(row)
    where = units_of(town.rows, town.ada)[0]
    assert list(spoken_in(town.rows, town.ada, where)) == [message]


def test_what_the_new_words_do_not_say_goes_with_the_next_extraction(town: Town) -> None:
    message = town.learned("User likes green tea.", TEA)
    town.edits(message, "I like black coffee")
    events = town.reads([message], {"text": "User likes coffee.", "evidence": "I like black coffee"})
    assert "ItemWithdrawn" in kinds(events)
    assert town.texts() == ["User likes coffee."]
    assert town.tells("green tea") == []
    assert was_read(town.rows, message.id)


@pytest.mark.parametrize("is_taken_back", [True, False])
def test_what_became_part_of_an_item_stays_so_when_words_of_the_other_part_are_read_again(
    town: Town, is_taken_back: bool
) -> None:
    older = town.learned("User likes tea.", "I like tea so much")
    town.learned("User likes green Sencha.", "green Sencha is what I like")
    town.merges("likes tea", "Sencha", "User likes tea, green Sencha above all.")
    part = "User likes green Sencha."
    if is_taken_back:
        take_back(town, "User likes tea, green Sencha above all.")
    town.edits(older, "I like black coffee")
    town.reads([older], {"text": "User plays chess.", "evidence": "I like black coffee"})
    assert town.item(part).item.status == "merged"
    assert part not in town.texts()


def test_what_became_part_of_an_item_stays_so_when_that_is_put_in_other_words(town: Town) -> None:
    older = town.learned("User likes tea.", "I like tea so much")
    newer = town.learned("User likes green Sencha.", "green Sencha is what I like")
    town.merges("likes tea", "Sencha", "User likes tea, green Sencha above all.")
    whole = town.item("above all").item.id
    town.edits(older, "I like coffee")
    told = {"id": whole, "text": "User likes Sencha.", "evidence": "green Sencha is what I like"}
    town.reads([older, newer], told)
    assert town.texts() == ["User likes Sencha."]
    assert town.item("User likes green Sencha.").item.status == "merged"


def test_what_became_part_of_an_item_and_is_learned_again_is_there_again(town: Town) -> None:
    older = town.learned("User likes tea.", "I like tea so much")
    newer = town.learned("User likes green Sencha.", "green Sencha is what I like")
    town.merges("likes tea", "Sencha", "User likes tea, green Sencha above all.")
    town.edits(older, "I like coffee")
    town.reads([older, newer], {"text": "User likes green Sencha.", "evidence": "green Sencha is what I like"})
    assert town.item("User likes green Sencha.").item.status == "active"


@pytest.mark.parametrize("learned_again", ["User lives in Rome.", None])
def test_what_answers_tell_of_items_that_the_new_words_do_not_say_goes_with_it(
    town: Town, learned_again: str | None
) -> None:
    """Whether the item goes, or says something else from then on."""
    message = town.learned("User lives in Zanzibar.", "I live in Zanzibar")
    row = town.item("Zanzibar")
    for answer in ("Zanzibar it is.", "So you live well."):
        town.answers(town.says("where?"), answer, Point(NOW, row.event))
    town.edits(message, "I live in Rome")
    entry = {"id": row.item.id, "text": learned_again, "evidence": "I live in Rome"}
    town.reads([message], *([entry] if learned_again else []))
    assert [found.row.text for found in turns_after(town.rows, SESSION, 0, None)] == ["So you live well."]
    assert town.tells("zanzibar") == []


@pytest.mark.parametrize("lore", [False, True])
def test_what_answers_tell_of_items_that_the_new_words_say_too_stays(town: Town, lore: bool) -> None:
    message = town.says("our raid night is Friday")
    entry = {"text": "Raid night is Friday.", "evidence": "our raid night is Friday"}
    entry |= {"about": "guild"} if lore else {}
    town.reads([message], entry)
    town.answers(town.says("when?"), "On Friday.", Point(NOW, town.item("Friday").event))
    town.edits(message, "Friday: raid night")
    town.reads([message], entry | {"evidence": "Friday: raid night"})
    assert [found.row.text for found in turns_after(town.rows, SESSION, 0, None)] == ["On Friday."]


def test_what_they_still_say_is_confirmed_and_rests_on_them(town: Town) -> None:
    message = town.learned("User likes green tea.", TEA)
    town.edits(message, "Green tea: I like it!")
    events = town.reads([message], {"text": "User likes green tea.", "evidence": "Green tea: I like it!"})
    assert kinds(events) == ["ExtractionAnswered", "ItemUpserted", "MessageRedacted"]
    assert [each.quote for each in town.item("green tea").item.evidence] == ["Green tea: I like it!"]
    assert TEA not in repr([each.event for each in town.readable()])


def test_what_was_quoted_and_still_stands_there_is_let_be(town: Town) -> None:
    message = town.learned("User likes green tea.", TEA)
    before = town.item("green tea")
    town.edits(message, f"Today {TEA}, oh yes")
    events = town.reads([message])
    assert kinds(events) == ["ExtractionAnswered"]
    assert town.item("green tea") == before


def test_what_is_kept_stands_when_its_message_says_something_else(town: Town) -> None:
    message = town.says(TEA)
    keep(town, "User likes green tea.", message)
    town.edits(message, "I like black coffee")
    events = town.reads([message])
    assert "ItemRedacted" in kinds(events)
    assert town.item("green tea").item.evidence == ()
    assert TEA not in repr([each.event for each in town.readable()])


def test_what_was_ended_in_the_same_reply_rests_on_the_old_words_no_more(town: Town) -> None:
    message = town.learned("User likes green tea.", TEA)
    town.edits(message, "I like black coffee")
    town.reads([message], gone=[{"id": town.item("green tea").item.id}])
    row = town.item("green tea")
    assert (row.item.status, row.item.evidence) == ("deprecated", ())
    assert TEA not in repr([each.event for each in town.readable()])


@pytest.mark.parametrize("still", [True, False])
def test_lore_rests_on_the_new_words_or_goes(town: Town, still: bool) -> None:
    message = town.says("our raid night is Friday")
    lore = {"text": "Raid night is Friday.", "about": "guild", "evidence": "our raid night is Friday"}
    town.reads([message], lore)
    town.edits(message, "Friday is raid night" if still else "our raid is off")
    town.reads([message], *([lore | {"evidence": "Friday is raid night"}] if still else []))
    assert [row.item.text for row in town.items()] == (["Raid night is Friday."] if still else [])
    assert town.tells("our raid night") == []


def test_an_edit_that_changes_no_word_takes_nothing(town: Town) -> None:
    message = town.learned("User likes green tea.", TEA)
    assert kinds(town.edits(message, TEA)) == ["MessageEdited"]
    assert was_read(town.rows, message.id)


def test_a_second_edit_takes_the_first(town: Town) -> None:
    message = town.says(TEA)
    town.edits(message, "I like coffee")
    town.edits(message, "I like water", after=900)
    row = town.message(message)
    assert row is not None
    assert row.message.text == "I like water"
    assert (town.tells("coffee"), town.tells("green tea")) == ([], [])
    town.deletes(message)
    assert town.tells("water") == []
    assert town.edits(message, "I like milk", after=1900) == []


def test_an_answer_that_repeats_what_is_still_said_stays(town: Town) -> None:
    message = town.says("my garden is behind the mill, you now")
    town.answers(message, "You say: my garden is behind the mill.")
    events = town.edits(message, "my garden is behind the mill, you know")
    assert not any(isinstance(each, TurnWithdrawn) for each in events)
    assert any(isinstance(each, TurnWithdrawn) for each in town.edits(message, "never mind", after=900))


# -- while a model was thinking --------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["deletes", "edits"])
def test_what_is_taken_back_while_a_model_reads_it_is_not_learned(town: Town, how: str) -> None:
    message = town.says(TEA)
    work, request = town.extraction([message], {"text": "User likes green tea.", "evidence": TEA})
    if how == "deletes":
        town.deletes(message)
    else:
        town.edits(message, "I like coffee")
    events = town.learns(work, request)
    assert kinds(events) == ["ExtractionFailed"]
    assert town.items() == []
    assert town.tells("green tea") == []
    assert [each.cost_micros for each in calls(town.rows)] == [45]
    assert not was_read(town.rows, message.id)


def test_nor_is_it_summed_up(town: Town) -> None:
    message = town.says(TEA)
    town.deletes(message)
    events = town.sums_up("One likes green tea.", message, shown=(message.id,))
    assert kinds(events) == ["SummaryAnswered"]
    assert town.tells("green tea") == []
    assert town.summary() is None


def test_an_edited_message_is_read_as_it_is_now(town: Town) -> None:
    message = town.says(TEA)
    town.edits(message, "I like coffee")
    events = town.reads([message], {"text": "User likes coffee.", "evidence": "I like coffee"})
    assert kinds(events) == ["ExtractionAnswered", "ItemUpserted"]


def test_an_item_that_goes_while_it_is_merged_is_not_merged(town: Town) -> None:
    town.learned("User likes tea.", "I like tea so much")
    message = town.learned("User likes green Sencha.", "green Sencha is what I like")
    one, other = town.item("likes tea"), town.item("Sencha")
    town.deletes(message)
    from projections.decisions.work import WorkRequest, record_work
    from projections.events import MergeFailed
    from tests.projections.learning import CALL

    late = MergeFailed(
        said=LATER, by=MODEL, causes=(one.event, other.event), owner=town.ada, compartment=HOME, after=None,
        upto=Point(other.said, other.event), call=CALL, inputs=(one.event, other.event), error="changed",
        reply="green Sencha above all",
    )  # fmt: skip
    (draft,) = record_work(town.rows, WorkRequest(late, origin("late")))
    assert isinstance(draft.event, MergeFailed)
    assert draft.event.reply == ""


def test_what_an_answer_repeats_of_what_was_taken_back_leaves_as_it_is_given(town: Town) -> None:
    message = town.learned("User likes green tea.", TEA)
    take_back(town, "User likes green tea.")
    assert is_quiet(town.rows, message.id)
    later = town.answers(town.says("what is it I like?"), "Green tea!", message)
    assert is_quiet(town.rows, later)
    assert not is_quiet(town.rows, town.answers(town.says("and what is the time?"), "It is noon."))
