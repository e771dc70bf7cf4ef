"""`!memory`: what people may ask of their memory, in one table (`table.COMMANDS`) for every place they ask in.

    command     what a command is, who asks it, and what comes back
    parse       text -> which command with which words; pure
    items       show, at, remember, edit, forget, restore
    history     history
    sessions    reset rolling, extract
    table       the table, help, and running a command so that nothing is raised

A terminal and Discord's text go through `table.read` and `table.run`; a slash command fills the parameters itself.
"""
