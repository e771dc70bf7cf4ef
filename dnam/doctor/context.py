"""The context files: whether they can be read, since the assistant does not answer without its rules."""

from dnam.doctor.check import Finding, Patient, doubt, well, wrong


async def files(patient: Patient) -> list[Finding]:
    """What stands before every prompt."""
    from dnam.context_files import context_files

    folder = patient.settings.context_dir
    try:
        found = context_files(folder)
    except (OSError, UnicodeDecodeError) as error:
        return wrong(
            f"a context file in {folder} cannot be read, and nobody is answered without: {error}",
            "Make it readable for the user that dnam runs as, and UTF-8.",
        )
    channels = [] if folder is None else sorted((folder / "channels").rglob("*.md"))
    named = [each.name for each in channels if each.parent.name == "channels" and not each.stem.isdecimal()]
    if named and len(patient.settings.allow_guilds) != 1:
        return doubt(
            f"{', '.join(named)} in {folder}: a channel's name alone opens no file where DNAM_ALLOW_GUILDS does not"
            " name one server, since other servers may have a channel of that name",
            "Call it channels/CHANNEL_ID.md, or put it into channels/SERVER_ID/.",
        )
    names, opens = ", ".join(each.path for each in found), "opens" if len(found) == 1 else "open"
    own = "1 channel has" if len(channels) == 1 else f"{len(channels)} channels have"
    return well(f"{names} {opens} every prompt; {own} a file of their own")
