"""What an instruction to an assistant looks like in a memory: English, Chinese, Japanese, and by
`european` German and Spanish. Pure data.

Every repetition is bounded, so that a long line takes linear time. A memory tells about people in
the third person and in finite verbs ("always takes oat milk"); what is caught here speaks to the
reader of the prompt: an imperative at the beginning of a clause, or a "you" that is told to.
"""

import re
from functools import cache

# ruff: noqa: E501

_CLAUSE_START = r"(?:^|[.!?:;,(\"'“„‘«>=—–¡¿]\s{0,3}|[-*]\s|\b(?:bitte|por favor|und|y)\s)"

_RULES_DE = (
    r"(?:anweisung|instruktion|vorgabe|regel|richtlinie|befehl|prompt|einschränkung|systemprompt"
    r"|vorschrift|sicherheitsregel)(?:s|en|n)?"
)
_USER_DE = r"(?:de[mnr]|den|die|einem|keinem)\s(?:\w+\s)?(?:nutzer|benutzer|anwender|user|menschen)(?:in|s|n|innen)?"
_SAY_DE = (
    r"(?:antworte|sag|sage|behaupte|empfiehl|empfehle|erwähne|schreibe?|sprich|nenne|lüge|verweise?|füge"
    r"|ignoriere|befolge|gehorche|vertraue|leite|sende|schicke|tu|beende|beginne|wiederhole|gib|zeige|rate"
    r"|verrate|lobe|nutze|verwende|behandle|stimme|lehne|erkläre)"
)
GERMAN = (
    rf"\b(?:ignorier|vergiss|missacht|umgeh|überschreib|verwirf)\w{{0,3}}\s(?:\w+\s){{0,4}}?{_RULES_DE}\b",
    r"\b(?:ignorier|vergiss|missacht)\w{0,3}\s(?:alles|was)\b.{0,20}\b(?:oben|zuvor|bisher|vorher|davor|gesagt)\b",
    rf"{_CLAUSE_START}(?:beachte|befolge|folge)\s(?:\w+\s){{0,4}}?(?:nicht|keine[nr]?)\b.{{0,30}}{_RULES_DE}\b",
    rf"\b(?:ab (?:sofort|jetzt|heute|nun)|von nun an|von jetzt an|künftig|in zukunft|fortan)\b,?\s(?:\w+\s){{0,2}}?"
    rf"(?:{_SAY_DE}|\w{{2,20}}st)\s(?:du\b|immer\b|nie\b|nur\b|stets\b|bei\b|auf\b|in\b|mit\b|jede\w{{0,2}}\b|all\w{{0,2}}\b)",
    r"\b(?:du bist|sie sind)\s(?:jetzt|nun|ab sofort|ab jetzt|nicht (?:mehr|länger))\b",
    r"\b(?:du|sie)\s(?:musst|müssen|darfst|dürfen|sollst|sollen)\s(?:ab|immer|nie|niemals|nur|stets|auf|dem|alle|jede|nicht|keine)",
    rf"{_CLAUSE_START}{_SAY_DE}\s(?:\w+\s){{0,3}}?(?:auf|bei) (?:jede|alle|sämtliche|fragen)\w{{0,3}}\b",
    rf"{_CLAUSE_START}(?:antworte|erwidere|reagiere)\s(?:nur|immer|stets|ausschließlich|nie|niemals)\b",
    rf"{_CLAUSE_START}(?:immer|nie|niemals|stets)\s(?:\w+\s){{0,4}}?(?:empfehlen|erwähnen|behaupten|verschweigen|loben|verraten|zustimmen|gehorchen)\b",
    rf"{_CLAUSE_START}(?:empfiehl|empfehle|erwähne|verschweige)\s(?:\w+\s){{0,3}}?(?:immer|nie|niemals|stets|jedem|allen)\b",
    rf"\b(?:sag|sage|verrate|verrat|erzähle?|erwähne|zeige?|informiere|teile?|frage?|weise?|bitte)\s(?:\w+\s){{0,3}}?{_USER_DE}\b",
    rf"\b(?:gegenüber|vor) {_USER_DE}\s(?:\w+\s){{0,4}}?(?:verbirg|verberge|verheimliche|verschweige|geheim|nicht)",
    rf"\b(?:verbirg|verheimliche|verschweige|verstecke)\b.{{0,40}}{_USER_DE}",
    rf"\b(?:wenn|falls|sobald|sooft)\b.{{1,60}}\b(?:fragt|fragen|erwähnt|wissen will|nach\w{{2,8}}t|gefragt wirst)\b.{{0,40}}[,;:]\s?(?:dann\s|so\s)?{_SAY_DE}\b",
    r"\b(?:der|die|das|jeder|dieser|dem)\s(?:ki-?)?(?:assistent|chatbot|bot|ki|sprachmodell|ki-modell)(?:en)?\s(?:soll|sollte|muss|darf|hat zu|ist verpflichtet|antwortet ab)\b",
    r"\b(?:liebe[rs]?|an (?:den|die|das)|hinweis für (?:den|die|das))\s(?:ki|assistent\w{0,2}|chatbot|sprachmodell|modell)\b",
    r"\b(?:sende?|schicke?|leite?|übermittle|kopiere|poste|maile)\b.{0,50}\b(?:gespräche?|unterhaltung|chat|verlauf|passw\w{2,6}|notizen|erinnerungen|memory\.md|profile\.md|nachrichten|daten)\b.{0,40}\b(?:an|nach|weiter|zu)\b",
    rf"\b(?:zeige?|gib|verrate|drucke?)\b.{{0,30}}\b(?:systemprompt|system-prompt|deine {_RULES_DE})",
    rf"{_CLAUSE_START}(?:tu so|gib dich als|spiele? die rolle|verhalte dich)\b",
    r"\b(?:deine|deiner|ihre) (?:neue[nr]? )?(?:aufgabe|rolle|regel|anweisung)(?:en)?\s(?:ist|lautet|sind)\b",
    r"\b(?:sicherheitsregeln|filter|beschränkungen|schutzmaßnahmen)\s(?:sind|gelten|wurden)\s(?:\w+\s){0,3}?(?:aus|nicht|deaktiviert|aufgehoben|abgeschaltet)",
    rf"{_CLAUSE_START}(?:lösche|überschreibe|leere|entferne)\s(?:\w+\s){{0,3}}?(?:erinnerung\w{{0,2}}|notizen|memory\.md|profile\.md|gedächtnis|verlauf|dateien)\b",
    rf"{_CLAUSE_START}(?:führe|starte)\s(?:\w+\s){{0,5}}?(?:befehl|skript|werkzeug|code)\w{{0,2}}\b.{{0,20}}\baus\b",
)

