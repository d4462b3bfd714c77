import gc
import os
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from uuid import uuid4

import hypothesis
import pytest
from _pytest import runner
from django.apps import apps
from django.conf import settings
from django.contrib.contenttypes.management import create_contenttypes
from django.core.signals import setting_changed
from django.db import connection, models
from django.db.models.signals import post_migrate
from django.template import Template
from django.test.client import ClientHandler
from django_scopes import scopes_disabled
from hypothesis.internal.conjecture import providers
from pytest_django import DjangoDbBlocker

from memoryweb.accounts.models import Team
from memoryweb.agents.models import GLOBAL_AGENT_ID, Agent
from memoryweb.audit import keys
from memoryweb.audit.triggers import drop_triggers
from tests.migrated import copy_migrated
from tests.snapshot import StandingWorld, restored_world
from tests.soaking import leave_later_cases
from tests.world import World

gc.disable()  # until all is collected
pytest_plugins = ["tests.fakes", "tests.embeddings"]
RENDER = vars(Template)["_render"]  # before Django's test environment replaces it
MARK = "pytest.mark.databases"  # as tests/walls/test_databases.py looks for it


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database",
        choices=["marked", "all"],
        help="only tests that touch the database: all, or those marked `databases`",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if _measures_pace(item):
            item.add_marker(pytest.mark.slow)
    leave_later_cases(items)
    chosen = [item for item in items if _is_of_this_database(item)]
    if config.getoption("--database"):
        chosen = [item for item in chosen if _touches_database(item)]
    if config.getoption("--database") == "marked":
        chosen = [item for item in chosen if item.get_closest_marker("databases")]
    config.hook.pytest_deselected(items=list(set(items) - set(chosen)))
    items[:] = chosen
    # While these wait for their processes, other tests can run.
    items.sort(key=lambda item: item.get_closest_marker("kill") is None)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What is not tried need not be read either."""
    if config.getoption("--database") != "marked" or not collection_path.match("test_*.py"):
        return None
    return True if MARK not in collection_path.read_text(encoding="utf-8") else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """As pytest has it, with room for the frames of all that a test calls.

    CPython keeps frames in pieces of 16 kB, and each call over the end of one asks the operating
    system for the next and gives it back: this deep in the stack, a quarter of a test's time.
    """
    return runner.pytest_runtest_protocol(item, nextitem)


_code = pytest_runtest_protocol.__code__
pytest_runtest_protocol.__code__ = _code.replace(co_stacksize=40_000)  # slots: a piece of 512 kB


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Nothing is left out in silence: what cannot be tried here is either an error or `only_on`."""
    report = yield
    if report.skipped:
        report.outcome, report.longrepr = "failed", f"skipped: {report.longrepr}"
    return report


def _is_of_this_database(item: pytest.Item) -> bool:
    return all(mark.args[0] == connection.vendor for mark in item.iter_markers("only_on"))


def _measures_pace(item: pytest.Item) -> bool:
    """They measure several sizes several times, and say least on a machine that is busy."""
    code = getattr(getattr(item, "function", None), "__code__", None)
    return code is not None and "assert_linear" in code.co_names


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Who imports what a web server runs starts one, which asks its database about the keys."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "check_start", lambda: None)
        return (yield)


def pytest_collection_finish() -> None:
    """What was imported and collected lives to the end: no use in looking for garbage in it. Nor
    in looking as often as a server does: that is a thirtieth of a test's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    gc.enable()


def pytest_sessionfinish() -> None:
    """Nor for garbage at the end, for which pytest and Python look seven times."""
    gc.freeze()


def _touches_database(item: pytest.Item) -> bool:
    fixtures = {"db", "transactional_db", "live_server", "upgraded"}
    named = not fixtures.isdisjoint(getattr(item, "fixturenames", ()))
    return named or item.get_closest_marker("django_db") is not None


# The gate tries the same examples each time; `make soak` looks for new ones.
# Neither asks for a time: the machines are shared.
TIMELESS = hypothesis.settings(
    deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile("gate", TIMELESS, derandomize=True, max_examples=15)
hypothesis.settings.register_profile("soak", TIMELESS, max_examples=500)


def pytest_configure() -> None:
    # Hypothesis would read all our modules for constants to try: seconds, and other examples
    # after each change.
    vars(providers)["is_local_module_file"] = lambda _path: False
    hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))
    settings.MODEL_PROVIDER = ""  # whatever the environment says: no test asks a real model
    settings.API_LOG = False  # whether a call leaves a row depends on the calls of the last minute
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }


@pytest.fixture(scope="session")
def django_db_modify_db_settings_parallel_suffix(
    django_db_modify_db_settings_parallel_suffix: None,
) -> Iterator[None]:
    """A file: SQLite in shared memory has no busy timeout, so a second thread fails at once."""
    database = settings.DATABASES["default"]
    if database["ENGINE"] != "memoryweb.core.sqlite":
        yield
        return
    # Processes are killed here, not the machine: what is written need not reach the disk.
    options = database["OPTIONS"]
    options["init_command"] = options["init_command"].replace("=FULL", "=OFF")
    with tempfile.TemporaryDirectory(prefix="memoryweb-test-") as directory:
        database["TEST"]["NAME"] = str(Path(directory) / "test.sqlite3")
        copy_migrated(Path(database["TEST"]["NAME"]))
        yield


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """SQLite's file is there and migrated before Django looks for it, and goes with its folder."""
    return bool(settings.DATABASES["default"]["ENGINE"] == "memoryweb.core.sqlite")


