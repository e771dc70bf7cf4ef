"""What a text looks for besides its words."""

import pytest

from projections.recall.bm25 import ONE
from projections.recall.dated import Date
from projections.recall.question import EXACT, MOST_TERMS, NAME, ask, without_names
from projections.recall.words import name_term, person_term, term, word_term
from tests.world import handle

ADA, KIM = handle("ada"), handle("kim")
NAMES = {ADA: "Ada Larkspur", KIM: "kim ✨"}


def words_of(text: str) -> set[str]:
    asked = ask(text, NAMES)
    assert asked.question.terms.keys() == asked.words.keys()
    return {word for term, word in asked.words.items() if asked.question.terms[term] == ONE}


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("What did Ada say about tea?", ADA),
        ("what does ADA's garden look like", ADA),
        ("is kim there", KIM),
        ("Larkspur and tea", None),
        ("adamant about tea", None),
        ("What did Ada tell Kim?", None),
        ("tea", None),
    ],
)
def test_the_one_person_who_is_named(text: str, speaker: bytes | None) -> None:
    assert ask(text, NAMES).question.speaker == speaker


def test_a_name_counts_less_than_a_word_unless_there_is_no_other() -> None:
    assert words_of("What did Ada Larkspur say about tea?") == {"tea"}
    assert words_of("who is Ada?") == {"ada", "@ada"}
    assert words_of("Ada and Kim") == {"ada", "kim", "@ada", "@kim"}


def test_a_mention_of_whoever_is_named_counts_as_their_name_does() -> None:
    asked = ask("What did Ada say about tea?", NAMES)
    assert asked.words[person_term(ADA)] == "@ada"
    assert asked.question.terms[person_term(ADA)] == asked.question.terms[word_term("ada")] == ONE // NAME
    assert person_term(KIM) not in asked.question.terms


def test_who_is_called_like_a_word_that_every_sentence_has_is_not_named_by_it() -> None:
    asked = ask("what is the plan?", {KIM: "The Plan"})
    assert asked.question.speaker is None
    assert set(asked.question.terms.values()) == {ONE}


@pytest.mark.parametrize("text", ["what has Marie got?", "what has marie got?"])
def test_a_word_is_looked_for_as_it_stands_at_a_part_of_its_weight(text: str) -> None:
    asked = ask(text, NAMES)
    shares = {asked.words[term]: share for term, share in asked.question.terms.items()}
    assert shares == {"marie": ONE, "got": ONE, "exactly marie": ONE // EXACT, "exactly got": ONE // EXACT}
    assert asked.words[term("x", "marie")] == "exactly marie"


def test_names_of_one_stem_are_looked_for_each_as_it_stands() -> None:
    asked = ask("Marie, Mary or Kim? Both!", {})
    assert sorted(asked.words.values()) == ["exactly marie", "exactly mary", "kim", "mary"]


def test_whoever_is_named_counts_as_little_as_it_stands_as_otherwise() -> None:
    asked = ask("what has Marie brought?", {KIM: "Marie"})
    key = name_term("marie")
    assert key is not None
    assert asked.question.terms[key] == ONE // NAME // EXACT


def test_of_a_paste_no_more_is_looked_for_as_it_stands() -> None:
    for number in (MOST_TERMS - 1, MOST_TERMS, 5_000):
        asked = ask(" ".join(["Marie", *(f"word{n}" for n in range(number - 1))]), {})
        assert len(asked.question.terms) == MOST_TERMS


def test_a_paste_is_no_question() -> None:
    assert len(ask(" ".join(f"word{n}" for n in range(5_000)), {}).question.terms) == MOST_TERMS


@pytest.mark.parametrize("text", ["{ask} {paste}", "{paste} {ask}"])
@pytest.mark.parametrize("line", ["word{n}", "at{n}.py is wrong", "log{n} gasket café", "日{n}本"])
def test_a_question_before_a_paste_or_behind_it_is_looked_for(text: str, line: str) -> None:
    """Also where the paste has more to look for than is looked at, and some of its words."""
    paste = " ".join(line.format(n=n) for n in range(5_000))
    asked = ask(text.format(paste=paste, ask="how did we mend the flurbnitz gasket in boiler.py?"), {})
    assert {"mend", "flurbnitz", "gasket", "boiler.py"} <= set(asked.words.values())
    assert len(asked.question.terms) == MOST_TERMS


def test_a_person_without_letters_in_their_name_is_never_named() -> None:
    assert ask("✨", {KIM: "✨"}).question.speaker is None
    assert ask("someone", {}).question.speaker is None


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("When was the party?", True),
        ("WHAT YEAR did it rain", True),
        ("which month", True),
        ("how long ago", True),
        ("how many weeks is it", True),
        ("What was the party like?", False),
        ("whenever you like", False),
        ("how much tea", False),
    ],
)
def test_whether_it_asks_for_a_time(text: str, asks: bool) -> None:
    assert ask(text, {}).question.asks_when is asks