_RULES_ES = r"(?:instruccion(?:es)?|instrucción|reglas?|normas?|órdenes|indicaciones|directrices|restricciones|prompts?)"
_USER_ES = r"(?:al|a la|del|a los|a las|a ningún)\s(?:usuari[oa]s?|human[oa]s?|persona)"
_SAY_ES = (
    r"(?:responde|contesta|di|dile|diles|dígale|recomienda|menciona|afirma|asegura|escribe|habla|añade|incluye"
    r"|ignora|obedece|sigue|confía|envía|reenvía|finge|actúa|termina|empieza|repite|muestra|trata|usa|niega|acepta)"
)
SPANISH = (
    rf"\b(?:ignora|olvida|desobedece|omite|descarta|anula)(?:r|d|te de)?\s(?:\w+\s){{0,4}}?{_RULES_ES}\b",
    r"\b(?:ignora|olvida|descarta)\s(?:todo|lo)\b.{0,20}\b(?:anterior|antes|arriba|previo|dicho)\b",
    rf"{_CLAUSE_START}no (?:sigas|obedezcas|cumplas|hagas caso)\b",
    rf"\b(?:a partir de (?:ahora|hoy|este momento)|de ahora en adelante|desde ahora|en adelante|en el futuro)\b,?\s"
    rf"(?:\w+\s){{0,2}}?(?:{_SAY_ES}\b|siempre\b|nunca\b|solo\b|debes\b|tienes\b|eres\b|no \w{{3,12}}s\b)",
    r"\b(?:eres ahora|ahora eres|ya no eres|ya no estás)\b",
    rf"{_CLAUSE_START}(?:tú )?(?:debes|tienes que|no puedes|no debes|deberás)\s(?:\w+\s)?(?:siempre|nunca|solo|\w{{3,12}}[aei]r)\b",
    rf"{_CLAUSE_START}(?:siempre|nunca)\s{_SAY_ES}\b",
    rf"{_CLAUSE_START}{_SAY_ES}\s(?:siempre|solo|solamente|únicamente|nunca)\b",
    rf"{_CLAUSE_START}(?:responde|contesta)\b.{{0,30}}\ba (?:cualquier|toda|todas|cada) (?:las )?(?:pregunta|consulta|mensaje)",
    rf"\bno (?:le|les|se lo)?\s?(?:digas|cuentes|menciones|reveles|muestres|avises|informes)\b.{{0,30}}{_USER_ES}",
    rf"{_CLAUSE_START}(?:dile|diga|informa|pide|pídele|avisa|convence|ocúltale?|oculta)\s(?:\w+\s){{0,4}}?{_USER_ES}",
    rf"\b(?:cuando|si|cada vez que|siempre que)\b.{{1,50}}\b(?:pregunt\w{{1,4}}|mencion\w{{1,4}}|habl\w{{1,4}}|pid\w{{1,3}}|consult\w{{1,4}})\b.{{0,50}}[,;:]\s?(?:entonces\s)?{_SAY_ES}\b",
    r"\b(?:el|la|un|este|cualquier)\s(?:asistente|ia|chatbot|bot|modelo)\s(?:virtual\s|de ia\s)?(?:debe|tiene que|deberá|puede|ha de|no debe|no puede)\b",
    r"\b(?:querid[oa]|estimad[oa]|nota para (?:el|la)|para (?:el|la))\s(?:asistente|ia|chatbot|modelo)\b",
    r"\b(?:envía|reenvía|manda|sube|copia|publica)\w{0,2}\b.{0,50}\b(?:conversaci\w{2,5}|chats?|mensajes|contraseñas?|notas|memoria|memory\.md|profile\.md|datos|historial)\b.{0,40}\b(?:a|al|en|por)\b",
    rf"\b(?:muestra|revela|imprime|repite)\b.{{0,30}}\b(?:prompt|tus {_RULES_ES}|mensaje del sistema)",
    rf"{_CLAUSE_START}(?:actúa como|haz como si|finge|compórtate)\b",
    r"\btu (?:nuev[oa] )?(?:tarea|papel|rol|misión|objetivo|regla)\s(?:es|será|consiste)\b",
    r"\b(?:filtros|reglas|restricciones|controles) (?:de seguridad )?(?:están|quedan|han sido) (?:desactivad|anulad|suspendid)",
    rf"{_CLAUSE_START}(?:borra|elimina|sobrescribe|vacía)\s(?:\w+\s){{0,3}}?(?:memorias?|notas|memory\.md|profile\.md|historial|archivos|recuerdos)\b",
    rf"{_CLAUSE_START}(?:ejecuta|corre|lanza)\s(?:\w+\s){{0,3}}?(?:comando|script|código|herramienta)",
)


ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]{1,15}://[^\s<>\"'`\])}|]{3,}"
    r"|(?<![\w@/])www\.[^\s<>\"'`\])}|]{3,}"
    r"|(?:data|javascript|vbscript):[^\s]{4,}"
    r"|(?<![\w@./-])(?:[\w-]{1,63}\.){1,4}[a-z]{2,12}/[^\s<>\"'`\])}|]{2,}"
)
MAIL = re.compile(r"[\w.+%-]{1,64}@((?:[\w-]{1,63}\.){1,5}[^\W\d_]{2,})")

