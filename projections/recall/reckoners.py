"""What recall reckons by: steps in numpy, or compiled loops, where those are there and wanted. Both say the same."""

from collections.abc import Callable

from projections.recall.reckoning import Reckoning

_used: list[type[Reckoning]] = [Reckoning]


def use_compiled(stops: Callable[[], bool] = lambda: False) -> bool:
    """Reckon by compiled loops from now on; whether that can be: not without numba, nor when it `stops` before they are
    ready. To load them takes half a second, and the first time on a machine to compile them some more: it is for
    whoever answers many. Whatever numba raises where it cannot.
    """
    try:
        from projections.recall.compiled import CompiledReckoning
        from projections.recall.kernels import compile_loops
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "llvmlite"):
            raise
        return False
    if not compile_loops(stops):
        return False
    _used[:] = [CompiledReckoning]
    return True


def reckoner() -> type[Reckoning]:
    """What is used now."""
    return _used[0]
