"""What was forgotten is refused in other words, and what is only like it is let through: by a committed table."""

import tomllib
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from dnam.languages import load
from dnam.rephrasing import rephrasing_of
from projections.decisions.remember import ForgetRequest, forget
from projections.events import ItemEvicted, ItemRefused
from projections.events.values import OPERATOR, By
from projections.ids import EventId
from projections.items import ForgottenRow
from projections.policies.closeness import Nearness
from projections.policies.compartments import Opening, everywhere
from projections.policies.refusals import Claim, Refusal, refusal
from projections.policies.rephrasing import UNKNOWN, about, denier, likeness, says_all
from tests.projections.items import KNOWN
from tests.projections.learning import HOME, LATER, Town
from tests.world import World, origin

ENGLISH = rephrasing_of(load("en"))
TABLE = tomllib.loads((Path(__file__).parent / "rephrasings.toml").read_text(encoding="utf-8"))


class Rates(NamedTuple):
    """Of how many rephrasings and look-alikes how many are told right, in percent."""

    again: int
    apart: int
    refused: float
    passed: float


def refused(forgotten: str, said: str, *tags: str) -> Refusal | None:
    """What stands against a text, of one thing that was forgotten."""
    row = ForgottenRow(EventId(b"e" * 16), "durable-1", "self", "fact", forgotten, (), ())
    return refusal(World().rows, [row], Claim(frozenset(), said, (), tags), ENGLISH)


def rates(name: str) -> Rates:
    pairs = {
        kind: [(fact["forgotten"], said) for fact in TABLE[name] for said in fact[kind]] for kind in ("again", "apart")
    }
    right = sum(refused(*pair) is not None for pair in pairs["again"])
    passed = sum(refused(*pair) is None for pair in pairs["apart"])
    again, apart = len(pairs["again"]), len(pairs["apart"])
    return Rates(again, apart, 100 * right / again, 100 * passed / apart)


@pytest.mark.parametrize(
    ("name", "least_refused", "least_passed"), [("facts", 90, 95), ("unseen", 80, 95), ("longer", 80, 90)]
)
def test_both_rates(name: str, least_refused: int, least_passed: int, capsys: pytest.CaptureFixture[str]) -> None:
    found = rates(name)
    with capsys.disabled():
        told = (
            f"{found.refused:.0f} % of {found.again} rephrasings refused, {found.passed:.0f} % of {found.apart} passed"
        )
        print(f"\n{name}: {told}")
    assert found.refused >= least_refused
    assert found.passed >= least_passed


def test_the_table_is_long_enough() -> None:
    found = rates("facts")
    assert min(found.again, found.apart) >= 180


@pytest.mark.parametrize(
    ("said", "against"),
    [
        ("Apiculture is a hobby of the user.", "durable-1"),
        ("User never practised apiculture.", ""),
        ("The user's sister practises apiculture.", ""),
    ],
)
def test_what_an_encoder_calls_near_may_be_told_apart_by_its_words(said: str, against: str) -> None:
    row = ForgottenRow(EventId(b"e" * 16), "durable-1", "self", "fact", "User keeps bees.", (), ())
    claim = Claim(frozenset(), said, ())
    near = Nearness(960, close=True, reason="960 of 1000")
    found = refusal(World().rows, [row], claim, ENGLISH, lambda one, other: near)
    assert found == (Refusal(against, "it is near what the person forgot: 960 of 1000") if against else None)


def test_the_reason_says_words_that_somebody_wrote() -> None:
    found = refused("User earns 90000 a year as a baker.", "A baker, the user is earning 90000 a year.")
    assert found is not None
    assert found.reason.endswith("of the words of both are shared (90000, baker, earning)")


def test_the_reason_says_which_words() -> None:
    found = refused("User loves green tea.", "Green tea is what the user likes best.")
    assert found is not None
    assert found.against == "durable-1"
    assert found.reason == (
        "it says in other words what the person forgot: 66 % of the words of both are shared (green, tea)"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User works as a nurse", "User is a nurse"),
        ("User plays the harmonica", "User is a harmonicaplayer"),
        ("User's cat died last week", "Last week the cat of the user died"),
        ("User lives in Rome", "User has been living in Rome for years"),
    ],
)
def test_what_says_little_does_not_tell_them_apart(one: str, other: str) -> None:
    assert likeness(one, other, ENGLISH).same


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("User likes tea", "User hates tea", "one denies what the other says"),
        ("User's sister lives in Rome", "User lives in Rome", "they are about different people"),
        ("User has two green cats", "User has three green cats", "they have different numbers"),
        ("User met Ada in Rome", "User met Ines in Rome", "they have different names"),
        ("User owes Ada a cake", "Ada owes the user a cake", "they are about different people"),
        ("User failed the exam", "Tobi failed the exam", "they are about different people"),
        ("User drinks wine", "User likes wine", "they say different things of it"),
        ("User earns 900 euros", "User earns 900 dollars", "they have different units"),
    ],
)
def test_what_tells_them_apart(one: str, other: str, reason: str) -> None:
    found = likeness(one, other, ENGLISH)
    assert (found.same, found.reason) == (False, reason)


@pytest.mark.parametrize(
    ("text", "number"), [("85k", "85000"), ("85,000", "85000"), ("85.000", "85000"), ("twelve", "12"), ("1.5", "1.5")]
)
def test_numbers_are_numbers(text: str, number: str) -> None:
    assert about(f"User has {text} things", ENGLISH).numbers == {number}


