"""From a summary as an importer gives it to the decision that records it: its place, its session, who could read it."""

from dnam.importers.source import ImportedSummary
from dnam.secrets import without_secrets
from projections.decisions.draft import Draft
from projections.decisions.imported import ImportSummaryRequest, heard_in, import_summary, is_mixed
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen, place_ref, session_of
from projections.events.values import Audience
from projections.ids import Handle, Ref
from projections.places import audience_of
from projections.policies.instructions import InstructionWords
from projections.rows import Rows
from projections.summaries import era_of


def is_heard(rows: Rows, seen: PlaceSeen, said: int) -> bool:
    """Whether anything that a summary can cover was heard in a place by then (ms)."""
    audience = audience_of(rows, place_ref(seen))
    return bool(heard_in(rows, session_of(seen), 0 if audience is None else audience.epoch, said))


def was_narrower(rows: Rows, seen: PlaceSeen, said: int) -> bool:
    """Whether fewer could read what a summary may cover than can read its place now."""
    audience = audience_of(rows, place_ref(seen))
    return audience is not None and is_mixed(rows, session_of(seen), audience, said)


def in_dm(platform: str, partner: Account) -> PlaceSeen:
    """Somebody's DM with the assistant."""
    return PlaceSeen(platform, "", "direct", "", "direct", partner=partner)


def place_of_summary(summary: ImportedSummary) -> PlaceSeen:
    """The place of a session key, `discord:channel:123`; who could read it is not in it, so it counts as restricted."""
    platform, kind, key = summary.session_key.split(":", 2)
    if summary.account is not None:
        return in_dm(platform, summary.account)
    return PlaceSeen(platform, key, "thread" if kind == "thread" else "channel", "", "channel", told=False)


def record_summary(
    rows: Rows, summary: ImportedSummary, seen: PlaceSeen, person: Handle, words: InstructionWords
) -> list[Draft]:
    """What a summary becomes in a place: of the audience and the era that are known of it."""
    ref: Ref = place_ref(seen, person)
    audience = audience_of(rows, ref) or Audience(seen.audience, ref)
    session = session_of(seen, person)
    request = ImportSummaryRequest(
        key=summary.session_key,
        session=session,
        audience=audience,
        era=era_of(rows, session, audience.epoch),
        text=without_secrets(summary.summary),
        updated=summary.updated,
        person=person,
        words=words,
    )
    return import_summary(rows, request)
