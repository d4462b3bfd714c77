"""What the kinds of statements look like, in the third person and lower case."""

import re

_MODIFIED = r"(?:[\w-]+ ){0,2}"
_KIN = (
    r"(?:husband|wife|partner|spouse|fianc[eé]e?|boyfriend|girlfriend|mother|father|mom|mum"
    r"|dad|parents?|sons?|daughters?|child|children|kids?|bab(?:y|ies)|brothers?|sisters?|siblings?"
    r"|twins?|grand(?:ma|pa|mother|father|parents?|sons?|daughters?|kids|children)|aunt|uncle"
    r"|cousins?|nieces?|nephews?|in-laws|famil(?:y|ies)|pets?|dogs?|cats?|pup(?:py|pies)?"
    r"|kitt(?:en|y)"
    r"|kittens|guinea pigs?|parrots?|horses?|rabbits?|hamsters?|(?:best )?friends?|buddy|roommates?"
    r"|mentors?|neighbou?rs?)"
)
_DATE = r"(?<!\d)(?:19|20)\d\d(?:-\d\d){0,2}(?!\d)"
_PAST = (
    r"\b(?:\w{2,}ed|went|took|made|bought|got|ran|met|wrote|drew|won|lost|saw|gave|had|was"
    r"|were|began|came|found|left|flew|drove|sold|held|built|taught|broke|fell|spent|swam|became"
    r"|heard|read|hurt|did|chose)\b"
)
FUTURE = (
    r"\b(?:will|is going to|are going to|is planning|are planning|plans? to|planning to"
    r"|intends? to|promise[sd]?|wants? to|would like to|would love to|hopes? to|hoping to"
    r"|(?:is|are) (?:thinking|after|considering|aiming|about to)|aims? to|needs? to|has to|have to"
    r"|must|deadline|due (?:on|by)|appointment|scheduled|goal is|dream (?:is|has)|looking forward"
    r"|asked to be reminded|booked|saving (?:up )?for|training for|preparing for|expecting an?"
    r"|needs? an?)\b"
)
_DECIDED = (
    r"\b(?:decided|decides|decision (?:is|was|to)|agreed (?:to|on|that)|settled on|chose|has "
    r"chosen|picked|switched (?:to|from)|switching to|from now on|going with|no longer|correction"
    r"|approved|asked (?:not )?to (?!be reminded)|asked that|proposed to|policy is)\b"
)
_CAREER = (
    r"(?:\b(?:wants?|would (?:like|love)|hopes?|plans?|aims?|dreams?|is (?:hoping|planning|aiming"
    r"|determined)) (?:to|of) (?:become|becoming|be an? |work(?:ing)? (?:as|in|at|with|for)"
    r"|stud(?:y|ying)\b|(?:start|open|found|launch|run|set up)(?:ing)? (?:an?|their|the)(?: \w+)? "
    r"(?:own )?(?:business|shop|store|studio|company|practice|firm|caf[eé]|restaurant))"
    r"|\blooking (?:for|into) [^.]*\b(?:work|jobs?)\b|\b(?:career|jobs?|internships?|job search"
    r"|certification|profession)\b"
    r"|\b(?:keen on|looking into|thinking of|interested in|considering) (?:\w+ or )?"
    r"(?:working (?:in|with|as|for)|studying))"
)
_PROFESSION = (
    r"(?:engineer|nurse|doctor|developer|designer|lawyer|accountant|counsel+or|teacher|banker"
    r"|manager|chef|cook|baker|vet|pilot|student|freelancer|writer|journalist|architect|therapist"
    r"|scientist|researcher|librarian|photographer|farmer|carpenter|electrician|plumber|consultant"
    r"|salesperson|assistant|director|founder|owner|professor|dentist|pharmacist|mechanic)"
)
_WORK_VERB = (
    r"\b(?:works?|worked|working|has worked|has been working) (?:as|at|for|in|on|with|remotely"
    r"|part-time|full-time|night|from)\b"
    rf"|\b(?:is|was|became|are) (?:now |currently )?(?:an?|the) (?:[\w-]+ ){{0,2}}{_PROFESSION}s?\b"
    rf"|\bused to (?:be an? (?:\w+ )?{_PROFESSION}|work)\b"
    r"|\b(?:leads?|heads?|manages?|runs|owns?|founded|co-?founded|supervises?|opened|launched) "
    r"(?:an?|the|their|two|several)(?: [\w-]+){0,3} (?:team|department|group|company|business|shop"
    r"|store|studio|bakery|office|restaurant|caf[eé]|archive|agency|firm|farm|clinic|school|desk)\b"
    r"|\b(?:stud(?:ies|ied|ying)|graduated|majors? in|majored|enrolled|is doing a (?:phd|degree"
    r"|master))\b|\b(?:hired|laid off|fired|promoted)\b"
)
_WORK_THING = (
    r"\b(?:jobs?|careers?|compan(?:y|ies)|business|bakery|boss|colleagues?|coworkers?|clients?"
    r"|customers?|start-?ups?|salary|promotion|internships?|universit\w+|college|degree|exams?"
    r"|thesis|phd|deploy\w*|releases?|ships?|staging|production|servers?|invoices?|repo(?:sitory)?"
    r"|database|apis?|sprint|meetings?|code freeze|covers? for|investors?|suppliers?|contracts?"
    r"|prices?|price list"
    r"|tickets?|help desk|support (?:line|team|desk)|shifts?|offices?|outages?|status page"
    r"|accountant|budget|branding|brand|ads?|ad campaign|marketing|online store|store|shop"
    r"|studio|mentoring"
    r"|workshops and classes|school project|project|licen[cs]e|till|roadmap|backlog)\b"
    r"|'s (?:\w+ )?(?:team|business|company|bakery|shop|store|studio|office)\b"
)
_LIKES = (
    r"\b(?:likes|(?:not|n't|would|others|team|both|they|we|kids|also|really) like|loves?|loved"
    r"|enjoys?|enjoyed|prefers?|preferred|favou?rites?|hates?"
    r"|dislikes?|adores?|fan of|passionate|passion|interested in|keen on|(?:is|are|been) into|hobby"
    r"|hobbies|allergic|allergy|vegan|vegetarian|doesn't (?:eat|drink|like)|does not (?:eat|drink"
    r"|like)|cannot stand|can't stand|collects?|plays?|me-time|relax\w*|de-?stress\w*|go-to"
    r"|top pick|obsessed with|fond of)\b"
)
_HABIT = (
    r"\b(?:always|never|usually|normally|often|every (?:day|morning|evening|night|week|\w+day)"
    r"|each (?:day|morning|evening|week)|once a|twice a|\w+ times a|commutes?|uses|before work"
    r"|after work|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|used to)\b"
)
_PASTIME = (
    r"\b(?:paint(?:s|ing|ings)?|drawing|draws|pottery|sculpt\w*|art|crafts?|guitars?|pianos?"
    r"|violins?"
    r"|clarinet|cello|flute|drums|music|songs?|sings?|singing|danc\w+|runs?|running|jog\w*|hik\w+"
    r"|camping|swim\w*|cycl\w+|bik(?:es|ing)|yoga|tennis|football|soccer|basketball|chess|gam(?:es"
    r"|ing)|books?|reads|reading|novels?|poetry|films?|movies?|theat(?:er|re)|photograph\w+"
    r"|garden\w*"
    r"|bak(?:es|ing)|cook(?:s|ing)|knit\w*|sew\w*|travel\w*|ski\w*|surf\w*|climb\w*|fishing|sail\w*"
    r"|kayak\w*|horseback|nature|beach|museum|concert|fashion|marshmallows|volunteer\w*|meditat\w+"
    r"|tattoo|collection|food|tea|coffee)\b"
)
_WHO = (
    r"\b(?:is|was|are) (?:called|named|born|from|originally|\d+ years old|transgender|gay|lesbian"
    r"|bisexual|queer|retired|an? (?:\w+ )?(?:woman|man|girl|guy|person|mother|father|parent"
    r"|mom|mum|dad|native|citizen|immigrant|refugee|widow(?:er)?|veteran|grandmother|grandfather"
    r"|vegetarian household)"
    r"|(?!vegetarian)\w+(?:wegian|ish|ese|sian|tian|nian|lian|dian|rian|ean|ican|eli|iss"
    r"|ench)(?=[.,]"
    r"| and\b| by\b))"
    r"|\b(?:lives?|lived|living|grew up|resides?|is based) (?:in|at|near|on)\b|\bcomes? from\b"
    r"|\bmoved (?:to|from|here|back)\b|\bhome ?(?:country|town|city)\b|\bbirthday\b|\bname is\b"
    r"|'s (?:full |first |last )?name\b|\bwants to be called\b|\bpronouns\b|\bspeaks\b"
    r"|\bnative (?:language|country)\b|\bcame out\b|\btransition(?:ed|ing)\b"
    r"|\be-?mail (?:address )?is|\bphone number\b|\btime ?zone\b|\bdiabet\w+|\basthma"
)
_RELATED = (
    rf"\b(?:has|have|got|adopted|met|known|knows)(?: got| been)? (?:an?|no|another|one|two|three"
    rf"|four|five|six|\d+|many|their|some|lots of)? ?{_MODIFIED}{_KIN}\b(?!')"
    r"|\b(?:is|are|was|were|been|got|get|getting) (?:\w+ )?(?:married|divorced|engaged|single"
    r"|dating|seeing)\b"
)
_KIN_SUBJECT = rf"^(?:[\w.-]+ ){{0,3}}?[\w.-]+'s {_MODIFIED}{_KIN}\b"
_COMING = (
    rf"^[^,.]*? (?:visits?|leaves?|opens?|closes?|starts?|flies|travels?|returns?|arrives?|moves?"
    rf"|begins?|is (?:away|off|back|in|at)|are (?:away|off|back|in|at)) [^.]*{_DATE}"
    rf"|^[^,.]*? (?:is|are) (?:also |still |now )?\w+ing\b[^.]*?(?<!since )(?:on|in|by|until) "
    rf"(?:the week(?:end)? of |\w+ )?{_DATE}"
)
# A thing that somebody of the family gave, and how long friends are known.
_KEPSAKE = (
    rf"\b(?:gift|present|letter|ring|heirloom|necklace)s? (?:from|by|of) (?:their|his|her) {_KIN}\b"
    r"|\b(?:has|have) known\b"
)

