"""Weights tuned without the conversation that they are measured on, on invented conversations and invented points."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from dnam.memory import Memory
from dnam.settings import Settings
from projections.recall.seeds import SEEDS
from tests.dnam.encoders.fake import Worded
from tests.dnam.encoders.test_meaning import Some
from tests.dnam.importers.files import sample, turn, write
from tests.evaluation.locomo import encoding
from tests.evaluation.locomo import held_out as held
from tests.evaluation.locomo.fitting import Likelihood, fit
from tests.evaluation.locomo.held_out import FINDERS, SEARCHES, Finder, held_out, left_out_in_turn
from tests.evaluation.locomo.measures import MRR, RECALL10, mean
from tests.evaluation.locomo.pools import (
    DEEP,
    SHIPPED,
    Hit,
    Pool,
    asked_of,
    looked_at,
    pool_of,
    pools,
    ranked,
)
from tests.evaluation.locomo.rankings import Recall, for_encoder
from tests.evaluation.locomo.remembering import NotingModel, bring_in, evaluation_settings, learn, turn_ids
from tests.evaluation.locomo.run import evaluate
from tests.evaluation.locomo.talks import Question, Talk, read_talks
from tests.evaluation.locomo.tuning import Places, Search, tune
from tests.evaluation.test_locomo import MAY, TALK, question

ROWS = (
    "I watered the tomatoes in row {0} this morning.",
    "Row {0} has more tomatoes than all the others, and my back hurts.",
    "Do you think that the tomatoes in row {0} will be ripe in June?",
    "Well, the slugs were in row {0} again.",
)
LONG = sample(
    "c-3", "Kim", "Ada",
    *((MAY.replace("8 May", f"{day} May"), [
        turn(day, number, "Kim" if number % 2 else "Ada", ROWS[number % 4].format(day * 10 + number))
        for number in range(1, 16)
    ]) for day in range(1, 13)),
) | {
    "qa": [
        question("When did Kim water the tomatoes?", 2, "D3:4"),
        question("Which row of Ada's has the most tomatoes?", 4, "D2:5", "D11:1"),
        question("Who had slugs on 9 May?", 3, "D9:3"),
    ],
    "observation": {"session_2_observation": {"Kim": [["Kim's back hurts from tomatoes.", "D2:5"]]}},
}  # fmt: skip
"""A conversation of 180 turns, in which most of them have a word of every question."""


def test_under_the_weights_that_are_shipped_it_is_the_ranking_that_is_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where more is found than recall looks at, without facts and with them, and with an encoder."""
    monkeypatch.setattr(encoding, "opened", worded)
    path = write(tmp_path / "talks.json", [TALK, LONG])
    talks = read_talks(path)

    async def both(memory: Memory) -> None:
        told, turns = await bring_in(memory, path), await memory.look(turn_ids)
        await memory.look(lambda rows: same_as_shipped(Recall(rows, told, turns), talks))
        await learn(memory, talks, lambda done, total: None)
        await memory.look(lambda rows: same_as_shipped(Recall(rows, told, turns), talks))
        asked = await memory.look(lambda rows: for_encoder(rows, talks, told))
        near = await encoding.nearnesses(memory, NotingModel(talks, turns), asked)
        pooled = await memory.look(lambda rows: same_as_shipped(Recall(rows, told, turns, near), talks))
        meant = [number for number, field in enumerate(SHIPPED) if "meaning" in field]
        assert all(any(pool.points[:, number].any() for pool in pooled) for number in meant)

    async def running() -> None:
        async with Memory.open(tmp_path / "data", settings=evaluation_settings({})) as memory:
            await both(memory)

    asyncio.run(running())


@asynccontextmanager
async def worded(_: Settings) -> AsyncIterator[Some]:
    """In the place of `opened`: an encoder to which texts that share words are near."""
    yield Some(Worded())


def same_as_shipped(recall: Recall, talks: Sequence[Talk]) -> list[Pool]:
    pooled = pools(recall, talks, lambda done: None)
    shipped = [recall.ranker(talk)(number, each) for talk in talks for number, each in enumerate(talk.questions)]
    assert [ranked(pool, SHIPPED) for pool in pooled] == shipped
    assert max(len(pool.turns) for pool in pooled) > SEEDS
    return pooled


def hit(turn: str, score: int, seq: int) -> Hit:
    return Hit(turn, score, seq, dict.fromkeys(SHIPPED, 0) | {"turn": score})


