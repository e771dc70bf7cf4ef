"""Everything of one person's as a page in Markdown, to be read by that person."""

from collections.abc import Callable, Iterator

from dnam.belongings import Belongings, Direct, NotRemembered, Remembered
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
    yield from _items("What is remembered", of.items, when)
    yield from _items("What is nobody's, in your words", of.lore, when)
    yield from _section("Taken back", map(_gone, of.taken_back))
    yield from _section("Refused", map(_gone, of.refused))
    for each in of.direct:
        yield from _direct(each, when)
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


def _items(title: str, items: tuple[Remembered, ...], when: When) -> Iterator[str]:
    if items:
        yield from ("", f"## {title}")
    for item in items:
        yield from ("", f"### {_text(item.text)}", "")
        yield f"- {_text(item.kind)}, {item.status}, {_text(item.where)}; {_text(item.id)}"
        yield from (f"- you said: “{_text(each.text)}”" for each in item.quotes)
        for step in item.life:
            why = f" ({_text(step.why)})" if step.why else ""
            yield f"- {when(step.at)} {step.what} by {_text(step.by)}{why}: {_text(step.text)}"


def _gone(each: NotRemembered) -> str:
    return f"{_text(each.text)} ({_text(each.kind)}, {_text(each.where)}): {_text(each.why)}"


def _direct(of: Direct, when: When) -> Iterator[str]:
    yield from ("", f"## Direct messages ({_text(of.session)})", "")
    if of.summary:
        yield f"Summary of {when(of.summarised)}:"
        yield ""
        yield from (f"> {visible(line)}" for line in of.summary.splitlines())
        yield ""
    yield from (f"- {when(each.said)} {_text(each.by)}: {_text(each.text)}" for each in of.lines)


def _text(text: str) -> str:
    """What somebody wrote, on one line, without what Markdown takes for its own."""
    return "".join(f"\\{each}" if each in "\\`*_[]<>#|" else each for each in one_line(text))
