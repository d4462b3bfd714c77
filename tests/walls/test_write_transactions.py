"""On SQLite whoever writes makes everybody else wait. Of each route that changes something, at its
largest body, the longest transaction holds no more statements than that of a batch of 1,000
messages. A route without an entry fails."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse
from django_scopes import scope

from memoryweb.agents.models import Agent, Owner
from memoryweb.api import mem0
from memoryweb.memory.forgetting import hiding
from memoryweb.memory.forgetting.finding import fact_mention
from memoryweb.memory.forgetting.hiding import Wish
from memoryweb.memory.models import AuthorKind, Fact, File, ForgetRequest
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing.write import Text, write, write_all
from tests.api.callers import Callers, callers_of
from tests.mcp.client import Mcp
from tests.mem0.client import Mem0
from tests.walls.api_routes import ROUTES
from tests.walls.longest import longest_transaction
from tests.walls.web_calls import undone
from tests.walls.web_routes import CHANGES, MY_FACT_ACTS, MY_LINE_ACTS
from tests.walls.web_stage import Stage, restored_stage
from tests.world import World, signed_in

MANY = 60
ANA = {"user_id": "ana"}


@dataclass(frozen=True)
class Ground:
    """Who calls what; `agent` has much of everything."""

    world: World
    callers: Callers
    stage: Stage

    @property
    def agent(self) -> Agent:
        return self.world.agent

    @property
    def mem0(self) -> Mem0:
        return Mem0(self.callers.helpdesk.token, str(self.agent.pk))

    def api(self, method: str, path: str, body: Any = None, *, by: str = "admin") -> int:
        """With a key, under which the answer is kept, too."""
        path, key = path.format(agent=self.agent.pk), str(uuid4())
        answer = self.callers[by].call(method, path, body, idempotency_key=key)
        return int(answer.status_code)

    def web(self, name: str, data: dict[str, Any], by: str = "admin") -> int:
        client = signed_in(self.world.people[by])
        return int(client.post(reverse(name, args=[self.world.team.slug]), data).status_code)


@pytest.fixture
def ground(world: World) -> Ground:
    # The stage first: it is put back as rows, in which the callers' events have no place.
    stage = restored_stage(world.home, "home", colleague=world.vera)
    return Ground(world, callers_of(world), stage)


def bullets(count: int, of: str = "Guest") -> list[str]:
    return [f"{of} {number} lives in Rua {number * 7} in Porto." for number in range(count)]


def listed(texts: Sequence[str]) -> str:
    return "".join(f"- {text}\n" for text in texts)


def stated(
    ground: Ground, count: int, owner: Owner | None = None, path: str = "KNOWLEDGE.md"
) -> list[str]:
    with write_transaction(ground.world.team) as tx:
        place = Place(ground.agent, owner, path)
        write(tx, place, listed(bullets(count)), writer=Writer(AuthorKind.PERSON))
        return [
            str(one)
            for one in Fact.objects.filter(agent=ground.agent, owner=owner, path=path).values_list(
                "pk", flat=True
            )
        ]


def filed(ground: Ground, count: int, writer: Writer) -> None:
    with write_transaction(ground.world.team) as tx:
        texts = [
            Text(Place(ground.agent, None, f"structured/n{n}.md"), listed([one]))
            for n, one in enumerate(bullets(count))
        ]
        write_all(tx, texts, writer=writer)


def _send(ground: Ground) -> Any:
    """A batch of 1,000 messages as people write them: ten with a password."""
    texts = bullets(1000)
    texts[::100] = [f"{one} My password is tulip{n}x9Q!z." for n, one in enumerate(texts[::100])]
    said = [{"role": "user", "content": text} for text in texts]
    body = {"messages": said, "endUserId": "customer-1", "finished": True}
    address = "/agents/{agent}/conversations/long/messages"
    return lambda: ground.api("POST", address, body, by="helpdesk")


def _put(ground: Ground) -> Any:
    address = "/agents/{agent}/workspace/files/KNOWLEDGE.md?owner=shared"
    return lambda: ground.api("PUT", address, {"content": listed(bullets(300))})


def _forget(address: str, count: int, *, by: str) -> Any:
    def make(ground: Ground) -> Any:
        ids, more = stated(ground, count), dict[str, Any](owner="shared")
        if by == "lines":
            more |= {"filename": "KNOWLEDGE.md", "lines": list(range(1, count + 1))}
        else:
            more |= {"ids": ids}
        return lambda: ground.api("POST", address, more)

    return make


def _dream(ground: Ground) -> Any:
    team, integration = ground.world.team, ground.world.integration
    note = "# 2026-11-20\n\n- Rains.\n"
    for number in range(MANY):
        owner = Owner.objects.create(
            team=team, source="api", external_id=f"guest-{number}", integration=integration
        )
        with write_transaction(team) as tx:
            place = Place(ground.agent, owner, "memory/2026-11-20.md")
            write(tx, place, note, writer=Writer(AuthorKind.AGENT))
    return lambda: ground.api("POST", "/memory/{agent}/emergence", {})


def _archive(ground: Ground) -> Any:
    _dream(ground)()
    return lambda: ground.api("DELETE", "/agents/{agent}")


def _arrange(ground: Ground) -> Any:
    filed(ground, MANY, Writer(AuthorKind.PERSON))
    order = [{"filename": f"structured/n{n}.md", "enabled": n % 2 == 0} for n in range(MANY)]
    address = "/agents/{agent}/workspace/prompt-files?owner=shared"
    return lambda: ground.api("PUT", address, {"files": order})


def _decide(verb: str) -> Any:
    def make(ground: Ground) -> Any:
        bob, keys = ground.world.bobs_memory, []
        for fact in Fact.objects.filter(pk__in=stated(ground, MANY, bob)):
            with write_transaction(ground.world.team) as tx:
                asked = Wish(Memory(ground.agent, bob), ForgetRequest.Via.PAGE, "x")
                request = hiding.open_request(tx, asked)
                hiding.hide(tx, request, [fact_mention(fact)])
            keys.append(str(request.pk))
        name = f"web:mine_{verb}"
        return lambda: ground.web(name, {"request": keys}, by="member")

    return make


def _clear(path: str) -> Any:
    """A person's memory, by a word in a chat."""

    def make(ground: Ground) -> Any:
        stated(ground, MANY, ground.world.bobs_memory, "MEMORY.md")
        body = {"agentId": str(ground.agent.pk), "owner": "me", "message": "/memory clear yes"}

        def look() -> int:
            status = ground.api("POST", path, body, by="member")
            assert ForgetRequest.objects.filter(
                owner=ground.world.bobs_memory, state="hidden"
            ).exists()
            return status

        return look

    return make


