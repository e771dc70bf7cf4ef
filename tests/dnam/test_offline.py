"""The offline model: what it learns, what it keeps, what it says, and that nothing upsets it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dnam.adapters.offline import MOST_KEPT, OfflineModel
from dnam.adapters.offline.statements import trimmed
from dnam.assistant import Assistant
from dnam.languages import load
from dnam.memory import Memory
from dnam.model import (
    AnswerInputs,
    Ask,
    ExtractionInputs,
    KnownItem,
    Line,
    Model,
    Reply,
    Round,
    SummaryInputs,
    ToolResult,
)
from dnam.settings import read
from dnam.tool_table import CONVERSATION, SEARCH, TOOLS
from dnam.tools import MOST_CALLS
from projections.events.values import By
from projections.policies.compartments import SELF
from tests.evaluation import Case, extracted, inputs_of, read_table, total
from tests.evaluation.__main__ import MIN_PRECISION, MIN_RECALL, main

Inputs = AnswerInputs | ExtractionInputs | SummaryInputs
KINDS = {"preference", "fact", "project", "constraint", "person", "tool", "workflow"}
TEA = KnownItem("i1", "preference", "User prefers tea.", ("tea",))
OSLO = KnownItem("i2", "fact", "User lives in Oslo.", ("location", "oslo"))
NAME = KnownItem("i3", "fact", "User's name is Sam.", ("name", "sam"))
LONG_TALK = ("hello", "tea " * 9000, "which tea?")
"""What leaves no room for an answer in the window."""
HELLO = Line("Bot", "Hello.", 1, "00", assistant=True)
TABLE = read_table()
ENGLISH = OfflineModel(load("en"))


def ask(inputs: Inputs) -> Ask:
    match inputs:
        case AnswerInputs():
            return Ask("answer", "offline", "answer@1", "", "", inputs)
        case ExtractionInputs():
            return Ask("extraction", "offline", "extraction@1", "", "", inputs)
        case SummaryInputs():
            return Ask("summary", "offline", "summary@1", "", "", inputs)


def answering(message: str, items: tuple[KnownItem, ...] = (), window: tuple[Line, ...] = (HELLO,)) -> Ask:
    """An answer's ask, with every tool."""
    return msgspec.structs.replace(ask(AnswerInputs("Bot", "Kim", message, items, window=window)), tools=TOOLS)


async def text_of(inputs: Inputs) -> str:
    return (await ENGLISH.ask(ask(inputs))).text


async def learned(*texts: str, items: tuple[KnownItem, ...] = ()) -> dict[str, Any]:
    lines = tuple(Line("Kim", text, index, f"{index:02x}") for index, text in enumerate(texts))
    answer: dict[str, Any] = json.loads(await text_of(ExtractionInputs("Kim", lines, items)))
    return answer


async def texts_learned(*texts: str, items: tuple[KnownItem, ...] = ()) -> list[str]:
    return [upsert["text"] for upsert in (await learned(*texts, items=items))["upserts"]]


class TestTheModel:
    async def test_it_is_a_model_that_costs_nothing(self) -> None:
        model: Model = ENGLISH
        assert (model.name, model.paid) == ("offline", False)
        assert model.version.startswith("offline-en@7")
        reply = await model.ask(ask(SummaryInputs("Bot", "", (), 100)))
        assert reply == Reply(text="", model="offline", version=model.version)

    async def test_the_same_question_has_the_same_answer(self) -> None:
        fresh = OfflineModel(load("en"))
        for case in TABLE.tuned:
            assert await fresh.ask(ask(inputs_of(case))) == await ENGLISH.ask(ask(inputs_of(case)))

    def test_the_same_in_every_process(self) -> None:
        program = (
            "from tests.evaluation import extracted, read_table\n"
            "print(ascii([extracted(case) for case in read_table().held_out]))"
        )
        said = {
            subprocess.run(
                [sys.executable, "-c", program],
                cwd=Path(__file__).parents[2],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                encoding="utf-8",
                check=True,
            ).stdout
            for seed in ("0", "1", "2")
        }
        assert len(said) == 1


