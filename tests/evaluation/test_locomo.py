"""The evaluation of recall, on a small invented conversation in LoCoMo's form."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from dnam.memory import Memory
from dnam.settings import Settings
from dnam.whereabouts import Heard
from projections.context import Context
from projections.errors import BadRequest
from projections.nearness import Nearness
from projections.rows import Rows
from tests.dnam.encoders.fake import Worded
from tests.dnam.encoders.test_meaning import Some
from tests.dnam.importers.files import sample, turn, write
from tests.evaluation.__main__ import main
from tests.evaluation.locomo import encoding, measures, report
from tests.evaluation.locomo.measures import Asked, Scores, mean, ndcg, reciprocal_rank, scores, spread
from tests.evaluation.locomo.prompts import Held, There, rate
from tests.evaluation.locomo.rankings import plain_bm25
from tests.evaluation.locomo.report import Found
from tests.evaluation.locomo.run import evaluate
from tests.evaluation.locomo.talks import Question, ids_of, read_talks

MAY, JUNE = "1:56 pm on 8 May, 2023", "12:09 am on 13 June, 2023"
SAID = {
    (1, "Kim"): ("I planted nine tomato seedlings behind the shed this morning.", "D1:1"),
    (2, "Ada"): ("My sister moved to Lisbon and opened a bakery there.", "D1:2"),
    (3, "Kim"): ("The printer at work caught fire again.", "D1:3"),
    (4, "Ada"): ("I am learning to play the cello on Thursdays.", "D1:4"),
}
"""What is said, by number and speaker; nothing of it is from anybody's data."""


def question(text: str, category: int, *evidence: str) -> dict[str, Any]:
    return {"question": text, "answer": 7, "evidence": list(evidence), "category": category}


def talk(key: str, *questions: dict[str, Any], facts: dict[str, Any] | None = None) -> dict[str, Any]:
    """A conversation of four turns and thirty that say nothing."""
    turns: list[object] = [turn(1, number, speaker, text) for (number, speaker), (text, _) in SAID.items()]
    more: list[object] = [turn(2, number, "Kim", f"Well, well, number {number}.") for number in range(1, 31)]
    made = sample(key, "Kim", "Ada", (MAY, turns), (JUNE, more))
    return made | {"qa": list(questions), "observation": {"session_1_observation": facts or {}}}


TALK = talk(
    "c-1",
    question("Who planted tomato seedlings behind the shed?", 4, "D1:1"),
    question("Which instrument does Ada play on Thursdays, and what caught fire at Kim's work?", 1, "D1:4; D1:3"),
    question("What did Ada's sister open?", 2, "D:1:02", "D9:9"),
    question("What is the capital of Portugal?", 3, "D"),
    facts={
        "Kim": [["Kim grows tomatoes in the garden.", "D1:1"], ["Kim's work has a printer.", ["D1:3", "D1:4"]]],
        "Ada": [["Ada's sister runs a bakery in Lisbon.", "D1:2"], ["Kim plants things.", "D1:1"]],
    },
)


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("D1:3", ("D1:3",)),
        ("D8:6; D9:17", ("D8:6", "D9:17")),
        ("D8:6 D9:17", ("D8:6", "D9:17")),
        ("D:11:26", ("D11:26",)),
        ("D30:05", ("D30:5",)),
        ("D", ()),
        ("", ()),
    ],
)
def test_evidence_is_split_and_normalised(written: str, ids: Sequence[str]) -> None:
    assert ids_of(written) == tuple(ids)


