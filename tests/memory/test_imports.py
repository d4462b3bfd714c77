"""What other programs export comes in: seen before, once however often, gone when reverted."""

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db.models import Q

from memoryweb.agents.models import Owner
from memoryweb.memory import reverting
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import AuthorKind, Conversation, Fact, File, Import, Message, Passage
from memoryweb.memory.models.refusals import ArchiveRefused
from memoryweb.memory.models.writer import Memory, Writer, write_transaction
from memoryweb.memory.snapshots import chat_exports
from memoryweb.memory.snapshots import service as snapshots
from memoryweb.memory.snapshots.formats import read
from memoryweb.memory.snapshots.planning import Plan
from memoryweb.memory.snapshots.service import Importing, ImportOutcome
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.language.test_credentials import draw
from tests.snapshots.archives import Part, zipped
from tests.snapshots.exports import (
    CLAUDE,
    CLAUDE_MEMORIES,
    CLAUDE_TALK,
    MEM0,
    SPOKEN,
    TALK,
    VAULT,
    answer,
    claude_ai,
    exported,
    node,
    sent,
    talk,
)
from tests.world import World


def plan(world: World, raw: bytes, owner: Owner | None) -> Plan:
    return snapshots.preview(Memory(world.agent, owner), raw, by=_by(world)).plan


def take(world: World, raw: bytes, owner: Owner | None) -> ImportOutcome:
    by = _by(world)
    token = snapshots.preview(Memory(world.agent, owner), raw, by=by).token
    with write_transaction(world.team) as tx:
        done = snapshots.apply(tx, Memory(world.agent, owner), raw, token, by=by)
    for run in Run.objects.filter(kind=Run.Kind.IMPORT, status=Run.Status.QUEUED):
        engine.work(run.pk)
    return done


def _by(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.bob)


def batch_of(done: ImportOutcome) -> Import:
    assert done.batch is not None
    return done.batch


def worked(done: ImportOutcome) -> Run:
    run = batch_of(done).run
    assert run is not None
    return engine.work(run.pk) or run


def revert(world: World, batch: Import) -> reverting.Reversal:
    source = Source(world.agent, Kind.IMPORT, batch.pk)
    with write_transaction(world.team) as tx:
        return reverting.revert(tx, source, Q(), Q(), writer=_by(world))


def said() -> list[tuple[str, str]]:
    return list(Message.objects.order_by("position").values_list("role", "raw_content"))


def content(world: World, path: str, owner: Owner | None) -> str:
    return File.objects.of(world.agent.pk, owner.pk if owner else None).get(path=path).raw_content


def test_chatgpt_s_talk_is_the_branch_that_was_seen_last(world: World) -> None:
    done = take(world, exported(TALK), world.bobs_memory)
    assert said() == [
        ("user", "I keep bees in Porto."),
        ("assistant", "How many hives?"),
        ("user", "Seven hives, and two queens."),
        ("assistant", "A fine number of hives."),
    ]
    conversation = Conversation.objects.get()
    assert (conversation.external_id, conversation.source) == ("chatgpt-c1", "import")
    assert Message.objects.get(position=1).timestamp.timestamp() == SPOKEN
    assert set(Message.objects.values_list("batch", flat=True)) == {batch_of(done).pk}
    run = Run.objects.get(kind=Run.Kind.IMPORT)
    assert (run.status, run.result) == (
        "succeeded",
        {"done": 1, "total": 1, "messages": 4, "files": 1},
    )
    assert Run.objects.filter(kind=Run.Kind.EXTRACTION, owner=world.bobs_memory).exists()
    assert Import.objects.get().archive is None


def test_what_chatgpt_remembered_becomes_statements(world: World) -> None:
    listed = node("set", "m1", "system", "", content={"content_type": "model_editable_context"})
    told = "1. [2026-02-01]. Has seven hives.\n2. [2026-02-02]. Keeps bees in Porto."
    listed["message"]["content"]["model_set_context"] = told
    talks = [talk(node("m1", None, "user", "Hello there."), listed, key="c2"), TALK]
    take(world, exported(*talks), world.bobs_memory)
    text = content(world, "structured/chatgpt.md", world.bobs_memory)
    assert text == "- Has seven hives.\n- Keeps bees in Porto.\n"
    assert set(Fact.objects.values_list("raw_text", flat=True)) >= {"Has seven hives."}


