from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import timedelta

import pytest

from memoryweb.dreaming.candidates import Candidate, Mention, score
from memoryweb.dreaming.gates import Thresholds, Verdict, judge, sentence, why
from memoryweb.language.extraction_rules import claim_of, takes_back
from tests.dreaming.notes import NIGHT, candidate, mention, recall, verdicts

BREAD = "Tom bakes bread"
PLAIN = mention(BREAD, durable=False)
TWO_DAYS = (mention(BREAD, 8, durable=False), PLAIN)


def failed(verdict: Verdict) -> dict[str, str]:
    return {gate.name: gate.detail for gate in verdict.gates if not gate.passed}


def judged(one: Candidate, **given: object) -> Verdict:
    options: dict[str, object] = {"memory_lines": [], "now": NIGHT} | given
    (verdict,) = judge([one], score([one], NIGHT), **options)  # type: ignore[arg-type]
    return verdict


def test_a_lasting_fresh_new_statement_passes_every_gate() -> None:
    verdict = judged(candidate(BREAD))
    assert verdict.verdict == "promoted"
    assert [(gate.name, gate.passed, gate.detail) for gate in verdict.gates] == [
        ("age", True, "It was last mentioned on 2026-03-09."),
        ("new", True, "MEMORY.md does not say this yet."),
        ("current", True, "No newer note says otherwise."),
        ("undecided", True, "Nobody rejected it before."),
        ("grounds", True, "It's the kind of thing that lasts."),
    ]


def test_score_gate_lets_what_was_repeated_wait() -> None:
    one = candidate(BREAD, *TWO_DAYS)
    assert "It scored 0.43; 0.40 is enough." in [gate.detail for gate in judged(one).gates]
    verdict = judged(one, thresholds=Thresholds(min_score=0.9))
    assert failed(verdict) == {"score": "It scored 0.43; 0.90 is needed."}
    assert verdict.verdict == "kept"


def test_a_score_just_below_the_limit_is_not_rounded_to_it() -> None:
    verdict = judged(candidate(BREAD, *TWO_DAYS), thresholds=Thresholds(min_score=0.43))
    assert failed(verdict) == {"score": "It scored 0.4286; 0.43 is needed."}


@pytest.mark.parametrize("sign", ["durable", "asked", "proposed"])
def test_what_lasts_was_asked_for_or_proposed_needs_no_score(sign: str) -> None:
    one = replace(PLAIN, durable=sign == "durable", asked=sign == "asked")
    found = replace(candidate(BREAD, one), proposed=sign == "proposed")
    assert judged(found, thresholds=Thresholds(min_score=0.9)).verdict == "promoted"


OWN_LIFE = "We never got on with the people upstairs"


@pytest.mark.parametrize(
    ("said", "has_room", "passes"),
    [
        (mention(OWN_LIFE, durable=False), True, True),
        (mention(OWN_LIFE, durable=False), False, False),
        (mention(OWN_LIFE, durable=False, speaker="user 7"), True, False),
        (mention(OWN_LIFE, durable=False, weight=0), True, False),
        (mention(f"Maria: {OWN_LIFE}", durable=False), True, False),
        (PLAIN, True, False),
    ],
)
def test_where_there_is_room_what_the_owner_said_of_themselves_is_worth_it(
    said: Mention, has_room: bool, passes: bool
) -> None:
    verdict = judged(candidate(said.text, said), has_room=has_room)
    assert (verdict.verdict == "promoted") is passes


@pytest.mark.parametrize(("days", "passes"), [(30, True), (31, False)])
def test_age_gate(days: int, passes: bool) -> None:
    one = candidate(BREAD, mention(BREAD, 1, month=1))
    now = NIGHT.replace(month=1, day=2) + timedelta(days=days)
    verdict = judged(one, now=now)
    assert ("age" not in failed(verdict)) is passes
    if not passes:
        assert failed(verdict)["age"] == "It was last mentioned 31 days ago; the limit is 30."
        assert verdict.verdict == "rejected"


