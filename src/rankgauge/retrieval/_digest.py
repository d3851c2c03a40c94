"""A short hash by which a text is known again."""

from __future__ import annotations

import hashlib

BYTES = 16


def digest(text: str) -> str:
    """Hash a text, broken characters and all, to 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=BYTES).hexdigest()
