"""The ranking of items against an oracle that looks at every one: what is found, and what stands in a prompt."""

from collections.abc import Mapping, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from projections.durable import Sought, ranked
from projections.events.values import Audience, Item, Scoring
from projections.ids import NOBODY, Handle, Ref, Seq
from projections.items import ITEMS
from projections.nearness import Near, Nearness, Seqs, as_kept
from projections.policies.compartments import Setting, opened
from projections.recall.search import Wanted, items
from projections.retrieval import Vocabulary
from projections.rows import Rows
from tests.projections.items import an_item, there_is
from tests.projections.recall import oracle_items
from tests.projections.recall.oracle_items import NOTHING_NEAR, WEEK, Ranks, Said, address, near_ranks
from tests.world import NOW, World, handle

EVERYTHING = 1000
LANGUAGE = Vocabulary(frozenset({"the", "and", "over"}), frozenset({"deploy", "garden"}))
WINDOW = "is the garden green, or does snow lie on the boat?"
"""The conversation before what is asked."""
ADA, KIM = handle("ada"), handle("kim")
GUILD, CHANNEL, DIRECT = Ref("discord", "9"), Ref("discord", "1"), Ref("discord", f"dm:{ADA.hex()}")
OWN = tuple(f"person/{ADA.hex()}/{each}" for each in ("direct", "everywhere", f"channel/{CHANNEL}"))
ADDRESSES = (
    *((ADA, each) for each in (f"guild/{GUILD}", *OWN)),
    *((NOBODY, each) for each in ("self", "owner", f"guild/{GUILD}", f"channel/{CHANNEL}")),
    *((KIM, each) for each in (f"guild/{GUILD}", f"person/{KIM.hex()}/everywhere")),
    (ADA, "channel/discord:2"),
)
"""Most are open somewhere."""
SETTINGS = [
    Setting(person, audience, None if audience.kind == "direct" else GUILD, besides)
    for audience in (Audience("guild", CHANNEL), Audience("channel", CHANNEL), Audience("direct", DIRECT))
    for person in (ADA, ADA, KIM, NOBODY)
    for besides in ((), ("owner",))
]
TEXTS = (
    "grows tea",
    "the garden, the green garden",
    "boats in the snow",
    "deploys the boat " * 9,
    "tea",
    "many boats",
    "says talk",
)
THERE = st.builds(
    lambda text, at, **fields: an_item(text, owner=at[0], compartment=at[1], **fields),
    st.sampled_from(TEXTS),
    st.sampled_from(ADDRESSES),
    id=st.sampled_from(("durable-a", "durable-b", "durable-c")),
    kind=st.sampled_from(("fact", "fact", "project", "guidance", "behavioral")),
    tags=st.sampled_from(((), ("tea", "boats"))),
    status=st.sampled_from(("active", "active", "active", "forgotten", "merged")),
    updated=st.sampled_from((NOW, NOW, NOW - 1, NOW + WEEK)),
    valid_until=st.sampled_from((None, None, NOW, NOW + WEEK)),
)
ASKED = st.lists(
    st.sampled_from(
        (
            "tea",
            "gardens",
            "boat",
            "the",
            "gardne",
            "snow",
            "deploy",
            "fact",
            "deploiys",
            "how many",
            "many",
            "did",
            "say",
            "talk about",
            "tae",
            "baot",
        )
    ),
    max_size=4,
).map(" ".join)
WHEN = st.sampled_from((0, 1, -1, WEEK, WEEK + 1, WEEK - 1, -WEEK, -WEEK - 1, 2 * WEEK, 2 * WEEK + 1))


Shown = tuple[Handle, str, str, int]
"""An item's address, and its score."""
SCORINGS: tuple[Scoring, ...] = ("recall", "dnam")


def items_agree(rows: Rows, plain: Rows, wanted: Wanted, near: Ranks = NOTHING_NEAR) -> None:
    """What is found in rows, and what stands in a prompt, is what counting finds in the same rows, of which some may be
    `near`.
    """
    assert found_items(rows, wanted) == counted_items(plain, wanted, near)
    for scoring in SCORINGS:
        assert in_prompt(rows, wanted, scoring) == counted_in_prompt(plain, wanted, scoring, near)


