"""English sentences of one person turned into third-person statements."""

import re
from dataclasses import replace

from memoryweb.extraction.rules import (
    asides,
    clauses,
    dates,
    facts,
    fillers,
    groups,
    introductions,
    moments,
    requests,
    shown,
    speakers,
    subjects,
    tense,
    verdicts,
    worth,
)
from memoryweb.extraction.rules.corrections import corrected
from memoryweb.extraction.rules.drafts import Draft, Scene
from memoryweb.extraction.rules.references import dangles
from memoryweb.extraction.rules.verbs import UnknownVerb

UNNAMED = "The user"


def drafts(sentence: str, openers: fillers.Openers, scene: Scene) -> list[Draft]:
    """The clauses of one sentence that are worth keeping, in order."""
    bare, is_asked = requests.asked(openers.strip(sentence), scene)
    bare = openers.strip(corrected(bare, scene.earlier))
    bare = speakers.expand(openers.strip(bare) if is_asked else bare)
    found, bare = introductions.introduced(bare, scene.speaker)
    for part in clauses.split(bare):
        if found and requests.is_reminder(part):
            found[-1] = replace(found[-1], asked=True, durable=True)
            continue
        wish = requests.wish_draft(part, scene, is_asked=is_asked)
        if wish:
            found.append(wish)
            continue
        clause = openers.strip(part)
        draft = _draft(clause, scene) or facts.fact_draft(clause, scene, is_asked=is_asked)
        since = None if draft else asides.SINCE_I.search(clause)
        draft = _draft(since["what"], scene) if since else draft
        if draft:
            found.append(replace(draft, asked=is_asked, durable=draft.durable or is_asked))
    if is_asked and not found:
        return _as_asked(bare, scene)
    return [*found, *(draft for draft in asides.drafts(bare, scene) if not _says(found, draft))]


def _says(found: list[Draft], aside: Draft) -> bool:
    """Whether what a sentence mentions in passing is all that it said anyway."""
    words = set(aside.text.lower().strip(".").split())
    return any(words <= set(draft.text.lower().strip(".").split()) for draft in found)


def _as_asked(text: str, scene: Scene) -> list[Draft]:
    """Whoever asks to remember something is believed: kept even where no rule knows its kind."""
    if not (scene.to_assistant or verdicts.is_statement(text)):
        return []
    if verdicts.content_words(text) < 1 or len(text.split()) < 2:
        return []
    said = dates.resolve(text.strip(" .!"), scene.at).text
    return [Draft(_told(said, scene, past=False), durable=True, asked=True)]


def _draft(clause: str, scene: Scene) -> Draft | None:
    text = subjects.with_subject(shown.presented(clause.strip(" ,.!;:-–")))
    if not verdicts.is_statement(text):
        return None
    told = text
    dated = dates.resolve(text, scene.at)
    if scene.day and not dated.found and verdicts.is_past_act(text):
        dated = dates.Dated(f"{text} {scene.day}", found=True, exact=True)
    text = _OWN.sub("My ", dated.text) if dated.found else dated.text
    text = moments.something(text, dated=dated.found)
    lead = subjects.lead(text)
    core = text[len(lead) :]
    subject = subjects.kind(core)
    addressed = len(re.findall(r"\byou(?:r|rs|rself)?\b", text, re.IGNORECASE))
    if subject in {"you", "none"} or addressed > (1 if scene.other else 0):
        return None
    if subject == "other" and _FRAGMENT.match(core) and not subjects.FINITE.search(core):
        return None
    core = worth.trimmed(core)
    text = lead + core
    verdict = _verdict(core, subject, dated.found)
    if not verdict.kept:
        return None
    weight = worth.of(text)
    placed = moments.told(moments.placed(text, dated.found, scene.at))
    pointing = subject == "pronoun" or dangles(re.sub(r"\([^()]*\)$", "", placed))
    if weight < (worth.Worth.LASTING if pointing else worth.Worth.LIGHT):
        return None
    durable = (verdict.durable or "(around " in placed) and weight == worth.Worth.LASTING
    return Draft(_told(placed, scene, past=not tense.is_ahead(told)), durable, pointing)


def _told(text: str, scene: Scene, *, past: bool) -> str:
    """In the third person; as it was said where a verb's form would be a guess."""
    cast = speakers.Cast(scene.speaker, scene.other, groups.of(text, scene))
    try:
        return _finished(speakers.third(text, cast, past=past))
    except UnknownVerb:
        return _finished(f'{scene.speaker} said: "{text}"')


# "The kids had a lesson on 2024-05-07": who speaks so speaks of their own.
_OWN = re.compile(
    r"^The (?=(?:kids|children|boys|girls|twins|baby|dogs?|cats?|puppy|kitten) "
    r"(?:had|have|got|went|started?|starts|made|won|broke|were|was|will|are|is)\b)"
)


def _verdict(core: str, subject: str, dated: bool) -> verdicts.Verdict:
    if subject in {"first", "mine"}:
        return verdicts.judge(core, dated=dated)
    if subject == "pronoun" and _EMPTY_PRONOUN.match(core):
        return verdicts.DROP
    if (
        subject == "pronoun"
        and verdicts.content_words(core) >= (1 if worth.named(core) else 3)
        and not fillers.is_evaluation(core)
    ):
        return verdicts.Verdict(True)
    if not _FIRST_PERSON.search(core) or fillers.is_evaluation(core):
        return verdicts.DROP
    return verdicts.judge_thing(core, dated=dated)


# "A reminder to follow my passions": no verb, no statement.
_FRAGMENT = re.compile(
    r"^(?:an?|another|such an?|just an?|the) (?:[\w-]+ ){1,3}(?:to|of|for) "
    r"\w+",
    re.IGNORECASE,
)
_EMPTY_PRONOUN = re.compile(
    r"^(?:that|this|these|those|here|there|what|who|such|so|everyone"
    r"|everything|nothing|none|one)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our)\b", re.IGNORECASE)


def _finished(text: str) -> str:
    text = " ".join(text.split()).strip(" ,;:-")
    text = re.sub(r"(?<!^)(?<![.!?] )\bThe (?=user\b)", "the ", text)
    text = re.sub(r"\s+([,.;!])", r"\1", text).rstrip("!.… ")
    text = re.sub(r'\.(?="$)', "", text)
    return f"{text[:1].upper()}{text[1:]}."