def test_what_recall_would_not_look_at_does_not_come_in_among_the_best() -> None:
    found = [hit(f"{number}", 1000 - number, number) for number in range(SEEDS)]
    deeper = [hit("new and better", 990, 500), *found, hit("as good, later", 1001 - SEEDS, 501), hit("behind", 5, 502)]
    assert [each.turn for each in looked_at({SEEDS: found, DEEP: deeper}.__getitem__)][SEEDS:] == ["behind"]
    assert looked_at({SEEDS: found[1:]}.__getitem__) == found[1:]


def test_ties_go_to_what_was_recorded_later_and_nothing_is_found_for_no_points() -> None:
    pool = pool_of("c-1", Question("", 4, ("b",)), [hit("a", 5, 1), hit("b", 5, 2), hit("c", 7, 0), hit("d", 0, 9)])
    assert ranked(pool, SHIPPED) == ["c", "b", "a"]
    assert ranked(pool, {**SHIPPED, "turn": 0}) == []
    assert asked_of(pool, SHIPPED).scores.mrr == 1 / 2


def invented(talk: str, seed: int, field: str = "reply", questions: int = 6) -> list[Pool]:
    """Questions whose evidence has the most of one field, and some noise of all."""
    dice = np.random.default_rng(seed)
    made = []
    for number in range(questions):
        points = dice.integers(0, 3000, (30, len(SHIPPED))).astype(float)
        evidence = dice.choice(30, 2, replace=False)
        points[evidence, list(SHIPPED).index(field)] += 4000
        turns = tuple(f"D{number}:{at}" for at in range(30))
        made.append(Pool(talk, 1 + number % 5, tuple(turns[at] for at in evidence), turns, points))
    return made


