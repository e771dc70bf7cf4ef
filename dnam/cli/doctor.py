"""`doctor`: whether everything that the assistant needs is there, and what to do where it is not."""

from typing import TYPE_CHECKING

from dnam.cli.command import Command, Data, Json
from dnam.cli.failures import Ending
from dnam.cli.shell import Shell
from projections.counting import counted

if TYPE_CHECKING:
    from dnam.doctor.check import Checked

SIGNS = {"well": "ok", "doubt": "?", "wrong": "!!", "skipped": "-"}


def doctor(data: Data = None, as_json: Json = False) -> None:
    """Look at the log, the disk, Claude and Discord, and say what to do.

    Nothing is changed. It ends with 1 when something is wrong; what is only in doubt may be as you mean it.
    """
    import asyncio

    from dnam.doctor.check import Patient, run
    from dnam.doctor.table import CHECKS

    shell = Shell(data, as_json)
    patient = Patient(shell.settings, shell.data)

    async def look() -> "list[Checked]":
        found: list[Checked] = []
        with shell.out.progress("looking", "checks") as progress:
            for number, check in enumerate(CHECKS):
                progress(number, len(CHECKS))
                found += await run(check, patient)
        return found

    found = asyncio.run(look())
    for each in found:
        _tell(shell, each)
    count = sum(each.state == "wrong" for each in found)
    if not as_json:
        shell.out.line(f"{counted(count, 'thing')} wrong" if count else "nothing is wrong")
    if count:
        raise Ending(1)


def _tell(shell: Shell, found: "Checked") -> None:
    if shell.out.as_json:
        shell.out.emit(found)
        return
    shell.out.line(f"{SIGNS[found.state]:2}  {found.check}: {found.what}")
    if found.do:
        shell.out.line(f"      {found.do}")


COMMANDS = (Command("doctor", doctor, "doctor"),)