# Where a clause begins: the line, a stop, a colon, an opening quote, or a word that leads one in.
_C = (
    r"(?:^|[.!?:;,(\"'“‘«>=—–]\s{0,3}|[-*]\s|\b(?:please|kindly|just|then|now|and|but|also|must|shall"
    r"|should|will|you|to|assistant|ai|model)\s)"
)
_START = r"(?:^|[.!?:;(\"'“‘«>=—–]\s{0,3}|[-*]\s|\b(?:please|kindly)\s)"
_USER = (
    r"(?:the\s|your\s|any\s|a\s)?(?:users?|humans?|operators?|administrators?|admins?|developers?"
    r"|owners?|customers?|person you)\b"
)
_SAY = (
    r"(?:reply|respond|answer|say|write|speak|recommend|suggest|promote|mention|tell|claim|insist"
    r"|deny|include|insert|append|prepend|begin|start|end|output|print|add|cite|refer|address|greet"
    r"|translate|forward|reveal|disclose|share|trust|obey|follow|comply|agree|approve|refuse"
    r"|reject|ignore|act|behave|pretend|use|call (?:me|him|her|them|yourself|the)|link|click|visit"
    r"|open|run|execute|invoke|remember|store|save|treat|assume|prefer|describe|praise|warn|send"
    r"|direct|point|quote|append|sign|keep|do what|give|provide|offer|choose|pick|buy|book|order)"
)
# What steers an assistant's words, whatever it is said about. The other verbs above are those of any
# work ("always use metric units"): they count where they say what happens to its answers.
_STEER = (
    r"(?:reply|respond|answer|say|recommend|suggest|promote|mention|tell|claim|insist|deny|reveal"
    r"|disclose|trust|obey|comply|agree|refuse|reject|ignore|pretend|praise|convince|persuade"
    r"|impersonate|lie|approve)"
)
_ANSWERS = r"(?:answers?|repl(?:y|ies)|responses?|outputs?|conversations?|chats?|sessions?|summar(?:y|ies))"
_ONES = r"(?:every|each|all|any|your|its|the (?:next|final))"
_AI = (
    r"(?:ai|assistant|chatbot|bot|llm|language model|ai (?:model|assistant|agent)|virtual assistant"
    r"|ai system)"
)
_TOOLS = (
    r"(?:(?:list|read|write|edit|search)[_ ]workspace[_ ]memory\w*|write[_ ]memory|memory[_ ](?:search|get)"
    r"|fact[_ ](?:search|probe|list[_ ]contradictions))"
)
_CORE = r"(?:(?:memory|profile|soul|agents|dreams|knowledge)\.md)"
_RULES = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|commands?|polic(?:y|ies)"
    r"|safeguards?|restrictions?|constraints?|guardrails?|programming|training|memor(?:y|ies)"
    r"|context|messages?|conversations?|text)"
)
_IGNORE = r"(?:pay no attention to|take no notice of|set aside|ignore|disregard|forget|override|overrule|bypass|neglect|dismiss|discard|drop|erase)"
# As an extraction may have reworded it: "she always ignores previous instructions".
_IGNORES = rf"(?:{_IGNORE}|(?:ignore|disregard|override|overrule|bypasse)s)"
_BEFORE = r"(?:previous|prior|above|earlier|preceding|foregoing|former|existing|original|initial)"
_DATA = (
    r"(?:conversations?|chats?|memor(?:y|ies)|messages?|passwords?|credentials?|secrets?|api keys?"
    r"|tokens?|history|system prompt|private|personal data|files?|everything|all data|data|logs?)"
)

