"""How files begin that dnam writes where somebody names one: by that they are known, whatever they are called."""

from pathlib import Path

from dnam.exports.belongings_page import TITLE
from dnam.pages import KNOWN_BY

WHOLE, PERSON = b'{"line":"dnam",', b'"dnam_person":'
PROOF = b'{"origin":"'
PAGES = (f"{TITLE} ".encode(), KNOWN_BY.encode())
MOST_BEGINNING = 64


def is_written_here(path: Path) -> bool:
    """Whether a file begins as an export, a page or a proof does; also one that is empty."""
    with path.open("rb") as file:
        begins = file.read(MOST_BEGINNING)
    return not begins or begins.startswith((WHOLE, PROOF, *PAGES)) or (begins.startswith(b"{") and PERSON in begins)