def _add(count: int) -> Any:
    said = [{"role": "user", "content": text} for text in bullets(count)]
    body = {"messages": said, "infer": False, **ANA}
    return lambda ground: lambda: _of_mem0(ground, "POST", "/v3/memories/add/", body)


def _of_mem0(ground: Ground, method: str, path: str, body: Any = None) -> int:
    return int(ground.mem0.answer(method, path, body).status_code)


def _batch(method: str, count: int) -> Any:
    def make(ground: Ground) -> Any:
        said = [{"role": "user", "content": text} for text in bullets(count)]
        body = {"messages": said, "infer": False, **ANA}
        made = ground.mem0("POST", "/v3/memories/add/", body)["results"]
        sent = [{"memory_id": one["id"], "text": f"Now {n}."} for n, one in enumerate(made)]
        if method in ("ALL", "ENTITY"):
            path = "/v1/memories/?user_id=ana" if method == "ALL" else "/v2/entities/user/ana/"
            return lambda: _of_mem0(ground, "DELETE", path)
        return lambda: _of_mem0(ground, method, "/v1/batch/", {"memories": sent})

    return make


def _many(act: str) -> Any:
    def make(ground: Ground) -> Any:
        picked = stated(ground, 40)
        client = signed_in(ground.world.people["admin"])
        url = reverse("web:agents_facts_many", args=[ground.world.team.slug, ground.agent.pk])
        data = {"act": act, "sure": "on", "pick": picked}
        return lambda: int(client.post(url, data).status_code)

    return make


