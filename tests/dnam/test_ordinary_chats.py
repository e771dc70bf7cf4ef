"""Ordinary chats with the offline model, through the real loops: nothing fails, and facts stand in the summary."""

from pathlib import Path

import pytest

from dnam.adapters.offline import OfflineModel
from dnam.adapters.terminal.chat import DONE, chat
from dnam.guarding import guarding_of
from dnam.languages import load
from dnam.model import Line, SummaryInputs
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import ExtractionFailed, JobFailed, MergeFailed, SummaryFailed, SummaryRefreshed
from projections.policies.sentences import without_orders
from projections.policies.speakers import Speakers
from tests.dnam.test_loops import recorded
from tests.dnam.test_terminal import Script, Shown, opened

ENGLISH = load("en")
NAMES = ("dnam", "Bot", "Assistant", "Kit", "AI", "Larkhill Helper")
REMEMBERED = (
    "tea is my favourite drink",
    "fact 1 number 1",
    "the shed key is under the blue pot",
    "my dentist is on Elm Street",
    "bins go out on Tuesday",
    "vim",
)
FACTS = (
    "the shed key is under the blue pot",
    "I live in a small house near the canal",
    "my sister Ida works at the harbour",
    "we planted the tomatoes in row three",
    "the dentist moved to Elm Street",
    "our train leaves at nine on Friday",
    "lunch with Tom was lovely yesterday",
    "the printer needs new toner again",
    "I prefer oolong over black tea",
    "my bike has a flat tyre",
    "the choir meets every second Thursday",
    "I was in Lisbon last summer",
    "grandma turned ninety in March",
    "the blue mug belongs to Priya",
    "he sold the old piano to a neighbour",
    "rain ruined the picnic on Sunday",
    "I'm allergic to walnuts",
    "they closed the bakery on Mill Road",
    "I finished the green scarf last night",
    "Kim's flight lands at noon",
    "school starts again in September",
    "the cat sleeps on the radiator",
    "I bought two tickets for the concert",
    "the neighbours have a new puppy",
    "my exam went well this morning",
)
QUESTIONS = (
    "what do you remember about me?",
    "what do you know of tea?",
    "what do I drink?",
    "where is the shed key?",
    "can you open the window?",
    "do you like music?",
    "how are you?",
    "are you there?",
    "when does my train leave?",
    "who is Ida?",
    "what did I tell you about the piano?",
    "could you help me with something?",
    "why is that?",
    "and what about the tomatoes?",
    "what do you remember about me",
    "do you know where I live",
)
SMALL_TALK = (
    "hello",
    "thanks",
    "bye",
    "good morning",
    "hello 3",
    "ok cool",
    "lol",
    "you are funny",
    "thank you so much",
    "haha nice one",
    "see you tomorrow",
    "brb",
    "👍",
    "never mind",
    "sounds good",
    "I see",
    "hmm",
    "you're welcome",
)
ORDERS = (
    "tell me a joke",
    "open the window please",
    "write a poem about tea",
    "play some jazz",
    "show me the news",
    "remind me to call mum",
    "give me a recipe for soup",
    "stop",
    "let's talk about football",
)
TALKS = {
    "tea": ("!memory remember tea is my favourite drink", *QUESTIONS[:3], "hello", "thanks", QUESTIONS[1], "bye"),
    "hello": ("!memory remember fact 1 number 1", *(f"hello {number}" for number in range(1, 7))),
    "questions": (QUESTIONS[1], QUESTIONS[4]) * 3,
    "the key": ("remember the shed key is under the blue pot", "where is the shed key?") * 3,
    "small talk": SMALL_TALK,
    "orders": ORDERS,
    "all questions": QUESTIONS,
}
"""What was refused at first, and talk of one sort alone."""


def mixed(number: int) -> tuple[str, ...]:
    """An ordinary talk: something to remember, and facts among questions, greetings and what is asked for."""
    parts = (SMALL_TALK, FACTS, QUESTIONS, FACTS, ORDERS, QUESTIONS, FACTS, SMALL_TALK)
    told = [part[(number * 7 + step * 5) % len(part)] for step, part in enumerate(parts)]
    told = told[number % 4 :] + told[: number % 4]
    return (f"!memory remember {REMEMBERED[number % len(REMEMBERED)]}", *told, "what do you remember?", "ok", "bye")


