"""What an instruction to an assistant looks like in German and Spanish. Pure data, see `patterns`.

As there, every repetition is bounded; the text is folded, so that letters stand without case.
"""

# ruff: noqa: E501

_START = r"(?:^|[.!?:;,(\"'“„‘«>=—–¡¿]\s{0,3}|[-*]\s|\b(?:bitte|por favor|und|y)\s)"

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
    rf"{_START}(?:beachte|befolge|folge)\s(?:\w+\s){{0,4}}?(?:nicht|keine[nr]?)\b.{{0,30}}{_RULES_DE}\b",
    rf"\b(?:ab (?:sofort|jetzt|heute|nun)|von nun an|von jetzt an|künftig|in zukunft|fortan)\b,?\s(?:\w+\s){{0,2}}?"
    rf"(?:{_SAY_DE}|\w{{2,20}}st)\s(?:du\b|immer\b|nie\b|nur\b|stets\b|bei\b|auf\b|in\b|mit\b|jede\w{{0,2}}\b|all\w{{0,2}}\b)",
    r"\b(?:du bist|sie sind)\s(?:jetzt|nun|ab sofort|ab jetzt|nicht (?:mehr|länger))\b",
    r"\b(?:du|sie)\s(?:musst|müssen|darfst|dürfen|sollst|sollen)\s(?:ab|immer|nie|niemals|nur|stets|auf|dem|alle|jede|nicht|keine)",
    rf"{_START}{_SAY_DE}\s(?:\w+\s){{0,3}}?(?:auf|bei) (?:jede|alle|sämtliche|fragen)\w{{0,3}}\b",
    rf"{_START}(?:antworte|erwidere|reagiere)\s(?:nur|immer|stets|ausschließlich|nie|niemals)\b",
    rf"{_START}(?:immer|nie|niemals|stets)\s(?:\w+\s){{0,4}}?(?:empfehlen|erwähnen|behaupten|verschweigen|loben|verraten|zustimmen|gehorchen)\b",
    rf"{_START}(?:empfiehl|empfehle|erwähne|verschweige)\s(?:\w+\s){{0,3}}?(?:immer|nie|niemals|stets|jedem|allen)\b",
    rf"\b(?:sag|sage|verrate|verrat|erzähle?|erwähne|zeige?|informiere|teile?|frage?|weise?|bitte)\s(?:\w+\s){{0,3}}?{_USER_DE}\b",
    rf"\b(?:gegenüber|vor) {_USER_DE}\s(?:\w+\s){{0,4}}?(?:verbirg|verberge|verheimliche|verschweige|geheim|nicht)",
    rf"\b(?:verbirg|verheimliche|verschweige|verstecke)\b.{{0,40}}{_USER_DE}",
    rf"\b(?:wenn|falls|sobald|sooft)\b.{{1,60}}\b(?:fragt|fragen|erwähnt|wissen will|nach\w{{2,8}}t|gefragt wirst)\b.{{0,40}}[,;:]\s?(?:dann\s|so\s)?{_SAY_DE}\b",
    r"\b(?:der|die|das|jeder|dieser|dem)\s(?:ki-?)?(?:assistent|chatbot|bot|ki|sprachmodell|ki-modell)(?:en)?\s(?:soll|sollte|muss|darf|hat zu|ist verpflichtet|antwortet ab)\b",
    r"\b(?:liebe[rs]?|an (?:den|die|das)|hinweis für (?:den|die|das))\s(?:ki|assistent\w{0,2}|chatbot|sprachmodell|modell)\b",
    r"\b(?:sende?|schicke?|leite?|übermittle|kopiere|poste|maile)\b.{0,50}\b(?:gespräche?|unterhaltung|chat|verlauf|passw\w{2,6}|notizen|erinnerungen|memory\.md|profile\.md|nachrichten|daten)\b.{0,40}\b(?:an|nach|weiter|zu)\b",
    rf"\b(?:zeige?|gib|verrate|drucke?)\b.{{0,30}}\b(?:systemprompt|system-prompt|deine {_RULES_DE})",
    rf"{_START}(?:tu so|gib dich als|spiele? die rolle|verhalte dich)\b",
    r"\b(?:deine|deiner|ihre) (?:neue[nr]? )?(?:aufgabe|rolle|regel|anweisung)(?:en)?\s(?:ist|lautet|sind)\b",
    r"\b(?:sicherheitsregeln|filter|beschränkungen|schutzmaßnahmen)\s(?:sind|gelten|wurden)\s(?:\w+\s){0,3}?(?:aus|nicht|deaktiviert|aufgehoben|abgeschaltet)",
    rf"{_START}(?:lösche|überschreibe|leere|entferne)\s(?:\w+\s){{0,3}}?(?:erinnerung\w{{0,2}}|notizen|memory\.md|profile\.md|gedächtnis|verlauf|dateien)\b",
    rf"{_START}(?:führe|starte)\s(?:\w+\s){{0,5}}?(?:befehl|skript|werkzeug|code)\w{{0,2}}\b.{{0,20}}\baus\b",
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
    rf"{_START}no (?:sigas|obedezcas|cumplas|hagas caso)\b",
    rf"\b(?:a partir de (?:ahora|hoy|este momento)|de ahora en adelante|desde ahora|en adelante|en el futuro)\b,?\s"
    rf"(?:\w+\s){{0,2}}?(?:{_SAY_ES}\b|siempre\b|nunca\b|solo\b|debes\b|tienes\b|eres\b|no \w{{3,12}}s\b)",
    r"\b(?:eres ahora|ahora eres|ya no eres|ya no estás)\b",
    rf"{_START}(?:tú )?(?:debes|tienes que|no puedes|no debes|deberás)\s(?:\w+\s)?(?:siempre|nunca|solo|\w{{3,12}}[aei]r)\b",
    rf"{_START}(?:siempre|nunca)\s{_SAY_ES}\b",
    rf"{_START}{_SAY_ES}\s(?:siempre|solo|solamente|únicamente|nunca)\b",
    rf"{_START}(?:responde|contesta)\b.{{0,30}}\ba (?:cualquier|toda|todas|cada) (?:las )?(?:pregunta|consulta|mensaje)",
    rf"\bno (?:le|les|se lo)?\s?(?:digas|cuentes|menciones|reveles|muestres|avises|informes)\b.{{0,30}}{_USER_ES}",
    rf"{_START}(?:dile|diga|informa|pide|pídele|avisa|convence|ocúltale?|oculta)\s(?:\w+\s){{0,4}}?{_USER_ES}",
    rf"\b(?:cuando|si|cada vez que|siempre que)\b.{{1,50}}\b(?:pregunt\w{{1,4}}|mencion\w{{1,4}}|habl\w{{1,4}}|pid\w{{1,3}}|consult\w{{1,4}})\b.{{0,50}}[,;:]\s?(?:entonces\s)?{_SAY_ES}\b",
    r"\b(?:el|la|un|este|cualquier)\s(?:asistente|ia|chatbot|bot|modelo)\s(?:virtual\s|de ia\s)?(?:debe|tiene que|deberá|puede|ha de|no debe|no puede)\b",
    r"\b(?:querid[oa]|estimad[oa]|nota para (?:el|la)|para (?:el|la))\s(?:asistente|ia|chatbot|modelo)\b",
    r"\b(?:envía|reenvía|manda|sube|copia|publica)\w{0,2}\b.{0,50}\b(?:conversaci\w{2,5}|chats?|mensajes|contraseñas?|notas|memoria|memory\.md|profile\.md|datos|historial)\b.{0,40}\b(?:a|al|en|por)\b",
    rf"\b(?:muestra|revela|imprime|repite)\b.{{0,30}}\b(?:prompt|tus {_RULES_ES}|mensaje del sistema)",
    rf"{_START}(?:actúa como|haz como si|finge|compórtate)\b",
    r"\btu (?:nuev[oa] )?(?:tarea|papel|rol|misión|objetivo|regla)\s(?:es|será|consiste)\b",
    r"\b(?:filtros|reglas|restricciones|controles) (?:de seguridad )?(?:están|quedan|han sido) (?:desactivad|anulad|suspendid)",
    rf"{_START}(?:borra|elimina|sobrescribe|vacía)\s(?:\w+\s){{0,3}}?(?:memorias?|notas|memory\.md|profile\.md|historial|archivos|recuerdos)\b",
    rf"{_START}(?:ejecuta|corre|lanza)\s(?:\w+\s){{0,3}}?(?:comando|script|código|herramienta)",
)
