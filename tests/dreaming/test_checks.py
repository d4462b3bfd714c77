"""What became of a candidate in each check, as it is stored."""

import json
from dataclasses import asdict

import pytest
from django.db import connection

from memoryweb.core.row_batches import insert
from memoryweb.dreaming.candidates import score
from memoryweb.dreaming.gates import judge
from memoryweb.dreaming.models import Candidate, Report
from memoryweb.runs.models import Run
from tests.dreaming.notes import NIGHT, candidate
from tests.world import World


@pytest.mark.databases
@pytest.mark.django_db
def test_what_was_checked_is_read_as_it_was_found(world: World) -> None:
    whose = {"team": world.team, "agent": world.agent, "owner": world.customer}
    run = Run.objects.create(**whose, kind="dream", trigger="person")
    report = Report.objects.create(**whose, run=run, dreamt_at=NIGHT)
    bread = candidate("Tom bakes bread")
    [verdict] = judge([bread], score([bread], NIGHT), memory_lines=[], now=NIGHT)
    checks = [
        *map(asdict, verdict.gates),
        {"name": "new", "passed": False, "code": "no", "values": {"line": 3}},
        {"name": "age", "passed": False, "detail": "It was last mentioned 31 days ago."},
    ]
    made = Candidate(team=world.team, report=report, key="k", text="Bread.", path="a.md", line=3)
    made.score, made.gates = 0.5, checks
    insert([made])
    stored = Candidate.objects.get()
    assert stored.gates == checks
    stored.save()
    assert Candidate.objects.get().gates == checks
    with connection.cursor() as cursor:
        cursor.execute("UPDATE dreaming_candidate SET gates = %s", [json.dumps(checks)])
    assert Candidate.objects.get().gates == checks, "as earlier versions kept them"
