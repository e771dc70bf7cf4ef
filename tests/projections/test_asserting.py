"""What has somebody's words and says what they did not: the opposite, what they asked, what would be."""

import pytest

from dnam.guarding import guarding_of
from dnam.languages import Language, load
from projections.policies.asserting import VERSION, unasserted

ENGLISH = guarding_of(load("en")).asserting

REFUSED = (
    ("No I don't like green tea", "I like green tea"),
    ("no, I don't like green tea", "I like green tea"),
    ("I have no kids", "has kids"),
    ("I love not working", "I love working"),
    ("I don't like green tea at all", "I like green tea"),
    ("I don’t like green tea.", "likes green tea"),
    ("I do not like green tea", "I like green tea"),
    ("I never said my dog is called Rolf", "my dog is called Rolf"),
    ("Do I like green tea?", "I like green tea"),
    ("Do I like green tea?", "likes green tea"),
    ("If I move to Paris, I'll need a flat", "I move to Paris"),
    ("If I move to Paris…", "moves to Paris"),
    ("I'm not a morning person", "I'm a morning person"),
    ("I am not a morning person", "is a morning person"),
    ("My dog isn't called Rolf", "my dog is called Rolf"),
    ("My name isn't Tom", "my name is Tom"),
    ("I don't eat meat", "I eat meat"),
    ("I never drink coffee", "drinks coffee"),
    ("No sugar in my tea please", "sugar in my tea"),
    ("I don't really like jazz", "I like jazz"),
    ("I don't think I like jazz", "I like jazz"),
    ("Is my dog called Rolf?", "my dog is called Rolf"),
    ("Am I vegan?", "I am vegan"),
    ("Should I move to Paris?", "I move to Paris"),
    ("I don't live in Oslo anymore, I live in Bergen", "I live in Oslo"),
    ("hmm. I have never been to Japan. bye", "I have been to Japan"),
    ("Unless I move to Paris, all is well", "I move to Paris"),
    ("I can't swim", "I swim"),
    ("I do not have a cat", "has a cat"),
    ("I don't like tea and I hate coffee", "I like tea"),
    ("Whether I like jazz", "I like jazz"),
    ("I didn't study physics", "I studied physics"),
    ("I'm not allergic to nuts", "is allergic to nuts"),
    ("We don't own a boat", "owns a boat"),
    ("Do I own a boat?", "owns a boat"),
    ("I was never married", "I was married"),
)
"""What was said, and a note that it does not bear."""

