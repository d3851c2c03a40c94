import cbor2
import lz4.frame
import pytest

from rankgauge._extras import optional
from rankgauge.errors import FormatError, MissingExtraError
from rankgauge.formats import _bytes, read_qrels, read_run, sniff, write_qrels, write_run
from rankgauge.records import Qrels, Run

TSV = "query-id\tcorpus-id\tscore\na<::>1\t007\t1\na<::>1\tNA\t0\n"
FOUND = {"a<::>1": {"007": 1, "NA": 0}}


def test_beir_qrels_have_a_header(file):
    path = file("test.tsv", TSV)
    assert (read_qrels(path).to_dict(), sniff(path).format) == (FOUND, "beir")
    with pytest.raises(FormatError, match="expected a run, got judgments in the format 'beir'"):
        read_run(path)


def test_a_beir_folder_gives_its_test_qrels_and_its_name(file, tmp_path):
    file("scifact/corpus.jsonl", '{"_id": "1", "text": "t"}\n')
    file("scifact/qrels/train.tsv", TSV.replace("007", "008"))
    file("scifact/qrels/test.tsv", TSV)
    qrels = read_qrels(tmp_path / "scifact")
    assert (qrels.to_dict(), qrels.name) == (FOUND, "scifact")


def test_a_beir_folder_with_one_file_gives_that_one(file, tmp_path):
    file("nq/qrels/dev.tsv", TSV)
    assert read_qrels(tmp_path / "nq").to_dict() == FOUND


def test_a_beir_folder_that_leaves_a_choice_lists_it(file, tmp_path):
    file("d/qrels/dev.tsv", TSV)
    file("d/qrels/train.tsv", TSV)
    with pytest.raises(FormatError, match=r"got qrels/dev\.tsv, qrels/train\.tsv; name the file you mean"):
        read_qrels(tmp_path / "d")


def test_a_folder_without_qrels_is_told_so(tmp_path):
    with pytest.raises(FormatError, match=r"expected a BEIR folder with qrels/test\.tsv, got no \.tsv in it"):
        read_qrels(tmp_path)


def test_beir_qrels_are_written_with_beirs_header(tmp_path):
    write_qrels(Qrels.from_dict(FOUND), tmp_path / "out.tsv", format="beir")
    assert (tmp_path / "out.tsv").read_text() == TSV


# ranx 0.3.21: Run({"q1": {"d3": 0.3, "d2": 0.2}}).save("run.lz4")
SAVED_BY_RANX = bytes.fromhex(
    "04224d184040c0320000008204224d1868401d000100f0160e1c000000c1a1627131a2626433fb3fd3330100c0626432fb3fc9"
    "99999999999a0000000000000000"
)


def test_a_run_that_ranx_saved_is_read_and_one_of_ours_is_laid_out_alike(file, tmp_path):
    path = file("run.lz4", SAVED_BY_RANX)
    run = read_run(path)
    assert (run.to_dict(), sniff(path).format) == ({"q1": {"d3": 0.3, "d2": 0.2}}, "ranx")
    write_run(run, tmp_path / "ours.lz4")
    inner = lz4.frame.decompress(lz4.frame.decompress((tmp_path / "ours.lz4").read_bytes()))
    assert cbor2.loads(inner) == {"q1": {"d3": 0.3, "d2": 0.2}}


def test_a_missing_optional_part_is_named_with_the_command_that_installs_it():
    with pytest.raises(MissingExtraError, match=r"pip install 'rankgauge\[ranx\]'"):
        optional("no_such_module_at_all", "reading .lz4", "ranx")


def test_broken_cbor_is_an_error(tmp_path, file):
    write_run(Run.from_dict({"q1": {"d": 0.5, "e": 0.25}}), tmp_path / "ours.lz4")
    content = _bytes.load(tmp_path / "ours.lz4").data
    with pytest.raises(FormatError, match="expected CBOR as ranx writes it"):
        read_run(file("cut.cbor", content[:-3]))
