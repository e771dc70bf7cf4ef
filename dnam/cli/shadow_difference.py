"""The difference between the live memory and a shadow of it, as a terminal or a pipe shows it. It changes no byte on
disk.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dnam.access import Access
from dnam.cli.filing import filed
from dnam.cli.shell import Shell
from dnam.cli.timeline import MOST_QUOTED, Span, by_line, line, quote_words, short, spans_of
from dnam.languages import load
from dnam.provenance import Quoted
from dnam.shadows.behind import behind
from dnam.shadows.difference import Difference, difference_from
from dnam.shadows.inputs import LessRead, heading
from dnam.shadows.manifest import load as load_manifest
from dnam.shadows.page import shadow_page
from dnam.shadows.report import MEASURED, OwnerWords, Report, Wanted
from dnam.shadows.words import LABELS, MATCHED, Fault, PairWords, SideWords, SummaryWords, ids_words
from projections.counting import counted
from projections.ids import Handle
from projections.lookup import SessionCard
from projections.quoting import one_line
from projections.rows import Rows

PRINTED = Path("-")
"""For a file: the page goes to stdout."""
Meant = Callable[[Rows], Handle | SessionCard]
"""Who or what is meant, by the live rows."""


def difference(shell: Shell, name: str, html: Path | None, meant: Meant | None) -> bool:
    """Tell what differs between the live memory and the shadow of this name; whether anything does."""
    if html == PRINTED:
        shell.refuse_printed_page("--html -")
    whole = _found(shell, name, meant)
    found = whole.report
    for text in found.notes_with(shell.command):
        shell.out.note(text)
    if html is not None:
        _write_page(shell, whole, html)
    if shell.out.as_json:
        shell.out.emit({**found._asdict(), "html": html})
    elif html is None:
        _tell(shell, found)
    return found.differs


def _found(shell: Shell, name: str, meant: Meant | None) -> Difference:
    with shell.opened() as (engine, empty):
        late = behind(engine, load_manifest(shell.data, name))  # first: there may be no such shadow
        with shell.looking_at(engine, empty) as view, shell.out.progress("comparing", "people") as told:
            wanted = Wanted() if meant is None else _wanted(meant(view.now))
            memory = Access(engine, shell.settings, load(shell.settings.language))
            found = difference_from(memory, view.now, shell.data, name, wanted, told)
            return found._replace(report=found.report._replace(behind=late))


def _wanted(meant: Handle | SessionCard) -> Wanted:
    return Wanted(session=meant.session) if isinstance(meant, SessionCard) else Wanted(person=meant)


def _write_page(shell: Shell, whole: Difference, html: Path) -> None:
    """The page into its file, which is told; or where it is asked for, the page itself."""
    found = whole.report
    page = shadow_page(found, shell.out.when, whole.vaults)
    if html == PRINTED:
        shell.out.exactly(page)
        return
    filed(html, page)
    if shell.out.as_json:
        return
    differing = sum(found.items) - found.items.same + sum(found.summaries) - found.summaries.same
    are = "is" if differing == 1 else "are"
    shell.out.line(f"{counted(differing, 'difference')} from the shadow {found.shadow.name!r} {are} written to {html}")


# -- in sum --------------------------------------------------------------------------------------------------------


def _tell(shell: Shell, found: Report) -> None:
    """In sum, judged, and then item by item and session by session; what was read less comes last."""
    if found.differs:
        _tell_differences(shell, found)
        if found.less_read:
            shell.out.line()
    else:
        _tell_nothing(shell, found)
    tell_less_read(shell, found.less_read)


def _tell_nothing(shell: Shell, found: Report) -> None:
    """That nothing differs, or nothing that could be adopted; and what stays as it is."""
    which = "nothing that could be adopted differs" if found.people or found.sessions else "nothing differs"
    same = "1 item is" if found.items.same == 1 else f"{found.items.same} items are"
    shell.out.note(f"{which} from the shadow {found.shadow.name!r}: {same} the same")
    for owner in found.people:
        _tell_owner(shell, owner)
    for summary in found.sessions:
        _tell_summary(shell, summary)


def tell_less_read(shell: Shell, runs: Sequence[LessRead]) -> None:
    """The runs that read less than when they were recorded, a line each, under what they have in common."""
    if runs:
        shell.out.line(heading(runs))
    for each in runs:
        line(shell, Span(f"  {each.words}"))


def _tell_differences(shell: Shell, found: Report) -> None:
    shell.out.table(("", *LABELS.values()), _counted(found))
    if sum(found.items):
        shell.out.line()
        shell.out.table(("", "live", "shadow", "what is counted"), _judged(found))
    for owner in found.people:
        _tell_owner(shell, owner)
    for summary in found.sessions:
        _tell_summary(shell, summary)


def _counted(found: Report) -> Iterator[tuple[str, ...]]:
    for owner in found.people:
        yield owner.name, *map(str, owner.items)
    yield "items in sum", *map(str, found.items)
    yield "summaries", *map(str, found.summaries)


def _judged(found: Report) -> Iterator[tuple[str, ...]]:
    for (name, meaning), old, new in zip(MEASURED.values(), found.old, found.new, strict=True):
        yield name, f"{old:,}", f"{new:,}", meaning


# -- items ---------------------------------------------------------------------------------------------------------


def _tell_owner(shell: Shell, owner: OwnerWords) -> None:
    shell.out.line()
    line(shell, Span(f"{owner.name}:", "bold"))
    for group in owner.groups:
        for pair in group.pairs:
            _tell_pair(shell, pair, f"group {group.key}" if len(group.pairs) > 1 else "")
    tell_faults(shell, owner.faults)


def tell_faults(shell: Shell, faults: Sequence[Fault]) -> None:
    """What somebody should look at, a line each."""
    for fault in faults:
        line(shell, Span("  judged      ", "dim"), Span(one_line(fault.words)))


def _tell_pair(shell: Shell, pair: PairWords, group: str) -> None:
    item = _last(pair).item
    line(shell, Span(f"  {LABELS[pair.kind]:<12}{ids_words(pair.old_id, pair.new_id)} [{item.kind}] "), *_text(pair))
    matched = f"matched by {MATCHED[pair.by]}" if pair.by else ""
    line(shell, Span(f"      {'; '.join(filter(None, (pair.where, matched, group, pair.held)))}", "dim"))
    for name, (before, after) in pair.changed.items():
        line(shell, Span(f"      {name}: {_value(before)} -> {_value(after)}"))
    tell_sides(shell, pair)


def tell_sides(shell: Shell, pair: PairWords) -> None:
    """Who made each side so and why, and what it rests on."""
    both = pair.old is not None and pair.new is not None and _grounds(pair.old) == _grounds(pair.new)
    for label, side in (("live", pair.old), ("shadow", pair.new)):
        if side is not None:
            _tell_side(shell, label, side, quoting=not both)
    if both:
        _tell_grounds(shell, "both", _last(pair))


def _last(pair: PairWords) -> SideWords:
    side = pair.new or pair.old
    assert side is not None, "a pair has a side"
    return side


def _text(pair: PairWords) -> list[Span]:
    if pair.kind == "changed":
        return list(spans_of(pair.words))
    return [Span(one_line(_last(pair).item.text), "removed" if pair.kind == "only_old" else "added")]


def _value(value: Any) -> str:
    listed = value if isinstance(value, tuple) else (value,)
    return ", ".join(one_line(str(each)) for each in listed if each is not None) or "none"


def _grounds(side: SideWords) -> tuple[tuple[Quoted, ...], tuple[str, ...]]:
    return side.messages, side.quotes


def _tell_side(shell: Shell, label: str, side: SideWords, *, quoting: bool) -> None:
    because = f": {one_line(side.why)}" if side.why else ""
    line(shell, Span(f"      {label:<8}", "dim"), Span(f"by {side.who}{because}"))
    if quoting:
        _tell_grounds(shell, "", side)


def _tell_grounds(shell: Shell, label: str, side: SideWords) -> None:
    """What an item rests on; one label for all of it."""
    for number, each in enumerate(_rests_on(shell, *_grounds(side))):
        line(shell, Span(f"      {'' if number else label:<8}from  ", "dim"), Span(each))


def _rests_on(shell: Shell, messages: tuple[Quoted, ...], quotes: tuple[str, ...]) -> Iterator[str]:
    for each in messages[:MOST_QUOTED]:
        yield quote_words(shell, each)
    if len(messages) > MOST_QUOTED:
        yield f"and {counted(len(messages) - MOST_QUOTED, 'more message')}"
    for quote in quotes:
        yield f"{short(quote)}, whose message is not in the log"


# -- summaries -----------------------------------------------------------------------------------------------------


def _tell_summary(shell: Shell, summary: SummaryWords) -> None:
    shell.out.line()
    tokens = f"{summary.old_tokens:,} -> {summary.new_tokens:,} tokens"
    held = f"; it stays as it is: {summary.held}" if summary.held else ""
    line(shell, Span(f"summary of {summary.key}:", "bold"), Span(f" {LABELS[summary.kind]}, {tokens}{held}", "dim"))
    for each in by_line(summary.words):
        line(shell, Span("  "), *spans_of(each))
