"""`dnam doctor`: whether everything that the assistant needs is there and in order, and what to do where it is not.

    check     what a check is, what it is given and what it finds
    names     settings that are none
    disk      room, and whether keys and log lie apart
    log       the log's health, the clock, what was never brought in
    shadows   those that there are: broken off, behind, and what waits for them
    context   the context files
    claude    the key and the models
    encoder   whether it answers, and whether its vectors have room in memory
    discord   token, intents, allow-lists, permissions, the transparency channel
    running   what a running bot says of itself on its health port
    table     all of them

Nothing is changed: the log is opened for reading, and what is asked of Discord and Claude only reads.
"""
