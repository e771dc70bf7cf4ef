"""Relevant past conversations: what is found stands in the prompt with what was said around it, and nothing twice."""

from typing import Any

import msgspec
import pytest

from projections.blocks import Basis
from projections.context import Context, Request, assemble
from projections.decisions.answer import AnswerRequest, answer
from projections.events import MessageHeard, SummaryRefreshed, TurnAnswered, TurnDelivered
from projections.events.values import PLATFORM, Attachment, LeftOut, Limits, ModelUse, Span
from projections.gathering import NEAR, Gathering
from projections.ids import NOBODY, SNOWFLAKE_EPOCH_MS, EventId, Handle, Point, Ref
from projections.policies.summed_up import VERSION
from projections.retrieval import Vocabulary
from tests.projections.recall.house import ADA, GUILD, KIM, MODEL, House, own_place, ref, rests_on, session
from tests.projections.recall.stage import HOUR, kept
from tests.world import NOW, handle

CALL = ModelUse("offline", "1")
PAST = Limits(history_messages=2, passages=5, passage_chars=2000, scoring="recall")
WORDS = Vocabulary(frozenset({"and", "what", "the"}), frozenset(), frozenset({"yeah", "okay"}))
LATER = EventId(b"\xff" * 16)


@pytest.fixture
def house() -> House:
    """An open channel, one more, one for few, and direct messages."""
    house = House()
    house.describe("1")
    house.describe("2")
    house.describe("staff", "channel")
    house.describe_direct(ADA)
    house.name(ADA, "Ada")
    house.name(KIM, "Kim")
    return house


def asked(house: House, text: str, place: str = "1", limits: Limits = PAST, person: Handle = ADA) -> Request:
    """Somebody asks in a place, after everything that was said."""
    return Request(
        setting=house.setting(place, person),
        session=session(place),
        point=Point(house.said + 1000, LATER),
        assistant="dnam",
        vocabulary=WORDS,
        text=text,
        limits=limits,
    )


def prompt(house: House, text: str, place: str = "1", **limits: Any) -> Context:
    """The prompt; the same where what was said is kept ready to be searched."""
    request = asked(house, text, place, msgspec.structs.replace(PAST, **limits))
    context = assemble(house.rows, request)
    assert assemble(kept(house.world), request) == context
    return context


def past(context: Context) -> str:
    return next((block.body for block in context.blocks if block.name == "past"), "")


def chatter(house: House, place: str = "1", count: int = 2, after: int = 30 * HOUR) -> None:
    """It is another day, and so much is said that what came before is out of the window."""
    for number in range(count):
        house.say(place, f"nothing much {number}", KIM, after=after if number == 0 else 1000)


def boiler(house: House, place: str = "1") -> list[EventId]:
    """A conversation of some days ago."""
    talk = ["good day", "how are you", "the boiler leaks again", "call the plumber", "she is good", "bye now"]
    return [house.say(place, text, (ADA, KIM)[number % 2]) for number, text in enumerate(talk)]


def test_what_is_found_stands_there_with_what_was_said_around_it_its_day_and_its_link(house: House) -> None:
    boiler(house)
    chatter(house)
    number = NOW + 3000
    assert past(prompt(house, "who can mend the boiler?")) == (
        f"- 2023-11-14 https://discord.com/channels/9/1/{number}\n"
        "[Ada]: good day\n[Kim]: how are you\n[Ada]: the boiler leaks again\n[Kim]: call the plumber\n"
        "[Ada]: she is good"
    )


@pytest.mark.parametrize("text", ["what happened on 14 November 2023?", "what did Ada do on November 14?"])
def test_a_day_that_is_named_is_found_without_a_word_of_it(house: House, text: str) -> None:
    house.say("1", "we went climbing at the quarry", ADA)
    chatter(house)
    assert "[Ada]: we went climbing at the quarry" in past(prompt(house, text))


def test_the_title_is_as_it_is_called(house: House) -> None:
    boiler(house)
    chatter(house)
    assert "\n\n---\nRelevant past conversations:\n- 2023-11-14 " in f"\n\n---\n{prompt(house, 'the boiler?').text}"


