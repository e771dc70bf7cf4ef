"""What a search by hand finds counts as it does in a prompt."""

import pytest

from dnam import hits
from dnam.contexts import Context
from dnam.hits import DEEP, Hits, Sought, search
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
    found = search(house.rows, [Context(session("general"), house.setting("general"))], sought)
    return [(hit.item.text, hit.score, {each.field: each.points for each in hit.reasons}) for hit in found.items]


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
    found = search(house.rows, [Context(session("general"), house.setting("general"))], sought)
    assert len(found.said) == 30


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


def in_november() -> tuple[House, list[Context]]:
    """Three times the same rare words in the middle of a November, and something else all through the rest of it."""
    house = House()
    house.describe("general")
    for text in ("the harp concert in Lodz", "a harp concert, Lodz", "Lodz, and the concert of the harp"):
        house.say("general", text, after=7 * HOUR)
    for _ in range(45):
        house.say("general", "something else", after=7 * HOUR)
    return house, [Context(session("general"), house.setting("general"))]


def test_whether_anything_was_said_on_a_day_is_asked_of_all_and_not_of_what_is_listed() -> None:
    house, where = in_november()
    asked = "harp concert Lodz, 20 November 2023"
    few, many = (search(house.rows, where, Sought(asked, house.said, most, 5)) for most in (2, 100))
    assert few.said == many.said[:2]
    assert all("harp" in str(hit.row) for hit in few.said)
    assert not few.misses_day
    assert not many.misses_day
    assert search(house.rows, where, Sought(asked.replace("2023", "2022"), house.said, 2, 5)).misses_day


def test_where_something_was_said_on_the_day_what_shares_the_month_alone_is_listed_too() -> None:
    house, where = in_november()
    house.say("general", "until the end of November", after=7 * HOUR)
    last = [search(house.rows, where, Sought("20 November 2023", house.said, most, 5)).said[-1:] for most in (1, 100)]
    assert all(last)
    assert "until the end of November" in str(last[1])
    assert search(house.rows, where, Sought("20 November 2022", house.said, 100, 5)) == Hits(misses_day=True)


def test_what_only_narrowing_leaves_out_was_not_said_there_on_that_day() -> None:
    house, where = in_november()
    sought = Sought("20 November 2023", house.said, 5, 5)
    assert not search(house.rows, where, sought).misses_day
    assert search(house.rows, where, sought._replace(speaker=KIM)).misses_day
    assert search(house.rows, [], sought) == Hits(misses_day=True)


def test_as_many_are_listed_as_there_are_however_many_are_asked_for() -> None:
    house, where = in_november()
    for most in (1 << 62, 1 << 63, 10**30):
        assert len(search(house.rows, where, Sought("harp", house.said, most, most)).said) == 3


def test_what_is_known_and_only_new_is_no_hit_not_even_beside_one() -> None:
    house = shed()
    where = [Context(session("general"), house.setting("general"))]
    for text in ("zeppelin", "the build of a zeppelin"):
        sought = Sought(text, house.said, 5, 5, vocabulary=WORDS, beside=True)
        assert search(house.rows, where, sought).empty
    (hit,) = search(house.rows, where, Sought("shed", house.said, 5, 5, beside=True)).items
    assert hit.item.text == "a shed"


def test_what_is_new_takes_no_room_from_what_has_the_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that most have tells little: what is new and has none is worth more than that, and is no hit."""
    monkeypatch.setattr(hits, "DEEP", 2)
    house = House()
    house.describe("general")
    for number in range(6):
        house.know(f"tea {number}", in_guild(GUILD), updated=house.said - 30 * 24 * HOUR)
    for number in range(2):
        house.know(f"film {number}", in_guild(GUILD), updated=house.said)
    where = [Context(session("general"), house.setting("general"))]
    (hit,) = search(house.rows, where, Sought("tea", house.said, 1, 1)).items
    assert hit.item.text.startswith("tea")


def test_by_the_numbers_of_a_date_nothing_comes_before_what_was_said_on_it() -> None:
    """Said on 14 November, and the fives on the 20th."""
    house = House()
    house.describe("general")
    house.say("general", "hello")
    for _ in range(40):
        house.say("general", "something else", after=7 * HOUR)
    house.say("general", "five? 5! 11 and 14 of 5, 11, 14 cats", after=-28 * HOUR)
    where = [Context(session("general"), house.setting("general"))]
    for asked in ("14.11.2023", "2023-11-14", "14 November 2023", "on 14 November, in 2023"):
        said = search(house.rows, where, Sought(asked, house.said, 2, 5)).said
        assert "hello" in str(said[0].row)


def test_the_month_of_a_date_is_no_misspelt_name() -> None:
    house = shed()
    house.know("goes by Marcy", in_guild(GUILD))
    where = [Context(session("general"), house.setting("general"))]
    found = [search(house.rows, where, Sought(text, house.said, 5, 5)).items for text in ("marcj", "3 March 2026")]
    assert [len(each) for each in found] == [1, 0]
