"""Items ranked by recall: what answers first, standing guidance in front, behaviour only where it is spoken of."""

import msgspec
import pytest

from projections.context import Context, Request, assemble
from projections.durable import Sought, answers, matching, ranked, scoring_version
from projections.events.values import LeftOut, Limits, NearUse, Scoring
from projections.ids import NOBODY, EventId, Point
from projections.items import ITEMS
from projections.nearness import IN_OTHER_WORDS, Nearness, as_kept, nothing_near
from projections.policies.compartments import in_guild, opened
from projections.recall.scoring import VERSION as RECALL
from projections.retrieval import VERSION as DNAM
from projections.retrieval import Vocabulary
from tests.projections.recall.house import ADA, GUILD, KIM, House, session
from tests.projections.recall.test_meaning import Meanings, worth
from tests.world import NOW

WORDS = Vocabulary(frozenset({"what", "the", "and"}), frozenset({"build"}))
LIMITS = Limits(scoring="recall")
HERE = in_guild(GUILD)


@pytest.fixture
def house() -> House:
    house = House()
    house.describe("general")
    house.name(ADA, "Ada")
    return house


def prompt(house: House, text: str, limits: Limits = LIMITS, nearness: Nearness | None = None) -> Context:
    point = Point(house.said + 1, EventId(b"\xff" * 16))
    setting = house.setting("general")
    request = Request(setting, session("general"), point, "dnam", WORDS, text, limits, nearness=nearness)
    return assemble(house.rows, request)


def hits(house: House, text: str, limits: Limits = LIMITS) -> list[tuple[str, str]]:
    return [(hit.item.text, hit.reason) for hit in prompt(house, text, limits).memory.hits]


def test_a_rare_word_counts_more_than_a_common_one_and_the_rest_fills_the_room(house: House) -> None:
    for text in ("grows tall roses", "grows red beans", "grows old plums", "owns bees"):
        house.know(text, HERE)
    found = hits(house, "which grows tall, and roses?")
    assert found[0] == ("grows tall roses", "shares grows, roses, tall")
    assert found[-1] == ("owns bees", "fills the room that is left")
    assert len(found) == 4


def test_words_are_found_by_their_stems(house: House) -> None:
    house.know("owns a boat", HERE)
    house.know("is growing plums", HERE)
    assert hits(house, "who grows something, a plum?")[0][0] == "is growing plums"
    dnam = hits(house, "who grows something, a plum?", Limits())
    assert {reason for _, reason in dnam} == {"fills the room that is left"}


def test_boosts_are_told(house: House) -> None:
    house.know("a shed", HERE, kind="project", updated=house.said)
    assert hits(house, "the build?") == [("a shed", "a project, asked about one; updated within 7 days")]
    assert [hit.score for hit in prompt(house, "the build?").memory.hits] == [3 * 1024]


def test_guidance_stands_in_front_whatever_was_said(house: House) -> None:
    house.know("owns bees and bees", HERE)
    house.know("wants short answers", HERE, kind="guidance")
    assert [text for text, _ in hits(house, "bees?")] == ["wants short answers", "owns bees and bees"]


def kept(house: House, text: str, **limits: int) -> list[str]:
    return [each for each, _ in hits(house, text, msgspec.structs.replace(LIMITS, **limits))]


def test_guidance_is_none_of_the_items_that_are_counted(house: House) -> None:
    house.know("my train leaves at 7:40", HERE)
    house.know("owns a boat", HERE)
    ways = [f"answers in the way no. {number}" for number in range(15)]
    for number, way in enumerate(ways):
        house.know(way, HERE, kind="guidance", updated=house.said - number)
    assert kept(house, "when does my train leave?") == [*ways, "my train leaves at 7:40", "owns a boat"]
    assert kept(house, "when does my train leave?", items=1) == [*ways, "my train leaves at 7:40"]
    assert kept(house, "when does my train leave?", items=0) == [], "no items are wanted at all"
    left_out = prompt(house, "trains?", msgspec.structs.replace(LIMITS, items=1)).left_out
    assert [(each.block, each.why) for each in left_out] == [("durable", "over 1 items")]


def in_block(house: House, text: str, chars: int) -> str:
    """The first word of each item that stands in a block of so many characters."""
    context = prompt(house, text, msgspec.structs.replace(LIMITS, item_chars=chars))
    assert context.memory.durable.chars <= chars
    known = {hit.item.id for hit in context.memory.hits}
    assert known.isdisjoint(each.what for each in context.left_out)
    assert len(known) + len(context.left_out) == 8
    assert {each.why for each in context.left_out} <= {f"over {chars} characters"}
    return " ".join(hit.item.text.split()[0] for hit in context.memory.hits)


