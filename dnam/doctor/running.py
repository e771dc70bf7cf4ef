"""A running bot, asked on its health port: what waits to be written, and whether it is ready."""

from dnam.doctor.check import SECONDS, Finding, Patient, doubt, skipped, well, wrong
from dnam.settings import Settings
from dnam.unreached import no_answer
from projections.counting import counted

ASKED = ("unwritten", "lost", "queue", "view_errors", "ring_errors", "background_failures")

MENDED = "What waits is written once that is mended; do not end the bot before."
DO = {"answers": "`dnam log` has each that failed, and why. It is well again with the next answer that works."}


async def bot(patient: Patient) -> list[Finding]:
    """What waits in its memory and is not on disk yet, and why."""
    import aiohttp

    settings = patient.settings
    if not settings.health_port:
        return skipped(
            "DNAM_HEALTH_PORT is 0: a running bot cannot be asked what waits in it",
            "Set DNAM_HEALTH_PORT, and start the bot anew.",
        )
    address = f"http://{_reachable(settings.health_host)}:{settings.health_port}/healthz"
    try:
        timeout = aiohttp.ClientTimeout(total=SECONDS)
        async with aiohttp.ClientSession(timeout=timeout) as session, session.get(address) as response:
            said = await response.json()
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        return _unanswered(settings, f"no bot answers at {address}: {no_answer(error)}")
    return _findings(said)


def _unanswered(settings: Settings, what: str) -> list[Finding]:
    """What is to be done where nobody answers; a port that no bot could open is told with its setting."""
    from dnam.observing import PortTaken, refusal

    try:
        _open(settings.health_host, settings.health_port)
    except OSError as error:
        refused = refusal(error, settings.health_port, settings.health_host)
        if not isinstance(refused, PortTaken):
            return wrong(str(refused), f"No bot starts with it. Set {refused.name} otherwise.")
        return doubt(f"{what}, and the port is in use", "If another program has it, set DNAM_HEALTH_PORT to another.")
    return doubt(what, "Start it: `dnam run`.")


def _open(host: str, port: int) -> None:
    """Open a port as the bot would, and close it. Nobody is let in."""
    import socket

    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind) as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)


def _reachable(host: str) -> str:
    """The address under which a server on this machine is asked: 0.0.0.0 and :: mean every one."""
    if host in ("0.0.0.0", "::"):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _findings(said: object) -> list[Finding]:
    if not isinstance(said, dict) or not isinstance(said.get("reasons"), dict):
        return doubt("what answers on the health port is no dnam", "Set DNAM_HEALTH_PORT to a port of its own.")
    found = [Finding("wrong", f"{name}: {why}", DO.get(name, MENDED)) for name, why in said["reasons"].items()]
    if lost := said.get("lost"):
        found += doubt(f"{counted(lost, 'thing')} could never be recorded", "The bot's log says which, and why.")
    if said.get("circuit_open"):
        found += doubt("it asks Claude nothing just now, because Claude was down", "It tries again by itself.")
    if said.get("loop_circuit_open"):
        found += doubt("it learns nothing just now, because Claude was down", "It tries again by itself.")
    counts = ", ".join(f"{name} {said[name]}" for name in ASKED if name in said)
    return found or well(f"it is ready: {counts}")
