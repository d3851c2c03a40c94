"""Makes tests/golden/data/lucene_bm25.json: what Lucene's BM25Similarity gives to documents of two small collections.

    apt-get install liblucene8-java && python tests/golden/make_lucene_goldens.py       (Lucene 8.7.0, Java 17)

The documents of "short" have at most 40 words, whose number Lucene's one byte holds exactly; those of "long" have up to
3,000. Words are plain letters, split at blanks. No document is empty: Lucene counts only those that have words.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

TARGET = Path(__file__).parent / "data" / "lucene_bm25.json"
JARS = [f"/usr/share/java/lucene-{part}-8.7.0.jar" for part in ("core", "analyzers-common")]
PARAMETERS = [(1.2, 0.75), (0.9, 0.4), (2.0, 1.0)]
PROGRAM = """
import java.nio.file.*;
import java.util.*;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;

public class Oracle {
    public static void main(String[] given) throws Exception {
        BM25Similarity similarity = new BM25Similarity(Float.parseFloat(given[2]), Float.parseFloat(given[3]));
        IndexWriterConfig config = new IndexWriterConfig(new WhitespaceAnalyzer());
        config.setSimilarity(similarity);
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        IndexWriter writer = new IndexWriter(directory, config);
        for (String line : Files.readAllLines(Paths.get(given[0]))) {
            Document document = new Document();
            document.add(new TextField("words", line, Field.Store.NO));
            writer.addDocument(document);
        }
        writer.forceMerge(1);
        writer.close();
        IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(directory));
        searcher.setSimilarity(similarity);
        for (String line : Files.readAllLines(Paths.get(given[1]))) {
            BooleanQuery.Builder query = new BooleanQuery.Builder();
            for (String word : line.split(" ")) {
                query.add(new TermQuery(new Term("words", word)), BooleanClause.Occur.SHOULD);
            }
            StringBuilder said = new StringBuilder();
            for (ScoreDoc hit : searcher.search(query.build(), 1000).scoreDocs) {
                said.append(hit.doc).append(':').append(hit.score).append(' ');
            }
            System.out.println(said.toString().trim());
        }
    }
}
"""


def world(seed: int, longest: int):
    """40 documents, as counts of 60 words of which few are frequent, and 12 queries, one with a word twice."""
    rng = np.random.default_rng(seed)
    words = np.array([f"{a}{b}" for a in "abcdefghij" for b in "uvwxyz"])
    weights = 1 / np.arange(1, 61)
    docs = []
    for _ in range(40):
        length = int(np.exp(rng.uniform(0, np.log(longest)))) + 1
        drawn = rng.choice(words, min(length, longest), p=weights / weights.sum())
        docs.append({str(word): int(n) for word, n in zip(*np.unique(drawn, return_counts=True), strict=True)})
    queries = [[str(word) for word in rng.choice(words, 1 + number % 4, replace=False)] for number in range(11)]
    return docs, [*queries, ["au", "bv", "au"]]


def lucene(docs, queries, k1, b):
    """Scores {place: score} of each query."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("Oracle.java", "docs", "queries")]
        files[0].write_text(PROGRAM)
        files[1].write_text("".join(" ".join(w for w, n in doc.items() for _ in range(n)) + "\n" for doc in docs))
        files[2].write_text("".join(" ".join(query) + "\n" for query in queries))
        command = ["java", "-cp", ":".join(JARS), *map(str, files), str(k1), str(b)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    hits = [line.split() for line in said.split("\n")[: len(queries)]]
    return [{int(doc): float(score) for doc, score in (hit.split(":") for hit in found)} for found in hits]


def main():
    worlds = {}
    for name, seed, longest in (("short", 1, 40), ("long", 2, 3000)):
        docs, queries = world(seed, longest)
        scores = [{"k1": k1, "b": b, "scores": lucene(docs, queries, k1, b)} for k1, b in PARAMETERS]
        worlds[name] = {"docs": docs, "queries": queries, "lucene": scores}
    head = {"tool": "Lucene", "version": "8.7.0", "command": "python tests/golden/make_lucene_goldens.py"}
    TARGET.write_text(json.dumps({**head, "worlds": worlds}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
