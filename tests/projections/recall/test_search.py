"""What a text finds: what was said, what is known, and what stands around it."""

from datetime import UTC, datetime

import pytest

from projections.events.values import Span
from projections.ids import EventId, Handle, Ref
from projections.messages import MessageRow
from projections.policies.compartments import everywhere, of_person_in
from projections.recall.documents import zone_of
from projections.recall.lying import around as lying_around
from projections.recall.lying import read
from projections.recall.search import Said, Wanted, answers, items, nameless, said, said_on_day
from projections.recall.standing import MOST_ASKED
from projections.rows import Rows
from tests.projections.recall.house import ADA, GUILD, KIM, House, ref, rests_on, session
from tests.projections.recall.stage import HOUR, FakeZones, documents_of, kept
from tests.world import NOW, handle

LORE, TOBI = "guild/discord:9", handle("tobi")


def furnished() -> House:
    """An open channel with a thread, another one, one for few, and direct messages."""
    house = House()
    house.describe("general")
    house.describe("thread", readers="general", parent="general")
    house.describe("garden")
    house.describe("staff", "channel")
    house.describe_direct(ADA)
    house.name(ADA, "Ada Larkspur")
    house.name(KIM, "Kim")
    return house


@pytest.fixture
def house() -> House:
    return furnished()


def wanted(house: House, text: str, place: str = "general", person: Handle = ADA) -> Wanted:
    return Wanted(text, house.setting(place, person), session(place), NOW)


def texts(found: tuple[Said, ...]) -> list[str]:
    return [each.row.message.text if isinstance(each.row, MessageRow) else each.row.text for each in found]


def with_words(found: tuple[Said, ...]) -> list[str]:
    """Those of them that have a word of the question themselves."""
    return texts(tuple(each for each in found if any(reason.field == "turn" for reason in each.reasons)))


def finds(house: House, look: Wanted, most: int = 50) -> list[str]:
    """What is found, the same with and without what is kept ready."""
    plain = said(house.rows, look, most)
    assert said(kept(house.world), look, most) == plain
    return with_words(plain)


def test_nothing_is_found_where_nothing_was_said(house: House) -> None:
    assert said(house.rows, wanted(house, "tea"), 5) == ()
    assert items(house.rows, wanted(house, "tea"), 5) == ()


def test_who_asks_is_meant_by_i_where_nobody_is_named(house: House) -> None:
    house.say("general", "I like green tea", KIM)
    house.say("general", "I like black tea", ADA)
    look = wanted(house, "what tea do I like")
    for asker, first in ((KIM, "I like green tea"), (ADA, "I like black tea")):
        assert finds(house, look._replace(asker=asker))[0] == first
    for text in ("what tea does Kim like, and do I", "green tea"):
        asked, plain = [
            said(house.rows, wanted(house, text)._replace(asker=who), 5) for who in (ADA, Handle(bytes(16)))
        ]
        assert [(each.id, each.score) for each in asked] == [(each.id, each.score) for each in plain]


def test_a_hit_says_what_it_is_and_why(house: House) -> None:
    heard = house.say("general", "I like green teas", KIM)
    (hit,) = said(house.rows, wanted(house, "Does Kim like tea?"), 5)
    assert (hit.id, hit.event, hit.seq, hit.said) == (heard, heard, house.world.records[-1].seq, house.said)
    assert hit.key[-16:] == heard
    assert hit.score == sum(each.points for each in hit.reasons)
    assert {(each.field, each.word) for each in hit.reasons} >= {("turn", "tea"), ("turn", "like"), ("speaker", "")}
    points = [abs(each.points) for each in hit.reasons]
    assert points == sorted(points, reverse=True)


@pytest.mark.parametrize("text", ["Marie", "marie", "what does marie have?"])
def test_a_name_is_found_before_others_of_its_stem(house: House, text: str) -> None:
    """All of which are found."""
    house.say("general", "Marie has the ladder", after=7 * HOUR)
    house.say("general", "Mary brought the keys", after=7 * HOUR)
    found = said(house.rows, wanted(house, text), 5)
    assert with_words(found) == ["Marie has the ladder", "Mary brought the keys"]
    assert [("turn", "exactly marie") in {each[:2] for each in hit.reasons} for hit in found] == [True, False]


