"""What was found, as tables, as JSON, and held against the goals."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from tests.evaluation.locomo import held_out
from tests.evaluation.locomo.held_out import HeldOut
from tests.evaluation.locomo.measures import HEADINGS, RECALL10, Asked, by_category, lines, spread
from tests.evaluation.locomo.prompts import Held, Rate, rate
from tests.evaluation.locomo.rankings import Ranking
from tests.evaluation.locomo.remembering import MOST_TOKENS, Noted
from tests.evaluation.locomo.tables import between, per_cent, table
from tests.evaluation.locomo.talks import CATEGORIES, Talk

WITHOUT = "recall, without facts"
WITH = "recall, with facts"
ENCODED = "recall, with facts and an encoder"
ENCODED_WITHOUT = "recall, without facts, with an encoder"


TO_MEASURE = """To measure what an encoder finds:
  .venv/bin/python -m pip install -e '.[local]'; DNAM_ENCODER=local make eval LOCOMO=…     on this machine
  DNAM_ENCODER=voyage make eval LOCOMO=…    with VOYAGE_API_KEY; Voyage AI is paid for it"""


class Goal(NamedTuple):
    """What recall@10 has to reach, in per cent: in a setting, overall or in a category."""

    setting: str
    of: str
    bound: float


OVERALL = {WITHOUT: 80, WITH: 83, ENCODED_WITHOUT: 80, ENCODED: 86}
GOALS = tuple(
    Goal(setting, of, bound)
    for setting, overall in OVERALL.items()
    for of, bound in (("all", overall), ("multi-hop", 50), ("open-domain", 42))
)


class Found(NamedTuple):
    """Everything that an evaluation found. `missing` says what could not be measured, and why. `held` is what prompts
    hold by words alone, `held_encoded` with an encoder, where there is one.
    """

    talks: Sequence[Talk]
    rankings: dict[str, Ranking]
    noted: Noted
    held: Sequence[Held]
    held_out: dict[str, HeldOut]
    missing: dict[str, str]
    seconds: float
    held_encoded: Sequence[Held] = ()


class Judged(NamedTuple):
    """A goal and what was reached, in per cent; None where it was not measured."""

    goal: Goal
    reached: float | None

    @property
    def missed(self) -> bool:
        """Whether it was measured and not reached."""
        return self.reached is not None and self.reached < self.goal.bound

    @property
    def verdict(self) -> str:
        """What came of it, in words."""
        return "not measured" if self.reached is None else "MISSED" if self.missed else "met"


def judged(found: Found) -> list[Judged]:
    """All goals. One is not measured where nobody ranked in its setting, or no such question was asked."""
    reached = {name: dict(lines(ranking.asked)) for name, ranking in found.rankings.items()}
    scores = [reached.get(goal.setting, {}).get(goal.of) for goal in GOALS]
    return [
        Judged(goal, None if each is None else 100 * each[RECALL10]) for goal, each in zip(GOALS, scores, strict=True)
    ]


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
    console.print(_spreads(found.rankings))
    for setting, each in found.held_out.items():
        held_out.show(each, setting, console)
    console.print(in_prompts(found.held))
    if found.held_encoded:
        console.print(in_prompts(found.held_encoded, "with facts and an encoder"))
    console.print(_goals(judged(found)))
    console.print(f"{found.seconds:.0f} s", highlight=False)
    console.print(unmeasured(found), markup=False, highlight=False, soft_wrap=True)


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
        shown.add_row(line, str(_count(ranking.asked, line)), *map(per_cent, scores))
    shown.add_row("spread", "", *map(between, spread(ranking.asked)))
    return shown


def _spreads(rankings: dict[str, Ranking]) -> Table:
    """recall@10 by category, from the conversation with the least to that with the most."""
    shown = table("recall@10, the least and the most of a conversation", "", *rankings)
    of_each = [dict(by_category(ranking.asked)) for ranking in rankings.values()]
    for name in of_each[0]:
        shown.add_row(name, *(between(spread(of[name])[RECALL10]) for of in of_each))
    return shown


def in_prompts(held: Sequence[Held], what: str = "with facts") -> Table:
    """What the prompts hold of the evidence: the messages themselves; and these, or an item that rests on them."""
    title = f"the evidence in the prompt, {what}, within {MOST_TOKENS:,} tokens: itself; and itself or an item on it"
    meanings = [f"{meaning}:\n{of}" for meaning in ("itself", "or item") for of in ("all", "any", "share")]
    shown = table(title, "", "questions", *meanings, "tokens:\nmedian", "\np95", "\nmost")
    for name, each in rates(held):
        shares = map(per_cent, (*each.itself, *each.or_item))
        tokens = (each.tokens_median, each.tokens_p95, each.tokens_most)
        shown.add_row(name, str(each.questions), *shares, *(f"{number:,.0f}" for number in tokens))
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


def _goals(goals: Sequence[Judged]) -> Table:
    shown = table("goals of recall@10", "", "", "goal", "reached", "")
    for goal, reached in goals:
        value = "" if reached is None else f"{reached:.1f}"
        shown.add_row(goal.setting, goal.of, f"≥ {goal.bound:g}", value, Judged(goal, reached).verdict)
    return shown


def unmeasured(found: Found) -> str:
    """Of which goals nothing is known, why, and how they are measured, so that nobody takes an exit code of 0 for all
    of them.
    """
    goals = judged(found)
    left = [each.goal for each in goals if each.reached is None]
    if not left:
        return f"All {len(goals)} goals were measured."
    lines = [f"NOT MEASURED: {len(left)} of {len(goals)} goals; the exit code speaks of the others."]
    for setting in dict.fromkeys(goal.setting for goal in left):
        of = ", ".join(goal.of for goal in left if goal.setting == setting)
        lines.append(f"  {setting}: {of} ({_why(found, setting)})")
    if not {ENCODED, ENCODED_WITHOUT} <= found.rankings.keys():
        lines.append(TO_MEASURE)
    return "\n".join(lines)


def _why(found: Found, setting: str) -> str:
    """Why a goal was not measured in a setting."""
    return "nothing of that kind is asked" if setting in found.rankings else found.missing[setting]


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
        "held_out": {setting: held_out.as_json(each) for setting, each in found.held_out.items()},
        "prompts": prompts_json(found.held),
        "prompts_encoded": prompts_json(found.held_encoded) if found.held_encoded else None,
        "goals": [_goal_json(each) for each in judged(found)],
        "seconds": round(found.seconds, 1),
    }


def _goal_json(each: Judged) -> dict[str, Any]:
    """A goal; neither met nor missed where it was not measured."""
    met = None if each.reached is None else not each.missed
    return {**each.goal._asdict(), "reached": each.reached, "met": met}


def prompts_json(held: Sequence[Held]) -> dict[str, Any]:
    """What prompts hold, with stable names."""
    return {
        name: each._asdict() | {"itself": each.itself._asdict(), "or_item": each.or_item._asdict()}
        for name, each in rates(held)
    }


def ranking_json(ranking: Ranking) -> dict[str, Any]:
    """A ranking with stable names."""
    return {
        "means": {
            name: {"questions": _count(ranking.asked, name), **dict(zip(HEADINGS, scores, strict=True))}
            for name, scores in lines(ranking.asked)
        },
        "spread": _spread_json(ranking.asked),
        "spread_by_category": {name: _spread_json(of) for name, of in by_category(ranking.asked)},
        "ms_median": 1000 * median(ranking.seconds),
    }


def _spread_json(asked: Sequence[Asked]) -> dict[str, Any]:
    """Over conversations."""
    spreads = zip(HEADINGS, spread(asked), strict=True)
    return {name: {"min": each.low, "median": each.middle, "max": each.high} for name, each in spreads}
