"""`!memory compact`: what was taken back leaves the disk now, and not at night. For the owner alone: it takes a while,
in which nothing is recorded.
"""

import asyncio

from dnam.assistant import Assistant
from dnam.commands.command import Arguments, Invocation, Reply
from dnam.compacting import compact
from dnam.erasing.copies import older_logs
from projections.counting import counted
from replay.backups.restore import REPLACED
from replay.store import DiskStore

NO_DISK = "This memory lies on no disk, so there is nothing to compact."


async def compact_log(assistant: Assistant, _: Invocation, __: Arguments) -> Reply:
    """Write the log and the views anew, without what was dropped."""
    engine = assistant.memory.engine
    if not isinstance(engine.store, DiskStore):
        return Reply(NO_DISK, failed=True)
    done = await asyncio.to_thread(compact, engine)
    return Reply(
        f"Written anew: {counted(done.events, 'event')}. Log and views took {done.bytes_before:,} bytes, and take "
        f"{done.bytes_after:,} now.{_older(engine.store)}"
    )


def _older(store: DiskStore) -> str:
    """That logs which a restore moved aside are as they were."""
    count = len(older_logs(store.path))
    return f" Not written anew: {counted(count, 'older log')} in `{REPLACED}`, which you may remove." if count else ""