@pytest.mark.parametrize(
    ("text", "exact", "alike"),
    [
        ("Mary", "so Mary has the ladder", "Marie saw Anna and Bob at Castle Rock"),
        ("mary", "so Mary has the ladder", "Marie saw Anna and Bob at Castle Rock"),
        ("foo_bar", "set foo_bar to three", "the foo of Anna and a bar for Bob at Castle Rock"),
        ("app.py", "it is in app.py somewhere", "the app of Anna is in py at Castle Rock for Bob"),
    ],
)
@pytest.mark.parametrize("others", [0, 40])
def test_what_stands_as_it_is_looked_for_comes_before_what_is_only_like_it(
    house: House, text: str, exact: str, alike: str, others: int
) -> None:
    """However many names that has, and though it begins something."""
    for number in range(others):
        house.say("general", f"something else, the {number}th", after=7 * HOUR)
    house.say("general", "yes", after=7 * HOUR)
    house.say("general", exact)
    house.say("general", alike, after=7 * HOUR)
    house.say("general", alike.replace("Castle", "Eagle"), after=7 * HOUR)
    found = finds(house, wanted(house, text))
    assert (found[0], len(found)) == (exact, 3)


def test_what_stands_as_it_is_looked_for_elsewhere_is_told_from_what_is_like_it_here(house: House) -> None:
    """Among few Marie is named, and Mary among all."""
    house.say("general", "so Mary has the ladder", after=7 * HOUR)
    house.say("staff", "Marie saw Anna and Bob at Castle Rock", after=7 * HOUR)
    found = said(house.rows, wanted(house, "Mary", "staff"), 5)
    assert with_words(found) == ["so Mary has the ladder", "Marie saw Anna and Bob at Castle Rock"]
    assert {each.field for each in found[1].reasons}.isdisjoint(("names", "first"))


def test_several_contexts_are_searched_as_one(house: House) -> None:
    """What is open to all is open in each of them, and is found once; what is known counts as well."""
    house.describe("board", "channel")
    planted = house.say("board", "we planted them")
    house.know("the tea is in the greenhouse", of_person_in(ADA, ref("board")), evidence=rests_on(planted))
    house.say("general", "tea for all", after=7 * HOUR)
    house.say("staff", "tea for some", after=7 * HOUR)
    house.change("staff", "channel")
    house.say("staff", "tea for few", after=7 * HOUR)
    board = house.setting("board")
    alone = wanted(house, "tea", "staff")
    both = alone._replace(besides=((board, session("board")), (board, session("board"))))
    assert sorted(finds(house, alone)) == ["tea for all", "tea for few"]
    assert sorted(finds(house, both)) == ["tea for all", "tea for few"]
    (rests,) = [hit for hit in said(house.rows, both, 5) if hit.id == planted]
    assert "fact" in {reason.field for reason in rests.reasons}
    assert [each.item.text for each in items(house.rows, both, 5)] == ["the tea is in the greenhouse"]
    assert items(house.rows, alone, 5) == ()


def test_a_name_that_stands_nowhere_as_it_is_is_not_misspelt(house: House) -> None:
    house.say("general", "Carriages and Marier bring Mary")
    (hit,) = said(house.rows, wanted(house, "Marie"), 5)
    assert {each.word for each in hit.reasons} == {"", "marie"}


def test_an_edited_message_is_found_as_it_now_is(house: House) -> None:
    heard = house.say("general", "green tea")
    house.edit("general", heard, "black coffee")
    assert finds(house, wanted(house, "tea")) == []
    (hit,) = said(house.rows, wanted(house, "coffee"), 5)
    assert (hit.id, hit.event) == (heard, house.world.records[-1].id)


def test_an_answer_is_found_too(house: House) -> None:
    turn = house.answer("general", "Your tea is green.")
    (hit,) = said(house.rows, wanted(house, "tea"), 5)
    assert (hit.id, hit.event, texts((hit,))) == (turn, turn, ["Your tea is green."])


