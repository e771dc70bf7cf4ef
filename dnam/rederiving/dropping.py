"""What is under way for a shadow that is to be removed: batches at the API, which go on being answered and paid for."""

from pathlib import Path

from dnam.failures import Tell
from dnam.models import access_of
from dnam.rederiving.models import BOOK
from dnam.settings import Settings
from dnam.shadows.manifest import checked
from replay.shadows.shadow import shadow_folder


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
