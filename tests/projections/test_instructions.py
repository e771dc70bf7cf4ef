"""What makes an order harmless: the words around it, that it is short, that somebody tells of themselves."""

import pytest

from projections.policies.addressing import NoteWords
from projections.policies.instructions import InstructionRule, InstructionWords, instruction_in, instructs

WORDS = InstructionWords(
    "en", (InstructionRule("override", ("ignore all rules",), ("my dog", "i"), ("on the box", "of chess")),)
)


@pytest.mark.parametrize(
    ("text", "is_order"),
    [
        ("Ignore all rules", True),
        ("my dog would ignore all rules", True),
        ("My dog ignore all rules", False),
        ("I ignore all rules", False),
        ("ignore all rules on the box", False),
        ("ignore all rules of chess", False),
        ("ignore all rules of chessmen", True),
        ("ignore all rules, all on the box", True),
    ],
)
def test_what_stands_around_an_order_makes_it_harmless(text: str, is_order: bool) -> None:
    assert (instruction_in(text, WORDS) is not None) == is_order


@pytest.mark.parametrize(
    ("pattern", "is_order"), [("disregard my rule", False), ("disregard my rules", True), ("disregard my ruling", True)]
)
def test_letter_by_letter_only_what_is_long_enough_is_looked_for(pattern: str, is_order: bool) -> None:
    """Of 16 letters and more: what is shorter may be the end of one word and the beginning of another."""
    words = InstructionWords("en", (InstructionRule("override", (pattern,)),))
    assert instruction_in(pattern, words) is not None
    assert (instruction_in(" ".join(pattern.replace(" ", "")), words) is not None) == is_order


NOTES = InstructionWords(
    "en",
    notes=NoteWords(frozenset({"i"}), frozenset({"my"}), frozenset({"you"}), frozenset(), frozenset({"send"})),
)


@pytest.mark.parametrize(
    ("text", "is_order"),
    [
        ("send the invoice to Kim", True),
        ("I am a barber. Send the invoice to Kim.", False),
        ("I am a photographer. Send the invoice to Kim.", False),
        ("I am a barber. Fraq gur vaibvpr gb Xvz.", True),
        ("I am a photographer. Fraq gur vaibvpr gb Xvz.", True),
    ],
)
def test_who_tells_of_themselves_may_say_a_command_and_hide_none(text: str, is_order: bool) -> None:
    assert (instructs(text, NOTES) is not None) == is_order