def test_every_line_rests_on_what_it_says_and_is_a_cause(house: House) -> None:
    ids = boiler(house)
    chatter(house)
    context = prompt(house, "the boiler?")
    (block,) = (each for each in context.blocks if each.name == "past")
    seqs = {each.id: each.seq for each in house.world.records}
    shown = ids[: 2 * NEAR + 1]
    assert [line.basis for line in block.lines] == [
        Basis("message", ids[2], seqs[ids[2]]), *(Basis("message", each, seqs[each]) for each in shown)
    ]  # fmt: skip
    assert set(shown) <= set(context.causes)
    assert ids[5] not in context.causes
    assert [(use.session, use.epoch, use.said, use.id) for use in context.passages] == [
        (session("1"), 0, NOW + 3000, ids[2])
    ]


def test_nothing_of_the_window_nor_the_message_stands_there_twice(house: House) -> None:
    house.say("1", "the boiler leaks", ADA)
    house.say("1", "which boiler?", KIM)
    message = house.message("1", "the boiler in the cellar")
    house.world.add(MessageHeard(said=message.said, by=PLATFORM, message=message))
    point = Point(house.said, house.world.records[-1].id)
    context = assemble(house.rows, asked(house, "")._replace(point=point))
    assert past(context) == ""
    assert context.text.count("which boiler?") == 1


def test_what_more_speaks_against_than_for_has_the_word_and_is_not_taken(house: House) -> None:
    house.say("1", "hello")
    for _ in range(100):
        house.say("1", "which boiler?", KIM)
    assert past(assemble(house.rows, asked(house, "the boiler"))) == ""


def replying(house: House, text: str) -> Context:
    """The prompt of a reply to what Kim said of the boiler some days ago."""
    first = house.message("1", text, KIM)
    first = msgspec.structs.replace(first, ref=Ref("discord", str((first.said - SNOWFLAKE_EPOCH_MS) << 22)))
    house.world.add(MessageHeard(said=first.said, by=PLATFORM, message=first))
    chatter(house)
    reply = msgspec.structs.replace(house.message("1", "does the boiler leak?"), reply_to=first.ref)
    house.world.add(MessageHeard(said=reply.said, by=PLATFORM, message=reply))
    point = Point(house.said, house.world.records[-1].id)
    return assemble(house.rows, asked(house, "")._replace(point=point))


def test_what_is_quoted_whole_above_the_message_is_not_found_again(house: House) -> None:
    house.say("1", "is the boiler well?")
    context = replying(house, "the boiler leaks again")
    assert "Replied-to message:\n[Kim]: the boiler leaks again\n" in context.text
    assert past(context).endswith("[Ada]: is the boiler well?")
    assert context.text.count("the boiler leaks again") == 1


def test_of_what_the_quote_leaves_out_a_part_all_is_found(house: House) -> None:
    whole = f"the boiler leaks again{' and again' * 30}, in the cellar"
    context = replying(house, whole)
    assert [each.block for each in context.left_out if each.block == "replied"] == ["replied"]
    assert past(context).endswith(f"[Kim]: {whole}")


def test_what_is_said_after_the_message_is_not_there(house: House) -> None:
    house.say("1", "the boiler leaks", ADA)
    chatter(house)
    request = asked(house, "the boiler?")
    house.say("2", "my boiler is new", KIM, after=HOUR)
    assert "leaks" in past(assemble(house.rows, request))
    assert "new" not in past(assemble(house.rows, request))


def test_a_sitting_ends_with_a_long_silence(house: House) -> None:
    house.say("1", "see you")
    house.say("1", "the boiler leaks", after=7 * HOUR)
    house.say("1", "hello", after=7 * HOUR)
    chatter(house)
    assert past(prompt(house, "the boiler?")).split("\n")[1:] == ["[Ada]: the boiler leaks"]


def test_passages_that_touch_are_one(house: House) -> None:
    house.say("1", "the boiler leaks")
    for number in range(2 * NEAR):
        house.say("1", f"well {number}", KIM)
    house.say("1", "a new boiler is dear")
    chatter(house)
    context = prompt(house, "which boiler?")
    assert len(context.past) == 1
    assert sorted(use.said for use in context.passages) == [NOW + 1000, NOW + 6000]
    assert past(context).count("\n") == 2 * NEAR + 2


