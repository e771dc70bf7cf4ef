"""What a search by hand finds counts as it does in a prompt."""

from dnam.contexts import Context
from dnam.hits import DEEP, Sought, search
from projections.context import Request, assemble
from projections.events.values import Limits
from projections.ids import EventId, Point
from projections.messages import MessageRow
from projections.policies.compartments import direct, in_guild
from projections.retrieval import Vocabulary
from tests.projections.recall.house import ADA, GUILD, KIM, House, own_place, session
from tests.projections.recall.stage import HOUR, kept

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


def two_places() -> tuple[House, list[Context]]:
    """Among few, in one place with much and in one with little."""
    house = House()
    for place in ("busy", "quiet"):
        house.describe(place, "channel")
    for number in range(60):
        house.say("busy", f"something else, number {number}", after=7 * HOUR)
    house.say("busy", "green tea", after=7 * HOUR)
    house.say("quiet", "hello", after=7 * HOUR)
    house.say("quiet", "green tea", after=7 * HOUR)
    return house, [Context(session(place), house.setting(place)) for place in ("busy", "quiet")]


def test_of_several_places_what_is_found_has_one_scale() -> None:
    """A word tells as much in each of them: the later of two that say the same comes first."""
    house, places = two_places()
    found = search(house.rows, places, Sought("tea", house.said, 5, 5)).said
    (busy,) = search(house.rows, places[:1], Sought("tea", house.said, 5, 5)).said
    assert [hit.row.message.place.key for hit in found if isinstance(hit.row, MessageRow)] == ["quiet", "busy"]
    points = [sum(each.points for each in hit.reasons if each.field == "turn") for hit in (*found, busy)]
    assert points[0] == points[1] != points[2]
    kept_ready = search(kept(house.world), places, Sought("tea", house.said, 5, 5)).said
    assert kept_ready == found


def test_what_is_open_in_several_contexts_is_counted_once() -> None:
    house, places = two_places()
    guild = Context("", house.setting("busy"))
    one, both = (
        search(house.rows, each, Sought("tea", house.said, 5, 5)) for each in (places, [*places, guild, guild])
    )
    assert one == both


def test_of_several_people_what_is_known_has_one_scale() -> None:
    house = House()
    house.describe_direct(ADA)
    house.describe_direct(KIM)
    for number in range(20):
        house.know(f"has seen film number {number}", direct(ADA))
    house.know("likes tea", direct(ADA))
    house.know("likes tea", direct(KIM), KIM)
    where = [Context("", house.setting(own_place(each), each), said=False) for each in (ADA, KIM)]
    found = search(house.rows, where, Sought("tea", house.said, 5, 5)).items
    assert [(hit.item.owner, hit.score) for hit in found] == [(KIM, found[0].score), (ADA, found[0].score)]


def test_more_than_are_looked_through_are_listed_where_more_are_wanted() -> None:
    house = House()
    house.describe("general")
    for number in range(DEEP + 5):
        house.say("general", f"tea {number}")
    where = [Context(session("general"), house.setting("general"))]
    assert len(search(house.rows, where, Sought("tea", house.said, DEEP + 3, 5)).said) == DEEP + 3