def found_items(rows: Rows, wanted: Wanted) -> list[Shown]:
    return [shown(each.item, each.score) for each in items(rows, wanted, EVERYTHING)]


def counted_items(plain: Rows, wanted: Wanted, near: Ranks) -> list[Shown]:
    """Of those in the room too, but not how they are to be answered."""
    addresses = oracle_items.open_to(plain, wanted.setting, wanted.room)
    there = oracle_items.items_in(plain, addresses, wanted.said)
    looked = oracle_items.looked_in(there, wanted.text)
    ranking = oracle_items.ranked(there, looked.shares, wanted.said, near)
    told = [each for each in ranking if is_told(each.item, wanted.setting.person)]
    return [shown(each.item, each.score) for each in told if each.score > 0]


def is_told(item: Item, asker: Handle) -> bool:
    return item.owner in (asker, NOBODY) or item.kind not in ("guidance", "behavioral")


def in_prompt(rows: Rows, wanted: Wanted, scoring: Scoring) -> list[Shown]:
    sought = Sought(wanted.text, WINDOW, wanted.said, LANGUAGE, wanted.nearness)
    return [shown(each.item, each.score) for each in ranked(rows, opened(rows, wanted.setting), sought, scoring)]


def counted_in_prompt(plain: Rows, wanted: Wanted, scoring: Scoring, near: Ranks) -> list[Shown]:
    there, message = open_items(plain, wanted), Said(wanted.text, WINDOW, wanted.said)
    if scoring == "dnam":
        return [shown(item, score) for item, score in oracle_items.as_dnam(there, message, LANGUAGE)]
    return [shown(each.item, each.score) for each in oracle_items.for_prompt(there, message, LANGUAGE, near)]


def open_items(plain: Rows, wanted: Wanted) -> list[Item]:
    return oracle_items.items_in(plain, oracle_items.open_to(plain, wanted.setting), wanted.said)


def shown(item: Item, score: int) -> Shown:
    return item.owner, item.compartment, item.id, score


@settings(max_examples=200)
@given(
    st.lists(THERE, min_size=6, max_size=24), st.sampled_from(SETTINGS), st.lists(ASKED, min_size=1, max_size=3), WHEN
)
def test_items_stand_where_counting_puts_them(
    there: Sequence[Item], setting: Setting, asked: Sequence[str], when: int
) -> None:
    world = World()
    there_is(world, *there)
    for text in asked:
        items_agree(world.rows, world.rows, Wanted(text, setting, "", NOW + when))


def meaning(rows: Rows, cosines: Mapping[str, int]) -> Nearness:
    """An encoder's side that knows how near texts are."""
    texts = {each.seq: each.row.item.text for each in rows.scan(ITEMS)}

    def among(said: Seqs, known: Sequence[Seq]) -> Near:
        assert not said
        near = [(-cosines[texts[seq]], -seq, at) for at, seq in enumerate(known) if texts[seq] in cosines]
        return Near(known={at: -cosine for cosine, _, at in sorted(near)})

    return Nearness("tiny@1/2", among)


@settings(max_examples=200)
@given(
    st.lists(THERE, min_size=6, max_size=24),
    st.sampled_from(SETTINGS),
    st.lists(ASKED, min_size=1, max_size=3),
    st.dictionaries(st.sampled_from(TEXTS), st.integers(300, 304)),
)
def test_items_that_are_near_stand_where_counting_puts_them(
    there: Sequence[Item], setting: Setting, asked: Sequence[str], cosines: Mapping[str, int]
) -> None:
    world = World()
    there_is(world, *there)
    seqs = {address(each.row.item): each.seq for each in world.rows.scan(ITEMS)}
    for text in asked:
        wanted = Wanted(text, setting, "", NOW, nearness=meaning(world.rows, cosines))
        near = near_ranks(open_items(world.rows, wanted), cosines, seqs)
        items_agree(world.rows, world.rows, wanted, near)
        kept = as_kept("tiny@1/2", {seqs[place]: rank for place, rank in near.items()})
        items_agree(world.rows, world.rows, wanted._replace(nearness=kept), near)
