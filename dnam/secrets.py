"""Secrets are taken out of what people say before it is an event, and before any model reads it.

Everything that is heard goes through `redacted`: Discord, the terminal, the library, imports and edits, by way of
`whereabouts.with_handles`; what cannot be recorded yet and is answered all the same, by way of `Exchanges.hear`. An
imported item or summary goes through `without_secrets`; so do the names of people and places, also where nothing was
said yet (`account_without_secrets`, `place_without_secrets`). What somebody asks to keep, and holds a secret, is
refused with words (`projections/policies/guards.py`). A name is cut to what platforms let one have, wherever it comes
from: it stands in its person's or place's events for good, and in a prompt it has 32 characters. What another log of
dnam gives back was redacted there, and stays as it was.

The detector is a table of our own (`projections/policies/secret_shapes.py`, `secret_sentences.py`), because none of the
well-kept ones fits: detect-secrets 1.5.0 reads lines of source code, takes each word of a chat for a string of high
entropy, knows neither `nsec` nor a card nor "my password is …", and needs 0.5 to 1 ms for a short message and 13 ms for
one of 2,000 characters; gitleaks and trufflehog are programs of their own; presidio brings a language model. Ours takes
about 0.04 ms for a message of 130 characters, and 0.5 ms for one of 2,000.
"""

from functools import lru_cache
from string import whitespace

from dnam.guarding import all_spoken
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events.values import Attachment
from projections.policies.secrets import redact
from projections.remembered import of_people

JOINER = "\u200d"
MOST_NAME_CHARS = 100
"""The most code points of the name of a person or a place, as it is recorded. Discord's have no more: 32 and 100."""
_CALLED = 1024
"""How many names of places and guilds are kept."""


def without_secrets(text: str) -> str:
    """The text with a mark in the place of each secret."""
    return redact(text, all_spoken()).text


def redacted(request: HeardRequest) -> HeardRequest:
    """The message without secrets, also in what its files are called and said to show, and in the names of its people
    and places. Whom it names stays where they are named. Done twice, the second time nothing happens.
    """
    found = redact(request.text, all_spoken())
    return request._replace(
        place=place_without_secrets(request.place),
        speaker=account_without_secrets(request.speaker),
        text=found.text,
        mentions=tuple(
            each._replace(at=found.at(each.at), account=account_without_secrets(each.account))
            for each in request.mentions
        ),
        attachments=tuple(map(_described, request.attachments)),
    )


def account_without_secrets(account: Account) -> Account:
    """Somebody, under names without secrets, none longer than a name is. The id stays as it is: by it they are known
    again.
    """
    return account._replace(name=_name(account.name), username=_name(account.username))


def place_without_secrets(place: PlaceSeen) -> PlaceSeen:
    """A place under names without secrets, none longer than a name is: its own, its guild's, that of whose DM it is,
    and that of the channel that it hangs on.
    """
    return place._replace(
        name=_called(place.name),
        guild_name=_called(place.guild_name),
        partner=place.partner and account_without_secrets(place.partner),
        above=place.above and place_without_secrets(place.above),
    )


@of_people
@lru_cache(_CALLED)
def _called(name: str) -> str:
    """The name of a place or a guild, which comes with every message that is said there."""
    return _name(name)


def _name(text: str) -> str:
    """A name as it is recorded. One that is cut ends with a whole character, as far as that is one of several code
    points that are joined.
    """
    name = without_secrets(text)
    return name if len(name) <= MOST_NAME_CHARS else name[:MOST_NAME_CHARS].rstrip(f"{whitespace}{JOINER}")


def _described(attachment: Attachment) -> Attachment:
    return Attachment(without_secrets(attachment.name), attachment.size, without_secrets(attachment.caption))