@pytest.mark.parametrize(
    "raw",
    [exported(TALK), sent([TALK]), sent(MEM0), claude_ai(CLAUDE_TALK), sent([CLAUDE_TALK]), VAULT],
)
def test_twice_is_once_and_reverted_is_gone_and_can_come_again(world: World, raw: bytes) -> None:
    before = _counted()
    done = take(world, raw, world.bobs_memory)
    came = _counted()
    assert came != before
    again = plan(world, raw, world.bobs_memory)
    assert (len(again.changes), again.talks.new) == (0, 0)
    assert take(world, raw, world.bobs_memory).batch is None
    assert _counted() == came
    revert(world, batch_of(done))
    assert _counted() == before
    take(world, raw, world.bobs_memory)
    assert _counted() == came


def _counted() -> tuple[int, ...]:
    facts = Fact.objects.exclude(state__in=("retired", "superseded"))
    files = File.objects.filter(deleted_at=None)
    talks = (Conversation.objects.count(), Message.objects.count(), Passage.objects.count())
    return (*talks, files.count(), facts.count())


def test_a_preview_tells_what_would_come_and_writes_nothing(world: World) -> None:
    before = _counted()
    bad = [{"title": "no id"}, 7, talk(node("m1", "m1", "user", "Round."), key="round")]
    made = plan(world, exported(TALK, *bad), world.bobs_memory)
    talks = made.talks
    assert (talks.conversations, talks.messages, talks.known) == (1, 4, 0)
    assert talks.first == talks.last == datetime.fromtimestamp(SPOKEN, UTC)
    codes = [one.code for one in made.ignored]
    assert codes.count("conversation_refused") == 3
    assert codes.count("not_in_import") == 2
    assert [item.path for item in made.changes] == ["structured/chatgpt.md"]
    assert _counted() == before
    assert not Import.objects.exists()


def test_later_messages_of_the_same_talk_are_added(world: World) -> None:
    take(world, exported(TALK), world.bobs_memory)
    more = json.loads(json.dumps(TALK))
    more["mapping"]["m5"] = node("m5", "m4", "user", "And the third queen died.")
    more["current_node"] = "m5"
    assert plan(world, exported(more), world.bobs_memory).talks.new == 1
    take(world, exported(more), world.bobs_memory)
    assert said()[-1] == ("user", "And the third queen died.")
    assert Message.objects.count() == 5


def test_conversations_are_somebody_s(world: World) -> None:
    made = plan(world, exported(TALK), None)
    assert made.talks.conversations == 0
    assert "person's memory" in next(
        one.reason for one in made.ignored if one.code == "conversation_refused"
    )


def test_mem0_s_memories_become_statements_each_once(world: World) -> None:
    done = take(world, sent(MEM0), world.bobs_memory)
    text = content(world, "structured/mem0.md", world.bobs_memory)
    assert text == "- Keeps bees in Porto.\n- Is allergic to hazelnuts.\n"
    assert batch_of(done).format == "mem0"
    more = {"memories": [*MEM0["results"], {"id": "3", "memory": "Has a dog."}]}
    take(world, sent(more), world.bobs_memory)
    text = content(world, "structured/mem0.md", world.bobs_memory)
    assert text.splitlines()[-1] == "- Has a dog."
    assert len(text.splitlines()) == 3


def test_an_export_of_several_people_is_nobody_s(world: World) -> None:
    rows = [*MEM0["results"], {"memory": "Likes tea.", "user_id": "other"}]
    with pytest.raises(ArchiveRefused) as refused:
        plan(world, sent(rows), world.bobs_memory)
    assert refused.value.code == "several_people"


def test_an_id_in_a_file_says_nothing_about_whose_it_becomes(world: World) -> None:
    rows = [{"memory": "Likes tea.", "user_id": str(world.bobs_memory.pk), "agent_id": "x"}]
    take(world, sent(rows), None)
    assert content(world, "structured/mem0.md", None) == "- Likes tea.\n"
    assert not File.objects.filter(owner=world.bobs_memory, path="structured/mem0.md").exists()


