"""`notice`: a privacy text from the settings in force, to be read, mended and published by whoever runs this."""

from dnam.cli.command import Command, Data, Json
from dnam.cli.shell import Shell


def notice(data: Data = None, as_json: Json = False) -> None:
    """Print a privacy text made from the settings in force.

    It says what this program does; add who you are, and by which law you go.
    """
    from dnam.privacy_notice import privacy_notice

    shell = Shell(data, as_json)
    with shell.looking() as view:
        sections = privacy_notice(view.rows, shell.settings)
    if shell.out.as_json:
        shell.out.emit([{"title": each.title, "lines": each.lines} for each in sections])
        return
    for each in sections:
        shell.out.line(f"{each.title}:")
        for line in each.lines:
            shell.out.line(f"  {line}")
        shell.out.line()


COMMANDS = (Command("notice", notice, "notice"),)
