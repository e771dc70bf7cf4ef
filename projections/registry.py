"""Every projection there is. To add one: write its file, list it here."""

from projections.calls import CALLS
from projections.config import CONFIG, CONFIG_GIVEN
from projections.consent import CONSENT_CHANGES, ERASED, OPTED_OUT
from projections.derived import DERIVED
from projections.fold import AnyProjection, Fold
from projections.fruitless import FRUITLESS
from projections.gaps import GAPS
from projections.imports import IMPORTS
from projections.items import FORGOTTEN, ITEMS, QUIET, REFUSALS
from projections.messages import MESSAGES, RESPOKEN, SPOKEN
from projections.models import RESOLVED
from projections.notices import NOTICES
from projections.people import ACCOUNTS, NAMES, NOTES, PEOPLE
from projections.places import AUDIENCES, PLACES, SESSIONS
from projections.snapshots import SNAPSHOTS
from projections.summaries import SUMMARIES, SUMMARY_ATTEMPTS
from projections.turns import ASKED, DELIVERIES, FAILED, SENT, TURN_PLACES, TURNS
from projections.work import EXTRACTION_ATTEMPTS, EXTRACTIONS, WORK

PROJECTIONS: tuple[AnyProjection, ...] = (
    MESSAGES,
    SPOKEN,
    RESPOKEN,
    TURNS,
    TURN_PLACES,
    ASKED,
    FAILED,
    DELIVERIES,
    SENT,
    ITEMS,
    REFUSALS,
    FORGOTTEN,
    QUIET,
    SUMMARIES,
    SUMMARY_ATTEMPTS,
    EXTRACTIONS,
    EXTRACTION_ATTEMPTS,
    WORK,
    FRUITLESS,
    ACCOUNTS,
    PEOPLE,
    NAMES,
    NOTES,
    NOTICES,
    SNAPSHOTS,
    PLACES,
    AUDIENCES,
    SESSIONS,
    CONFIG,
    CONFIG_GIVEN,
    IMPORTS,
    CALLS,
    RESOLVED,
    OPTED_OUT,
    CONSENT_CHANGES,
    ERASED,
    DERIVED,
    GAPS,
)

FOLD = Fold(PROJECTIONS)