def _folder(command: str, **more: str) -> Any:
    """Of MCP's tool `memory`."""

    def make(ground: Ground) -> Any:
        bob = ground.world.bobs_memory
        with write_transaction(ground.world.team) as tx:
            texts = [Text(Place(ground.agent, bob, f"x/n{n}.md"), "- x\n") for n in range(MANY)]
            write_all(tx, texts, writer=Writer(AuthorKind.AGENT))
        mcp = Mcp(ground.callers.member.token).as_host(agent=str(ground.agent.pk), owner="me")

        def look() -> int:
            said = mcp.call("memory", command=command, **more)
            assert not said["isError"], said
            assert not File.objects.present().filter(owner=bob, path__startswith="x/").exists()
            return 200

        return look

    return make


FORGET, TOOL = "/memory/{agent}/forget", "/agents/{agent}/tools/forget"
# What writes many things at its largest body, each with its longest.
LARGEST: dict[str, Any] = {
    "write_file": _put,
    "forget_memory": _forget(FORGET, 50, by="ids"),
    "forget_memory by lines": _forget(FORGET, 200, by="lines"),
    "forget": _forget(TOOL, 50, by="ids"),
    "send_chat": _clear("/chat"),
    "stream_chat": _clear("/chat/stream"),
    "dream_now": _dream,
    "archive": _archive,
    "arrange_prompt_files": _arrange,
    "agents_facts_many to confirm": _many("confirm"),
    "agents_facts_many as not true": _many("not_true"),
    "agents_facts_many to forget": _many("forget"),
    "mcp memory delete": _folder("delete", path="/memories/x"),
    "mcp memory rename": _folder("rename", old_path="/memories/x", new_path="/memories/y"),
    "mine_keep": _decide("keep"),
    "mine_erase": _decide("erase"),
    "mine_bring_back": _decide("bring_back"),
    "add": _add(1000),
    "add at once": _add(50),
    "delete_all": _batch("ALL", 5),
    "delete_entity": _batch("ENTITY", 5),
    "update_many": _batch("PUT", 5),
    "delete_many": _batch("DELETE", 5),
}

# The others run the same code or take long: the gate leaves them to `make soak`.
FIRST = {
    *("add", "add at once", "delete_all", "delete_many", "forget_memory", "send_chat"),
    *("agents_facts_many to confirm", "mcp memory delete"),
}

