"""Golden rows: a measure, a small example, the right value, and who says so.

A value is a fraction where it was worked out by hand (exact to 1e-12), or the text that a tool printed (right to
its last digit). Tools: trec_eval 10.0-rc3 (`-c -m MEASURE`), gdeval 1.2a, dcg_eval and cwl-eval 1.0.12 on gains
grade/3, ndeval 4.5; SDCG, RBP and the other user models are cwl-eval's EU.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import rankgauge as rg


@dataclass(frozen=True)
class Example:
    """Judgments of one query by document and subtopic, and its ranking, best first; a digit after = ties them."""

    judged: dict[str, dict[str, int]]
    ranking: str

    def qrels(self) -> rg.Qrels:
        rows = [
            {"query": "q", "doc": doc, "subtopic": topic, "grade": grade}
            for doc, topics in self.judged.items()
            for topic, grade in topics.items()
        ]
        return rg.Qrels.from_frame(rows, subtopic="subtopic")

    def run(self) -> rg.Run:
        return rg.Run.from_dict({"q": {doc: -float(place) for place, doc in enumerate(self.ranking.split())}})


def graded(grades: dict[str, int], ranking: str) -> Example:
    return Example({doc: {"1": grade} for doc, grade in grades.items()}, ranking)


EXAMPLES = {
    "A": graded({"a": 3, "b": 0, "c": 2, "d": 1, "e": 0, "f": 2}, "b a x c e d"),
    "negative": graded({"a": -1, "b": 1, "c": 0, "d": 2}, "a b c d x"),
    "pool": graded({"a": 1, "b": 1, "n1": 0, "p1": -1, "p2": -1}, "p1 n1 x a p2 b"),
    "five": graded({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "n1": 0, "n2": 0}, "n1 a n2 b c x"),
    "two": graded({"a": 1, "b": 1, "n1": 0, "n2": 0, "n3": 0, "n4": 0, "n5": 0}, "n1 a n2 n3 b"),
    "late": graded({"a": 1, "b": 1, "n1": 0, "n2": 0}, "n1 a b"),
    "ten": graded({f"r{i}": 1 for i in range(10)}, "r0 r1 r2 r3 r4 u0 u1 u2 u3 u4"),
    "one": graded({"r": 1, "n": 0}, "n r"),
    "twelve": graded({f"r{i}": 1 for i in range(3)} | {"n": 0}, "r0 n r1 x r2"),
    "topics": Example({"A": {"a": 1}, "B": {"b": 1}, "D": {"b": 1}, "C": {"c": 1}}, "A D E B"),
    "above": Example(
        {"A": {"4": 1}, "B": {"1": 1, "2": 1, "4": 1}, "C": {"0": 1}, "D": {"0": 1, "3": 1, "4": 1},
         "E": {"0": 1, "2": 1, "4": 1}},
        "B D E",
    ),
}  # fmt: skip

HAND, TREC, GDEVAL, DCG_EVAL, CWL, NDEVAL = "by hand", "trec_eval", "gdeval", "dcg_eval", "cwl-eval", "ndeval"
Row = tuple[str, str, Fraction | str, str]

ROWS: list[Row] = [
    ("PromptGain@3", "A", Fraction(3, 9), HAND),
    ("PromptGain(profile={1: 5, 2: 1, 3: 4})@3", "A", Fraction(1, 10), HAND),
    ("P@3", "A", Fraction(1, 3), HAND),
    ("P@10", "A", "0.3000", TREC),
    ("P(rel=2)@4", "A", Fraction(1, 2), HAND),
    ("P(judged_only=True)@3", "A", Fraction(2, 3), HAND),
    ("R@3", "A", "0.2500", TREC),
    ("R", "A", Fraction(3, 4), HAND),
    ("F@3", "A", Fraction(2, 7), HAND),
    ("F(beta=2)@3", "A", Fraction(5, 19), HAND),
    ("Success@1", "A", "0.0000", TREC),
    ("Success@2", "A", "1.0000", TREC),
    ("RR", "A", "0.5000", TREC),
    ("RR(rel=3)@1", "A", Fraction(0), HAND),
    ("AP", "A", "0.3750", TREC),
    ("AP@3", "A", "0.1250", TREC),
    ("AP(denominator='min(R,k)')@3", "A", Fraction(1, 6), HAND),
    ("AP(denominator='retrieved')", "A", Fraction(1, 2), HAND),
    ("AP@5", "ten", "0.5000", TREC),
    ("AP(denominator='min(R,k)')@5", "ten", Fraction(1), HAND),
    ("GMAP", "A", Fraction(3, 8), HAND),
    ("Rprec", "A", "0.5000", TREC),
    ("RelativeP@3", "A", Fraction(1, 3), HAND),
    ("RelativeP@10", "A", Fraction(3, 4), HAND),
    ("SetP", "A", Fraction(1, 2), HAND),
    ("SetR", "A", Fraction(3, 4), HAND),
    ("SetAP", "A", Fraction(3, 8), HAND),
    ("SetF", "A", "0.6000", TREC),
    ("SetF(beta=2)", "A", Fraction(9, 14), HAND),
    ("NumRet", "A", Fraction(6), HAND),
    ("NumRet@3", "A", Fraction(3), HAND),
    ("NumRel", "A", Fraction(4), HAND),
    ("NumRelRet", "A", Fraction(3), HAND),
    ("CG(gain='linear')", "A", Fraction(6), HAND),
    ("CG(gain='exp')", "A", Fraction(11), HAND),
    ("DCG(gain='linear')", "A", "3.110350", DCG_EVAL),
    ("DCG(gain='exp')", "A", "6.064745", HAND),
    ("DCG(gain='linear', discount='jk')", "A", "4.386853", DCG_EVAL),
    ("nDCG(gain='linear')", "A", "0.546391", DCG_EVAL),
    ("nDCG(gain='linear')@3", "A", "0.3597", TREC),
    ("nDCG(gain='exp')", "A", "0.56033", GDEVAL),
    ("nDCG(gain='exp')@3", "A", "0.42496", GDEVAL),
    ("nDCG(gain='linear', discount='jk')", "A", "0.648764", DCG_EVAL),
    ("nDCG(gain='linear', discount='jk', base=10)", "A", Fraction(3, 4), HAND),
    ("nDCG(gain='linear', discount='zipf')@3", "A", Fraction(9, 28), HAND),
    ("nDCG(gain='exp', discount='none')@3", "A", Fraction(7, 13), HAND),
    ("nDCG(gain={1: 1, 2: 1, 3: 1}, discount='zipf')", "A", Fraction(11, 25), HAND),
    ("Q", "A", Fraction(151, 336), HAND),
    ("Q(beta=0)", "A", Fraction(3, 8), HAND),
    ("ERR@3", "A", Fraction(7, 16), HAND),
    ("ERR(max_grade=4)@3", "A", "0.21875", GDEVAL),
    ("ERR(max_grade=4)@20", "A", "0.24988", GDEVAL),
    ("bpref", "A", "0.2500", TREC),
    ("bpref", "negative", "0.5000", TREC),
    ("bpref", "pool", "0.0000", TREC),
    ("bpref", "five", Fraction(1, 10), HAND),
    ("bpref(denominator='R')", "five", Fraction(2, 5), HAND),
    ("bpref(denominator='10+R')", "five", Fraction(1, 10), HAND),
    ("bpref", "two", Fraction(1, 4), HAND),
    ("bpref", "late", Fraction(1, 2), HAND),
    ("infAP", "A", "0.3750", TREC),
    ("infAP", "pool", "0.3750", TREC),
    ("AP", "pool", Fraction(7, 24), HAND),
    ("IPrec@0.5", "A", Fraction(1, 2), HAND),
    ("IPrec@0.8", "A", Fraction(1, 2), HAND),
    ("IPrec(recall=0.8, rounding='v9')", "A", Fraction(0), HAND),
    ("IPrec@0.5", "late", Fraction(2, 3), HAND),
    ("IPrec11", "A", Fraction(9, 22), HAND),
    ("IPrec11(rounding='v9')", "A", Fraction(4, 11), HAND),
    ("IPrec@0.4", "twelve", Fraction(1), HAND),
    ("Judged@3", "A", Fraction(2, 3), HAND),
    ("Judged@10", "A", Fraction(5, 6), HAND),
    ("Judged(over='k')@10", "A", Fraction(1, 2), HAND),
    ("Unjudged(over='k')@5", "A", "0.2000", TREC),
    ("Unjudged(over='k')@10", "A", "0.1000", TREC),
    ("Unjudged@10", "A", Fraction(1, 6), HAND),
    ("RBP(p=0.8)", "A", "0.250112", CWL),
    ("RBP(p=0.8, value='ETU')", "A", "1.250560", CWL),
    ("RBP(p=0.5)", "A", Fraction(19, 64), HAND),
    ("RBP(p=0.5, rel=1)", "A", Fraction(21, 64), HAND),
    ("INSQ(T=1)", "A", "0.224526", CWL),
    ("INST(T=1)", "A", "0.258995", CWL),
    ("INST(T=2)", "A", "0.2404", CWL),
    ("SDCG@3", "A", "0.296082", CWL),
    ("SDCG@10", "A", "0.228187", CWL),
    ("BPM(T=1)@5", "A", Fraction(1, 2), CWL),
    ("DynamicBPM(T=2)", "A", Fraction(5, 12), HAND),
    ("NERR8@5", "A", Fraction(1, 2), CWL),
    ("NERR9@5", "A", Fraction(1, 3), HAND),
    ("NERR10", "A", "0.473684", CWL),
    ("NERR11", "A", "0.307692", CWL),
    ("TBG(h=22)", "A", "0.057697", CWL),
    ("UMeasure(L=10)", "A", "0.278788", CWL),
    ("NPV(rate=0.1)", "A", "0.146995", CWL),
    ("IFT", "A", "0.273610", HAND),
    ("ERR_IA@5", "topics", "0.393343", NDEVAL),
    ("nERR_IA@5", "topics", "0.829787", NDEVAL),
    ("alpha_DCG@5", "topics", "0.405289", NDEVAL),
    ("alpha_DCG@1", "topics", Fraction(1, 3), HAND),
    ("alpha_nDCG@5", "topics", "0.786896", NDEVAL),
    ("alpha_nDCG@3", "above", "1.01274", NDEVAL),
    ("NRBP", "topics", "0.390625", NDEVAL),
    ("nNRBP", "topics", "0.862069", NDEVAL),
    ("AP_IA", "topics", "0.500000", NDEVAL),
    ("P_IA@5", "topics", "0.200000", NDEVAL),
    ("StRecall@5", "topics", "0.666667", NDEVAL),
]


def tolerance(value: Fraction | str) -> float:
    """Half a unit of the last digit that was printed."""
    return 0.5000001 * 10.0 ** -len(value.split(".")[1]) if isinstance(value, str) else 1e-12
