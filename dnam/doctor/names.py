"""The settings' names: what somebody meant as one, and is none, changes nothing and says nothing."""

from dnam.doctor.check import Finding, Patient, doubt, well
from dnam.settings import unheeded


async def known(patient: Patient) -> list[Finding]:
    """Names in the environment that begin as ours; those in `.env` and `dnam.toml` are refused before anything runs. Of
    those of other programs, in both, it is told that they set nothing.
    """
    found = unheeded(patient.environment, patient.started)
    return [each for words in found for each in doubt(words, "Correct it, or take it away.")] or well("each is known")
