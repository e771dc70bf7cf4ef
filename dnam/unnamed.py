"""What a person asks to keep names nobody by an id: an item is its owner's, and whom it names would be in it for good,
erased or not. So whom Discord's marks stand for is "someone" there.
"""

import re

from projections.people import SOMEONE

_MARK = re.compile(r"<(?P<kind>@!?|@&|#)[0-9]{1,20}>")
_WORDS = {"@": SOMEONE, "@!": SOMEONE, "@&": "a role", "#": "a channel"}
NOTE = f'I keep no mentions of others: it says "{SOMEONE}" there.'
"""What is said where words were changed."""


def unnamed(text: str) -> str:
    """The text without an id that a platform gave."""
    return _MARK.sub(lambda found: _WORDS[found["kind"]], text)


def noted(text: str) -> str:
    """A line that says so, where `unnamed` takes somebody out."""
    return f"\n{NOTE}" if any(_WORDS[each["kind"]] == SOMEONE for each in _MARK.finditer(text)) else ""
