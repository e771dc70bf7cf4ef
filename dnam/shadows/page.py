"""The difference between the live memory and a shadow of it as a page for a browser: one file that loads nothing and
runs nothing.
"""

from collections.abc import Collection, Iterator
from typing import Any

from dnam.pages import When, escaped, page, piece_html, quote_html
from dnam.shadows import charts as shadow_charts
from dnam.shadows.inputs import heading
from dnam.shadows.manifest import cost_words
from dnam.shadows.report import OwnerWords, Report
from dnam.shadows.words import LABELS, MATCHED, Fault, GroupWords, PairWords, SideWords, SummaryWords, ids_words
from projections.ids import VaultId

STYLE = """
table { border-collapse: collapse; font-size: 0.9rem; } th, td { padding: 0.15rem 0.9rem 0.15rem 0; text-align: left;
  vertical-align: top; } td.number { font-variant-numeric: tabular-nums; text-align: right; }
section { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: 1rem; }
article { padding: 0.9rem 0; } .group { border-left: 2px solid var(--line); padding-left: 1rem; }
.sides { display: grid; gap: 0 1.2rem; grid-template-columns: 1fr 1fr; }
.sides h3 { font-size: 0.9rem; margin: 0.4rem 0; }
.kind { border: 1px solid var(--line); border-radius: 3px; font-size: 0.8rem; padding: 0 0.4rem; }
@media (max-width: 40rem) { .sides { grid-template-columns: 1fr; } }
"""


def shadow_page(report: Report, when: When, vaults: Collection[VaultId] = ()) -> str:
    """The page; see `dnam.shadows.report` for what is in it, and `dnam.pages.page` for `vaults`."""
    title = f"What the shadow {report.shadow.name} would change"
    parts = [_head(report, when), shadow_charts.counted(report), shadow_charts.judged_sides(report)]
    parts += (_less_read(report),)
    parts += (_owner(owner, when) for owner in report.people)
    parts += map(_summary, report.sessions)
    return page(title, parts, shadow_charts.STYLE + STYLE, vaults)


def _head(report: Report, when: When) -> str:
    asked, made = report.shadow.asked, report.shadow
    cost = f"{made.calls:,} calls, {made.tokens_in:,} tokens in, {made.tokens_out:,} out, {cost_words(made)}"
    facts = (
        ("made", when(made.made)),
        ("model", " / ".join(dict.fromkeys(filter(None, (made.by, asked.summary_model))))),
        ("prompts", f"{asked.extraction_prompt}, {asked.summary_prompt}"),
        ("merges", asked.merge_policy),
        ("it took", cost),
        ("as of", f"#{made.upto} of #{report.live}"),
    )
    listed = "".join(f"<dt>{name}</dt><dd>{escaped(value)}</dd>\n" for name, value in facts if value)
    notes = "".join(f"<p>{escaped(each)}</p>\n" for each in report.notes)
    nothing = "" if report.differs else "<p>Nothing differs.</p>\n"
    return f"<dl>\n{listed}</dl>\n{notes}{nothing}"


def _less_read(report: Report) -> str:
    """The runs that read less than when they were recorded, and what they could not read."""
    if not report.less_read:
        return ""
    listed = "".join(f"<li>{escaped(each.words)}</li>\n" for each in report.less_read)
    return (
        f"<section>\n<h2>What was read less</h2>\n<p>{heading(report.less_read)}</p>\n<ul>\n{listed}</ul>\n</section>\n"
    )


# -- items ---------------------------------------------------------------------------------------------------------


def _owner(owner: OwnerWords, when: When) -> str:
    groups = "".join(_group(group, when) for group in owner.groups)
    return f"<section>\n<h2>{escaped(owner.name)}</h2>\n{groups}{_faults(owner)}</section>\n"


def _group(group: GroupWords, when: When) -> str:
    """Items that go together stand behind one line."""
    pairs = "".join(_pair(pair, when) for pair in group.pairs)
    together = f'<p class="quiet">together: group {group.key}</p>\n'
    return f'<div class="group">\n{together}{pairs}</div>\n' if len(group.pairs) > 1 else pairs


def _pair(pair: PairWords, when: When) -> str:
    about = (pair.where, f"matched by {MATCHED[pair.by]}" if pair.by else "", pair.held)
    item = f"<code>{escaped(ids_words(pair.old_id, pair.new_id))}</code>"
    head = f'<span class="kind">{LABELS[pair.kind]}</span> {item} {"".join(map(piece_html, pair.words))}'
    quiet = f'<p class="quiet">{escaped("; ".join(filter(None, about)))}</p>\n'
    changed = "".join(
        f"<dt>{name}</dt><dd><del>{_value(before)}</del> <ins>{_value(after)}</ins></dd>\n"
        for name, (before, after) in pair.changed.items()
    )
    fields = f"<dl>\n{changed}</dl>\n" if changed else ""
    sides = "".join(_side(label, side, when) for label, side in (("live", pair.old), ("shadow", pair.new)))
    return f'<article>\n<p>{head}</p>\n{quiet}{fields}<div class="sides">\n{sides}</div>\n</article>\n'


def _value(value: Any) -> str:
    return escaped(", ".join(map(str, value)) if isinstance(value, tuple) else "" if value is None else str(value))


def _side(label: str, side: SideWords | None, when: When) -> str:
    if side is None:
        return f'<div><h3>{label}</h3>\n<p class="quiet">not there</p></div>\n'
    because = f": {side.why}" if side.why else ""
    about = f"[{side.item.kind}] by {side.who}{because}"
    quotes = "".join(_evidence(side, when))
    item = f"<code>{escaped(side.item.id)}</code>"
    return f'<div><h3>{label}</h3>\n<p class="quiet">{item} {escaped(about)}</p>\n{quotes}</div>\n'


def _evidence(side: SideWords, when: When) -> Iterator[str]:
    for each in side.messages:
        yield f"<div>{quote_html(each, when)}</div>\n"
    for quote in side.quotes:
        yield f"<blockquote>{escaped(quote)}</blockquote>\n"


def _faults(owner: OwnerWords) -> str:
    """What was found of one person on either side, folded away."""
    if not owner.faults:
        return ""
    listed = "".join(map(_fault, owner.faults))
    return f"<details>\n<summary>what was judged ({len(owner.faults)})</summary>\n<ul>\n{listed}</ul>\n</details>\n"


def _fault(fault: Fault) -> str:
    return f"<li>{escaped(fault.words)}</li>\n"


# -- summaries -----------------------------------------------------------------------------------------------------


def _summary(of: SummaryWords) -> str:
    """Both texts side by side, and below them word by word."""
    held = f"; it stays as it is: {of.held}" if of.held else ""
    tokens = f"{of.old_tokens:,} and {of.new_tokens:,} tokens"
    head = f'<h2>Summary of {escaped(of.key)}</h2>\n<p class="quiet">{LABELS[of.kind]}; {tokens}{held}</p>\n'
    sides = "".join(
        f"<div><h3>{label}</h3>\n<blockquote>{escaped(text) or 'none'}</blockquote></div>\n"
        for label, text in (("live", of.old), ("shadow", of.new))
    )
    words = f"<blockquote>{''.join(map(piece_html, of.words))}</blockquote>\n"
    return f'<section>\n{head}<div class="sides">\n{sides}</div>\n{words}</section>\n'
