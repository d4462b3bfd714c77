// Unsaved texts are kept in this browser, by person, file and page, so that two tabs keep two.
// A page that a save led to says ?saved or ends in #created: the draft that was sent has served.
const drafts = (() => {
  const PREFIX = "memoryweb-draft:";
  const SENT = "memoryweb-sent";
  const LONGEST = 1_200_000;
  const DAYS = 14;
  const page = Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
  const read = (key) => {
    try { return { key, ...JSON.parse(localStorage.getItem(key)) }; } catch { return { key, at: 0 }; }
  };
  const all = () => {
    let keys = [];
    try { keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)); } catch { /* no store */ }
    return keys.map(read).sort((one, other) => other.at - one.at);
  };
  const drop = (key) => {
    try { localStorage.removeItem(key); } catch { /* no store */ }
  };
  const belongs = (key, name) => key.startsWith(`${PREFIX}${name}:`);
  const of = (name) => all().filter((draft) => belongs(draft.key, name));
  const own = (name) => `${PREFIX}${name}:${page}`;
  const sent = (name) => {
    let key = "";
    try { key = sessionStorage.getItem(SENT) ?? ""; } catch { /* no store */ }
    return belongs(key, name) ? key : "";
  };
  const send = (key) => {
    try { sessionStorage.setItem(SENT, key); } catch { /* no store */ }
  };
  const keep = (key, draft) => {
    if (draft.text.length > LONGEST) return drop(key);
    try {
      localStorage.setItem(key, JSON.stringify({ at: Date.now(), ...draft }));
    } catch {
      const oldest = all().filter((other) => other.key !== key).pop();
      if (!oldest) return;
      drop(oldest.key);
      keep(key, draft);
    }
  };
  // A page that answered with the text that was sent takes its draft over.
  const takeOver = (text) => {
    let key = "";
    try { key = sessionStorage.getItem(SENT) ?? ""; } catch { /* no store */ }
    if (key.startsWith(PREFIX) && read(key).text === text) drop(key);
  };
  for (const draft of all()) {
    if (Date.now() - draft.at > DAYS * 86_400_000) drop(draft.key);
  }
  return { of, own, sent, send, read, keep, drop, takeOver };
})();
{
  const { saved, created } = document.currentScript?.dataset ?? {};
  const asked = new URLSearchParams(location.search);
  const isCreated = location.hash === "#created";
  if (saved && (isCreated || asked.has("saved"))) {
    for (const name of [saved, created]) drafts.drop(drafts.sent(name));
    asked.delete("saved");
    const query = asked.size ? `?${asked}` : "";
    history.replaceState(null, "", location.pathname + query + (isCreated ? "" : location.hash));
  }
}
