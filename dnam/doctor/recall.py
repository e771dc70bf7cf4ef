"""Recall: whether its loops are compiled."""

from dnam.doctor.check import Finding, Patient, skipped, well, wrong
from dnam.quickening import remedy

OTHERWISE = "Without, it takes about twice as long, and finds the same."


async def compiled(patient: Patient) -> list[Finding]:
    """Whether a bot recalls by compiled loops. Where that was never done on this machine, they are compiled now."""
    from projections.recall.reckoners import use_compiled

    if not patient.settings.recall_compiled:
        return skipped(f"recall is not compiled, as DNAM_RECALL_COMPILED says. {OTHERWISE}")
    try:
        if use_compiled():
            return well("recall is compiled")
    except Exception as error:  # noqa: BLE001 - whatever a compiler may fail at
        return wrong(f"recall cannot be compiled: {error}", f"{remedy(error)} {OTHERWISE}")
    return skipped("recall is not compiled: numba is not installed", f"pip install 'dnam[compiled]'. {OTHERWISE}")
