"""What the diary says of a dream that a person took back: its entry stays, and tells so."""

from memoryweb.dreaming import diary
from memoryweb.dreaming.inputs import DIARY
from memoryweb.dreaming.models import Report
from memoryweb.memory import write
from memoryweb.memory.transaction import Unit
from memoryweb.memory.write import Place, Writer
from memoryweb.runs.models import Run
from memoryweb.workspace.models import File


def note(unit: Unit, run: Run, writer: Writer) -> None:
    """One line in DREAMS.md, or in the month's archive where the entry has moved."""
    report = Report.objects.filter(run=run).first()
    if report is None:
        return
    said = _sentence(unit, run, writer)
    shelf = File.objects.of(run.agent_id, run.owner_id).present()
    for file in shelf.filter(path__in=[DIARY, diary.archive_of(report.diary)]):
        text = diary.taken_back(file.content, report.diary, said)
        if text != file.content:
            place = Place(run.agent, run.owner, file.path)
            write.write(unit, place, text, writer=writer, expected=file.sha256)


def _sentence(unit: Unit, run: Run, writer: Writer) -> str:
    who = " ".join(str(writer.user).split()) if writer.user else "a person"
    at = unit.now.astimezone(run.agent.zone)
    return f"Taken back on {at:%Y-%m-%d %H:%M} by {who}: what this dream had changed was undone."