_ENGLISH = (
    rf"\b{_IGNORES}\s(?:\w+\s){{0,4}}?{_BEFORE}\s(?:\w+\s){{0,2}}?{_RULES}\b",
    rf"\b{_IGNORES}\s(?:\w+\s){{0,2}}?(?:your|the system|system|developer|safety|openai)"
    rf"\s(?:\w+\s){{0,2}}?{_RULES}\b",
    rf"{_C}{_IGNORE}\s(?:all|any|every|everything|whatever|anything)\b[^.]{{0,40}}?"
    rf"(?:{_RULES}\b|you|above|before|said|told)",
    rf"{_C}(?:do not|don't|never|stop) (?:follow|obey|listen|adher|apply)[a-z]*\b",
    rf"\b(?:from now on|from this (?:point|moment)(?: on| onwards?| forward)?|from here on(?: out)?"
    rf"|henceforth|hereafter|going forward|in (?:all |every |any |each )?future(?: \w+)?|starting (?:now|today)|as of (?:now|today)"
    rf"|beginning (?:now|today)|until further notice)\b[,:]?"
    rf"\s(?:\w+\s){{0,3}}?(?:(?:you|your)\b|(?:please\s|always\s|never\s|only\s|do not\s|don't\s)"
    rf"{{0,2}}{_SAY}\b)",
    rf"{_START}(?:remember to\s)?(?:always|never|only)\s(?:\w+ly\s)?{_STEER}\b",
    rf"{_START}(?:remember to\s)?(?:always|never|only)\s(?:\w+ly\s)?{_SAY}\s[^.]{{0,60}}?\b{_ONES}\s(?:of\s)?"
    rf"(?:your\s|its\s)?{_ANSWERS}\b",
    rf"{_START}in (?:all|every|each|any)\s(?:\w+\s)?{_ANSWERS},?\s(?:\w+ly\s|always\s|never\s)?{_SAY}\b",
    rf"\b(?:you|assistant|ai|chatbot|bot|llm)\s(?:must|should|shall|will|have to|need to|are to)?\s?"
    rf"(?:now\s)?(?:always|never|only)\s{_SAY}\b",
    rf"{_START}you (?:must|shall|are required to|are obliged to|are obligated to|have to|may not"
    rf"|are not allowed to|are forbidden|are (?:now|no longer)|will now|are going to now|must not"
    rf"|can no longer|are hereby)\b",
    rf"{_START}you (?:should|need to|ought to|will|can|are to|are supposed to)\s(?:\w+\s)?{_SAY}\b",
    rf"\byou are (?:now|no longer)\b|\byou (?:must|shall) (?:\w+\s)?{_SAY}\b",
    rf"\b(?:do not|don't|never|without|avoid|refrain from|not)\s(?:ever\s)?"
    rf"(?:tell|telling|inform|informing|alert|alerting|notify|notifying|warn|warning|mention"
    rf"|mentioning|reveal|revealing|show|showing|ask|asking|let)\s(?:\w+\s){{0,3}}?(?:to\s)?{_USER}",
    rf"\b(?:hide|conceal|keep)\s(?:this|these|it|that|the \w+)\s(?:\w+\s)?from {_USER}",
    rf"{_START}(?:act as|pretend (?:to be|you|that you)|role-?play|behave (?:as|like)"
    rf"|take on the (?:role|persona)|assume the (?:role|persona|identity)|simulate being|become the)\b",
    r"\b(?:enter|enable|activate|switch to|engage)\s(?:\w+\s){0,2}?"
    r"(?:developer|dan|god|jailbreak|debug|unrestricted|admin|sudo|maintenance) mode\b",
    r"\b(?:jailbreak|do anything now)\b",
    r"\b(?:developer|dan|god|debug|unrestricted|admin|sudo|maintenance) mode (?:is\s)?(?:now\s)?(?:on|active"
    r"|enabled|activated)\b|^(?:system |admin )?override\s?[:!]",
    rf"{_C}(?:reveal|print|repeat|output|show|leak|disclose|expose|display|dump|recite|summari[sz]e)"
    rf"\s(?:\w+\s){{0,3}}?(?:system prompt|system message|hidden (?:\w+\s)?(?:prompt|instructions)"
    rf"|initial (?:prompt|instructions)|your (?:instructions|prompt|rules|configuration))\b",
    rf"{_C}(?:send|forward|post|upload|leak|e-?mail|exfiltrate|transmit|copy|paste|publish|report)"
    rf"\s(?:\w+\s|\w+'s\s){{0,4}}?{_DATA}\b[^.]{{0,60}}?\b(?:to|at|into|via|with)\b\s\S",
    rf"\b(?:when|whenever|if|each time|every time|any time|once|in case)\s(?:you(?:'re| are)?\s)?"
    rf"(?:asked|the user|a user|users|user|someone|anyone|anybody|somebody|you|they|this|prompted)\b"
    rf"[^.]{{0,100}}?[,;:]\s(?:then\s|please\s|always\s|never\s|you (?:must|should|will)\s|just\s|do "
    rf"not\s|don't\s)*{_SAY}\b",
    rf"{_START}(?:run|execute|invoke|call|use|trigger)\s(?:the\s|this\s|these\s|your\s)?(?:\w+\s){{0,2}}?"
    rf"(?:tools?|functions?|commands?|scripts?|shell|code|write_memory|forget|edit_workspace\w*"
    rf"|write_workspace\w*|api)\b",
    r"\b(?:new|updated|important|special|secret|hidden|additional|urgent|admin|priority|override)\s"
    r"(?:\w+\s)?(?:instructions?|directives?|system message|system prompt)\s?(?:[:,!.]|$|for you\b|to you\b)",
    rf"{_START}(?:attention|dear|hey|hello|hi|note to|message (?:to|for)|instructions? (?:to|for)"
    rf"|reminder (?:to|for)|to|for)\s(?:the\s|all\s|any\s|whatever\s)?(?:ai|a\.i\.|assistants?"
    rf"|language models?|llms?|chatbots?|ai \w+|models? reading|agents? reading)\b",
    r"\b(?:the (?:ai|assistant|chatbot|bot|llm|language model|ai (?:model|assistant|agent))|assistants"
    r"|(?:this|an) (?:ai|llm|chatbot))\s(?:must|should|shall|has to|needs to|is to|will now|may not"
    r"|is required to|ought to|is instructed)\b",
    rf"{_START}(?:assistant|ai|chatbot|llm|model)\s?,\s",
    rf"{_START}your (?:new |only |real |true |actual |main |primary )?(?:rules?|role|task|goal|purpose"
    rf"|persona|directive|instructions?|mission|identity|objective|priority|system prompt)\s"
    rf"(?:is|are|now|has|have|will)\b",
    r"\bas a (?:permanent|standing|strict|hard|global|system) (?:rule|instruction|directive|policy)\b",
    rf"{_C}(?:delete|wipe|erase|clear|overwrite|purge|reset)\s(?:all\s|every\s|the\s|your\s|their\s"
    rf"|user\s|entire\s|whole\s){{1,4}}(?:memor(?:y|ies)|files?|notes?|history|workspace|instructions?)\b",
    rf"{_START}(?:respond|reply|answer)\s(?:(?:only|always|exclusively)\s(?:with|in|as)|with|as)\b",
    rf"{_START}(?:respond|reply|answer|say)\b[^.]{{0,30}}?\bto (?:(?:every|all|any|each)\s\w|(?:questions|requests"
    rf"|messages|anybody|anyone|whoever)\b)",
    rf"{_START}(?:trust|obey|comply with|do whatever|do everything|do as)\b[^.]{{0,40}}?\b(?:says?|said"
    rf"|asks?|commands?|instructions?|orders?|told|requests?|links?|sites?|message)\b",
    rf"{_START}(?:convince|persuade|urge|encourage|get|make|direct|steer)\s{_USER}",
    r"\b(?:you have been|you've been|you were)\s(?:\w+\s)?(?:reprogrammed|instructed|upgraded"
    r"|authori[sz]ed|given new|granted|unlocked|told to)\b",
    # About the assistant in the third person, as a wish, a permission or a rule.
    rf"\b(?:the|any|this|an|your|each) {_AI}\s(?:reading this\s)?(?:must|shall|should|may|ought|is (?:to|obliged"
    rf"|required|allowed|permitted|instructed|free|not to|never to)|are to|stop(?:s|ped)?|never\s{_SAY}|always\s{_SAY}"
    rf"|to\s(?!the\b|a\b|an\b|his\b|her\b|our\b|their\b|my\b|dr\b|mr))\b",
    rf"\b(?:that|if|ensure|sure|so)\s(?:the|any|this|each) {_AI}\s(?:\w+ly\s|always\s|never\s)?{_SAY}s?\b",
    rf"\b(?:agents?|models?)\s(?:is to|are to|must|shall|should)\s[^.]{{0,60}}?(?:{_CORE}|\busers?\b|conversation"
    rf"|{_TOOLS})",
    # Its own parts are named: tools, and files that it is made of.
    rf"\b{_TOOLS}\b",
    r"\b(?:use|call|invoke|run|trigger) the \w{2,20}[ _]?\w{0,20} tool\b",
    rf"{_C}(?:send|forward|post|upload|copy|paste|e-?mail|delete|erase|overwrite|wipe|empty|replace|ignore|disregard"
    rf"|edit|rewrite|change|reveal|print|publish)\s[^.]{{0,50}}?{_CORE}",
    # A script: who asks for something hears this.
    rf"\b(?:when|whenever|if|each time|every time|any time|once|should)\s(?:\w+\s){{1,4}}?(?:asks?|asked|mentions?"
    rf"|mentioned|wants to know|inquires?|wonders|brings up|talks? about|raises?|requests?)\b[^.]{{0,80}}?[,;:]\s?"
    rf"(?:then\s|please\s|always\s|just\s|only\s)*(?:{_STEER}|tell|give|send|direct|point|act|answer)\b",
    rf"\bif asked\b[^.]{{0,60}}?[,;:]\s?{_SAY}\b",
    # What the user is to be told, or asked for.
    rf"{_C}(?:tell|inform|assure|warn|ask|urge|convince|persuade|trick|get|make|lead|instruct)\s(?:the|your|any) (?:user|human)"
    rf"\s(?:that|to|for|about|into)\b",
    # What its answers have to be.
    rf"\b{_ONES}\s(?:of\s)?(?:your\s|its\s|the\s)?(?:\w+\s)?{_ANSWERS}\s(?:\w+\s){{0,3}}?(?:must|has to|have to|should|shall"
    rf"|needs? to|is to|are to)\b",
    rf"\b(?:to|in|into|at the end of|with) (?:each|every|all)(?: of)?(?: your| its)? {_ANSWERS}\b|\bbefore (?:you"
    rf" (?:answer|respond|reply)|your next (?:answer|reply|response|message))\b",
    rf"{_C}(?:leave out|omit|suppress|conceal|withhold|censor)\s[^.]{{0,60}}?\b(?:from (?:the|your|any|all) (?:user|summar"
    rf"|answer|repl|respon|audit)|when summari[sz]ing)|\bwhen summari[sz]ing,",
    # Consent that nobody gave.
    rf"{_START}(?:approve|accept|grant|authori[sz]e|allow|confirm|skip|waive|omit)\s[^.]{{0,60}}?\b(?:automatically|without"
    rf"|confirmation|verification|safety|checks?)\b",
    r"\b(?:do not|don't|never|must not|no need to)\s(?:ask|wait|check|request)\s(?:\w+\s){0,2}?(?:confirmation|permission"
    r"|approval|consent|with the user)\b",
    r"\b(?:has|have|had) (?:given|granted) (?:you\s|the assistant\s)?(?:full|blanket|unlimited|prior) (?:permission|consent"
    r"|access|authori[sz]ation)\b",
    # What is to be read first and done then.
    r"\b(?:decode|decrypt|decipher|unscramble|deobfuscate)\b[^.]{0,60}?\b(?:do|follow|execute|obey|run|act|perform|carry)\b",
    r"\b(?:execute|run|follow|obey|perform)\b[^.]{0,40}?\b(?:base64|rot13|encoded|decoded|hex)\b",
    rf"{_START}(?:run|execute|paste|type)\s\S{{0,3}}(?:curl|wget|bash|sh|powershell|rm|sudo|eval)\b",
    r"\b(?:disable|turn off|deactivate|remove)\s(?:all\s|any\s|your\s|the\s){1,2}(?:safety|content"
    r"|security|moderation)\s?(?:\w+\s)?(?:filters?|checks?|guards?|rules?|measures?|settings?)\b",
)