def test_what_lies_between_two_of_them_joins_all_three(house: House) -> None:
    house.say("1", "boiler boiler boiler")
    for number in range(2 * NEAR + 1):
        house.say("1", "any boiler" if number == NEAR else f"well {number}", KIM)
    house.say("1", "boiler boiler boiler boiler")
    chatter(house)
    context = prompt(house, "boiler?")
    assert len(context.past) == 1
    assert len(context.passages) == 3


def test_passages_stand_oldest_first_and_are_kept_best_first(house: House) -> None:
    house.say("1", "the boiler is a big thing and it stands in the cellar since we moved in")
    house.say("2", "boiler leaks: boiler!", after=30 * HOUR)
    chatter(house, "1")
    context = prompt(house, "which boiler leaks?")
    assert [line.text for line in context.blocks[0].lines if line.text.startswith("- ")] == [
        f"- 2023-11-14 https://discord.com/channels/9/1/{NOW + 1000}",
        f"- 2023-11-16 https://discord.com/channels/9/2/{NOW + 1000 + 30 * HOUR}",
    ]
    assert [use.session for use in context.passages] == [session("2"), session("1")]


def test_no_more_passages_than_the_limit_and_none_where_there_are_to_be_none(house: House) -> None:
    for place in ("1", "2", "staff"):
        house.say(place, "the boiler leaks")
    chatter(house, "staff")
    for most in (0, 1, 2, 5):
        assert len(prompt(house, "boiler?", "staff", passages=most).past) == min(most, 3)


def test_what_is_beside_a_passage_but_of_another_sitting_is_one_too_many(house: House) -> None:
    house.say("1", "the boiler leaks, the boiler drips")
    house.say("1", "the boiler is old", after=7 * HOUR)
    chatter(house)
    assert past(prompt(house, "boiler?", passages=2)).count("boiler is old") == 1
    context = prompt(house, "boiler?", passages=1)
    assert past(context).split("\n")[1:] == ["[Ada]: the boiler leaks, the boiler drips"]
    assert [each.block for each in context.left_out] == ["recent"]


def test_what_does_not_fit_is_tried_alone_and_else_left_out(house: House) -> None:
    ids = boiler(house)
    chatter(house)
    whole = past(prompt(house, "boiler?"))
    alone = f"- 2023-11-14 https://discord.com/channels/9/1/{NOW + 3000}\n[Ada]: the boiler leaks again"
    assert past(prompt(house, "boiler?", passage_chars=len(whole))) == whole
    assert past(prompt(house, "boiler?", passage_chars=len(whole) - 1)) == alone
    assert past(prompt(house, "boiler?", passage_chars=len(alone))) == alone
    context = prompt(house, "boiler?", passage_chars=len(alone) - 1)
    assert past(context) == ""
    assert context.left_out == (
        LeftOut("past", ids[2].hex(), f"over {len(alone) - 1} characters"),
        LeftOut("recent", "what was said earlier", "over 2 messages"),
    )


@pytest.mark.parametrize("chars", [*range(60, 150, 7), 200, 400, 2_000])
def test_what_is_left_out_before_what_stands_around_it_is_read_is_what_would_not_have_fitted(
    house: House, monkeypatch: pytest.MonkeyPatch, chars: int
) -> None:
    for day in range(4):
        boiler(house)
        house.say("1", f"the boiler of day {day} is old", KIM, attachments=(Attachment("old.png"),) * (day % 2))
        chatter(house)
    early = prompt(house, "boiler?", passage_chars=chars)
    monkeypatch.setattr(Gathering, "fits", lambda *_: True)
    assert prompt(house, "boiler?", passage_chars=chars) == early


def test_what_left_recall_is_neither_found_nor_around_it(house: House) -> None:
    ids = boiler(house)
    chatter(house)
    item = house.know("calls the plumber", f"guild/{ref('9')}")
    house.forget(item, ids[3])
    assert "plumber" not in past(prompt(house, "boiler?"))
    assert "she is good" in past(prompt(house, "boiler?"))
    house.forget(item, ids[2], ids[3])
    assert "boiler" not in past(prompt(house, "boiler?"))


def test_files_alone_are_around_it_and_empty_answers_are_not(house: House) -> None:
    house.say("1", "the boiler leaks")
    house.answer("1", " ")
    chatter(house)
    assert past(prompt(house, "boiler?")).split("\n")[1:] == ["[Ada]: the boiler leaks"]