def test_only_so_many_are_returned(house: House) -> None:
    for number in range(6):
        house.say("general", f"tea number {number}", after=7 * HOUR)
    assert len(said(house.rows, wanted(house, "tea"), 4)) == 4
    assert said(house.rows, wanted(house, "tea"), 0) == ()


def test_what_is_not_to_be_found_is_not(house: House) -> None:
    heard = house.say("general", "green tea")
    turn = house.answer("general", "tea, noted")
    other = house.say("general", "more tea")
    look = wanted(house, "tea")._replace(without=frozenset((heard, turn, EventId(handle("nothing")))))
    assert finds(house, look) == ["more tea"]
    assert [each.id for each in said(house.rows, look, 9)] == [other]


def test_only_what_one_person_said(house: House) -> None:
    house.say("general", "green tea", ADA)
    house.say("general", "black tea", KIM)
    house.answer("general", "tea for all")
    assert finds(house, wanted(house, "tea")._replace(speaker=KIM)) == ["black tea"]
    assert finds(house, wanted(house, "tea")._replace(speaker=TOBI)) == []


def test_only_what_was_said_in_one_place_and_its_threads(house: House) -> None:
    for place in ("general", "thread", "garden"):
        house.say(place, f"tea in {place}")
    house.answer("garden", "an answer about tea")
    look = wanted(house, "tea")
    assert set(finds(house, look._replace(place=ref("general")))) == {"tea in general", "tea in thread"}
    assert finds(house, look._replace(place=ref("thread"))) == ["tea in thread"]
    assert set(finds(house, look._replace(place=ref("garden")))) == {"tea in garden", "an answer about tea"}
    assert finds(house, look._replace(place=Ref("discord", "nowhere"))) == []


def test_a_place_of_which_only_answers_are_left_is_a_place(house: House) -> None:
    house.answer("garden", "tea is served")
    assert finds(house, wanted(house, "tea")._replace(place=ref("garden"))) == ["tea is served"]


def test_a_name_is_known_by_its_first_word_and_counts_little_as_a_word(house: House) -> None:
    house.say("general", "the party is on Friday", ADA)
    house.say("general", "Ada is at the party", KIM)
    hits = said(house.rows, wanted(house, "When is Ada's party?"), 5)
    assert texts(hits)[0] == "the party is on Friday"
    assert {each.word for hit in hits for each in hit.reasons} == {"", "party", "ada"}


def test_a_name_is_unknown_where_its_person_said_nothing_that_is_open(house: House) -> None:
    """What is closed does not even tell who is there."""
    house.say("general", "tea", KIM)
    house.say("garden", "tea", ADA)
    house.change("garden", "channel")
    for rows in (house.rows, kept(house.world)):
        hits = said(rows, wanted(house, "Ada tea"), 5)
        assert {each.word for hit in hits for each in hit.reasons} <= {"", "tea", "ada"}
        assert not any(each.field == "speaker" for hit in hits for each in hit.reasons)


def test_a_name_is_known_only_while_something_its_person_said_is_open(house: House) -> None:
    """Kept ready lies all that was said in the guild, also what few may read by now, and what is gone."""
    house.say("general", "Ada has tea", KIM)
    house.say("garden", "tea for all", ADA)
    assert nameless_in(house, house.rows, kept(house.world)) == {"has tea"}
    house.change("garden", "channel")
    assert nameless_in(house, house.rows, kept(house.world)) == {"Ada has tea"}
    house.change("garden", "guild")
    assert nameless_in(house, house.rows, kept(house.world)) == {"Ada has tea"}, "others read it when it was said"
    heard = house.say("general", "my tea", ADA)
    assert nameless_in(house, house.rows, kept(house.world)) == {"has tea"}
    zones = FakeZones(documents_of(house.world.raw))
    zones.corpus(zone_of(house.audience("general"), GUILD)).remove(house.world.records[-1].seq)
    house.delete("general", heard, house.said)
    ready = Rows(house.world.raw, house.world.ids, corpora=lambda: zones)
    assert nameless_in(house, house.rows, ready) == {"Ada has tea"}


