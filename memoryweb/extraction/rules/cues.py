"""What makes an English first-person clause worth keeping, and what rules it out."""

import re
from dataclasses import dataclass

from memoryweb.extraction.rules.verbs import ADVERB, IRREGULAR_PAST

_ADV = rf"(?:(?:{ADVERB}|really|totally|super|pretty|very|too|definitely|truly) )*"
_KIN = (
    r"(?:husband|wife|partner|spouse|fianc[eé]e?|boyfriend|girlfriend|mother|father|mom|mum|dad|parents?|sons?|daughters?"
    r"|child|children|kids?|baby|brothers?|sisters?|siblings?|twins?|grand\w+|aunt|uncle|cousins?|niece|nephew|family"
    r"|pets?|dogs?|cats?|puppy|kitten|pup|kitty|parrot|hamster|rabbit|roommate|neighbou?r|mentors?|friends?|best friend"
    r"|boss|manager|coworkers?|colleagues?|teacher|coach)"
)
_WORK = (
    r"\b(?:job|career|compan(?:y|ies)|business|office|boss|startup|salary|promot\w+|hired|laid off|fired|intern\w*|studying"
    r"|studied|school|college|universit\w+|degree|major(?:ed|ing)?|course|exams?|graduat\w+|thesis|phd|work(?:s|ed|ing)? (?:as|at|for|in|with)"
    r"|banker|engineer\w*|nurse|doctor|developer|designer|lawyer|accountant|counsel\w+|store|shop|studio|teach(?:er|ing)?"
    r"|workshop|class(?:es)?|client|customers?|project|investors?|online|certificat\w+|deadline)\b"
)
_FEEL = (
    r"(?:happy|glad|proud|sorry|sure|curious|jealous|impressed|thankful|grateful|lucky|blessed|amazed|honou?red|excited|thrilled"
    r"|stoked|pumped|touched|moved|hopeful|optimistic|positive|okay|ok|fine|good|well|great|better|speechless|in awe|there|here"
    r"|back|done|off|ready|all ears|nervous|tired|exhausted|swamped|busy|worried|confident|determined|relieved|up for|in|down"
    r"|right|wrong|kidding|joking|afraid|alive|comfortable|accepted|free|inspired|super|crazy|the same|with you|just|getting there"
    r"|doing|living|loving|feeling|rooting|cheering|sending|wishing|talking|saying|listening|having|enjoying|seeing|glowing|over the moon)"
)
_DROPPED_I = re.compile(
    rf"^I {_ADV}(?:(?:am|was|feel|felt|have been|will be) (?:not |so |such |really |super |just |very |always |truly |also |still |all |more |much |a bit |extra )*{_FEEL}\b"
    r"|(?:can't|cannot|couldn't)(?: even)? (?:wait|believe|imagine|help|complain|agree|thank|express|tell|say|stop|deny|have)"
    r"|(?:\d+% )?(?:agree|understand|see|hear|bet|guess|mean|hope|wish|appreciate|suppose|doubt|swear|admire|know|knew|think|thought|feel|felt|believe|wonder|forgot|saw (?:that|it)|get (?:it|that|what|you)|got (?:it|this|that|you|your|to go)|realized?)\b"
    r"|(?:love|like|loved|liked|enjoyed|hate|adore|need|needed|miss|missed|dig|want|value|cherish)(?: (?:it|that|this|those|these|how|your|you|them|him|her|the (?:way|idea|sound|look|vibe|colou?rs?|energy|photo|pic|picture|painting)|to (?:see|hear|know)|seeing|hearing|knowing|having you|all)\b|[.!]*$)"
    r"|would (?:love|like) (?:to (?:hear|see|know|check|join|come|try (?:it|that))|that|it)"
    r"|(?:will|would) (?:keep|let|be |try (?:my|it|that)|do (?:that|it|my|so)|check|look|send|talk|see|definitely|have to|never (?:forget|give|stop)|take|give|always|remember|show|tell|pass|say|recommend|suggest|help|support|miss|get|make (?:it|sure|you))"
    r"|(?:will|would|won't) (?:not )?(?:give up|quit|stop)"
    r"|(?:am )?(?:going to|have to|need to) (?:keep|go|run|admit|say|be|make it|give it|try my|do my|check (?:it|that|them|out)|get going|head)\b"
    r"|am not going to (?:give|quit|stop)|am (?:going for|giving it|sure|keeping|staying|pushing|trying (?:my|to (?:stay|be|keep)))"
    r"|(?:do|did|do not|don't|didn't|haven't|have|am|was|can|could|will|would)(?: (?:not|too|that|it|so|this))*[.!,]*$"
    r"|(?:don't|do not|didn't) (?:know|think|mind|remember|care|want to (?:bother|worry)|have (?:it|that|time to))|had (?:so much|a (?:great|good|nice|lovely|wonderful|amazing|fantastic) time|fun|a blast|no idea)\b(?!.*\b(?:at|with|in)\b)"
    r"|(?:have|want|need|try|tend|hope|get|love)(?: to)? (?:remind|share|tell|say|show|thank|ask)\b|was (?:like|just|thinking|wondering|hoping|saying)|just (?:wanted|thought)\b"
    r"|(?:told|asked|said|mentioned|wrote|sent|texted|messaged|called|thank|thanked) you\b|used to think|have (?:faith|hope|no doubt|no idea|got (?:this|it|you|your))"
    r"|could use (?:a|some)|am (?:a )?(?:mess|wreck)|look forward|have come a long way|did it\b|made it\b)",
    re.IGNORECASE,
)
_LIKING = (
    rf"^I (?:{_ADV}|can't |could not |don't |do not |have always |had always |would )(?:love|like|enjoy|prefer|hate|dislike|adore|stand|loved|enjoyed|preferred|hated|eat|drink|avoid|rather|collect|cherish)\b"
    rf"|^I {_ADV}am {_ADV}(?:not )?(?:a )?{_ADV}(?:(?:a )?(?:huge|big|massive|real|total|lifelong)? ?fan of|into|keen on|passionate about|fond of|obsessed with|interested in|allergic|vegetarian|vegan|addicted|hooked|crazy about|intolerant|in love with)"
    r"|\bfavou?rites?\b|\bgo-to\b|\bpassion(?:s)? (?:for|is)\b|\bhobb(?:y|ies)\b"
)
_PLANNING = (
    rf"\bI {_ADV}(?:am {_ADV}(?:going|planning|hoping|thinking (?:of|about)|about|looking (?:for|into|to)|aiming|considering|training|preparing|saving|applying|working on|starting|launching|opening|moving|creating|building|organi[sz]ing|developing|designing|writing|learning|researching|finishing|taking|getting ready|searching|setting up|trying|hosting|adopting|flying|leaving|meeting|visiting|continuing|putting|making|volunteering)"
    r"|will\b|plan\b|want\b|would (?:love|like)\b|hope\b|need\b|have to\b|intend\b|decided\b|promised?\b|aim\b|wish\b)"
    r"|\b(?:goal|dream|plan|aim|deadline|appointment|vision|interview|trip)s? (?:is|are|was|for)\b|^we (?:are|will|plan|decided|want|hope|need|should be) "
)
_BEING = (
    rf"^I {_ADV}(?:(?:am|was) (?:{_ADV})?(?:an? [\w-]|the [\w-]+ of|from|born|raised|originally|\d+\b|married|single|divorced|engaged|pregnant|retired|diabetic|asthmatic|diagnosed|based|located|living|working|studying|employed|self-employed|running|currently|transgender|trans\b|gay|lesbian|bi\b|queer|deaf|blind|left-handed|colou?rblind|learning)"
    r"|(?:live|lived|work|worked|study|studied|grew up|moved|come from|came from|speak|majored|graduated|teach|manage|own|run|lead|moved|suffer|struggled|mentor)\b|have (?:got )?(?:a|an|two|three|four|five|six|\d+|asthma|diabetes|lots|some|kids|one|no|several|many|my own|been|\w+ed)\b|have (?:\w+ly )?(?:known|had|got|written|taken|seen|met|made|done|gone|read|won|lost|found|started)\b)"
    r"|\bmy (?:name|pronouns|birthday|address|phone|e-?mail|job|full name|nickname|hometown|home country|native)\b"
)
_DOING = rf"^I {_ADV}(?:used to|play|practi[sc]e|sing|swim|paint|draw|write|read|cook|bake|garden|hike|bike|dance|volunteer|meditate|jog|go|take|train|coach|usually|work out|do|make|sew|knit|code|build|use|deploy|ship|keep|follow|spend|attend|visit|commute)\b"
_FEELING_PAST = (
    r"felt|thought|knew|said|meant|was|were|had|did|got|saw|heard|came|kept|understood|told|loved|wanted|liked|needed|hoped|wished"
    r"|agreed|realized|noticed|appreciated|missed|enjoyed|tried|seemed|looked|guessed|figured|used|cried|laughed|smiled|struggled|asked"
)
_PAST_ACT = re.compile(
    rf"\b(?:I|we) (?:{_ADV}|even |all |both |also )*(?!(?:{_FEELING_PAST})\b)(?:{'|'.join(sorted(IRREGULAR_PAST))}|read|put|hurt|hit|quit|\w{{2,}}ed)\b",
    re.IGNORECASE,
)
_PAST_ANY = re.compile(
    rf"\b(?:{'|'.join(sorted(IRREGULAR_PAST))}|was|were|did|had|\w{{2,}}ed)\b", re.IGNORECASE
)
_WEAK_PAST = re.compile(
    rf"\b(?:I|we) {_ADV}(?:got|had|saw|heard|tried|used|loved|enjoyed|came|kept|struggled)\b",
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\b(?:will|going to|plan|planning|want|would|hope|hoping|next|tomorrow|upcoming|coming|thinking of|thinking about|about to|need to"
    r"|have to|must|should|due|deadline|scheduled|by|in \w+ (?:days?|weeks?|months?|years?)|am \w+ing|are \w+ing|'re \w+ing|'ll|until)\b",
    re.IGNORECASE,
)
_STOP = frozenset(
    """i me my mine myself we us our ours you your it its this that these those they them their there here he she his her
    a an the and or but so if as of in on at to for from by with about into over up out off than then because when while
    am is are was were be been being have has had do does did will would can could should may might must not no yes
    just also really very so too still always never even already now ever much many more most lot lots of some any all
    both other others another one ones thing things stuff something anything everything someone anyone everyone way ways
    time times day days good great nice best better cool awesome amazing super fun love like want need know think feel feeling
    make makes made get got go going keep hard forward get through trying try through what how who why where which whole
    bit kind sort such own part lately recently words mean means life everybody world happy joy dreams dream done back
    take took great see give""".split()
)


@dataclass(frozen=True)
class Verdict:
    kept: bool
    durable: bool = False


DROP = Verdict(False)


def is_future(clause: str) -> bool:
    """Which way a bare weekday in this clause looks."""
    past = re.search(
        rf"\b(?:I|we|he|she|they) {_ADV}(?:{'|'.join(sorted(IRREGULAR_PAST))}|\w{{2,}}ed|was|were|had|did)\b",
        clause,
        re.IGNORECASE,
    )
    return not past and (bool(_FUTURE.search(clause)) or not _PAST_ANY.search(clause))


def judge(clause: str, *, dated: bool, lead: str) -> Verdict:
    """`clause` is expanded first person without its openers; `lead` is what stands before its subject."""
    body = clause[len(lead) :]
    if _DROPPED_I.search(body):
        return DROP
    if re.search(r"\b(?:if I were|I wish|who knows|no matter)\b", clause, re.IGNORECASE):
        return DROP
    words = content_words(clause)
    cued = any(re.search(cue, body, re.IGNORECASE) for cue in (_LIKING, _PLANNING, _BEING))
    if dated and (_PAST_ANY.search(clause) or cued or _FUTURE.search(clause)) and words >= 1:
        return Verdict(True, True)
    if cued and words >= 2:
        return Verdict(True, True)
    kin = re.search(rf"\b(?:my|our) (?:\w+ ){{0,2}}{_KIN}\b", clause, re.IGNORECASE)
    if kin and words >= 2:
        return Verdict(True, True)
    if _PAST_ACT.search(clause) and words >= 2:
        return Verdict(True, False)
    if re.search(_DOING, body, re.IGNORECASE) and words >= 2:
        return Verdict(True, True)
    if (_WEAK_PAST.search(clause) or re.search(_WORK, clause, re.IGNORECASE)) and words >= 3:
        return Verdict(True, False)
    return DROP


def content_words(clause: str) -> int:
    return len(
        {word for word in re.findall(r"[a-z][a-z'-]+|\d+", clause.lower()) if word not in _STOP}
    )


def is_past_act(clause: str) -> bool:
    return bool(_PAST_ACT.search(clause) or _WEAK_PAST.search(clause))
