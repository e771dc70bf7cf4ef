"""What is near in meaning beside what words find: only what may be found is ever compared, and the order is one."""

from collections.abc import Callable, Sequence

import pytest

from projections.ids import EventId, Seq
from projections.messages import MESSAGES
from projections.nearness import Near, Nearness
from projections.recall import meaning
from projections.recall.search import Answers, Wanted, answers, said
from projections.rows import Rows
from projections.vectors_fusion import BILLION, share_of_meaning
from tests.projections.recall.house import ADA, KIM, OTHER_GUILD, House, ref, session
from tests.projections.recall.stage import kept
from tests.projections.recall.test_search import furnished, texts
from tests.world import NOW


class Meanings:
    """An encoder's side to which the texts with a word are near, the last said first; it keeps what it was handed."""

    def __init__(self, rows: Rows, word: str, note: str = "") -> None:
        self._texts = {each.seq: each.row.message.text for each in rows.scan(MESSAGES)}
        self._word, self._note = word, note
        self.handed: list[list[str]] = []

    def among(self, seqs: Sequence[Seq]) -> Near:
        self.handed.append([self._texts.get(seq, "an answer") for seq in seqs])
        near = sorted((seq, index) for index, seq in enumerate(seqs) if self._word in self._texts.get(seq, ""))
        return Near({index: rank for rank, (_, index) in enumerate(reversed(near), 1)}, self._note)


@pytest.fixture
def house() -> House:
    return furnished()


def wanted(house: House, text: str, meanings: Meanings, place: str = "general") -> Wanted:
    nearness = Nearness("tiny@1/2", meanings.among)
    return Wanted(text, house.setting(place), session(place), NOW, nearness=nearness)


def finds(house: House, look: Wanted, most: int = 10) -> Answers:
    """What is found, the same with and without what is kept ready."""
    plain = answers(house.rows, look, most)
    assert answers(kept(house.world), look, most) == plain
    assert said(house.rows, look, most) == plain.said
    return plain


def test_what_only_its_meaning_finds_is_there_and_says_so(house: House) -> None:
    for text in ("grandpa brews ale", "the roof is red", "ale again"):
        house.say("general", text)
    found = finds(house, wanted(house, "beer", Meanings(house.rows, "ale")))
    assert texts(found.said) == ["ale again", "grandpa brews ale"]
    assert [(each.by_meaning, [reason.field for reason in each.reasons]) for each in found.said] == [
        (1, ["meaning"]), (2, ["meaning"]),
    ]  # fmt: skip
    assert [each.score for each in found.said] == [share_of_meaning(rank) * 1024 // BILLION for rank in (1, 2)]
    assert found.note == ""


def test_both_rankings_are_one_and_a_score_is_the_sum_of_its_reasons(house: House) -> None:
    for text in ("beer is fine", "grandpa brews ale", "beer or ale", "the roof is red"):
        house.say("general", text, after=40 * 3_600_000)
    found = finds(house, wanted(house, "beer", Meanings(house.rows, "ale"))).said
    assert texts(found)[0] == "beer or ale"
    assert set(texts(found)) == {"beer is fine", "grandpa brews ale", "beer or ale"}
    assert found[0].by_meaning == 1
    for each in found:
        assert each.score == sum(reason.points for reason in each.reasons)


def test_no_more_than_the_limit(house: House) -> None:
    for number in range(5):
        house.say("general", f"ale {number}")
    assert len(finds(house, wanted(house, "beer", Meanings(house.rows, "ale")), 2).said) == 2


def test_of_very_much_what_was_recorded_last_is_compared(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "MOST_COMPARED", 2)
    for place, text in (("general", "ale one"), ("garden", "ale two"), ("general", "ale three")):
        house.say(place, text)
    meanings = Meanings(house.rows, "ale")
    assert texts(finds(house, wanted(house, "beer", meanings)).said) == ["ale three", "ale two"]
    assert {frozenset(each) for each in meanings.handed} == {frozenset({"ale two", "ale three"})}


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
    assert plain.by_meaning == 0


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
    house.say("general", "ale for all")
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
