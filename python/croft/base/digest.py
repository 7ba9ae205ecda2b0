"""Contents by their digest."""

import hashlib


def digest_of(content: bytes) -> str:
    """The SHA-256 of ``content``, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