KEPT = (
    ("No not only jazz", "jazz"),
    ("I'm not from here, I'm from Oslo", "from Oslo"),
    ("Not gonna lie I like jazz", "likes jazz"),
    ("If possible I prefer tea", "prefers tea"),
    ("If I had to choose I like tea best", "likes tea best"),
    ("Can I have a vegan meal?", "vegan"),
    ("I do not like tea with sugar", "likes tea"),
    ("I have no kids", "has no kids"),
    ("I don't eat meat", "does not eat meat"),
    ("I don't eat meat", "vegetarian"),
    ("I don't eat meat", "I don't eat meat"),
    ("I'm not a morning person", "not a morning person"),
    ("No sugar in my tea please", "takes tea without sugar"),
    ("No sugar in my tea please", "no sugar in tea"),
    ("If you need me, I'm in Oslo", "in Oslo"),
    ("If you need me I'm in Oslo", "I'm in Oslo"),
    ("I like green tea", "I like green tea"),
    ("I like green tea, don't I?", "I like green tea"),
    ("No, I like green tea", "I like green tea"),
    ("No I like green tea", "I like green tea"),
    ("I don't like coffee, I like green tea", "I like green tea"),
    ("I don't like coffee but I like green tea", "I like green tea"),
    ("I've never been to Oslo and I like green tea", "I like green tea"),
    ("Don't forget that my dog is called Rolf", "my dog is called Rolf"),
    ("Never forget I like green tea", "I like green tea"),
    ("I can't believe my dog is called Rolf", "my dog is called Rolf"),
    ("Can you remember that I like green tea?", "I like green tea"),
    ("Could you note that I'm vegan?", "I'm vegan"),
    ("Did you know I like green tea?", "I like green tea"),
    ("Have I told you that I like green tea?", "I like green tea"),
    ("Am I the only one who likes green tea?", "likes green tea"),
    ("I'm vegan, what can I eat?", "I'm vegan"),
    ("Is my dog Rolf allowed on the sofa?", "my dog Rolf"),
    ("Isn't my dog cute?", "my dog is cute"),
    ("Do I like green tea? Yes!", "I like green tea"),
    ("I don't drink coffee after noon", "I drink coffee"),
    ("I don't just like green tea, I love it", "I like green tea"),
    ("Not only do I like green tea", "I like green tea"),
    ("I never drink coffee without milk", "I drink coffee with milk"),
    ("I can't live without my dog Rolf", "my dog Rolf"),
    ("I couldn't be happier in Oslo", "happy in Oslo"),
    ("I can't stop drinking green tea", "drinks green tea"),
    ("I can't wait to move to Paris", "move to Paris"),
    ("If I remember correctly my dog is called Rolf", "my dog is called Rolf"),
    ("If I'm honest I like green tea", "I like green tea"),
    ("My dog that doesn't bark is called Rolf", "my dog is called Rolf"),
    ("The dog I never wanted is called Rolf", "dog is called Rolf"),
    ("I live in Oslo, not far from the sea", "I live in Oslo"),
    ("I do not live in Oslo. I live in Bergen", "I live in Bergen"),
    ("I don't like green tea. Wait, I like green tea", "I like green tea"),
    ("I like tea, not coffee", "I like tea"),
    ("I don't mind that my dog is called Rolf", "my dog is called Rolf"),
    ("There is nothing I like more than green tea", "I like green tea"),
    ("Nobody knows that I like green tea", "I like green tea"),
    ("Why do I like green tea?", "I like green tea"),
    ("I don't know anybody here, my dog is called Rolf", "my dog is called Rolf"),
    ("When I move to Paris I need a flat", "move to Paris"),
    ("I like green tea if it is hot", "I like green tea"),
    ("Don't you think I like green tea?", "I like green tea"),
    ("It's not a secret that I like green tea", "I like green tea"),
    ("Ich mag keinen Tee", "mag Tee"),
    ("I hate coffee", "hates coffee"),
    ("I stopped smoking", "I smoke"),
    ("I'm not sure but I live in Oslo", "I live in Oslo"),
    ("I can't eat nuts", "can't eat nuts"),
    ("I never lie. My dog is called Rolf.", "my dog is called Rolf"),
    ("I don't care what they say, I like jazz", "I like jazz"),
    ("I am not only a baker", "I am a baker"),
    ("I'm not alone: I have a cat", "I have a cat"),
    ("Remember: I'm allergic to nuts!", "allergic to nuts"),
    ("I don't have a cat, I have a dog", "has a dog"),
    ("Please don't call me Bob", "don't call me Bob"),
    ("I won't deny that I like jazz", "I like jazz"),
)
"""What was said, and a note that is true of it, or may be."""


@pytest.mark.parametrize(("said", "text"), REFUSED)
def test_what_was_not_said_to_be_so_is_refused(said: str, text: str) -> None:
    verdict = unasserted(text, [said], ENGLISH)
    assert verdict is not None
    assert verdict.policy == VERSION


@pytest.mark.parametrize(("said", "text"), KEPT)
def test_what_was_said_or_may_have_been_is_kept(said: str, text: str) -> None:
    assert unasserted(text, [said], ENGLISH) is None


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("I don't like jazz", "that it is not"),
        ("Do I like jazz?", "asked whether it is"),
        ("If I like jazz, I'll tell you", "what would be if it were"),
    ],
)
def test_why_is_told(said: str, why: str) -> None:
    verdict = unasserted("I like jazz", [said], ENGLISH)
    assert verdict is not None
    assert why in verdict.reason


def test_one_who_says_it_elsewhere_has_said_it() -> None:
    assert unasserted("I like jazz", ["I don't like jazz", "I like jazz now"], ENGLISH) is None
    assert unasserted("I like jazz", ["I don't like jazz", "jazz it is"], ENGLISH) is not None


def test_a_note_of_small_words_and_one_in_a_language_without_a_list_are_not_judged() -> None:
    assert unasserted("it is", ["it is not"], ENGLISH) is None
    assert unasserted("I like jazz", ["I don't like jazz"], guarding_of(Language("xx")).asserting) is None
