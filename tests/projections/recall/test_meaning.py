"""What is near in meaning beside what words find: only what may be found is ever compared, and the order is one."""

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import cast

import msgspec
import numpy as np
import pytest

from projections.events.values import NearUse
from projections.ids import EventId, Seq
from projections.items import ITEMS
from projections.messages import MESSAGES
from projections.nearness import Meant, Near, Nearness, Seqs, as_kept, nothing_near
from projections.recall import meaning
from projections.recall.corpus import Corpus
from projections.recall.meaning import Nearby, nearby
from projections.recall.opened import Part
from projections.recall.search import Answers, Reason, Said, Wanted, answers, nameless, said
from projections.recall.seeds import everything
from projections.rows import Rows
from tests.projections.recall.house import ADA, KIM, OTHER_GUILD, House, ref, rests_on, session
from tests.projections.recall.stage import HOUR, kept
from tests.projections.recall.test_search import LORE, furnished, texts
from tests.world import NOW


class Meanings:
    """An encoder's side to which the texts with a word are near, the last recorded nearest, and items that have it
    nearer than those; it keeps what it was handed.
    """

    def __init__(self, rows: Rows, word: str, note: str = "") -> None:
        self._texts = {each.seq: each.row.message.text for each in rows.scan(MESSAGES)}
        self._texts |= {each.seq: each.row.item.text for each in rows.scan(ITEMS)}
        self._word, self._note = word, note
        self.handed: list[list[str]] = []
        self.known: list[list[str]] = []

    def among(self, said: Seqs, known: Sequence[Seq]) -> Near:
        self.handed.append([self._texts.get(seq, "an answer") for seq in said])
        self.known.append([self._texts[seq] for seq in known])
        return Near(self._near(said, 500), self._near(known, 700), self._note)

    def _near(self, seqs: Seqs, cosine: int) -> dict[int, int]:
        near = sorted((seq, index) for index, seq in enumerate(seqs) if self._word in self._texts.get(seq, ""))
        return {index: cosine - number for number, (_, index) in enumerate(reversed(near))}


@pytest.fixture
def house() -> House:
    return furnished()


def wanted(house: House, text: str, meanings: Meanings, place: str = "general") -> Wanted:
    nearness = Nearness("tiny@1/2", meanings.among)
    return Wanted(text, house.setting(place), session(place), NOW, nearness=nearness)


def finds(house: House, look: Wanted, most: int = 10) -> Answers:
    """What is found, the same with and without what is kept ready, and again by what counted."""
    plain = answers(house.rows, look, most)
    assert answers(kept(house.world), look, most) == plain
    assert said(house.rows, look, most) == plain.said
    again = answers(house.rows, look._replace(nearness=as_kept("tiny@1/2", ranks_of(house, plain))), most)
    assert [(each.id, each.score) for each in again.said] == [(each.id, each.score) for each in plain.said]
    assert again.nearest == plain.nearest
    return plain


def ranks_of(house: House, found: Answers) -> dict[Seq, int]:
    """The ranks of what counted, as they are handed in again."""
    seqs = {each.row.event: each.seq for each in house.rows.scan(MESSAGES)}
    return {seqs[each.event]: each.rank for each in found.nearest}


def points(hit: Said) -> Mapping[str, int]:
    """What its nearness in meaning gives to a hit."""
    return {each.field: each.points for each in hit.reasons if "meaning" in each.field}


def worth(rank: int) -> int:
    return 10 * 10 * 1024 // (10 + rank)


