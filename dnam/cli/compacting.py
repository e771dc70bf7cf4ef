"""Taking off the disk what was dropped: `compact`."""

from typing import TYPE_CHECKING

from dnam.cli.command import Command, Data, Json
from dnam.cli.half_done import told_so_far, unknown
from dnam.cli.shell import Shell

if TYPE_CHECKING:
    from dnam.memory import Memory


def compact(data: Data = None, as_json: Json = False) -> None:
    """Take what was dropped off the disk: the log is written anew without it, and the views are built anew.

    Nothing else changes: no event, no id, no proof. In every shadow, what was taken back since it was made goes too. A
    bot may go on; what it records waits while the log is copied.
    """
    shell = Shell(data, as_json)

    async def action(memory: "Memory") -> None:
        import asyncio

        from dnam.compacting import compact
        from dnam.erasing.copies import older_logs

        with shell.out.progress("writing anew") as progress:
            done = await asyncio.to_thread(compact, memory.engine, progress)
        if shell.out.as_json:
            shell.out.emit(done)
            return
        left = f", without {done.left_behind} that no key opens any more" if done.left_behind else ""
        were = "1 event was" if done.events == 1 else f"{done.events} events were"
        shell.out.line(f"{were} written anew{left}.")
        shell.out.line(f"Log and views: {done.bytes_before:,} bytes before, {done.bytes_after:,} now.")
        for one in done.shadows:
            if not one.trouble:
                lost = f": {one.redacted} event(s) lost their words there too" if one.redacted else ""
                shell.out.line(f"The shadow {one.name} was written anew{lost}.")
        for trouble in done.troubles:
            shell.out.line(f"Not written anew is {trouble}")
        for each in older_logs(shell.data):
            shell.out.line(
                f"Not written anew is the older log in {each}: it holds what it held. Remove it when you can."
            )

    from dnam.compacting import Compacted

    with told_so_far(shell.out, lambda: unknown(Compacted)):
        shell.run(action)


COMMANDS = (Command("compact", compact, "compact", changes=True),)
