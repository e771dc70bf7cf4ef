"""The form of a prompt, and how text from people is quoted in it.

    prompt  = block *( "\\n\\n---\\n" block )
    block   = title "\\n" body                                  eight titles, each at most once, in the order of TITLES
    body    = entry *( "\\n" entry )
    entry   = "- " path                                        Context files
            | "- [" kind "] " text " (src: " source ", updated " date ")"      Durable memory; on one line
            | "- " name ": [" kind "] " text " (src: " source ", updated " date ")"   People in the room; on one line
            | "- " date [ " " link ] 1*( "\\n[" name "]: " lines )   Relevant past conversations
            | "[" name "]: " lines                             Recent conversation, Replied-to message
            | lines                                            Conversation memory, User message
    lines   = line *( "\\n  " line )

So whatever comes from people begins behind a prefix that dnam wrote, or two spaces in: no line of theirs starts in
column 0, none is empty, and nothing they write can be taken for a separator, a title or a line of somebody else. One
exception reads better than the rule: the first line of a summary or of the user's message starts in column 0, as in the
documents, when it begins with a letter, a digit or `@` and not with what looks like the words of a title.

The actions block is the operator's own text, is last, and stands as it was written.
"""

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from projections.lookalikes import plain_text
from projections.people import SOMEONE

BlockName = Literal["files", "durable", "room", "summary", "past", "recent", "replied", "message", "actions"]

TITLES: Mapping[BlockName, str] = MappingProxyType(
    {
        "files": "Context files (read with Read tool before responding, in order):",
        "durable": "Durable memory (user-specific notes; may be empty):",
        "room": "People in the room (what everyone here could know of them):",
        "summary": "Conversation memory (rolling summary; may be empty):",
        "past": "Relevant past conversations:",
        "recent": "Recent conversation:",
        "replied": "Replied-to message:",
        "message": "User message:",
        "actions": "Discord Actions:",
    }
)
SEPARATOR = "\n\n---\n"
INDENT = "  "
NAME_CHARS = 32
"""The most code points of a name."""

_UNSHOWN = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_COLON = re.compile("[:\ufe55\uff1a\u2236\ua789\ufe13\u02f8\u05c3]")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9]+(?: [A-Za-z0-9]+)*")
_OPENING = re.compile(r"[^\W_]|@")
_ALIKE = str.maketrans("l10", "iio", "\u115f\u1160\u3164\uffa0")
"""Letters and digits that only a font tells apart; and letters to Unicode of which nothing shows."""
_ESCAPED = re.compile(r"\\\\|(?<=[^\x00-\x7f])\\u200[cd](?=[^\x00-\x7f])|(?<=\U0001f3f4)(?:\\U000e00[2-7][0-9a-f])+")
"""In a text with its escapes: a backslash of its own, what joins two characters, and what a flag is spelled with."""
_REMOVED = frozenset({"Cc", "Cf", "Cs", "Ps", "Pe"})
_JOINERS = frozenset("\u200c\u200d")
"""They are of the class of the bidi marks, and Persian, Hindi and emoji are not spelled without them."""


def visible(text: str) -> str:
    """The text with U+FFFD for every control character but the tab, for halves of surrogate pairs, and for what turns
    the direction of the text behind it: a line must not read as another one than it is.
    """
    return text if text.isprintable() else _UNSHOWN.sub("\ufffd", text)


def one_line(text: str) -> str:
    """The text on one line: runs of white space are one space."""
    return visible(" ".join(text.split()))


def in_quotes(text: str) -> str:
    """The text between quotes, for what is told of it: what does not show is escaped, so that it can be told from what
    looks the same, but for what joins emoji and the letters of scripts that are spelled with it.
    """
    return _ESCAPED.sub(lambda found: _unescaped(found[0]), repr(text))


def _unescaped(escape: str) -> str:
    return escape if escape == "\\\\" else "".join(chr(int(each, 16)) for each in re.split(r"\\[uU]", escape)[1:])


def lines_of(text: str) -> list[str]:
    """The lines of a text, whatever ends a line where it comes from; no empty text is without a line."""
    if text.isprintable():  # then nothing in it ends a line, and nothing is made visible
        return [text]
    return [visible(line) for line in text.splitlines()] or [""]


def indented(text: str) -> str:
    """The text for behind a prefix: every line but the first is two spaces in."""
    return text if text.isprintable() else f"\n{INDENT}".join(lines_of(text))


def opening(text: str) -> str:
    """The text as the body of a block; the first line is indented too where it might look like the prompt's own."""
    quoted = indented(text)
    return quoted if _is_plain(quoted) else INDENT + quoted


def _is_plain(quoted: str) -> bool:
    return _OPENING.match(quoted) is not None and not _skeleton(quoted.partition("\n")[0]).startswith(_TITLES)


def _skeleton(line: str) -> str:
    """What a line looks like to a reader who passes over spaces and signs: its letters and digits, told apart no finer
    than eyes do.
    """
    return "".join(each for each in plain_text(line).translate(_ALIKE) if each.isalnum())


_TITLES = tuple(_skeleton(re.split(r" \(|:", title)[0]) for title in TITLES.values())


def label(text: str) -> str:
    """The text on one line without brackets, control and bidi characters; may be empty."""
    if text.isascii() and text.isalnum():
        return text  # most ids, kinds and names: nothing in them could go
    kept = (each for each in " ".join(text.split()) if _is_kept(each))
    return " ".join("".join(kept).split())


def _is_kept(character: str) -> bool:
    if character in "<>":
        return False
    return character in _JOINERS or unicodedata.category(character) not in _REMOVED


def line_name(name: str) -> str:
    """A name as it may stand in a prompt: a label of at most 32 code points without a colon, which would make it look
    like a name and what it says, or brackets, which are dnam's (`marked`); "someone" when none of it shows.
    """
    if len(name) <= NAME_CHARS and _PLAIN_NAME.fullmatch(name):
        return name  # most names: nothing in them could go
    bare = "".join(each for each in name if "(" not in unicodedata.normalize("NFKC", each))  # as U+2475 has them
    short = label(_COLON.sub(" ", bare))[:NAME_CHARS].rstrip()
    return short if any(unicodedata.category(each)[0] not in "CMZ" for each in short) else SOMEONE


def speaker_name(name: str, assistant: str) -> str:
    """The name of somebody else than the assistant: who goes by the assistant's name has "user" before it. Nobody goes
    by the name of an assistant that is given none.
    """
    shown = line_name(name)
    return line_name(f"user {shown}") if assistant and alike(shown) == alike(line_name(assistant)) else shown


def marked(name: str, mark: str) -> str:
    """A name with a word of dnam's in brackets. Nobody can go by such a name: `line_name` leaves no brackets in one."""
    return f"{name} ({mark})"


def alike(name: str) -> str:
    """What two names have in common that look the same."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    bare = plain.replace(" ", "")
    if bare.isalnum():
        return bare
    return "".join(each for each in plain if each.isalnum()) or plain
