"""What may follow a person everywhere: one key is the model's, the other believes no model."""

import re
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from dnam.languages import available, load
from dnam.sharing import sharing_of
from projections.events import ItemMoved, ItemUpserted
from projections.events.values import Evidence, Item
from projections.items import items_of
from projections.policies.promotion import NO_WORDS, Claimed, Verdict, promote
from tests.projections.items import ANN, HOME, KNOWN, WIDE, an_item, message, there_is
from tests.projections.test_extraction import an_input, say
from tests.world import NOW, World, origin

ENGLISH = sharing_of(load("en"))
GARDEN = "guild/discord:g"
QUOTE = "I prefer Python"
BATCH = msgspec.toml.decode(
    Path(__file__).with_name("sharings.toml").read_bytes(), type=dict[Literal["sensitive", "harmless"], list[str]]
)
"""Written before the lists of words were looked at."""


def item(text: str = "User prefers Python.", quote: str = QUOTE, **fields: Any) -> Item:
    evidence = (Evidence(quote, message(quote)),) if quote else ()
    return an_item(text, **{"kind": "preference", "compartment": GARDEN, "evidence": evidence, **fields})


def verdict(
    given: Item, confidence: int | None = 1000, *, shareable: bool = True, private: tuple[str, ...] = ()
) -> Verdict:
    return promote(Claimed(given, shareable, confidence, private), ENGLISH)


@pytest.mark.parametrize(
    ("text", "quote", "kind"),
    [
        ("User prefers Python.", "I prefer Python", "preference"),
        ("User's time zone is PST.", "I'm in PST", "fact"),
        ("User's Minecraft IGN is CreeperSlayer99.", "btw my IGN is CreeperSlayer99", "fact"),
        ("User prefers short answers.", "I like short answers", "preference"),
        ("User uses Neovim on Linux.", "I use Neovim on Linux", "tool"),
        ("User's timezone is UTC+2", "well, my timezone is UTC+2", "fact"),
        ("User likes Factorio and Stardew Valley", "I really like Factorio and Stardew Valley", "preference"),
        ("User prefers code examples without comments", "I prefer code examples without comments", "preference"),
    ],
)
def test_what_is_explicit_and_harmless_is_shared(text: str, quote: str, kind: str) -> None:
    found = verdict(item(text, quote, kind=kind))
    assert found.shared, found.reason
    assert found.reason.startswith("the model calls it shareable, and it is a ")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (item(type="episodic"), "it is episodic and of the kind preference"),
        (item(kind="project"), "of the kind project"),
        (item(kind="constraint"), "of the kind constraint"),
        (item(about="guild"), "it is about the guild"),
        (item(about="self"), "it is about the self"),
        (item(compartment=HOME), "it was said in direct messages"),
        (item(quote=""), "did not say it outright"),
        (item(evidence=(Evidence(QUOTE),)), "did not say it outright"),
        (item(quote="Python is what she prefers"), "did not say it outright"),
        (item(quote="I prefer it"), "said something else than a technical preference"),
        (item("User prefers that one.", QUOTE), "it is of no class that is known as harmless"),
        (item("User prefers Python for therapy.", QUOTE), "it speaks of 'therap*'"),
        (item(quote="I prefer Python since my diagnosis"), "it speaks of 'diagnos*'"),
        (item(quote="I prefer Python like my sister"), "it speaks of others ('sister*')"),
        (item("User and the boss prefer Python with Git.", QUOTE), "it speaks of others ('boss*')"),
        (item("User prefers Python at work.", QUOTE), "it speaks of 'work'"),
        (item("Bevorzugt Python", QUOTE), "or says more than that"),
        (item(quote="I prefer Python, très bien"), "or more than that"),
        (item("User a le VIH, Python", "i Python"), "or says more than that"),
        (item("User prefers Python 🍆", QUOTE), "or says more than that"),
        (item("User prefers Python. " * 5, QUOTE), "or says more than that"),
        (item(quote="I play Minecraft"), "said something else than a technical preference"),
        (item("User is in Java.", "I'm in Java"), "or more than that"),
        (item(tags=("cancer",)), "it speaks of 'cancer*'"),
        (item(tags=("editor", "chemo")), "its tags say more than a technical preference"),
        (item("User's IGN is CreeperSlayer99 now.", "my IGN is CreeperSlayer99"), "or says more than that"),
        (item("User's IGN is infertile.", "my IGN is infertile"), "it speaks of 'infertil*'"),
        (item("User's IGN is chlamydia.", "my IGN is chlamydia"), "or says more than that"),
        (item("User's IGN is 0171234567.", "my IGN is 0171234567"), "or says more than that"),
        (item("User's IGN is Gay4Pay99.", "my IGN is Gay4Pay99"), "or says more than that"),
        (item("User's IGN is XxCancerxX99.", "my IGN is XxCancerxX99"), "or says more than that"),
    ],
)
def test_one_thing_against_it_is_enough(given: Item, reason: str) -> None:
    found = verdict(given)
    assert not found.shared
    assert reason in found.reason


def test_the_first_key_is_the_model_s() -> None:
    assert verdict(item(), shareable=False) == Verdict(False, "the model does not call it shareable")