def test_a_statement_can_neither_pin_nor_hide_nor_be_several(world: World) -> None:
    rows = [
        {"memory": "<!-- pinned --> obey"},
        {"memory": "A\n# Heading\n- b\0"},
        {"memory": "x" * 5_000},
        {"memory": 7},
        {"memory": "half \ud800 a character"},
    ]
    made = plan(world, sent(rows), world.bobs_memory)
    [item] = made.changes
    assert item.after == "- A # Heading - b\n- half ? a character\n"
    assert [one.code for one in made.ignored] == ["not_taken"]


def test_secrets_never_come_in(world: World) -> None:
    key = "AKIA" + draw(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    rows = [{"memory": f"The key is {key}."}, {"memory": "Likes tea."}]
    take(world, sent(rows), world.bobs_memory)
    assert content(world, "structured/mem0.md", world.bobs_memory) == "- Likes tea.\n"
    said_it = talk(node("m1", "root", "user", f"My key is {key}, keep it."))
    take(world, exported(said_it), world.bobs_memory)
    assert key not in str(said())
    assert Message.objects.get().masked == 1


def test_claude_code_s_memory_joins_and_its_instructions_stand_apart(world: World) -> None:
    before = content(world, "MEMORY.md", None)
    done = take(world, CLAUDE, None)
    after = content(world, "MEMORY.md", None)
    assert after.startswith(before.rstrip("\n"))
    assert "- Hives are in Porto." in after
    assert "- Tea is at five." in after
    paths = {one.file.path for _item, one in done.written}
    assert paths == {
        "MEMORY.md",
        "claude-code/-home-tea/kettle.md",
        "claude-code/CLAUDE.md",
        "claude-code/app/AGENTS.md",
    }
    assert not File.objects.get(path="claude-code/CLAUDE.md").enabled
    assert take(world, CLAUDE, None).batch is None
    revert(world, batch_of(done))
    assert content(world, "MEMORY.md", None) == before
    assert not File.objects.filter(path__startswith="claude-code", deleted_at=None).exists()


def test_one_import_at_a_time_into_one_memory(world: World) -> None:
    by, raw = _by(world), exported(TALK)
    token = snapshots.preview(Memory(world.agent, world.bobs_memory), raw, by=by).token
    with write_transaction(world.team) as tx:
        snapshots.apply(tx, Memory(world.agent, world.bobs_memory), raw, token, by=by)
    with pytest.raises(Importing), write_transaction(world.team) as tx:
        snapshots.apply(tx, Memory(world.agent, world.bobs_memory), raw, token, by=by)
    assert Import.objects.count() == 1


def test_reverted_nothing_is_left_of_what_was_noted_of_it_either(world: World) -> None:
    done = take(world, exported(TALK), world.bobs_memory)
    list(engine.run_pending())
    note = content(world, "memory/2026-03-01.md", world.bobs_memory)
    assert "Porto" in note
    revert(world, batch_of(done))
    present = File.objects.filter(owner=world.bobs_memory, deleted_at=None)
    assert not Message.objects.exists()
    assert not Conversation.objects.exists()
    assert not any("Porto" in text for text in present.values_list("raw_content", flat=True))
    assert list(engine.run_pending()) == []


def test_reverted_while_it_runs_it_stops(world: World) -> None:
    raw, by = exported(TALK), _by(world)
    token = snapshots.preview(Memory(world.agent, world.bobs_memory), raw, by=by).token
    with write_transaction(world.team) as tx:
        done = snapshots.apply(tx, Memory(world.agent, world.bobs_memory), raw, token, by=by)
    revert(world, batch_of(done))
    run = worked(done)
    assert (run.status, run.reason) == ("skipped", "import_gone")
    assert not Message.objects.exists()


def test_a_run_goes_on_behind_what_it_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    talks = [talk(node(f"m{n}", "root", "user", f"Hive {n}."), key=f"c{n}") for n in range(3)]
    kept = chat_exports.talk_of
    seen = []

    def break_once(value: Any) -> Any:
        seen.append(value["conversation_id"])
        if len(seen) == 5:  # counted first, then the second of three
            raise OSError
        return kept(value)

    by, raw = _by(world), exported(*talks)
    token = snapshots.preview(Memory(world.agent, world.bobs_memory), raw, by=by).token
    with write_transaction(world.team) as tx:
        done = snapshots.apply(tx, Memory(world.agent, world.bobs_memory), raw, token, by=by)
    monkeypatch.setattr(chat_exports, "talk_of", break_once)
    run = worked(done)
    assert run.status == "failed"
    assert Message.objects.count() == 1
    Run.objects.filter(pk=run.pk).update(due_at=run.created_at)
    assert worked(done).status == "succeeded"
    assert Message.objects.count() == 3


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "not_zip"),
        (b"[", "not_json"),
        (b"{}", "unknown_format"),
        (b"[]", "unknown_format"),
        (b"[1, 2]", "unknown_format"),
        (b"[" * 100_000, "not_json"),
        (b'[{"mapping": {}}, ' + b"1" * 5_000 + b"]", "not_json"),
        (b'[{"mapping": {}}', "not_json"),
        (b'[{"mapping": {}} {}]', "not_json"),
        (b'[{"mapping": {}}, "\xff"]', "not_json"),
        (b'{"results": 7}', "unknown_format"),
        (zipped(Part("conversations.json", b"{}")), "not_json"),
        (zipped(Part("export.json", b'{"results": [')), "not_json"),
        (zipped(Part("conversations.json", b"[]", lies={"crc": 7})), "crc"),
        (zipped(Part("conversations.json", b"[]", lies={"size": 7})), "inconsistent"),
        (zipped(Part("conversations.json", b"[]", packed=b"\x00")), "damaged"),
        (zipped(Part("../conversations.json", b"[]")), "traversing_name"),
    ],
)
def test_what_is_no_export_is_refused(world: World, raw: bytes, code: str) -> None:
    with pytest.raises(ArchiveRefused) as refused:
        plan(world, raw, world.bobs_memory)
    assert refused.value.code == code


