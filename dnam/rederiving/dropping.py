"""What is under way at the API for a shadow that is to be removed, or of which words were taken back: batches, which go
on being answered and paid for.
"""

from pathlib import Path
from typing import NamedTuple

from dnam.failures import Tell
from dnam.model import ModelError
from dnam.models import access_of
from dnam.rederiving.models import BOOK
from dnam.settings import Settings
from dnam.shadows.manifest import checked
from replay.shadows.shadow import shadow_folder, shadows_in

NO_KEY = "there is no key here (ANTHROPIC_API_KEY)"


class CalledBack(NamedTuple):
    """How many batches were cancelled, and which go on, with `why`; more of a batch may be answered by then."""

    cancelled: int = 0
    going: tuple[str, ...] = ()
    why: str = ""

    @property
    def words(self) -> str:
        """What goes on, and why; nothing where nothing does."""
        if not self.going:
            return ""
        return f"not cancelled at the API, where they may go on and cost: {', '.join(self.going)}. {self.why}"


def batches_under_way(data: Path, name: str, tell: Tell) -> tuple[str, ...]:
    """The batches that were sent for a shadow and have not ended, as far as its book knows; `tell` hears where that
    cannot be read.
    """
    from dnam.adapters.anthropic.batch_book import Book, DamagedBook

    try:
        entries = Book(shadow_folder(data, checked(name)) / BOOK).entries
    except DamagedBook as error:
        tell(f"{error}. Batches that it knows of, if any, go on at the API")
        return ()
    return tuple(each.id for each in entries if each.state == "sent")


async def cancel_batches(data: Path, settings: Settings, name: str, tell: Tell) -> int:
    """Cancel them, and say how many there were left to cancel. ModelError where the API does not take it."""
    from dnam.adapters.anthropic.batches import Batches

    batches = Batches(access_of(settings), shadow_folder(data, checked(name)) / BOOK, tell=tell)
    try:
        await batches.prepare()
        return await batches.cancel()
    finally:
        await batches.close()


async def call_back(data: Path, settings: Settings, name: str, tell: Tell) -> CalledBack:
    """Cancel what is under way for a shadow, where there is a key and the API takes it."""
    going = batches_under_way(data, name, tell)
    if not going:
        return CalledBack()
    if not settings.anthropic_api_key:
        return CalledBack(0, going, NO_KEY)
    try:
        return CalledBack(await cancel_batches(data, settings, name, tell))
    except ModelError as error:
        return CalledBack(0, going, str(error))


async def call_all_back(data: Path, settings: Settings, tell: Tell) -> CalledBack:
    """The same for every shadow of a memory: what was taken back may stand in the questions that were sent."""
    found = [await call_back(data, settings, name, tell) for name in shadows_in(data)]
    going = tuple(batch for each in found for batch in each.going)
    why = ". ".join(dict.fromkeys(each.why for each in found if each.why))
    return CalledBack(sum(each.cancelled for each in found), going, why)
