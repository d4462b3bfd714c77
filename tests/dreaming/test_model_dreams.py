"""Dreams of a model: what it may write, and what of its answers waits or is refused."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memoryweb.agents.models import Agent, Owner
from memoryweb.dreaming.models import Candidate, Report
from memoryweb.memory.review import proposals
from memoryweb.memory.transaction import write_transaction
from memoryweb.memory.write import Writer
from memoryweb.provenance.models import LineOrigin
from memoryweb.review.models import Proposal
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from memoryweb.workspace.models import AuthorKind, File
from tests.dreaming.nights import NIGHT, answer, dream, memory, note, text_of
from tests.fakes import ModelServer
from tests.world import World


@pytest.mark.usefixtures("model_server")
class TestModel:
    def test_a_cited_line_is_written_with_its_source(
        self, world: World, model_server: ModelServer
    ) -> None:
        source = note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
        line = "Marta's team ships on Thursdays."
        model_server.answer(answer(f"# Memory\n\n- {line}\n", (line, f"{source.path}#L3-L3")))
        run = dream(world, world.customer)
        assert (run.status, run.consolidator) == ("succeeded", "model")
        assert run.tokens_in > 0
        assert LineOrigin.objects.filter(run=run, source_file=source, source_line=3).exists()

    def test_a_line_without_a_source_waits_for_a_person(
        self, world: World, model_server: ModelServer
    ) -> None:
        note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
        model_server.answer(answer("# Memory\n\n- Marta owns a castle.\n"))
        run = dream(world, world.customer)
        assert (run.status, run.reason) == ("needs_review", "cited")
        assert "castle" not in text_of(world, world.customer)

    def test_what_a_person_pinned_or_wrote_is_put_back_and_the_rest_is_written(
        self, world: World, model_server: ModelServer
    ) -> None:
        person = Writer(AuthorKind.PERSON, user=world.alice)
        own = "# Memory\n\n<!-- pinned -->\n- Be kind\n<!-- /pinned -->\n\n- Marta likes tea.\n"
        memory(world, world.customer, own, person)
        source = note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
        line = "Marta's team ships on Thursdays."
        said = f"# Memory\n\n- {line}\n- Marta likes green tea.\n"
        model_server.answer(answer(said, (line, f"{source.path}#L3")))
        run = dream(world, world.customer)
        assert run.status == "succeeded"
        content = text_of(world, world.customer)
        assert all(part in content for part in own.split("\n\n"))
        assert f"- {line}" in content
        number = content.split("\n").index(f"- {line}") + 1
        assert LineOrigin.objects.filter(run=run, line=number, source_file=source).exists()
        assert "they are back" in Report.objects.get(run=run).summary

    @pytest.mark.parametrize("cited", [True, False])
    def test_a_model_does_not_bring_back_what_a_person_rejected(
        self, world: World, model_server: ModelServer, cited: bool
    ) -> None:
        Agent.objects.filter(pk=world.agent.pk).update(policy="review")
        source = note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
        line = "Marta's team ships on Thursdays."
        citations = [(line, f"{source.path}#L3")] if cited else []
        model_server.answer(answer(f"# Memory\n\n- {line}\n", *citations))
        proposal = Proposal.objects.get(run=dream(world, world.customer))
        with write_transaction(world.team) as work:
            proposals.reject(work, proposal, by=world.alice)
        again = "Marta's team ships on Thursday."
        model_server.answer(answer(f"# Memory\n\n- {again}\n", (again, f"{source.path}#L3")))
        run = dream(world, world.customer, NIGHT + timedelta(days=1))
        assert run.status == "no_change"
        assert "a person rejected it before" in Report.objects.get(run=run).summary

    @pytest.mark.parametrize("said", ["I would rather not.", "{", '{"should_update": "maybe"}'])
    def test_an_answer_that_is_no_answer_changes_nothing_and_is_tried_again(
        self, world: World, model_server: ModelServer, said: str
    ) -> None:
        before = _sixty(world)
        note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
        model_server.text(said)
        run = dream(world, world.customer)
        assert (run.status, run.reason) == ("failed", "bad_answer")
        assert run.due_at is not None
        assert text_of(world, world.customer) == before

    def test_an_empty_memory_is_refused_and_the_run_says_so(
        self, world: World, model_server: ModelServer
    ) -> None:
        before = _sixty(world)
        note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
        model_server.answer(answer(" \n"))
        run = dream(world, world.customer)
        assert (run.status, run.reason) == ("failed", "empty_answer")
        assert run.error
        assert text_of(world, world.customer) == before

    def test_one_line_for_sixty_waits_for_a_person(
        self, world: World, model_server: ModelServer
    ) -> None:
        before = _sixty(world)
        source = note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
        line = "Marta's team ships on Thursdays."
        model_server.answer(answer(f"- {line}\n", (line, f"{source.path}#L3")))
        run = dream(world, world.customer)
        assert run.status == "needs_review"
        assert {"dropped", "changed"} & {b["guard"] for b in Proposal.objects.get(run=run).broken}
        assert text_of(world, world.customer) == before

    def test_the_diary_and_the_report_tell_what_the_model_took_away(
        self, world: World, model_server: ModelServer
    ) -> None:
        before = _sixty(world)
        note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
        gone = before.rstrip("\n").split("\n")[-1]
        model_server.answer(answer(before.replace(f"{gone}\n", "")))
        run = dream(world, world.customer)
        diary = text_of(world, world.customer, "DREAMS.md")
        assert "MEMORY.md lost 1 line" in diary
        assert gone in diary
        assert "MEMORY.md stays as it is" not in diary
        assert run.report.summary == "MEMORY.md lost 1 line."

    def test_a_stored_answer_is_not_asked_for_again(
        self, world: World, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        source = note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
        line = "Marta's team ships on Thursdays."
        model_server.answer(answer(f"# Memory\n\n- {line}\n", (line, f"{source.path}#L3")))
        with monkeypatch.context() as broken:
            broken.setattr("memoryweb.dreaming.reports.store", _crash)
            run = dream(world, world.customer)
        assert "Thursdays" not in text_of(world, world.customer)
        Run.objects.filter(pk=run.pk).update(due_at=datetime.now(UTC) - timedelta(seconds=1))
        engine.work(run.pk)
        assert Run.objects.get(pk=run.pk).status == "succeeded"
        assert len(model_server.requests) == 1

    def test_an_echo_of_everything_holds_nothing_of_another_owner(
        self, world: World, model_server: ModelServer
    ) -> None:
        owners: Sequence[Owner | None] = [world.customer, world.sender, world.bobs_memory, None]
        for n, owner in enumerate(owners):
            memory(world, owner, f"# Memory\n\n- The memory canary is mem{n}canary.\n")
            note(world, owner, NIGHT, f"The note canary is note{n}canary.")
        model_server.echo()
        for owner in owners:
            dream(world, owner)
        for n, owner in enumerate(owners):
            seen = _all_text(world, owner)
            others = [f"{kind}{m}canary" for kind in ("mem", "note") for m in range(4) if m != n]
            assert f"note{n}canary" in seen
            assert [canary for canary in others if canary in seen] == []
        for request in model_server.requests:
            assert len({n for n in range(4) if f"note{n}canary" in request.user}) == 1


def _sixty(world: World) -> str:
    lines = [f"- Marta's shelf {n} holds the files of {1950 + n}." for n in range(60)]
    text = "# Memory\n\n" + "\n".join(lines) + "\n"
    memory(world, world.customer, text)
    return text


def _crash(*args: object, **named: object) -> None:
    raise RuntimeError("The process died here.")


def _all_text(world: World, owner: Owner | None) -> str:
    whose: dict[str, Any] = {"owner": owner} if owner else {"owner__isnull": True}
    rows: list[object] = [
        *File.objects.filter(agent=world.agent, **whose).values_list("content", flat=True),
        *Report.objects.filter(agent=world.agent, **whose).values_list("diary", "summary"),
        *Run.objects.filter(agent=world.agent, **whose).values_list("inputs", "answer", "error"),
        *Proposal.objects.filter(
            run__in=Run.objects.filter(agent=world.agent, **whose)
        ).values_list("content", "broken"),
        *Candidate.objects.filter(
            report__in=Report.objects.filter(agent=world.agent, **whose)
        ).values_list("text", "gates", "reason"),
    ]
    return "\n".join(map(str, rows))
