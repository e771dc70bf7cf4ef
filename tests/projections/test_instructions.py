"""What makes an order harmless: the words before it, and those behind it."""

import pytest

from projections.policies.instructions import InstructionRule, InstructionWords, instruction_in

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
