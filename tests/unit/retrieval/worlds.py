"""Small worlds for indexes: an embedder whose vectors are counts of letters, and a few documents."""

from __future__ import annotations

import numpy as np

from rankgauge.retrieval.protocols import Document

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class LetterEmbedder:
    """Vectors of letters' counts; counts its texts."""

    name, dimension = "letters", len(LETTERS) + 1

    def __init__(self, stop_after: int | None = None) -> None:
        self.embedded: list[str] = []
        self.stop_after = stop_after

    def embed(self, texts, *, kind):
        if self.stop_after is not None and len(self.embedded) >= self.stop_after:
            raise KeyboardInterrupt
        self.embedded += texts
        rows = [[text.lower().count(letter) for letter in LETTERS] + [1] for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(len(rows), self.dimension)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


ANIMALS = [
    Document("cat", "a cat sleeps", "Cats", {"legs": 4}),
    Document("dog", "a dog runs after the cat"),
    Document("bird", "birds sing"),
    Document("fish", "a fish swims"),
]