@pytest.mark.parametrize(("confidence", "shared"), [(None, False), (0, False), (899, False), (900, True), (1000, True)])
def test_it_was_said_outright(confidence: int | None, shared: bool) -> None:
    assert verdict(item(), confidence).shared is shared


def test_what_is_kept_in_direct_messages_stays_there() -> None:
    assert not verdict(item(), private=("user prefers python",)).shared
    assert verdict(item(), private=("User prefers tea",)).shared


def test_a_language_without_a_list_refuses_everything() -> None:
    unknown = sharing_of(load("xx"))
    assert unknown == NO_WORDS._replace(language="xx")
    found = promote(Claimed(item(), True, 1000), unknown)
    assert found == Verdict(False, "there is no list of sensitive words for the language 'xx'")
    for lacking in (
        ENGLISH._replace(first_person=()),
        ENGLISH._replace(fillers=()),
        ENGLISH._replace(sensitive=()),
        ENGLISH._replace(harmless={}),
    ):
        assert not promote(Claimed(item(), True, 1000), lacking).shared


@pytest.mark.parametrize("name", available())
def test_every_list_can_be_found_by_its_own_words(name: str) -> None:
    """A word that no text can hold, as it is read, would be a hole in the list."""
    words = sharing_of(load(name))
    harmless = [word for each in words.harmless.values() for word in (*each.words, *each.around)]
    allowed = (*words.fillers, *words.tags, *harmless)
    for word in (*words.first_person, *words.others, *words.sensitive, *allowed):
        bare = word.removesuffix("*")
        assert bare == bare.casefold().strip()
        assert all(part.replace("'", "").isalnum() for part in bare.split())
    assert not [word for word in allowed if word.endswith("*")]  # nobody knows what it would stand for


@pytest.mark.parametrize("text", BATCH["sensitive"])
def test_nothing_sensitive_is_shared_in_whatever_words(text: str) -> None:
    assert not verdict(item(text, first_person(text))).shared


def test_half_of_what_is_harmless_is() -> None:
    """The lists know far from everything: what they miss stays where it was learned."""
    shared = [text for text in BATCH["harmless"] if verdict(item(text, first_person(text))).shared]
    assert len(shared) >= len(BATCH["harmless"]) // 2


def first_person(text: str) -> str:
    """What they said, as near to the item as it gets."""
    said = text.replace("User's", "My").replace("User is", "I'm").replace(" their ", " my ")
    return re.sub(r"^User (\w+?)s\b", r"I \1", said)


# -- in an extraction -----------------------------------------------------------------------------------------------


PYTHON = an_input(QUOTE, NOW)
ENTRY = {
    "kind": "preference", "text": "User prefers Python.", "type": "semantic", "about": "person", "confidence": 0.95,
    "evidence": QUOTE, "shareable": True,
}  # fmt: skip


def extracts(world: World, **changes: Any) -> list[Any]:
    return say(world, {**ENTRY, **changes}, compartment=GARDEN, inputs=(PYTHON,), sharing=ENGLISH, guarding=KNOWN)


def test_both_keys_move_what_was_learned_and_the_event_says_why() -> None:
    world = World()
    learned, moved = extracts(world)
    assert isinstance(learned, ItemUpserted)
    assert isinstance(moved, ItemMoved)
    assert learned.item.compartment == moved.from_compartment == GARDEN
    assert moved.item.compartment == WIDE
    assert (moved.by.kind, moved.by.name, moved.by.version) == ("policy", "promotion", "2")
    assert moved.policy.startswith("promotion@2 ")
    assert moved.reason == "the model calls it shareable, and it is a technical preference"
    assert [found.row.item.compartment for found in items_of(world.rows, ANN)] == [WIDE]


def test_where_the_second_key_refuses_it_stays_and_says_why() -> None:
    (learned,) = extracts(World(), confidence=0.5)
    assert learned.item.compartment == GARDEN
    assert learned.reason.endswith("; kept here: the model is not sure of it by 900 thousandths")


def test_what_the_model_does_not_call_shareable_is_learned_without_a_word_about_it() -> None:
    (learned,) = extracts(World(), shareable=False)
    assert "kept here" not in learned.reason


def test_said_again_it_becomes_one_with_what_is_there() -> None:
    world = World()
    extracts(world)
    again = an_input("well, I prefer Python", NOW + 5)
    request = {**ENTRY, "evidence": "I prefer Python"}
    say(world, request, compartment=GARDEN, inputs=(again,), sharing=ENGLISH, guarding=KNOWN, origin=origin("again"))
    (found,) = items_of(world.rows, ANN)
    assert (found.row.item.compartment, found.row.item.source_count) == (WIDE, 2)
    assert [each.message for each in found.row.item.evidence] == [PYTHON.id, again.id]


def test_what_its_person_keeps_private_is_not_shared_by_what_they_say_elsewhere() -> None:
    world = World()
    there_is(world, an_item("User prefers Python.", kind="preference", compartment=HOME))
    (learned,) = extracts(world)
    assert learned.reason.endswith("; kept here: the person has it in their direct messages alone")
