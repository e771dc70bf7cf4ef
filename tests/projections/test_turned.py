"""What has somebody's words and turns them round: denies them, ends them, or says them of somebody else."""

import pytest

from dnam.guarding import guarding_of
from dnam.languages import Language, load
from projections.policies.turned import DENIED, OF_OTHERS, OVER, STILL, VERSION, turned
from projections.policies.verdict import Verdict

ENGLISH = guarding_of(load("en"))

REFUSED = (
    ("Remember that I like green tea", "I don't like green tea", DENIED),
    ("Remember that I like green tea", "I do not like green tea", DENIED),
    ("Remember that I like green tea", "I never like green tea", DENIED),
    ("I eat meat every day", "I don't eat meat", DENIED),
    ("I eat meat every day", "User doesn't eat meat", DENIED),
    ("I am allergic to nuts", "I am not allergic to nuts", DENIED),
    ("I can swim and I live in Bergen", "I can't swim", DENIED),
    ("I can swim but I don't live in Bergen", "I can't swim", DENIED),
    ("I like tea, not coffee", "I don't like tea", DENIED),
    ("No I like tea", "I don't like tea", DENIED),
    ("It's not a secret that I like tea", "I don't like tea", DENIED),
    ("I don't often eat meat", "I don't eat meat", DENIED),
    ("I just like green tea", "I don't like green tea", DENIED),
    ("I don't eat meat and I like fish", "I don't eat fish", DENIED),
    ("I live in Oslo, and without sugar I drink coffee", "I live without Oslo", DENIED),
    ("I have kids. There are no cats here", "I have no kids", DENIED),
    ("I work at Acme", "I no longer work at Acme", DENIED),
    ("I work at Acme", "I used to work at Acme", OVER),
    ("I work at Acme. I used to live in Oslo", "I used to work at Acme", OVER),
    ("I used to work at Acme", "I work at Acme", STILL),
    ("My sister hates tea", "I hates tea", OF_OTHERS),
    ("My sister hates tea", "I hate tea", OF_OTHERS),
    ("My sister hates tea", "hates tea", OF_OTHERS),
    ("Remember that my sister hates tea", "User hates tea", OF_OTHERS),
    ("My sister hates tea", "My tea hates sister", OF_OTHERS),
    ("My sister is older than Ben", "Ben is older than sister", OF_OTHERS),
    ("My sister's name is Anna", "my name is Anna", OF_OTHERS),
    ("She hates tea", "I hate tea", OF_OTHERS),
    ("My little sister hates tea", "My little tea hates sister", OF_OTHERS),
)
"""What was said, a note, and why it is not theirs."""

KEPT = (
    ("I don't like green tea", "I don't like green tea"),
    ("I don't like green tea", "User does not like green tea"),
    ("I don't really like jazz", "I don't like jazz"),
    ("I'm not allergic to nuts", "not allergic to nuts"),
    ("I never drink coffee", "never drinks coffee"),
    ("I have no kids", "User has no kids"),
    ("I have no kids", "I don't have kids"),
    ("No sugar in my tea please", "no sugar in tea"),
    ("I can't swim and I live in Bergen", "I can't swim, and I live in Bergen"),
    ("I no longer work at Acme", "I no longer work at Acme"),
    ("I used to work at Acme", "I used to work at Acme"),
    ("I used to work at Acme", "I worked at Acme"),
    ("I used to work at Acme. Now I work at Acme again", "I work at Acme"),
    ("I drink coffee without milk", "drinks coffee without milk"),
    ("I like tea, not coffee", "I like tea, not coffee"),
    ("I like tea", "not"),
    ("I don't eat meat or fish", "User doesn't eat fish"),
    ("I don't eat meat or fish", "I don't eat meat or fish"),
    ("My sister hates tea", "My sister hates tea"),
    ("My sister hates tea", "User's sister hates tea"),
    ("My sister hates tea", "I have a sister who hates tea"),
    ("My little sister hates tea", "my sister hates tea"),
    ("My sister hates tea, and I hate tea", "I hate tea"),
    ("My sister says I hate tea", "I hate tea"),
    ("My dog is called Rolf", "Rolf is my dog"),
    ("My dog is called Rolf", "my dog is called Rolf"),
    ("My name is Tom", "I am Tom"),
    ("They call me Tom", "called Tom"),
    ("She hates tea", "she hates tea"),
    ("I moved here with my sister", "moved here with sister"),
    ("The kettle is in my shed", "kettle in shed"),
    ("It is my", "is"),
    ("I like my dog. Rolf", "Rolf"),
    ("Ich mag keinen Tee", "mag Tee"),
)


def judged(text: str, said: str) -> Verdict | None:
    return turned(text, [said], ENGLISH.asserting, ENGLISH.turned)


@pytest.mark.parametrize(("said", "text", "why"), REFUSED)
def test_what_they_did_not_say_is_not_noted(said: str, text: str, why: str) -> None:
    assert judged(text, said) == Verdict(f"{why}: only what they say can be noted down", VERSION)


@pytest.mark.parametrize(("said", "text"), KEPT)
def test_what_they_said_or_may_have_said_is(said: str, text: str) -> None:
    assert judged(text, said) is None


def test_it_may_be_said_in_any_of_their_messages() -> None:
    said = ["I like tea", "I don't like coffee"]
    assert turned("I like tea, and I don't like coffee", said, ENGLISH.asserting, ENGLISH.turned) is None
    assert turned("I don't like tea, and I like coffee", said, ENGLISH.asserting, ENGLISH.turned) is not None


def test_where_no_words_of_a_language_are_known_nothing_is_judged() -> None:
    nothing = guarding_of(Language("xx"))
    assert turned("I don't like tea", ["I like tea"], nothing.asserting, nothing.turned) is None
