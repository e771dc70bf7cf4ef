"""The context files: whether they can be read, since the assistant does not answer without its rules."""

import re

from dnam.doctor.check import Finding, Patient, doubt, well, wrong
from projections.counting import counted


async def files(patient: Patient) -> list[Finding]:
    """What stands before every prompt."""
    from dnam.context_files import CORE, channel_files, context_files, shipped, shipped_file

    folder = patient.settings.context_dir
    try:
        found = context_files(folder)
        channels = () if folder is None else channel_files(folder)
    except (OSError, UnicodeDecodeError) as error:
        return wrong(
            f"a context file in {folder} cannot be read, and nobody is answered where it counts: {error}",
            "Make it readable for the user that dnam runs as, and UTF-8; or remove it.",
        )
    own_names = [each.path.removeprefix("/channels/") for each in channels]
    named = [each for each in own_names if "/" not in each and not each.removesuffix(".md").isdecimal()]
    if named and len(patient.settings.allow_guilds) != 1:
        return doubt(
            f"{', '.join(named)} in {folder}: a channel's name alone opens no file where DNAM_ALLOW_GUILDS does not"
            " name one server, since other servers may have a channel of that name",
            "Call it channels/CHANNEL_ID.md, or put it into channels/SERVER_ID/.",
        )
    core = next((each.text for each in found if each.path == CORE), "")
    lacking = lacking_bullets(core, shipped().text)
    told = f"the core.md that comes with dnam has {counted(len(lacking), 'bullet')} that yours has not"
    see = f"`diff {folder}{CORE} {shipped_file()}` shows them."
    unnamed = [title for each in lacking if (title := _title(each))]
    if unnamed:
        titles = ", ".join(f'"{each}"' for each in unnamed)
        return doubt(f"{told}; of {titles} in the prompt yours says nothing", f"{see} Take over what you want.")
    names, opens = ", ".join(each.path for each in found), "opens" if len(found) == 1 else "open"
    own = "1 channel has" if len(channels) == 1 else f"{len(channels)} channels have"
    return well(f"{names} {opens} every prompt; {own} a file of their own{f'; {told}: {see}' if lacking else ''}")


def lacking_bullets(own: str, default: str) -> list[str]:
    """The bullets of a default that a file of the operator's lacks: neither the same words stand there, nor the name of
    the section of the prompt that a bullet is about.
    """
    theirs = frozenset(_bullets(own))
    return [each for each in _bullets(default) if each not in theirs and not ((title := _title(each)) and title in own)]


def _bullets(text: str) -> list[str]:
    """Each bullet with the lines that go on with it, in one line."""
    return [" ".join(each.split()) for each in re.findall(r"^- (.+(?:\n[ \t]+\S.*)*)", text, re.MULTILINE)]


def _title(bullet: str) -> str:
    """The section that a bullet is about: its name in quotes begins it."""
    found = re.match(r'"([^"]+)"', bullet)
    return "" if found is None else found[1]