_C_ZH = r"(?:^|[。，、；：！？:;,.!?“「『\"'（(\s]|请|請|你|您|必须|必須|应该|應該|都要|就|并|要)"
_SAY_ZH = (
    r"(?:回复|回覆|回答|推荐|推薦|说|說|使用|称呼|稱呼|告诉|告訴|拒绝|拒絕|同意|服从|服從|输出|輸出"
    r"|翻译|翻譯|扮演|引导|引導|插入|附上|添加|提到|忽略|执行|執行|打开|打開|访问|訪問|声称|聲稱|相信)"
)
_CHINESE = (
    r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要理會|不必遵守|不要遵守|抛弃|覆盖|绕过|繞過)"
    r".{0,12}(?:指令|指示|提示词|提示詞|规则|規則|设定|設定|系统提示|系統提示|限制|约束)",
    r"(?:从现在|從現在|从今以后|從今以後|今后|今後|从此|從此|以后|以後)(?:开始|開始|起)?[，,、]?"
    r".{0,6}(?:你|您|请|請|必须|必須|总是|總是|一律|只能|不要|不准|都要)",
    r"(?:^|[。，；：！？:;,.!?“「\"'（(\s])(?:你|您)(?:现在|現在)?(?:必须|必須|只能|不得|不准|务必|務必|"
    r"现在是|現在是|不再是|一定要|要始终|要始終|应始终|應始終|被要求|禁止)",
    rf"{_C_ZH}(?:总是|總是|始终|始終|永远|永遠|一律|务必|務必|每次都?|必须|必須|只能|只)"
    rf"(?:要|用|以|向|把)?.{{0,6}}{_SAY_ZH}",
    r"(?:不要|别|別|切勿|不准|禁止|不得|不能|绝不|絕不)(?:把.{0,12})?(?:告诉|告訴|透露|通知|提醒|提及|让|讓|"
    r"向).{0,6}(?:用户|用戶|使用者|主人|人类|人類|管理员|管理員|客户|客戶)",
    r"系统提示|系統提示|系统指令|系統指令|隐藏指令|隱藏指令|新指令|新的指令|重要指令|越狱模式|开发者模式|開發者模式",
    r"(?:^|[。，；：！？:;,.!?“「\"'\s]|请|請)(?:扮演|假装|假裝|充当|充當)",
    r"(?:把|将|將).{0,14}(?:对话|對話|记忆|記憶|密码|密碼|聊天记录|聊天記錄|数据|數據|资料|資料|内容)"
    r".{0,10}(?:发送|發送|转发|轉發|上传|上傳|发到|發到|发给|發給|寄到|泄露)",
    rf"(?:如果|当|當|每当|每當|若)(?:用户|用戶|有人|被问|被問|别人|使用者|客户).{{0,24}}[，,](?:请|請|就|你)?"
    rf".{{0,4}}{_SAY_ZH}",
    r"(?:^|[。，；：！？:;,.!?\s])(?:致|给|給)(?:AI|ai|人工智能|助手|语言模型|語言模型|大模型)",
    r"(?:助手|AI|ai|人工智能|语言模型)(?:必须|必須|应该|應該|应当|應當|只能|不得|务必)",
    r"(?:删除|刪除|清空|清除)(?:所有|全部|你的|一切)(?:的)?(?:记忆|記憶|文件|笔记|筆記|历史|歷史)",
    r"(?:你的)(?:新)?(?:任务|任務|角色|身份|目标|目標|规则|規則|指令)(?:是|就是|现在是)",
)