# -- the assistant's own words ----------------------------------------------------------------------------------------


def new_era(house: House, place: str, era: int) -> None:
    house.world.add(
        SummaryRefreshed(
            said=house.said, by=MODEL, session=session(place), audience=house.audience(place), era=era, text="Much.",
            refresh=1, after=None, upto=Point(house.said, LATER), covered=1, call=CALL,
        )
    )  # fmt: skip


def sum_up(house: House, text: str, floor: Point | None = None) -> None:
    refreshed = SummaryRefreshed(
        said=house.said, by=MODEL, session=session("1"), audience=house.audience("1"), era=0, text=text, refresh=1,
        after=None, upto=Point(house.said, LATER), covered=1, call=CALL, floor=floor,
    )  # fmt: skip
    house.world.add(refreshed)


def test_what_the_summary_says_word_for_word_does_not_stand_there_again(house: House) -> None:
    boiler(house)
    house.say("1", "a boiler is no kettle", KIM, after=9 * HOUR)
    house.say("1", "the boiler  leaks, again", ADA, spans=(Span(0, KIM),))
    sum_up(house, "Ada: The boiler leaks - again!\nKim: how are you? Bye now.")
    chatter(house)
    told = past(prompt(house, "who mends the boiler?"))
    assert "[Ada]: the boiler leaks again" not in told
    assert "a boiler is no kettle" in told
    assert "the boiler  leaks, again" in told
    assert past(prompt(house, "plumber?")).splitlines()[1:] == [
        "[Ada]: good day", "[Kim]: call the plumber", "[Ada]: she is good", "[Kim]: bye now"
    ]  # fmt: skip


def test_what_the_summary_says_in_sentences_apart_does_not_stand_there_again(house: House) -> None:
    house.say("1", "I mend boilers on Mondays.  Yes.\nThe boiler in the hall leaks!", KIM)
    house.say("1", "I mend boilers on Mondays. The boiler upstairs leaks", ADA, after=9 * HOUR)
    sum_up(house, "Kim: The boiler in the hall leaks\nKim: I mend boilers on Mondays.")
    chatter(house)
    assert past(prompt(house, "boiler leaks?")).splitlines()[1:] == [
        "[Ada]: I mend boilers on Mondays. The boiler upstairs leaks"
    ]


HIVES = "I keep three bee hives in the garden"
RETOLD = "Ada has news. She keeps three bee hives in her garden, says dnam."


def test_what_the_summary_tells_again_does_not_stand_there_and_that_is_noted(house: House) -> None:
    hives = house.say("1", HIVES, ADA)
    house.say("1", "hives need shade", KIM, after=9 * HOUR)
    sum_up(house, RETOLD)
    chatter(house)
    context = prompt(house, "where are the hives?")
    assert past(context).splitlines()[1:] == ["[Kim]: hives need shade"]
    assert LeftOut("past", hives.hex(), "the summary has it") in context.left_out
    assert hives not in context.causes
    assert context.policy.split()[-1] == VERSION
    assert VERSION not in prompt(house, "where are the hives?", passages=0).policy
    assert VERSION not in prompt(house, "where are the hives?", place="2").policy


def test_nor_does_it_around_what_is_found(house: House) -> None:
    house.say("1", HIVES, ADA)
    house.say("1", "the wasps are a pest", KIM)
    sum_up(house, RETOLD)
    chatter(house)
    context = prompt(house, "wasps?")
    assert past(context).splitlines()[1:] == ["[Kim]: the wasps are a pest"]
    assert all(each.block != "past" for each in context.left_out)


def test_what_the_summary_does_not_cover_stands_there_though_it_says_the_like(house: House) -> None:
    house.say("1", HIVES, ADA)
    floor = Point(house.said, LATER)
    house.say("2", HIVES, ADA, after=9 * HOUR)
    sum_up(house, RETOLD, floor)
    house.say("1", HIVES, ADA, after=9 * HOUR)
    chatter(house)
    assert past(prompt(house, "where are the hives?")).count(f"[Ada]: {HIVES}") == 3


