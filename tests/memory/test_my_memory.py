import pytest

from memoryweb.memory.my_memory import plain
from tests.pace import assert_linear


@pytest.mark.parametrize("unit", ["[", "**a ", "`a ", "[a](", "<!--"])
def test_a_sentence_of_signs_without_an_end_is_read_in_one_pass(unit: str) -> None:
    assert_linear(plain, lambda times: unit * times)


def test_emphasis_and_links_are_read_as_people_say_them() -> None:
    said = plain("**Tea** at `five`, [the shop](https://tea.example) <!-- note -->[not a link]")
    assert said == "Tea at five, the shop (https://tea.example) [not a link]"
