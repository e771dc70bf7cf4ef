"""How Discord refuses. (Discord's documentation, Opcodes and Status Codes: JSON Error Codes)"""

from tests.loopback.discord.wire import Wire


class Refused(Exception):
    """A request that is answered with an error: an HTTP status, Discord's code and its words."""

    def __init__(self, status: int, code: int, message: str, errors: Wire | None = None) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.body: Wire = {"message": message, "code": code} | ({"errors": errors} if errors else {})


def unauthorized() -> Refused:
    return Refused(401, 0, "401: Unauthorized")


def unknown(what: str) -> Refused:
    """Something that is not there."""
    return Refused(404, UNKNOWN[what], f"Unknown {what}")


UNKNOWN = {
    "Application": 10002,
    "Channel": 10003,
    "Guild": 10004,
    "Member": 10007,
    "Message": 10008,
    "User": 10013,
    "Webhook": 10015,
    "Interaction": 10062,
    "application command": 10063,
}


def missing_access() -> Refused:
    """A channel or guild that one does not see."""
    return Refused(403, 50001, "Missing Access")


def missing_permissions() -> Refused:
    return Refused(403, 50013, "Missing Permissions")


def cannot_send_to_user() -> Refused:
    """They take no direct messages, or share no guild."""
    return Refused(403, 50007, "Cannot send messages to this user")


def cannot_reply() -> Refused:
    """Who may not read what was said before may not name it either."""
    return Refused(403, 160002, "Cannot reply without permission to read message history")


def not_the_author() -> Refused:
    return Refused(403, 50005, "Cannot edit a message authored by another user")


def too_many_pins(limit: int) -> Refused:
    return Refused(400, 30003, f"Maximum number of pins reached ({limit})")


def already_acknowledged() -> Refused:
    return Refused(400, 40060, "Interaction has already been acknowledged.")


def empty_message() -> Refused:
    return Refused(400, 50006, "Cannot send an empty message")


def archived() -> Refused:
    return Refused(400, 50083, "Thread is archived")


def wrong_form(field: str, code: str, message: str) -> Refused:
    """A field that does not do; `field` is a path like `data.content`."""
    errors: Wire = {"_errors": [{"code": code, "message": message}]}
    for step in reversed(field.split(".")):
        errors = {step: errors}
    return Refused(400, 50035, "Invalid Form Body", errors)
