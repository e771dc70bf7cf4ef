"""What a search by hand finds counts as it does in a prompt."""

from dnam.contexts import Context
from dnam.hits import Sought, search
from projections.context import Request, assemble
from projections.events.values import Limits
from projections.ids import EventId, Point
from projections.policies.compartments import in_guild
from projections.retrieval import Vocabulary
from tests.projections.recall.house import ADA, GUILD, House, session

WORDS = Vocabulary(frozenset({"the"}), frozenset({"build"}))
BUILD = "the build of a shed?"


def shed() -> House:
    """A project, and something else."""
    house = House()
    house.describe("general")
    house.name(ADA, "Ada")
    house.know("a shed", in_guild(GUILD), kind="project", updated=house.said)
    house.know("a fence", in_guild(GUILD))
    return house


def by_hand(house: House, text: str) -> list[tuple[str, int, dict[str, int]]]:
    sought = Sought(text, house.said, 5, 5, vocabulary=WORDS)
    hits = search(house.rows, [Context(session("general"), house.setting("general"))], sought)
    return [(hit.item.text, hit.score, {each.field: each.points for each in hit.reasons}) for hit in hits.items]


def test_what_speaks_of_a_project_counts_as_in_a_prompt() -> None:
    house = shed()
    where, point = house.setting("general"), Point(house.said + 1, EventId(b"\xff" * 16))
    request = Request(where, session("general"), point, "dnam", WORDS, BUILD, Limits(scoring="recall"))
    best = assemble(house.rows, request).memory.hits[0]
    ((text, score, fields),) = by_hand(house, BUILD)
    assert (text, score, fields["project"]) == (best.item.text, best.score, 2 * 1024)


def test_every_question_with_the_word_is_listed_where_everything_has_it() -> None:
    house = House()
    house.describe("general")
    for number in range(30):
        house.say("general", f"is release {number} out?")
    sought = Sought("release", house.said, 50, 5, vocabulary=WORDS)
    hits = search(house.rows, [Context(session("general"), house.setting("general"))], sought)
    assert len(hits.said) == 30


def test_what_does_not_is_scored_without() -> None:
    ((_, _, fields),) = by_hand(shed(), "the shed?")
    assert "project" not in fields
