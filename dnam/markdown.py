"""People's words among a bot's own, where Discord makes markdown of both: nobody's words may look like the bot's, hide
where a link leads, or swallow what stands behind them.

https://support.discord.com/hc/en-us/articles/210298617 says what Discord makes of which signs.
"""

import re

_SIGNS = re.compile(r"(?P<address>https?://[^\s<>()\[\]\\*~|`]+)|[\\*_~|`\[\]()<>]")
"""An address is shown as it is; nothing in it that is left alone formats anything."""
_FENCE = re.compile("`{2,}")
_SPOILER = re.compile(r"\|(?=\|)")
_HEADING = re.compile(r"^(\s*)(#{1,3}\s)", re.MULTILINE)


def escaped(text: str) -> str:
    """Somebody's words as Discord shows them literally, where something stands before them on their line."""
    return _SIGNS.sub(lambda found: found[0] if found["address"] else f"\\{found[0]}", text)


def tamed(text: str) -> str:
    """A text of the bot's own that quotes people, without what it never uses itself: links whose words hide where they
    lead, code fences, spoilers, headings.
    """
    without = _FENCE.sub(lambda found: "'" * len(found[0]), text.replace("](", "]\\("))
    return _HEADING.sub(r"\1\\\2", _SPOILER.sub(r"|\\", without))
