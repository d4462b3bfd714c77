"""Dreams of a model: what it may write, and what of its answers waits or is refused."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memoryweb.agents.models import Agent, Owner
from memoryweb.dreaming.models import Candidate, Operation, Report
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.llm.prompts import load
from memoryweb.memory import questions
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.models import (
    AuthorKind,
    Contradiction,
    File,
    ForgetRequest,
    LineOrigin,
    Proposal,
    Target,
)
from memoryweb.memory.models.forgetting import Mention
from memoryweb.memory.models.writer import Memory, Writer, write_transaction
from memoryweb.memory.review import proposals
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.dreaming.nights import NIGHT, add, answer, dream, memory, note, text_of
from tests.fakes import Behaviour, ModelServer
from tests.world import World

LINE = "Marta's team ships on Thursdays."


@pytest.mark.usefixtures("model_server")
class TestModel:
    def test_a_cited_line_is_written_with_its_source(
        self, world: World, model_server: ModelServer
    ) -> None:
        source = note(world, world.customer, NIGHT, LINE)
        model_server.answer(answer(add(LINE)))
        run = dream(world, world.customer)
        assert (run.status, run.consolidator) == ("succeeded", "model")
        assert run.tokens_in > 0
        assert LineOrigin.objects.filter(run=run, source_file=source, source_line=3).exists()

    def test_it_is_given_statements_and_note_lines_with_ids(
        self, world: World, model_server: ModelServer
    ) -> None:
        memory(world, world.customer, "# Memory\n\n- Marta likes tea.\n")
        note(world, world.customer, NIGHT, LINE)
        dream(world, world.customer)
        data = model_server.requests[0].data
        assert data["memory"] == [{"id": "s1", "text": "Marta likes tea."}]
        (line,) = data["notes"]
        assert (line["id"], line["text"], line["said"]) == ("n1", LINE, f"{NIGHT}")

    def test_it_is_given_no_note_that_memory_has_and_not_asked_where_that_is_all(
        self, world: World, model_server: ModelServer
    ) -> None:
        memory(world, world.customer, "# Memory\n\n- Marta likes tea.\n")
        note(world, world.customer, NIGHT, "Marta likes tea.")
        run = dream(world, world.customer)
        assert (run.status, run.consolidator) == ("no_change", "model")
        assert not model_server.requests
        note(world, world.customer, NIGHT, LINE)
        model_server.answer(answer(add(LINE, "n2")))
        dream(world, world.customer, NIGHT + timedelta(days=1))
        assert [one["text"] for one in model_server.requests[0].data["notes"]] == [LINE]
        assert LINE in text_of(world, world.customer)

    def test_people_are_told_apart_by_name_and_never_by_an_id(
        self, world: World, model_server: ModelServer
    ) -> None:
        note(world, None, NIGHT, LINE, writer=Writer(AuthorKind.PERSON, user=world.alice))
        note(world, None, NIGHT, "The lamp is broken.")
        dream(world, None)
        who = [one.get("who") for one in model_server.requests[0].data["notes"]]
        assert who == [str(world.alice), "*"]

    def test_memory_is_given_oldest_first_and_an_answer_s_ids_are_of_that_order(
        self, world: World, model_server: ModelServer
    ) -> None:
        texts = ("Marta likes tea.", "Marta rows.")
        note(world, world.customer, NIGHT - timedelta(days=1), texts[1])
        model_server.answer(answer(add(texts[1])))
        dream(world, world.customer, NIGHT - timedelta(days=1))
        memory(world, world.customer, f"# Memory\n\n- {texts[0]}\n- {texts[1]}\n")
        note(world, world.customer, NIGHT, "Marta stopped rowing.", LINE)
        dream(world, world.customer)
        given = model_server.requests[-1].data["memory"]
        assert [one["id"] for one in given] == ["s1", "s2"]
        said = [str(one.get("said", "")) for one in given]
        assert said == sorted(said)

    def test_it_is_told_which_words_ended_and_given_a_note_that_says_them_again(
        self, world: World, model_server: ModelServer
    ) -> None:
        there = "I live in Altona and I keep bees."
        mark = "<!-- until 2026-09-28: I live in Altona -->"
        person = Writer(AuthorKind.PERSON, user=world.alice)
        memory(world, world.customer, f"# Memory\n\n- {there} {mark}\n", person)
        note(world, world.customer, NIGHT, "I live in Altona.")
        dream(world, world.customer)
        asked = model_server.requests[0].data
        assert asked["memory"][0]["ended"] == ["2026-09-28: I live in Altona"]
        assert [one["text"] for one in asked["notes"]] == ["I live in Altona."]

    def test_possible_rivals_are_given_as_pairs_the_older_first(
        self, world: World, model_server: ModelServer
    ) -> None:
        note(world, world.customer, NIGHT - timedelta(days=1), "My dentist is Dr Nowak.", LINE)
        model_server.answer(answer(add("My dentist is Dr Nowak."), add(LINE, "n2")))
        dream(world, world.customer, NIGHT - timedelta(days=1))
        note(world, world.customer, NIGHT, "Dentist with Dr Lam was fine, I'm her patient now.")
        dream(world, world.customer)
        asked = model_server.requests[-1].data
        names = {one["id"]: one["text"] for one in (*asked["memory"], *asked["notes"])}
        [[older, newer]] = asked["rivals"]
        assert ("Nowak" in names[older], "Lam" in names[newer]) == (True, True)

    def test_a_model_that_ends_everything_or_copies_its_examples_changes_nothing(
        self, world: World, model_server: ModelServer
    ) -> None:
        lines = [
            "I live in Porto and I keep three ferrets.",
            "I am allergic to nuts.",
            "My sister Clara lives in Oslo.",
            "I have a cat called Minou.",
        ]
        before = "# Memory\n\n" + "".join(f"- {line}\n" for line in lines)
        memory(world, world.customer, before)
        note(world, world.customer, NIGHT, "I walked along the river.")
        found = re.findall(r'^   (\{"sources".*\})$', load("dream"), re.MULTILINE)
        examples = [json.loads(one) for one in found]
        assert len(examples) > 8
        whole = [
            {"sources": ["n1"], "old": [f"s{n}"], "why": "superseded", "op": "end"}
            | {"words": words, "on": "2026-11-19"}
            for n, line in enumerate(lines, start=1)
            for words in (line, line.removesuffix("."), line.split(" and ")[0])
        ]
        model_server.answer(answer(*whole, *examples))
        run = dream(world, world.customer)
        assert text_of(world, world.customer) == before
        assert not Operation.objects.filter(report__run=run, code="").exists()
        assert Contradiction.objects.count() <= questions.MOST_UNPROVED

    def test_a_long_note_is_given_whole_in_as_many_parts_as_it_takes(
        self, world: World, model_server: ModelServer
    ) -> None:
        texts = [f"Shelf {n} " + f"holds files of {1950 + n} " * 150 for n in range(15)]
        note(world, world.customer, NIGHT, *texts)
        dream(world, world.customer)
        assert len(model_server.requests) == 2
        lines = [line for asked in model_server.requests for line in asked.data["notes"]]
        assert {line["id"] for line in lines} == {f"n{n}" for n in range(1, 16)}
        assert max(len(line["text"]) for line in lines) <= 4_000

    def test_a_line_without_a_source_is_left_out_and_the_rest_is_written(
        self, world: World, model_server: ModelServer
    ) -> None:
        note(world, world.customer, NIGHT, LINE)
        castle = {"op": "add", "text": "Marta owns a castle."}
        model_server.answer(answer(castle, add(LINE)))
        run = dream(world, world.customer)
        assert run.status == "succeeded"
        assert "castle" not in text_of(world, world.customer)
        assert LINE in text_of(world, world.customer)
        assert "It has no note line as its source." in run.report.diary

    def test_what_a_person_pinned_or_wrote_stays_and_the_rest_is_written(
        self, world: World, model_server: ModelServer
    ) -> None:
        person = Writer(AuthorKind.PERSON, user=world.alice)
        own = "# Memory\n\n<!-- pinned -->\n- Be kind\n<!-- /pinned -->\n\n- Marta likes tea.\n"
        memory(world, world.customer, own, person)
        note(world, world.customer, NIGHT, LINE)
        retire = {"op": "retire", "old": ["s1", "s2"], "why": "superseded", "sources": ["n1"]}
        model_server.answer(answer(retire, {**retire, "old": "s2"}, add(LINE)))
        run = dream(world, world.customer)
        content = text_of(world, world.customer)
        assert content.startswith(own)
        assert f"- {LINE}" in content
        codes = list(Operation.objects.filter(report__run=run).values_list("code", flat=True))
        assert codes == ["pinned", "persons_word", ""]

    def test_a_model_does_not_bring_back_what_a_person_rejected(
        self, world: World, model_server: ModelServer
    ) -> None:
        Agent.objects.filter(pk=world.agent.pk).update(policy="review")
        note(world, world.customer, NIGHT, LINE)
        model_server.answer(answer(add(LINE)))
        proposal = Proposal.objects.get(run=dream(world, world.customer))
        with write_transaction(world.team) as tx:
            proposals.reject(tx, proposal, by=world.alice)
        model_server.answer(answer(add("Marta's team ships on Thursday.")))
        run = dream(world, world.customer, NIGHT + timedelta(days=1))
        assert run.status == "no_change"
        assert "A person rejected it before." in run.report.diary

    def test_a_model_is_not_told_of_what_was_rejected_and_is_to_be_forgotten(
        self, world: World, model_server: ModelServer
    ) -> None:
        Agent.objects.filter(pk=world.agent.pk).update(policy="review")
        noted = note(world, world.customer, NIGHT, LINE)
        model_server.answer(answer(add(LINE)))
        proposal = Proposal.objects.get(run=dream(world, world.customer))
        with write_transaction(world.team) as tx:
            proposals.reject(tx, proposal, by=world.alice)
            asked = Wish(Memory(world.agent, world.customer), ForgetRequest.Via.API, "Thursdays")
            meant = Mention(Target.Kind.LINE, LINE, file=noted, fingerprint=fingerprint(LINE))
            hide(tx, open_request(tx, asked), [meant])
        note(world, world.customer, NIGHT + timedelta(days=1), "Marta likes tea.")
        model_server.answer(answer())
        dream(world, world.customer, NIGHT + timedelta(days=1))
        assert "tea" in str(model_server.requests[-1].data)
        assert "Thursdays" not in str(model_server.requests[-1].data)

    @pytest.mark.parametrize("said", ["I would rather not.", "{", '{"operations": "maybe"}'])
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

    def test_everything_retired_each_night_does_not_empty_memory(
        self, world: World, model_server: ModelServer
    ) -> None:
        before = _sixty(world)
        note(world, world.customer, NIGHT, LINE)
        everything = [f"s{n}" for n in range(1, 61)]
        model_server.default = lambda _: Behaviour(
            json.dumps(
                answer(
                    *(
                        {"op": "retire", "old": one, "why": why, "sources": ["n1"]}
                        for one in everything
                        for why in ("superseded", "expired", "cancelled", "duplicate", "asked")
                    )
                )
            )
        )
        for night in range(8):
            day = NIGHT + timedelta(days=night)
            note(world, world.customer, day, "Marta's shelf was dusted.")
            dream(world, world.customer, day)
        lost = set(before.split("\n")) - set(text_of(world, world.customer).split("\n"))
        assert len(lost) <= 3

    def test_the_diary_and_the_report_tell_what_the_model_took_away(
        self, world: World, model_server: ModelServer
    ) -> None:
        _sixty(world)
        gone = "Marta's shelf 59 holds the files of 2009."
        memory(world, world.customer, text_of(world, world.customer) + f"- {gone[:-1]}, all.\n")
        note(world, world.customer, NIGHT, LINE)
        model_server.answer(answer({"op": "retire", "old": "s60", "why": "duplicate"}))
        run = dream(world, world.customer)
        diary = text_of(world, world.customer, "DREAMS.md")
        assert f"- Ended: “{gone[:-1]}”. Another statement says the same." in diary
        assert "MEMORY.md stays as it is" not in diary
        assert run.report.operations.get().before == [gone]

    def test_a_stored_answer_is_not_asked_for_again(
        self, world: World, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note(world, world.customer, NIGHT, LINE)
        model_server.answer(answer(add(LINE)))
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
        *File.objects.filter(agent=world.agent, **whose).values_list("raw_content", flat=True),
        *Report.objects.filter(agent=world.agent, **whose).values_list("diary"),
        *Run.objects.filter(agent=world.agent, **whose).values_list("inputs", "answer", "error"),
        *Operation.objects.filter(
            report__in=Report.objects.filter(agent=world.agent, **whose)
        ).values_list("before", "after", "against"),
        *Proposal.objects.filter(
            run__in=Run.objects.filter(agent=world.agent, **whose)
        ).values_list("raw_content", "broken"),
        *Candidate.objects.filter(
            report__in=Report.objects.filter(agent=world.agent, **whose)
        ).values_list("text", "gates", "reason"),
    ]
    return "\n".join(map(str, rows))