@pytest.mark.parametrize(
    ("text", "looked_for"),
    [
        ("How many dogs has Ada?", {"dogs"}),
        ("how much, and how many dogs", {"dogs"}),
        ("HOW\n MANY dogs", {"dogs"}),
        ("many dogs, or how long", {"many", "dogs", "long"}),
        ("many dogs: how", {"many", "dogs"}),
        ("how many?", {"many"}),
        ("how many has Ada?", {"ada", "@ada"}),
    ],
)
def test_how_many_asks_and_is_not_looked_for(text: str, looked_for: set[str]) -> None:
    assert words_of(text) == looked_for


@pytest.mark.parametrize(
    ("text", "looked_for"),
    [
        ("What did Ada say about the tea?", {"tea"}),
        ("what has Ada told you about tea", {"tea"}),
        ("Did the man from the tea garden mention boats?", {"man", "tea", "garden", "boats"}),
        ("Who said tea was green?", {"tea", "green"}),
        ("Tell me about the tea", {"tea"}),
        ("REMIND\nus of tea", {"tea"}),
        ("what do you know about tea?", {"tea"}),
        ("do you remember the tea?", {"tea"}),
        ("when did we talk about tea?", {"tea"}),
        ("I say tea", {"say", "tea"}),
        ("did Ada and Kim drink tea in the garden and then say thanks", {"drink", "tea", "garden", "say", "thanks"}),
        ("talk to the boss", {"talk", "boss"}),
        ("languages that Kim may know", {"languages", "know"}),
        ("What did I say?", {"say"}),
        ("tell me", {"tell"}),
        ("What did Ada say?", {"ada", "@ada"}),
    ],
)
def test_by_what_a_question_only_asks_is_not_looked_for(text: str, looked_for: set[str]) -> None:
    assert words_of(text) == looked_for


def test_it_asks_for_the_dates_that_it_names() -> None:
    (date,) = ask("What did Ada do on 7 May 2023?", NAMES).question.dates
    assert date == Date(frozenset((5,)), frozenset((2023,)), frozenset((7,)))


@pytest.mark.parametrize(
    ("text", "light"),
    [
        ("what tea on 7 December 2023?", {"7", "december", "2023", "exactly december"}),
        ("what 7 teas on 7 December 2023?", {"december", "2023", "exactly december"}),
        ("in December 2023", set()),
        ("5/6/2023", {"5", "6", "2023"}),
        ("2023-5-6 or in December", {"5", "6", "2023"}),
        ("7 teas", set()),
    ],
)
def test_what_a_day_is_called_counts_less_than_a_word(text: str, light: set[str]) -> None:
    """By that day itself something is found first."""
    asked = ask(text, {})
    by_days, words = asked.by_days.question.terms, asked.words
    assert {words[term] for term in by_days if by_days[term] < asked.question.terms[term]} == light
    assert {by_days[term] * 8 for term in by_days if words[term] in light} <= {ONE, ONE // 4}


def test_a_word_of_a_date_is_known_as_one() -> None:
    asked = ask("what tea in November or on the 3rd of December?", {})
    told = {asked.words[term] for term in asked.dated & asked.words.keys()}
    assert told == {"november", "exactly november", "3rd", "december", "exactly december"}


def test_nothing_is_asked_with_nothing() -> None:
    asked = ask("", NAMES)
    assert asked.words == {}
    assert asked.question.speaker is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("What did Ada say about tea?", "What did say about tea?"),
        ("what did ada larkspur's garden need, and ADA’s boat?", "what did garden need, and boat?"),
        ("Did Ada Smith ask Kim?", "Did Smith ask ?"),
        ("Larkspur and tea", "Larkspur and tea"),
        ("Ada's", "Ada's"),
        ("Kim's tea", "tea"),
        ("Ada, Kim?", "Ada, Kim?"),
        ("what  is there", "what  is there"),
        ("", ""),
    ],
)
def test_a_text_without_the_names_in_it(text: str, left: str) -> None:
    assert without_names(text, NAMES.values()) == left


def test_a_name_that_begins_as_every_sentence_does_stays() -> None:
    assert without_names("what is the plan?", ["The Plan", ""]) == "what is the plan?"
