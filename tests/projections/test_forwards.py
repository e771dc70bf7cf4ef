"""What somebody forwards is another's: it is heard where it stands, and goes with it, wherever it was shown again."""

from typing import Any

import pytest

from projections.decisions.delete import DeletedRequest, delete_all
from projections.decisions.forwards import Forwarded
from projections.decisions.hear import hear, takes_back
from projections.decisions.meet import Account
from projections.decisions.withdraw import WithdrawRequest
from projections.events import (
    Event,
    ItemForgotten,
    MessageEdited,
    MessageHeard,
    PersonOptedIn,
    PersonOptedOut,
    SummaryWithheld,
    TurnDelivered,
)
from projections.events.values import FORWARDED, PLATFORM, Attachment, Item, Message, Source
from projections.ids import NOBODY, EventId, Point, Ref
from projections.items import QUIET
from projections.messages import find_message
from tests.projections.learning import ADA, GENERAL, HERE, LATER, SELF, SESSION, Town
from tests.world import NOW

KIM = Account("discord", "200", "Kim")
HALL = GENERAL._replace(key="8", name="hall")
WORDS = "the beehive stands in the pear orchard"
FILE = Attachment("beehive.png", 5)


@pytest.fixture
def town() -> Town:
    return Town()


def forwards(town: Town, of: Point, words: str = WORDS, **more: Any) -> Point:
    """Kim shows again what was said here."""
    forwarded = Forwarded(Ref("discord", str((of.said - NOW) // 1000)), of.said, HERE.place)
    files = (Attachment(FORWARDED, caption=words), FILE)
    return town.says("", KIM, **{"forwards": forwarded, "attachments": files} | more)


def message(town: Town, point: Point, session: str = SESSION) -> Message | None:
    found = find_message(town.rows, session, 0, point)
    return None if found is None else found.row.message


def shown(town: Town, point: Point) -> tuple[Attachment, ...]:
    found = message(town, point)
    assert found is not None
    return found.attachments


def causes(town: Town, point: Point) -> tuple[EventId, ...]:
    event = town.rows.event(point.id)
    assert isinstance(event, MessageHeard)
    return event.causes


WHOLE = (Attachment(FORWARDED, caption=WORDS), FILE)
BARE = (Attachment(FORWARDED),)


def opts_out(town: Town, who: Account, kind: type[PersonOptedOut | PersonOptedIn] = PersonOptedOut) -> None:
    town.world.add(kind(said=NOW, by=PLATFORM, hashes=(town.rows.ids.keyed_hash(who.platform, who.id),)))


def test_a_forward_rests_on_what_it_forwards_and_nothing_else_that_people_say_does(town: Town) -> None:
    said = town.says(WORDS)
    forward, reply = forwards(town, said), town.says("oh", KIM, reply_to=Ref("discord", "1"), reply_said=said.said)
    assert shown(town, forward) == WHOLE
    assert (causes(town, forward), causes(town, reply)) == ((said.id,), ())


def test_it_goes_with_it_wherever_it_stands_and_what_forwards_it_in_turn(town: Town) -> None:
    said, other = town.says(WORDS), town.says("the compost is full")
    first, beside = forwards(town, said), forwards(town, other, "the compost is full")
    second, elsewhere = forwards(town, first), forwards(town, said, place=HALL)
    town.sums_up("A beehive came up.", second)
    assert message(town, elsewhere, "discord:channel:8") is not None
    events = town.deletes(said)
    assert [message(town, each) for each in (said, first, second)] == [None] * 3
    assert message(town, elsewhere, "discord:channel:8") is None
    assert shown(town, beside) != BARE
    assert [type(each) for each in events].count(SummaryWithheld) == 1
    assert town.tells("beehive stands") == []


def test_one_that_was_deleted_before_is_not_looked_for_again(town: Town) -> None:
    said = town.says(WORDS)
    first, second = forwards(town, said), forwards(town, said)
    town.deletes(first)
    assert (message(town, first), shown(town, second)) == (None, WHOLE)
    town.deletes(said)
    assert message(town, second) is None


def test_an_edit_takes_it_along_and_the_message_stands(town: Town) -> None:
    said = town.says(WORDS)
    forward = forwards(town, said)
    town.edits(said, "it stands elsewhere", after=2500)
    found = message(town, said)
    assert found is not None
    assert (found.text, message(town, forward)) == ("it stands elsewhere", None)
    town.count += 3  # later
    late = forwards(town, said, "it stands elsewhere")
    assert shown(town, late)[0].caption == "it stands elsewhere"
    town.deletes(said)
    assert message(town, late) is None


def test_an_edit_that_changes_no_words_takes_nothing_along(town: Town) -> None:
    said = town.says(WORDS)
    forward = forwards(town, said)
    town.edits(said, WORDS, after=2500)
    assert shown(town, forward) == WHOLE


def test_what_it_said_before_it_was_edited_is_not_heard(town: Town) -> None:
    said = town.says(WORDS)
    town.edits(said, "it stands elsewhere", after=5000)
    assert shown(town, forwards(town, said)) == BARE


def test_what_was_deleted_is_not_heard_again_nor_what_forwards_it(town: Town) -> None:
    said = town.says(WORDS)
    town.deletes(said)
    forward = forwards(town, said)
    assert (shown(town, forward), causes(town, forward)) == (BARE, ())
    assert shown(town, forwards(town, forward)) == BARE, "it had lost its words: they come back by no other"


def test_what_was_erased_is_not_heard_again(town: Town) -> None:
    said = town.says(WORDS)
    town.world.ids.seen[said.id] = "erased"
    assert shown(town, forwards(town, said)) == BARE


def test_what_somebody_said_who_opted_out_is_not_heard_again_until_they_opt_in(town: Town) -> None:
    said = town.says(WORDS)
    opts_out(town, ADA)
    assert shown(town, forwards(town, said)) == BARE
    opts_out(town, ADA, PersonOptedIn)
    assert shown(town, forwards(town, said)) == WHOLE


def test_what_was_not_heard_where_the_rest_is_shows_nothing(town: Town) -> None:
    town.says("hello")
    opts_out(town, ADA)
    unheard = town.says(WORDS)
    assert message(town, unheard) is None
    assert shown(town, forwards(town, unheard)) == BARE


@pytest.mark.parametrize("is_heard", [True, False])
def test_what_stands_where_nothing_was_heard_is_shown_unless_all_is_heard_there(town: Town, is_heard: bool) -> None:
    elsewhere = Forwarded(Ref("discord", "500"), NOW, Ref("discord", "31"), is_heard)
    forward = town.says("", KIM, attachments=WHOLE, forwards=elsewhere)
    assert shown(town, forward) == (BARE if is_heard else WHOLE)
    assert causes(town, forward) == ()


def test_files_of_ones_own_stay(town: Town) -> None:
    own = Attachment("mine.png", 3)
    unheard = Point(NOW, EventId(bytes(16)))
    town.says("hello")
    assert shown(town, forwards(town, unheard, attachments=(own, *WHOLE))) == (own, *BARE)


def answered(town: Town) -> tuple[Point, EventId]:
    """A question, and an answer that arrived as the message 900."""
    question = town.says("where is the beehive?")
    turn = town.answers(question, WORDS)
    arrived = TurnDelivered(
        said=question.said + 2, by=PLATFORM, causes=(turn,), turn=turn, session=SESSION, audience=HERE,
        messages=(Ref("discord", "900"),), asker=town.ada, era=0,
    )  # fmt: skip
    town.world.add(arrived)
    return question, turn


def test_what_forwards_an_answer_goes_with_it_and_comes_back_by_no_other(town: Town) -> None:
    question, turn = answered(town)
    answer = Forwarded(Ref("discord", "900"), question.said + 2, HERE.place)
    forward = forwards(town, question, forwards=answer)
    assert (shown(town, forward), causes(town, forward)) == (WHOLE, (turn,))
    withdrawn = WithdrawRequest("discord", ("900",), SESSION, LATER)
    for draft in delete_all(town.rows, [], withdrawn):
        town.world.record(draft)
    assert message(town, forward) is None
    assert shown(town, forwards(town, question, forwards=answer)) == BARE


def test_what_forwards_an_answer_goes_with_its_question(town: Town) -> None:
    question, _ = answered(town)
    forward = forwards(town, question, forwards=Forwarded(Ref("discord", "900"), question.said + 2, HERE.place))
    town.deletes(question)
    assert message(town, forward) is None
    assert town.tells("pear orchard") == []


def test_an_answer_that_repeats_a_forward_goes_with_what_that_forwards(town: Town) -> None:
    said = town.says(WORDS)
    forward = forwards(town, said, place=HALL)
    question = town.says("what of that?", KIM)
    town.answers(question, f"I see: {WORDS}.", forward)
    town.deletes(said)
    assert town.tells("pear orchard") == []


def test_the_assistant_s_own_forward_in_an_import_goes_with_it_too(town: Town) -> None:
    said = town.says(WORDS, place=HALL)
    forwarded = Forwarded(Ref("discord", "1"), said.said, Ref("discord", "8"))
    forward = town.says("", SELF, attachments=WHOLE, forwards=forwarded)
    assert causes(town, forward) == (said.id,)
    gone = DeletedRequest("discord", "1", "discord:channel:8", said.said, LATER)
    for draft in delete_all(town.rows, [gone]):
        town.world.record(draft)
    assert message(town, forward) is None


def test_a_forward_that_was_edited_is_found_by_its_first_words_and_goes(town: Town) -> None:
    said = town.says(WORDS)
    forward = forwards(town, said)
    edit = town._request(2, "look", KIM, attachments=WHOLE, edited=forward.said + 1)
    assert [type(each) for each in events_of(town, edit)][:1] == [MessageEdited]
    assert isinstance(town.rows.event(forward.id), MessageHeard | None)
    assert shown(town, forward) == WHOLE
    town.deletes(said)
    assert message(town, forward) is None


def events_of(town: Town, request: Any) -> list[Event]:
    return town.world.decide(hear, request)


def test_whoever_opted_out_takes_nothing_back_by_a_forward_that_is_as_it_was(town: Town) -> None:
    said = town.says(WORDS)
    town.deletes(said)
    forward = forwards(town, said)
    opts_out(town, KIM)
    again = town._request(
        2, "", KIM, attachments=WHOLE, edited=forward.said + 1,
        forwards=Forwarded(Ref("discord", "1"), said.said, HERE.place),
    )  # fmt: skip
    assert not takes_back(town.rows, again)
    assert events_of(town, again) == []
    assert shown(town, forward) == BARE


def test_what_somebody_says_with_a_forward_of_what_was_forgotten_is_theirs(town: Town) -> None:
    said = town.says(WORDS)
    item = Item("durable-1", NOBODY, "guild/discord:9", "fact", WORDS, NOW, NOW, Source("model"), "forgotten")
    town.world.add(ItemForgotten(said=NOW, by=PLATFORM, item=item, quiet=(said.id,)))
    forwarded = Forwarded(Ref("discord", str((said.said - NOW) // 1000)), said.said, HERE.place)
    forward = town.says("the beehive, look", KIM, forwards=forwarded, attachments=WHOLE)
    assert causes(town, forward) == (said.id,)
    assert [each.key for each in town.rows.scan(QUIET)] == [said.id]
