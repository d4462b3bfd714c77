"""What stands around a statement and says nothing: openers, names called out, evaluations."""

import re
from collections.abc import Iterable

_OPENER = (
    r"(?:(?:good )?(?:morning|afternoon|evening)|he+y+(?: there)?|hi+(?: there)?|hello(?: "
    r"there)?|yo|wow+|whoa+|woa+h"
    r"|oo+h+|o+h+(?: (?:man|wow|no|yeah|my(?: god)?|boy))?|ah+|a+w+|u+gh|oo+f|oops|yikes|phew"
    r"|ya+y|woo ?hoo+|hooray|man"
    r"|ye+a+h*(?: (?:totally|definitely|sure|for sure))?|yep|yup|ye+s+|yea|no+|nope|nah|not "
    r"yet|well"
    r"|so|ok(?:ay)?|sure(?: thing)?"
    r"|right|alright|anyways?|actually|honestly|seriously|basically|by the way|btw|oh and|also"
    r"|plus|besides|and|but"
    r"|thankfully|unfortunately|luckily|fortunately|sadly|guess what|you know(?: what)?|to be "
    r"honest|tbh|ha(?:ha)+|lol"
    r"|hm+|um+|uh+|er+|thanks(?: (?:so much|a lot|again|a bunch|a ton))?|thank you(?: (?:so "
    r"much|very much|again))?|thx"
    r"|totally|absolutely|definitely|exactly|of course|sorry(?: (?:about|for|to "
    r"hear)[^,.!]{0,40})?|congrats|congratulations"
    r"|cool|nice|great|awesome|amazing|perfect|for sure|true|same here|me too|i mean|first(?: "
    r"of all|ly)?|second(?:ly)?"
    r"|finally|correction|my mistake|scratch that|in fact|as for me|for me|as you know"
    r"|speaking of which|that said|that being "
    r"said|long story short"
    r"|on (?:the bright side|top of that|another note)|(?:and|so|but) yeah|as always|again"
    r"|good news|no worries|no problem"
    r"|glad (?:to|you|that|it)[^,.!]{0,40}|(?:i )?hope you(?:'re| are)[^,.!]{0,30}|welcome "
    r"back|sounds (?:good|great|fun)"
    r"|(?:ever )?since (?:we|our) last (?:chat|talk|conversation|spoke|chatted|talked|met"
    r"|catch-?up)(?:ted|ed)?"
    r"|(?:and|so|but|oh|well) (?:yeah|yes|yup|yep|no|of course)|time flies|so much has "
    r"happened|long time no (?:see|talk|chat)|been a (?:busy|while"
    r"|hectic)[^,.!]{0,20})"
)
_SOFT = re.compile(
    r"^(?:so|and|but|well|also|plus|oh|then|actually|unfortunately|thankfully|luckily"
    r"|fortunately|sadly|honestly"
    r"|btw|by the way|yeah|yes|because|hopefully|anyway|ok|okay|man|besides|though|no|wow)"
    r",? (?=(?:I|we|my|our|it|they|he|she|the|last|yesterday|today|just|now|here|there|this|on"
    r"|in|since)\b)",
    re.IGNORECASE,
)
_FRAMES = re.compile(
    r"^(?:(?:I (?:just )?(?:wanted|want|have|need|had|am (?:so )?(?:happy|excited|glad|proud"
    r"|thrilled|pleased)) to"
    r"|just wanted to|happy to|excited to|let me) "
    r"(?:tell|say|share|announce|report|let|mention|inform)(?: (?:you|everyone|all|you "
    r"all))?(?: (?:know|guys))?(?: that)?"
    r"|I (?:have to|must) (?:say|admit)(?: that)?|I (?:think|guess|believe|suppose|feel like"
    r"|realized|mean)(?: that)?"
    r"|(?:it )?turns out(?: that)?|it's (?:just )?that|the thing is(?: that)?|as I (?:said"
    r"|mentioned)(?: before| earlier)?,"
    r"|in my case,|personally,|for me,|did I mention(?: that)?|you know,?|(?:I )?(?:can't"
    r"|cannot) believe(?: that)?"
    r"|(?:ever )?since (?:we|our) last (?:chat|talk|conversation|spoke|chatted|talked|met"
    r"|catch-?up)(?:ted|ed)?,?)"
    r"[,:]? +(?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)
_TOLD_ABOUT = re.compile(
    r"^I (?:just )?(?:wanted|want|have|need|had) to tell you(?: all)? about (?=my |our )",
    re.IGNORECASE,
)
_LAST_CHAT = re.compile(
    r",? (?:ever )?since (?:we|our) last (?:chat|talk|conversation|spoke|met|catch-?up)(?:ted"
    r"|ed)?\b",
    re.IGNORECASE,
)
_PUNCTUATION = r"(?:\s*[,!.;:…—–]+|\s+-+|-+(?=\s))[\s,!.;:…—–-]*"  # not the hyphen of "well-being"
_TAIL = re.compile(
    r"(?:,? (?:though|tho|too|as well|lol|haha|of course|for sure|btw|by the way|so far|after all"
    r"|and stuff|and so on|or something"
    r"|(?:especially|including|like) (?:[\w-]+ ){0,3}ones"
    r"|take a look|have a look|check (?:it|them|this) out|and look at [^,.]+|as you can see"
    r"|all of that|if that makes sense)"
    r"|, (?:actually|you know|again|anyway|right|already|I think|I guess|then|look))+(?=[.!]*$)",
    re.IGNORECASE,
)
_GOOD = (
    r"(?:good|great|awesome|amazing|fun|nice|cool|sweet|lovely|beautiful|wonderful|fantastic"
    r"|incredible|special|rewarding"
    r"|inspiring|exciting|powerful|tough|hard|scary|crazy|wild|insane|emotional|therapeutic"
    r"|calming|freeing|relaxing|peaceful"
    r"|fulfilling|empowering|magical|best|blast|worth|meaningful|moving|touching|motivating"
    r"|encouraging|refreshing|intense"
    r"|challenging|stressful|delicious|yummy|tasty|perfect|brilliant|super|joy|happy|happiness"
    r"|lucky|proud|important|helpful"
    r"|tricky|frustrating|overwhelming|bumpy|ride|rollercoaster|journey|adventure|blessing"
    r"|gift|pleasure|thrilling|nerve)"
)
# "it was so powerful", "which is pretty exciting": a judgement on what went before.
_EVALUATION = re.compile(
    rf"^(?:and |but |so |which |'?cause |because )?(?:(?:it|that|this|they|these|those|which"
    rf"|everything|the \w+)"
    rf"(?:'s|'re| is| was| are| were| has been| have been|'s been| felt| feels| looks?| looked"
    rf"| sounds?| made| makes"
    rf"| gives?| gave| brings?| brought| means?| meant| really| always| sure| just| definitely"
    rf"| still| will| would|'ll)+"
    rf"|so|such|really|pretty|very|super|what|how|love|loved|such a|a|an|super)\b.*\b{_GOOD}",
    re.IGNORECASE,
)


_CALENDAR = (
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July"
    r"|August|September|October|November|December|Today|Tomorrow|Yesterday|Tonight"
)
_GREETING = (
    r"(?:(?:good )?(?:morning|afternoon|evening)|he+y+(?: there)?|hi+(?: there)?|hello(?: there)?"
    r"|dear|thanks(?: so much| a lot| again)?|thank you(?: so much| very much| again)?|yes|yeah"
    r"|no|sure|ok(?:ay)?|sorry|right|great|welcome back)"
)
# "Ada, I live in Oslo": whoever is called before a comma, known or not. Not "Sometimes, I ...".
_CALLED = re.compile(
    rf"^(?!(?:{_CALENDAR}|Sometimes|Often|Always|Never|Later|Soon|Now|Then|Here|There|Once|However"
    r"|Today|Still|Next|Last|Indoors|Outdoors|Overseas|Abroad|Upstairs|Somehow|Maybe|Perhaps"
    r"|Nowadays|Meanwhile|Afterwards?|Instead|Therefore|Otherwise|Anyhow|[A-Z]\w+ly|[A-Z]\w+ing"
    r")\b)[A-Z][a-z'-]+, (?=(?:I|I'm|I've|I'll|I'd|we|we're|we've|my|our|please|can you"
    r"|could you|remember|from now)\b)"
)


class Openers:
    """Knows the names that may be called out in this conversation."""

    def __init__(self, names: Iterable[str]) -> None:
        called = "|".join(
            sorted(
                {re.escape(word) for name in names for word in _short_forms(name)},
                key=len,
                reverse=True,
            )
        )
        vocative = rf"(?:{called})" if called else r"(?!)"
        piece = (
            rf"(?:{_OPENER}(?: (?:{vocative}|everyone|all|guys|folks|team|buddy|friend))?"
            rf"|{vocative}|dear {vocative})"
        )
        self._lead = re.compile(rf"^(?:{piece}(?:{_PUNCTUATION}|$))+", re.IGNORECASE)
        called_to = rf"(?:{_GREETING} (?-i:(?!{_CALENDAR})[A-Z][\w'-]+(?: [A-Z][\w'-]+)?))"
        self._greeted = re.compile(rf"^{called_to}(?:{_PUNCTUATION}|$)", re.IGNORECASE)
        self._call = re.compile(rf",? ?\b{vocative}(?=[.!,]*$)|(?<=,) {vocative},", re.IGNORECASE)

    def strip(self, sentence: str) -> str:
        text = sentence.strip(" '*_~")
        if text.count('"') == 1 or re.fullmatch(r'"[^"]*"', text):
            text = text.strip('"')
        for _ in range(4):
            before = text
            text = _CALLED.sub("", self._lead.sub("", self._greeted.sub("", text)))
            text = _FRAMES.sub("", _SOFT.sub("", text))
            text = _TOLD_ABOUT.sub("I had ", text)
            if text == before:
                break
        called_off = self._call.sub("", text) if "," in text else text
        return _TAIL.sub("", _LAST_CHAT.sub("", called_off)).strip()


def is_evaluation(clause: str) -> bool:
    return bool(_EVALUATION.search(clause)) and not re.search(r"\b(?:my|I|me|we|our|\d+)\b", clause)


def _short_forms(name: str) -> list[str]:
    """Caroline is also called Caro, Mel is Melanie, and typists double letters."""
    words = [name, *name.split()]
    forms = [word for word in words if word]
    for word in words:
        if len(word) > 4 and word.isalpha() and word.isascii():
            forms += [word[:size] for size in range(3, len(word))]
            forms += [word[:3] + word[2], word[:3] + "y", word[:3] + "ie"]
    return forms
