"""Nostr's public keys: 64 hex digits, or `npub1…`, which is the same key in bech32 (BIP-173, NIP-19)."""

import re
from functools import reduce

ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
HEX = re.compile(r"[0-9a-f]{64}")
NPUB = re.compile(rf"npub1([{ALPHABET}]{{58}})")
CHECKSUM_CHARS = 6
PREFIX_BITS = [3] * 4 + [0] + [ord(each) & 31 for each in "npub"]
"""The prefix as the checksum takes it: the high bits of each letter, 0, the low bits of each."""


def public_key(text: str) -> str | None:
    """The key in hex, which is how an account is known; None for what is no key."""
    lowered = text.strip().lower()
    if HEX.fullmatch(lowered):
        return lowered
    found = NPUB.fullmatch(lowered)
    values = [] if found is None else [ALPHABET.index(each) for each in found[1]]
    if not values or reduce(_step, [*PREFIX_BITS, *values], 1) != 1:
        return None
    bits = "".join(f"{each:05b}" for each in values[:-CHECKSUM_CHARS])
    return f"{int(bits[:256], 2):064x}"


def _step(checksum: int, value: int) -> int:
    """One step of BIP-173's polymod."""
    top = checksum >> 25
    mixed = (checksum & 0x1FFFFFF) << 5 ^ value
    return reduce(lambda sum_, n: sum_ ^ (GENERATOR[n] if top >> n & 1 else 0), range(5), mixed)
