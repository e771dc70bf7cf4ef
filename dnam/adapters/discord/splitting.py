"""Long answers in several messages: cut where a reader would, at 2,000 characters.

Best is between paragraphs, then between lines, between sentences, between words, and anywhere when nothing else is
left, but within nothing that is seen as one character; before a line that is not indented, where there is one. A code
block that is cut is closed, and opened again with its language in the next message; one that is never closed is closed
at the end.

What a code block is goes by Discord, not by Markdown: three backticks anywhere open one, behind words, indented or in a
quote, and the next three close it, also right behind the code. Where nothing closes them, they are three backticks;
unless a line ends with them and their language: then what would close them is missing.

A spoiler (`||`) that is cut is closed and opened again, so that nobody sees what it hides; and a quote that goes on to
the end (`>>> `) goes on in the next message.

Characters are code points.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dnam.adapters.discord.graphemes import is_within, last_border

LIMIT = 2000
"""The longest message, in characters."""
TICKS = "```"
LANGUAGE = re.compile(r"[A-Za-z0-9_+.#-]{0,32}(?=\n)")
"""What may stand behind the backticks that open a block, up to the end of the line."""
UNCLOSED = re.compile(rf"`+{LANGUAGE.pattern}")
QUOTED = re.compile(r"[ \t]*(?:> ){1,4}[ \t]*")
"""How a line of a quote begins."""
BEFORE = re.compile(r"[ \t>]*")
"""What may stand before the backticks on their line, and goes with them."""
CLOSING = re.compile(r"[\s>]*```(?!`)")
JUST_OPENED = re.compile(r"[A-Za-z0-9_+.#-]*\s*")
"""All that stands behind the backticks of a block that holds nothing yet: looked for there alone, and not at every
blank.
"""
INDENTED = re.compile(r"[ \t\n]*[ \t](?=\S)")
"""How a text goes on whose first line is indented."""
BORDERS = tuple(map(re.compile, (r"\n{2,}", r"\n", r"\. |[。！？…]+[」』）】〉》”’]*", r"[ \u3000、，]")))
"""Where a text may be cut, best first; the border stays with what is before it. East Asian texts have no blanks."""
VEIL, ON = "||", ">>> "
SPOILER = re.compile(r"\|\|(?=[\s\S])[\s\S]+?\|\|")
"""Discord takes the nearest bars for the closing ones; between them stands something."""
INLINE = re.compile(r"(`+)[^`]+\1(?!`)")
QUOTED_ON = re.compile(r"^>>> (?=\s*\S)", re.MULTILINE)
LEAST = 3
"""A border in the first third of the room is not worth a message: a worse one further on is taken."""


class Fence(NamedTuple):
    """A code block, from where its line begins, or its backticks, to behind those that close it; and how it is opened
    again and closed. `inside` is where what it holds begins. One that nothing closes ends behind the text.
    """

    start: int
    inside: int
    end: int
    opening: str
    closing: str


class Marks(NamedTuple):
    """Where spoilers begin and end, bars among them, and from where on all is quoted, if anything is."""

    spoilers: tuple[tuple[int, int], ...] = ()
    quoted: int | None = None

    @property
    def room(self) -> int:
        """What is to be kept free in every part."""
        return 2 * len(VEIL) * bool(self.spoilers) + len(ON) * (self.quoted is not None)

    def around(self, part: str, begun: int, end: int) -> str:
        """A part of the text from `begun` to `end`, with what is open there."""
        if self._veiling(begun) is not None:
            quote = QUOTED.match(part)
            inside = 0 if quote is None else quote.end()
            part = f"{part[:inside]}{VEIL}{part[inside:]}"
        if self._veiling(end) is not None:
            part += VEIL
        return ON + part if self.quoted is not None and self.quoted < begun else part

    def behind_veil(self, at: int) -> int:
        """Behind the bars that close a spoiler of which nothing else is left: they were set at the cut."""
        veil = self._veiling(at)
        return veil[1] if veil is not None and at >= veil[1] - len(VEIL) else at

    def beside_veil(self, text: str, at: int, cut: int) -> int:
        """The cut, or one that goes through no bars, and leaves nothing empty hidden."""
        for start, end in self.spoilers:
            if at < start < cut <= end and not text[start + len(VEIL) : cut].strip():
                return start
            if end - len(VEIL) <= cut < end:
                return end
        return cut

    def _veiling(self, at: int) -> tuple[int, int] | None:
        """The spoiler that a cut at this place goes through."""
        return next((each for each in self.spoilers if each[0] < at < each[1]), None)


def split(text: str, limit: int = LIMIT) -> list[str]:
    """The messages of an answer, each of 1 to `limit` characters; none where there is nothing to say.

    Without the fences and the spaces that were added or taken at the cuts, they are the text.
    """
    return [part for part in _parts(text.strip(), limit) if part.strip()]


def so_far(text: str) -> str:
    """An answer that is still growing, without a code block that was opened just now and holds nothing yet; what may
    become a spoiler is one already.
    """
    opened = text.rfind(TICKS)
    is_empty = text.count(TICKS) % 2 == 1 and JUST_OPENED.fullmatch(text, opened + len(TICKS)) is not None
    shown = text[:opened].rstrip() if is_empty else text
    return _veiled(shown) if VEIL in shown else shown


def _veiled(text: str) -> str:
    """The same with the bars that close a spoiler which is still open."""
    shown = _bare(text)
    behind = max((found.end() for found in SPOILER.finditer(shown)), default=0)
    opened = shown.find(VEIL, behind)
    if opened < 0:
        return text
    return f"{text}{VEIL}" if text[opened:].strip("| \n\t") else text[:opened].rstrip()


def _parts(text: str, limit: int) -> Iterator[str]:
    if len(text) <= limit:
        marks = Marks()
    else:
        marks = _marks(text)
        limit = max(limit - marks.room, limit // 2)
    yield from _cut_up(text, limit, marks)


def _cut_up(text: str, limit: int, marks: Marks) -> Iterator[str]:
    """The parts, each with what was open where it begins and closed where it ends: up to `marks.room` more."""
    fences = _fences(text)
    end = "".join(_closed(each) for each in fences if each.end > len(text))
    at = 0
    while (at := marks.behind_veil(at)) < len(text):
        begun, head = at, _reopened(_open_at(fences, at), limit)
        if len(head) + len(text) - at + len(end) <= limit:
            yield marks.around(head + text[at:] + end, begun, len(text))
            return
        cut = at + _cut(text[at : at + limit + 1], limit - len(head) - _room(fences, at, limit))
        cut = _at_margin(text, fences, at, _beside_fences(text, fences, at, cut))
        cut = marks.beside_veil(text, at, cut)
        piece, fence = text[at:cut].rstrip(), _open_at(fences, cut)
        at = _behind(text, cut, fence)
        if piece:
            yield marks.around(head + piece + ("" if fence is None else _closed(fence)), begun, cut)


# -- what else may be cut ----------------------------------------------------------------------------------------------


def _marks(text: str) -> Marks:
    """Those of a text."""
    shown = _bare(text)
    quoted = QUOTED_ON.search(shown)
    return Marks(tuple(map(_span, SPOILER.finditer(shown))), None if quoted is None else quoted.end())


def _bare(text: str) -> str:
    """A text as long, without what stands in code: there nothing is a mark."""
    bare = list(text)
    for start, end in (*((each.start, each.end) for each in _fences(text)), *map(_span, INLINE.finditer(text))):
        bare[start:end] = "`" * len(bare[start:end])
    return "".join(bare)


def _span(found: re.Match[str]) -> tuple[int, int]:
    return found.start(), found.end()


# -- code blocks -------------------------------------------------------------------------------------------------------


def _fences(text: str) -> list[Fence]:
    marks = [found.start() for found in re.finditer(TICKS, text)]
    pairs = zip(marks[::2], marks[1::2], strict=False)
    fences = [_fence(text, opened, closed + len(TICKS)) for opened, closed in pairs]
    if len(marks) % 2 and UNCLOSED.match(text, marks[-1]):
        fences.append(_fence(text, marks[-1], len(text) + 1))
    return fences


def _fence(text: str, opened: int, end: int) -> Fence:
    line = text.rfind("\n", 0, opened) + 1
    start = line if BEFORE.fullmatch(text, line, opened) else opened
    quote = text[line:opened] if QUOTED.fullmatch(text, line, opened) else ""
    language = LANGUAGE.match(text, opened + len(TICKS))
    inside = opened + len(TICKS) + (len(language[0]) + 1 if language else 0)
    return Fence(start, inside, end, f"{quote}{TICKS}{language[0] if language else ''}", f"{quote}{TICKS}")


def _open_at(fences: Sequence[Fence], at: int) -> Fence | None:
    """The block that a cut at this place goes through."""
    return next((each for each in fences if each.inside <= at < each.end), None)


def _closed(fence: Fence) -> str:
    return f"\n{fence.closing}"


def _reopened(fence: Fence | None, limit: int) -> str:
    """How a message goes on inside a block. A language that would leave no room for the code is left out."""
    if fence is None:
        return ""
    opening = fence.opening if len(fence.opening) + len(fence.closing) < limit // 2 else fence.closing
    return f"{opening}\n"


def _room(fences: Sequence[Fence], at: int, limit: int) -> int:
    """How much to keep free for closing a block that may be open at the cut."""
    near = [len(_closed(each)) for each in fences if each.start < at + limit and each.end > at]
    return min(max(near), limit // 2) if near else 0


# -- the cut -----------------------------------------------------------------------------------------------------------


def _cut(text: str, room: int) -> int:
    """Where to cut, within the room: after the best border that leaves a message worth sending."""
    room = max(room, 1)
    window = text[: room + 1]
    for border in BORDERS:
        for found in reversed(list(border.finditer(window, room // LEAST))):
            cut = min(found.end(), room)
            if 0 < found.start() + len(found[0].rstrip()) <= cut and not is_within(text, cut):
                return cut
    return last_border(text, room)


def _beside_fences(text: str, fences: Sequence[Fence], at: int, cut: int) -> int:
    """The cut, or one before it that goes through no backticks and leaves no block with nothing in it behind."""
    opened = next((each for each in fences if each.start < cut <= each.end), None)
    if opened is not None and at < opened.start and not text[opened.inside : cut].strip(" \t\n>"):
        return opened.start
    first = cut
    while first > at and text[first - 1 : first] == "`":
        first -= 1
    if first == cut or text[cut : cut + 1] != "`":
        return cut
    return first if first > at else at + max((cut - at) // len(TICKS) * len(TICKS), 1)


def _at_margin(text: str, fences: Sequence[Fence], at: int, cut: int) -> int:
    """The cut, or one before it behind which the line is not indented: Discord takes the blanks off a message, and what
    was nested would be so no more. Where no message worth sending comes of that, it stays; in a block it may.
    """
    line = cut
    while "\n" in text[line - 1 : line + 1] and INDENTED.match(text, line) and _open_at(fences, line) is None:
        line = text.rfind("\n", at, line - 1) + 1
        if line - at < max((cut - at) // LEAST, 1):
            return cut
    return line if _open_at(fences, line) is None else cut


def _behind(text: str, cut: int, fence: Fence | None) -> int:
    """Where the next message goes on: behind the spaces at the cut, and behind the end of a block of which nothing else
    is left.
    """
    if fence is not None:
        closing = CLOSING.match(text, cut)
        if closing is None or closing.end() != fence.end:
            return cut + text.startswith("\n", cut)
        cut = fence.end
    rest = text[cut:]
    return cut + len(rest) - len(rest.lstrip("\n" if text[cut - 1] == "\n" else None))
