import pytest

from tests.pace import assert_linear


def test_what_looks_at_each_letter_once_is_linear() -> None:
    assert_linear(sorted, lambda times: [0] * times)


def test_what_begins_again_at_every_letter_is_not() -> None:
    def begin_again(text: str) -> int:
        return sum(one == other for one in text for other in text)

    with pytest.raises(AssertionError, match="times as long"):
        assert_linear(begin_again, lambda times: "a" * times)


def test_what_takes_no_time_at_all_ends_early() -> None:
    assert_linear(len, lambda times: range(times))
