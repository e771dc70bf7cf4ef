"""Long answers in several messages: nothing is lost, nothing too long, no code block left open.

Discord's rule, as the tests have it: three backticks anywhere open a block, and the next three close it.
"""

import re
from itertools import accumulate

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dnam.adapters.discord import splitting
from dnam.adapters.discord.splitting import JUST_OPENED, LIMIT, so_far, split

FENCES = (
    "\n```py\n", "\n```\n", "\n````\n", "\n    ```py\n", "\n\t```\n", "\n- ```\n", "\n> ```py\n> ", "\n> ```\n",
    "run ```py\n", "print(1)``` ", "``` ",
)  # fmt: skip
WORDS = st.sampled_from(["rose", "tulip. ", "\n", "\n\n", " ", "`rose` ", "``", *FENCES, "🌹", "x" * 40])
TEXTS = st.lists(WORDS, max_size=80).map("".join)
CODE = "\n".join(f"    line {number} of the code, long enough" for number in range(90))
LONG = {
    "at the line's start": f"```python\n{CODE}\n```\nend",
    "four spaces": f"- item one:\n    ```python\n{CODE}\n    ```\nend",
    "a tab": f"- item one:\n\t```python\n{CODE}\n\t```\nend",
    "behind words": f"Run this: ```python\n{CODE}\n```\nend",
    "in a quote": "> ```python\n" + "\n".join(f"> {each}" for each in CODE.splitlines()) + "\n> ```\nend",
    "closed behind the code": f"```python\nprint(1)```\n\n{CODE}\n\nand\n\n{CODE}",
    "never closed": f"```python\n{CODE}",
}


def is_left_open(text: str) -> bool:
    """Whether what Discord shows ends inside a block, or in backticks that are none."""
    return text.count("```") % 2 == 1


def letters(texts: list[str]) -> str:
    """What is said, without fences, quotes and spaces: these come and go at the cuts."""
    return re.sub(r"[\s`>]|py", "", "".join(texts))


@given(TEXTS, st.integers(30, 200))
@example("```py\n" + "rose\n" * 60 + "```", 60)
@example("a" * 500, 30)
def test_every_part_fits_and_nothing_is_lost(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert all(0 < len(part) <= limit and part.strip() for part in parts)
    assert letters(parts) == letters([text])


@given(TEXTS, st.integers(60, 200))
def test_no_part_leaves_a_block_open(text: str, limit: int) -> None:
    parts = split(text, limit)
    are_open = [part for part in parts if is_left_open(part)]
    last = text.strip().rpartition("```")[2]
    is_literal = is_left_open(text) and not re.match(r"(py)?\n", last)
    assert len(are_open) == is_literal, "three backticks that open nothing are shown as they are"


@given(TEXTS)
def test_what_fits_is_one_message(text: str) -> None:
    assert len(split(text)) == bool(text.strip())
    if not is_left_open(text):
        assert split(text) == ([text.strip()] if text.strip() else [])


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_code_of_several_messages_is_code_in_each(text: str) -> None:
    parts = split(text)
    assert len(parts) > 1
    assert not any(is_left_open(part) or len(part) > LIMIT for part in parts)
    inside = [re.findall(r"```[^`]*```", part) for part in parts]
    assert all(not re.fullmatch(r"```(python)?[\s>]*```", block) for part in inside for block in part), "an empty block"
    if "print(1)" not in text:
        assert all("of the code" not in re.sub(r"```[^`]*```", "", part) for part in parts)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Here:\n```py\nprint(1)", "Here:\n```py\nprint(1)\n```"),
        ("Here:\n> ```py\n> print(1)", "Here:\n> ```py\n> print(1)\n> ```"),
        ("Put ``` in front of it.", "Put ``` in front of it."),
    ],
)
def test_what_is_never_closed(text: str, shown: str) -> None:
    assert split(text) == [shown]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Here:\n```", "Here:"), ("Here:\n```py", "Here:"), ("Here:\n```py\n", "Here:"), ("Here: ```py\n ", "Here:"),
        ("Here:\n```py\np", "Here:\n```py\np"), ("```\np\n```", "```\np\n```"), ("Here", "Here"), ("", ""),
        ("```\np\n``` ```py", "```\np\n```"), ("Here: \t````", "Here: \t`"), ("Here: \n", "Here: \n"),
        ("Here: ```py p", "Here: ```py p"), ("Here: ```py\n\n`", "Here: ```py\n\n`"),
    ],
)  # fmt: skip
def test_a_block_is_not_shown_before_it_holds_something(text: str, shown: str) -> None:
    assert so_far(text) == shown


