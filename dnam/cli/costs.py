"""What models cost: `costs`. It changes no byte on disk."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dnam.cli.command import Command, Data, Json
from dnam.cli.shell import Shell

if TYPE_CHECKING:
    from dnam.costs import By, Cost, Costs

BY = ("day", "user", "model")


def _one_of(value: str) -> str:
    if value not in BY:
        raise typer.BadParameter(f"{value!r} is none of {', '.join(BY)}")
    return value


def costs(
    by: Annotated[str, typer.Option("--by", metavar="|".join(BY), callback=_one_of, help="What to add up by.")] = "day",
    data: Data = None,
    as_json: Json = False,
) -> None:
    """What models took and cost, by day (UTC), user or model.

    A call is an answer, a summary or other work, however many requests to its model it took, as an answer with tools
    does; tokens and cost are of all of them. What `dnam rederive` took is told beside them: it stands in its shadow.
    """
    from dnam.costs import costs as added_up
    from dnam.prices import dollars
    from dnam.shadows.costs import rederived_micros

    shell = Shell(data, as_json)
    with shell.looking() as view:
        found = added_up(view.now, _by(by))
        rederived = 0 if view.empty else rederived_micros(view.engine, shell.data)
        if as_json:
            shell.out.emit({**_json(found), "rederived_micros": rederived})
            return
        if not found.lines and not view.empty:
            shell.out.note("no model was asked yet")
        _show(shell, found)
        if rederived:
            cost = dollars(rederived)
            shell.out.note(f"not among these, what re-deriving took: {cost}; `dnam shadows` says for what")


def _by(word: str) -> "By":
    match word:
        case "user" | "model":
            return word
        case _:
            return "day"


def _json(found: "Costs") -> dict[str, Any]:
    lines = [_cost_json(each) for each in found.lines]
    return {**found._asdict(), "lines": lines, "total": _cost_json(found.total)}


def _cost_json(cost: "Cost") -> dict[str, Any]:
    return {**cost._asdict(), "cost_usd": cost.usd.removeprefix("$").replace(",", "")}


def _show(shell: Shell, found: "Costs") -> None:
    if not found.lines:
        return
    titles = [found.by, "calls", "failed", "tokens in", "of them cached", "tokens out", "cost (USD)"]
    shell.out.table(titles, [_cells(each) for each in (*found.lines, found.total)])
    if found.unpriced:
        names = ", ".join(found.unpriced)
        shell.out.note(f"counted as free, because the prices of {found.prices_as_of} do not have them: {names}")


def _cells(cost: "Cost") -> list[str]:
    numbers = (cost.calls, cost.failed, cost.tokens_in, cost.tokens_cached, cost.tokens_out)
    return [cost.name, *(f"{number:,}" for number in numbers), cost.usd]


COMMANDS = (Command("costs", costs, "costs --by model"),)
