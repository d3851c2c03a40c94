"""Profile: how much each slot of the prompt is worth to a model, fitted from its curve, kept as a file."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.errors import Fault, FormatError, InputError, ParameterError
from rankgauge.formats._bytes import save
from rankgauge.judged import FloatArray
from rankgauge.rag.position import Curve

KIND = "rankgauge slot profile"
GRID = tuple(round(0.05 * step, 2) for step in range(21))
NOTHING_GAINED = "no slot is better than no passages: the weights are equal"


@dataclass(frozen=True)
class SlotProfile:
    """Weights of the slots of a prompt, which add up to 1; a file of it is what `PromptGain(profile=FILE)@k` takes.

    Attributes
    ----------
    weights : by slot, from the first
    slots : those that were tried; the weights between are interpolated
    shrinkage : λ: 0 keeps the measured gains, 1 makes all weights equal
    accuracy : measured, by tried slot
    closed : accuracy without passages
    questions : that it was fitted on
    generator : whose profile it is
    outcome : empty, or what is degenerate
    """

    weights: tuple[float, ...]
    slots: tuple[int, ...]
    shrinkage: float
    accuracy: tuple[float, ...]
    closed: float
    questions: int
    generator: str = ""
    outcome: str = ""

    @property
    def size(self) -> int:
        """Passages of the prompts that it is for."""
        return len(self.weights)

    @property
    def rises(self) -> bool:
        """Whether a later slot weighs more than one before it: then no user model stands behind it."""
        return bool((np.diff(self.weights) > 0).any())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON."""
        save(path, [(json.dumps({"kind": KIND, "version": 1} | asdict(self), indent=1) + "\n").encode()])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SlotProfile:
        """Read it back; raises FormatError for a file that holds none."""
        try:
            found: Any = json.loads(Path(path).read_bytes())
            if found["kind"] != KIND or found["version"] != 1:
                raise KeyError("kind")
            fields = {name: found[name] for name in cls.__dataclass_fields__}
        except (ValueError, TypeError, KeyError) as error:
            raise FormatError(Fault(str(path), "a slot profile", f"{type(error).__name__}: {error}"[:120])) from None
        typed: dict[str, Any] = {name: tuple(it) if isinstance(it, list) else it for name, it in fields.items()}
        return cls(**typed)


def fit_profile(found: Curve, *, rng: np.random.Generator, folds: int = 10) -> SlotProfile:
    """Fit the weights of the slots from a curve with its closed-book anchor.

    w(i) ∝ max(0, acc(i) - acc_closed), shrunk: (1 - λ) w + λ / k. λ is the one under which the gains of the other
    folds are nearest to those of the fold left out (least squares; of equal ones the larger).

    Raises
    ------
    InputError
        Without the closed-book anchor, and for fewer questions than folds.
    """
    if found.closed_outcomes is None:
        raise InputError(Fault("profile", "outcomes without passages", "none", "measure the curve with its anchors"))
    rows = np.column_stack([found.closed_outcomes, found.outcomes])
    rows = rows[~np.isnan(rows).any(axis=1)]
    if folds < 2:
        raise ParameterError(f"folds: expected 2 or more, got {folds}")
    enough(len(rows), folds)
    gained = _gains(rows)
    k = found.plan.size
    raw = np.interp(np.arange(1, k + 1), found.plan.slots, gained)
    means = rows.mean(axis=0)
    chosen, outcome = (1.0, NOTHING_GAINED) if raw.sum() <= 0 else (_shrinkage(rows, rng, folds), "")
    shape = raw / raw.sum() if raw.sum() > 0 else np.full(k, 1 / k)
    weights = (1 - chosen) * shape + chosen / k
    return SlotProfile(
        tuple(weights.tolist()), found.plan.slots, chosen, tuple(means[1:].tolist()), float(means[0]), len(rows),
        found.generator, outcome,
    )  # fmt: skip


def enough(questions: int, folds: int = 10) -> None:
    """Refuse fewer questions than a profile is fitted on."""
    if questions < folds:
        got = f"{questions} with an outcome everywhere"
        raise InputError(Fault("profile", f"at least {folds} questions, one a fold", got, "ask more questions"))


def _gains(rows: FloatArray) -> FloatArray:
    """What each slot gains over no passages, float[S], from float[Q, 1 + S]; none gains less than 0."""
    means = rows.mean(axis=0)
    gained: FloatArray = np.maximum(means[1:] - means[0], 0)
    return gained


def _shrinkage(rows: FloatArray, rng: np.random.Generator, folds: int) -> float:
    parts = np.array_split(rng.permutation(len(rows)), folds)
    losses = np.zeros(len(GRID))
    for part in parts:
        kept = np.ones(len(rows), dtype=np.bool_)
        kept[part] = False
        gained = _gains(rows[kept])
        left = rows[part].mean(axis=0)
        target = left[1:] - left[0]
        for place, shrunk in enumerate(GRID):
            guess = (1 - shrunk) * gained + shrunk * gained.mean()
            losses[place] += len(part) * float(((guess - target) ** 2).sum())
    best = losses.min()
    return max(shrunk for shrunk, loss in zip(GRID, losses.tolist(), strict=True) if loss <= best + 1e-12)