def nameless_in(house: House, plain: Rows, ready: Rows) -> set[str]:
    """What is left of a text without the names that are known; where none is, it is a word like any other, and the
    same is found however rows are kept.
    """
    look = wanted(house, "Ada has tea")
    assert said(ready, look, 5) == said(plain, look, 5)
    return {nameless(rows, look.setting, look.session, look.text) for rows in (plain, ready)}


def test_who_asks_said_nothing_yet_by_the_question(house: House) -> None:
    """A prompt is the same whether the question lies there already or not."""
    house.say("general", "tea at seven, says the list", ADA)
    before = said(house.rows, wanted(house, "Kim and Ada want tea at seven", person=KIM), 5)
    asked = house.say("general", "Kim and Ada want tea at seven", KIM)
    look = wanted(house, "Kim and Ada want tea at seven", person=KIM)._replace(
        question=asked, without=frozenset((asked,))
    )
    for rows in (house.rows, kept(house.world)):
        assert said(rows, look, 5) == before


def test_what_rests_on_the_question_finds_nothing_beside_it(house: House) -> None:
    """As if the question had not been said yet."""
    house.say("general", "good morning", ADA)
    asked = house.say("general", "tea at seven?", KIM)
    house.know("likes tea", f"guild/{GUILD}", KIM, evidence=rests_on(asked))
    look = wanted(house, "tea at seven?", person=KIM)._replace(question=asked, without=frozenset((asked,)))
    for rows in (house.rows, kept(house.world)):
        assert said(rows, look, 5) == ()


def test_the_32_items_that_answer_best_are_keys_to_what_they_rest_on_and_no_more(house: House) -> None:
    """In the longer ones the word counts less."""
    heard = [house.say("general", f"so be it, {number}", KIM, after=7 * HOUR) for number in range(34)]
    for number, each in enumerate(heard):
        house.know(f"tea {number}" + " as always" * (number in (5, 20)), LORE, evidence=rests_on(each))
    found = said(house.rows, wanted(house, "tea"), 50)
    assert {hit.id for hit in found} == {*heard} - {heard[5], heard[20]}
    assert all("fact" in {reason.field for reason in hit.reasons} for hit in found)


def test_what_was_said_on_a_day_is_found_where_it_is_open_and_no_word_of_the_question_stands(house: House) -> None:
    house.say("general", "we went climbing at the quarry", KIM)
    house.say("garden", "what few may hear", KIM)
    house.say("general", "another day", KIM, after=48 * HOUR)
    house.change("garden", "channel")
    day = f"{datetime.fromtimestamp(NOW / 1000, UTC):%d %B %Y}"
    for text in (f"what happened on {day}?", f"what did Kim do on {day}?"):
        plain = said(house.rows, wanted(house, text), 50)
        assert said(kept(house.world), wanted(house, text), 50) == plain
        assert texts(plain) == ["we went climbing at the quarry"]


# -- misspelt ----------------------------------------------------------------------------------------------------------


def test_a_misspelt_word_finds_what_it_is_like_at_half_its_weight(house: House) -> None:
    house.say("general", "we saw dolphins")
    right, wrong = (said(house.rows, wanted(house, text), 5)[0] for text in ("dolphin", "dolpin"))
    assert texts((wrong,)) == ["we saw dolphins"]
    turns = [next(each for each in hit.reasons if each.field == "turn") for hit in (right, wrong)]
    assert [each.word for each in turns] == ["dolphin", "spelled like dolpin"]
    assert turns[1].points <= turns[0].points // 2 + 1


def test_a_word_that_was_said_is_not_misspelt(house: House) -> None:
    house.say("general", "a brook in spring")
    house.say("general", "a book about tea")
    assert finds(house, wanted(house, "brook")) == ["a brook in spring"]


def test_a_misspelt_question_that_was_asked_before_finds_the_same(house: House) -> None:
    house.say("general", "I adore chocolate cake")
    look = wanted(house, "who likes chocolatte?")
    assert "I adore chocolate cake" in finds(house, look)
    for _ in range(3):
        house.say("general", "who likes chocolatte?")
    assert "I adore chocolate cake" in finds(house, look)


