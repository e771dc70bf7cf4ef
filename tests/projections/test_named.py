"""Names in a text, however they are written there."""

import json
import re
import sys

import pytest

from projections.caller import with_names, without_names
from projections.ids import Handle
from projections.named import alike, named_in, nameless, nameless_json
from projections.people import SOMEONE
from tests.world import handle

TOBI, KIM, BOB = handle("tobi"), handle("kim"), handle("bob")
NAMES = {TOBI: "Tobiasz Quillfeather", KIM: "Kim"}


def said(text: str, *others: str, names: dict[Handle, str] | None = None) -> str:
    """The text with `<letter>` for each name."""
    people = {TOBI: "T", KIM: "K", BOB: "B"}
    left, spans = without_names(text, names or NAMES, others)
    return with_names(left, spans, lambda person: f"<{people[person]}>")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("ask Tobiasz Quillfeather.", "ask @<T>."),
        ("**@tobiasz quillfeather**'s and TOBIASZ  QUILLFEATHER's", "**@<T>**'s and @<T>'s"),
        ("Tobiasz\nQuillfeather", "@<T>"),
        ("Tobiasz? quillfeather!", "@<T>? @<T>!"),
        ("Quillfeather Tobiasz, or Tobiasz and Kim", "@<T>, or @<T> and @<K>"),
        ("tobiaszs quillfeatherish _kim_ kim_", "tobiaszs quillfeatherish _kim_ kim_"),
        ("@Tobiasz Quillfeathers cat, hi@Kim", "@<T>s cat, hi@<K>"),
        ("@Kimberly, @KIMs, kims", "@<K>berly, @KIMs, kims"),
        ("nobody", "nobody"),
        ("", ""),
    ],
)
def test_a_name_is_found_as_it_is_written(text: str, left: str) -> None:
    assert said(text) == left


def test_what_is_in_somebody_elses_name_too_stays() -> None:
    names = {TOBI: "Tobiasz Quill", BOB: "Bob Quill", KIM: "Kim"}
    assert said("Quill, Bob, quill Kim", names=names) == "Quill, @<B>, quill @<K>"
    assert said("Kim Berg, Tobiasz, Berg, Kim", "Kim Berg", "tobiasz", names=NAMES) == "Kim Berg, Tobiasz, Berg, @<K>"


def test_a_longer_name_that_begins_so_stays() -> None:
    assert said("@Kimberly, @Kims", "Kimberly") == "@Kimberly, @<K>s"


def test_a_small_word_is_a_name_with_a_capital_or_where_it_is_spelled_so() -> None:
    assert said("will you ask Will?", names={TOBI: "Will"}) == "will you ask @<T>?"
    assert said("will you ask Will?", names={TOBI: "will"}) == "@<T> you ask @<T>?"
    assert said("I will, Smith", names={TOBI: "Will Smith"}) == "I will, @<T>"


def test_short_words_and_signs_are_no_parts() -> None:
    names = {TOBI: "✨ Jo 123 Tobi ✨", BOB: "", KIM: SOMEONE}
    assert said("jo 123 tobi, someone", names=names) == "jo 123 @<T>, someone"
    assert said("✨ Jo 123 tobi ✨", names=names) == "@<T>"
    assert named_in("anything", {}) == []
    assert without_names("Kim", {Handle(b""): "Kim"}) == ("Kim", ())


def test_what_folding_changes_is_found_as_it_is_spelled() -> None:
    assert said("Groß GROSS groß Großer", names={TOBI: "Groß"}) == "@<T> @<T> @<T> Großer"
    assert said("İki ve İKI", names={TOBI: "İki"}) == "@<T> ve @<T>"


def test_someone_stands_for_a_name_whose_ever_it_is() -> None:
    names = ["Tobiasz Quill", "Bob Quill", "Zoë"]
    assert nameless("ask @tobiasz quill, Quill or ZOË", names) == "ask someone, someone or someone"
    assert nameless("ask her", []) == "ask her"


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"query": "what does ZOË like"}, {"query": "what does someone like"}),
        ({"zoë": ["Zoë", 1, None, {"a": True}]}, {"someone": ["someone", 1, None, {"a": True}]}),
    ],
)
@pytest.mark.parametrize("is_escaped", [True, False])
def test_of_json_no_name_is_left_whatever_is_escaped(given: object, left: object, is_escaped: bool) -> None:
    assert json.loads(nameless_json(json.dumps(given, ensure_ascii=is_escaped), ["Zoë"])) == left


def test_what_names_nobody_stays_as_it_was_written_and_what_is_no_json_is_text() -> None:
    assert nameless_json('{ "query":  "cats" }', ["Zoë"]) == '{ "query":  "cats" }'
    assert nameless_json('{"query": "Zoë', ["Zoë"]) == '{"query": "someone'
    assert nameless_json("[" * 100_000 + '"Zoë"', ["Zoë"]).endswith('"someone"')


def test_letters_that_are_the_same_in_any_case_are_alike() -> None:
    cased = "".join(
        each
        for each in map(chr, range(sys.maxunicode + 1))
        if each != each.casefold() or (each.isalpha() and each.upper() != each)
    )
    for letter in cased:
        for same in re.findall(re.escape(letter), cased, re.IGNORECASE):
            assert alike(same) == alike(letter), (letter, same)


def test_no_pattern_is_made_where_no_name_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[str]()
    real = re.compile

    def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
        made.append(pattern)
        return real(pattern, flags)

    monkeypatch.setattr(re, "compile", compiled)
    names = {handle(f"person {number}"): f"Person{number} Quill" for number in range(200)}
    assert said("Fine by me: the gardener comes on Sunday.", names=names) == "Fine by me: the gardener comes on Sunday."
    assert made == []
    assert nameless("Ask PERSON7, will you?", names.values()) == f"Ask {SOMEONE}, will you?"
    assert len(made) == 1
    assert "Person8" not in made[0]