def test_whose_words_the_summary_tells_again_is_known_by_their_name(house: House) -> None:
    zoe = handle("zoe")
    house.say("1", HIVES, KIM)
    house.say("1", HIVES, zoe, after=9 * HOUR)
    house.say("1", HIVES, NOBODY, after=9 * HOUR)
    house.answer("1", "I keep three bee hives in the garden, and more", ADA)
    sum_up(house, "someone keeps three bee hives in the garden.\ndnam keeps three bee hives in the garden and more.")
    chatter(house)
    told = past(prompt(house, "where are the hives?"))
    assert told.count(HIVES) == 3
    assert "[dnam]" not in told


def test_what_is_a_part_of_other_words_of_the_summary_stands_there(house: House) -> None:
    house.say("1", "art boils in pots", KIM)
    sum_up(house, "Smart boils in pots.")
    chatter(house)
    assert "art boils in pots" in past(prompt(house, "boil?"))


def test_answers_of_this_session_s_era_are_found_and_linked_as_they_arrived(house: House) -> None:
    turn = house.answer("1", "Boilers are mended by Ines.")
    house.world.add(
        TurnDelivered(
            said=house.said, by=PLATFORM, turn=turn, session=session("1"), audience=house.audience("1"), era=0,
            asker=ADA, messages=(ref("77"),),
        )
    )  # fmt: skip
    chatter(house)
    context = prompt(house, "boilers?")
    assert past(context) == ("- 2023-11-14 https://discord.com/channels/9/1/77\n[dnam]: Boilers are mended by Ines.")
    basis = context.blocks[0].lines[1].basis
    assert basis is not None
    assert basis == Basis("turn", turn, basis.seq)
    new_era(house, "1", 1)
    assert past(prompt(house, "boilers?")) == ""


def test_an_answer_that_did_not_arrive_has_no_link(house: House) -> None:
    house.answer("1", "Boilers are mended by Ines.")
    chatter(house)
    assert past(prompt(house, "boilers?")).startswith("- 2023-11-14\n[dnam]: Boilers")


def test_answers_from_elsewhere_are_not_there_and_what_people_said_around_them_is(house: House) -> None:
    house.say("2", "who mends boilers?", KIM)
    house.answer("2", "Boilers are mended by Ines.")
    chatter(house)
    text = past(prompt(house, "boilers?"))
    assert "who mends boilers?" in text
    assert "Ines" not in text


def test_an_answer_that_went_quiet_is_not_there_and_one_behind_what_it_never_had_is(house: House) -> None:
    said = house.say("1", "who mends boilers?")
    turn = house.answer("1", "Boilers are mended by Ines.")
    other = house.say("2", "who mends boilers?", KIM)
    chatter(house)
    item = house.know("asks about boilers", f"guild/{ref('9')}")
    for taken, stands in ((other, True), (said, True), (turn, False)):
        house.forget(item, taken)
        assert ("Ines" in past(prompt(house, "boilers?"))) == stands


def test_an_imported_answer_from_elsewhere_is_not_there_either(house: House) -> None:
    for place, text in (("1", "boilers here"), ("2", "boilers there")):
        own = msgspec.structs.replace(house.message(place, text, NOBODY), author="self")
        house.world.add(MessageHeard(said=own.said, by=PLATFORM, message=own))
    chatter(house)
    text = past(prompt(house, "boilers?"))
    assert "boilers here" in text
    assert "boilers there" not in text


# -- who is named ------------------------------------------------------------------------------------------------------


def test_who_has_words_there_is_not_only_mentioned(house: House) -> None:
    boiler(house)
    chatter(house, count=2)
    assert prompt(house, "boiler?").mentioned == {}


def test_who_is_named_as_the_one_who_was_replied_to_and_has_no_words_there_is_only_mentioned(house: House) -> None:
    first = house.message("2", "x" * 3000, KIM)
    house.world.add(MessageHeard(said=first.said, by=PLATFORM, message=first))
    reply = msgspec.structs.replace(house.message("2", "the boiler leaks"), reply_to=first.ref)
    house.world.add(MessageHeard(said=reply.said, by=PLATFORM, message=reply))
    house.say("1", "hm", after=30 * HOUR)
    context = prompt(house, "boiler?")
    assert past(context).endswith("[Ada]: (reply to Kim) the boiler leaks")
    assert context.mentioned == {KIM: "Kim"}


