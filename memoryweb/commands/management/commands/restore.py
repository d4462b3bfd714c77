import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.db import connection, transaction
from django.utils import timezone

from memoryweb.audit import keys
from memoryweb.audit.checkpoints import SEEN
from memoryweb.commands import base, restoring
from memoryweb.core import archive, database_copies, home_lock, upgrade
from memoryweb.memory.forgetting import Replayed

_CHECKS = (
    ("audit_verify",),
    ("project_facts", "--check"),
    ("reindex", "--check"),
    ("review", "--check"),
)


class Command(base.Command):
    help = (
        "Put a backup into an empty place, and erase, revoke and remove once more what the ledger "
        "tells of since. Nothing else may run meanwhile."
    )
    needs_keys = False
    works_alone = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, nargs="?", help="what “backup” wrote")
        base.add_passphrase(parser)
        ledger = "the folder of the ledger; without it that of MEMORYWEB_LEDGER_DIR, and our own"
        parser.add_argument("--ledger", type=Path, metavar="FOLDER", help=ledger)
        without = "the ledger is lost: what was erased since comes back, and every admin is told"
        parser.add_argument("--without-ledger", action="store_true", help=without)
        hide = "admins know of that: take the warning off the pages"
        parser.add_argument("--hide-warning", action="store_true", help=hide)

    def act(self, options: dict[str, Any]) -> base.Outcome:
        if options["hide_warning"]:
            return _hide_warning()
        if options["file"] is None or not options["file"].is_file():
            raise CommandError(f"Which backup? There is no file {options['file'] or ''}".strip())
        with TemporaryDirectory(dir=settings.HOME, prefix="restoring-") as folder:
            passphrase = base.passphrase(options)
            said = archive.unpack(options["file"], Path(folder), restoring.check, passphrase)
            _make_room(said)
            try:
                told = self._restore(Path(folder), said, options)
            except (*base.REFUSALS, CommandError):
                database_copies.empty()
                home_lock.restoring().unlink()
                raise
        home_lock.restoring().unlink()
        return _checked(told, said)

    def _restore(
        self, room: Path, said: archive.Manifest, options: dict[str, Any]
    ) -> tuple[Replayed, int] | None:
        database_copies.load(room / "database")
        if why := upgrade.refusal():
            raise archive.BackupRefused(why)
        call_command("migrate", interactive=False, verbosity=0)
        call_command("createcachetable", verbosity=0)
        keys.forget()
        keys.check()
        keys.forget_folder()
        folders = [Path(settings.CHECKPOINTS)]
        folders += [Path(settings.LEDGER_DIR)] if settings.LEDGER_DIR else []
        folders = [options["ledger"]] if options["ledger"] else folders
        told = None if options["without_ledger"] else restoring.told_since(said, folders)
        _put_checkpoints(room)
        restoring.begin(told, folders, timezone.now())
        return None if told is None else restoring.replay(told)


def _make_room(said: archive.Manifest) -> None:
    if said["database"] != connection.vendor:
        why = f"It is of {said['database']}, and MEMORYWEB_DATABASE_URL names {connection.vendor}."
        raise CommandError(f"This backup can't be restored here. {why}")
    marker, place = home_lock.restoring(), database_copies.place()
    if marker.exists() and marker.read_text() == place:  # cut short: it was empty when that began
        database_copies.empty()
    if not database_copies.is_empty():
        raise CommandError(f"The database {place} is not empty. Restore into an empty one.")
    marker.write_text(place)


def _put_checkpoints(room: Path) -> None:
    """Where some are they know more: of what came after the backup, too."""
    folder = Path(settings.CHECKPOINTS)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in room.glob("*.jsonl"):
        if not (folder / path.name).exists():
            shutil.copy(path, folder)


def _hide_warning() -> base.Outcome:
    with transaction.atomic():
        base.record_everywhere(SEEN)
    return base.Outcome("The pages no longer warn of the restored backup.")


def _checked(done: tuple[Replayed, int] | None, said: archive.Manifest) -> base.Outcome:
    erased, revoked = done or (Replayed(), 0)
    lines = [f"Restored the backup of {said['madeAt']}.", *_told(erased, revoked)]
    if done is None:
        lines[1:] = ["Without the ledger: what was erased, revoked or removed since is back."]
    ok = True
    for command in _CHECKS:
        try:
            call_command(*command, stdout=io.StringIO())
        except CommandError as problem:
            lines, ok = [*lines, f"{' '.join(command)}: {problem}"], False
    lines.append("All checks passed. Now start memoryweb." if ok else "See to this first.")
    data = base.data_of(erased, "told", "waiting", "remaining") | {"revoked": revoked}
    data["missing"] = [base.data_of(one, "team", "seq", "at") for one in erased.missing]
    is_whole = not (erased.waiting or erased.remaining)
    return base.Outcome("\n".join(lines), data, ok=ok and is_whole)


def _told(erased: Replayed, revoked: int) -> Iterator[str]:
    found, missing = erased.told - len(erased.missing), len(erased.missing)
    yield f"Of {base.counted(erased.told, 'erasure')} since, {found} were done again."
    yield f"{base.counted(revoked, 'other act')} since: revoked, removed or switched off again."
    if missing:
        was = "nothing was found in this backup: it came later, or stands there in other words."
        yield f"Of {base.counted(missing, 'erasure')} {was}"
    if erased.waiting:
        yield f"{base.counted(erased.waiting, 'request')} wait: see Settings › Erasing."
    if erased.remaining:
        yield f"{base.counted(erased.remaining, 'row')} still have the words: see Review."
