"""Whether a clause says something concrete, or only how somebody feels about it."""

import re
from enum import IntEnum

from memoryweb.extraction.rules import verdicts
from memoryweb.extraction.rules.verbs import ADVERB, words_of


class Worth(IntEnum):
    NOTHING = 0  # a feeling, a judgement or a maxim
    LIGHT = 1  # something, for the day's note
    LASTING = 2  # something to hold on to


def of(clause: str) -> Worth:
    """Of an English clause in the first person, expanded, its dates made absolute."""
    bare = _WHEN_SAID.sub("", clause)
    things = substance(_SUBJECT.sub("", bare))
    pinned = bool(_PINNED.search(bare) or named(bare))
    if feels(bare):
        if pinned and things >= 2:
            return Worth.LASTING
        least = 1 if _DOES_TO_ME.search(bare) else 2
        return Worth.LIGHT if things >= least or pinned else Worth.NOTHING
    if things == 1 and not pinned and _DREAM.search(bare):
        return Worth.LIGHT
    if things or pinned:
        return Worth.LASTING
    return Worth.NOTHING


def trimmed(clause: str) -> str:
    """Without the tails that only judge: " – which has been great", ", and it means a lot"."""
    for _ in range(3):
        cuts = [match for match in _TAIL.finditer(clause) if match.start() > 12]
        if not cuts:
            break
        tail = clause[cuts[-1].end() :]
        if _PINNED.search(tail) or named(f"x {tail}") or not (feels(tail) or substance(tail) < 1):
            break
        clause = clause[: cuts[-1].start()]
    return clause


def feels(clause: str) -> bool:
    """Whether a clause tells of a feeling or a judgement, or what something does to somebody."""
    acts = _I_ACT.match(clause)
    return any(pattern.search(clause) for pattern in _FEELINGS) or (
        not acts and bool(_DOES_TO_ME.search(clause))
    )


def substance(clause: str) -> int:
    """How many words of a clause name a thing, an act or a place."""
    words = re.findall(r"\b(?!\w+n't\b)[a-z][a-z-]+", clause.lower())
    return len({word for word in words if word not in ABSTRACT and word not in verdicts.STOP})


def named(clause: str) -> bool:
    """Whether a name or a title stands in the clause."""
    return bool(_NAME.search(clause) or _TITLE.search(clause))


