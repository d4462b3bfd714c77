from hypothesis import given
from hypothesis import strategies as st

from memoryweb.memory.prompt.files import placed_before as put_before
from memoryweb.memory.prompt.files import stepped, switched

ORDER = [("A.md", True), ("B.md", False), ("C.md", True), ("D.md", True)]
names = st.sampled_from("ABCDEF")
orders = st.lists(st.tuples(names, st.booleans()), unique_by=lambda one: one[0])


def test_a_file_that_is_switched_keeps_its_place() -> None:
    assert switched(ORDER, "C.md", enabled=False)[2] == ("C.md", False)


def test_a_step_passes_what_is_not_in_the_prompt() -> None:
    assert _in_prompt(stepped(ORDER, "C.md", -1)) == ["C.md", "A.md", "D.md"]
    assert stepped(ORDER, "C.md", -1)[1] == ("B.md", False)


def test_a_step_beyond_an_end_changes_nothing() -> None:
    assert stepped(ORDER, "A.md", -1) == ORDER
    assert stepped(ORDER, "D.md", 1) == ORDER


def test_a_file_is_put_before_another_or_last() -> None:
    assert _in_prompt(put_before(ORDER, "D.md", "A.md")) == ["D.md", "A.md", "C.md"]
    assert _in_prompt(put_before(ORDER, "A.md", "")) == ["C.md", "D.md", "A.md"]


def test_what_is_not_in_the_prompt_does_not_move() -> None:
    assert put_before(ORDER, "B.md", "A.md") == ORDER


@given(orders, names, names, st.integers(-3, 3))
def test_moving_loses_and_switches_nothing(
    order: list[tuple[str, bool]], path: str, before: str, step: int
) -> None:
    assert sorted(put_before(order, path, before)) == sorted(order)
    assert sorted(stepped(order, path, step)) == sorted(order)


def _in_prompt(order: list[tuple[str, bool]]) -> list[str]:
    return [name for name, enabled in order if enabled]