@pytest.fixture(scope="session", autouse=True)
def _nobody_needs_permissions_of_django() -> None:
    """Each flush after a transactional test would write four a model: most of its time."""
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    post_migrate.disconnect(create_contenttypes)


@pytest.fixture(scope="session", autouse=True)
def _templates_render_as_in_production(django_test_environment: None) -> Iterator[None]:
    """Django's test environment copies the context of every template and of each include."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "_render", RENDER)
        yield


@pytest.fixture(scope="session", autouse=True)
def _middleware_is_loaded_once() -> Iterator[None]:
    """For as long as the settings are the same, not by each client for its first request."""
    load, loaded = ClientHandler.load_middleware, dict[str, object]()

    def load_once(handler: ClientHandler, *, is_async: bool = False) -> None:
        if not loaded:
            load(first := ClientHandler(), is_async)
            loaded.update({name: value for name, value in vars(first).items() if name[0] == "_"})
        vars(handler).update(loaded)

    def forget(**_: object) -> None:
        loaded.clear()

    setting_changed.connect(forget)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ClientHandler, "load_middleware", load_once)
        yield
    setting_changed.disconnect(forget)


@pytest.fixture(scope="session", autouse=True)
def _what_migrations_made_survives_a_flush() -> Iterator[None]:
    """Flushing after a transactional test empties every table, and then says `post_migrate`."""
    made: list[models.Model] = []

    def keep(**_: object) -> None:
        if not made:
            made.append(Team.objects.get(is_system=True))
            made.append(Agent._base_manager.get(pk=GLOBAL_AGENT_ID))
        for row in made:
            row.save_base(raw=True)

    agents = apps.get_app_config("agents")
    post_migrate.connect(keep, sender=agents)
    yield
    post_migrate.disconnect(keep, sender=agents)


@pytest.fixture(autouse=True)
def _scopes_off() -> Iterator[None]:
    """Tests look everywhere; the code under test enters its team's scope itself."""
    with scopes_disabled():
        yield


@pytest.fixture(autouse=True)
def _flush_passes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Audit triggers would refuse the flush after a transactional test, which makes them again."""
    transactional = _is_transactional(request)
    if transactional:
        request.getfixturevalue("transactional_db")
    yield
    if transactional:
        drop_triggers()


@pytest.fixture(scope="session")
def standing_world(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[StandingWorld]:
    standing = StandingWorld(django_db_blocker)
    yield standing
    standing.leave()


@pytest.fixture
def _world_around(request: pytest.FixtureRequest, standing_world: StandingWorld) -> None:
    if "_wants_world" in request.fixturenames and not _is_transactional(request):
        standing_world.stand()
    else:
        standing_world.leave()


@pytest.fixture
def _django_db_helper(_world_around: None, _django_db_helper: None) -> None:
    """pytest-django's, which begins a test's own transaction: within the world's."""


@pytest.fixture
def _wants_world() -> None:
    """Asked for by `world` below alone: some rooms have a world of their own."""


@pytest.fixture
def world(
    _wants_world: None, db: None, request: pytest.FixtureRequest, standing_world: StandingWorld
) -> World:
    return restored_world() if _is_transactional(request) else standing_world.seen()


def _is_transactional(request: pytest.FixtureRequest) -> bool:
    marker = request.node.get_closest_marker("django_db")
    return bool(marker and marker.kwargs.get("transaction")) or not {
        "transactional_db",
        "live_server",
    }.isdisjoint(request.fixturenames)


@pytest.fixture(autouse=True)
def _own_checkpoints(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A chain of another test is none that was rewritten."""
    folder = tmp_path_factory.getbasetemp() / "checkpoints" / uuid4().hex
    monkeypatch.setattr(settings, "CHECKPOINTS", folder)
