"""Whom a message of DiscordChatExporter's names: by an id, or by a name as the exporter shows it."""

import re
from collections.abc import Sequence

from dnam.importers.discord_form import User, author_kind
from projections.decisions.hear import Mention

A_NAME = r"(?<![\w@])@(?!(?:everyone|here|someone)\b)\w+"


def cut_mentions(content: str, users: tuple[User, ...], assistants: Sequence[str]) -> tuple[str, tuple[Mention, ...]]:
    """The text without the people it names, and who they are, at which code point of what remains.

    A bot is no person: it stays in the text as `@Name`. So does a name that two of the mentioned share.
    """
    if "@" not in content:
        return content, ()
    by_id, by_label = {user.id: user for user in users}, _labels(users)
    text, mentions, done = "", [], 0
    for found in _mention_pattern(by_label).finditer(content):
        text += content[done : found.start()]
        done = found.end()
        user = by_label[found["label"]] if found["label"] else by_id.get(found["id"]) or User(found["id"])
        if author_kind(user, assistants) == "person":
            mentions.append(Mention(len(text), user.account))
        else:
            text += f"@{user.shown or user.id}"
    return text + content[done:], tuple(mentions)


def unnamed(content: str, users: tuple[User, ...]) -> str:
    """A text from elsewhere. Whoever it mentions is not named here: nobody of this place said it. Where the exporter
    wrote a name itself, nothing tells how far it goes: who is mentioned beside it is known, of others a word goes.
    """
    pattern = f"{_mention_pattern(_labels(users)).pattern}|{A_NAME}"
    return re.sub(pattern, "@someone", content)


def _labels(users: tuple[User, ...]) -> dict[str, User]:
    """Who is meant by which name. The exporter shows nicknames; a plain name counts where it is nobody's nickname."""
    labels: dict[str, User] = {}
    for names in ([user.nickname for user in users], [user.name for user in users]):
        for name, user in zip(names, users, strict=True):
            if name and names.count(name) == 1:
                labels.setdefault(name, user)
            elif name:
                labels.pop(name, None)
    return labels


def _mention_pattern(labels: dict[str, User]) -> re.Pattern[str]:
    longest_first = sorted(labels, key=len, reverse=True)
    names = "|".join(map(re.escape, longest_first))
    # "@Kim" is not meant in "@Kimberly".
    return re.compile(r"<@!?(?P<id>[0-9]{1,20})>" + (rf"|@(?P<label>{names})(?!\w)" if names else "|(?P<label>(?!))"))