def test_guidance_leaves_half_of_the_characters_to_what_answers(house: House) -> None:
    long = "x" * 80  # lines of 128 to 137 characters, and one of 50
    for number, text in enumerate(("briefly", "earnestly", "plainly", "kindly")):
        house.know(f"{text} {long}", HERE, kind="guidance", updated=house.said - number)
    for number, text in enumerate((f"boat {long}", f"barge {long}", f"train at 7:40 {long}", "bicycle")):
        house.know(text, HERE, updated=house.said - 10 - number)
    assert in_block(house, "good morning", 560) == "briefly earnestly plainly kindly"
    assert in_block(house, "which train?", 560) == "briefly earnestly plainly train"
    assert in_block(house, "which train?", 420) == "briefly earnestly train"
    assert in_block(house, "which train?", 280) == "briefly train"
    assert in_block(house, "which train?", 270) == "briefly kindly", "what answers does not fit beside half of them"
    assert in_block(house, "which bicycle?", 560) == "briefly earnestly plainly bicycle"
    assert in_block(house, "which train?", 1000) == "briefly earnestly plainly kindly train boat barge bicycle"


def test_what_is_ranked_is_a_sequence_of_what_a_prompt_takes(house: House) -> None:
    for text, kind in (("owns bees", "fact"), ("wants short answers", "guidance"), ("owns a boat", "fact")):
        house.know(text, HERE, kind=kind)
    found = ranked(house.rows, opened(house.rows, house.setting("general")), Sought("bees?", "", NOW, WORDS), "recall")
    assert [hit.item.text for hit in found] == ["wants short answers", "owns bees", "owns a boat"]
    assert (len(found), found[1:], found[-1]) == (3, list(found)[1:], list(found)[2])


def test_behaviour_is_there_only_where_it_is_spoken_of(house: House) -> None:
    house.know("be gentle about exams", HERE, kind="behavioral")
    assert hits(house, "good morning, dear bees") == []
    assert hits(house, "my exam is tomorrow") == [("be gentle about exams", "shares exam")]
    assert len(hits(house, "good morning, dear bees", Limits())) == 1


def test_the_window_helps_a_short_message(house: House) -> None:
    house.know("grows plums", HERE)
    house.know("owns bees", HERE)
    house.say("general", "my plums are ripe")
    assert hits(house, "and the what?")[0] == ("grows plums", "shares plums")
    assert hits(house, "bees, bees hum")[0] == ("owns bees", "shares bees")


def test_only_what_is_active_and_holds_is_there(house: House) -> None:
    house.know("owns bees", HERE, status="forgotten")
    house.know("owned bees", HERE, valid_until=house.said)
    house.know("will own bees", HERE, valid_until=house.said + 1)
    house.know("lore of bees", HERE, NOBODY, about="guild")
    assert {text for text, _ in hits(house, "bees?")} == {"will own bees", "lore of bees"}


@pytest.mark.parametrize(
    ("limits", "version"),
    [
        (Limits(), DNAM),
        (Limits(passages=5), f"{DNAM} {RECALL}"),
        (Limits(scoring="recall"), RECALL),
        (Limits(scoring="recall", passages=5), RECALL),
    ],
)
def test_the_version_is_of_everything_that_scored(house: House, limits: Limits, version: str) -> None:
    assert scoring_version(limits) == version
    assert prompt(house, "hello", limits).policy == f"{version} context@7 compartments@2"


def test_the_one_word_that_is_asked_for_counts_more_than_all_that_was_said_before(house: House) -> None:
    for number, text in enumerate(("cat Miso", "dog Rex", "red bike", "oak desk", "two ponds", "broken oven")):
        house.know(f"has a {text}", HERE, updated=house.said + number)
    house.know("is allergic to peanuts", HERE)
    house.say("general", "The cat Miso and the dog Rex sat by the red bike and the oak desk, two ponds, an oven.")
    assert hits(house, "what and the peanuts?")[0][0] == "is allergic to peanuts"
    assert hits(house, "what and the?")[0][0] != "is allergic to peanuts", "nothing is asked for"


def near(house: House, note: str = "") -> tuple[Nearness, Meanings]:
    """To an encoder's side, whatever speaks of ale is near: what was recorded last the nearest."""
    meanings = Meanings(house.rows, "ale", note)
    return Nearness("tiny@1/2", meanings.among), meanings


def by_meaning(house: House, text: str, limits: Limits = LIMITS) -> Context:
    """The prompt, which is the same when it is made again by what counted."""
    context = prompt(house, text, limits, near(house)[0])
    seqs = {each.row.event: each.seq for each in house.rows.scan(ITEMS)}
    again = prompt(house, text, limits, as_kept("tiny@1/2", {seqs[each.event]: each.rank for each in context.nearest}))
    assert (again.digest, again.nearest, again.left_out) == (context.digest, context.nearest, context.left_out)
    return context


def events(house: House) -> dict[str, EventId]:
    return {each.row.item.text: each.row.event for each in house.rows.scan(ITEMS)}


