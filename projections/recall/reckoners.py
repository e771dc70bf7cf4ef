"""What recall reckons by: steps in numpy, or compiled loops, where those are there and wanted. Both say the same."""

from projections.recall.reckoning import Reckoning

_used: list[type[Reckoning]] = [Reckoning]


def use_compiled() -> bool:
    """Reckon by compiled loops from now on; whether that can be. To load them takes half a second, and the first time
    on a machine to compile them some more: it is for whoever answers many.
    """
    try:
        from projections.recall.compiled import CompiledReckoning
    except ImportError:
        return False
    _used[:] = [CompiledReckoning]
    return True


def reckoner() -> type[Reckoning]:
    """What is used now."""
    return _used[0]
