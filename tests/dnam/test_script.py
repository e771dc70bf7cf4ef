"""A model that follows a file."""

import asyncio
import json
from pathlib import Path

import pytest

from dnam.adapters.script import PREFIX, ScriptModel, read_script, script_of
from dnam.model import (
    AnswerInputs,
    Ask,
    ExtractionInputs,
    Line,
    MergedItem,
    MergeInputs,
    ModelError,
    Purpose,
    SummaryInputs,
)
from projections.errors import BadRequest

TEA = """
name = "teas"
version = "3"
summary = "Teas: {subjects}."

[[item]]
match = 'I like (?P<what>[^.]+)'
kind = "preference"
tags = ["tea"]
text = "Likes {what}."
"""
LINES = (
    Line("Kim", "i like green tea. I like rain.", 1, "aa"),
    Line("dnam", "I like nothing.", 2, "bb", assistant=True),
    Line("Kim", "Good morning", 3, "cc"),
)


Inputs = AnswerInputs | ExtractionInputs | SummaryInputs | MergeInputs


def written(path: Path, text: str) -> Path:
    file = path / "script.toml"
    file.write_text(text, encoding="utf-8")
    return file


def said(model: ScriptModel, purpose: Purpose, inputs: Inputs) -> str:
    ask = Ask(purpose, "script:x", "p@1", "", "", inputs)
    return asyncio.run(model.ask(ask)).text


@pytest.fixture
def teas(tmp_path: Path) -> ScriptModel:
    return ScriptModel(read_script(written(tmp_path, TEA)))


def test_a_name_that_begins_so_means_a_file() -> None:
    assert script_of(f"{PREFIX}a/b.toml") == Path("a/b.toml")
    assert script_of("claude-opus-4-5") is None


def test_it_learns_what_its_patterns_find_with_the_words_they_found(teas: ScriptModel) -> None:
    found = json.loads(said(teas, "extraction", ExtractionInputs("Kim", (LINES[0], LINES[2]))))
    assert [each["text"] for each in found["upserts"]] == ["Likes green tea.", "Likes rain."]
    assert found["upserts"][0] == {
        "kind": "preference",
        "type": "semantic",
        "text": "Likes green tea.",
        "tags": ["tea"],
        "evidence": [{"quote": "i like green tea", "message": "aa"}],
    }
    assert (teas.name, teas.version, teas.paid) == ("teas", "3", False)


def test_it_sums_up_what_was_spoken_of_behind_what_it_said_before(teas: ScriptModel) -> None:
    assert said(teas, "summary", SummaryInputs("dnam", "", LINES, 100)) == "Teas: i like green tea, I like rain."
    assert said(teas, "summary", SummaryInputs("dnam", "Before.", LINES, 12)) == "Before. Teas"
    nothing = said(teas, "summary", SummaryInputs("dnam", "", LINES[2:], 100))
    assert nothing == "Nothing to tell of was said."
    assert said(teas, "summary", SummaryInputs("dnam", nothing, LINES[:1], 100)).startswith("Teas: ")


def test_of_two_close_items_the_newer_holds(teas: ScriptModel) -> None:
    merged = said(teas, "merge", MergeInputs("fact", MergedItem("old"), MergedItem("new")))
    assert json.loads(merged)["merged_summary"] == "new"


def test_it_answers_no_questions(teas: ScriptModel) -> None:
    with pytest.raises(ModelError, match="answers no questions"):
        said(teas, "answer", AnswerInputs("dnam", "Kim", "hello"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = 3", "Expected `str`"),
        ("name = [", "is no script of a model"),
        ("name = 'x'\nmood = 'good'", "unknown field `mood`"),
        ("name = 'x'\n[[item]]\nmatch = '('\ntext = 'y'", "is no script of a model"),
        ("name = 'x'\n[[item]]\nmatch = 'a(?P<b>c)'\ntext = '{d}'", "is no script of a model: 'd'"),
        ("name = 'x'\n[[item]]\nmatch = 'a'\ntext = 'y'\nkind = 'mood'", "Invalid enum value 'mood'"),
    ],
)
def test_a_file_that_is_none_says_why(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        read_script(written(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="cannot be read: No such file"):
        read_script(tmp_path / "none.toml")