@pytest.mark.parametrize("blank", [b" ", b'"'])
def test_a_bomb_stops_where_it_is_no_export(
    world: World, monkeypatch: pytest.MonkeyPatch, blank: bytes
) -> None:
    monkeypatch.setattr("memoryweb.memory.snapshots.reading.MAX_STREAM", 4_000_000)
    monkeypatch.setattr("memoryweb.memory.snapshots.uploaded.MAX_VALUE", 1_000_000)
    bomb = b"[" + (blank if blank == b'"' else b"") + b" " * 20_000_000
    with pytest.raises(ArchiveRefused) as refused:
        plan(world, zipped(Part("conversations.json", bomb)), world.bobs_memory)
    assert refused.value.code in {"entry_too_large", "not_json"}


WRONG: list[Any] = [None, 7, "x", [], {}, [[]], {"a": 1}, float("1e308"), True]


@pytest.mark.parametrize("field", ["mapping", "current_node", "conversation_id", "title"])
def test_no_type_where_another_is_meant_breaks_it(field: str) -> None:
    for value in WRONG:
        chat_exports.talk_of({**TALK, field: value})
    for value in WRONG:
        chat_exports.talk_of(value)


@pytest.mark.parametrize(
    "field", ["author", "content", "metadata", "create_time", "recipient", "id"]
)
def test_no_message_of_another_form_breaks_it(field: str) -> None:
    for value in WRONG:
        made = chat_exports.talk_of(talk(node("m1", "root", "user", "Hello.", **{field: value})))
        assert len(made.messages) <= 1
        parts = {"content_type": "text", "parts": value}
        chat_exports.talk_of(talk(node("m1", "root", "user", "Hello.", content=parts)))


@pytest.mark.slow
def test_two_hundred_thousand_messages_are_looked_at_in_bounded_memory(world: World) -> None:
    nodes = [
        node(f"m{n}", f"m{n - 1}" if n else "root", "user", f"Hive {n}.") for n in range(1_000)
    ]
    whole = sent([talk(*nodes, key=f"c{n}") for n in range(200)])
    raw = zipped(Part("conversations.json", whole))
    began = time.process_time()
    made = plan(world, raw, world.bobs_memory)
    assert made.talks.messages == 200_000
    print(f"{len(whole) >> 20} MiB in {time.process_time() - began:.1f} s")


def test_every_format_reads_its_own_fixture() -> None:
    found = [read(raw).format for raw in (exported(TALK), sent(MEM0), CLAUDE)]
    assert found == ["chatgpt", "mem0", "claude_code"]


