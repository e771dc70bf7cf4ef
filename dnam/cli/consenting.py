"""Who is not to be recorded: `opt-out` and `opt-in`."""

from shlex import quote
from typing import TYPE_CHECKING

from dnam.cli.command import Command, Data, Json, User, Yes
from dnam.cli.shell import Shell

if TYPE_CHECKING:
    from dnam.memory import Memory


def opt_out(user: User, data: Data = None, as_json: Json = False, yes: Yes = False) -> None:
    """Record nothing of somebody's any more: no message, no memory, no answer's words.

    USER may also be an account that nobody has heard of, as discord:100, also before there is a log; of a platform that
    nobody was heard from it asks. What is there of them stays: `dnam erase` takes it away.
    """
    _consent(Shell(data, as_json, yes), user, out=True)


def opt_in(user: User, data: Data = None, as_json: Json = False) -> None:
    """Record what somebody says again, from now on. What was said meanwhile is not heard."""
    _consent(Shell(data, as_json), user, out=False)


def _consent(shell: Shell, user: str, *, out: bool) -> None:
    from dnam.consenting import consent, doubt, needs_no_log, whom

    async def action(memory: "Memory") -> tuple[bool, bool] | None:
        person, accounts = await memory.look(lambda rows: whom(rows, user))
        doubted = await memory.look(lambda rows: doubt(rows, accounts))
        if doubted and out and not shell.out.confirm(f"{doubted}. Go on?"):
            return None
        if doubted:
            shell.out.note(doubted)
        return await consent(memory, person, accounts, out=out), bool(person)

    is_account = needs_no_log(user)
    done = shell.run(action, create=out and is_account, named=None if is_account else user)
    if done is None:
        shell.out.nothing_done("not opted out: nothing was changed")
        return
    changed, is_known = done
    already = "They had opted out already." if out else "They had not opted out."
    if shell.out.as_json:
        now = "opted out" if out else "opted in"
        shell.out.emit({"done": now, "changed": True} if changed else {"done": None, "why": already, "changed": False})
    elif out:
        shell.out.line("Nothing of theirs is recorded from now on." if changed else already)
        if is_known:
            erase = shell.command(f"erase {quote(user)}")
            shell.out.line(f"What is there of them stays: `{erase}` takes it away.")
    else:
        shell.out.line("What they say is recorded again, from now on." if changed else already)


COMMANDS = (
    Command("opt-out", opt_out, "opt-out discord:100", changes=True),
    Command("opt-in", opt_in, "opt-in Kim", changes=True),
)
