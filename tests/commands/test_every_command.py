import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import SystemCheckError

from memoryweb.core import upgrade

# `migrate` is Django's, but for when it checks.
OURS = sorted({n for n, app in get_commands().items() if app == "memoryweb.commands"} - {"migrate"})


@pytest.mark.parametrize("name", OURS)
def test_it_explains_itself(name: str) -> None:
    command = load_command_class("memoryweb.commands", name)
    assert command.help in command.create_parser("manage.py", name).format_help().replace("\n", " ")


@pytest.mark.parametrize("name", OURS)
def test_it_answers_in_json(name: str) -> None:
    parser = load_command_class("memoryweb.commands", name).create_parser("manage.py", name)
    assert "--json" in parser.format_help()


@pytest.mark.parametrize("name", OURS)
def test_it_stops_where_the_model_is_half_configured(name: str, settings: Any) -> None:
    settings.MODEL_PROVIDER, settings.MODELS = "openai", {"default": ""}
    command = load_command_class("memoryweb.commands", name)
    with pytest.raises(SystemCheckError, match=r"llm\.E001"):
        command.check(tags=command.requires_system_checks)


def test_none_waits_for_the_pages_or_the_rules_of_dates() -> None:
    """Django is set up and its settings are checked for every command."""
    said = """if True:
        import sys, django
        from django.core.management import load_command_class
        django.setup()
        command = load_command_class("memoryweb.commands", "run_pending")
        command.check(tags=command.requires_system_checks)
        print({"dateparser", "memoryweb.urls", "memoryweb.api.urls"} & sys.modules.keys())
    """
    answered = subprocess.run(
        [sys.executable, "-c", said],
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "memoryweb.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answered.stdout.strip() == "set()"


def test_one_in_a_place_that_was_never_prepared_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "backup", str(tmp_path / "copy")]
    env = os.environ | {"MEMORYWEB_HOME": str(tmp_path)}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.strip() == f"CommandError: {upgrade.UNPREPARED}"
