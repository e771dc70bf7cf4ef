"""Why somebody could not be reached, in words for whoever runs this."""

import os
import ssl


def no_answer(error: Exception) -> str:
    """Why somebody did not answer. Being late has no words of its own, and of a connection that could not be made the
    client's words tell of TLS where there is none.
    """
    import aiohttp

    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"{error.host}:{error.port} cannot be connected to: {reason(error.os_error)}"
    return str(error) or type(error).__name__


def reason(error: OSError) -> str:
    """The system's own words, where the number is one of the system's."""
    if error.errno is not None and error.errno > 0 and not isinstance(error, ssl.SSLError):
        return os.strerror(error.errno)
    return error.strerror or str(error)