_DO_JA = r"(?:してください|して下さい|しなさい|すること|せよ|しろ|てください|て下さい|なさい|ること|[えけせてねへめれ]ろ)"
_JAPANESE = (
    r"(?:以前|これまで|今まで|上記|前述|上|前|先|すべて|全て|あらゆる|システム|元).{0,6}"
    r"(?:指示|命令|プロンプト|ルール|設定|制約|制限).{0,6}(?:無視|忘れ|破棄|従わ|上書き|無効)",
    r"(?:今後|これから|これ以降|以後|以降|今から)(?:は|、|,)?.{0,40}?(?:返答|回答|返信|答え|勧め|推薦|応答|話し|言っ"
    rf"|従っ|無視|振る舞|ふるま|名乗|装っ|信じ).{{0,4}}?{_DO_JA}",
    rf"(?:必ず|常に|いつも|絶対に|決して|毎回).{{0,30}}?(?:返答|回答|返信|答え|勧め|推薦|応答|使用|使っ|言っ|"
    rf"伝え|従っ|振る舞).{{0,6}}?{_DO_JA}",
    r"(?:あなた|君|お前)は.{0,20}(?:しなければならない|しなければなりません|なければならない|必要があります|"
    r"になりきって|今から|これから|もはや|してはいけない|してはならない)",
    r"(?:ユーザー|利用者|使用者|お客様|管理者|人間)(?:に|には|へ)(?:は)?.{0,14}"
    r"(?:言わない|教えない|知らせない|伝えない|話さない|明かさない|秘密|内緒|言うな|教えるな|伝えるな|知らせるな)",
    r"(?:必ず|常に|毎回|今後|これから|すべての|全ての).{0,20}(?:回答|返答|返信|応答|答え)(?:に|の|を|は|で).{0,30}?"
    rf"{_DO_JA}",
    r"(?:ユーザー|利用者|使用者|お客様|管理者)(?:に|には|へ|から).{0,20}(?:言っ|教え|知らせ|伝え|話し|明かし|隠し|見せ)て(?:は|ください)",
    r"システムプロンプト|開発者モード|脱獄モード|隠し(?:指示|命令)|新しい(?:指示|命令)|重要な(?:指示|命令)",
    r"(?:として|のように)(?:振る舞|ふるま|行動し|演じ|なりき)(?:って|い|え|て).{0,4}(?:ください|下さい|なさい)?",
    r"(?:会話|記憶|メモリ|パスワード|データ|履歴|メッセージ|内容).{0,14}(?:送信|転送|送って|アップロード|漏らし)"
    rf".{{0,4}}?{_DO_JA}",
    rf"(?:ユーザー|誰か|利用者|お客様)(?:が|に).{{0,24}}(?:たら|れば|場合|とき|ときは|際).{{0,30}}?{_DO_JA}",
    r"(?:アシスタント|AI|ai|人工知能|言語モデル)(?:は|が).{0,30}(?:しなければ|ねばならない|てはいけ|てはなら|べき|すること|必要があ|してはいけ|してください)",
    r"(?:すべて|全て|全部)の?(?:記憶|メモリ|ファイル|ノート|履歴)を?(?:削除|消去|消し)",
    r"あなたの(?:新しい)?(?:役割|任務|目的|使命|ルール|指示|仕事)は",
)