DECISION = re.compile(
    _DECIDED + r"|决定|改用|选了|选择了|说好|商定|以后都|从现在起|要求|ことにした|ことにしました"
    r"|決めた|決めました|決定|今後は|の希望："
)
CAREER = re.compile(_CAREER)
HAPPENED = re.compile(rf"^(?=.*{_DATE})(?=.*{_PAST})(?!.*{FUTURE})")
COMMITMENT = re.compile(
    FUTURE + r"|打算|计划|准备(?:去|在|要)|将(?:要|会)|承诺|答应|保证|截止|目标是|预约|约了"
    r"|想要?去|予定|つもり|しようと思|たいです|たいと思|締め切り|締切|約束|目標|予約"
    r"|\d.*(?:(?<!い)ます|する|行く)(?:。|$)"
)
COMING = re.compile(_COMING)
IDENTITY = re.compile(
    _WHO + r"|叫|姓|岁|出生|来自|住在|住址|生日|老家|电话|邮箱|过敏体质|糖尿病"
    r"|と申します|という名前|名前は|歳|才です|出身|に住んで|生まれ|誕生日|電話番号"
)
CJK_EVENT = re.compile(rf"{_DATE}.*(?:了|过|ました|った|んだ)|(?:了|ました).*{_DATE}")
KIN_SUBJECT = re.compile(_KIN_SUBJECT)
KEPSAKE = re.compile(_KEPSAKE)
RELATED = re.compile(_RELATED)
RELATION = re.compile(
    rf"\b{_KIN}\b(?!')|\b(?:breakup|adopt\w*)\b"
    r"|妻子|丈夫|老公|老婆|爱人|男朋友|女朋友|儿子|女儿|孩子|爸|妈|父亲|母亲|父母|哥哥"
    r"|姐姐|弟弟|妹妹|家人|结婚|离婚|养了|宠物|小狗|小猫|妻が|夫|主人|息子|娘|子供|子ども|父|母"
    r"|兄|姉|弟|妹|家族|結婚|離婚|飼って|ペット|彼女|彼氏|友達|朋友"
)
PREFERENCE = re.compile(
    _LIKES + r"|喜欢|最爱|热爱|偏好|讨厌|不吃|不喝|爱吃|爱喝|爱好|过敏|更愿意|习惯用|素食|吃素"
    r"|が好き|好きな|好きです|嫌い|苦手|趣味|アレルギー|食べません|飲みません|食べられ"
    r"|の方がいい|ほうがいい|がいいです|気に入"
)
WORK_VERB = re.compile(_WORK_VERB)
WORK = re.compile(
    _WORK_THING + r"|工作|上班|公司|团队|同事|老板|客户|项目|大学|学校|专业|毕业|考试|课程|论文"
    r"|实习|工程师|老师|医生|护士|发票|部署|上线|发布|会议|仕事|働いて|会社|勤め|部署|上司|同僚"
    r"|顧客|大学|学校|専攻|卒業|試験|研究|エンジニア|教師|医者|看護師|請求書|デプロイ|リリース"
    r"|チーム|会議|営業|担当|商事|契約|週報"
)
HABIT = re.compile(_HABIT + r"|每天|每周|经常|毎日|毎週|毎朝|いつも")
PASTIME = re.compile(_PASTIME)
REGULAR_PASTIME = re.compile(rf"^(?=.*{_HABIT})(?=.*{_PASTIME})")
BEEN_THERE = re.compile(r"\b(?:has|have) (?:\w+ )?(?:been (?:\w+ )?(?:to|in) \w|visited\b)")
OWNING = re.compile(
    r"\b(?:has|have|owns?|drives?|rents?|keeps?) (?:got )?(?:an?|the|two|three|\d+|many|lots of) "
)
TITLE = re.compile(r"\"[^\"]{2,}\"")
DATED = re.compile(_DATE)
PAST = re.compile(_PAST)
