"""What was found, as tables, as JSON, and held against the goals."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from tests.evaluation.locomo.measures import HEADINGS, Asked, Scores, Spread, mean, spread
from tests.evaluation.locomo.prompts import Held, Rate, rate
from tests.evaluation.locomo.rankings import Ranking
from tests.evaluation.locomo.remembering import MOST_TOKENS, Noted
from tests.evaluation.locomo.talks import CATEGORIES, Talk

WITHOUT = "recall, without facts"
WITH = "recall, with facts"
ENCODED = "recall, with facts and an encoder"
ENCODED_WITHOUT = "recall, without facts, with an encoder"
RECALL10 = HEADINGS.index("recall@10")


class Goal(NamedTuple):
    """What recall@10 has to reach, in per cent: in a setting, overall or in a category."""

    setting: str
    of: str
    bound: float


GOALS = (
    Goal(WITHOUT, "all", 80),
    Goal(WITHOUT, "multi-hop", 50),
    Goal(WITHOUT, "open-domain", 42),
    Goal(WITH, "all", 83),
    Goal(ENCODED, "all", 86),
)


class Found(NamedTuple):
    """Everything that an evaluation found. `missing` says what could not be measured, and why."""

    talks: Sequence[Talk]
    rankings: dict[str, Ranking]
    noted: Noted
    held: Sequence[Held]
    missing: dict[str, str]
    seconds: float


class Judged(NamedTuple):
    """A goal and what was reached, in per cent."""

    goal: Goal
    reached: float

    @property
    def met(self) -> bool:
        return self.reached >= self.goal.bound


def judged(found: Found) -> list[Judged]:
    """The goals that there are questions for."""
    reached = {name: dict(lines(ranking.asked)) for name, ranking in found.rankings.items()}
    there = (goal for goal in GOALS if goal.of in reached.get(goal.setting, {}))
    return [Judged(goal, 100 * reached[goal.setting][goal.of][RECALL10]) for goal in there]


def lines(asked: Sequence[Asked]) -> Iterator[tuple[str, Scores]]:
    """The means of all questions, by category and by conversation."""
    yield "all", mean(asked)
    for number, name in CATEGORIES.items():
        of = [each for each in asked if each.category == number]
        if of:
            yield name, mean(of)
    for talk in dict.fromkeys(each.talk for each in asked):
        yield talk, mean(each for each in asked if each.talk == talk)


def _count(asked: Sequence[Asked], name: str) -> int:
    return sum(name in ("all", CATEGORIES.get(each.category), each.talk) for each in asked)


# -- for people --------------------------------------------------------------------------------------------------------


def show(found: Found, console: Console) -> None:
    """Print it."""
    console.print(_about(found), highlight=False)
    for name, ranking in found.rankings.items():
        console.print(_ranked(name, ranking))
    for name, why in found.missing.items():
        console.print(f"{name}: not measured, {why}", markup=False, highlight=False)
    console.print(in_prompts(found.held))
    for each in judged(found):
        told = f"{each.goal.setting}, {each.goal.of}: recall@10 {each.reached:.1f}, goal ≥ {each.goal.bound:g}"
        console.print(f"{told}: {'met' if each.met else 'MISSED'}", highlight=False)
    console.print(f"{found.seconds:.0f} s", highlight=False)


def _about(found: Found) -> str:
    turns = sum(len(talk.turns) for talk in found.talks)
    questions = sum(len(talk.questions) for talk in found.talks)
    dropped = [f"{talk.key} {bad!r}" for talk in found.talks for bad in talk.dropped]
    unscored = sum(talk.unscored for talk in found.talks)
    noted = found.noted
    refused = "".join(f"; {count} held: {why}" for why, count in sorted(noted.refused.items()))
    return "\n".join(
        [
            f"{len(found.talks)} conversations, {turns:,} turns, {questions:,} questions.",
            f"Evidence that names no turn was dropped: {', '.join(dropped) or 'none'}. "
            f"Questions without evidence were left out: {unscored}.",
            f"Facts: {noted.facts}, of which {noted.items} are items; {noted.not_own} rest on nothing that their own "
            f"person said{refused}.",
        ]
    )


def _ranked(name: str, ranking: Ranking) -> Table:
    milliseconds = 1000 * median(ranking.seconds)
    shown = table(f"{name} ({milliseconds:.1f} ms a question)", "", "questions", *HEADINGS)
    for line, scores in lines(ranking.asked):
        shown.add_row(line, str(_count(ranking.asked, line)), *map(_per_cent, scores))
    shown.add_row("spread", "", *map(_between, spread(ranking.asked)))
    return shown


def in_prompts(held: Sequence[Held], what: str = "with facts") -> Table:
    """What the prompts hold of the evidence."""
    title = f"the evidence in the prompt, {what}, within {MOST_TOKENS:,} tokens"
    shown = table(title, "", "questions", "all of it", "any of it", "of it", "tokens: median", "p95", "most")
    for name, each in rates(held):
        shares = map(_per_cent, (each.all, each.any, each.evidence))
        tokens = (each.tokens_median, each.tokens_p95, each.tokens_most)
        shown.add_row(name, str(each.questions), *shares, *(f"{number:,.0f}" for number in tokens))
    return shown


def table(title: str, *headings: str) -> Table:
    """An empty table; all columns but an unnamed first one are numbers."""
    shown = Table(title=title, title_justify="left")
    for heading in headings:
        shown.add_column(heading, justify="right" if heading else "left")
    return shown


def rates(held: Sequence[Held]) -> Iterator[tuple[str, Rate]]:
    """Of all questions, by category and by conversation."""
    yield "all", rate(held)
    for number, name in CATEGORIES.items():
        of = [each for each in held if each.category == number]
        if of:
            yield name, rate(of)
    for talk in dict.fromkeys(each.talk for each in held):
        yield talk, rate([each for each in held if each.talk == talk])


def _per_cent(value: float) -> str:
    return f"{100 * value:.1f}"


def _between(each: Spread) -> str:
    return f"{100 * each.low:.1f} … {100 * each.high:.1f}"


# -- for programs ------------------------------------------------------------------------------------------------------


def as_json(found: Found) -> dict[str, Any]:
    """The same with stable names; shares are from 0 to 1."""
    return {
        "conversations": len(found.talks),
        "turns": sum(len(talk.turns) for talk in found.talks),
        "questions": sum(len(talk.questions) for talk in found.talks),
        "dropped": [f"{talk.key} {bad}" for talk in found.talks for bad in talk.dropped],
        "unscored": sum(talk.unscored for talk in found.talks),
        "facts": {**found.noted._asdict(), "refused": dict(found.noted.refused)},
        "rankings": {name: ranking_json(ranking) for name, ranking in found.rankings.items()},
        "missing": found.missing,
        "prompts": {name: each._asdict() for name, each in rates(found.held)},
        "goals": [{**each.goal._asdict(), "reached": each.reached, "met": each.met} for each in judged(found)],
        "seconds": round(found.seconds, 1),
    }


def ranking_json(ranking: Ranking) -> dict[str, Any]:
    """A ranking with stable names."""
    spreads = zip(HEADINGS, spread(ranking.asked), strict=True)
    return {
        "means": {
            name: {"questions": _count(ranking.asked, name), **dict(zip(HEADINGS, scores, strict=True))}
            for name, scores in lines(ranking.asked)
        },
        "spread": {name: {"min": each.low, "median": each.middle, "max": each.high} for name, each in spreads},
        "ms_median": 1000 * median(ranking.seconds),
    }