# Read before anything else is made of the line: who speaks, and the marks of a prompt's format.
ROLE = re.compile(
    r"^(?:[-*>#\d.)\s]{0,8}|<!--\s{0,3})(?:\d\d?:\d\d\s{1,3})?[\[<(*_\"'“]{0,3}"
    r"(?:assistant|system|助手|系统|系統|アシスタント|システム|开发者|開發者|開発者)"
    r"[\]>)*_\"'”]{0,3}\s?[:：]"
    r"|<\|[a-z_|]{1,40}\|>|\[/?inst\]|<</?sys>>|</?(?:system|assistant|instructions?|tool_call"
    r"|function_calls?|system[-_ ]?prompt|invoke|human)\b[^>]{0,60}>"
    r"|^#{0,6}\s{0,3}(?:system (?:prompt|message|instructions?|override|notice)|instructions?(?: for| to)"
    r" (?:the )?(?:ai|assistant|model|agent)s?|developer (?:message|prompt|instructions?))\b"
    r"|^#{1,6}\s{0,3}(?:system|assistant|end of (?:prompt|memory|context))"
    r"\s?:?\s?$"
    r"|^\\{0,4}---\s.{1,80}\s---$|\b(?:begin|end|start)[ _](?:of[ _])?(?:system|prompt|memory|context"
    r"|instructions?)\b.{0,20}(?:-{3}|={3}|\]|>)"
    r"|\[(?:system|assistant|developer|admin)(?: message| prompt| override| note)?\]",
    re.MULTILINE,
)


@cache
def order() -> re.Pattern[str]:
    """Compiled when it is first needed: that takes a tenth of a second of every command's start."""
    whole = "|".join((*_ENGLISH, *_CHINESE, *_JAPANESE, *GERMAN, *SPANISH))
    return re.compile(whole, re.MULTILINE)
