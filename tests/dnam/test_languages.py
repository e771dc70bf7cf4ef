"""Languages are data, and one that nobody wrote down fails safe."""

import asyncio
import re
import unicodedata
from pathlib import Path

import msgspec
import pytest

from dnam.adapters.offline import OfflineModel
from dnam.adapters.offline.statements import Statements
from dnam.assistant import Assistant
from dnam.commands.command import Invocation
from dnam.commands.sessions import extract
from dnam.languages import Language, Replies, available, load
from dnam.memory import Memory
from dnam.model import AnswerInputs, Ask, ExtractionInputs, Line, ModelError
from projections.ids import MINUTE_MS
from projections.retrieval import Vocabulary, tokens
from tests.dnam.scripted import FakeClock, say, settings


@pytest.fixture
def english() -> Language:
    return load("en")


def test_english_ships() -> None:
    assert "en" in available()
    assert load("en").known
    assert load("EN") == load("en")


@pytest.mark.parametrize("name", available())
def test_every_language_that_ships_can_be_used(name: str) -> None:
    language = load(name)
    assert language.name == name
    assert language.version >= 1
    Statements(language)
    OfflineModel(language)


@pytest.mark.parametrize("name", available())
def test_every_word_that_retrieval_knows_can_match(name: str) -> None:
    language = load(name)
    for word in language.stop_words | language.project_words:
        assert tokens(word, Vocabulary()) == {word}
    assert language.stop_words.isdisjoint(language.project_words)


@pytest.mark.parametrize("name", ["xx", "", "../en", "en.toml", "en\x00", "__init__", "e" * 1000, "\ud800"])
def test_a_language_without_a_file_holds_nothing_and_says_so(name: str) -> None:
    language = load(name)
    assert not language.known
    assert language.stop_words == language.project_words == frozenset()
    assert language.statements == ()


async def test_in_an_unknown_language_nothing_is_learned_and_the_answer_says_why() -> None:
    model = OfflineModel(load("xx"))
    heard = ExtractionInputs("Kim", (Line("Kim", "I prefer tea.", 1, "01"),))
    with pytest.raises(ModelError, match=r"^the offline model knows no language of this name: xx$"):
        await model.ask(Ask("extraction", "offline", "extraction@1", "", "", heard))
    for window in ((), (Line("Bot", "hello", 1, assistant=True),)):
        asked = AnswerInputs("Bot", "Kim", "what do you remember about me?", window=window)
        answer = await model.ask(Ask("answer", "offline", "answer@1", "", "", asked))
        assert "no language of this name: xx" in answer.text


async def test_what_was_said_while_the_language_was_not_known_is_learned_once_it_is(tmp_path: Path) -> None:
    clock = FakeClock()
    for name, texts, told in (
        ("xx", [], "Some of it could not be read: the offline model knows no language of this name: xx. "),
        ("en", ["User likes green tea.", "User lives in Oslo."], "Learned 2 item(s)."),
    ):
        async with Memory.open(tmp_path, settings=settings(language=name), clock=clock) as memory:
            assistant = Assistant(memory, OfflineModel(memory.language))
            if name == "xx":
                await say(assistant, "ada", "I like green tea.", "I live in Oslo.")
            heard = await memory.heard("ada", "well")
            asked = Invocation(heard.setting, heard.session, is_told_why=True)
            reply = await extract(assistant, asked, {})
            assert reply.text.startswith(told)
            assert (reply.failed, reply.hindered) == (not texts, not texts)
            assert sorted(item.text for item in await memory.show("ada")) == texts
        clock.time += MINUTE_MS


def test_stop_words_are_tokens_as_retrieval_makes_them(english: Language) -> None:
    for word in english.stop_words:
        assert word == unicodedata.normalize("NFC", word).casefold()
        assert word.isalnum(), word
        assert len(word) >= 3, word


def test_no_project_word_is_a_stop_word(english: Language) -> None:
    assert {"repo", "build", "deploy"} <= english.project_words
    assert 15 <= len(english.project_words) <= 25
    assert not english.project_words & english.stop_words


@pytest.mark.parametrize("words", ["negations", "hedges", "question_words", "reporting_words"])
def test_the_guards_find_their_words(english: Language, words: str) -> None:
    listed: frozenset[str] = getattr(english, words)
    assert listed
    assert all(word == word.casefold() for word in listed)


def test_every_macro_and_every_ban_is_used(english: Language) -> None:
    patterns = [pattern for each in english.statements for pattern in (*each.patterns, *each.sentences, each.after)]
    patterns += [pattern for each in english.endings for pattern in each.patterns]
    patterns += [english.remember.pattern, english.remember.statement]
    used = {name for pattern in patterns for name in re.findall(r"@([a-z]+)@", pattern)} - {"greeting"}
    assert used == set(english.macros)
    banned = {name for each in english.statements for name in (*each.bans, *each.thing_bans)}
    assert banned == set(english.bans)


def test_every_statement_s_text_shows_only_groups_that_all_its_patterns_have(english: Language) -> None:
    for statement in english.statements:
        shown = set(re.findall(r"\{(\w+)\}", statement.text))
        for pattern in (*statement.patterns, *statement.sentences):
            assert shown <= set(re.findall(r"\?P<(\w+)>", pattern)), (statement.slot, pattern)


def test_a_statement_recognises_the_item_that_it_makes(english: Language) -> None:
    statements = Statements(english)
    for statement in english.statements:
        text = re.sub(r"\{(\w+)\}", lambda match: match[1], statement.text)
        families = {reading.family for reading in statements.read(text)}
        assert (statement.family or statement.slot) in families


def test_a_misspelt_key_is_an_error() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.toml.decode(b'name = "en"\nstop_word = []', type=Language)


def test_the_default_replies_are_of_no_language() -> None:
    replies = Replies()
    assert all("{name}" in text for text in (replies.notice, replies.unknown, replies.empty, replies.acknowledge))
    assert asyncio.iscoroutinefunction(OfflineModel(load("xx")).ask)
