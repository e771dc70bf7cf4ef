"""Who may be named, found by the first word of their name."""

from projections.ids import NOBODY
from projections.recall.called import Called
from tests.world import handle

ADA, KIM, SAM, OTHER_SAM = (handle(name) for name in ("ada", "kim", "sam", "other sam"))


def called(**names: str) -> Called:
    made = Called()
    for who, name in names.items():
        made.call(handle(who), name)
    return made


def test_people_go_by_the_first_word_of_their_names() -> None:
    made = called(ada="Ada Larkspur", kim="kim ✨", tobi="✨", nobody="")
    assert made.by(["ada"]) == [ADA]
    assert made.by(["larkspur", "kim", "ada"]) == sorted([ADA, KIM])
    assert made.by(["✨", "adamant"]) == []
    assert made.names[ADA] == "Ada Larkspur"


def test_several_may_go_by_one_name() -> None:
    made = Called()
    made.call(SAM, "Sam")
    made.call(OTHER_SAM, "Sam the other")
    assert made.by(["sam"]) == sorted([SAM, OTHER_SAM])


def test_whoever_is_called_otherwise_does_not_go_by_the_old_name() -> None:
    made = called(kim="Kim")
    made.call(KIM, "Kimberly")
    assert (made.by(["kim"]), made.by(["kimberly"])) == ([], [KIM])


def test_each_is_looked_up_once_and_again_when_they_may_be_called_otherwise() -> None:
    made = Called()
    assert made.unknown([KIM, NOBODY]) == [KIM, NOBODY]
    assert made.unknown([KIM, NOBODY]) == []
    made.call(KIM, "Kim")
    made.forget([KIM, ADA])
    assert made.unknown([KIM, NOBODY, ADA]) == [ADA, KIM]
    assert made.unknown([KIM, NOBODY, ADA]) == []