@pytest.mark.parametrize("times", [MOST_ASKED, MOST_ASKED + 1])
def test_what_is_asked_after_often_or_told_is_not_misspelt(house: House, times: int) -> None:
    house.say("general", "I adore chocolate cake")
    for _ in range(times):
        house.say("general", "any chocolatte?")
    look = wanted(house, "chocolatte")
    assert ("I adore chocolate cake" in finds(house, look)) is (times == MOST_ASKED)
    house.say("general", "chocolatte is how she writes it")
    assert "I adore chocolate cake" not in finds(house, look)


def test_what_is_closed_or_gone_makes_no_word_a_known_one(house: House) -> None:
    """Otherwise whether a misspelt word finds anything would tell what stands where nobody may look."""
    house.say("general", "we saw dolphins")
    house.say("garden", "the dolpin inn")
    gone = house.say("general", "dolpin")
    seq = house.world.records[-1].seq
    zones = FakeZones(documents_of(house.world.raw))
    zones.corpus(zone_of(house.audience("general"), GUILD)).remove(seq)
    house.delete("general", gone, house.said)
    house.change("garden", "channel")
    ready = Rows(house.world.raw, house.world.ids, corpora=lambda: zones)
    plain = said(house.rows, wanted(house, "dolpin"), 5)
    assert with_words(plain) == ["we saw dolphins"]
    assert said(ready, wanted(house, "dolpin"), 5) == plain


def test_the_longest_three_unknown_words_are_taken_for_misspelt_and_no_others(house: House) -> None:
    for text in ("dolphins", "gardens", "lanterns", "boats"):
        house.say("general", text, after=7 * HOUR)
    assert set(finds(house, wanted(house, "dolpin garten lantirn"))) == {"dolphins", "gardens", "lanterns"}
    assert set(finds(house, wanted(house, "dolpin baot garten lantirn"))) == {"dolphins", "gardens", "lanterns"}
    assert set(finds(house, wanted(house, "dolpin baot"))) == {"dolphins", "boats"}
    assert set(finds(house, wanted(house, "boat dolpin lantirn"))) == {"boats", "dolphins", "lanterns"}
    assert set(finds(house, wanted(house, "boat garden dolpin lantirn"))) == {"boats", "gardens", "lanterns"}


def test_of_a_short_word_that_stands_nowhere_two_letters_may_stand_the_other_way_round(house: House) -> None:
    house.say("general", "my cat Tom sleeps", after=7 * HOUR)
    house.say("general", "so they walk", after=7 * HOUR)
    for text in ("Tmo", "otm", "tmo?"):
        (hit,) = with_words(said(house.rows, wanted(house, text), 5))
        assert hit == "my cat Tom sleeps"
    assert with_words(said(house.rows, wanted(house, "wlaks"), 5)) == ["so they walk"]
    for text in ("tim", "to", "mto s", "klaw"):
        assert with_words(said(house.rows, wanted(house, text.split()[-1]), 5)) == []
    house.say("general", "what is a tmo", after=7 * HOUR)
    house.say("general", "a tmo it is", after=7 * HOUR)
    assert sorted(with_words(said(house.rows, wanted(house, "tmo"), 5))) == ["a tmo it is", "what is a tmo"]


def test_what_is_like_two_unknown_words_counts_once(house: House) -> None:
    house.say("general", "lanterns", after=7 * HOUR)
    both, one = [said(house.rows, wanted(house, text), 5) for text in ("lantirn lanteern", "lanteern zzyzx")]
    assert [hit.score for hit in both] == [hit.score for hit in one]
    assert {each.word for each in both[0].reasons if each.word} == {"spelled like lanteern"}


def test_among_items_one_unknown_word_is_misspelt_unless_nothing_else_is_known(house: House) -> None:
    """Of what is asked most stands in none of the few items that somebody has."""
    for text in ("owns a lantern", "saw dolphins", "grows tea"):
        house.know(text, f"guild/{GUILD}", ADA)
    look = [{each.item.text for each in items(house.rows, wanted(house, text), 9)} for text in (
        "dolpin lantirn", "dolpin lantirn tea", "lantirn tea"
    )]  # fmt: skip
    assert look == [
        {"owns a lantern", "saw dolphins"},
        {"owns a lantern", "grows tea"},
        {"owns a lantern", "grows tea"},
    ]