def test_what_is_near_in_meaning_answers_and_says_so(house: House) -> None:
    house.know("grandpa brews ale", HERE)
    house.know("ale and beer are sold", HERE)
    for number in range(32):
        house.know(f"has room no. {number}", HERE, updated=house.said - number)
    assert "grandpa brews ale" not in [text for text, _ in hits(house, "beer?")]
    context = by_meaning(house, "beer?")
    assert [(hit.item.text, hit.reason) for hit in context.memory.hits[:2]] == [
        ("ale and beer are sold", "shares beer; near in meaning"),
        ("grandpa brews ale", "near in meaning"),
    ]
    assert context.memory.hits[1].score == worth(2)
    made = events(house)
    assert context.nearest == (NearUse(1, made["ale and beer are sold"]), NearUse(2, made["grandpa brews ale"]))
    assert prompt(house, "beer?", LIMITS, nothing_near("it is down")).digest == prompt(house, "beer?").digest


def test_whatever_is_near_is_kept_also_where_it_does_not_fit(house: House) -> None:
    for number in range(3):
        house.know(f"ale no. {number}", HERE)
    context = by_meaning(house, "beer?", msgspec.structs.replace(LIMITS, items=1))
    assert [hit.item.text for hit in context.memory.hits] == ["ale no. 2"]
    assert [use.rank for use in context.nearest] == [1, 2, 3]
    assert by_meaning(house, "beer?", msgspec.structs.replace(LIMITS, items=0)).nearest == (), "nothing may stand there"


def test_dnam_s_own_scoring_knows_no_meaning(house: House) -> None:
    house.know("grandpa brews ale", HERE)
    nearness, meanings = near(house)
    context = prompt(house, "beer?", Limits(), nearness)
    assert (context.memory, context.nearest) == (prompt(house, "beer?", Limits()).memory, ())
    assert meanings.known == []


def test_only_what_is_open_is_compared(house: House) -> None:
    house.know("grandpa brews ale", HERE)
    house.know("brews secret ale", f"person/{ADA.hex()}/direct")
    house.know("brews their own ale", HERE, KIM)
    house.know("brewed ale once", HERE, status="forgotten")
    nearness, meanings = near(house)
    prompt(house, "beer?", LIMITS, nearness)
    assert (meanings.handed, meanings.known) == ([[]], [["grandpa brews ale"]])


def test_behaviour_is_not_there_for_its_meaning_alone(house: House) -> None:
    house.know("be gentle about ale", HERE, kind="behavioral")
    context = by_meaning(house, "beer?")
    assert (context.memory.hits, context.nearest) == ((), ())


def test_guidance_leaves_room_for_what_is_near(house: House) -> None:
    for number in range(20):
        house.know(f"answers in the way no. {number} {'x' * 80}", HERE, kind="guidance")
    house.know("grandpa brews ale", HERE)
    assert "grandpa brews ale" not in [text for text, _ in hits(house, "beer?")]
    assert by_meaning(house, "beer?").memory.hits[-1].item.text == "grandpa brews ale"


def test_what_is_to_be_noted_of_an_encoder_is_noted_once(house: House) -> None:
    house.know("grandpa brews wine", HERE)
    noted = LeftOut("durable", IN_OTHER_WORDS, "it is down")
    assert prompt(house, "beer?", LIMITS, near(house, "it is down")[0]).left_out == (noted,)
    both = msgspec.structs.replace(LIMITS, passages=5, passage_chars=500)
    of_all = msgspec.structs.replace(noted, block="past")
    assert prompt(house, "beer?", both, near(house, "it is down")[0]).left_out == (of_all,)


@pytest.mark.parametrize(
    ("scoring", "found"), [("recall", ["has plums", "had plum trees and an old pear once"]), ("dnam", ["has plums"])]
)
def test_of_some_items_those_that_have_a_word_whatever_their_status(
    house: House, scoring: Scoring, found: list[str]
) -> None:
    house.know("owns a boat", HERE)
    house.know("had plum trees and an old pear once", HERE, status="forgotten")
    house.know("has plums", HERE)
    known, sought = list(house.rows.scan(ITEMS)), Sought("the plums", "", house.said, WORDS)
    assert [hit.item.text for hit in matching(known, sought, scoring)] == found
    assert matching([], sought, scoring) == []


@pytest.mark.parametrize("text", ["bees?", "bees and ale", "boats", "the", "what about boats and bees?"])
def test_what_answers_has_a_word_or_is_near_also_where_a_word_is_worth_nothing_for_all_have_it(
    house: House, text: str
) -> None:
    for number in range(60):
        house.know(f"keeps bees in hive {number}", HERE)
    house.know("brews ale", HERE)
    for nearness in (None, near(house)[0]):
        sought = Sought(text, "", house.said, WORDS, nearness)
        found = ranked(house.rows, opened(house.rows, house.setting("general")), sought, "recall")
        assert [answers(hit) for hit in found] == [bool(hit.overlap or getattr(hit, "near", 0)) for hit in found]