class TestTheTable:
    def test_half_of_it_yields_nothing(self) -> None:
        cases = TABLE.tuned + TABLE.held_out
        assert len(cases) >= 160
        assert sum(not case.want for case in cases) * 2 >= len(cases)
        assert len({(case.said, case.items) for case in cases}) == len(cases)

    @pytest.mark.parametrize("cases", [TABLE.tuned, TABLE.held_out], ids=["tuned", "held out"])
    def test_the_bounds_hold(self, cases: tuple[Case, ...]) -> None:
        assert total(cases).precision >= MIN_PRECISION
        assert total(cases).recall >= MIN_RECALL

    def test_it_is_printed(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--all"]) == 0
        assert "held out" in capsys.readouterr().out

    @pytest.mark.parametrize("case", TABLE.tuned + TABLE.held_out, ids=lambda case: case.said[0][:40])
    def test_what_comes_is_well_formed_and_rests_on_the_message_s_own_words(self, case: Case) -> None:
        answer = extracted(case)
        assert set(answer) == {"upserts", "deprecations"}
        for upsert in answer["upserts"]:
            assert upsert["kind"] in KINDS
            assert upsert["type"] in {"semantic", "episodic", "procedural"}
            assert upsert["about"] == "person"
            assert 0 < upsert["confidence"] <= 1
            assert upsert["text"].startswith("User")
            assert upsert["tags"] == [tag.casefold() for tag in upsert["tags"]]
            assert len(upsert["tags"]) <= 5
            for evidence in upsert["evidence"]:
                assert evidence["quote"]
                assert evidence["quote"] in case.said[int(evidence["message"], 16)]


class TestExtraction:
    async def test_what_is_said_twice_comes_once(self) -> None:
        assert await texts_learned("I prefer tea.", "i prefer tea") == ["User prefers tea."]

    async def test_what_is_known_does_not_come_again(self) -> None:
        assert await learned("I prefer tea", items=(TEA,)) == {"upserts": [], "deprecations": []}

    async def test_a_correction_in_the_same_batch_leaves_only_the_last(self) -> None:
        assert await texts_learned("I live in Oslo.", "Sorry, I live in Bergen.") == ["User lives in Bergen."]

    async def test_what_ends_in_the_same_batch_never_comes(self) -> None:
        assert await learned("I'm vegan.", "I'm not vegan any more.") == {"upserts": [], "deprecations": []}

    async def test_a_correction_updates_the_item_and_says_so_by_its_id(self) -> None:
        (upsert,) = (await learned("Actually I prefer coffee.", items=(OSLO, TEA)))["upserts"]
        assert (upsert["id"], upsert["text"]) == ("i1", "User prefers coffee.")

    async def test_two_corrections_of_one_item_are_one_update(self) -> None:
        answer = await learned("call me Max", "call me Mo now", items=(NAME,))
        assert [upsert["text"] for upsert in answer["upserts"]] == ["User wants to be called Mo."]
        moves = (await learned("I moved to Porto", "I live in Faro now", items=(OSLO,)))["upserts"]
        assert [(upsert["id"], upsert["text"]) for upsert in moves] == [("i2", "User lives in Faro.")]

    async def test_an_end_deprecates_with_the_person_s_words_as_the_reason(self) -> None:
        answer = await learned("I no longer live in Oslo!", items=(OSLO, TEA))
        assert answer == {"upserts": [], "deprecations": [{"id": "i2", "reason": "I no longer live in Oslo"}]}

    async def test_an_end_and_what_comes_instead_are_one_update(self) -> None:
        answer = await learned("I no longer live in Oslo, I live in Bergen", items=(OSLO,))
        assert answer["deprecations"] == []
        assert [(upsert["id"], upsert["text"]) for upsert in answer["upserts"]] == [("i2", "User lives in Bergen.")]

    async def test_an_end_of_something_else_ends_nothing(self) -> None:
        answer = await learned("I no longer work on the parser", items=(OSLO, TEA))
        assert answer == {"upserts": [], "deprecations": []}

    async def test_another_taste_is_no_correction(self) -> None:
        (upsert,) = (await learned("I prefer window seats on long flights", items=(TEA,)))["upserts"]
        assert "id" not in upsert

    async def test_short_names_of_things_are_told_apart(self) -> None:
        known = KnownItem("i1", "tool", "User uses Go.")
        (upsert,) = (await learned("I use C", items=(known,)))["upserts"]
        assert "id" not in upsert
        assert await learned("I no longer use C", items=(known,)) == {"upserts": [], "deprecations": []}
        assert (await learned("I no longer use Go", items=(known,)))["deprecations"][0]["id"] == "i1"

    async def test_the_assistant_s_lines_are_not_read(self) -> None:
        line = Line("Bot", "I prefer tea.", 1, "01", assistant=True)
        assert json.loads(await text_of(ExtractionInputs("Kim", (line,))))["upserts"] == []

    async def test_the_speaker_s_own_things_are_told_as_theirs(self) -> None:
        assert await texts_learned("I love my old desk") == ["User loves their old desk."]
        assert await texts_learned("please never ping me after 10pm") == ["User asks: never ping them after 10pm."]

    async def test_curly_apostrophes_stay_in_the_evidence(self) -> None:
        (upsert,) = (await learned("hi 👋 I’m allergic to kiwi’s skin"))["upserts"]
        assert upsert["evidence"] == [{"quote": "I’m allergic to kiwi’s skin", "message": "00"}]

    @pytest.mark.parametrize(
        "said",
        [
            "my name is...",
            "my name is",
            "My name is ...",
            "my name is:",
            "My name is… well",
            "Kim wrote:\nI prefer decaf",
            "Tom wrote: my name is Tom",
            "From the handbook:\nI work on the night shift",
            "e.g. I prefer dark mode",
            "I prefer tea. Actually no.",
            "I prefer tea. No wait, I don't.",
            "I live in Oslo. That is a lie.",
            "I live in Oslo. Psych!",
            "I prefer tea NOT",
            "Yeah right, I love mondays",
            "I work on commission",
            "I work on my own",
            "my name is spelled K-i-m",
            "my name is pronounced Kay",
            "my car is a mess",
            "my timezone is wrong",
        ],
    )
    async def test_what_is_cut_off_quoted_or_taken_back_teaches_nothing(self, said: str) -> None:
        assert await texts_learned(said) == []

    @pytest.mark.parametrize(
        ("said", "learned"),
        [
            ("I prefer tea. No milk though.", ["User prefers tea."]),
            ("Actually I live in Oslo.", ["User lives in Oslo."]),
            ("I wrote: done. I prefer tea", ["User prefers tea."]),
            ("About me:\nI prefer tea\nKim wrote:\nI prefer decaf", ["User prefers tea."]),
            ("As I said:\nI prefer tea", ["User prefers tea."]),
            ("I live in Bergen. No wait, I moved to Oslo.", ["User moved to Oslo."]),
            ("I work on my own game engine", ["User works on their own game engine."]),
            ("I'd rather have tea than coffee", ["User would rather have tea than coffee."]),
        ],
    )
    async def test_what_is_one_s_own_and_stands_is_learned(self, said: str, learned: list[str]) -> None:
        assert await texts_learned(said) == learned

    async def test_what_the_next_message_takes_back_teaches_nothing(self) -> None:
        taken_back = ExtractionInputs(
            "Kim", (Line("Kim", "I prefer tea", 1, "01"), Line("Kim", "actually no", 2, "02"))
        )
        assert json.loads(await text_of(taken_back)) == {"upserts": [], "deprecations": []}

    async def test_whom_a_message_is_said_to_is_no_part_of_it(self) -> None:
        assert await texts_learned("@marcy I prefer tea") == ["User prefers tea."]
        assert await texts_learned("tell @marcy I prefer tea") == []

    async def test_braces_and_backslashes_are_only_text(self) -> None:
        assert await texts_learned(r"I prefer {what} over \1 and {0}") == [r"User prefers {what} over \1 and {0}."]


class TestSummary:
    LINES = (
        Line("Kim", "Good morning everyone! Thanks!! We decided to ship on Friday.", 1),
        Line("Bot", "Sounds good. The release branch is cut on Thursday. More later.", 2, assistant=True),
        Line("Lou", "ok", 3),
        Line("Lou", "> old words\nThe printer needs toner. lol", 4),
    )

    async def test_it_keeps_what_informs_and_drops_the_rest(self) -> None:
        text = await text_of(SummaryInputs("Bot", "Kim: The budget is fixed.", self.LINES, 2000))
        assert text.splitlines() == [
            "Kim: The budget is fixed.",
            "Kim: We decided to ship on Friday.",
            "Bot: The release branch is cut on Thursday.",
            "Lou: The printer needs toner.",
        ]

    async def test_nothing_new_changes_nothing(self) -> None:
        first = await text_of(SummaryInputs("Bot", "", self.LINES, 2000))
        assert await text_of(SummaryInputs("Bot", first, self.LINES, 2000)) == first

    async def test_the_newest_is_kept_when_there_is_too_much(self) -> None:
        lines = tuple(Line("Kim", f"Point number {n} matters.", n) for n in range(100))
        text = await text_of(SummaryInputs("Bot", "Kim: an old point", lines, 100))
        assert text.splitlines()[-1] == "Kim: Point number 99 matters."
        assert "old point" not in text

    async def test_whoever_is_addressed_and_what_only_goes_on_informs_of_nothing(self) -> None:
        said = [
            ("Jon", "Thanks, Gina!"),
            ("Gina", "Definitely, Jon!"),
            ("Jon", "Hey Gina!"),
            ("Gina", "You're right, Jon."),
        ]
        said += [("Gina", "Jon Rivera, that's awesome!"), ("Jon", "I rented a studio downtown.")]
        lines = tuple(Line(name, text, n) for n, (name, text) in enumerate(said))
        text = await text_of(SummaryInputs("Bot", "Jon Rivera: The studio opens in May.", lines, 500))
        assert text == "Jon Rivera: The studio opens in May.\nJon: I rented a studio downtown."

    async def test_what_informs_least_goes_before_the_oldest(self) -> None:
        said = (
            "The studio opens in May with twelve dancers.",
            "I like blue walls.",
            "My investor signed papers in Oslo.",
        )
        lines = tuple(Line("Kim", text, n) for n, text in enumerate(said))
        whole = await text_of(SummaryInputs("Bot", "", lines, 500))
        assert whole.splitlines() == [f"Kim: {each}" for each in said]
        assert (await text_of(SummaryInputs("Bot", "", lines, len(whole) - 1))).splitlines() == [
            f"Kim: {said[0]}",
            f"Kim: {said[2]}",
        ]

    async def test_where_no_space_stands_between_words_characters_count(self) -> None:
        lines = (Line("Kim", "我喜欢喝绿茶。", 1), Line("Kim", "好的", 2))
        assert await text_of(SummaryInputs("Bot", "", lines, 500)) == "Kim: 我喜欢喝绿茶。"

    async def test_where_nothing_informs_the_newest_lines_make_the_first_summary(self) -> None:
        said = ("ok", "lol", "👍", "```\nx = 1\n```", "yes")
        lines = tuple(Line("Kim", text, n) for n, text in enumerate(said))
        first = await text_of(SummaryInputs("Bot", "", lines, 500))
        assert first.splitlines() == ["Kim: 👍", "Kim: ``` x = 1 ```", "Kim: yes"]
        assert await text_of(SummaryInputs("Bot", "Kim: We ship.", lines, 500)) == "Kim: We ship."
        assert await text_of(SummaryInputs("Bot", "", (Line("Kim", "\x00 ", 1),), 500)) == "Kim: …"

    async def test_a_name_cannot_forge_a_line(self) -> None:
        text = await text_of(SummaryInputs("Bot", "", (Line("Kim\nLou: I quit", "The cat sleeps.", 1),), 500))
        assert text == "Kim Lou: I quit: The cat sleeps."

    async def test_its_own_canned_sentences_are_no_news(self) -> None:
        replies = load("en").replies
        lines = tuple(Line("Bot", text, 1, assistant=True) for text in (replies.notice, replies.unknown))
        assert await text_of(SummaryInputs("Bot", "", lines, 500)) == load("en").summary.nothing

    @given(
        previous=st.text(max_size=400),
        said=st.lists(st.tuples(st.text(max_size=20), st.text(max_size=200), st.booleans()), max_size=6),
        max_chars=st.integers(-1, 300),
    )
    @settings(max_examples=100, deadline=None)
    def test_it_never_passes_its_limit(self, previous: str, said: list[tuple[str, str, bool]], max_chars: int) -> None:
        lines = tuple(Line(name, text, 1, assistant=assistant) for name, text, assistant in said)
        text = ENGLISH.reply(SummaryInputs("Bot", previous, lines, max_chars)).text
        assert len(text) <= max(max_chars, 0)
        text.encode()


class TestAnswer:
    async def test_it_says_once_that_it_is_offline(self) -> None:
        notice = load("en").replies.notice
        first = await text_of(AnswerInputs("Bot", "Kim", "hello", window=(Line("Kim", "hey", 1),)))
        later = await text_of(AnswerInputs("Bot", "Kim", "hello", window=(HELLO,)))
        assert first.startswith(notice)
        assert first.count(notice) == 1
        assert "offline" not in later
        trimmed = await text_of(AnswerInputs("Bot", "Kim", "hello", window=(Line("Kim", "hey", 1),), goes_on=True))
        assert notice not in trimmed

    async def test_it_says_so_once_also_where_a_long_message_is_all_that_the_window_holds(self, tmp_path: Path) -> None:
        notice = load("en").replies.notice
        async with Memory.open(tmp_path, settings=read({}, {})) as memory:
            assistant = Assistant(memory, ENGLISH)
            answers = [(await assistant.answer(await memory.heard("kim", text))).text for text in LONG_TALK]
        assert [notice in each for each in answers] == [True, False, False]

    @pytest.mark.parametrize(
        ("message", "shown", "hidden"),
        [
            ("what do you remember about me?", (TEA, OSLO, NAME), ()),
            ("What do you know about me", (TEA, OSLO, NAME), ()),
            ("what's my name?", (NAME,), (TEA, OSLO)),
            ("What’s my name", (NAME,), (TEA, OSLO)),
            ("do you know where I live?", (OSLO,), (TEA, NAME)),
            ("should I have some tea?", (TEA,), (OSLO, NAME)),
            ("how tall is the tower?", (), (TEA, OSLO, NAME)),
        ],
    )
    async def test_it_answers_from_the_items_that_fit(
        self, message: str, shown: tuple[KnownItem, ...], hidden: tuple[KnownItem, ...]
    ) -> None:
        text = await text_of(AnswerInputs("Bot", "Kim", message, (TEA, OSLO, NAME), window=(HELLO,)))
        assert all(item.text in text for item in shown)
        assert not any(item.text in text for item in hidden)

    async def test_it_never_knows_what_is_not_there(self) -> None:
        replies = load("en").replies
        assert await text_of(AnswerInputs("Bot", "Kim", "where do I live?", (TEA,), window=(HELLO,))) == replies.unknown
        assert await text_of(AnswerInputs("Bot", "Kim", "who am I?", window=(HELLO,))) == replies.empty
        assert await text_of(AnswerInputs("Bot", "Kim", "nice day", window=(HELLO,))) == replies.acknowledge
        assert await text_of(AnswerInputs("Bot", "Kim", " \n", window=(HELLO,))) == replies.silence

    @pytest.mark.parametrize("asked", ["what do you remember about me?", "where do I live?", "nice day"])
    async def test_with_memory_off_it_says_that_and_not_that_it_remembers_nothing_yet(self, asked: str) -> None:
        text = await text_of(AnswerInputs("Bot", "Kim", asked, window=(HELLO,), remembers=False))
        assert text == load("en").replies.off == "Memory is switched off here."

    @pytest.mark.parametrize("asked", ["what do you remember about Ines?", "do you know anything about Ines?"])
    async def test_what_is_asked_of_somebody_else_is_not_answered_with_one_s_own(self, asked: str) -> None:
        assert await text_of(AnswerInputs("Bot", "Kim", asked, (TEA,), window=(HELLO,))) == load("en").replies.unknown

    async def test_the_same_words_are_quoted_once(self) -> None:
        said = Line("Kim", "I live in Oslo", 1)
        asked = AnswerInputs("Bot", "Kim", "where do I live?", (), "Kim: I live in Oslo", (HELLO, said))
        assert (await text_of(asked)).count("I live in Oslo") == 1

    async def test_asked_for_all_without_an_item_it_shows_the_summary(self) -> None:
        asked = AnswerInputs("Bot", "Kim", "what do you remember?", (), "Kim: The roof leaks.", (HELLO,))
        assert await text_of(asked) == "From our conversation:\n- Kim: The roof leaks."

    @pytest.mark.parametrize(
        "asked",
        ["who are you?", "hi, what's your name?", "What can you do?", "help", "are you a bot?", "how does this work"],
    )
    async def test_asked_who_it_is_it_says_so(self, asked: str) -> None:
        named = KnownItem("i5", "fact", "User's name is Kim.", ("name",))
        told = await text_of(AnswerInputs("Bot", "Kim", asked, (named,), window=(HELLO,)))
        assert told == load("en").replies.identity

    @pytest.mark.parametrize("asked", ["what did we talk about?", "Summarize our chat please", "what did I say?"])
    async def test_asked_what_was_said_it_shows_the_conversation(self, asked: str) -> None:
        said = (HELLO, Line("Kim", "The roof leaks.", 1), Line("Kim", "is it dry?", 2), Line("Kim", asked, 3))
        inputs = AnswerInputs("Bot", "Kim", asked, (TEA,), "Kim: I was in Riga.", said)
        assert await text_of(inputs) == "From our conversation:\n- Kim: I was in Riga.\n- Kim: The roof leaks."
        nothing = AnswerInputs("Bot", "Kim", asked, (TEA,), load("en").summary.nothing, (HELLO,))
        assert await text_of(nothing) == load("en").replies.unknown

    async def test_a_question_of_small_words_alone_is_answered_by_what_has_them_in_another_form(self) -> None:
        likes = KnownItem("i4", "preference", "User likes tea.")
        asked = AnswerInputs("Bot", "Kim", "what do I like?", (OSLO, likes), window=(HELLO,))
        assert await text_of(asked) == f"{load('en').replies.relevant}\n- [preference] User likes tea."

    async def test_a_statement_of_small_words_alone_brings_nothing_up(self) -> None:
        asked = AnswerInputs("Bot", "Kim", "ok, just like that", (TEA,), window=(HELLO,))
        assert await text_of(asked) == load("en").replies.acknowledge

    async def test_a_question_is_no_answer_to_another(self) -> None:
        before = Line("Kim", "where does the ferry land?", 1)
        asked = AnswerInputs("Bot", "Kim", "when does the ferry leave?", (), "", (HELLO, before))
        assert await text_of(asked) == load("en").replies.unknown

    async def test_without_an_item_it_quotes_the_conversation(self) -> None:
        asked = AnswerInputs("Bot", "Kim", "when does the ferry leave?", (), "Lou: The ferry leaves at nine.", (HELLO,))
        assert "Lou: The ferry leaves at nine." in await text_of(asked)


ASKED_IN_COMPANY = (
    Line("Tobi", "I eat meat", 1),
    Line("Marcy", "I never eat meat, and my brother Jon lives in Oslo", 2),
    Line("Ines", "The school visits on the third Tuesday", 3),
    Line("Marcy", "The gate opens at nine", 4),
)


class TestOfSomebodyElse:
    """What is kept of the one who asks answers no question of somebody else."""

    @staticmethod
    async def told(user: str, message: str, *own: str) -> str:
        items = tuple(KnownItem(f"i{number}", "fact", text) for number, text in enumerate(own))
        return await text_of(AnswerInputs("Fern", user, message, items, window=(HELLO, *ASKED_IN_COMPANY)))

    @pytest.mark.parametrize(
        ("user", "message", "own", "line"),
        [
            ("Tobi", "does Marcy eat meat?", "User eats meat.", 1),
            ("Tobi", "does she eat meat?", "User eats meat.", 1),
            ("Marcy", "where does Jon live?", "User lives in Bergen.", 1),
            ("Marcy", "where does jon live?", "User lives in Bergen.", 1),
            ("Marcy", "where does my brother live?", "User lives in Bergen.", 1),
            ("Marcy", "where does he live?", "User lives in Bergen.", 1),
            ("Marcy", "when does the school visit?", "User works on a school kitchen project.", 2),
            ("Marcy", "what do you know about Ines?", "User works on a school kitchen project.", 2),
        ],
    )
    async def test_it_is_answered_by_what_was_said_of_them(self, user: str, message: str, own: str, line: int) -> None:
        said = ASKED_IN_COMPANY[line]
        assert await self.told(user, message, own) == f"From our conversation:\n- {said.name}: {said.text}"

    @pytest.mark.parametrize(
        ("message", "own"),
        [
            ("is my mother allergic?", "User is allergic to cats."),
            ("is our older sister allergic?", "User is allergic to cats."),
            ("Is Jonas allergic to cats?", "User is allergic to cats."),
            ("does jonas like cats?", "User likes cats."),
            ("is jonas allergic to cats?", "User is allergic to cats."),
            ("What is Jonas's job?", "User's job is baking."),
        ],
    )
    async def test_where_nothing_was_nothing_is_known(self, message: str, own: str) -> None:
        assert await self.told("Tobi", message, own) == load("en").replies.unknown

    @pytest.mark.parametrize(
        ("message", "own"),
        [
            ("where does Jon live?", "User's brother Jon lives in Oslo, Norway."),
            ("where does my sister live?", "User asked to remember that their sister lives in Oslo."),
            ("where do I live?", "User lives in Bergen."),
            ("WHERE DO I LIVE?", "User lives in Bergen."),
            ("Fern, where do I live?", "User lives in Bergen."),
            ("do I live in Bergen?", "User lives in Bergen."),
            ("does Tobi live in Bergen?", "User lives in Bergen."),
            ("is anyone allergic to cats?", "User is allergic to cats."),
            ("who is allergic to cats?", "User is allergic to cats."),
            ("what is my cat called?", "User's cat is called Tom."),
        ],
    )
    async def test_what_names_them_and_what_is_one_s_own_still_answers(self, message: str, own: str) -> None:
        assert await self.told("Tobi", message, own) == f"From what I remember:\n- [fact] {own}"

    async def test_what_is_nobody_s_answers_whoever_is_asked_about(self) -> None:
        lore = KnownItem("i1", "fact", "everybody eats at noon", about="guild")
        asked = AnswerInputs("Fern", "Tobi", "when does Jonas eat?", (lore,), window=(HELLO,))
        assert await text_of(asked) == "From what I remember:\n- [fact] everybody eats at noon"

    async def test_a_name_alone_is_no_answer_to_what_is_asked_of_them(self) -> None:
        assert await self.told("Tobi", "does Ines eat meat?") == load("en").replies.unknown


class TestOfNobody:
    """What everybody may know, and what the assistant knows of itself, is not told as remembered of who asks."""

    ITEMS = (
        KnownItem("i1", "fact", "the gate opens at 9", about="guild"),
        KnownItem("i2", "fact", "I am called Fern", about="self"),
        KnownItem("i3", "fact", "the bill is due", about="owner"),
    )

    async def test_to_a_stranger_it_is_told_apart_from_that_nothing_is_remembered(self) -> None:
        told = await text_of(AnswerInputs("Fern", "Kim", "what do you remember about me?", self.ITEMS, window=(HELLO,)))
        assert told == (
            "I remember nothing of you yet.\n"
            "What everybody of this server may know:\n- [fact] the gate opens at 9\n"
            "What I know of myself:\n- [fact] I am called Fern\n"
            "Noted for you as my owner:\n- [fact] the bill is due"
        )

    async def test_it_stands_behind_what_is_one_s_own(self) -> None:
        items = (self.ITEMS[0], TEA)
        told = await text_of(AnswerInputs("Fern", "Kim", "what do you remember about me?", items, window=(HELLO,)))
        assert told == (
            "This is what I remember of you:\n- [preference] User prefers tea.\n"
            "What everybody of this server may know:\n- [fact] the gate opens at 9"
        )

    async def test_all_of_it_together_is_one_message(self) -> None:
        items = tuple(
            KnownItem(f"i{number}", "fact", "word " * 60, about=about)
            for about in ("person", "guild", "self", "owner")
            for number in range(6)
        )
        told = await text_of(AnswerInputs("Fern", "Kim", "what do you remember about me?", items, window=(HELLO,)))
        assert len(told) < 2000

    async def test_an_assistant_tells_them_apart(self, tmp_path: Path) -> None:
        async with Memory.open(tmp_path, settings=read({}, {})) as memory:
            asked = await memory.heard("kim", "what do you remember about me?")
            await memory.remember("kim", "the gate opens at 9")
            await memory.remember_nobodys(SELF, "I am called Fern", by=By("person", asked.person))
            told = (await Assistant(memory, ENGLISH).answer(asked)).text
        own, _, of_itself = told.partition("\nWhat I know of myself:\n")
        assert "the gate opens at 9" in own
        assert of_itself == "- [fact] I am called Fern"


class TestWishes:
    """What is asked for and not done is said, with the command that does it."""

    @pytest.mark.parametrize(
        "message",
        [
            "remember that the shop closes at six",
            "please remember the wifi is called Larch",
            "Can you remember that I park on level 3?",
            "make a note of the shed key under the pot",
            "remember that he said I like tea",
        ],
    )
    async def test_what_was_not_kept_is_said_not_to_be(self, message: str) -> None:
        told = await ENGLISH.ask(answering(message))
        assert (told.calls, told.text) == ((), load("en").replies.unkept)
        assert "did not keep it" in told.text
        assert "`!memory remember`" in told.text

    async def test_a_secret_is_said_never_to_be(self, tmp_path: Path) -> None:
        async with Memory.open(tmp_path, settings=read({}, {})) as memory:
            asked = await memory.heard("kim", "Remember: my password is hunter2")
            told = (await Assistant(memory, ENGLISH).answer(asked)).text
        assert told.endswith(load("en").replies.secret)
        assert "no secrets" in told

    @pytest.mark.parametrize("message", ["remember that the shop closes at six", "stop recording me"])
    async def test_where_memory_is_off_that_is_said(self, message: str) -> None:
        asked = AnswerInputs("Bot", "Kim", message, window=(HELLO,), remembers=False)
        assert await text_of(asked) == load("en").replies.off

    async def test_who_opted_out_is_told_that_instead(self) -> None:
        asked = AnswerInputs("Bot", "Kim", "remember that the shop closes at six", window=(HELLO,))
        assert ENGLISH.reply(asked, nobody=True).text == load("en").replies.nobody

    @pytest.mark.parametrize(
        "message", ["stop recording me", "Please stop recording what I say", "don't record me", "how do I opt out?"]
    )
    async def test_the_way_out_is_named(self, message: str) -> None:
        told = await text_of(AnswerInputs("Bot", "Kim", message, window=(HELLO,)))
        assert told == load("en").replies.opting_out
        assert "`!memory opt-out`" in told

    @pytest.mark.parametrize(
        "message",
        ["do you remember that I like tea?", "can you remember what I said?", "Remember my birthday?", "I remember it"],
    )
    async def test_a_question_is_no_wish(self, message: str) -> None:
        told = await text_of(AnswerInputs("Bot", "Kim", message, window=(HELLO,)))
        assert told in {load("en").replies.unknown, load("en").replies.acknowledge}

    async def test_that_all_is_to_go_names_what_does_that_too(self) -> None:
        told = await text_of(AnswerInputs("Bot", "Kim", "delete everything about me", window=(HELLO,)))
        assert "`!memory erase`" in told
        assert "most of the words" in told


class TestDenials:
    """What somebody denies, or corrects, takes the place of what it means, and of nothing else."""

    @pytest.mark.parametrize(
        ("known", "said", "left"),
        [
            (("I work in Leeds.", "I live in Leeds."), "I no longer live in Leeds.", ["User works in Leeds."]),
            (("I'm allergic to nuts.",), "I am not allergic to nuts.", []),
            (("I'm allergic to nuts.",), "I'm not allergic to nuts after all", []),
            (("I live in Leeds.",), "I do not live in Leeds.", []),
            (("I work at Acme.",), "I quit my job at Acme.", []),
            (
                ("I'm allergic to shellfish.",),
                "No, I'm allergic to peanuts, not shellfish.",
                ["User is allergic to peanuts."],
            ),
            (("I'm allergic to nuts.",), "I'm not allergic to cats.", ["User is allergic to nuts."]),
            (
                ("I'm allergic to nuts.",),
                "I'm also allergic to cats.",
                ["User is allergic to nuts.", "User is allergic to cats."],
            ),
        ],
    )
    async def test_what_is_left(self, known: tuple[str, ...], said: str, left: list[str]) -> None:
        assert await texts_learned(*known, said) == left
        there = [KnownItem(f"i{n}", "fact", text) for n, text in enumerate(await texts_learned(*known))]
        came = await learned(said, items=tuple(there))
        gone = {each["id"] for each in came["deprecations"]} | {each.get("id") for each in came["upserts"]}
        assert [each.text for each in there if each.id not in gone] + [each["text"] for each in came["upserts"]] == left

    @pytest.mark.parametrize(
        ("said", "kept"),
        [
            ("[square] things", "[square] things"),
            ("**bold** moves!", "**bold** moves"),
            ("tea (green)", "tea (green)"),
            ("(tea).", "tea"),
            ("“so” it goes…", "“so” it goes…"),
            ("***", ""),
        ],
    )
    def test_a_bracket_stays_with_the_other_one_of_its_pair(self, said: str, kept: str) -> None:
        assert trimmed(said) == kept


class TestKeepingWhatItIsAskedTo:
    """ "Remember that …" is written down by its tool before it answers, and told when that came to something."""

    async def test_it_calls_its_tool_with_the_person_s_own_words(self) -> None:
        reply = await ENGLISH.ask(answering("Hi! Please remember that I’m allergic to nuts, and I saw a film."))
        notes = [(call.name, json.loads(call.input)) for call in reply.calls]
        assert notes == [
            (
                "memory_write",
                {
                    "namespace": "me",
                    "text": "User is allergic to nuts.",
                    "quote": "I’m allergic to nuts",
                    "kind": "fact",
                    "replaces": "",
                    "shareable": False,
                },
            )
        ]
        assert reply.text == ""

    async def test_what_corrects_a_known_item_names_it(self) -> None:
        (call,) = (await ENGLISH.ask(answering("remember that my name is Kim", items=(NAME,)))).calls
        assert json.loads(call.input)["replaces"] == NAME.id

    @pytest.mark.parametrize(
        "message",
        [
            "I like tea",
            "do you remember that I like tea?",
            "remember that he said I like tea",
            "she told me: remember that I like tea",
            "remember the milk",
            "remember that I prefer tea",
            "remember that I like \udfff tea",
            "remember that my key is [redacted: api key]",
        ],
    )
    async def test_nothing_else_is_written(self, message: str) -> None:
        reply = await ENGLISH.ask(answering(message, items=(TEA,)))
        assert reply.calls == ()
        assert reply.text

    async def test_without_the_tool_it_answers(self) -> None:
        asked = answering("remember that I like tea")
        for other in (
            msgspec.structs.replace(asked, tools=()),
            msgspec.structs.replace(asked, may_call=False),
            msgspec.structs.replace(asked, tools=(SEARCH, CONVERSATION)),
        ):
            reply = await ENGLISH.ask(other)
            assert (reply.calls, reply.text) == ((), load("en").replies.acknowledge)

    async def test_a_long_list_takes_no_more_than_an_answer_may_call(self) -> None:
        message = ". ".join(f"Remember that I like {each}" for each in ("tea", "cake", "rain", "snow", "fog"))
        assert len((await ENGLISH.ask(answering(message))).calls) == MOST_KEPT < MOST_CALLS

    async def test_it_tells_what_was_kept_and_what_was_not(self) -> None:
        asked = answering("Remember that I like tea. Remember that I like cake.")
        calls = (await ENGLISH.ask(asked)).calls
        results = (ToolResult("note-1", "kept as durable-1"), ToolResult("note-2", "refused: it is full", failed=True))
        heard: list[str] = []
        told = await ENGLISH.ask(msgspec.structs.replace(asked, rounds=(Round("", calls, results),)), heard.append)
        assert told.calls == ()
        assert told.text == (
            "I will remember:\n- [preference] User likes tea.\n"
            "I could not keep this:\n- I like cake (refused: it is full)"
        )
        assert heard == [told.text]

    async def test_a_conversation_that_begins_with_it_begins_with_the_notice(self) -> None:
        asked = answering("remember that I like tea", window=())
        calls = (await ENGLISH.ask(asked)).calls
        made = Round("", calls, (ToolResult("note-1", "kept as durable-1"),))
        told = await ENGLISH.ask(msgspec.structs.replace(asked, rounds=(made,)))
        assert told.text.splitlines()[:2] == [load("en").replies.notice, load("en").replies.kept]

    async def test_in_a_chat_it_is_there_at_once(self, tmp_path: Path) -> None:
        async with Memory.open(tmp_path, settings=read({}, {})) as memory:
            assistant = Assistant(memory, ENGLISH)
            answered = await assistant.answer(await memory.heard("kim", "remember that I like tea"))
            assert answered.text.endswith("I will remember:\n- [preference] User likes tea.")
            assert [each.text for each in await memory.show("kim")] == ["User likes tea."]

    @pytest.mark.parametrize(
        ("said", "kept"),
        [
            ("remember that my shoe size is 44", "User asked to remember that their shoe size is 44."),
            ("remember that my sister lives in Oslo", "User asked to remember that their sister lives in Oslo."),
            ("don't forget that my wifi is called Larry", "User asked to remember that their wifi is called Larry."),
            ("remember that my cat's name is Tom", "User's cat is called Tom."),
        ],
    )
    async def test_what_it_says_in_words_of_its_own_is_kept(self, tmp_path: Path, said: str, kept: str) -> None:
        async with Memory.open(tmp_path, settings=read({}, {})) as memory:
            assistant = Assistant(memory, ENGLISH)
            answered = await assistant.answer(await memory.heard("kim", said))
            assert answered.text.endswith(f"I will remember:\n- [fact] {kept}")
            assert [each.text for each in await memory.show("kim")] == [kept]

    async def test_what_was_forgotten_is_refused_and_the_way_back_is_told(self, tmp_path: Path) -> None:
        async with Memory.open(tmp_path, settings=read({}, {})) as memory:
            assistant = Assistant(memory, ENGLISH)
            await assistant.answer(await memory.heard("kim", "remember that I like tea"))
            (item,) = await memory.show("kim")
            await memory.forget("kim", item.text)
            answered = await assistant.answer(await memory.heard("kim", "remember that I like tea"))
            assert f"`!memory restore {item.id}` brings that back" in answered.text
            assert await memory.show("kim") == []

    async def test_a_verb_alone_answers_nothing(self) -> None:
        dog = KnownItem("i1", "fact", "User's dog is called Rex.", ("dog",))
        assert await text_of(AnswerInputs("Bot", "Kim", "what is my wifi called?", (dog,), window=(HELLO,))) == (
            load("en").replies.unknown
        )


class TestForgetting:
    @pytest.mark.parametrize(
        "message",
        [
            "forget that I like tea",
            "Please forget everything about me",
            "can you forget my birthday?",
            "delete that",
            "forget the shed key",
            "forget Oslo",
            "please forget where I live",
        ],
    )
    async def test_it_says_that_a_command_takes_back(self, message: str) -> None:
        text = await text_of(AnswerInputs("Bot", "Kim", message, (TEA,), window=(HELLO,)))
        assert text == load("en").replies.forgetting
        assert "`!memory forget`" in text
        assert await texts_learned(message) == []

    @pytest.mark.parametrize("message", ["I always forget my keys", "don't forget the milk", "delete the file please"])
    async def test_nothing_else_is_taken_for_it(self, message: str) -> None:
        assert await text_of(AnswerInputs("Bot", "Kim", message, window=(HELLO,))) == load("en").replies.acknowledge

    async def test_where_all_is_asked_for_it_says_that_there_may_be_more(self) -> None:
        many = tuple(KnownItem(f"i{n}", "fact", f"User owns boat {n}.") for n in range(12))
        asked = AnswerInputs("Bot", "Kim", "what do you remember about me?", many, window=(HELLO,))
        assert (await text_of(asked)).endswith("User owns boat 11.\nThere may be more: `!memory show` lists all of it.")
        few = msgspec.structs.replace(asked, items=many[:11])
        assert (await text_of(few)).endswith("User owns boat 10.")


HOSTILE = {
    "empty": "",
    "nothing but white space": " " * 1_000_000,
    "one letter": "a" * 1_000_000,
    "statements": "I use " * 170_000,
    "clauses": "I love a, " * 100_000,
    "openers": "actually " * 110_000,
    "breaks": " but" * 250_000,
    "slang": "lol " * 250_000,
    "quotes": '"' * 1_000_000,
    "fences": "```" * 300_000,
    "apostrophes": "'a " * 330_000,
    "stars": "* a " * 250_000,
    "dots": ". " * 500_000,
    "lines": "I love cats\n" * 80_000,
    "controls": "I love \x00\x07\x1b[31mcats\r\n" * 100,
    "lone surrogates": "I love \ud800 cats. My name is \udfff.",
    "pictures": "🙂" * 500_000,
    "right to left": "I love \u202ecats\u2066.",
}


class TestHostileText:
    @pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
    async def test_nothing_upsets_it_or_takes_long(self, text: str) -> None:
        line = Line(text[:100], text, 1, "01")
        item = KnownItem("i1", "fact", text, (text[:100],))
        everything: list[Inputs] = [
            ExtractionInputs("Kim", (line,), (item,)),
            SummaryInputs("Bot", text, (line,), 500),
            AnswerInputs("Bot", "Kim", text, (item,), text, (line,)),
            AnswerInputs("Bot", "Kim", "what do you remember about me?", (item,)),
        ]
        for inputs in everything:
            began = time.process_time()
            (await text_of(inputs)).encode()
            assert time.process_time() - began < 1

    @given(text=st.text(alphabet=st.characters(codec=None), max_size=300))
    @settings(max_examples=200, deadline=None)
    def test_any_text_has_an_answer(self, text: str) -> None:
        line = Line("Kim", text, 1, "01")
        answer = json.loads(ENGLISH.reply(ExtractionInputs("Kim", (line,))).text)
        assert all(each["quote"] in text for upsert in answer["upserts"] for each in upsert["evidence"])
        said = ENGLISH.reply(AnswerInputs("Bot", "Kim", text, window=(line, HELLO))).text
        assert 0 < len(said) <= 2000
