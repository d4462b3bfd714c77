import pytest

from tests.world import World, signed_in


@pytest.mark.parametrize(
    "address",
    [
        "files/a%00b.md",
        "files/a%00b.md/edit/",
        "files/?owner=slack:%00",
        "files/MEMORY.md?owner=slack:a%00",
        "files/%ED%A0%80.md",
        "files/nothing.md",
    ],
)
def test_an_address_that_no_file_can_have_is_not_found(world: World, address: str) -> None:
    client = signed_in(world.alice)
    answer = client.get(f"/t/{world.team.slug}/agents/{world.agent.pk}/{address}")
    assert answer.status_code == 404
