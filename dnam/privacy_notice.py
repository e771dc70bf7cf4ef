"""A privacy text from the settings in force: what is kept, who sees it, where it goes, how to make it forget.

It says what this program does and nothing else; whoever runs it adds who they are and by which law they go.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dnam import models
from dnam.commands.command import PREFIX
from dnam.meaning.encoders import sent_to
from dnam.scopes import scope_words
from dnam.settings import Settings
from projections.config import CONFIG
from projections.counting import counted
from projections.rows import Rows

LEARNS: Mapping[str, str] = {
    "addressed": "from what is said to it, and from what it answers",
    "heard": "from everything that it hears, also when nobody speaks to it",
    "none": "from nothing",
}
FORGETTING = (
    ("show", "shows what it remembers of you in this place"),
    (
        "forget <words or id>",
        "takes back what it remembers: it is not learned again from the same words, nor from words close to them as far"
        " as that is recognised. What you wrote stands until you delete it",
    ),
    ("share <id>, keep-private <id>", "says where something may be told"),
    ("export", "sends you everything that it has of you"),
    ("erase", "destroys everything that it has of you, at once and for good"),
    ("opt-out", "has it record nothing of what you say any more"),
    ("config set me learn=none", "has it learn nothing from you, and go on answering you"),
)
TO_EVERYBODY = (
    "These are for whom it answers. Whom it records in Discord and does not answer has `/memory opt-out`, `opt-in`,"
    " `export` and `erase`, which nobody else sees."
)


class Section(NamedTuple):
    """A heading, and what stands under it, one sentence a line."""

    title: str
    lines: tuple[str, ...]


def privacy_notice(rows: Rows, settings: Settings) -> tuple[Section, ...]:
    """The whole text, in the order in which it is read."""
    return (
        Section("What is recorded", tuple(_recorded(settings))),
        Section("What is learned", tuple(_learned(rows, settings))),
        Section("Who sees it", tuple(_seen(settings))),
        Section("Where it goes", tuple(_goes(settings))),
        Section("How long it is kept", tuple(_kept(rows, settings))),
        Section("What you can do", (*(f"`{PREFIX} {command}` {what}." for command, what in FORGETTING), TO_EVERYBODY)),
    )


def _recorded(settings: Settings) -> Iterator[str]:
    name = settings.assistant_name
    yield f"{name} records the messages that it can read, with who wrote them, where and when, and its own answers."
    yield "Passwords, keys and card numbers are taken out before a message is recorded, as far as they are recognised."
    yield "It is sealed on disk with a key for each person; destroying that key destroys what it sealed."
    yield "The views that it works with are clear text on that machine, and the keys lie beside them unless moved."


def _learned(rows: Rows, settings: Settings) -> Iterator[str]:
    name = settings.assistant_name
    if not (settings.memory_enabled and settings.durable_memory_enabled):
        yield f"{name} notes nothing about anybody: that is switched off."
        return
    if settings.learn == "none":
        yield f"{name} notes nothing about anybody, but where it says so below."
    else:
        most = settings.durable_max_items
        yield f"{name} notes facts about people, {LEARNS[settings.learn]}; at most {most} of each."
    for scope, value in _configured(rows, "learn"):
        yield f"In {scope} it learns {LEARNS.get(value, value)}."
    yield "Whoever is learned from by what they do not say to it is told so, once."


def _configured(rows: Rows, key: str) -> list[tuple[str, str]]:
    """Where a place has its own value; what a person chose for themself is nobody else's business."""
    found = (each.row for each in rows.scan(CONFIG) if each.row.key == key)
    places = [row for row in found if row.scope != "global" and not row.scope.startswith("person/")]
    return sorted((scope_words(rows, row.scope), row.value) for row in places)


def _seen(settings: Settings) -> Iterator[str]:
    yield "What you say where everybody of a server can read may be used there wherever everybody can read."
    yield "What you say in a restricted channel stays there; what you say in direct messages stays there."
    yield "A harmless fact that you stated outright may follow you everywhere, unless it was said in direct messages."
    if settings.memory_channel_id:
        yield "A transparency channel shows what is remembered of each person, as far as all of its readers may see it."
    yield "Whoever runs this program can read everything."


def _goes(settings: Settings) -> Iterator[str]:
    away = models.sent_to(settings)
    encoder = sent_to(settings)
    if away:
        yield f"To answer and to learn, messages and notes are sent to the provider of {', '.join(away)}."
    if encoder:
        yield f"To be found by their meaning, messages, notes and questions are sent to the provider of {encoder}."
    if away or encoder:
        yield "What was sent there, and what stands in Discord, cannot be taken back from here."
    else:
        yield "Nothing is sent to a model's provider: the model in use runs on this machine."


def _kept(rows: Rows, settings: Settings) -> Iterator[str]:
    days = settings.retention_days
    yield f"For {counted(days, 'day')}." if days else "Until it is taken back: no time limit is set."
    for scope, value in _configured(rows, "retention_days"):
        yield f"In {scope}: {'no time limit' if value == '0' else counted(int(value), 'day')}."
    yield "Backups and exports that were made before something was taken back hold it, until they are deleted."
