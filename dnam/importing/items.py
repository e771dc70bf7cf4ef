"""From an item as an importer gives it to the decision that records it: whose it is, and in which compartment."""

from dnam.importers.source import ImportedItem, Where
from dnam.secrets import without_secrets
from projections.decisions.imported import ImportItemRequest
from projections.events.values import Source
from projections.ids import Handle, Ref
from projections.policies.compartments import direct, everywhere, in_channel, in_guild, of_person_in
from projections.policies.guards import Guarding


def item_request(
    item: ImportedItem, person: Handle, author: Handle, *, portable: bool, cap: int, guarding: Guarding
) -> ImportItemRequest:
    """The request for an item of this person's, or of nobody's, by what this author said. `portable` widens what its
    program has no level for.
    """
    return ImportItemRequest(
        user=item.user,
        owner=person,
        compartment=everywhere(person) if portable and item.portable else compartment_of(item.where, person),
        id=item.id,
        kind=without_secrets(item.kind),
        text=without_secrets(item.text),
        status="active" if item.status == "active" else "deprecated",
        created=item.created,
        updated=item.updated,
        source=_source(item.source),
        tags=tuple(map(without_secrets, item.tags)),
        hits=item.hits,
        last_hit=item.last_hit,
        cap=cap,
        program=item.program,
        key=item.key,
        dated=item.dated,
        about=item.about,
        type=item.type,
        confidence=item.confidence,
        quote=without_secrets(item.quote),
        message_said=item.message_said,
        source_count=item.source_count,
        row=item.row,
        guarding=guarding,
        author=author,
    )


def _source(source: Source) -> Source:
    """The source, where what it calls a place or a message is no secret."""
    return Source(source.type, _ref(source.place), _ref(source.message), _ref(source.guild))


def _ref(ref: Ref | None) -> Ref | None:
    return ref and Ref(ref.platform, without_secrets(ref.key))


def compartment_of(where: Where, person: Handle) -> str:
    """The compartment of a level, for this person or, without one, for nobody."""
    match where:
        case Where("channel", Ref() as place):
            return of_person_in(person, place) if person else in_channel(place)
        case Where("guild", Ref() as place):
            return in_guild(place)
        case Where("everywhere") if person:
            return everywhere(person)
        case Where("self" | "owner" as layer) if not person:
            return layer
        case _:
            assert person, "what is nobody's is of a guild, a channel, the assistant or the owner"
            return direct(person)
