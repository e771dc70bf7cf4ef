"""`accept-clock`: the clock was set ahead while a bot or a chat runs, and is right."""

from typing import TYPE_CHECKING

from dnam.cli.command import Command, Data, Json, Yes
from dnam.cli.shell import Shell
from dnam.times import iso

if TYPE_CHECKING:
    from replay.clock import Instant


def accept_clock(data: Data = None, as_json: Json = False, yes: Yes = False) -> None:
    """Accept this machine's clock, where it was set right by an hour or more while a bot or a chat runs.

    What runs does not believe a clock that goes far ahead of the time that really passed: a time once recorded cannot
    be taken back. It answers, and what it is to record waits, as `dnam doctor` tells. Once the clock is accepted that
    is written, within seconds; nothing has to be ended for it. Where Discord's clock says otherwise, it says so first.
    """
    from replay.clock import note_accepted
    from replay.engine import Engine

    shell = Shell(data, as_json, yes)
    with Engine.open(shell.data, writable=False) as engine:
        note, last = engine.store.clock_note, engine.head().at
    assert note is not None, "a memory in a folder"
    shown = _shown(shell)
    if not shell.out.confirm(_question(shell, shown, last)):
        shell.out.nothing_done("not accepted: nothing was changed")
        return
    note_accepted(note, shown)
    if as_json:
        shell.out.emit({"done": "accepted", "now": shown.now, "now_iso": iso(shown.now)})
    else:
        shell.out.line(f"{shell.out.when(shown.now)} is accepted. What waits for it is written within seconds.")


def _shown(shell: Shell) -> "Instant":
    """What the clocks show. What the doctor has against them is told."""
    import asyncio

    from dnam.doctor.check import Patient
    from dnam.doctor.log import clock
    from replay.clock import SystemClock, instant_of

    for each in asyncio.run(clock(Patient(shell.settings, shell.data))):
        if each.state == "wrong":
            shell.out.note(f"{each.what}. {each.do}")
    return instant_of(SystemClock())


def _question(shell: Shell, shown: "Instant", last: int) -> str:
    said = f"This machine's clock says {shell.out.when(shown.now)}"
    behind = f"; the last event was recorded at {shell.out.when(last)}" if last else ""
    return f"{said}{behind}. A time once recorded cannot be taken back. Is the clock right?"


COMMANDS = (Command("accept-clock", accept_clock, "accept-clock", changes=True),)