def test_what_only_its_meaning_finds_is_there_and_says_so(house: House) -> None:
    first = house.say("general", "grandpa brews ale")
    house.say("general", "the roof is red", after=9 * HOUR)
    last = house.say("general", "ale again", after=9 * HOUR)
    found = finds(house, wanted(house, "beer", Meanings(house.rows, "ale")))
    assert texts(found.said) == ["ale again", "grandpa brews ale"]
    assert [points(each) for each in found.said] == [
        {"meaning": worth(rank), "near meaning": worth(rank) // 2} for rank in (1, 2)
    ]
    assert found[1:3] == ("", (NearUse(1, last), NearUse(2, first)))


def test_it_counts_beside_words_and_a_score_is_the_sum_of_its_reasons(house: House) -> None:
    for text in ("beer is fine", "grandpa brews ale", "beer or ale", "the roof is red"):
        house.say("general", text, after=40 * HOUR)
    found = finds(house, wanted(house, "beer", Meanings(house.rows, "ale"))).said
    assert texts(found)[0] == "beer or ale"
    assert set(texts(found)) == {"beer is fine", "grandpa brews ale", "beer or ale"}
    assert points(found[0])["meaning"] == worth(1)
    for each in found:
        assert each.score == sum(reason.points for reason in each.reasons)
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


def test_what_is_said_near_what_is_near_counts_half(house: House) -> None:
    for text in ("ale one", "yes", "indeed", "so it is"):
        house.say("general", text)
    found = {
        texts((each,))[0]: points(each)
        for each in finds(house, wanted(house, "beer", Meanings(house.rows, "ale"))).said
    }
    half = worth(1) // 2
    assert found == {
        "ale one": {"meaning": worth(1), "near meaning": half},
        "yes": {"near meaning": half},
        "indeed": {"near meaning": half},
    }


def test_whatever_counted_is_kept_also_where_it_is_not_among_the_best(house: House) -> None:
    near = house.say("general", "is there ale?")
    house.say("general", "beer barrels lie in the cellar")
    for number in range(40):
        house.say("garden", "more ale" if number < 8 else "nothing", after=9 * HOUR)
    found = finds(house, wanted(house, "beer barrels in a cellar", Meanings(house.rows, "ale")), 1)
    assert texts(found.said) == ["beer barrels lie in the cellar"]
    assert found.nearest == (NearUse(9, near),)


def test_the_nearest_item_that_rests_on_it_brings_something_near(house: House) -> None:
    heard = house.say("general", "since last June, yes")
    house.say("general", "no ale here", after=9 * HOUR)
    house.know("brews ale", LORE, evidence=rests_on(heard))
    house.know("sells no ale", LORE, evidence=rests_on(heard))
    found = finds(house, wanted(house, "beer", Meanings(house.rows, "ale"))).said
    assert texts(found) == ["since last June, yes", "no ale here"]
    assert points(found[0]) == {"fact meaning": worth(1), "near meaning": worth(1) // 2}
    assert Reason("fact meaning", "", worth(1)) in found[0].reasons
    assert points(found[1]) == {"meaning": worth(2), "near meaning": worth(2) // 2}


def test_its_own_text_counts_where_no_item_is_nearer(house: House) -> None:
    heard = house.say("general", "grandpa brews ale")
    made = house.know("makes drinks", LORE, evidence=rests_on(heard))
    seqs = {each.row.item.text: each.seq for each in house.rows.scan(ITEMS)}

    def among(said: Seqs, known: Sequence[Seq]) -> Near:
        assert known == [seqs[made.text]]
        return Near({0: 500}, {0: 500})

    look = Wanted("beer", house.setting("general"), session("general"), NOW, nearness=Nearness("tiny@1/2", among))
    (hit,) = finds(house, look).said
    assert set(points(hit)) == {"meaning", "near meaning"}


def test_of_what_is_as_near_the_last_recorded_is_nearer(house: House) -> None:
    for text in ("ale one", "ale two", "ale three"):
        house.say("general", text, after=9 * HOUR)
    near = Nearness("tiny@1/2", lambda said, known: Near(dict.fromkeys(range(len(said)), 500)))
    look = Wanted("beer", house.setting("general"), session("general"), NOW, nearness=near)
    assert texts(finds(house, look).said) == ["ale three", "ale two", "ale one"]


def test_no_more_are_ranked_than_were_measured_and_the_last_recorded_first(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meaning, "MOST_NEAR", 3)
    heard = [house.say("general", f"yes {number}", after=9 * HOUR) for number in range(3)]
    house.say("general", "ale", after=9 * HOUR)
    house.say("general", "more ale", after=9 * HOUR)
    house.know("brews ale", LORE, evidence=rests_on(*heard[:2]))
    found = finds(house, wanted(house, "beer", Meanings(house.rows, "ale"))).said
    assert texts(found) == ["yes 1", "yes 0", "more ale"]


def test_no_more_than_the_limit(house: House) -> None:
    for number in range(5):
        house.say("general", f"ale {number}")
    assert len(finds(house, wanted(house, "beer", Meanings(house.rows, "ale")), 2).said) == 2


def test_however_much_was_said_all_of_it_is_compared() -> None:
    many = 100_001
    every = np.ones(many, np.bool_)
    columns = SimpleNamespace(alive=every, touched=~every, size=many, seqs=np.arange(1, many + 1))
    corpus = cast("Corpus", columns)
    handed: list[int] = []

    def among(said: Seqs, known: Sequence[Seq]) -> Near:
        handed.append(len(said))
        return Near({0: 900})

    found = nearby([Part(corpus, None)], [everything(corpus)], Nearness("tiny@1/2", among), [], lambda _: ())
    assert (found, handed) == (Nearby({(0, 0): Meant(1)}), [many])


def test_where_nothing_is_open_nothing_is_compared(house: House) -> None:
    house.say("general", "ale one")
    meanings = Meanings(house.rows, "ale")
    own = house.describe_direct(KIM)
    look = wanted(house, "beer", meanings)._replace(setting=house.setting(own, ADA), session=session(own))
    assert (finds(house, look), meanings.handed) == (Answers(()), [[]] * 3)


def test_a_note_is_handed_on_and_without_ranks_words_decide(house: House) -> None:
    house.say("general", "beer is fine")
    found = finds(house, wanted(house, "beer", Meanings(house.rows, "nothing", "the encoder is down")))
    assert (texts(found.said), found.note) == (["beer is fine"], "the encoder is down")
    plain = found.said[0]
    assert plain == said(house.rows, Wanted("beer", house.setting("general"), session("general"), NOW), 10)[0]
    assert points(plain) == {}


def narrowed(house: House) -> None:
    """The garden is for few from now on."""
    house.change("garden", "channel")


def gone(house: House) -> None:
    heard = house.say("general", "secret ale")
    house.delete("general", heard, house.said)


def elsewhere(house: House) -> None:
    house.describe("far", guild=OTHER_GUILD)
    house.say("far", "secret ale")


def of_few(house: House) -> None:
    house.say("staff", "secret ale", KIM)


def of_two(house: House) -> None:
    own = house.describe_direct(KIM)
    house.say(own, "secret ale", KIM)


def before_it_closed(house: House) -> None:
    house.say("garden", "secret ale")
    narrowed(house)


def own_direct_messages(house: House) -> None:
    house.say(f"dm:{ADA.hex()}", "secret ale")


CLOSED: tuple[Callable[[House], None], ...] = (
    gone,
    elsewhere,
    of_few,
    of_two,
    before_it_closed,
    own_direct_messages,
)


@pytest.mark.parametrize("closed", CLOSED, ids=lambda each: each.__name__)
def test_what_is_closed_or_gone_is_never_compared_however_near_it_is(
    house: House, closed: Callable[[House], None]
) -> None:
    house.say("general", "good day")
    house.say("general", "ale for all", after=9 * HOUR)
    closed(house)
    for rows in (house.rows, kept(house.world)):
        meanings = Meanings(house.rows, "ale")
        found = answers(rows, wanted(house, "secret beer", meanings), 10)
        assert meanings.handed == [["good day", "ale for all"]]
        assert texts(found.said) == ["ale for all"]


def test_what_stands_in_the_window_and_what_is_not_looked_for_is_not_compared(house: House) -> None:
    first: EventId = house.say("general", "ale one")
    house.say("general", "ale two", KIM)
    house.say("garden", "ale three")
    meanings = Meanings(house.rows, "ale")
    look = wanted(house, "beer", meanings)
    answers(house.rows, look._replace(without=frozenset({first})), 5)
    answers(house.rows, look._replace(speaker=KIM), 5)
    answers(house.rows, look._replace(place=ref("garden")), 5)
    assert list(map(sorted, meanings.handed)) == [["ale three", "ale two"], ["ale two"], ["ale three"]]


# -- items that are no keys --------------------------------------------------------------------------------------------


def forgotten(house: House, *messages: EventId) -> None:
    made = house.know("secret ale", LORE, evidence=rests_on(*messages))
    house.forget(msgspec.structs.replace(made, status="forgotten"))


def over(house: House, *messages: EventId) -> None:
    house.know("secret ale", LORE, evidence=rests_on(*messages), valid_until=NOW - 1)


def deprecated(house: House, *messages: EventId) -> None:
    house.know("secret ale", LORE, evidence=rests_on(*messages), status="deprecated")


def in_own_direct_messages(house: House, *messages: EventId) -> None:
    house.know("secret ale", f"person/{ADA.hex()}/direct", evidence=rests_on(*messages))


def of_somebody_else(house: House, *messages: EventId) -> None:
    house.know("secret ale", LORE, KIM, evidence=rests_on(*messages))


NO_KEYS: tuple[Callable[..., None], ...] = (forgotten, over, deprecated, in_own_direct_messages, of_somebody_else)


@pytest.mark.parametrize("no_key", NO_KEYS, ids=lambda each: each.__name__)
def test_what_is_not_known_here_is_no_key_and_never_compared(house: House, no_key: Callable[..., None]) -> None:
    heard = house.say("general", "the green kind")
    house.know("drinks ale", LORE, evidence=rests_on(house.say("general", "so it is", after=9 * HOUR)))
    no_key(house, heard)
    for rows in (house.rows, kept(house.world)):
        meanings = Meanings(house.rows, "ale")
        assert texts(answers(rows, wanted(house, "secret beer", meanings), 10).said) == ["so it is"]
        assert meanings.known == [["drinks ale"]]


def test_an_item_of_somebody_who_takes_part_is_a_key_where_all_could_hear_it(house: House) -> None:
    heard = house.say("general", "the green kind", KIM)
    house.know("brews ale", LORE, KIM, evidence=rests_on(heard))
    house.know("drinks ale", f"person/{KIM.hex()}/direct", KIM, evidence=rests_on(heard))
    meanings = Meanings(house.rows, "ale")
    look = wanted(house, "beer", meanings)._replace(room=(KIM, ADA))
    assert texts(finds(house, look).said) == ["the green kind"]
    assert {tuple(each) for each in meanings.known} == {("brews ale",)}


def test_a_key_leads_to_nothing_that_is_closed_gone_elsewhere_or_not_looked_for(house: House) -> None:
    in_staff, in_garden = house.say("staff", "the green kind"), house.say("garden", "the black kind")
    gone, when = house.say("general", "the white kind"), house.said
    stands = house.say("general", "the red kind", after=9 * HOUR)
    beside = house.say("general", "so it is")
    house.know("brews ale", LORE, evidence=rests_on(in_staff, in_garden, gone, stands))
    house.delete("general", gone, when)
    narrowed(house)
    look = wanted(house, "beer", Meanings(house.rows, "ale"))
    assert texts(finds(house, look).said) == ["the red kind", "so it is"]
    assert finds(house, look._replace(without=frozenset({stands}))) == Answers(())
    assert finds(house, look._replace(speaker=KIM)) == Answers(())
    assert texts(finds(house, look._replace(without=frozenset({beside}))).said) == ["the red kind"]


def test_with_the_encoder_down_it_is_as_if_there_were_none(house: House) -> None:
    heard = house.say("general", "beer is fine")
    house.know("brews ale", LORE, evidence=rests_on(heard))
    down = Nearness("", lambda said, known: Near(note="the encoder failed: only words decide"))
    look = Wanted("beer", house.setting("general"), session("general"), NOW)
    found = answers(house.rows, look._replace(nearness=down), 10)
    assert (found.said, found.nearest) == (said(house.rows, look, 10), ())
    assert found.note == "the encoder failed: only words decide"
    assert answers(house.rows, look._replace(nearness=nothing_near(found.note)), 10) == found


def test_ranks_of_once_count_for_nothing_that_is_closed_now(house: House) -> None:
    house.say("garden", "ale one")
    house.say("general", "ale two")
    seqs = {each.row.message.text: each.seq for each in house.rows.scan(MESSAGES)}
    narrowed(house)
    once = as_kept("tiny@1/2", {seqs["ale one"]: 1, seqs["ale two"]: 7})
    look = wanted(house, "beer", Meanings(house.rows, ""))._replace(nearness=once)
    (hit,) = answers(house.rows, look, 10).said
    assert points(hit)["meaning"] == worth(7)
    assert once.among([Seq(1)], []) == Near()


def test_a_question_is_compared_without_the_names_of_those_who_speak_where_it_is_open(house: House) -> None:
    house.say("general", "ale one", KIM)
    house.say("staff", "ale two", ADA)
    setting, text = house.setting("general"), "what did Kim brew for Ada's guests?"
    for rows in (house.rows, kept(house.world)):
        assert nameless(rows, setting, session("general"), text) == "what did brew for Ada's guests?"
