"""`rankgauge certify` in this process: what it prints, writes and exits with."""

from __future__ import annotations

import json
import shlex

import pytest

import rankgauge as rg


@pytest.fixture
def certify(rankgauge):
    def call(*words: object):
        return rankgauge("certify", *words)

    return call


@pytest.fixture
def judge(certify, tmp_path):
    """A judge that is one grade too kind, and failed once."""
    people = rg.read_qrels(tmp_path / "qrels.second-round.txt")
    table = people.to_polars()
    lines = [f"{q} 0 {d} {min(3, int(g) + 1) if at else -1}\n" for at, (q, d, g) in enumerate(table.rows())]
    (tmp_path / "judge.txt").write_text("".join(lines))
    return "judge.txt"


def test_it_says_how_far_the_judge_agrees_and_what_it_may_be_used_for(certify, judge):
    done = certify("qrels.second-round.txt", judge, "--level", "2", "--judge-model", "llama-3-8b")
    assert done.code == 0
    assert done.out.startswith("llm:llama-3-8b beside qrels.second-round")
    assert "Of pairs with a human label it failed on 1" in done.out
    assert "kappa, grade 2 and up (asked for)" in done.out
    assert "  no  holes: as both-arms; the bias's interval lies within 0.21 of 0" in done.out


def test_a_ranker_of_the_judges_family_is_flagged(certify, judge):
    words = "qrels.second-round.txt", judge, "--judge-model", "llama-3-8b", "--ranker", "rankllama"
    assert "OF THE JUDGE'S OWN FAMILY\n  rankllama: llama" in certify(*words).out
    uses = {use["name"]: use for use in json.loads(certify(*words, "--format", "json").out)["uses"]}
    assert "of its own family: rankllama (llama)" in uses["both-arms"]["because"]
    over = json.loads(certify(*words, "--allow-family", "--format", "json").out)
    assert all("family" not in said for use in over["uses"] for said in use["because"])


def test_a_certificate_is_written_and_compared_with_later(certify, judge, tmp_path):
    first = certify("qrels.second-round.txt", judge, "-o", "certificate.json", "--resamples", "200")
    assert "certificate -> certificate.json" in first.err
    later = certify("qrels.second-round.txt", "qrels.second-round.txt", "--earlier", "certificate.json")
    assert "SINCE THE EARLIER CERTIFICATE\n  CHANGED: judge" in later.out


def test_the_example_of_the_help_runs(certify):
    said = " ".join(certify("--help").out.split())
    example = said.partition("Example: rankgauge certify ")[2].split(" ╭")[0].split(" Arguments")[0]
    words = shlex.split(example.split(" Options")[0])
    assert "rankllama" in words
    assert certify(*words).code == 0


def test_labels_of_other_pairs_are_an_error(certify, tmp_path):
    (tmp_path / "other.txt").write_text("x 0 y 1\n")
    done = certify("qrels.txt", "other.txt")
    assert done.code == 1
    assert "pairs that people judged, got none with a grade" in done.err


def test_another_file_is_no_earlier_certificate(certify, judge, tmp_path):
    (tmp_path / "c.json").write_text("{}")
    done = certify("qrels.txt", "qrels.txt", "--earlier", "c.json")
    assert done.code == 1
    assert "the format 'rankgauge certificate 1'" in done.err
