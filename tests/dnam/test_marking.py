"""Where the words of a search stand in a text."""

import pytest

from dnam.marking import excerpt, marker


@pytest.mark.parametrize(
    ("sought", "text", "marked"),
    [
        ("tea", "Green TEA, teas and team", ["TEA", "teas"]),
        ("went", "let's go, going", ["go", "going"]),
        ("cafe", "the Café", ["Café"]),
        ("app.py", "see app.py", ["app", "py"]),
        ("🎉", "party 🎉🎉!", ["🎉", "🎉"]),
        ("🇪🇸", "🇩🇪 or 🇪🇸", ["🇪🇸"]),
        ("👍", "ok 👍🏽", ["👍🏽"]),
        ("हिन्दी", "मुझे हिन्दी पसंद है", ["हिन्दी"]),
        ("cafe", "the cafe\u0301", ["cafe\u0301"]),
        ("東京", "私は東京都に", ["東京"]),
        ("字", "字", ["字"]),
        ("what is the tea", "what is the tea", ["tea"]),
        ("dolpin", "two dolphins", ["dolphins"]),
        ("dolphin", "a dolpin and a dolphin", ["dolphin"]),
        ("garden", "a gar\u00adden and a gar\u00ad den", ["gar\u00adden"]),
        ("zebra", "nothing of it", []),
        ("march of 3 March 2026", "Marcy and March", ["March"]),
        ("3 March 2026", "Marcy said so", []),
    ],
)
def test_the_words_that_are_found_are_marked(sought: str, text: str, marked: list[str]) -> None:
    assert [text[start:stop] for start, stop in marker(sought)(text)] == marked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("green tea", "green tea"),
        ("tea " + "x" * 30, "tea xxxxxxxxxxxxxxxx…"),
        ("x" * 30 + " tea " + "y" * 30, "…xxxx tea yyyyyyyyyyy…"),
        ("x" * 30 + " tea", "…xxxxxxxxxxxxxxxx tea"),
        ("x" * 30, "xxxxxxxxxxxxxxxxxxxx…"),
        ("a\n\nb \t tea\r\n", "a b tea"),
        ("x\n" * 30 + "tea\n" + "y\n" * 30, "…x x tea y y y y y y…"),
        ("\x1b[31mtea", "\ufffd[31mtea"),
    ],
)
def test_of_a_long_text_what_stands_around_the_first_word_is_shown(text: str, shown: str) -> None:
    assert excerpt(text, marker("tea"), 20) == shown
