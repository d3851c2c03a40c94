import gzip

import lz4.frame
import pytest
import zstandard

from rankgauge.errors import FormatError, InputError
from rankgauge.formats import read_run, sniff, write_run
from rankgauge.records import Run

RUN = b"z1 Q0 d1 1 2 sys\nz1 Q0 d2 2 1 sys\n"
FOUND = {"z1": {"d1": 2.0, "d2": 1.0}}


PACKED = {
    "run.txt.gz": gzip.compress(RUN),
    "run_gz_named.txt": gzip.compress(RUN),
    "run_plain_named.gz": RUN,
    "run.zst": zstandard.compress(RUN),
    "run_two_parts.gz": gzip.compress(RUN[:17]) + gzip.compress(RUN[17:]),
    "run_two_frames.zst": zstandard.compress(RUN[:17]) + zstandard.compress(RUN[17:]),
    "run.trec.lz4": lz4.frame.compress(RUN),
}


@pytest.mark.parametrize("name", PACKED)
def test_the_first_bytes_say_how_a_file_is_compressed(file, name):
    assert read_run(file(name, PACKED[name])).to_dict() == FOUND


BIG = b"".join(b"q%d Q0 d%d 1 %d t\n" % (i, i * 7919, i) for i in range(3000))


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, lz4.frame.compress])
@pytest.mark.parametrize("cut", [0.5, 0.999])
def test_a_file_that_is_cut_off_is_an_error_and_never_a_score(file, pack, cut):
    packed = pack(BIG)
    with pytest.raises(FormatError, match="truncated file"):
        read_run(file("cut", packed[: int(len(packed) * cut)]))


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, lz4.frame.compress])
def test_a_broken_file_is_an_error_that_names_it(file, pack):
    packed = bytearray(pack(BIG))
    packed[len(packed) // 2 :] = b"\xff" * (len(packed) - len(packed) // 2)
    with pytest.raises(FormatError, match=r"broken: expected a .* file, got"):
        read_run(file("broken", bytes(packed)))


def test_a_file_that_is_not_there_suggests_its_neighbour(file):
    path = file("bm25.run", RUN)
    with pytest.raises(
        InputError, match=r"bm25\.rnu: expected a file, got nothing of that name; did you mean 'bm25\.run'"
    ):
        read_run(path.with_name("bm25.rnu"))


def test_a_folder_is_no_run(tmp_path):
    with pytest.raises(InputError, match="expected a file, got a folder"):
        read_run(tmp_path)


@pytest.mark.parametrize("name", ["bm25.run", "bm25.run.gz", "bm25.trec.zst", "bm25.jsonl.gz"])
def test_a_run_is_called_by_its_file_without_suffixes(tmp_path, name):
    write_run(Run.from_dict(FOUND), tmp_path / name)
    assert read_run(tmp_path / name).name == "bm25"
    assert read_run(tmp_path / name, name="x").name == "x"


def test_a_dot_that_is_no_suffix_stays_in_the_name(file):
    assert read_run(file("bm25.k1=0.9", RUN)).name == "bm25.k1=0.9"


def test_the_same_content_compresses_to_the_same_bytes(tmp_path):
    for name in ("a.run.gz", "b.run.gz"):
        write_run(Run.from_dict(FOUND, name="r"), tmp_path / name)
    assert (tmp_path / "a.run.gz").read_bytes() == (tmp_path / "b.run.gz").read_bytes()


def test_sniffing_names_format_and_compression(file):
    seen = sniff(file("x", gzip.compress(b'{"q": {"d": 1}}')))
    assert (seen.format, seen.compression) == ("json", "gzip")


def test_reading_tells_how_far_it_is(file):
    calls = []
    read_run(file("r", RUN), progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (len(RUN), len(RUN))


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "r.run"
    path.write_text("old")
    with pytest.raises(InputError):
        write_run(Run.from_dict({"q": {"a b": 1.0}}), path)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("r.run", "old")]
