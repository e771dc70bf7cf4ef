"""Pages for a browser: one file each, that loads nothing and runs nothing.

Everything that people wrote goes through `escaped`: it is text, whatever is in it. The style stands in the page, in
light and in dark.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from html import escape

from dnam.provenance import REPLACED, LifeWords, Quoted, StepWords, gone_words, shown_changes
from projections.counting import counted
from projections.ids import VaultId
from projections.quoting import visible
from projections.wording import Piece

When = Callable[[int | None], str]
"""A time in ms, as it is shown to the reader."""
STYLE = """
:root { color-scheme: light dark; --ground: #fbfaf7; --ink: #22262b; --quiet: #6a7078; --line: #d9d6cd;
  --came: #dff1df; --came-ink: #14532d; --went: #f8dede; --went-ink: #7f1d1d; --mark: #3b6ea5; }
@media (prefers-color-scheme: dark) { :root { --ground: #16181b; --ink: #e4e6e8; --quiet: #989fa8; --line: #33383e;
  --came: #143322; --came-ink: #a7e3bd; --went: #401a1c; --went-ink: #f3b6b8; --mark: #7fb2e6; } }
body { background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 52rem; padding: 2rem 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 0; }
article { border-top: 1px solid var(--line); padding: 1.2rem 0; }
.quiet, dt, time { color: var(--quiet); font-size: 0.85rem; }
ol { border-left: 2px solid var(--line); list-style: none; margin: 0.8rem 0 0; padding: 0 0 0 1rem; }
li { margin: 0 0 1rem; } dl { display: grid; gap: 0.1rem 0.8rem; grid-template-columns: 6.5rem 1fr; margin: 0.3rem 0; }
dd { margin: 0; white-space: pre-wrap; } a { color: var(--mark); } code { font-size: 0.85rem; }
ins { background: var(--came); color: var(--came-ink); text-decoration: none; }
del { background: var(--went); color: var(--went-ink); }
blockquote { border-left: 2px solid var(--mark); margin: 0.2rem 0; padding-left: 0.6rem; white-space: pre-wrap; }
"""
BEGINS = "<!doctype html>\n"
KNOWN_BY = f"{BEGINS}<!-- dnam "
"""How a page begins that holds somebody's words: their vaults follow, in hex."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What a browser is told: nothing is loaded and nothing runs."""


def audit_page(title: str, lives: Iterable[LifeWords], when: When, vaults: Collection[VaultId]) -> str:
    """The lives of items as a page; see `dnam.provenance` for what is in them, and `page` for `vaults`."""
    told = list(lives)
    about = f'<p class="quiet">{counted(len(told), "item")}, each from when it began</p>\n'
    return page(title, [about, *(_life(life, when) for life in told)], vaults=vaults)


def page(title: str, parts: Iterable[str], style: str = "", vaults: Collection[VaultId] = ()) -> str:
    """A whole page: parts are HTML, `style` is added to what all pages look like. `vaults` are those whose words it
    holds (page_vaults.py): by them it is known when somebody is erased.
    """
    known = f"{KNOWN_BY}{' '.join(each.hex() for each in sorted(vaults))} -->\n" if vaults else BEGINS
    return "".join(
        [
            f'{known}<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{escaped(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n",
            f"<h1>{escaped(title)}</h1>\n",
            *parts,
            "</body>\n</html>\n",
        ]
    )


def escaped(text: str) -> str:
    """What people wrote, as HTML that is that text and nothing else; its lines stay lines where a style keeps them."""
    return escape("\n".join(map(visible, text.replace("\r\n", "\n").split("\n"))))


def _life(life: LifeWords, when: When) -> str:
    head = f'<h2>{escaped(life.text)}</h2>\n<p class="quiet"><code>{escaped(life.id)}</code> '
    about = f"{escaped(life.kind or 'fact')}, {escaped(life.status)}, {escaped(life.where)}</p>\n"
    return f"<article>\n{head}{about}<ol>\n{''.join(_step(each, when) for each in life.steps)}</ol>\n</article>\n"


def _step(step: StepWords, when: When) -> str:
    times = f"#{step.seq}, recorded {escaped(when(step.at))}, said {escaped(when(step.said))}"
    facts = "".join(f"<dt>{escaped(name)}</dt><dd>{value}</dd>\n" for name, value in _facts(step, when))
    return f"<li><time>{times}</time><br>{escaped(f'{step.happened} by {step.who}')}\n<dl>\n{facts}</dl></li>\n"


def _facts(step: StepWords, when: When) -> Iterator[tuple[str, str]]:
    """Names and values; the values are HTML."""
    yield "text", "".join(map(piece_html, step.words)) or escaped(step.text)
    for name, (before, after) in shown_changes(step).items():
        yield name, f"<del>{_value(before)}</del> <ins>{_value(after)}</ins>"
    if step.why:
        yield "why", escaped(step.why)
    if step.policy:
        yield "policy", escaped(step.policy)
    for each in step.messages:
        yield "from", quote_html(each, when)
    for quote in step.quotes:
        yield "from", f"<blockquote>{escaped(quote)}</blockquote>"
    for gone in step.gone:
        yield "from", escaped(gone_words(gone))


def piece_html(piece: Piece) -> str:
    """Words that stayed, came or went."""
    tag = {"added": "ins", "removed": "del"}.get(piece.fate, "span")
    return f"<{tag}>{escaped(piece.text)}</{tag}>"


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return escaped(", ".join(map(str, value)))
    return "" if value is None else escaped(str(value))


def quote_html(each: Quoted, when: When) -> str:
    """A message: who, when, what, and where it can be seen."""
    if each.text is None:
        return escaped(gone_words(each))
    link = f' <a href="{escape(each.link)}" rel="noreferrer">there</a>' if each.link else ""
    kept = "".join(f"<br>kept: {escaped(quote)}" for quote in each.quotes if quote != each.text)
    since = f"; {REPLACED}" if each.replaced else ""
    head = f'<span class="quiet">{escaped(each.author)}, {escaped(when(each.said))}, #{each.seq}{since}{link}</span>'
    return f"{head}<blockquote>{escaped(each.text)}{kept}</blockquote>"
