"""Whose key seals an event: a table from the event to a home, before its causes are added (design §5).

What one person said goes to their own vault, answers and summaries of a session to that session's vault of the era,
anything else that is shared to the vault of exactly the set of people it draws on. The engine adds the people of the
causes' vaults: so a forward is sealed for who said it, too. What the assistant said without a turn (an import) lies
with its answers. What somebody wrote down as nobody's (lore) is in their words, and goes with them.
"""

from typing import NamedTuple

from projections.events import (
    UNSEALED_TAGS,
    ConfigSet,
    Event,
    ImportBegan,
    ImportEnded,
    ItemEvent,
    ItemRefused,
    ItemRemembered,
    ItemUpserted,
    JobFailed,
    MessageDeleted,
    MessageEdited,
    MessageHeard,
    ModelResolved,
    PlaceAudienceChanged,
    PlaceDescribed,
    ReplyWithdrawn,
    SummaryAnswered,
    SummaryFailed,
    SummaryRefreshed,
    SummaryReset,
    SummaryReverted,
    SummaryWithheld,
    TextsEncoded,
    ToolCalled,
    TurnAnswered,
    TurnDelivered,
    TurnFailed,
    TurnInterrupted,
    TurnQuieted,
    TurnWithdrawn,
)
from projections.events.items import ItemGone
from projections.events.people import PersonEvent
from projections.events.values import Audience, Message
from projections.events.work import WorkEvent
from projections.ids import NOBODY, Handle


class Home(NamedTuple):
    """Where an event's body belongs.

    With an `era` label, the vault of that session's era, after the people were added. Without, the vault of exactly
    `people` and those of the causes; where that set is empty, the vault named by `label`. `sealed` is False for the
    unsealed tags.
    """

    people: frozenset[Handle] = frozenset()
    label: str = ""
    era: bool = False
    sealed: bool = True


def _people(*people: Handle) -> frozenset[Handle]:
    return frozenset(person for person in people if person)


def _session(session: str, audience: Audience, era: int, *people: Handle) -> Home:
    if audience.kind == "direct":
        return Home(_people(*people), f"session {session}")
    return Home(_people(*people), f"session {session} {audience.epoch} {era}", era=True)


def _message(message: Message, era: int) -> Home:
    """A person's words are theirs alone; a DM's partner counts for whatever else is said in it."""
    if message.author == "person":
        return Home(_people(message.speaker), f"place {message.place}")
    partner = partner_of(message.audience)
    if message.author == "self":
        return _session(message.session, message.audience, era, partner)
    return Home(_people(partner), f"place {message.place}")


def partner_of(audience: Audience) -> Handle:
    """Whose DM it is, from its place `dm:<handle in hex>`; NOBODY where it is none."""
    return Handle(bytes.fromhex(audience.place.key.removeprefix("dm:"))) if audience.kind == "direct" else NOBODY


def home(event: Event) -> Home:
    """The home of an event by its own words; its causes widen the set of people, and never the kind of vault."""
    if event.TAG in UNSEALED_TAGS:
        return Home(sealed=False)
    match event:
        case MessageHeard(message=message, era=era) | MessageEdited(message=message, era=era):
            return _message(message, era)
        case MessageDeleted(session=session):
            return Home(label=f"session {session}")
        case PlaceDescribed(place=place, person=person):
            return Home(_people(person), f"place {place}")
        case PlaceAudienceChanged(place=place):
            return Home(label=f"place {place}")
        case ToolCalled(asker=person, compartment=compartment) if compartment:
            return Home(_people(person), f"compartment {compartment}")
        case (
            TurnAnswered(session=session, audience=audience, era=era, asker=person)
            | TurnFailed(session=session, audience=audience, era=era, asker=person)
            | TurnInterrupted(session=session, audience=audience, era=era, asker=person)
            | TurnDelivered(session=session, audience=audience, era=era, asker=person)
            | TurnWithdrawn(session=session, audience=audience, era=era, asker=person)
            | TurnQuieted(session=session, audience=audience, era=era, asker=person)
            | ToolCalled(session=session, audience=audience, era=era, asker=person)
            | SummaryRefreshed(session=session, audience=audience, era=era, person=person)
            | SummaryFailed(session=session, audience=audience, era=era, person=person)
            | SummaryReset(session=session, audience=audience, era=era, person=person)
            | SummaryReverted(session=session, audience=audience, era=era, person=person)
            | SummaryAnswered(session=session, audience=audience, era=era, person=person)
        ):
            return _session(session, audience, era, person)
        case SummaryWithheld(session=session, person=person):  # nobody's words, and no era's
            return Home(_people(person), f"session {session}")
        case ItemRemembered(item=item, by=by) | ItemUpserted(item=item, by=by) if not (item.owner or item.evidence):
            return Home(_people(by.person), f"compartment {item.compartment}")
        case ItemEvent(item=item):
            return Home(_people(item.owner), f"compartment {item.compartment}")
        case ReplyWithdrawn(session=session, audience=audience, era=era, person=person) if audience is not None:
            return _session(session, audience, era, person)
        case (
            ItemRefused(owner=owner, compartment=compartment)
            | ItemGone(owner=owner, compartment=compartment)
            | WorkEvent(owner=owner, compartment=compartment)
            | ReplyWithdrawn(owner=owner, compartment=compartment)
        ):
            return Home(_people(owner), f"compartment {compartment}")
        case PersonEvent(person=person):
            return Home(_people(person))
        case ConfigSet(scope=scope, person=person):
            return Home(_people(person), f"scope {scope}")
        case JobFailed(person=person):
            return Home(_people(person), "jobs")
        case TextsEncoded(person=person):
            return Home(_people(person), "encoders")
        case ModelResolved():
            return Home(label="models")
        case ImportBegan() | ImportEnded():
            return Home(label="imports")
        case _:
            return Home(label="unplaced")