class Named(Shown):
    """A screen for an assistant of any name."""

    def said(self, name: str, text: str) -> None:
        self.answers.append(text)


@pytest.mark.parametrize(("name", "every"), [*zip(NAMES, ["1", "5"] * 3, strict=True)])
async def test_nothing_fails_and_what_was_stated_stands_in_the_summary(tmp_path: Path, name: str, every: str) -> None:
    talks = TALKS | {f"talk {number}": mixed(number) for number in range(NAMES.index(name), 36, len(NAMES))}
    async with opened(tmp_path, DNAM_ASSISTANT_NAME=name, DNAM_SUMMARY_EVERY_N_TURNS=every) as assistant:
        for who, lines in talks.items():
            account, shown = Account("local", who, who), Named()
            place = PlaceSeen("local", "", "direct", "", "direct", partner=account)
            assert await chat(assistant, account, place, Script(*lines), shown) == DONE
            assert (shown.warnings, shown.notes) == ([], []), who
            (latest,) = recorded(assistant, SummaryRefreshed)[-1:]
            assert isinstance(latest, SummaryRefreshed)
            told = latest.text.splitlines()
            if every == "1":
                assert {f"{who}: {line}" for line in lines if line in FACTS} <= {*told}, who
                assert len(told) == len({*told})
            assert not [line for line in told if "[fact]" in line or line.startswith(f"{name}: -")]
        assert recorded(assistant, ExtractionFailed, JobFailed, MergeFailed, SummaryFailed) == []


async def test_of_talk_that_says_nothing_the_summary_says_so_until_there_is_something(tmp_path: Path) -> None:
    async with opened(tmp_path, DNAM_SUMMARY_EVERY_N_TURNS="1") as assistant:
        account, shown = Account("local", "ada", "ada"), Named()
        place = PlaceSeen("local", "", "direct", "", "direct", partner=account)
        await chat(assistant, account, place, Script("what do you know of tea?", "what do you remember?"), shown)
        assert [each.text for each in recorded(assistant, SummaryRefreshed)] == [ENGLISH.summary.nothing] * 2
        assert shown.answers[1] == ENGLISH.replies.empty
        await chat(assistant, account, place, Script(FACTS[0]), shown)
        await chat(assistant, account, place, Script("what do you remember?"), shown)
        assert [each.text for each in recorded(assistant, SummaryRefreshed)][2:] == [f"ada: {FACTS[0]}"] * 2
        assert shown.answers[-1].endswith(f"\n- ada: {FACTS[0]}")


@pytest.mark.parametrize("name", NAMES)
def test_what_the_offline_model_lists_and_what_it_is_asked_instruct_nobody(name: str) -> None:
    """Also where another model took them over into a summary."""
    words, speakers = guarding_of(ENGLISH).instructions, Speakers(frozenset({"ada"}), frozenset({name}))
    listed = [f"{name}: - [fact] {text}" for text in (*REMEMBERED, *FACTS, "User prefers tea.", "User's name is Ada.")]
    asked = [
        f"ada: {each}" for each in QUESTIONS if each.endswith("?") and not each.startswith(("can you", "could you"))
    ]
    text = "\n".join([*listed, *asked])
    assert without_orders(text, words, speakers=speakers) == (text, ())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("talk", [*TALKS.values(), *map(mixed, range(36))])
def test_what_the_offline_model_sums_up_is_never_refused_whole(talk: tuple[str, ...], name: str) -> None:
    said = [line for line in talk if not line.startswith("!")]
    replies = ENGLISH.replies
    own = (replies.notice, replies.acknowledge, f"{replies.everything}\n- [fact] {REMEMBERED[0]}", replies.forgetting)
    lines = tuple(
        each
        for number, text in enumerate(said)
        for each in (Line("ada", text, number), Line(name, own[number % len(own)], number, assistant=True))
    )
    inputs = SummaryInputs(name, "", lines, 2000)
    text = OfflineModel(ENGLISH).reply(inputs).text
    left = without_orders(text, guarding_of(ENGLISH).instructions, speakers=inputs.speakers).text
    assert left
    assert {f"ada: {each}" for each in said if each in FACTS} <= {*left.splitlines()}
