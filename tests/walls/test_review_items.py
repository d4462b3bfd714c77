"""What waits for a person is what its causes say, after whatever is done."""

from typing import Any

import pytest
from django_scopes import scope

from memoryweb.memory.models import LineOrigin, ReviewItem, review
from memoryweb.memory.review import check, inbox, repair
from tests.walls.acts_on_memory import ON_MEMORY, set_up
from tests.walls.web_calls import undone
from tests.world import World


@pytest.fixture
def staged(world: World) -> World:
    return set_up(world)


def test_what_waits_follows_its_cause_after_every_act(staged: World) -> None:
    teams = (staged.team, staged.twin.team)
    assert [check(team) for team in teams] == [[], []]
    for name, (_event, act) in ON_MEMORY.items():
        with undone():
            act(staged)
            assert [check(team) for team in teams] == [[], []], name


def test_every_kind_waits_on_the_stage_or_is_told_here(staged: World) -> None:
    with scope(team=staged.team):
        kinds = set(ReviewItem.objects.values_list("kind", flat=True))
    assert set(ReviewItem.Kind.values) - kinds == {"crowded"}


def test_what_is_missing_extra_or_another_is_found_and_made_to_match(staged: World) -> None:
    with scope(team=staged.team):
        before = list(ReviewItem.objects.order_by("pk").values_list("kind", "state", "since"))
        gone, other = ReviewItem.objects.filter(state="open")[:2]
        flag = ReviewItem.objects.exclude(pk__in=[gone.pk, other.pk]).filter(kind="flag")[0]
        extra = ReviewItem.objects.create(
            **{name: getattr(flag, name) for name in ("team", "kind", "agent", "file", "since")},
            origin_id=1_000_000,
        )
        gone_key = gone.pk
        gone.delete()
        ReviewItem.objects.filter(pk=other.pk).update(state="decided")
    found = check(staged.team)
    assert sorted(one.problem for one in found) == ["changed", "extra", "missing"]
    assert repair(staged.team) == found
    assert check(staged.team) == []
    with scope(team=staged.team):
        after = list(ReviewItem.objects.values_list("kind", "state", "since"))
        assert not ReviewItem.objects.filter(pk__in=[gone_key, extra.pk]).exists()
    assert sorted(after) == sorted(before)


def test_a_change_between_the_halves_of_a_look_is_no_difference(
    staged: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = review._items
    came: list[int] = []

    def items(kind: ReviewItem.Kind, keys: Any) -> dict[Any, ReviewItem]:
        if kind == "flag" and not came:
            came.append(LineOrigin.objects.exclude(marks="").update(marks=""))
            review.follow(kind)
        return read(kind, keys)

    monkeypatch.setattr(review, "_items", items)
    assert check(staged.team) == []
    assert came != [0]


def test_an_empty_table_is_filled_by_a_migration(staged: World) -> None:
    teams = (staged.team, staged.twin.team)
    with scope(team=teams):
        before = sorted(ReviewItem.objects.values_list("team", "kind", "state", "since"))
        ReviewItem.objects.all().delete()
    inbox.fill_missing()
    with scope(team=teams):
        after = sorted(ReviewItem.objects.values_list("team", "kind", "state", "since"))
    assert (after, [check(team) for team in teams]) == (before, [[], []])
