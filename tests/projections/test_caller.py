"""What people are called in a prompt, and their names in what was said."""

from hypothesis import given
from hypothesis import strategies as st

from projections.caller import with_names
from projections.events.values import Span
from projections.ids import NOBODY
from tests.projections.channel import DAVE, ERIN, answer, hear, message, rendered, window
from tests.world import World, handle


def test_names_are_spliced_in_where_they_were_said(world: World) -> None:
    spans = (Span(5, ERIN), Span(0, DAVE), Span(5, NOBODY, "quote"))
    hear(world, message(" and  met", 1, spans=spans))
    answer(world, "Yes, ", 2, spans=(Span(5, DAVE),))
    assert rendered(world) == ["[Dave]: @Dave and @Erin@someone met", "[dnam]: Yes, @Dave"]


@given(st.text(max_size=9), st.lists(st.integers(-5, 15), max_size=4))
def test_spans_wherever_they_say_they_are_take_nothing_from_the_text(text: str, places: list[int]) -> None:
    spans = [Span(at, DAVE) for at in places]
    shown = with_names(text.replace("@", ""), spans, lambda person: "")
    assert shown.count("@") == len(spans)
    assert shown.replace("@", "") == text.replace("@", "")


def test_who_has_no_name_is_someone(world: World) -> None:
    hear(world, message("a", 1, handle("unknown")))
    hear(world, message("b", 2, NOBODY))
    hear(world, message("c", 3, author="unknown"))
    hear(world, message("d", 4, spans=(Span(1, handle("unknown")),)))
    assert rendered(world) == ["[someone]: a", "[someone]: b", "[someone]: c", "[Dave]: d@someone"]


def test_bots_and_webhooks_bring_their_names_and_the_assistant_has_its_own(world: World) -> None:
    hear(world, message("a", 1, author="bot", author_name="Build [bot]"))
    hear(world, message("b", 2, author="webhook", author_name="dnam"))
    hear(world, message("c", 3, author="self"))
    hear(world, message("d", 4, author="self", author_name="Old Bot"))
    assert rendered(world) == ["[Build bot (bot)]: a", "[user dnam (webhook)]: b", "[dnam]: c", "[Old Bot]: d"]
    assert [line.by_assistant for line in window(world).lines] == [False, False, True, True]