# All of it or nothing: a batch, an import, and what takes back either.
WHOLE = frozenset(
    [
        "complete_chat",
        "send_messages",
        "import_snapshot",
        "agents_snapshot_import",
        "agents_provenance_revert",
        "agents_provenance_undo",
    ]
)
# Each changes one thing: a file, a statement, a row of settings, or asks for one run.
ONE = frozenset(
    [
        "accept_proposal",
        "agents_archive",
        "agents_arrange",
        "agents_chat_leave_out",
        "agents_chat_remember",
        "agents_chat_say",
        "agents_connect_say",
        "agents_connect_token",
        "agents_delete",
        "agents_dream",
        "agents_edit",
        "agents_edit_line",
        "agents_entries_add",
        "agents_entry_names",
        "agents_fact_confirm",
        "agents_fact_edit",
        "agents_fact_forget",
        "agents_fact_not_true",
        "agents_fact_pack",
        "agents_fact_recall",
        "agents_fact_restore",
        "agents_fact_still_true",
        "agents_fact_unconfirm",
        "agents_fact_unforget",
        "agents_fact_until",
        "agents_forget_line",
        "agents_keep",
        "agents_new",
        "agents_new_file",
        "agents_preview",
        "agents_release",
        "agents_rename",
        "agents_restore",
        "agents_settings",
        "agents_snapshot_drop",
        "agents_snapshot_upload",
        "agents_stop",
        "agents_tonight_ask",
        "agents_test_contradiction",
        "agents_test_delete",
        "agents_tests",
        "agents_test_fact",
        "agents_tests_add",
        "agents_unarchive",
        "agents_undo_save",
        "agents_unforget_line",
        "audit_export",
        "audit_verify",
        "build_context",
        "change",
        "confirm_fact",
        "confirm_report_entry",
        "create",
        "delete",
        "delete_file",
        "delete_memory_test",
        "dream_on_topic",
        "edit_fact",
        "edit_report_entry",
        "edit_workspace_memory_file",
        "entry_alias",
        "entry_remove",
        "entry_rename",
        "entry_write",
        "erase_forget_request",
        "erase_owner",
        "forget_report_entry",
        "forget_structured",
        "keep_forget_request",
        "confirm_address",
        "give_address",
        "link_code",
        "mark_morning_card_seen",
        "memory_link",
        "mine_export",
        "mine_forget",
        "make_memory_test",
        "mine_forget_all",
        "mine_link",
        "mine_pause",
        "mine_resume",
        "mine_undo",
        "mine_unlink",
        *(f"mine_fact_{verb}" for verb, _data, _first in MY_FACT_ACTS),
        *(f"mine_line_{verb}" for verb, _first in MY_LINE_ACTS),
        "owners_export",
        "owners_link",
        "owners_link_mail",
        "keep_fact_true",
        "owners_link_withdraw",
        "owners_open",
        "rate_fact",
        "reject_proposal",
        "remember",
        "remove_address",
        "remember_fact_until",
        "remember_structured",
        "rename_file",
        "reset",
        "resolve_contradiction",
        "restore",
        "restore_fact",
        "restore_file",
        "retire_carried_fact",
        "retire_fact",
        "review_decide",
        "review_mask",
        "review_scan",
        "settings",
        "settings_demo_remove",
        "settings_installation_model",
        "settings_installation_model_find",
        "settings_installation_model_remove",
        "settings_quotas",
        "settings_start_own",
        "settings_hold",
        "settings_hold_end",
        "settings_integration_edit",
        "settings_integration_grant",
        "settings_integration_new",
        "settings_integration_revoke",
        "settings_integration_sharing_grant",
        "settings_integration_sharing_withdraw",
        "settings_integration_withdraw",
        "settings_invitation_withdraw",
        "settings_invite",
        "settings_keep",
        "settings_member_add",
        "settings_member_change",
        "settings_member_remove",
        "settings_embedding_own",
        "settings_embedding_use",
        "settings_model_budget",
        "settings_model_own",
        "settings_model_remove",
        "settings_model_test",
        "settings_model_use",
        "settings_slack_new",
        "settings_token_grant",
        "settings_token_new",
        "settings_token_revoke",
        "settings_token_withdraw",
        "settings_webhook_change",
        "settings_webhook_new",
        "settings_webhook_off",
        "settings_webhook_on",
        "settings_webhook_remove",
        "settings_webhook_resend",
        "settings_webhook_secret",
        "settings_webhook_test",
        "summarize",
        "undo_contradiction",
        "undo_forget_request",
        "update",
        "write_memory",
        "write_workspace_memory_file",
    ]
)


def test_every_route_that_changes_something_has_an_entry() -> None:
    largest = {name.split(" ")[0] for name in LARGEST}
    of_mem0 = {act.__name__ for _method, _form, takes, act in mem0.ROUTES if takes is mem0.WRITE}
    api = {name for name, route in ROUTES.items() if route.changes}
    web = {route.name for route in CHANGES.values()}
    assert largest | WHOLE | ONE == api | web | of_mem0 | {"mcp"}
    assert not largest & WHOLE
    assert not (largest | WHOLE) & ONE


@pytest.fixture(scope="module")
def measured() -> list[int]:
    return []


@pytest.fixture
def most(ground: Ground, measured: list[int]) -> int:
    """Of a batch of 1,000, sent once."""
    if not measured:
        with undone(), scope(team=ground.world.team):
            measured.append(longest_transaction(_send(ground)))
    return measured[0]


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=() if one in FIRST else pytest.mark.slow) for one in LARGEST],
)
def test_the_largest_body_holds_up_nobody_longer_than_a_batch_of_messages(
    ground: Ground, most: int, name: str
) -> None:
    with scope(team=ground.world.team):
        look = LARGEST[name](ground)
        status: list[int] = []
        count = longest_transaction(lambda: status.append(look()))
    assert status[0] < 400, status
    assert count <= most, (count, most)