# -- messages that say nothing by themselves ---------------------------------------------------------------------------


def answered(house: House, text: str, place: str = "1", limits: Limits = PAST) -> TurnAnswered:
    """A message is said and answered; the turn."""
    message = house.message(place, text)
    (heard,) = house.world.add(MessageHeard(said=message.said, by=PLATFORM, message=message))
    point = Point(message.said, heard.id)
    context = assemble(house.rows, asked(house, "", place, limits)._replace(point=point))
    house.said += 1000
    setting = house.setting(place)
    request = AnswerRequest(
        point, session(place), ref(place), setting.audience, setting.guild, ADA, "Well.", context, CALL, limits,
        house.said, "dnam",
    )  # fmt: skip
    (turn,) = house.world.decide(answer, request)
    assert isinstance(turn, TurnAnswered)
    return turn


@pytest.mark.parametrize("text", ["yeah", "Okay, and what?", "👍", "<:wave:123>"])
def test_a_message_that_says_nothing_goes_on_with_what_the_last_answer_had_found(house: House, text: str) -> None:
    boiler(house)
    chatter(house)
    turn = answered(house, "who mends boilers?")
    assert len(turn.passages) == 1
    context = prompt(house, text)
    assert context.passages == turn.passages
    assert "the boiler leaks again" in past(context)
    assert answered(house, text).passages == turn.passages


def test_an_answer_that_was_found_goes_on_too(house: House) -> None:
    house.answer("1", "Boilers are mended by Ines.")
    chatter(house)
    assert len(answered(house, "who mends boilers?").passages) == 1
    assert "Ines" in past(prompt(house, "yeah"))


def test_where_nothing_was_found_before_nothing_is_looked_for(house: House) -> None:
    house.say("1", "yeah yeah yeah")
    chatter(house)
    assert past(prompt(house, "yeah")) == ""


def test_what_was_found_more_than_half_an_hour_ago_does_not_come_again(house: House) -> None:
    boiler(house)
    chatter(house)
    answered(house, "who mends boilers?")
    house.said += 30 * 60_000 - 1000
    assert past(prompt(house, "yeah"))
    house.said += 1
    assert past(prompt(house, "yeah")) == ""


def test_what_was_taken_back_since_does_not_come_again(house: House) -> None:
    ids = boiler(house, "2")
    chatter(house)
    assert answered(house, "who mends boilers?").passages
    house.delete("2", ids[2], NOW + 3000)
    assert past(prompt(house, "yeah")) == ""


def test_what_closed_since_does_not_come_again(house: House) -> None:
    boiler(house, "2")
    chatter(house)
    assert answered(house, "who mends boilers?").passages
    house.change("2", "channel")
    assert past(prompt(house, "yeah")) == ""


def test_no_conversation_of_anybody_s_direct_messages_stands_elsewhere(house: House) -> None:
    boiler(house, own_place(ADA))
    boiler(house, "staff")
    chatter(house)
    assert past(prompt(house, "who mends boilers?")) == ""
    chatter(house, own_place(ADA))
    assert "boiler leaks" in past(prompt(house, "who mends boilers?", own_place(ADA)))


def test_namesakes_are_told_apart_across_blocks(house: House) -> None:
    other = Handle(b"o" * 16)
    house.name(other, "Kim")
    house.say("1", "my boiler leaks", other)
    chatter(house)
    context = prompt(house, "boiler?")
    assert "[Kim (2)]: nothing much 0" in context.text
    assert "[Kim]: my boiler leaks" in context.text


def test_what_is_said_near_and_has_no_word_of_the_question_is_not_found_for_itself(house: House) -> None:
    house.say("1", "the boiler leaks")
    for number in range(2 * NEAR + 2):
        house.say("1", f"well {number}", KIM)
    chatter(house)
    assert [use.said for use in prompt(house, "boiler?").passages] == [NOW + 1000]


def test_what_an_item_rests_on_is_found_by_the_words_of_the_item(house: House) -> None:
    heard = house.say("1", "it is called Biscuit")
    house.know("Has a dog", f"guild/{ref('9')}", evidence=rests_on(heard))
    chatter(house)
    assert "Biscuit" in past(prompt(house, "what about the dog?"))


