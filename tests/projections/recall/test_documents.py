"""What is a document and what is not, what it is found by, and what it is like."""

import pytest

from projections.events.values import Attachment, Audience, Span
from projections.ids import NOBODY
from projections.messages import unit
from projections.recall.documents import (
    ASKS,
    ENDS_ASKING,
    FIRST_PERSON,
    MOST_NAMES,
    NAMES_SHIFT,
    TIMED,
    Document,
    documents_in,
    flags_of,
    zone_of,
)
from projections.recall.words import person_term, terms_of
from tests.projections.recall.house import ADA, GUILD, KIM, OTHER_GUILD, House, ref, session


def heard(house: House, place: str = "general") -> list[Document]:
    return list(documents_in(house.world.raw, session(place), house.audience(place).epoch))


@pytest.fixture
def house() -> House:
    house = House()
    house.describe("general")
    return house


def test_a_message_is_found_by_its_words_and_by_whom_it_mentions(house: House) -> None:
    said = house.say("general", "thanks ", spans=(Span(7, KIM), Span(7, NOBODY)))
    (document,) = heard(house)
    assert document == Document(
        house.world.records[-1].seq,
        said,
        zone_of(house.audience("general"), GUILD),
        unit(session("general"), 0),
        house.said,
        ADA,
        terms_of("thanks", [KIM]),
        flags_of("thanks"),
    )
    assert person_term(KIM) in document.terms.counts


def test_an_answer_is_a_document_of_nobody(house: House) -> None:
    turn = house.answer("general", "The garden opens at nine.")
    (document,) = heard(house)
    assert (document.id, document.speaker, document.terms) == (turn, NOBODY, terms_of("The garden opens at nine."))


def test_bots_speak_as_nobody(house: House) -> None:
    house.say("general", "build failed", NOBODY)
    assert [each.speaker for each in heard(house)] == [NOBODY]


def test_a_message_is_found_by_what_its_files_show(house: House) -> None:
    house.say("general", "", attachments=(Attachment("beach.png", 9, "a dolphin at dusk"), Attachment("b.png")))
    (document,) = heard(house)
    assert document.terms == terms_of("a dolphin at dusk")


@pytest.mark.parametrize("text", ["", "  \n"])
def test_what_says_nothing_is_no_document(house: House, text: str) -> None:
    house.say("general", text)
    house.say("general", text, attachments=(Attachment("beach.png"),))
    house.answer("general", text)
    assert heard(house) == []


def test_who_says_nothing_but_a_name_is_found_by_it(house: House) -> None:
    house.say("general", "", spans=(Span(0, KIM),))
    house.answer("general", "", spans=(Span(0, KIM),))
    assert [set(each.terms.counts) for each in heard(house)] == [{person_term(KIM)}] * 2


def test_an_edit_is_the_same_message_in_other_words(house: House) -> None:
    said = house.say("general", "green tea")
    house.edit("general", said, "black tea")
    (document,) = heard(house)
    assert (document.id, document.seq, document.terms) == (said, house.world.records[-1].seq, terms_of("black tea"))


def test_what_is_deleted_or_withdrawn_is_no_document_any_more(house: House) -> None:
    said, at = house.say("general", "green tea"), house.said
    turn = house.answer("general", "noted")
    house.delete("general", said, at)
    house.withdraw("general", turn, house.said)
    assert heard(house) == []


def test_what_went_quiet_with_a_forgotten_item_is_no_document(house: House) -> None:
    said, kept = house.say("general", "I like green tea"), house.say("general", "it rains")
    house.forget(house.know("likes green tea", "guild/discord:9"), said)
    assert [each.id for each in heard(house)] == [kept]


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("it rains", 0),
        ("why? it rains", ASKS),
        ("does it rain? ", ASKS | ENDS_ASKING),
        ("see https://example.org/list?page=2 for it", 0),
        ("see https://example.org/list?", ASKS | ENDS_ASKING),
        ("really? https://example.org/list?page=2", ASKS),
        ("雨ですか？はい", ASKS),
        ("雨ですか？", ASKS | ENDS_ASKING),
        ("هل تمطر؟", ASKS | ENDS_ASKING),
        ("it rained yesterday", TIMED),
        ("it rained in March", TIMED | 1 << NAMES_SHIFT),
        ("it rained on me", FIRST_PERSON),
        ("I'm wet", FIRST_PERSON),
        ("Kim met Ada Larkspur at Lake Garda. Then Tobi left", MOST_NAMES << NAMES_SHIFT),
        ("Rain. Snow. Al", 0),
        ("then Kim", 1 << NAMES_SHIFT),
        ("", 0),
    ],
)
def test_what_a_text_is_like(text: str, flags: int) -> None:
    assert flags_of(text) == flags


def test_a_zone_is_who_could_read_it_without_the_epoch() -> None:
    place, other = ref("7"), ref("8")
    zones = [
        zone_of(Audience("guild", place), GUILD),
        zone_of(Audience("guild", place), OTHER_GUILD),
        zone_of(Audience("channel", place), GUILD),
        zone_of(Audience("channel", other), GUILD),
        zone_of(Audience("direct", ref("dm:aa")), None),
        zone_of(Audience("direct", ref("dm:bb")), None),
    ]
    assert len(set(zones)) == len(zones)
    assert zone_of(Audience("guild", other, 3), GUILD) == zones[0]
    assert zone_of(Audience("channel", place, 3), None) == zones[2] == zone_of(Audience("guild", place), None)