@pytest.mark.parametrize("seed", range(5))
def test_tuning_sees_what_is_measured(seed: int) -> None:
    """Also with ties, of which there are many where points are the same or none, and where no evidence is found."""
    pooled, dice = invented("c-1", seed), np.random.default_rng(seed)
    tied = [pool._replace(points=1024 * (pool.points // 2000)) for pool in pooled]
    none = [pooled[0]._replace(evidence=("elsewhere",)), *pooled]
    for some in (pooled, tied, none, none[:1]):
        weights = {
            field: float(dice.choice([0, 1 / 2, 3 / 4, 1, 4 / 3, 2])) * weight for field, weight in SHIPPED.items()
        }
        found = mean(asked_of(pool, weights) for pool in some)
        assert Places(some, weights).quality() == pytest.approx((found[RECALL10], found[MRR]), abs=1e-6)
        places = Places(some, SHIPPED)
        for field, value in weights.items():
            places.take(field, value)
        assert places.quality() == pytest.approx((found[RECALL10], found[MRR]), abs=1e-6)
        assert places.quality("turn", SHIPPED["turn"]) == Places(some, {**weights, "turn": SHIPPED["turn"]}).quality()


def test_tuning_finds_what_tells_most() -> None:
    flat = Search(dict.fromkeys(SHIPPED, 1.0), dict.fromkeys(SHIPPED, (0, 1, 2)))
    pooled = invented("c-1", 1) + invented("c-2", 2)
    weights = tune(pooled, flat)
    assert weights["reply"] == 2
    assert Places(pooled, weights).quality() > Places(pooled, flat.start).quality()
    assert tune(pooled, flat) == weights


def test_fitting_finds_what_tells_most() -> None:
    pooled = invented("c-1", 1) + invented("c-2", 2)
    weights = fit(pooled)
    told = {field: weight / SHIPPED[field] for field, weight in weights.items()}
    assert max(told, key=told.__getitem__) == "reply"
    assert Places(pooled, weights).quality() > Places(pooled, SHIPPED).quality()


@pytest.mark.parametrize("seed", range(5))
def test_no_other_weights_make_evidence_more_likely(seed: int) -> None:
    """Also with ties, and with questions that have few turns, or no evidence among them."""
    pooled = invented("c-1", seed, questions=40)
    pooled[0] = pooled[0]._replace(evidence=("elsewhere",))
    pooled[1] = pooled[1]._replace(turns=pooled[1].turns[:3], points=pooled[1].points[:3], evidence=("D1:1",))
    pooled[2] = pooled[2]._replace(points=1024 * (pooled[2].points // 2000))
    likelihood = Likelihood(pooled)
    found = np.array([weight / SHIPPED[field] for field, weight in fit(pooled).items()])
    scale = max(np.geomspace(1e-3, 1e3, 600), key=lambda scale: likelihood.at(scale * found))
    reached = likelihood.at(scale * found)
    dice = np.random.default_rng(seed)
    assert all(likelihood.at(scale * found + dice.normal(size=len(found)) / 10) < reached for _ in range(200))
    assert reached > likelihood.at(np.zeros(len(found)))


def test_fitting_is_the_same_in_any_order_and_a_turn_weighs_one() -> None:
    pooled = invented("c-1", 3, questions=40)
    weights = fit(pooled)
    assert fit(pooled[::-1]) == pytest.approx(weights, rel=1e-6)
    assert fit(invented("c-1", 3, field="turn", questions=40))["turn"] == 1


def test_where_no_evidence_is_found_nothing_is_fitted() -> None:
    none = [pool._replace(evidence=("elsewhere",)) for pool in invented("c-1", 1)]
    assert set(fit(none).values()) == set(fit([]).values()) == {0}


@pytest.mark.parametrize("find", FINDERS.values(), ids=FINDERS.keys())
def test_the_conversation_that_is_left_out_is_not_seen(find: Finder) -> None:
    """Whatever is asked in it, and whatever is found there, the weights that it is measured under are the same."""
    one, two, three = (invented(f"c-{number}", number) for number in (1, 2, 3))
    other = [pool._replace(evidence=pool.turns[:3]) for pool in invented("c-3", 9, "speaker", 9)]
    before, after = left_out_in_turn(one + two + three, find), left_out_in_turn(one + two + other, find)
    assert before.weights["c-3"] == after.weights["c-3"] == find(one + two)
    assert [asked_of(pool, before.weights["c-3"]) for pool in other] == after.asked[-9:]
    assert before.weights["c-1"] == find(two + three) != after.weights["c-1"]
    assert [each.talk for each in after.asked] == ["c-1"] * 6 + ["c-2"] * 6 + ["c-3"] * 9


def test_plain_weights_are_those_of_nobody() -> None:
    start, grid = SEARCHES["anew"]
    assert {start[field] for field in held.OF_TEXT} == {1}
    assert {weight for field, weight in start.items() if field not in held.OF_TEXT} == {0}
    assert all(start[field] in values for field, values in grid.items())


def test_what_goes_with_a_field() -> None:
    pooled = invented("c-1", 1) + invented("c-2", 2)
    found = held_out(pooled)
    assert found.dropped["reply"] == mean(asked_of(pool, {**SHIPPED, "reply": 0}) for pool in pooled)
    assert min(found.dropped, key=lambda field: found.dropped[field][RECALL10]) == "reply"


def test_all_tables_are_printed() -> None:
    pooled = invented("c-1", 1) + invented("c-2", 2)
    found = held_out(pooled)
    printed = StringIO()
    held.show(found, "recall", Console(file=printed, width=120))
    rows: dict[str, list[list[str]]] = {}
    for line in printed.getvalue().splitlines():
        name, *cells = [each.strip() for each in line.split("│")[1:-1]] or [""]
        rows.setdefault(name, []).append(cells)
    shipped = mean(found.shipped)[RECALL10]
    for cells, way in zip(rows["all"], ("anew", "fitted"), strict=True):
        there = mean(found.tuned[way].asked)[RECALL10]
        assert cells[:3] == ["12", f"{100 * shipped:.1f}", f"{100 * there:.1f}"]
    for least, all_of, most in zip(rows["least"], rows["all"], rows["most"], strict=True):
        assert float(least[1]) <= float(all_of[1]) <= float(most[1])
    assert rows["asks"][0][0] == "-2"
    assert rows["reply"][0][4] == f"{100 * (found.dropped['reply'][RECALL10] - shipped):+.2f}"
    read = held.as_json(found)
    assert read["ways"]["anew"]["all"]["all"]["recall@10"] == mean(found.tuned["anew"].asked)[RECALL10]
    assert read["ways"]["shipped"]["c-2"]["multi-hop"]["questions"] == 2
    assert set(read["weights"]["onward"]) == set(read["weights"]["fitted"]) == {"c-1", "c-2"}


def test_of_one_conversation_nothing_can_be_left_out(tmp_path: Path) -> None:
    found = evaluate(write(tmp_path / "talks.json", [TALK]))
    assert found.held_out == {}
    assert found.missing["weights tuned without a conversation"] == "only one is asked about"
