"""Whichever way a text comes in, what is secret in it stays out; samples are drawn at run time."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from django.http import QueryDict

from memoryweb.accounts.permissions import Scope
from memoryweb.agents.models import Reader
from memoryweb.language.secrets.in_names import holds_secret
from memoryweb.memory import agents
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.models import AuthorKind, Conversation, File, Message, Proposal, Revision
from memoryweb.memory.models.refusals import (
    AssignmentsFound,
    BatchRefused,
    ContentRefused,
    PathRefused,
    SecretRefused,
)
from memoryweb.memory.models.writer import Place, Transaction, Writer, write_transaction
from memoryweb.memory.tools import files, section_writing
from memoryweb.memory.tools.files import Acting
from memoryweb.memory.tools.section_writing import Step, Strategy
from memoryweb.memory.writing import proposing, write
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs.models import Run
from memoryweb.web.agents.views import AgentForm
from memoryweb.web.owners import BreakGlassForm
from memoryweb.web.team.forms import GrantForm, TeamForm
from tests.language.test_credentials import draw
from tests.language.test_secret_assignments import drawn
from tests.world import World

AT = datetime(2026, 11, 20, 9, tzinfo=UTC)
NOTE = "memory/2026-11-20.md"
PATH = "KNOWLEDGE.md"
TOOL = Writer(AuthorKind.AGENT, is_tool=True)
SEEDS = (21, 22, 23)
Act = Callable[[Transaction, World, str], object]


def _token(seed: int) -> str:
    return "ghp_" + draw(36, seed=seed)


def _acting(world: World) -> Acting:
    return Acting(Reader(world.agent, world.customer), AT)


def _place(world: World, path: str = PATH) -> Place:
    return Place(world.agent, world.customer, path)


def _editor(tx: Transaction, world: World, text: str) -> object:
    person = Writer(AuthorKind.PERSON, user=world.alice)
    return write.write(tx, _place(world), text, writer=person)


def _write(tx: Transaction, world: World, text: str) -> object:
    return files.write_file(tx, _acting(world), PATH, text, writer=TOOL)


def _edit(tx: Transaction, world: World, text: str) -> object:
    write.write(tx, _place(world), "tea\n", writer=TOOL)
    return files.edit_file(tx, _acting(world), PATH, "tea", text, writer=TOOL)


def _remember(tx: Transaction, world: World, text: str) -> object:
    return files.remember(tx, _acting(world), text, writer=TOOL)


def _step(strategy: Strategy) -> Act:
    def act(tx: Transaction, world: World, text: str) -> object:
        step = Step(strategy, text, heading="Wi-Fi", key="Note", value=text)
        return section_writing.write_memory(tx, _acting(world), PATH, step, writer=TOOL)

    return act


def _line(kind: AuthorKind) -> Act:
    def act(tx: Transaction, world: World, text: str) -> object:
        return write.append(tx, _place(world, NOTE), [NewLine(text)], writer=Writer(kind))

    return act


def _whole(kind: AuthorKind) -> Act:
    def act(tx: Transaction, world: World, text: str) -> object:
        return write.write(tx, _place(world, "MEMORY.md"), text, writer=Writer(kind))

    return act


def _message(tx: Transaction, world: World, text: str) -> object:
    said = [NewMessage("user", text, name=text)]
    return add_messages(
        tx, agent=world.agent, owner=world.customer, conversation_id="c", messages=said
    )


def _proposal(tx: Transaction, world: World, text: str) -> object:
    file = write.write(tx, _place(world, "MEMORY.md"), "- Tea.\n", writer=TOOL).file
    run = Run.objects.create(
        team=world.team, agent=world.agent, owner=world.customer, kind="dream", trigger="cron"
    )
    return proposing.propose(tx, run=run, file=file, content=text, origins={}, broken=[])


def _reason(tx: Transaction, world: World, text: str) -> object:
    return write.write(tx, _place(world), "- Tea.\n", writer=TOOL, reason=text)


def _name(tx: Transaction, world: World, text: str) -> object:
    return write.write(tx, _place(world, f"{text}.md"), "- Tea.\n", writer=TOOL)


def _new_name(tx: Transaction, world: World, text: str) -> object:
    file = write.write(tx, _place(world), "- Tea.\n", writer=TOOL).file
    return write.rename(tx, file, f"notes/{text}.md", writer=TOOL)


def _joined_name(tx: Transaction, world: World, text: str) -> object:
    joined = re.sub(r"\W+", "_", text.replace("pw=", "wifi password "))
    return write.write(tx, _place(world, f"{joined}_old.md"), "- Tea.\n", writer=TOOL)


def _conversation(tx: Transaction, world: World, text: str) -> object:
    return add_messages(
        tx,
        agent=world.agent,
        owner=world.customer,
        conversation_id=f"chat {text}",
        messages=[NewMessage("user", "Tea.", id=text)],
    )


def _agent(tx: Transaction, world: World, text: str) -> object:
    return agents.create_agent(tx, name="New one", description=text)


ACTS: dict[str, Act] = {
    "editor": _editor,
    "write": _write,
    "edit": _edit,
    "remember": _remember,
    "append": _step(Strategy.APPEND),
    "replace_section": _step(Strategy.REPLACE_SECTION),
    "upsert_kv": _step(Strategy.UPSERT_KV),
    "overwrite": _step(Strategy.OVERWRITE),
    "extraction": _line(AuthorKind.EXTRACTION),
    "import of a note": _line(AuthorKind.IMPORT),
    "dream": _whole(AuthorKind.DREAM),
    "import": _whole(AuthorKind.IMPORT),
    "message and its name": _message,
    "proposal": _proposal,
    "reason": _reason,
    "name of a file": _name,
    "new name of a file": _new_name,
    "name of joined words": _joined_name,
    "ids of a conversation": _conversation,
    "description of an agent": _agent,
}
REFUSED = (SecretRefused, AssignmentsFound, PathRefused, ContentRefused, BatchRefused)


def _kept(world: World) -> str:
    """Every text that could have been written."""
    rows = [
        *File.objects.values_list("path", "raw_content"),
        *Revision.objects.values_list("path", "raw_text", "reason"),
        *Message.objects.values_list("raw_content", "name", "external_id"),
        *Conversation.objects.values_list("external_id"),
        *Proposal.objects.values_list("raw_content"),
        *world.team.agents.values_list("name", "description"),
    ]
    return "\n".join(str(text) for row in rows for text in row)


@pytest.mark.parametrize("name", ACTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_known_token_stays_out(world: World, name: str, seed: int) -> None:
    secret = _token(seed)
    try:
        with write_transaction(world.team) as tx:
            ACTS[name](tx, world, f"key {secret}")
    except REFUSED:
        pass
    assert secret not in _kept(world)


@pytest.mark.parametrize("name", ACTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_likely_password_stays_out(world: World, name: str, seed: int) -> None:
    secret = drawn(seed)
    try:
        with write_transaction(world.team) as tx:
            ACTS[name](tx, world, f"pw={secret}")
    except REFUSED:
        pass
    assert secret not in _kept(world)


def test_the_same_ways_are_open_to_other_texts(world: World) -> None:
    for name, act in ACTS.items():
        with write_transaction(world.team) as tx:
            act(tx, world, f"plain words {list(ACTS).index(name)}")
    assert all(f"plain words {number}" in _kept(world) for number in (4, 8, 13, 15, 18, 19))


@pytest.mark.parametrize("said", [f"key {_token(21)} for it", f"password: {drawn(22)} for it"])
def test_no_name_description_or_reason_takes_a_secret(said: str) -> None:
    for form, field in (
        (AgentForm({"name": said}), "name"),
        (AgentForm({"description": said}), "description"),
        (TeamForm({"name": said}), "name"),
        (GrantForm(QueryDict(f"reason={quote(said)}"), scope=Scope.SHARED_WRITE), "reason"),
        (BreakGlassForm({"reason": said}), "reason"),
    ):
        assert any("looks like a secret" in error for error in form.errors[field])


@pytest.mark.parametrize(
    "name",
    [
        "password-reset-2026.md",
        "passwords/team-accounts.md",
        "token-budget.md",
        "secrets_of_the_kitchen.md",
        "customer_4711",
        "9f3a2c64-0b1d-4e3f-9f6e-2f1f6c7d8e90",
        "+49 170 1234567",
        "ann_2026@example.com",
    ],
)
def test_an_ordinary_name_is_no_secret(name: str) -> None:
    assert not holds_secret(name)
