import pytest

from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing import write
from tests.api.test_tools import Tools, tools
from tests.world import World

__all__ = ["tools"]

pytestmark = pytest.mark.django_db
TEXT = "# Memory\n\n## Rules\n\n- **Check-in**: from 14:00\n\n## Plans\n\nNone.\n"


def _file() -> File:
    return File.objects.get(path="K.md")


def _write(tools: Tools, expected: int = 200, **fields: object) -> dict[str, object]:
    answer: dict[str, object] = tools("write_memory", expected, filename="K.md", **fields)
    return answer


def test_each_strategy_changes_its_part_alone(tools: Tools) -> None:
    _write(tools, strategy="overwrite", content=TEXT)
    _write(tools, strategy="upsert_kv", key="Check-in", value="from 15:00")
    _write(tools, strategy="replace_section", heading="Plans", content="Sail.")
    said = _write(tools, strategy="append", content="- The end.")
    expected = TEXT.replace("14:00", "15:00").replace("None.", "Sail.") + "\n- The end.\n"
    assert _file().raw_content == expected
    assert (said["filename"], said["strategy"], said["changed"]) == ("K.md", "append", True)
    assert said["sha256"] == _file().sha256


def test_the_same_value_again_makes_no_revision(tools: Tools) -> None:
    for _twice in range(2):
        said = _write(tools, strategy="upsert_kv", heading="Rules", key="Tea", value="at five")
    assert said["changed"] is False
    assert _file().revision == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"strategy": "append"}, "content"),
        ({"strategy": "replace_section", "content": "x"}, "heading"),
        ({"strategy": "upsert_kv", "key": "Tea"}, "value"),
        ({"strategy": "upsert_kv", "value": "x"}, "key"),
        ({"strategy": "upsert_kv", "key": "a: b", "value": "x"}, "key"),
        ({"strategy": "replace_section", "heading": "a\nb", "content": "x"}, "heading"),
        ({"strategy": "guess", "content": "x"}, "strategy"),
    ],
)
def test_what_a_strategy_needs_is_named(
    tools: Tools, fields: dict[str, object], field: str
) -> None:
    refused = _write(tools, 400, **fields)
    assert refused["errors"][0]["field"] == field  # type: ignore[index]
    assert not File.objects.filter(path="K.md").exists()


def test_a_line_that_a_person_wrote_is_not_replaced(tools: Tools, world: World) -> None:
    with write_transaction(world.team) as tx:
        person = Writer(AuthorKind.PERSON, user=world.alice)
        write.write(tx, Place(world.agent, world.customer, "K.md"), TEXT, writer=person)
    refused = _write(tools, 400, strategy="upsert_kv", key="Check-in", value="never")
    assert refused["code"] == "strategy_refused"
    assert "A person wrote or pinned the line of" in str(refused["detail"])
    assert _file().raw_content == TEXT
    _write(tools, strategy="append", content="- The end.")
    assert _file().raw_content == TEXT + "\n- The end.\n"


def test_a_value_that_would_land_in_an_open_code_block_is_refused(tools: Tools) -> None:
    _write(tools, strategy="overwrite", content="```\ncode\n")
    _write(tools, 400, strategy="upsert_kv", key="Tea", value="at five")
    assert _file().raw_content == "```\ncode\n"


def test_what_is_masked_is_told(tools: Tools) -> None:
    said = _write(tools, strategy="append", content="password: " + "hunter" + "22")
    assert said["masked"] == [{"kind": "password", "line": 1}]
    assert _file().raw_content == "password: [secret: password]\n"