@pytest.mark.parametrize(
    "line", ["- Tom bakes bread.", "Tom bakes bread", "- Tom bakes bread with rye"]
)
def test_new_gate_rejects_what_memory_says(line: str) -> None:
    verdict = judged(candidate(BREAD), memory_lines=["# Memory", "", line])
    assert failed(verdict) == {"new": "MEMORY.md already says this in line 3."}
    assert verdict.verdict == "rejected"


def test_new_gate_lets_a_fuller_statement_through() -> None:
    assert judged(candidate(BREAD + " with rye"), memory_lines=[f"- {BREAD}"]).verdict == "promoted"


def test_a_heading_is_no_statement_of_memory() -> None:
    assert judged(candidate(BREAD), memory_lines=[f"# {BREAD}"]).verdict == "promoted"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ships on Fridays", "Ships on Thursdays"),
        ("Tom eats meat", "Tom no longer eats meat"),
        ("- **Budget**: 300 euros", "- **Budget**: 500 euros"),
        ("小林住在上海", "小林住在北京"),
    ],
)
def test_current_gate_rejects_what_a_newer_note_contradicts(old: str, new: str) -> None:
    found = {v.candidate.text: v for v in verdicts([mention(old, 5), mention(new, 8)])}
    older = next(v for v in found.values() if v.candidate.last_date.day == 5)
    newer = next(v for v in found.values() if v.candidate.last_date.day == 8)
    assert failed(older) == {"current": "A newer note says otherwise (memory/2026-03-08.md:3)."}
    assert (older.verdict, newer.verdict) == ("rejected", "promoted")


def test_the_later_line_of_one_note_is_the_newer_one() -> None:
    early, late = mention("Ships on Fridays", 8, 3), mention("Ships on Mondays", 8, 9)
    outcome = {v.candidate.text: v.verdict for v in verdicts([early, late])}
    assert outcome == {"Ships on Fridays": "rejected", "Ships on Mondays": "promoted"}


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Ines likes coffee", "Correction: Ines likes tea, not coffee"),
        ("The offsite is in Porto", "Actually the offsite is in Faro, not in Porto"),
        ("Ines's train leaves from Porto", "I was wrong: Ines's train leaves from Faro"),
        ("会议在周五", "会议不是在周五，而是在周四"),
        ("会議は金曜日です", "会議は金曜日ではなく木曜日です"),
    ],
)
def test_current_gate_rejects_what_was_taken_back(earlier: str, later: str) -> None:
    found = verdicts([mention(earlier, 7), mention(later, 8, 5)])
    older = next(v for v in found if v.candidate.last_date.day == 7)
    assert failed(older) == {"current": "A newer note says otherwise (memory/2026-03-08.md:5)."}
    assert older.verdict == "rejected"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Tom likes coffee", "Ann reads novels, not coffee ads"),
        ("Ines likes tea", "Correction: Ines likes tea, not coffee"),
        ("Tom bakes bread", "Correction: Ines likes tea, not coffee"),
        ("Ines plays the violin", "Ines plays the violin, not the cello"),
    ],
)
def test_a_correction_touches_only_what_it_speaks_of(earlier: str, later: str) -> None:
    assert not takes_back(claim_of(later), earlier)


def test_an_earlier_correction_takes_nothing_back() -> None:
    found = verdicts(
        [mention("Actually Ines likes tea, not coffee", 5), mention("Ines likes coffee", 8)]
    )
    later = next(v for v in found if v.candidate.last_date.day == 8)
    assert "current" not in failed(later)


def test_undecided_gate_rejects_what_a_person_rejected() -> None:
    verdict = judged(candidate(BREAD), rejected_before={BREAD})
    assert failed(verdict) == {"undecided": "A person rejected it before."}
    assert verdict.verdict == "rejected"


@pytest.mark.parametrize("again", ["tom bakes bread.", "Tom often bakes bread"])
def test_nearly_the_same_words_are_rejected_too(again: str) -> None:
    assert "undecided" in failed(judged(candidate(again), rejected_before={BREAD}))


def test_another_value_than_the_rejected_one_may_be_proposed() -> None:
    one = candidate("Ships on Thursdays")
    assert judged(one, rejected_before={"Ships on Fridays"}).verdict == "promoted"


