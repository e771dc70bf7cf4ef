"""`!memory`: what people may ask of their memory, in one table (`table.COMMANDS`) for every place they ask in.

    command     what a command is, who asks it, and what comes back
    parse       text -> which command with which words; pure
    items       show, search, at, remember, edit, forget, restore
    undo        undo, and what a button takes back
    picking     choosing items from a menu: what there is, a preview, doing it
    history     history
    sessions    reset rolling, extract
    config      config: what is done where, for those who may change it
    costs       costs, for the owner
    pointing    what can be asked of a message: keep (Remember this), why (Why did you say that?)
    table       the table, help, and running a command so that nothing is raised

A terminal and Discord's text go through `table.read` and `table.run`; a slash command fills the parameters itself.
"""
