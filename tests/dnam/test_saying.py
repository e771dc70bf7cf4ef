"""Every event has its words."""

from dnam.saying import WORDS, people_of, session_of, words
from projections.events import EVENTS, ConfigSet, PersonErased, PersonOptedOut, PersonSeen, SummaryReset
from projections.events.values import OPERATOR, PLATFORM, Audience, By
from projections.ids import Ref, VaultId
from tests.world import NOW, handle


def test_every_event_is_in_the_table() -> None:
    assert tuple(WORDS) == EVENTS


def test_words_are_one_line() -> None:
    event = PersonSeen(said=NOW, by=PLATFORM, person=handle("kim"), platform="local", platform_id="k", name="Kim\nB")
    assert words(event) == "Kim B (local:k)"


def test_one_is_one_and_two_are_several() -> None:
    vaults = (VaultId(bytes(16)), VaultId(bytes(16)))
    erased = PersonErased(said=NOW, by=OPERATOR, vaults=vaults, hashes=(), until=NOW)
    assert words(erased) == "2 keys destroyed"
    assert words(PersonOptedOut(said=NOW, by=OPERATOR, hashes=(b"1",))) == "1 account, by keyed hash"


def test_a_setting_that_is_unset_is_not_set_to_a_word() -> None:
    set_, unset = (ConfigSet(said=NOW, by=OPERATOR, scope="global", key="learn", value=each) for each in ("none", None))
    assert (words(set_), words(unset)) == ("global learn = none", "global learn is unset")


def test_whom_an_event_is_about_and_where_it_happened() -> None:
    kim, ada = handle("kim"), handle("ada")
    audience = Audience("direct", Ref("local", f"dm:{kim.hex()}"))
    event = SummaryReset(
        said=NOW, by=By("person", ada), session="local:dm", audience=audience, era=0, person=kim, upto=None
    )
    assert people_of(event) == {kim, ada}
    assert session_of(event) == "local:dm"
    assert session_of(PersonSeen(said=NOW, by=PLATFORM, person=kim, platform="", platform_id="", name="")) == ""
