"""Lives of items and trees of causes, as a terminal or a pipe shows them.

Words that came are green in a terminal, words that went red and struck out; anywhere else they stand as {+came+} and
[-went-], as in git's word diffs.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dnam.cli.shell import Shell
from dnam.provenance import REPLACED, LifeWords, Quoted, StepWords, gone_words, shown_changes
from projections.counting import counted
from projections.quoting import one_line, visible
from projections.wording import Piece, differs

if TYPE_CHECKING:
    from rich.console import Console
    from rich.tree import Tree

STYLES = {"same": "", "added": "green", "removed": "red strike", "dim": "dim", "bold": "bold"}
MARKS = {"added": ("{+", "+}"), "removed": ("[-", "-]")}
MOST_QUOTED = 6
"""How many messages are quoted of a step; the rest are counted. `--json` and `--html` have all."""
QUOTE_CHARS = 160


class Span(NamedTuple):
    """Some text on a line, and how it looks: a fate of words, `dim`, or `bold`."""

    text: str
    look: str = "same"


class Branch(NamedTuple):
    """A line of a tree, and the lines below it."""

    label: str
    below: "tuple[Branch, ...]" = ()


def tell_life(shell: Shell, life: LifeWords) -> None:
    """An item with everything that happened to it, one step after the other."""
    line(shell, Span(life.id, "bold"), Span(f" [{life.kind or 'fact'}] {one_line(life.text)}"))
    line(shell, Span(f"{life.status}, {life.where}", "dim"))
    for step in life.steps:
        _tell_step(shell, step)
    shell.out.line()


def _tell_step(shell: Shell, step: StepWords) -> None:
    times = f"recorded {shell.out.when(step.at)}, said {shell.out.when(step.said)}"
    line(shell, Span(f"  #{step.seq}  {times}  ", "dim"), Span(f"{step.happened} by {step.who}"))
    for label, spans in _facts(shell, step):
        line(shell, Span(f"      {label:<12}", "dim"), *spans)


def _facts(shell: Shell, step: StepWords) -> Iterator[tuple[str, Sequence[Span]]]:
    if differs(step.words) or step.happened == "refused":
        yield "text", _text(step)
    for name, (before, after) in shown_changes(step).items():
        yield name, [Span(f"{_value(before)} -> {_value(after)}")]
    if step.why:
        yield "why", [Span(one_line(step.why))]
    if step.policy:
        yield "policy", [Span(step.policy)]
    for each in step.messages[:MOST_QUOTED]:
        yield "from", [Span(quote_words(shell, each))]
    if len(step.messages) > MOST_QUOTED:
        yield "from", [Span(f"and {counted(len(step.messages) - MOST_QUOTED, 'more message')}")]
    for quote in step.quotes:
        yield "from", [Span(f"{short(quote)}, whose message is not in the log")]
    for gone in step.gone:
        yield "from", [Span(gone_words(gone))]


def _text(step: StepWords) -> Sequence[Span]:
    """The text word by word; whole where there was none before."""
    fates = {piece.fate for piece in step.words}
    return list(spans_of(step.words)) if fates & {"same", "removed"} else [Span(one_line(step.text))]


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else one_line(str(value))


def quote_words(shell: Shell, each: Quoted) -> str:
    """A message on a line: who, when, what, and where it can be seen."""
    if each.text is None:
        return gone_words(each)
    kept = f" ({', '.join(map(short, each.quotes))})" if each.quotes and each.quotes != (each.text,) else ""
    link = f"  {each.link}" if each.link else ""
    since = f"; {REPLACED}" if each.replaced else ""
    return f"{each.author}, {shell.out.when(each.said)} (#{each.seq}{since}): {short(each.text)}{kept}{link}"


def short(text: str) -> str:
    """The beginning of a text, quoted, on one line."""
    words = one_line(text)
    return f'"{words}"' if len(words) <= QUOTE_CHARS else f'"{words[: QUOTE_CHARS - 1]}…"'


# -- words that came and went --------------------------------------------------------------------------------------


def spans_of(pieces: Sequence[Piece]) -> Iterator[Span]:
    """The pieces with the white space before them outside of what is marked."""
    for piece in pieces:
        words = piece.text.lstrip()
        if len(words) < len(piece.text):
            yield Span(" ")
        yield Span(one_line(words), piece.fate)


def by_line(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces, broken where the text is."""
    lines: list[list[Piece]] = [[]]
    for piece in pieces:
        first, *rest = piece.text.split("\n")
        lines[-1].append(Piece(piece.fate, first))
        lines += [[Piece(piece.fate, each)] for each in rest]
    return [[piece for piece in each if piece.text] for each in lines]


def line(shell: Shell, *spans: Span) -> None:
    """One line, with colours where there are any."""
    if sys.stdout.isatty():
        _draw(spans)
    else:
        shell.out.line("".join(map(_marked, spans)))


def _marked(span: Span) -> str:
    before, after = MARKS.get(span.look, ("", ""))
    return f"{before}{span.text}{after}" if span.text else ""


def _draw(spans: Sequence[Span]) -> None:
    from rich.text import Text

    console = _console()
    plain = console.color_system is None
    text = Text()
    for span in spans:
        text.append(visible(_marked(span) if plain else span.text), STYLES[span.look])
    console.print(text, soft_wrap=True)


def _console() -> "Console":
    from rich.console import Console

    class Quiet(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would end the program with 1

    return Quiet(highlight=False)


# -- trees ---------------------------------------------------------------------------------------------------------


def tell_tree(shell: Shell, root: Branch) -> None:
    """A tree: drawn in a terminal, indented anywhere else."""
    if sys.stdout.isatty():
        _console().print(_drawn(root))
        return
    for depth, label in _flat(root, 0):
        shell.out.line("  " * depth + label)


def _flat(branch: Branch, depth: int) -> Iterator[tuple[int, str]]:
    yield depth, branch.label
    for each in branch.below:
        yield from _flat(each, depth + 1)


def _drawn(root: Branch) -> "Tree":
    from rich.text import Text
    from rich.tree import Tree

    def grow(tree: "Tree", branch: Branch) -> "Tree":
        for each in branch.below:
            grow(tree.add(Text(visible(each.label))), each)
        return tree

    return grow(Tree(Text(visible(root.label))), root)
