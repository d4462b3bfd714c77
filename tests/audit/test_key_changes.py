"""What depends on the secret key goes on after it was changed, however often; after it was lost,
people are told what does not."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.db import models
from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts.models import Identity
from memoryweb.agents import one_time_codes
from memoryweb.audit import checkpoints, keys
from memoryweb.audit.models import ChainHead, Event, Keys
from memoryweb.audit.verify import verify
from memoryweb.core.tables import KeyedCharField
from memoryweb.llm.models import TeamEmbedding, TeamModel
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.index import recalls
from memoryweb.memory.lines import flags
from memoryweb.memory.models import AuthorKind, File, Message, Tombstone
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.snapshots import service
from memoryweb.memory.writing import screening, tombstones, write
from memoryweb.notify.endpoints import UrlRefused, address_of, make_slack
from memoryweb.notify.models import Endpoint
from memoryweb.notify.webhooks import secret_of
from tests.commands.calling import Answer, run
from tests.forgetting.asking import WEIGHT
from tests.migrated import copy_migrated
from tests.snapshots.archives import of
from tests.world import World, confirm_address, signed_in

pytestmark = pytest.mark.databases

ROOT = Path(__file__).resolve().parent.parent.parent
FIRST = django_settings.SECRET_KEY


@pytest.fixture(autouse=True)
def _the_keys_of_before(db: None, settings: Any) -> Iterator[None]:
    kept = Keys.objects.get()
    yield
    settings.SECRET_KEY = FIRST
    Keys.objects.all().delete()
    kept.save(force_insert=True)
    keys.forget()
    keys.ring()
    keys.lost_at()


@pytest.fixture
def alone(settings: Any, tmp_path: Path) -> Any:
    """A command that has to be alone keeps its home until its process ends."""

    def called(*arguments: str) -> Answer:
        settings.HOME = tmp_path / uuid4().hex
        settings.HOME.mkdir()
        return run(*arguments)

    return called


@pytest.fixture
def change(settings: Any, monkeypatch: pytest.MonkeyPatch, alone: Any) -> Any:
    def changed(to: str, *, old: str = "", by: str = "environment", call: Any = alone) -> Answer:
        old = old or settings.SECRET_KEY
        settings.SECRET_KEY = to
        keys.forget()
        if by == "environment":
            monkeypatch.setenv("MEMORYWEB_OLD_SECRET_KEY", old)
        else:
            monkeypatch.delenv("MEMORYWEB_OLD_SECRET_KEY", raising=False)
            monkeypatch.setattr(sys, "stdin", io.StringIO(f"{old}\n"))
        answer: Answer = call("change_secret_key")
        return answer

    return changed


CHANGES = [("second",), ("second", "third"), ("second", FIRST), ("second", "third", "fourth")]


@pytest.fixture
def buried(world: World) -> World:
    with scope(team=world.team):
        tombstones.bury(world.team.pk, world.agent.pk, world.customer.pk, [WEIGHT], timezone.now())
    return world


def _place(world: World, path: str = "MEMORY.md") -> Place:
    return Place(world.agent, world.customer, path)


def _files(world: World) -> str:
    with scope(team=world.team):
        return "".join(
            File.objects.filter(owner=world.customer).values_list("raw_content", flat=True)
        )


def _written_by_a_machine(world: World) -> str:
    with write_transaction(world.team) as tx:
        write.write(tx, _place(world), f"# Memory\n\n- {WEIGHT}\n", writer=Writer(AuthorKind.DREAM))
    return _files(world)


def _restored(world: World) -> str:
    archive = of({"MEMORY.md": f"# Memory\n\n- {WEIGHT}\n- I like tea.\n"})
    writer = Writer(AuthorKind.PERSON, user=world.alice)
    with write_transaction(world.team) as tx:
        shown = service.preview(Memory(world.agent, world.customer), archive, by=writer)
        service.apply(tx, Memory(world.agent, world.customer), archive, shown.token, by=writer)
    return _files(world)


def _sent_again(world: World) -> str:
    said = NewMessage("user", WEIGHT, "m-1", timestamp=timezone.now() - timedelta(days=90))
    with write_transaction(world.team) as tx:
        add_messages(
            tx, agent=world.agent, owner=world.customer, conversation_id="talk", messages=[said]
        )
        return Message.objects.get(conversation__external_id="talk").raw_content


@pytest.mark.parametrize("door", [_written_by_a_machine, _restored, _sent_again])
@pytest.mark.parametrize("to", CHANGES)
@pytest.mark.first_two
def test_what_was_erased_stays_out(
    buried: World, change: Any, to: tuple[str, ...], door: Any
) -> None:
    for key in to:
        assert change(key).failure == ""
    assert "kilos" not in door(buried)
    assert Tombstone.objects.filter(lifted_at=None).exists()


def test_without_the_command_it_would_come_back(buried: World, settings: Any) -> None:
    settings.SECRET_KEY = "another"
    with pytest.raises(keys.KeysRefused):
        _written_by_a_machine(buried)


@pytest.mark.parametrize("to", CHANGES)
def test_what_is_erased_after_a_change_stays_out_after_the_next(
    world: World, change: Any, to: tuple[str, ...]
) -> None:
    change(to[0])
    with scope(team=world.team):
        tombstones.bury(world.team.pk, world.agent.pk, world.customer.pk, [WEIGHT], timezone.now())
    for key in (*to[1:], "last"):
        assert change(key).failure == ""
    assert "kilos" not in _restored(world)


PRINTS = {
    "a likely secret": lambda: screening.fingerprint(UUID(int=7), "hunter22"),
    "a line that was kept": lambda: flags._keyed("- 08:00 I like tea."),
    "a recalled line": lambda: recalls.keyed_hash("I like tea."),
    "a one-time code": lambda: one_time_codes._hash(one_time_codes.Purpose.LINK, "ABCD-EFGH"),
}


@pytest.mark.parametrize("make", PRINTS.values(), ids=PRINTS.keys())
def test_each_kind_of_print_is_known_again(world: World, change: Any, make: Any) -> None:
    before = make()
    for key in ("second", "third"):
        wrapped = keys.wrapped(before, key)
        change(key)
        assert make() == wrapped != before
        before = wrapped


def test_each_keyed_column_is_wrapped(buried: World) -> None:
    """The tables are looked through, so that a new one is not left out."""
    columns = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.local_concrete_fields
        if isinstance(field, KeyedCharField)
    }
    assert columns == {
        "agents.OneTimeCode.sha256",
        "memory.Tombstone.fingerprint",
        "memory.KeptLine.fingerprint",
        "memory.NoSecret.fingerprint",
        "memory.RecallEvent.line_hash",
        "memory.RecallEvent.query_hash",
    }
    said = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.local_concrete_fields
        if isinstance(field, models.CharField) and "keyed hash" in str(field.help_text)
    }
    assert said <= columns


def test_nothing_else_is_made_of_the_secret_key() -> None:
    allowed = {
        "memoryweb/settings.py",
        "memoryweb/audit/keys.py",
        "memoryweb/audit/checkpoints.py",
        "memoryweb/commands/management/commands/change_secret_key.py",
        "memoryweb/llm/models.py",  # sealed anew by that command
        "memoryweb/notify/webhooks.py",  # by the key that it was made with
        "memoryweb/memory/visible/placeholders.py",  # numbers that are kept nowhere
    }
    using = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "memoryweb").rglob("*.py")
        if re.search(r"salted_hmac|settings\.SECRET_KEY", path.read_text())
    }
    assert using <= allowed


def _model_of(
    world: World, table: type[TeamModel | TeamEmbedding] = TeamModel
) -> TeamModel | TeamEmbedding:
    row = table(team_id=world.team.pk, base_url="https://models.example/v1")
    row.sealed_key = keys.seal("the key of a model", row.bound_to)
    row.save()
    return row


def _identity_of(world: World) -> Identity:
    identity = Identity(user=world.bob, issuer="https://login.example", subject="1")
    identity.sealed_key = keys.seal("a refresh token", identity.bound_to)
    identity.save()
    return identity


def _webhook_of(world: World) -> Endpoint:
    with scope(team=world.team):
        return Endpoint.objects.create(team=world.team, url="https://hooks.example/")


SLACK = "https://hooks.slack.com/services/T0/B0/key"


def _slack_of(world: World) -> Endpoint:
    with write_transaction(world.team) as tx:
        return make_slack(tx, address=SLACK, user=world.alice, site="https://memory.example")


@pytest.mark.parametrize("table", [TeamModel, TeamEmbedding])
def test_sealed_keys_open_and_webhooks_keep_their_secret(
    world: World, change: Any, table: type[TeamModel | TeamEmbedding]
) -> None:
    row, hook = _model_of(world, table), _webhook_of(world)
    identity, slack = _identity_of(world), _slack_of(world)
    confirm_address(world, world.customer)
    secret = secret_of(hook)
    for key in ("second", "third"):
        assert change(key).failure == ""
        identity.refresh_from_db()
        assert keys.unseal(bytes(identity.sealed_key), identity.bound_to) == "a refresh token"
        address = one_time_codes.confirmed_address(world.customer)
        assert address
        assert one_time_codes.mail_address(address) == "ann@harbour.example"
        row.refresh_from_db()
        assert keys.unseal(bytes(row.sealed_key), row.bound_to) == "the key of a model"
        assert keys.unseal(bytes(row.sealed_key), row.bound_to, FIRST) is None
        assert secret_of(hook) == secret
        slack.refresh_from_db()
        assert address_of(slack) == SLACK
    hook.generation, hook.key_number = 2, keys.newest()
    assert secret_of(hook) != secret
    assert keys.newest() == 2


@pytest.mark.parametrize("by", ["environment", "standard input"])
def test_the_chains_are_whole_and_say_it(world: World, change: Any, by: str) -> None:
    checkpoints.sign(world.team.pk, timezone.now())
    assert "destroy the old key" in change("second", by=by).output
    checkpoints.sign(world.team.pk, timezone.now())
    assert run("audit_verify").failure == ""
    assert Event.objects.filter(team_id=world.team.pk, action="keys.changed").count() == 1
    assert run("tick").failure == ""


def test_a_chain_that_was_changed_is_not_made_good(world: World, change: Any) -> None:
    head = ChainHead.objects.get(team_id=world.team.pk)
    ChainHead.objects.filter(team_id=world.team.pk).update(seal=bytes(32))
    change("second")
    assert not verify(world.team.pk, stands=True).ok
    assert head.seq


def test_a_wrong_old_key_changes_nothing(buried: World, change: Any) -> None:
    before = list(Tombstone.objects.values_list("fingerprint", flat=True))
    assert "Nothing was changed" in change("second", old="not it").failure
    assert list(Tombstone.objects.values_list("fingerprint", flat=True)) == before
    assert "Put back the old one" in run("tick").failure


def test_the_same_key_again_changes_nothing(world: World, change: Any) -> None:
    assert "already written" in change(FIRST).output
    assert not Event.objects.filter(action="keys.changed").exists()


def test_a_new_key_of_checkpoints_needs_no_old_one(world: World, settings: Any, alone: Any) -> None:
    checkpoints.sign(world.team.pk, timezone.now())
    settings.CHECKPOINT_SECRET = "another"
    assert alone("change_secret_key").failure == ""
    checkpoints.sign(world.team.pk, timezone.now())
    assert run("audit_verify").failure == ""


def test_it_waits_for_nobody_who_is_at_work(
    world: World, change: Any, settings: Any, tmp_path: Path
) -> None:
    settings.HOME = tmp_path
    at_work = (
        "from memoryweb.core import home_lock; home_lock.share(); print(1, flush=True); input()"
    )
    environment = os.environ | {
        "MEMORYWEB_HOME": str(settings.HOME),
        "DJANGO_SETTINGS_MODULE": "memoryweb.settings",
    }
    with subprocess.Popen(
        [sys.executable, "-c", at_work],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as worker:
        assert worker.stdout
        worker.stdout.readline()
        assert "Stop all" in change("second", call=run).failure
        worker.communicate(b"\n")


@pytest.mark.parametrize("fails_in", ["_wrap", "_seal"])
def test_cut_short_it_has_changed_nothing(
    buried: World, change: Any, monkeypatch: pytest.MonkeyPatch, settings: Any, fails_in: str
) -> None:
    before = (bytes(Keys.objects.get().sealed), Tombstone.objects.get().fingerprint)
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, fails_in, _die)
        with pytest.raises(KeyboardInterrupt):
            change("second")
    assert (bytes(Keys.objects.get().sealed), Tombstone.objects.get().fingerprint) == before
    assert change("second", old=FIRST).failure == ""
    assert "kilos" not in _restored(buried)


def _die(*_given: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("column", [1, 3])
def test_killed_it_has_changed_nothing(tmp_path: Path, column: int) -> None:
    copy_migrated(tmp_path / "database")
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "memoryweb.settings",
        "MEMORYWEB_HOME": str(tmp_path),
        "MEMORYWEB_DATABASE_URL": f"sqlite:///{tmp_path}/database",
        "MEMORYWEB_OLD_SECRET_KEY": "first",
        "MEMORYWEB_CHECKPOINT_SECRET": "checkpoints",
    }

    def python(code: str, key: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", f"import django; django.setup()\n{code}"],
            cwd=ROOT,
            env=environment | {"MEMORYWEB_SECRET_KEY": key},
            capture_output=True,
            text=True,
        )

    call = "from django.core.management import call_command as call\n"
    assert (
        python(
            f"{call}call('migrate', verbosity=0)\ncall('create_team', '--name', 'A')", "first"
        ).returncode
        == 0
    )
    killing = f"""