def test_what_names_no_turn_is_dropped_and_counted(tmp_path: Path) -> None:
    (read,) = read_talks(write(tmp_path / "talks", [TALK]))
    assert [each.evidence for each in read.questions] == [("D1:1",), ("D1:4", "D1:3"), ("D1:2",)]
    assert (read.dropped, read.unscored) == (("D9:9", "D"), 1)
    assert [(each.speaker, each.evidence) for each in read.facts] == [
        ("Kim", ("D1:1",)), ("Kim", ("D1:3", "D1:4")), ("Ada", ("D1:2",)), ("Ada", ("D1:1",)),
    ]  # fmt: skip
    assert (read.key, read.speakers, len(read.turns)) == ("c-1", ("Kim", "Ada"), 34)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("no JSON", "is no LoCoMo file"),
        ('{"messages": []}', "is no LoCoMo file"),
        (json.dumps([talk("c-1")]), "asks nothing whose evidence it names"),
        (json.dumps([TALK, TALK]), "holds 2 conversations, of which the importer takes 1"),
    ],
)
def test_another_file_is_refused_in_words(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "talks"
    path.write_text(content)
    with pytest.raises(BadRequest, match=words):
        read_talks(path)


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--locomo", str(tmp_path / "none")]) == 2
    assert "cannot be read: No such file or directory" in capsys.readouterr().err


def test_measures() -> None:
    ranked = ["x", "a", "y", "b", *"0123456789"]
    found = scores(ranked, ["a", "b", "c"])
    assert (found.recall5, found.recall10, found.mrr) == (2 / 3, 2 / 3, 1 / 2)
    best = 1 + 0.6309297535714575 + 0.5  # 1 / log2(2), 1 / log2(3), 1 / log2(4)
    assert found.ndcg10 == pytest.approx((0.6309297535714575 + 0.43067655807339306) / best)
    assert ndcg(["a"], ["a", "b"], 1) == 1
    assert scores([], ["a"]) == Scores(0, 0, 0, 0, 0)
    assert reciprocal_rank(["x"] * measures.MOST + ["a"], ["a"]) == 0


def test_means_count_questions_and_spreads_conversations() -> None:
    one, nothing = Scores(1, 1, 1, 1, 1), Scores(0, 0, 0, 0, 0)
    asked = [Asked("c-1", 4, one), Asked("c-1", 4, one), Asked("c-1", 1, nothing), Asked("c-2", 4, nothing)]
    assert mean(asked).recall10 == 1 / 2
    assert tuple(spread(asked)[0]) == pytest.approx((0, 1 / 3, 2 / 3))


def test_plain_bm25_finds_by_stems_and_by_who_speaks(tmp_path: Path) -> None:
    (read,) = read_talks(write(tmp_path / "talks", [TALK]))
    ranked = plain_bm25(read)
    assert ranked(0, Question("planting a seedling", 4, ()))[0] == "D1:1"
    assert set(ranked(0, Question("Ada", 4, ()))) == {"D1:2", "D1:4"}
    assert ranked(0, Question("zeppelin", 4, ())) == []


def test_rates_of_prompts() -> None:
    found = rate([Held("c-1", 4, 1, 1, 100), Held("c-1", 4, 0.5, 1, 200), Held("c-1", 1, 0, 0.5, 600)])
    assert found.questions == 3
    assert found.itself == There(1 / 3, 2 / 3, 0.5)
    assert found.or_item == There(2 / 3, 1, 2.5 / 3)
    assert (found.tokens_median, found.tokens_most) == (200, 600)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    other = talk("c-2", question("Who planted tomato seedlings behind the shed?", 4, "D1:1"))
    return write(tmp_path_factory.mktemp("locomo") / "talks.json", [TALK, other])


@pytest.fixture(scope="module")
def found(path: Path) -> Found:
    return evaluate(path)


def test_through_the_whole_system(found: Found) -> None:
    """Import, recall, extraction, recall again, prompts. That nothing comes from the other conversation, in which the
    same is said, is held by the evaluation itself.
    """
    for name in ("plain BM25", report.WITHOUT, report.WITH):
        assert [each.scores.recall25 for each in found.rankings[name].asked] == [1, 1, 1, 1], name
    assert found.rankings[report.WITHOUT].asked[0].scores.mrr == 1
    assert (found.noted.facts, found.noted.items, found.noted.not_own, found.noted.refused) == (4, 3, 1, {})
    assert (found.held[0].talk, found.held[0].itself, found.held[0].or_item) == ("c-1", 1, 1)
    assert all(0 < each.tokens < 2_000 for each in found.held)


def test_it_is_printed_judged_and_given_to_programs(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--locomo", str(path), "--json"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert (read["conversations"], read["questions"], read["dropped"]) == (2, 4, ["c-1 D9:9", "c-1 D"])
    assert read["rankings"][report.WITH]["means"]["single-hop"]["questions"] == 2
    assert read["rankings"][report.WITH]["spread_by_category"]["multi-hop"]["recall@10"]["min"] == 1
    assert set(read["held_out"][report.WITHOUT]["weights"]["anew"]) == {"c-1", "c-2"}
    assert read["prompts"]["all"]["itself"]["all"] <= read["prompts"]["all"]["or_item"]["all"] == 1
    assert [(each["setting"], each["of"]) for each in read["goals"] if each["met"]] == [
        (report.WITHOUT, "all"), (report.WITHOUT, "multi-hop"), (report.WITH, "all"), (report.WITH, "multi-hop"),
    ]  # fmt: skip
    assert [each["met"] for each in read["goals"]].count(None) == 8


def test_with_an_encoder_meaning_counts_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def ours(_: Settings) -> AsyncIterator[Some]:
        yield Some(encoder)

    encoder = Worded()
    monkeypatch.setattr(encoding, "opened", ours)
    found = evaluate(path)
    for name in (report.ENCODED_WITHOUT, report.ENCODED):
        assert [each.scores.recall25 for each in found.rankings[name].asked] == [1, 1, 1, 1]
    assert set(encoder.kinds) == {"document", "query"}
    assert list(found.held_out) == [report.WITHOUT, report.ENCODED_WITHOUT, report.WITH, report.ENCODED]
    by_meaning = [name for name, each in found.held_out.items() if "meaning" in each.dropped]
    assert by_meaning == [report.ENCODED_WITHOUT, report.ENCODED]
    assert {fact.text for talk in found.talks for fact in talk.facts} & set(encoder.texts)
    assert (report.ENCODED, 100) in [(each.goal.setting, each.reached) for each in report.judged(found)]
    assert [(each.talk, each.or_item) for each in found.held_encoded] == [(each.talk, 1) for each in found.held]


def test_prompts_are_made_with_the_encoder_too_and_both_are_shown(
    found: Found, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def ours(_: Settings) -> AsyncIterator[Some]:
        yield Some(Worded())

    near = list[bool]()
    assembled = Memory.assembled

    def noting(memory: Memory, rows: Rows, heard: Heard, *, nearness: Nearness | None = None) -> Context:
        near.append(nearness is not None)
        return assembled(memory, rows, heard, nearness=nearness)

    monkeypatch.setattr(encoding, "opened", ours)
    monkeypatch.setattr(Memory, "assembled", noting)
    encoded = evaluate(path)
    assert near == [False] * len(encoded.held) + [True] * len(encoded.held_encoded)
    printed = StringIO()
    report.show(encoded, Console(file=printed, width=120))
    assert "the evidence in the prompt, with facts, within" in printed.getvalue()
    assert "the evidence in the prompt, with facts and an encoder, within" in printed.getvalue()
    assert report.as_json(encoded)["prompts_encoded"]["all"]["or_item"]["all"] == 1
    assert (found.held_encoded, report.as_json(found)["prompts_encoded"]) == ([], None)


def test_an_encoder_is_one_that_the_environment_names() -> None:
    key = {"VOYAGE_API_KEY": "pa-1", "PATH": "/bin"}
    assert encoding.chosen_in(key) == encoding.chosen_in({**key, "DNAM_ENCODER": "auto"}) == {}
    assert encoding.chosen_in({**key, "DNAM_ENCODER": "voyage"}) == {"DNAM_ENCODER": "voyage", "VOYAGE_API_KEY": "pa-1"}


def test_what_is_not_measured_is_said_at_the_end_and_only_then_how_it_is(found: Found) -> None:
    encoded = dict.fromkeys((report.ENCODED, report.ENCODED_WITHOUT), found.rankings[report.WITH])
    with_encoder = found._replace(rankings={**found.rankings, **encoded}, missing={})
    assert report.unmeasured(with_encoder).splitlines() == [
        "NOT MEASURED: 4 of 12 goals; the exit code speaks of the others.",
        *(f"  {setting}: open-domain (nothing of that kind is asked)" for setting in report.OVERALL),
    ]
    everything = found.rankings[report.WITH]
    everything = everything._replace(asked=[*everything.asked, Asked("c-1", 3, Scores(1, 1, 1, 1, 1))])
    whole = found._replace(rankings=dict.fromkeys(report.OVERALL, everything))
    assert report.unmeasured(whole) == "All 12 goals were measured."


def test_a_goal_that_is_missed_is_said(found: Found) -> None:
    ranking = found.rankings[report.WITH]
    nothing = ranking._replace(asked=[each._replace(scores=Scores(0, 0, 0, 0, 0)) for each in ranking.asked])
    missed = found._replace(
        rankings={**found.rankings, report.WITH: nothing}, missing={**found.missing, "bm25s": "try 'dnam[x]'"}
    )
    assert [each.goal.of for each in report.judged(missed) if each.missed] == ["all", "multi-hop"]
    printed = StringIO()
    report.show(missed, Console(file=printed, width=120))
    text = printed.getvalue()
    goals = [[each.strip() for each in line.split("│")[1:-1]] for line in text.splitlines() if "≥" in line]
    assert [report.WITH, "all", "≥ 83", "0.0", "MISSED"] in goals
    assert [report.WITHOUT, "all", "≥ 80", "100.0", "met"] in goals
    assert [report.ENCODED, "all", "≥ 86", "", "not measured"] in goals
    assert [report.WITH, "open-domain", "≥ 42", "", "not measured"] in goals
    last = text.splitlines()[-8:]
    assert last[0] == "NOT MEASURED: 8 of 12 goals; the exit code speaks of the others."
    assert f"  {report.ENCODED}: all, multi-hop, open-domain (DNAM_ENCODER names none: local or voyage)" in last
    assert f"  {report.WITH}: open-domain (nothing of that kind is asked)" in last
    assert last[-3:] == report.TO_MEASURE.splitlines()
    assert "bm25s: not measured, try 'dnam[x]'" in text
    assert found.missing[report.ENCODED] == "DNAM_ENCODER names none: local or voyage"
    assert "Evidence that names no turn was dropped: c-1 'D9:9', c-1 'D'. Questions without evidence were left" in text
