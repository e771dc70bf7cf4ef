"""A memory and a shadow of it asked the same questions, on the small invented conversation in LoCoMo's form."""

import asyncio
import json
from pathlib import Path

import pytest

from dnam.memory import Memory
from projections.events import Event, ItemEvent
from tests.dnam.cli.beside import beside
from tests.dnam.importers.files import write
from tests.evaluation.__main__ import main
from tests.evaluation.locomo.beside import evaluate_beside
from tests.evaluation.locomo.measures import HEADINGS
from tests.evaluation.locomo.remembering import bring_in, evaluation_settings, learn
from tests.evaluation.locomo.talks import read_talks
from tests.evaluation.test_locomo import question, talk

TALK = talk(
    "c-1",
    question("Who is the gardener?", 4, "D1:1"),
    question("Which bakery is run in Lisbon?", 1, "D1:2"),
    facts={
        "Kim": [["Kim is a gardener.", "D1:1"]],
        "Ada": [["Ada's sister runs a bakery in Lisbon.", "D1:2"]],
    },
)


def without_facts(event: Event) -> Event | None:
    """A model that learned nothing."""
    return None if isinstance(event, ItemEvent) else event


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("beside") / "talks.json", [TALK])


@pytest.fixture(scope="module")
def data(path: Path) -> Path:
    """The file in a memory, with what it notes learned; and a shadow of a model that learned nothing."""
    folder = path.parent / "data"

    async def making() -> None:
        async with Memory.open(folder, settings=evaluation_settings({})) as memory:
            await bring_in(memory, path)
            await learn(memory, read_talks(path), lambda done, total: None)

    asyncio.run(making())
    beside(folder, "forgetful", without_facts)
    return folder


def test_what_was_learned_makes_the_difference(path: Path, data: Path) -> None:
    """The gardener is found by what was learned of her alone: no word of the question was said."""
    found = evaluate_beside(path, data, "forgetful")
    assert (found.live.items, found.shadow.items) == (2, 0)
    assert [each.scores.recall10 for each in found.live.ranking.asked] == [1, 1]
    assert [each.scores.recall10 for each in found.shadow.ranking.asked] == [0, 1]
    assert found.live.held[0].itself == 1


def test_both_columns_are_printed(path: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--locomo", str(path), "--data", str(data), "--shadow", "forgetful"]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "live: 2 items, 2 questions" in text
    row = next(line for line in text.splitlines() if "recall@10" in line and "100.0" in line)
    assert [each.strip() for each in row.split("│")[1:-1]] == ["recall@10", "100.0", "50.0", "-50.0"]
    assert "the evidence in the prompt, shadow forgetful, within 2,000 tokens" in text
    assert main([*arguments, "--json"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert (read["name"], read["live"]["items"], read["shadow"]["items"]) == ("forgetful", 2, 0)
    assert read["live"]["ranking"]["means"]["all"][HEADINGS[1]] == 1
    assert read["shadow"]["prompts"]["all"]["questions"] == 2


def test_without_questions_what_can_be_judged_is_judged(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And it is said plainly that nothing was asked."""
    arguments = ["--data", str(data), "--shadow", "forgetful"]
    assert main(arguments) == 0
    told = capsys.readouterr()
    rows = [[each.strip() for each in line.split("│")[1:-1]] for line in told.out.splitlines() if "│" in line]
    assert ["items", "2", "0", "0", "0"] in rows
    assert ["items", "2", "0", "active ones"] in rows
    assert told.err == (
        "evaluation: recall on questions was not asked: it needs LOCOMO=path, of a file that the memory was made from\n"
    )
    assert main([*arguments, "--json"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert (read["live"]["items"], read["shadow"]["items"], read["recall"]) == (2, 0, None)
    assert read["items"] == {"only_old": 2, "only_new": 0, "changed": 0, "same": 0}


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--shadow", "none"], "there is no shadow 'none' here"),
        (["--shadow", "none", "--locomo", "PATH"], "there is no shadow 'none' here"),
        (["--shadow", "forgetful", "--locomo", "OTHER"], "the memory does not hold c-2"),
    ],
)
def test_what_is_missing_is_said(
    path: Path, data: Path, arguments: list[str], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write(path.parent / "other.json", [{**TALK, "sample_id": "c-2"}])
    given = [str({"PATH": path, "OTHER": other}.get(each, each)) for each in arguments]
    assert main([*given, "--data", str(data)]) == 2
    assert what in capsys.readouterr().err