ALIKE = ("lantern", "lanterd", "lanterp", "lanterb", "lanterk")


def test_a_word_like_too_many_is_like_none_of_them(house: House) -> None:
    """It tells too little of which is meant; what few may see makes no difference to that."""
    house.change("staff", "channel")
    for place, word in zip(("general",) * 4 + ("staff",), ALIKE, strict=True):
        house.say(place, f"the {word} again", after=7 * HOUR)
    assert len(set(finds(house, wanted(house, "lanterz")))) == 4
    house.say("general", f"one {ALIKE[4]} more", after=7 * HOUR)
    assert finds(house, wanted(house, "lanterz")) == []
    assert finds(house, wanted(house, "lanterk")) == [f"one {ALIKE[4]} more"]


def test_of_items_too_a_word_like_too_many_is_like_none(house: House) -> None:
    for word in ALIKE[:4]:
        house.know(f"owns a {word}", f"guild/{GUILD}", ADA)
    assert len(items(house.rows, wanted(house, "lanterz"), 9)) == 4
    house.know(f"owns a {ALIKE[4]}", f"guild/{GUILD}", ADA)
    assert items(house.rows, wanted(house, "lanterz")._replace(said=NOW + 30 * 24 * HOUR), 9) == ()


# -- what stands around ------------------------------------------------------------------------------------------------


def around(rows: Rows, hit: Said, before: int, after: int) -> list[str]:
    found = [read(rows, each).row for each in lying_around(rows, hit.key, before, after)]
    return [row.message.text if isinstance(row, MessageRow) else row.text for row in found]


def test_what_was_said_around_something_in_its_unit(house: House) -> None:
    first = house.say("general", "one")
    house.say("garden", "elsewhere")
    house.answer("general", "two")
    house.say("general", "tea")
    house.answer("general", "four")
    house.say("general", "five")
    hit = said(house.rows, wanted(house, "tea")._replace(without=frozenset((first,))), 1)[0]
    assert texts((hit,)) == ["tea"]
    assert around(house.rows, hit, 1, 1) == ["two", "tea", "four"]
    assert around(house.rows, hit, 9, 9) == ["one", "two", "tea", "four", "five"]
    assert around(house.rows, hit, 0, 0) == ["tea"]


def test_what_other_readers_heard_does_not_stand_around_it(house: House) -> None:
    house.say("general", "for all")
    house.change("general", "channel")
    house.say("general", "tea for few")
    hit = said(house.rows, wanted(house, "tea"), 1)[0]
    assert around(house.rows, hit, 9, 9) == ["tea for few"]


def test_who_is_named_is_found_where_they_are_mentioned(house: House) -> None:
    house.say("general", "@ is allergic to peanuts", spans=(Span(1, KIM),))
    house.say("general", "@ likes them", spans=(Span(1, TOBI),))
    house.say("garden", "hello", KIM)
    look = wanted(house, "what should I know about Kim?")
    assert finds(house, look) == ["@ is allergic to peanuts"]
    assert "@kim" in {each.word for each in said(house.rows, look, 5)[0].reasons}


def test_who_said_nothing_that_is_open_is_not_found_by_a_name_where_they_are_mentioned(house: House) -> None:
    house.say("general", "thanks ", spans=(Span(7, KIM),))
    house.say("staff", "hello", KIM)
    assert finds(house, wanted(house, "Kim")) == []


def test_who_is_nowhere_mentioned_is_no_misspelt_word(house: House) -> None:
    house.name(TOBI, "Gardener")
    house.say("general", "gardeners like dolphins", TOBI)
    assert finds(house, wanted(house, "gardener dolpin")) == ["gardeners like dolphins"]
    words = {each.word for each in said(house.rows, wanted(house, "gardener dolpin"), 5)[0].reasons}
    assert words == {"", "gardener", "spelled like dolpin"}


