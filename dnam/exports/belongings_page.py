"""Everything of one person's as a page in Markdown, to be read by that person."""

from collections.abc import Callable, Iterator

from dnam.exports.belongings import THEMSELF, Belongings, Direct, Happened, NotRemembered, Remembered
from projections.quoting import one_line, visible

When = Callable[[int | None], str]
"""A time (ms) in the reader's zone."""
TITLE = "# What is here of"


def titled(name: str) -> str:
    """The first line of the page of whoever has this name."""
    return f"{TITLE} {_text(name)}"


def page(of: Belongings, when: When) -> str:
    """The whole page."""
    return "\n".join(_lines(of, when)).rstrip() + "\n"


def _lines(of: Belongings, when: When) -> Iterator[str]:
    yield titled(of.name)
    yield f"<!-- dnam {' '.join(each.hex() for each in of.vaults)} -->"  # known by it when they are erased
    yield ""
    yield f"As of {when(of.made)}."
    yield from _section("Accounts", (f"{_text(each.platform)}: {_text(each.id)} ({_text(each.name)})"
                                     f"{', opted out' if each.opted_out else ''}" for each in of.accounts))  # fmt: skip
    yield from _section("Names", (f"{_text(each.name)}, since {when(each.said)}" for each in of.names))
    yield from _section("Notes of the operator", (f"{when(each.said)}: {_text(each.text)}" for each in of.notes))
    yield from _section("Settings", (f"{_text(each.key)} = {_text(each.text)}" for each in of.settings))
    yield from _items("What is remembered", of.items, of.name, when)
    yield from _items("What is nobody's, in your words", of.lore, of.name, when)
    yield from _section("Taken back", map(_gone, of.taken_back))
    yield from _section("Refused", map(_gone, of.refused))
    for each in of.direct:
        yield from _direct(each, of.name, when)
    said = (f"{when(each.said)}, {_text(each.where)}: {_text(each.text)}"
            f"{''.join(f' [{_text(name)}]' for name in each.attachments)}" for each in of.messages)  # fmt: skip
    yield from _section("Messages", said)
    yield from _section("What is not in here", of.left_out)


def _section(title: str, entries: Iterator[str] | tuple[str, ...]) -> Iterator[str]:
    """A list under a title; nothing where there is nothing."""
    listed = list(entries)
    if listed:
        yield from ("", f"## {title}", "")
        yield from (f"- {each}" for each in listed)


def _items(title: str, items: tuple[Remembered, ...], name: str, when: When) -> Iterator[str]:
    if items:
        yield from ("", f"## {title}")
    for item in items:
        yield from ("", f"### {_text(item.text)}", "")
        yield f"- {_text(item.kind)}, {item.status}, {_text(item.where)}; {_text(item.id)}"
        yield from (f"- you said: “{_text(each.text)}”" for each in item.quotes)
        for before, step in zip((None, *item.life), item.life, strict=False):  # one ahead of the other
            why = f" ({_text(step.why)})" if step.why else ""
            yield f"- {when(step.at)} {_happened(before, step)} by {_who(step.by, name)}{why}: {_text(step.text)}"


def _happened(before: Happened | None, step: Happened) -> str:
    """What it was, in the words of every other list."""
    if step.what != "upserted":
        return step.what
    if before is None:
        return "added"
    if before.status != "active":
        return "revived"
    return "confirmed" if before.text == step.text else "changed"


def _who(by: str, name: str) -> str:
    """Who did or said it: whose page it is goes by their name."""
    return _text(name if by == THEMSELF else by)


def _gone(each: NotRemembered) -> str:
    return f"{_text(each.text)} ({_text(each.kind)}, {_text(each.where)}): {_text(each.why)}"


def _direct(of: Direct, name: str, when: When) -> Iterator[str]:
    yield from ("", f"## Direct messages ({_text(of.session)})", "")
    if of.summary:
        yield f"Summary of {when(of.summarised)}:"
        yield ""
        yield from (f"> {visible(line)}" for line in of.summary.splitlines())
        yield ""
    yield from (f"- {when(each.said)} {_who(each.by, name)}: {_text(each.text)}" for each in of.lines)


def _text(text: str) -> str:
    """What somebody wrote, on one line, without what Markdown takes for its own."""
    return "".join(f"\\{each}" if each in "\\`*_[]<>#|" else each for each in one_line(text))
