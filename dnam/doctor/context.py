"""The context files: whether they can be read, since the assistant does not answer without its rules."""

from dnam.doctor.check import Finding, Patient, well, wrong


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
    channels = len(list((folder / "channels").glob("*.md"))) if folder is not None else 0
    return well(
        f"{', '.join(each.path for each in found)} open every prompt; {channels} channels have a file of their own"
    )