def test_what_was_said_on_a_day_is_found_whatever_else_is_looked_for(house: House) -> None:
    house.say("general", "tea for all")
    day = datetime.fromtimestamp(house.said / 1000, UTC)
    house.say("general", "something else", after=48 * HOUR)
    for text, found in (
        (f"a harp on {day:%d %B %Y}", ["tea for all"]),
        (f"tea on {day.replace(year=day.year - 1):%d %B %Y}", []),
        (f"tea in {day:%B %Y}", []),  # no day of it
    ):
        assert texts(said_on_day(house.rows, wanted(house, text), 5)) == found


def test_no_more_is_looked_at_than_there_is_however_many_are_wanted(house: House) -> None:
    for number in range(3):
        house.say("general", f"tea number {number}")
    assert len(finds(house, wanted(house, "tea"), 1 << 33)) == 3


@pytest.mark.parametrize(
    "text",
    [
        "What did Ada say about the boiler?",
        "What has Ada told us about the boiler?",
        "Did Ada mention the boiler?",
        "tell me about the boiler",
        "what do you know about the boiler?",
    ],
)
def test_what_a_question_only_asks_by_finds_nothing(house: House, text: str) -> None:
    house.say("general", "the boiler leaks", ADA)
    for words in ("I said something", "just wanted to say hi", "they told me", "you know", "did I mention it"):
        house.say("general", words, ADA, after=9 * HOUR)
    assert finds(house, wanted(house, text)) == ["the boiler leaks"]


def among(house: House, text: str) -> None:
    """Something is said, and what has a common word, among much that has it too."""
    for number in range(30):
        house.say("general", f"I like number {number}", KIM, after=9 * HOUR)
    house.say("general", text, KIM, after=9 * HOUR)


@pytest.mark.parametrize(
    ("text", "is_doubted"),
    [
        ("What does Kim like?", False),
        ("So is it like Kim?", False),
        ("what does marlowe like?", False),
        ("Marlowe, what is it like?", False),
        ("What does Marlowe like?", True),
        ("What does Tboi like?", False),
        ("What does Tobi like?", False),
        ("Did I like it in May?", False),
    ],
)
def test_a_stranger_whom_a_question_names_is_known_for_one(house: House, text: str, is_doubted: bool) -> None:
    among(house, "Tobi has a boat")
    found = answers(house.rows, wanted(house, text), 50)
    assert (found.doubt is not None) == is_doubted
    assert found.said


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("What does Marlowe like?", []),
        ("Does Marlowe like 3?", ["I like number 3"]),
        ("Does Marlowe like a boat?", ["Tobi has a boat"]),
        ("What did Marlowe like on 15 November 2023?", ["I like number 0", "I like number 1"]),
    ],
)
def test_of_a_stranger_answers_what_has_more_than_a_common_word(house: House, text: str, left: list[str]) -> None:
    among(house, "Tobi has a boat")
    found = answers(house.rows, wanted(house, text), 50)
    assert found.doubt is not None
    assert sorted(texts(tuple(each for each in found.said if found.doubt.leaves(each.fields)))) == left


@pytest.mark.parametrize(("text", "is_left"), [("What does Marlowe like?", False), ("Does Marlowe like tea?", True)])
def test_what_is_known_of_others_answers_no_more_of_a_stranger(house: House, text: str, is_left: bool) -> None:
    among(house, "oh yes")
    house.say("general", "tea?", KIM)
    told = house.say("general", "the green one", ADA, after=9 * HOUR)
    house.know("likes green tea", everywhere(ADA), evidence=rests_on(told))
    found = answers(house.rows, wanted(house, text), 50)
    (hit,) = [each for each in found.said if ("fact", b"") in each.fields]
    assert found.doubt is not None
    assert found.doubt.leaves(hit.fields) is is_left


def test_nobody_of_whom_something_is_said_or_known_is_a_stranger(house: House) -> None:
    among(house, "oh yes")
    house.say("general", "it rains", ADA)
    house.know("has a sister Marlowe", everywhere(ADA))
    for text in ("What does Marlowe like?", "And who is Ada Larkspur?"):
        assert answers(house.rows, wanted(house, text), 50).doubt is None