@pytest.mark.parametrize("written", ["the sister’s cat", "the sister'S cat", "the sister's cat"])
def test_the_s_of_a_name_is_no_word_of_its_own(written: str) -> None:
    assert about(f"User feeds {written}", ENGLISH) == about("User feeds the sister's cat", ENGLISH)
    assert about(written, UNKNOWN).words == {"the", "sister", "cat"}


@pytest.mark.parametrize("end", [". ", "! ", "? ", "; "])
def test_what_was_forgotten_is_found_in_a_clause_also_without_a_language(end: str) -> None:
    said = f"User swims{end}never{end}green tea cures colds"
    assert says_all(about("green tea cures", UNKNOWN), said, about(said, UNKNOWN), UNKNOWN)


def test_two_denials_are_none() -> None:
    assert not about("User does not hate tea", ENGLISH).denied
    assert about("User hates tea", ENGLISH).words == about("User likes tea", ENGLISH).words


@pytest.mark.parametrize(
    ("text", "denies"),
    [
        ("User hates tea", True),
        ("User does not hate tea", False),
        ("User does not never hate tea", True),
        ("User does not never ever not hate tea", False),
    ],
)
def test_every_second_denial_takes_back_the_one_before(text: str, denies: bool) -> None:
    assert denier(ENGLISH)(text) == about(text, ENGLISH).denied == denies


def test_a_language_that_is_not_known_is_compared_as_it_is_written() -> None:
    unknown = rephrasing_of(load("tlh"))
    assert unknown.language == ""
    assert likeness("qaSuchpu' jIH DaHjaj", "DaHjaj qaSuchpu' jIH", unknown).same
    assert not likeness("qaSuchpu' jIH", "naDev tlhInganpu' tu'lu'", unknown).same


def test_nothing_is_like_nothing() -> None:
    assert not likeness("", "", UNKNOWN).same
    assert not likeness("...", "User likes tea", ENGLISH).same


@pytest.mark.parametrize(
    "said",
    [
        "User is pregnant with twins and due in May",
        "User came out to the sister and is pregnant",
        "User is pregnant and does not want to tell",
        "pregnant with twins",
    ],
)
def test_what_says_all_of_it_says_it_however_long_it_is(said: str) -> None:
    found = refused("User is pregnant", said)
    assert found is not None
    assert found.reason == "among others, its text says all that the person forgot"


@pytest.mark.parametrize(
    "said",
    [
        "User's sister is 30 and is pregnant with twins",
        "User is not pregnant but ill",
        "Ines came home early and was pregnant",
        "Ines runs a farm where all of the goats are pregnant",
        "User likes baking bread",
        "!",
    ],
)
def test_what_says_it_of_another_or_not_at_all_is_something_else(said: str) -> None:
    assert refused("User is pregnant", said) is None


def test_tags_do_not_say_it_either() -> None:
    for tags in (["pregnant"], ["baking", "pregnant"]):
        found = refused("User is pregnant", "User likes baking bread", *tags)
        assert found is not None
        assert found.reason == "among others, one of its tags says all that the person forgot"
    halves = refused("User was in rehab at Elm House", "User likes baking bread", "rehab", "elm house")
    assert halves is not None
    assert halves.reason == "among others, all that it is tagged with says all that the person forgot"
    assert refused("User likes tea", "User drinks wine at noon", "tea") is None


def test_without_a_language_only_the_words_themselves_are_refused() -> None:
    row = ForgottenRow(EventId(b"e" * 16), "durable-1", "self", "fact", "User loves green tea.", (), ())
    claim = Claim(frozenset(), "Green tea is what the user likes best.", ())
    assert refusal(World().rows, [row], claim) is None


# -- what a model says again ------------------------------------------------------------------------------------------


def test_it_sticks_in_other_words_in_every_compartment_and_after_an_eviction() -> None:
    town = Town(guarding=KNOWN._replace(rephrasing=ENGLISH))
    town.learned("User likes green tea.", "I like green tea")
    row = town.item("green tea")
    request = ForgetRequest(
        town.ada, (Opening(town.ada, HOME),), By("person", town.ada), LATER, origin("forget"), needle=row.item.text
    )
    town.world.decide(forget, request)
    gone = msgspec.structs.replace(town.item("green tea").item, status="evicted")
    event = town.item("green tea").event
    town.world.add(ItemEvicted(said=LATER, by=OPERATOR, causes=(event,), item=gone, cap=1))
    message = town.says("what I love is tea, a green one")
    work, extraction = town.extraction([message], {"text": "User loves green tea best.", "evidence": "what I love"})
    elsewhere = everywhere(town.ada)
    work = work._replace(event=msgspec.structs.replace(work.event, compartment=elsewhere))
    events = town.learns(work, extraction._replace(compartment=elsewhere))
    refused = events[1]
    assert isinstance(refused, ItemRefused)
    assert refused.policy == "refusals@3 rephrasing@1 closeness@2"
    assert (refused.against, refused.compartment) == (row.item.id, elsewhere)
    assert refused.by == By("policy", name="refusals", version="3")
    assert "in other words" in refused.reason


def test_a_merge_does_not_say_it_again_either() -> None:
    town = Town(guarding=KNOWN._replace(rephrasing=ENGLISH))
    town.learned("User likes green tea.", "I like green tea")
    request = ForgetRequest(
        town.ada,
        (Opening(town.ada, HOME),),
        By("person", town.ada),
        LATER,
        origin("forget"),
        needle="User likes green tea.",
    )
    town.world.decide(forget, request)
    town.learned("User drinks tea at noon.", "I drink tea at noon")
    town.learned("User drinks a lot of tea.", "I drink a lot of tea")
    events = town.merges("at noon", "a lot of", "Green tea is what the user loves.")
    assert isinstance(events[1], ItemRefused)
    assert "in other words" in events[1].reason
