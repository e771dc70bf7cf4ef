"""The canary property: for any history, nothing rendered for a context holds what one of its readers may not see."""

from tests.privacy import canaries
from tests.privacy.oracle import Oracle, Place
from tests.privacy.town import GARDEN, Town, new_town, town

EXAMPLES = 12
"""So many here; `make privacy` tries many more."""


def test_nobody_sees_what_they_may_not() -> None:
    """In histories in which everything happened that can, and every surface held something; and nothing is promoted by
    itself.
    """
    all_of_it = canaries.tried(EXAMPLES)
    assert {each for each, count in all_of_it.did.items() if count} == canaries.DONE, all_of_it
    assert {each for each, count in all_of_it.holding.items() if count} == canaries.SURFACES, all_of_it


async def test_what_everybody_knows_in_a_restricted_channel_is_learned_there_and_told_to_nobody_else() -> None:
    async with town({"learn": "heard"}) as made:
        await made.says("kim", "cellar", "everybody knows the big round jars named zqaaqz", addressed=False)
        await made.learns("kim")
        assert made.problems == []
        assert "zqaaqz" in (await made.prompt("ada", "cellar")).text


async def test_what_one_shares_is_told_everywhere_and_what_one_keeps_private_is_not() -> None:
    async with town({"durable_inject_max_items": "60"}) as made:
        await made.remembers("kim", "dm kim", "I always like jars named zqaaqz")
        assert "zqaaqz" not in (await made.prompt("kim", "docks")).text
        (item,) = await made.items("kim")
        assert not (await made.command("kim", "dm kim", f"share {item.id}")).failed
        assert "zqaaqz" in (await made.prompt("kim", "docks")).text
        assert "zqaaqz" in (await made.transparent("kim", "docks")).text or not await _has_spoken(made, "docks")
        assert not (await made.command("kim", "dm kim", f"keep-private {item.id}")).failed
        assert "zqaaqz" not in (await made.prompt("kim", "docks")).text
        assert "zqaaqz" in (await made.prompt("kim", "dm kim")).text


async def _has_spoken(made: Town, place: str) -> bool:
    return bool((await made.transparent("kim", place)).text)


# -- the oracle itself: it says what the design says -----------------------------------------------------------------


def _said(place: str, speaker: str = "kim") -> Oracle:
    oracle = new_town()
    oracle.says("zq", speaker, place)
    return oracle


def who(oracle: Oracle) -> set[str]:
    """Everybody who may see it."""
    return {each for each in ("kim", "ada", "tobi", "ines") if oracle.may_see(each, "zq")}


def test_what_is_said_openly_is_its_guild_s() -> None:
    oracle = _said("general")
    assert who(oracle) == {"kim", "ada", "ines"}
    oracle.guilds[GARDEN].add("tobi")
    assert who(oracle) == {"kim", "ada", "ines", "tobi"}


def test_what_is_said_among_some_is_theirs() -> None:
    oracle = _said("cellar")
    assert who(oracle) == {"kim", "ada"}
    oracle.places["cellar"].members.discard("kim")
    assert who(oracle) == {"ada"}, "also not who said it, once they cannot read there"
    assert who(_said("shelf")) == {"kim", "ada"}
    assert who(_said("dm kim")) == {"kim"}


def test_narrowing_closes_at_once_and_widening_opens_nothing_old() -> None:
    oracle = _said("bench")
    oracle.close("general")
    assert who(oracle) == {"kim", "ada"}
    oracle = _said("cellar")
    oracle.open("cellar")
    assert who(oracle) == {"kim", "ada"}
    oracle.close("cellar")
    oracle.guilds[GARDEN].add("tobi")
    oracle.places["cellar"].members.add("tobi")
    assert who(oracle) == {"kim", "ada", "tobi"}, "who is let in can read what stands there"


def test_what_nobody_saw_change_twice_has_not_changed() -> None:
    oracle = _said("general")
    known = oracle.epochs()
    oracle.close("general")
    oracle.open("general")
    assert who(oracle) == {"kim", "ada"}
    oracle.overlook(known)
    assert who(oracle) == {"kim", "ada", "ines"}
    oracle.close("general")
    oracle.open("general")
    oracle.close("general")
    oracle.overlook(known)
    assert oracle.epochs()["general"] == known["general"] + 1
    assert who(oracle) == {"kim", "ada"}


def test_what_is_shared_or_told_goes_further() -> None:
    oracle = _said("dm kim")
    oracle.tells("zq", "cellar")
    assert who(oracle) == {"kim", "ada"}
    oracle.shares("zq")
    assert who(oracle) == {"kim", "ada", "tobi", "ines"}
    oracle.says("zp", "ada", "dm ada")
    assert oracle.leaks("zp and zq", frozenset({"kim"})) == ["zp"]
    assert oracle.leaks_from_export("zp", "ada") == []
    oracle.joins({"zp", "zq"})
    assert oracle.leaks("zp and zq", frozenset({"kim"})) == []


def test_what_is_shared_no_more_is_as_it_was_but_for_what_was_told() -> None:
    oracle = _said("dm kim")
    oracle.shares("zq")
    oracle.tells("zq", "cellar")
    oracle.keeps_private("zq")
    assert who(oracle) == {"kim", "ada"}


def test_lore_is_its_guild_s_and_no_other_s() -> None:
    oracle = new_town()
    oracle.lore("zq", "ines", GARDEN)
    assert who(oracle) == {"kim", "ada", "ines"}


def test_what_was_taken_back_or_whose_person_was_erased_is_for_nobody_not_even_where_it_was_told() -> None:
    oracle = _said("general")
    oracle.says("zp", "ada", "general")
    oracle.tells("zq", "general")
    oracle.shares("zq")
    oracle.erases("kim")
    assert who(oracle) == set()
    assert oracle.leaks("zq and zp", frozenset({"kim", "ada"})) == ["zq"]
    assert oracle.leaks("zq", frozenset()) == ["zq"]
    oracle.takes_back("zp")
    oracle.joins({"zp", "zq"})
    assert oracle.leaks_from_export("zq and zp", "ada") == ["zq", "zp"]


def test_a_group_has_no_guild() -> None:
    oracle = Oracle({GARDEN: {"kim"}})
    oracle.add(Place("club", members={"kim", "tobi"}, is_restricted=True))
    oracle.says("zq", "kim", "club")
    assert who(oracle) == {"kim", "tobi"}