import os
from memoryweb.audit import checkpoints
wrap, left = checkpoints._wrap, [{column}]
def dying(column):
    left[0] -= 1
    return wrap(column) if left[0] else os.kill(os.getpid(), 9)
checkpoints._wrap = dying
{call}call('change_secret_key')"""
    assert python(killing, "second").returncode == -9
    assert python(f"{call}call('tick')", "first").returncode == 0
    assert python(f"{call}call('tick')", "second").returncode != 0
    assert python(f"{call}call('change_secret_key')", "second").returncode == 0
    assert python(f"{call}call('tick')\ncall('audit_verify')", "second").returncode == 0
    assert python(f"{call}call('tick')", "first").returncode != 0


@pytest.fixture
def lose(settings: Any, alone: Any) -> Any:
    def lost() -> Answer:
        settings.SECRET_KEY, settings.CHECKPOINT_SECRET = "found nowhere", "nor this"
        keys.forget()
        answer: Answer = alone("change_secret_key", "--lost")
        return answer

    return lost


def test_a_lost_key_is_told_everywhere(buried: World, lose: Any) -> None:
    checkpoints.sign(buried.team.pk, timezone.now())
    row, hook, slack = _model_of(buried), _webhook_of(buried), _slack_of(buried)
    said = lose()
    assert "Erased text may return" in said.output
    assert "1 keys of models" in said.output
    assert "1 webhooks have a new secret" in said.output
    assert keys.unseal(bytes(row.sealed_key), row.bound_to) is None
    assert secret_of(hook)
    assert "1 URLs of Slack" in said.output
    with pytest.raises(UrlRefused):
        address_of(slack)
    event = Event.objects.get(team_id=buried.team.pk, action="keys.lost")
    assert '"webhooks": 1' in event.details
    for person in (buried.alice, buried.vera):
        for page in ("review/", "", "settings/"):
            shown = signed_in(person).get(f"/t/{buried.team.slug}/{page}", follow=True)
            assert "Erased text may return" in shown.content.decode(), page
    assert "Erased text" not in signed_out_page()


def signed_out_page() -> str:
    from django.test import Client  # noqa: PLC0415

    return Client().get("/accounts/login/", follow=True).content.decode()


def test_after_a_lost_key_history_goes_on(world: World, settings: Any, lose: Any) -> None:
    checkpoints.sign(world.team.pk, timezone.now())
    lose()
    assert run("audit_verify").failure == ""
    checkpoints.sign(world.team.pk, timezone.now())
    assert run("audit_verify").failure == ""
    aside = list(Path(settings.CHECKPOINTS).glob("*.lost-*"))
    assert len(aside) == 1, "what another key signed is kept"
    assert run("tick").failure == ""


def test_the_warning_goes_when_people_know(world: World, lose: Any, alone: Any) -> None:
    lose()
    assert alone("change_secret_key", "--hide-warning").failure == ""
    keys.forget()
    page = signed_in(world.alice).get(f"/t/{world.team.slug}/review/", follow=True)
    assert "Erased text may return" not in page.content.decode()


def test_a_key_that_fits_is_not_lost(world: World, alone: Any) -> None:
    assert "Nothing is lost" in alone("change_secret_key", "--lost").failure
    assert Keys.objects.get().lost_at is None


def test_after_a_lost_key_it_can_be_changed_again(world: World, lose: Any, change: Any) -> None:
    lose()
    assert change("the next").failure == ""
    assert run("audit_verify").failure == ""
