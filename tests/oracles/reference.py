"""The reference definitions of the shared folder (ref.py, pure Python), loaded where they lie, by our names."""

from __future__ import annotations

import importlib.util
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

POINTS = (0.0, 0.1, 0.5, 1.0)


def load(shared: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("ref", shared / "reference" / "ref.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def per_query(ref: Any, qrels, run, *, level: int = 1) -> dict[str, dict[str, float]]:
    """Values of each query of both; undefined values are 0, as in trec_eval."""
    found: dict[str, dict[str, float]] = {}
    top = max(1, *(grade for docs in qrels.values() for grade in docs.values()))
    for query in qrels.keys() & run.keys():
        judged, ranking = qrels[query], ref.order(run[query])
        for name, compute in _measures(ref, level, top).items():
            found.setdefault(name, {})[query] = float(compute(judged, ranking))
    return found


def _measures(ref: Any, level: int, top: int) -> dict[str, Any]:
    binary = {"RR": ref.RR, "AP": ref.AP, "Rprec": ref.Rprec, "SetF": ref.setF, "bpref": ref.bpref, "infAP": ref.infAP}
    cut = {"P": ref.P, "R": ref.Rk, "Success": ref.Success, "RR": ref.RR, "AP": ref.AP}
    discounts = {"log2": ref.DISC["log2"], "zipf": ref.DISC["zipf"], "none": ref.DISC["none"], "jk": ref.jk(2)}
    gains = {"linear": lambda g: g, "exp": ref.EXP}
    hit = lambda g: float(g >= level)  # noqa: E731
    return {
        **{name: partial(of, lv=level) for name, of in binary.items()},
        **{f"{name}@{k}": partial(of, k=k, lv=level) for name, of in cut.items() for k in (1, 10, 50)},
        **{
            f"nDCG(gain='{how}', discount='{disc}'){at}": partial(ref.nDCG, k=k, disc=discounts[disc], gain=gains[how])
            for how in gains
            for disc in discounts
            for at, k in (("", None), ("@10", 10))
        },
        "nDCG(gain='linear', discount='jk', base=10)@20": partial(ref.nDCG, k=20, disc=ref.jk(10)),
        **{
            f"IPrec(recall={x}, rounding='{version}')": _interpolated(ref, x, version == "v10", level)
            for x in POINTS
            for version in ("v9", "v10")
        },
        **{f"ERR(max_grade={top}){at}": partial(ref.ERR, k=k, gmax=top) for at, k in (("", None), ("@20", 20))},
        **{f"RBP(p={p}, rel={level})": partial(ref.RBP, p=p, gain=hit) for p in (0.5, 0.8, 0.95)},
        "Unjudged(over='k')@10": partial(ref.unj, k=10),
    }


def _interpolated(ref: Any, recall: float, v10: bool, level: int) -> Any:
    return lambda judged, ranking: ref.iprec(judged, ranking, [recall], level, v10)[0]
