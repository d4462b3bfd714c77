"""What Django itself checks: the installation, and that migrations make what models say."""

import pytest
from django.core.management import call_command


def test_the_checks_of_django_find_nothing() -> None:
    call_command("check", fail_level="WARNING")


@pytest.mark.usefixtures("db")
def test_no_migration_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("makemigrations", check_changes=True, dry_run=True)
    assert capsys.readouterr().out == "No changes detected\n"
