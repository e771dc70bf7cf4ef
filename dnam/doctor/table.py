"""Everything that `dnam doctor` looks at, in the order in which it is told."""

from dnam.doctor import claude, context, discord, disk, encoder, learning, log, names, recall, running, shadows
from dnam.doctor.check import Check

CHECKS: tuple[Check, ...] = (
    Check("settings", names.known),
    Check("log", log.health),
    Check("erasures", log.erasures),
    Check("clock", log.clock),
    Check("disk", disk.room),
    Check("keys", disk.apart),
    Check("shadows", shadows.beside),
    Check("import", log.brought_in),
    Check("context", context.files),
    Check("claude", claude.key),
    Check("budget", claude.budget),
    Check("learning", learning.passed_over),
    Check("encoder", encoder.asked),
    Check("recall", recall.compiled),
    Check("token", discord.token),
    Check("intents", discord.intents),
    Check("allowed", discord.allowed),
    Check("permissions", discord.permissions),
    Check("transparency", discord.transparency),
    Check("running", running.bot),
)
