"""What search by meaning adds to the recall benchmark, at five weights, beside words alone."""

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django_scopes import scope, scopes_disabled

from memoryweb.accounts.teams import create_team
from memoryweb.agents.models import Reader
from memoryweb.audit.record import SYSTEM
from memoryweb.llm import choices, embedding
from memoryweb.llm.models import TeamEmbedding
from memoryweb.memory import vectors
from memoryweb.memory.models import Passage
from memoryweb.memory.search.engine import search
from memoryweb.runs import engine
from scripts.recall_measures import FIRST, Question, Result, asked, reader_of, report, taken

WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0)
DIMENSIONS = (8, 64, 384)


def run(folder: Path, endpoint: str) -> None:
    if endpoint not in MADE:
        _measured(folder, endpoint)
        return
    for dimension in DIMENSIONS if endpoint == "random" else (64,):
        print(f"{endpoint} vectors of {dimension} numbers")
        with _server(MADE[endpoint], dimension) as url:
            _measured(folder, url)


def _measured(folder: Path, url: str) -> None:
    settings.EMBEDDING_BASE_URL = url
    settings.EMBEDDING_MODEL = settings.EMBEDDING_MODEL or "default"
    settings.DAILY_TOKENS = 10**12
    results: dict[str, list[Result]] = {"words": [], **{f"weight {one}": [] for one in WEIGHTS}}
    failed = questions = 0
    for file in sorted(folder.glob("*.messages.jsonl")):
        team = create_team(name=f"Recall of {file.name} {url}"[:80], by=SYSTEM)
        with scope(team=team):
            agent, owner = reader_of(team)
            found: list[Question] = list(taken(team, agent, owner, file))
            reader = Reader(agent, owner)
            results["words"] += [asked(reader, question) for question in found]
            choices.choose(team_id=team.pk, choice="installation", by=SYSTEM, table=TeamEmbedding)
        with scopes_disabled(), transaction.atomic():
            vectors.queue_due(timezone.now())
        for made in engine.run_pending():
            print(f"{file.name}: {made.kind} {made.status} {made.error}")
        with scope(team=team):
            print(f"  {Passage.objects.exclude(vector=None).count()} vectors")
            failed += sum(bool(search(reader, one.text, limit=FIRST).notice) for one in found)
            questions += len(found)
            for weight in WEIGHTS:
                settings.EMBEDDING_WEIGHT = weight
                results[f"weight {weight}"] += [asked(reader, question) for question in found]
    print(f"{failed} of {questions} queries had no vector in {embedding.QUERY_SECONDS} seconds")
    for name, of in results.items():
        report(name, of)


def _random(text: str, dimension: int) -> list[float]:
    made = random.Random(text)
    return [round(made.gauss(0, 1), 4) for _ in range(dimension)]


MADE: dict[str, Callable[[str, int], list[float]]] = {
    "random": _random,
    "constant": lambda _text, dimension: [0.5] * dimension,
    "zero": lambda _text, dimension: [0.0] * dimension,
}


@contextmanager
def _server(made: Callable[[str, int], list[float]], dimension: int) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = [{"embedding": made(text, dimension)} for text in said["input"]]
            body = json.dumps({"data": data}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
