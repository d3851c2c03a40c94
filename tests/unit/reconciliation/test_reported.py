"""A printed number: which values round to it."""

import pytest

from rankgauge.errors import ParameterError
from rankgauge.reconciliation.reported import as_reported


@pytest.mark.parametrize(
    ("written", "value", "low", "high"),
    [
        ("0.4321", 0.4321, 0.43205, 0.43215),
        ("0.4320", 0.432, 0.43195, 0.43205),
        (0.432, 0.432, 0.4315, 0.4325),
        (".43", 0.43, 0.425, 0.435),
        ("43.21%", 0.4321, 0.43205, 0.43215),
        ("43.2 %", 0.432, 0.4315, 0.4325),
        ("43.21", 0.4321, 0.43205, 0.43215),
        ("4.3e-1", 0.43, 0.425, 0.435),
        ("1.0", 1.0, 0.95, 1.05),
        ("1", 1.0, 0.5, 1.5),
    ],
)
def test_the_digits_say_how_exact_a_number_is(written, value, low, high):
    found = as_reported(written, top=1.0)
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=1e-12)
    assert found.low in found
    assert found.high in found
    assert found.high + 1e-6 not in found


def test_a_number_of_a_measure_without_a_top_is_no_percentage():
    assert as_reported("43.21", top=float("inf")).value == 43.21
    assert as_reported("1234", top=float("inf")).high == 1234.5


@pytest.mark.parametrize("written", ["", "n/a", "0,43", "0.43 (5)", "1..2", "nan", "inf"])
def test_a_text_that_is_no_number_is_an_error(written):
    with pytest.raises(ParameterError, match=r"reported: expected a number as printed, such as 0\.4321"):
        as_reported(written, top=1.0)


def test_digits_that_were_cut_off_are_recognised():
    found = as_reported("0.4321", top=1.0)
    assert found.cut_off(0.43219)
    assert not found.cut_off(0.43209)
    assert not found.cut_off(0.4322)
