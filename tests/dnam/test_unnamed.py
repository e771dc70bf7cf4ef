"""What is kept names nobody by an id."""

import pytest

from dnam.commands.pointing import Pointed
from dnam.unnamed import NOTE, noted, unnamed
from projections.ids import Ref
from tests.dnam.test_pointing import OPEN, Talk, talk
from tests.world import NOW

__all__ = ["talk"]


@pytest.mark.parametrize(
    ("text", "kept", "is_noted"),
    [
        ("<@117> gets a bicycle", "someone gets a bicycle", True),
        ("with <@!117> and <@118>", "with someone and someone", True),
        ("<@&5> meet in <#6>", "a role meet in a channel", False),
        ("1 < 2, <@me> and @Ada", "1 < 2, <@me> and @Ada", False),
    ],
)
def test_who_or_what_a_mark_stands_for_is_not_kept(text: str, kept: str, is_noted: bool) -> None:
    assert unnamed(text) == kept
    assert noted(text) == (f"\n{NOTE}" if is_noted else "")


async def test_of_a_message_that_was_never_heard_neither_words_nor_quote_name_anybody(talk: Talk) -> None:
    heard, _ = await talk.speaks("ada", "hm", OPEN)
    unheard = Pointed(Ref("discord", "7"), NOW, "<@5> hates peas", by_asker=True)
    reply = await talk.points(heard, 0, unheard)
    [item] = reply.items
    assert (item.text, [each.quote for each in item.evidence]) == ("someone hates peas", ["someone hates peas"])
    assert reply.text.endswith(f"\n{NOTE}")