# "Me and my kids don't go often": who it is says nothing about what.
_SUBJECT = re.compile(
    r"^(?:me and |I and )?(?:my|our) (?:[\w'-]+ ){1,3}?"
    r"(?=(?:do|don't|am|is|are|was|were|feel|felt|go)\b)",
    re.IGNORECASE,
)
_WHEN_SAID = re.compile(r" ?\((?:as of|around) [^()]*\)")
_DREAM = re.compile(r"^(?:my|our) (?:\w+ )?(?:goal|dream|aim|hope|wish|vision)s? ", re.IGNORECASE)
_PINNED = re.compile(r"\b\d{1,4}\b")
_NAME = re.compile(r"(?<!^)(?<![.!?–] )\b(?!I\b|I'|LGBT|God\b|OK\b)[A-Z][\w'-]+")
_TITLE = re.compile(r"\"[^\"]{2,80}\"")
_TAIL = re.compile(
    r" – |,? (?:and|but|so|because|as) (?=(?:it|that|this|they)\b)|, (?=(?:it|that|this|they)\b)"
    r"|,? (?=which\b)"
)
_SO = rf"(?:(?:{ADVERB}|really|super|very|totally|pretty|quite|such|a|an|the|more|most|too|my) )*"
_MOVED = (
    r"(?:lucky|bless(?:ed|ing)|grateful|thankful|happy|glad|excited|thrilled|proud|honou?red"
    r"|stoked|amazed|determined|ready|focused|motivated|inspired|pumped|hopeful|sad|nervous"
    r"|scared|freaked|worried|overwhelmed|confident|relieved|touched|moved|in awe|psyched"
    r"|driven|courageous|couragous|brave|strong)"
)
_GOOD = (
    r"(?:important|special|significant|meaningful|invaluable|essential|precious|everything|a lot"
    r"|so much|huge|big|powerful|inspiring|amazing|great|wonderful|awesome|incredible|tough|hard"
    r"|challenging|rewarding|gratifying|therapeutic|tricky|key|crucial|vital|ride|roller ?coaster"
    r"|journey|bummer|lifesaver|worth it|fulfilling|stressful|freeing|no cakewalk|rocks?"
    r"|reminder|boost|invaluable|insane|wild|chance|opportunity|good|part of|way to|process"
    r"|passion|escape|focus|dream|own resilience)"
)
_FEELINGS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:'s|\b(?:is|was|are|were|been|be|feels?|felt|means?|meant|seems?))"
        rf" {_SO}{_GOOD}\b",
        rf"\b(?:am|is|are|was|were|feel|felt|been|be|makes? me|made me) {_SO}{_MOVED}\b",
        r"\b(?:symboli[sz]\w+|represent(?:s|ed|ing)?|stands? for|reflects?|embodi\w+|signif\w+"
        r"|reminders?)\b",
        rf"^(?:I|we) (?:{ADVERB} )*(?:cherish|appreciate|value|treasure|savou?r|believe"
        r"|reali[sz]\w+|learnt|learned|understood|noticed|look forward|dream|stay|keep|kept"
        r"|am (?:\w+ly )?(?:starting to realiz\w+|learning that|trying to (?:stay|be|keep))"
        r"|want to (?:savou?r|be|stay|keep|live|feel)|struggled?|cared?|felt|feel)\b",
        r"\b(?:mak(?:e|es|ing)|made) (?:[\w-]+ ){0,4}(?:difference|impact|happen|stir)\b",
        r"\b(?:positive impact|give up|my best|my all|ups and downs|walk in the park|hard work"
        r"|looking up|(?:my|our|their) hearts? into|true to (?:my|them)\w+|comfort zone"
        r"|full potential)\b",
        r"\b(?:work\w* (?:\w+ )?hard|lots? of (?:hard )?work|(?:tough|hard|rough) (?:times?|patch)"
        r"|follow\w* my (?:passion|dream|heart)s?|chas\w+ my \w+|hard work"
        r"|have (?:\w+ )?(?:learned|learnt|realized|come to))\b",
        rf"^(?:an?|so|such|the|pretty|really) (?:\w+ )?{_GOOD}\b",
        r"\b(?:it|that|this)(?:'s| is| was| has been) (?:just |kind of |really )?(?:like|about"
        r"|all about|an? (?:\w+ )?way|my (?:\w+ )?way)\b|\blooking forward\b",
        r"\bgoing (?:good|well|great|strong|smoothly)\b",
        r"\b(?:important|essential|vital|great|nice|good|hard) it is\b|\bhow far\b",
        rf"\b(?:has|have|had) (?:had )?{_SO}(?:significance|meaning|fun|blast|highs? and lows?|ups"
        r"|great time|good time|wonderful time)\b",
    )
)
_I_ACT = re.compile(r"^(?:(?:Now|Currently|Also|Then),? )?(?:I|we)\b", re.IGNORECASE)
_DOES_TO_ME = re.compile(
    r"\b(?:helps?|helped|makes?|made|lets?|gives?|gave|brings?|brought|keeps?|kept|reminds?"
    r"|reminded|allows?|allowed|motivates?|inspires?|inspired|drives?|driving|pushe[sd]"
    r"|pushed|fuels?|calms?|shows?|showed|shown|taught|encourages?|refreshes|empowers?"
    r"|guides?|energi[sz]es?|relaxes|gets?|got) (?:me|us|my|our|them|others|people)\b",
    re.IGNORECASE,
)
# Words that say how something is felt, done or wished for, and verbs that fit anything.
ABSTRACT = words_of(
    """
    able absolutely accept acceptance accepted accepting achieve across actually adventure against
    ago aim aims alive allow along although am amazed ambition ambitions among anyone anyway
    appreciate appreciated appreciation around aspect attitude authentic authentically aware
    awareness away bad battle beauty become becoming begin being belief believe believing best
    better bit blast blessed blessing boost boundary brave bravely bravery bright bring brings
    brought care cares caring celebrate challenge challenges challenging chance change changes
    chapter charge chase chasing cherish cherishes choose clear closer come comes comfort
    comfortable coming community confidence confident connect connected connecting connection
    connections constantly continue continues continuing cool courage courageous couragous
    crazy create creating creative creativity curious currently days deal dealing deals
    dedicated dedication deep deeply definitely desire despite determination determined
    develop developed difference different difficult direction discover diversity dope down
    downs drive driven driving each eager early easy effort else's embrace emotion emotional
    emotions empower empowering encourage encouraged encouragement encouraging end energy
    enjoying enough entire epic equality escape especially essential everywhere exactly excite
    excited excitement exciting expectations experience experiences explore express expressing
    expression face faced faces facing faith family-love feelings felt fight fighting fill
    finally find finding fire fit focus focused folks follow following force forever forward
    found free freedom friendly fuel fulfilled fulfilling fulfillment full fully fun future
    gave general genuine gift giving glad goal goals gone good gosh gotta grace grateful
    gratitude greatest grow growing growth guess guidance guide guiding hand handle hang
    hanging happen happened happening happens happiest happiness hardest hardships having head
    heal healing heard heart hearts help helped helpful helping helps hold home honestly hope
    hopeful hopes hoping huge human idea identity imagination impact important improve
    improved in-depth inclusion inclusive inclusivity incredible incredibly inner insight
    inspiration inspire inspired inspires inspiring interesting invaluable inviting issue
    issues it's journeys joyful keep kept kind kindness knew knowing lastly lately laugh
    learned learning learnt least leave left lesson lessons let lets letting level light
    lighter line listen little live lives living long look looked looking looks lots loved
    loves loving low luck lucky mainly making matter matters meaningful meet meeting met mind
    minds mindset mine mission moment moments months more mostly motivate motivated motivates
    motivating motivation moved moving must myself near neat need needed needs new nice notice
    nurture obstacle obstacles often okay once one's opportunities opportunity optimistic
    order others ourselves outlook overall overcome overcoming passion passionate passions
    path paths pay peace peaceful people perfect perspective picturing piece place places
    point positive positivity possible potential power powerful precious present pretty pride
    probably progress promote promoting proof proud proves psyched pump pumped purpose pursue
    pursuing push pushed pushes pushing put puts putting rad rarely reach ready real reality
    realize realized realizing reason recharge reflect reflecting reflects rejuvenate relax
    relaxed relief remember remembering remind reminded reminder reminders reminding reminds
    represent representing represents reset resilience resilient respect rest rewarding right
    rights rock rocks role roller room running-on safe said same saying scared scary seeing
    seem seems self self-acceptance self-expression sense serenity set settle share shared
    sharing she'll short show showed showing shown shows side significance significant similar
    simple sky-high smile solid somebody someone's sometimes sort soul space special spirit
    spread stand stands start started starting stay stayed staying stays step steps stoked
    stood stop stories story strength strengthen stress stressful strive strong stronger
    struggle struggled struggles succeed success successes successful suit support supported
    supporting supportive supports surrounded symbol symbolize symbolizes take takes taking
    talk talked talking tell telling thankful thanks themself themselves they'll things
    thinking those though thoughts thrilled thrive through together told totally touched tough
    toward towards transform treasure tried true truly trust truth turn turned turning twice
    ultimately understand understanding understood unique unity unknown until uplift ups upset
    use used uses using usually value values vibe vibes view vision vital voice wait walk
    wanna wanted wants warm warmth watch weeks weight welcoming well went what's wherever
    who'd who's who've whoever willing wish within without wonder wonderful words work-life
    world worry worse worst worth wrong years you'd you're young younger yourself
    """
)