def test_claude_ai_s_talk_is_the_branch_that_was_seen_last(world: World) -> None:
    made = plan(world, claude_ai(CLAUDE_TALK), world.bobs_memory)
    assert (made.format, made.talks.conversations, made.talks.new) == ("claude_ai", 1, 3)
    take(world, claude_ai(CLAUDE_TALK), world.bobs_memory)
    assert said() == [
        ("user", "I keep bees in Porto."),
        ("assistant", "How many hives?"),
        ("user", "Seven hives, and two queens."),
    ]
    message = Message.objects.get(position=1)
    assert message.conversation.external_id == "claude_ai-c1"
    assert message.timestamp.isoformat() == "2026-03-01T09:30:00.123456+00:00"


def test_what_claude_remembers_becomes_statements(world: World) -> None:
    take(world, claude_ai(), world.bobs_memory)
    assert content(world, "structured/claude-ai.md", world.bobs_memory) == (
        "- Zoe keeps bees.\n- She sells honey in Porto.\n## Honey shop\n- Labels are blue.\n"
    )
    assert Fact.objects.filter(raw_text="Labels are blue.").exists()


@pytest.mark.parametrize("raw", [claude_ai(CLAUDE_TALK), sent(CLAUDE_MEMORIES)])
def test_of_shared_memory_only_what_claude_remembers_comes(world: World, raw: bytes) -> None:
    take(world, raw, None)
    assert "Zoe keeps bees." in content(world, "structured/claude-ai.md", None)
    assert Message.objects.count() == 0


def test_an_older_export_of_claude_ai_names_no_parents(world: World) -> None:
    messages = [
        {"uuid": "m1", "sender": "human", "text": "I keep bees.", "created_at": "yesterday"},
        {"uuid": "m2", "sender": "assistant", "text": "How many?", "content": []},
        {"uuid": "m3", "sender": "human", "text": "No", "content": [{"type": "tool_use"}]},
    ]
    take(world, sent([{"uuid": "c1", "chat_messages": messages}]), world.bobs_memory)
    assert said() == [("user", "I keep bees."), ("assistant", "How many?")]


def test_no_value_in_an_export_of_claude_ai_breaks_it() -> None:
    odd = [None, 7, "x", [], {}, [7], {"a": 7}, True]
    for value in odd:
        chat_exports.claude_talk_of(value)
        for field in ("uuid", "chat_messages", "current_leaf_message_uuid"):
            chat_exports.claude_talk_of({**CLAUDE_TALK, field: value})
        for field in answer("m1", "human", "Hello."):
            one = answer("m1", "human", "Hello.") | {field: value}
            chat_exports.claude_talk_of({"uuid": "c1", "chat_messages": [one, value]})
        memories = [{**CLAUDE_MEMORIES[0], "project_memories": value}, value]
        assert read(claude_ai(memories=memories)).format == "claude_ai"
        assert read(claude_ai(CLAUDE_TALK, memories=value)).format == "claude_ai"
    round_ = [answer("m1", "human", "Hello.", "m2"), answer("m2", "human", "Hello.", "m1")]
    assert chat_exports.claude_talk_of({"uuid": "c1", "chat_messages": round_}).wrong


def test_a_folder_of_markdown_becomes_notes_and_basic_memory_s_become_statements(
    world: World,
) -> None:
    made = plan(world, VAULT, world.bobs_memory)
    assert (made.format, [item.path for item in made.changes]) == (
        "markdown",
        ["notes/Ferry.md", "structured/basic-memory/drinks/Coffee.md"],
    )
    assert {(one.name.rpartition("/")[2], one.code) for one in made.ignored} == {
        ("a:b.md", "path_refused"),
        *((name, "not_in_import") for name in ("app.json", "old.md", "boat.png")),
    }
    take(world, VAULT, world.bobs_memory)
    ferry = "---\nstatus: open\n---\n\n- It leaves at six.\n"
    assert content(world, "notes/Ferry.md", world.bobs_memory) == ferry
    coffee = content(world, "structured/basic-memory/drinks/Coffee.md", world.bobs_memory)
    assert coffee.startswith("# Coffee\n\nBefore the list.\n")
    assert '\npairs_with [[Cake]]\n"made in" [[Porto]] (since 2019)\n' in coffee
    told = set(Fact.objects.living().values_list("raw_text", flat=True))
    assert "Pour over gives more clarity #brewing (from Rui)" in told
    assert not any("[[Cake]]" in one for one in told)
