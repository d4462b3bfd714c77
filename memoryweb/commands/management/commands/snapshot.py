from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts.models import Team
from memoryweb.agents.owners import find_for_command
from memoryweb.commands import base
from memoryweb.memory import snapshots
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Memory, Writer, write_transaction
from memoryweb.memory.snapshots import MAX_UPLOAD, Action, Plan
from memoryweb.memory.writing.screening import Sight
from memoryweb.runs import engine, reasons
from memoryweb.runs.lease import GOOD
from memoryweb.runs.models import Run

LABELS = {Action.CREATE: "new", Action.UPDATE: "changed", Action.SKIP: "skipped"}


class Command(base.TeamCommand):
    help = (
        "Export memory to a ZIP file, or import one, a folder of Markdown notes, or what OpenClaw, "
        "Claude Code, Claude.ai, ChatGPT, mem0 or basic-memory export."
    )
    of_agent = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["export", "import"])
        parser.add_argument("--owner", required=True, help="whose memory; “shared” for that of all")
        parser.add_argument(
            "--dry-run", action="store_true", help="import: only say what would happen"
        )
        parser.add_argument(
            "--notes", action="store_true", help="export: all files as Markdown, for Obsidian"
        )
        parser.add_argument("file", type=Path, help="the ZIP file to write; file or folder to read")

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        path: Path = options["file"]
        memory = Memory(options["agent"], find_for_command(team, options["owner"]))
        if options["act"] == "export":
            return _export(team, memory, path, as_notes=options["notes"])
        return _import(team, memory, path, dry=options["dry_run"])


def _export(team: Team, memory: Memory, path: Path, *, as_notes: bool) -> base.Outcome:
    """One file; several where one import could not take it all."""
    made: list[Path] = []
    count = size = 0
    with write_transaction(team) as tx:
        parts = [None] if as_notes else snapshots.parts_of(memory)
        for part in parts:
            number = part.number if part and len(parts) > 1 else None
            exported = snapshots.export(tx, memory, number, as_notes=as_notes)
            made.append(path.with_name(f"{path.stem}{exported.label}{path.suffix}"))
            made[-1].write_bytes(exported.archive)
            count, size = count + exported.files, size + len(exported.archive)
    names = ", ".join(map(str, made))
    said = f"Exported {count} files into {names}."
    if len(made) > 1:
        said += " Each can be imported by itself."
    return base.Outcome(said, {"files": count, "bytes": size, "paths": [str(one) for one in made]})


def _import(team: Team, memory: Memory, path: Path, *, dry: bool) -> base.Outcome:
    archive = _archive(path)
    by = Writer(AuthorKind.IMPORT)
    previewed = snapshots.preview(memory, archive, by=by)
    if dry:
        return base.Outcome(_sentence(previewed.plan, dry=True), _data(previewed.plan, None))
    with write_transaction(team) as tx:
        done = snapshots.apply(tx, memory, archive, previewed.token, by=by)
    batch = str(done.batch.pk) if done.batch else None
    if done.batch and done.batch.run:
        run = engine.work(done.batch.run.pk) or done.batch.run
        return _ran(previewed.plan, run, batch)
    return base.Outcome(_sentence(done.plan, dry=False), _data(done.plan, batch))


def _archive(path: Path) -> bytes:
    """Of a folder, its Markdown."""
    if path.is_dir():
        notes = sorted(one for one in path.rglob("*.md") if one.is_file() and not one.is_symlink())
        return snapshots.zipped(
            [(one.relative_to(path).as_posix(), one.read_bytes()) for one in notes]
        )
    with path.open("rb") as file:
        return file.read(MAX_UPLOAD + 1)


def _ran(plan: Plan, run: Run, batch: str | None) -> base.Outcome:
    """All of it came by a run, which the command has worked to its end."""
    messages, total, files = (run.result.get(name, 0) for name in ("messages", "total", "files"))
    said = f"{messages} messages of {total} conversations came, and {files} files."
    is_good = run.status in GOOD
    return base.Outcome(
        said if is_good else str(reasons.reason(run.reason)),
        _data(plan, batch) | {"run": str(run.pk), "status": run.status},
        ok=is_good,
    )


def _sentence(plan: Plan, *, dry: bool) -> str:
    new, changed, skipped = (plan.count(action) for action in Action)
    said = f"Created {new}, updated {changed} and skipped {skipped} files."
    if dry:
        said = f"Would create {new}, update {changed} and skip {skipped} files."
    lines, talks = [said], plan.talks
    if talks.conversations:
        messages = f"{talks.new} new messages of {talks.conversations} conversations"
        lines.append(f"{messages}; {talks.known} are here.")
    for item in plan.items:
        lines.append(_line(LABELS[item.action], item.path, item.reason))
        lines += [_masked(one, dry=dry) for one in item.masked]
    lines += [_line("ignored", entry.name, entry.reason) for entry in plan.ignored]
    return "\n".join(lines)


def _line(action: str, path: str, reason: str) -> str:
    return f"  {action:<8} {path}" + (f": {reason}" if reason else "")


def _masked(one: Sight, *, dry: bool) -> str:
    masked = "would be masked" if dry else "was masked"
    return " " * 11 + f"line {one.line} contains what looks like a password and {masked}"


def _data(plan: Plan, batch: str | None) -> dict[str, Any]:
    files = [
        {
            "filename": item.path,
            "action": str(item.action),
            "code": item.code,
            "masked": [base.data_of(one, "kind", "line") for one in item.masked],
        }
        for item in plan.items
    ]
    ignored = [{"name": entry.name, "code": entry.code} for entry in plan.ignored]
    counts = {str(action): plan.count(action) for action in Action}
    talks = base.data_of(plan.talks, "conversations", "messages", "known")
    told = {"import": batch, "format": plan.format, **counts, **talks}
    return told | {"files": files, "ignored": ignored}