def recalled(count: int, queries: int) -> Callable[[Candidate], Candidate]:
    return lambda one: replace(one, recall=recall(queries=queries, count=count, last=NIGHT))


def changed(**fields: object) -> Callable[[Candidate], Candidate]:
    return lambda one: replace(one, **fields)  # type: ignore[arg-type]


LASTS = "It's the kind of thing that lasts."
ASKED = "Somebody asked to remember it."
NEVER = "It was mentioned on one day only and never recalled."
ONE_DAY = (PLAIN, replace(PLAIN, line=8))


@pytest.mark.parametrize(
    ("change", "passes", "detail"),
    [
        (changed(), False, NEVER),
        (recalled(3, 2), True, "It was recalled 3 times by 2 queries."),
        (recalled(2, 2), False, "It was mentioned on one day only and recalled twice."),
        (recalled(3, 1), False, "It was mentioned on one day only and recalled 3 times."),
        (recalled(1, 1), False, "It was mentioned on one day only and recalled once."),
        (changed(mentions=TWO_DAYS), True, "It was mentioned on 2 days."),
        (changed(mentions=ONE_DAY), False, NEVER),
        (changed(mentions=(replace(PLAIN, asked=True),)), True, ASKED),
        (changed(mentions=(replace(PLAIN, durable=True),)), True, LASTS),
        (changed(proposed=True), True, "The model proposed it and cited its lines."),
    ],
)  # fmt: skip
def test_grounds_gate(change: Callable[[Candidate], Candidate], passes: bool, detail: str) -> None:
    verdict = judged(change(candidate(BREAD, PLAIN)))
    last = verdict.gates[-1]
    assert (last.name, last.passed, last.detail) == ("grounds", passes, detail)
    assert verdict.verdict == ("promoted" if passes else "kept")


@pytest.mark.parametrize(
    ("day", "verdict", "reason"),
    [
        (5, "kept", NEVER),
        (4, "rejected", f"{NEVER} This was the last night of its 7 days."),
    ],
)
def test_a_statement_is_kept_while_a_later_night_may_see_it(
    day: int, verdict: str, reason: str
) -> None:
    """The night of the 11th reads the 5th to the 11th."""
    found = judged(candidate(BREAD, mention(BREAD, day, durable=False)))
    assert (found.verdict, found.why) == (verdict, reason)


def test_no_sentence_holds_text_of_a_note() -> None:
    notes: list[Mention] = [
        mention("Ships on Fridays", 5),
        mention("Ships on Mondays", 8),
        mention("Ines likes coffee", 5),
        mention("Correction: Ines likes tea, not coffee", 8),
        mention(BREAD, 8),
    ]
    said = " ".join(
        text
        for verdict in verdicts(notes, memory=f"- {BREAD}")
        for text in [verdict.why, *(gate.detail for gate in verdict.gates)]
    )
    assert not any(word in said for word in ["Fridays", "coffee", "tea", "bread", "Ines", "Tom"])


def test_the_best_score_comes_first() -> None:
    notes = [mention(BREAD, 4), mention("Ines plays the violin", 9), mention("Ann runs", 7)]
    totals = [verdict.scored.total for verdict in verdicts(notes)]
    assert totals == sorted(totals, reverse=True)


def test_what_earlier_versions_stored_as_sentences_is_shown_as_it_is() -> None:
    old = {"name": "age", "passed": False, "detail": "It was last mentioned 31 days ago."}
    assert sentence(old) == "It was last mentioned 31 days ago."
    assert why("It is too old.", [old]) == "It is too old."


def test_a_check_that_is_gone_still_reads_in_what_was_stored() -> None:
    gate = {"name": "uncorrected", "passed": False, "code": "no", "values": {"place": "a.md:3"}}
    assert why("", [gate]) == "It was corrected later (a.md:3)."


def test_every_code_of_a_check_has_its_sentence() -> None:
    found = judged(candidate(BREAD))
    stored = [asdict(gate) for gate in found.gates]
    assert [sentence(gate) for gate in stored] == [gate.detail for gate in found.gates]
    assert all("{" not in sentence(gate) for gate in stored)
    assert why("known", stored) == "Another statement says the same."
    assert why("too_long 600", stored).startswith("It's longer than 600 characters")