def test_who_was_only_looked_at_is_not_named(house: House) -> None:
    """What did not fit names nobody, and whoever said it is not hidden in the answer either."""
    house.say("2", "boiler " * 500, KIM)
    house.say("1", "hm", after=30 * HOUR)
    context = prompt(house, "boiler?")
    assert context.past == ()
    assert context.mentioned == {}


def test_what_was_said_to_others_in_the_same_session_stands_beside_nothing() -> None:
    house = House()
    house.name(ADA, "Ada")
    house.name(KIM, "Kim")
    house.describe("1")
    house.describe("2")
    house.guilds["2"] = None
    house.say("2", "the vault is behind the clock", KIM)
    house.guilds["2"] = GUILD
    house.say("2", "who mends the boiler?", KIM)
    chatter(house, "1")
    told = past(prompt(house, "boilers?", "1"))
    assert "who mends the boiler?" in told
    assert "vault" not in told


def test_an_answer_in_a_thread_of_a_channel_of_few_is_linked_to_the_thread() -> None:
    house = House()
    house.name(ADA, "Ada")
    house.name(KIM, "Kim")
    house.describe("2", "channel")
    house.describe("3", "channel", readers="2", parent="2")
    turn = house.answer("3", "Boilers are mended by Ines.")
    audience = house.audience("3")
    delivered = TurnDelivered(
        said=house.said, by=PLATFORM, turn=turn, session=session("3"), audience=audience, era=0, asker=ADA,
        messages=(ref("77"),),
    )  # fmt: skip
    house.world.add(delivered)
    chatter(house, "3")
    assert "/3/77" in past(prompt(house, "boilers?", "3"))


# -- answers behind the point -----------------------------------------------------------------------------------------


def answered_late(house: House, question: EventId, text: str, late: int = 9000, **fields: Any) -> None:
    """An answer that is given while something said after its question waits for its own."""
    turn = TurnAnswered(
        said=house.said + late, by=MODEL, session=session("1"), place=ref("1"), audience=house.audience("1"), era=0,
        asker=ADA, answers=question, text=text, call=CALL, limits=Limits(), guild=GUILD, **fields,
    )  # fmt: skip
    house.world.add(turn)


def waiting(house: House, text: str) -> tuple[EventId, Request]:
    """A question, and another one that was asked before that was answered."""
    first = house.say("1", "who mends the boiler?", KIM)
    message = house.message("1", text)
    heard = house.world.add(MessageHeard(said=message.said, by=PLATFORM, message=message))[0]
    return first, asked(house, "")._replace(point=Point(house.said, heard.id))


def test_an_answer_given_behind_the_point_stands_in_the_window_and_in_no_passage(house: House) -> None:
    first, request = waiting(house, "why does the plumber mend the boiler?")
    answered_late(house, first, "The plumber mends the boiler.")
    context = assemble(house.rows, request)
    assert assemble(kept(house.world), request) == context
    assert context.text.count("The plumber mends the boiler.") == 1
    assert "\n[dnam]: The plumber mends the boiler.\n" in context.text
    assert house.world.records[-1].id in context.causes


def test_one_that_has_no_room_in_the_window_is_in_no_passage_either(house: House) -> None:
    first, request = waiting(house, "why does the plumber mend the boiler?")
    answered_late(house, first, "The plumber mends the boiler. " * 20)
    context = assemble(house.rows, request._replace(limits=msgspec.structs.replace(PAST, history_chars=100)))
    assert "The plumber mends" not in context.text
    assert [each.block for each in context.left_out] == ["recent"]


def test_what_says_nothing_by_itself_goes_on_with_an_answer_given_behind_the_point(house: House) -> None:
    boiler(house)
    found = prompt(house, "the boiler?").passages
    chatter(house)
    first, request = waiting(house, "ok")
    assert assemble(house.rows, request).passages == ()
    answered_late(house, first, "She is good.", passages=found)
    assert assemble(house.rows, request).passages == found


def test_of_somebody_whom_nobody_knows_nothing_is_told_for_a_common_word(house: House) -> None:
    for number in range(30):
        house.say("1", f"I like number {number}", KIM, after=9 * HOUR)
    chatter(house)
    assert past(prompt(house, "What does Marlowe like?")) == ""
    assert "I like" in past(prompt(house, "what is there to like?"))
