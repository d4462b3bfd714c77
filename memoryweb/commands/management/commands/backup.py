import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import connection, transaction
from django.utils import timezone

from memoryweb import __version__
from memoryweb.accounts import teams
from memoryweb.audit import checkpoints, ledger
from memoryweb.audit.models import ChainHead
from memoryweb.audit.record import SYSTEM, Entry, lock, record
from memoryweb.commands import base, restoring
from memoryweb.core import archive, database_copies


class Command(base.Command):
    help = (
        "Write the database and its checkpoints into one file, while everything runs. The keys are "
        "not in it: keep them elsewhere."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the file to write; nothing may stand there")
        base.add_passphrase(parser)

    def act(self, options: dict[str, Any]) -> base.Outcome:
        path: Path = options["file"].absolute()
        if path.exists() or not path.parent.is_dir():
            why = "there is a file already" if path.exists() else "its folder is not there"
            raise CommandError(f"{path} can't be written: {why}.")
        passphrase = base.passphrase(options)
        with TemporaryDirectory(dir=path.parent, prefix=".backup-") as room:
            files = {"database": Path(room) / "database"}
            since = {str(team_id): ledger.newest(team_id) for team_id in _chains()}
            database_copies.dump(files["database"])
            _tell_ledger()
            for team_id in checkpoints.teams():
                name = f"{team_id}.jsonl"
                files[name] = Path(room) / name
                shutil.copy(Path(settings.CHECKPOINTS) / name, room)
            archive.pack(path, files, _said(since), restoring.sign, passphrase)
        with transaction.atomic():
            record(teams.system_team_id(), Entry("backup.made", SYSTEM))
        where = "and keep the keys elsewhere" if passphrase else "in a safe place, without the keys"
        size = path.stat().st_size
        said = f"Wrote {path} ({size:,} bytes). Keep it {where}."
        return base.Outcome(said, {"path": str(path), "bytes": size, "encrypted": bool(passphrase)})


def _said(since: dict[str, str]) -> archive.Manifest:
    return {
        "format": restoring.FORMAT,
        "version": __version__,
        "madeAt": timezone.now().isoformat(timespec="seconds"),
        "database": connection.vendor,
        "ledger": since,
    }


def _tell_ledger() -> None:
    """It knows every chain as far as the copy does: an older ledger is told from it."""
    for team_id in _chains():
        with transaction.atomic():
            ledger.write_head(lock(team_id), timezone.now())
        ledger.deliver(team_id)


def _chains() -> list[UUID]:
    return list(ChainHead.objects.filter(seq__gt=0).values_list("team_id", flat=True))