class Applied:
    """What tells a block that was just opened, and to how many characters of a text it is applied."""

    def __init__(self) -> None:
        self.chars: list[int] = []

    def fullmatch(self, text: str, at: int) -> re.Match[str] | None:
        self.chars.append(len(text) - at)
        return JUST_OPENED.fullmatch(text, at)


@pytest.mark.parametrize(
    ("end", "shown", "chars"), [("", None, []), ("x", None, []), ("```py\n", "", [3]), ("```py x", None, [4])]
)
def test_blanks_before_the_last_backticks_are_not_searched(
    end: str, shown: str | None, chars: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search from every blank to the last of them is no work for the event loop."""
    applied = Applied()
    monkeypatch.setattr(splitting, "JUST_OPENED", applied)
    text = " " * 200_000 + end
    assert so_far(text) == (text if shown is None else shown)
    assert applied.chars == chars


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("", 20, []),
        ("one paragraph\n\nand another", 20, ["one paragraph", "and another"]),
        ("one line\nand another\nand a third", 22, ["one line\nand another", "and a third"]),
        ("One sentence. And another one.", 20, ["One sentence.", "And another one."]),
        ("some words and some more", 12, ["some words", "and some", "more"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("```py\none = 1\ntwo = 2\nthree = 3\n```", 30, ["```py\none = 1\ntwo = 2\n```", "```py\nthree = 3\n```"]),
        (
            "Roses need much sun.\n```py\none = 1\ntwo = 22\n```",
            34,
            ["Roses need much sun.", "```py\none = 1\ntwo = 22\n```"],
        ),
        ("- roses, red\n- tulips\n    - red\n    - blue", 34, ["- roses, red", "- tulips\n    - red\n    - blue"]),
        ("- roses, red\n- tulips\n    - red\n    - blue", 31, ["- roses, red", "- tulips\n    - red\n    - blue"]),
        ("- roses\n    - red\n    - blue", 18, ["- roses\n    - red", "    - blue"]),
        ("- roses\n\t- red\n\n\t- blue\n- tulips", 20, ["- roses\n\t- red", "\t- blue\n- tulips"]),
        ("a list:\n```py\nif x:\n    y\n    z\n```", 26, ["a list:\n```py\nif x:\n```", "```py\n    y\n    z\n```"]),
    ],
)
def test_it_is_cut_where_a_reader_would(text: str, limit: int, parts: list[str]) -> None:
    assert split(text, limit) == parts


SEEN = (
    "a", "語", "。", "…", "e\u0301", "👩\u200d🚀", "👨\u200d👩\u200d👧\u200d👦", "👍🏽", "❤\ufe0f", "🇳🇴", "🇯🇵",
    "1\ufe0f\u20e3", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\u1112\u1161\u11ab", "한",
    "क्षि", "ｶﾞ", "🏳\ufe0f\u200d🌈", "👩🏽\u200d🚀", "葛\U000e0100",
)  # fmt: skip
"""Each is seen as one character."""


@given(st.lists(st.sampled_from(SEEN), max_size=200), st.integers(10, 200))
def test_a_text_without_blanks_is_cut_within_nothing_that_is_seen_as_one_character(seen: list[str], limit: int) -> None:
    parts = split("".join(seen), limit)
    assert "".join(parts) == "".join(seen)
    assert all(len(part) <= limit for part in parts)
    borders = {0, *accumulate(map(len, seen))}
    assert set(accumulate(map(len, parts))) <= borders


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("before", range(20))
def test_each_is_whole_wherever_a_message_ends(seen: str, before: int) -> None:
    parts = split("x" * before + seen * 1500)
    assert "".join(parts) == "x" * before + seen * 1500
    assert all(len(part) <= LIMIT and (len(part) - before * (not number)) % len(seen) == 0
               for number, part in enumerate(parts))  # fmt: skip


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("これは答え。とても長い答えです", 10, ["これは答え。", "とても長い答えです"]),
        ("「これは答え。」とても長いです！？はい", 12, ["「これは答え。」", "とても長いです！？はい"]),
        ("これは、とても、長い答えです", 10, ["これは、とても、", "長い答えです"]),
        ("Well… so it is", 10, ["Well…", "so it is"]),
        ("e" + "\u0301" * 9, 4, ["e\u0301\u0301\u0301", "\u0301" * 4, "\u0301" * 2]),
        ("word \u0301\u0301word", 8, ["word \u0301\u0301w", "ord"]),
    ],
)
def test_a_text_without_blanks_is_cut_where_a_reader_would(text: str, limit: int, parts: list[str]) -> None:
    assert split(text, limit) == parts


def test_a_message_has_two_thousand_characters() -> None:
    assert [len(part) for part in split("x" * 4001)] == [LIMIT, LIMIT, 1]


def hidden(text: str) -> str:
    """What Discord hides, letters alone."""
    return re.sub(r"\W", "", "".join(re.findall(r"\|\|([\s\S]+?)\|\|", text)))


BARS = st.sampled_from(["rose", "tulip. ", "\n", "\n\n", " ", "||", "||", "||lily", "lily||", "lily", "lily " * 30])


@given(st.lists(BARS, max_size=80).map("".join), st.integers(30, 200))
def test_what_is_hidden_stays_hidden_and_nothing_else_is(text: str, limit: int) -> None:
    text = re.sub(r"\|{3,}", "||", text.strip())
    parts = split(text, limit)
    assert all(0 < len(part) <= limit for part in parts)
    assert "".join(map(hidden, parts)) == hidden(text)
    assert re.sub(r"[\s|]", "", "".join(parts)) == re.sub(r"[\s|]", "", text)


def test_a_spoiler_over_two_messages_is_one_in_each() -> None:
    for text in ("||" + "secret " * 600 + "||", "> ||" + "secret\n> " * 600 + "||", f"||```py\n{CODE * 3}\n```||"):
        parts = split(text)
        assert len(parts) > 1
        assert all(re.fullmatch(r"(> )?\|\|[^|]+\|\|", part) for part in parts)


def test_bars_in_code_hide_nothing() -> None:
    text = f"`a || b` {'rose ' * 500}`c || d`\n```c\nif (a || b)\n```"
    assert "".join(split(text)).count("||") == 3
    assert not any(part.startswith("||") for part in split(text))


def test_a_quote_to_the_end_goes_on_in_each_message() -> None:
    parts = split(">>> " + "a line of it\n" * 300)
    assert len(parts) > 1
    assert all(part.startswith(">>> a line") and len(part) <= LIMIT for part in parts)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("He dies: ||in the", "He dies: ||in the||"), ("He dies: ||", "He dies:"), ("||a|| and ||b", "||a|| and ||b||"),
        ("||a||", "||a||"), ("`a || b", "`a || b||"), ("`a || b`", "`a || b`"), ("```c\na || b\n", "```c\na || b\n"),
        ("||He lives|", "||He lives|||"),
    ],
)  # fmt: skip
def test_what_may_become_a_spoiler_is_one_while_it_grows(text: str, shown: str) -> None:
    assert so_far(text) == shown
