"""What English clauses in the first person speak of, as patterns. Judged in verdicts.py."""

import re

from memoryweb.extraction.rules.verbs import ADVERB, IRREGULAR_PAST, PAST_ED

_ADV = rf"(?:(?:{ADVERB}|really|totally|super|pretty|very|too|definitely|truly) )*"
_KIN = (
    r"(?:husband|wife|partner|spouse|fianc[eé]e?|boyfriend|girlfriend|mother|father|mom|mum"
    r"|dad|parents?|sons?|daughters?"
    r"|child|children|kids?|baby|brothers?|sisters?|siblings?|twins?|grand\w+|aunt|uncle"
    r"|cousins?|niece|nephew|family"
    r"|pets?|dogs?|cats?|puppy|kitten|pup|kitty|parrot|hamster|rabbit|roommate|neighbou?r"
    r"|mentors?|friends?|best friend"
    r"|boss|manager|coworkers?|colleagues?|teacher|coach)"
)
_FEEL = (
    r"(?:happy|glad|proud|sorry|sure|curious|jealous|impressed|thankful|grateful|lucky|blessed"
    r"|amazed|honou?red|excited|thrilled"
    r"|stoked|pumped|touched|moved|hopeful|optimistic|positive|okay|ok|fine|good|well|great"
    r"|better|speechless|in awe|there|here"
    r"|back|done|off|ready|all ears|nervous|tired|exhausted|swamped|busy|worried|confident"
    r"|determined|relieved|up for|in|down"
    r"|right|wrong|kidding|joking|afraid|alive|comfortable|accepted|free|inspired|super|crazy"
    r"|the same|with you|just|getting there"
    r"|doing|living|loving|feeling|rooting|cheering|sending|wishing|talking|saying|listening"
    r"|having|enjoying|seeing|glowing|over the moon)"
)
EMPTY_ABOUT_ME = re.compile(
    rf"^I {_ADV}(?:(?:am|was|feel|felt|have been|will be) (?:not |so |such |really |super "
    rf"|just |very |always |truly |also |still |all |more |much |a bit |extra )*{_FEEL}\b"
    r"|(?:can't|cannot|couldn't)(?: even)? (?:wait|believe|imagine|help|complain|agree|thank"
    r"|express|tell|say|stop|deny|have)"
    r"|(?:\d+% )?(?:agree|understand|see|hear|bet|guess|mean|hope|wish|appreciate|suppose"
    r"|doubt|swear|admire|know|knew|think|thought|feel|felt|believe|wonder|forgot|saw (?:that"
    r"|it)|get (?:it|that|what|you)|got (?:it|this|that|you|your|to go)|realized?)\b"
    r"|(?:love|like|loved|liked|enjoyed|hate|adore|need|needed|miss|missed|dig|want|value"
    r"|cherish)(?: (?:it|that|this|those|these|how|your|you|them|him|her|the (?:[\w-]+ "
    r"){0,3}(?:way|idea|sound"
    r"|look|vibe|colou?rs?|energy|photo|pic|picture|painting|theme|message|design|details?)"
    r"|to (?:see|hear|know)|seeing"
    r"|hearing|knowing|having you|all(?:$| of| the| your| that| this))\b|[.!]*$)"
    r"|would (?:love|like) (?:to (?:hear|see|know|check|join|come|try (?:it|that))|that|it)"
    r"|(?:will|would) (?:keep|let|be |try (?:my|it|that)|do (?:that|it|my|so)|check|look|send"
    r"|talk|see|definitely|have to|never (?:forget|give|stop)|take|give|always|remember|show"
    r"|tell|pass|say|recommend|suggest|help|support|miss|get|make (?:it|sure|you))"
    r"|(?:will|would|won't) (?:not )?(?:give up|quit|stop)"
    r"|(?:am )?(?:going to|have to|have got to|need to) (?:keep|go|run|admit|say|be|make it"
    r"|give it|try my"
    r"|do my|check (?:it|that|them|out)|get going|head)\b"
    r"|am not going to (?:give|quit|stop)|am (?:going for|giving it|sure|keeping|staying"
    r"|pushing|trying (?:my|to (?:stay|be|keep)))"
    r"|(?:do|did|do not|don't|didn't|haven't|have|am|was|can|could|will|would)(?: (?:not|too"
    r"|that|it|so|this))*[.!,]*$"
    r"|(?:don't|do not|didn't) (?:know|think|mind|remember|care|want to (?:bother|worry)|have "
    r"(?:it|that|time to))|had (?:so much|a (?:great|good|nice|lovely|wonderful|amazing"
    r"|fantastic) time|fun|a blast|no idea)\b(?!.*\b(?:at|with|in)\b)"
    r"|(?:have|want|need|try|tend|hope|get|love)(?: to)? (?:remind|share|tell|say|show|thank"
    r"|ask)\b|was (?:(?:actually|just|only) )*(?:like|just|thinking|wondering|hoping|saying"
    r"|remembering)|just (?:wanted|thought)\b"
    r"|(?:told|asked|said|mentioned|wrote|sent|texted|messaged|called|thank|thanked) you\b"
    r"|used to think|have (?:faith|hope|no doubt|no idea|got (?:this|it|you|your))"
    r"|could use (?:a|some)|am (?:a )?(?:mess|wreck)|look forward|have come a long way|did "
    r"it\b|made it\b)",
    re.IGNORECASE,
)
EMPTY = re.compile(
    r"\bfeels? like\b|\bmakes (?:a lot of |so much )?sense\b|\bbeyond words\b|\blooking "
    r"forward to (?:more|enjoying|seeing|hearing|the (?:day|moment|future|rest))\b|\bgoing to "
    r"(?:stay|keep|make (?:my|our) dreams?)\b|\bable to better\b|\bworth it\b|\b(?:got|have"
    r"|has|had) (?:my|your|each other's) backs?\b"
    r"|\bwe all (?:have|need|want|know|deserve|face|go)\b|\bcome so far\b"
    r"|\b(?:if I were|I wish|who knows|no matter|we (?:all|both)? ?(?:can|could|should|got this"
    r"|make a great)"
    r"|we are (?:all|both|so|in this|not alone|here)|since we (?:last )?(?:talked|spoke"
    r"|chatted|met)"
    r"|I am (?:a )?(?:bit of )?(?:a )?(?:mix|bit|little|lot|mess|part) )",
    re.IGNORECASE,
)
VAGUE_PROMISE = re.compile(
    rf"^(?:we {_ADV}(?:will|need to|have to|must|want to)|I (?:will|won't|will not|would|have "
    rf"to|need to)"
    rf" (?:{_ADV})(?:start thinking|let|watch|send|be|stay|focus|remember|figure|make|never"
    rf"|give|stop|work|check|look|hold)|I can (?:make|do|handle|see|offer|imagine|tell|feel"
    rf"|help|be|get|add|use))\b",
    re.IGNORECASE,
)
THRILLED_TO = re.compile(
    r"^I (?:am|was) (?:so |really |super |very )?(?:excited|thrilled|ready|eager|determined"
    r"|hoping) to"
    r" (?!see|hear|be\b|know|have you|share|announce|say|report|tell|help you|make it|keep)\w+ \w+",
    re.IGNORECASE,
)
HAVING_KIN = re.compile(rf"\bto have (?:my |a |an |two |three )?(?:\w+ )?{_KIN}\b", re.IGNORECASE)
HEALTH = re.compile(
    r"\b(?:diabet\w+|asthma\w*|allerg\w+|migraines?|anxiety|depression|adhd|autis\w+"
    r"|dyslexi\w+|arthritis|c(?:o?)eliac|epilep\w+|blood pressure"
    r"|insomnia|pregnan\w+|diagnosed|surgery|medication|intolerant)\b",
    re.IGNORECASE,
)
MINE_IS = re.compile(
    r"^(?:my|our) (?:[\w-]+ ){1,3}(?:is|are) (?-i:[A-Z\d]|\S*[@\d])", re.IGNORECASE
)
WHO_I_AM = re.compile(
    r"^I (?:\w+ly )?(?:(?:am|was) (?:an? (?!bit|little|lot|mess|mix|wreck|part|big|huge|fan"
    r"|bad|good|great|sucker|believer|work)\w|from|born|originally|\d|married|single"
    r"|divorced|engaged|pregnant|vegan|vegetarian)|(?:live|lived) in|come from|grew up|speak"
    r"|work (?:as|at|for)|have (?:an? |no |\w+ )?(?:kids|children|siblings))",
    re.IGNORECASE,
)
LIKING = re.compile(
    rf"^I (?:{_ADV}|can't |could not |don't |do not |have always |had always |would )(?:love"
    rf"|like|enjoy|prefer|hate|dislike|adore|stand|loved|enjoyed|preferred|hated|eat|drink"
    rf"|avoid|rather|collect|cherish)\b"
    rf"|^I {_ADV}am {_ADV}(?:not )?(?:a )?{_ADV}(?:(?:a )?(?:huge|big|massive|real|total"
    rf"|lifelong)? ?fan of|into|keen on|passionate about|fond of|obsessed with|interested in"
    rf"|allergic|vegetarian|vegan|addicted|hooked|crazy about|intolerant|in love with)"
    r"|\bfavou?rites?\b|\bgo-to\b|\bpassion(?:s)? (?:for|is)\b|\bhobb(?:y|ies)\b",
    re.IGNORECASE,
)
PLANNING = re.compile(
    rf"\bI {_ADV}(?:am {_ADV}(?:going|after|planning|hoping|thinking (?:of|about)|about|looking "
    rf"(?:for|into|to)|aiming|considering|training|preparing|saving|applying|working on"
    rf"|starting|launching|opening|moving|creating|building|organi[sz]ing|developing|designing"
    rf"|writing|learning|researching|finishing|taking|getting ready|searching|setting up"
    rf"|trying|hosting|adopting|flying|leaving|meeting|visiting|continuing|putting|making"
    rf"|volunteering)"
    r"|will\b|plan\b|want\b|would (?:love|like)\b|hope\b|need\b|have to\b|intend\b|decided\b"
    r"|promised?\b|aim\b|wish\b)"
    r"|\b(?:goal|dream|plan|aim|deadline|appointment|vision|interview|trip)s? (?:is|are|was"
    r"|for)\b|^we (?:are|will|plan|decided|want|hope|need|should be) ",
    re.IGNORECASE,
)
BEING = re.compile(
    rf"^I {_ADV}(?:(?:am|was) (?:{_ADV})?(?:an? [\w-]|the [\w-]+ of|from|born|raised"
    rf"|originally|\d+\b|married|single|divorced|engaged|pregnant|retired|diabetic|asthmatic"
    rf"|diagnosed|based|located|living|working|studying|employed|self-employed|running"
    rf"|currently|transgender|trans\b|gay|lesbian|bi\b|queer|deaf|blind|left-handed"
    rf"|colou?rblind|learning)"
    r"|(?:live|lived|work|worked|study|studied|grew up|moved|come from|came from|speak|majored"
    r"|graduated|teach|manage|own|run|lead|moved|suffer|struggled|mentor)\b|have (?:got )?(?:a"
    r"|an|two|three|four|five|six|\d+|asthma|diabetes|lots|some|kids|one|no|several|many|my "
    r"own|been|\w+ed)\b|have (?:\w+ly )?(?:known|had|got|written|taken|seen|met|made|done|gone"
    r"|read|won|lost|found|started)\b)"
    r"|\bmy (?:name|pronouns|birthday|address|phone|e-?mail|job|full name|nickname|hometown"
    r"|home country|native)\b",
    re.IGNORECASE,
)
DOING = re.compile(
    rf"^I {_ADV}(?:used to|play|practi[sc]e|sing|swim|paint|draw|write|read|cook|bake"
    rf"|garden|hike|bike|dance|volunteer|meditate|jog|go|take|train|coach|usually|work out|do"
    rf"|make|sew|knit|code|build|use|deploy|ship|keep|follow|spend|attend|visit|commute|stay"
    rf"|relax|unwind|de-?stress|wake|sleep|remind)\b",
    re.IGNORECASE,
)
WORK = re.compile(
    r"\b(?:job|career|compan(?:y|ies)|business|office|boss|startup|salary|promot\w+|hired"
    r"|laid off|fired|intern\w*|studying"
    r"|studied|school|college|universit\w+|degree|major(?:ed|ing)?|course|exams?|graduat\w+"
    r"|thesis|phd|work(?:s|ed|ing)? (?:as|at|for|in|with)"
    r"|banker|engineer\w*|nurse|doctor|developer|designer|lawyer|accountant|counsel\w+|store"
    r"|shop|studio|teach(?:er|ing)?"
    r"|workshop|class(?:es)?|client|customers?|project|investors?|online|certificat\w+|deadline)\b",
    re.IGNORECASE,
)
FACT = re.compile(
    r"\bevery (?:\d+|two|three|four|six|few|couple of) (?:hours|days|weeks|months|years)\b"
    r"|\b(?:once|twice) (?:or twice )?(?:a|every) (?:day|week|month|year)\b|\b(?:every|each) "
    r"(?:day|week|month|quarter|year|morning|evening|night|other (?:day|week|month|year"
    r"|\w+day)|(?:mon|tues"
    r"|wednes|thurs|fri|satur|sun)day)|\bon (?:(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    r"|weekdays|weekends)\b"
    r"|\b(?:at \d|\d+ ?(?:am|pm)\b|\d\d:\d\d)|[\w.+-]+@[\w-]+\.\w|\bdeadline\b|\bdue\b"
    r"|\bexpires?\b|\brenews?\b|\b(?:goes|go) (?:to|out)\b|\bis (?:called|named|owned by|located"
    r"|managed by|responsible for)\b"
    r"|, not (?:on |in |at |the )?[\w-]+$|\bmust (?!have\b|feel\b|be (?:so|really|tough|hard"
    r"|great|nice|amazing|fun)\b)|\bnot allowed\b|\b(?:never|always|only) (?:on|after|before"
    r"|with|via|through|by|at)\b"
    r"|\bcosts? [$€£\d]|\b(?:lives?"
    r"|runs?) (?:in|on|at)\b|\bversion \d|\bbudget\b",
    re.IGNORECASE,
)
_FEELING_PAST = (
    r"felt|thought|knew|said|meant|was|were|had|did|got|saw|heard|came|kept|understood|told"
    r"|loved|wanted|liked|needed|hoped|wished"
    r"|agreed|realized|noticed|appreciated|missed|enjoyed|tried|seemed|looked|guessed|figured"
    r"|used|cried|laughed|smiled|struggled|asked"
)
PAST_ACT = re.compile(
    rf"\b(?:I|we) (?:{_ADV}|even |all |both |also "
    rf")*(?!(?:{_FEELING_PAST})\b)(?:{'|'.join(sorted(IRREGULAR_PAST))}|read|put|hurt|hit|quit"
    rf"|{PAST_ED})\b",
    re.IGNORECASE,
)
WEAK_PAST = re.compile(
    rf"\b(?:I|we) {_ADV}(?:got|did (?:an?|the|some|my|our)|had|saw|heard|tried|used|loved"
    rf"|enjoyed|came|kept|struggled)\b",
    re.IGNORECASE,
)
WE_DO = re.compile(
    r"^we (?:don't |do not )?(?:all |always |usually |never |often )*(?:use|ship|deploy|run|host"
    r"|meet|go|do|play|have|enjoy|love|like)\b",
    re.IGNORECASE,
)
MOVES_ME = re.compile(
    r"^(?!(?:that|this|it|you|they|these|those|what|which|your|everyone)\b)[\w-]+(?: [\w-]+)? "
    r"(?:always |really )?(?:makes|make|brings|bring|gives|give|keeps|keep|helps|help"
    r"|calms|calm|relaxes|inspires|inspire|motivates|motivate|fascinates|fascinate) me "
    r"(?!feel like)\w+",
    re.IGNORECASE,
)
EMPTY_THING = re.compile(
    r"^[\w-]+ing\b.*\b(?:was|is|are|has been|can be|feels?|felt) (?:so |really |such |just "
    r"|both |super |the |a |an )*(?:best|great|awesome|amazing|hard|tough|fun|bummer|good"
    r"|scary|key|tricky|challenging|rewarding|(?:big |huge )?(?:hurdle|ride|journey))\b(?! "
    r"for (?:me|my)\b)[^,]*$"
    r"|^(?:your|the|this|that|these|those|her|his|their) (?:[\w'-]+ )?(?:support|words?|help"
    r"|encouragement|love|photo|pic|picture|colou?rs?|vibes?|moments?|view|journey|day)\b"
    r"|\b(?:helps? a lot|mean(?:s|t)? (?:a lot|so much|the world|everything) to me)[.!]*$"
    r"|\bworth it\b|^(?:a )?lots?\b.*\b(?:happened|going on)\b"
    r"|^(?:some|so many|so much|lots of|all) .*\b(?:happened|going on)\b",
    re.IGNORECASE,
)
MY_KIN = re.compile(rf"\b(?:my|our) (?:[\w-]+ ){{0,2}}{_KIN}\b", re.IGNORECASE)
HAS_KIN = re.compile(
    rf"\b(?:have|got|adopted) (?:got )?(?:an?|two|three|four|five|another|\d+) (?:[\w-]+ "
    rf"){{0,2}}{_KIN}\b",
    re.IGNORECASE,
)
LIKED_NAME = re.compile(
    r"^I (?:\w+ )?(?:love|hate|like|enjoy|prefer) (?-i:[A-Z]\w+)", re.IGNORECASE
)
UNDER_WAY = re.compile(r"^I am (?:\w+ly |still |also |now )?\w+ing\b")
MATTERS_TO_ME = re.compile(
    r"\b(?:important|special|means (?:a lot|so much|everything)|part of my|significan\w+"
    r"|symboli[sz]\w+|stands? for|reminds?"
    r"|helps?|helped|taught|favou?rite|dream|goal|passion|gift|inspired|(?:great|good|bad) "
    r"for (?:me|my)|motivat\w+|changed)\b"
    r"|\bof mine\b",
    re.IGNORECASE,
)
TRADE = re.compile(
    r"\bwe (?:now |only |also |usually |always |normally |will |don't |do not )*"
    r"(?:(?:open|close|are open|are closed) (?:at|on|from|until|every|early|late|for|a (?:second"
    r"|third|new|\w+) (?:shop|store|office|branch|caf[eé]|studio))"
    r"|(?:sell|serve|stock|deliver|bake|supply|employ) (?!our\b|my\b))",
    re.IGNORECASE,
)
DECIDED = re.compile(
    r"\b(?:I|we) (?:have |just |finally |all )*(?:decided|chose|agreed|settled on|switched to"
    r"|picked|opted for)\b",
    re.IGNORECASE,
)
I_AM_FROM = re.compile(r"^I am (?-i:[A-Z])\w+(?:ish|ese|ian|ean|can|an|i)\b[^,]{0,20}$")
# What changes a life or a business is remembered without its date too.
LIFE_EVENT = re.compile(
    rf"\b(?:I|we|my (?:[\w'-]+ ){{1,2}}) ?(?:have )?{_ADV}(?:opened|founded|launched"
    r"|started (?:my|our|a|an)|moved (?:to|from|in|out)|graduated|retired|adopted|married|divorced"
    r"|got (?:married|engaged|divorced|promoted|hired|fired|accepted|a (?:\w+ )?job"
    r"|(?:a|an|our|another) (?:\w+ )?(?:dog|cat|puppy|kitten))|applied (?:to|for)|won|lost my"
    r"|quit my|sold (?:my|our)|bought (?:a|an|our) (?:\w+ )?(?:house|flat|car|boat|apartment)"
    r"|gave birth|had (?:a|our) (?:\w+ )?(?:baby|son|daughter)|emigrated|immigrated"
    r"|transitioned|came out|broke (?:my|up)|started transitioning)\b",
    re.IGNORECASE,
)
# "I will be on holiday", "I will show the new module": not empty once a day or a name stands by.
WILL_DO = re.compile(
    rf"^I {_ADV}(?:will|would) (?:be (?:on|in|at|away|off|back|out|there|here|visiting|\w+ing)"
    r"|show|take|give|send|help|get|make|check|look|present|meet|see|pass|tell)\b(?! (?:you|it|that"
    r"|this)\b)",
    re.IGNORECASE,
)
# "Ines covers for me", "Otto manages my shop".
SOMEBODY_DOES = re.compile(
    r"^(?!(?:This|That|It|They|There|Everyone|Everybody|Nobody|Someone|Life|Work|What|Nothing"
    r"|Everything|Family|Music|Art)\b)[A-Z][a-z]+(?: [A-Z][a-z]+)? (?:also |usually |always )?"
    r"(?:covers|manages|handles|visits|works|lives|helps out|takes over|reports|teaches|runs"
    r"|replaces|supervises|leads|owns|joins|leaves|marries|picks)\b"
)
MY_PEOPLE = re.compile(
    r"^(?:my|our) (?:\w+ )?(?:accountant|lawyer|doctor|landlord|landlady|boss|manager|customers?"
    r"|clients?|suppliers?|assistant|agent|teacher|bank|dentist|colleague|coworker) (?:\w+ )?"
    r"(?:needs?|wants?|prefers?|requires?|expects?|pays?|works?|lives?|is|are|asks?|likes?)\b",
    re.IGNORECASE,
)
USING_NAMED = re.compile(
    r"^(?:I|we) (?:also |only |now |still |currently )?(?:use|run|drive|own|host|rent|play|wear"
    r"|have)\b.*\b(?-i:(?!I\b)[A-Z])[\w-]+",
    re.IGNORECASE,
)
# What somebody reads, learns or makes these days, and whom they see.
AT_PRESENT = re.compile(
    rf"^I {_ADV}(?:am|have been) {_ADV}(?:currently )?(?:reading|watching|playing|practi[sc]ing"
    rf"|knitting"
    r"|painting|drawing|sewing|carving|restoring|renovating|training|rehearsing|dating|seeing"
    r"|mentoring"
    r"|coaching|teaching|saving|studying)\b",
    re.IGNORECASE,
)
