// Unsaved texts are kept in this browser, by person, file and the text that they began with.
// A page that a save led to ends in #saved or #created and names the text: its draft has served.
const drafts = (() => {
  const PREFIX = "memoryweb-draft:";
  const LONGEST = 1_200_000;
  const DAYS = 14;
  const all = () => {
    const found = [];
    try {
      for (const key of Object.keys(localStorage)) {
        if (!key.startsWith(PREFIX)) continue;
        found.push({ key, ...JSON.parse(localStorage.getItem(key)) });
      }
    } catch { /* no store, or not ours: then there is no draft */ }
    return found.sort((one, other) => other.at - one.at);
  };
  const drop = (key) => {
    try { localStorage.removeItem(key); } catch { /* no store */ }
  };
  const of = (name) => all().filter((draft) => draft.key.startsWith(`${PREFIX}${name}:`));
  const keep = (name, base, text) => {
    const key = `${PREFIX}${name}:${base}`;
    if (text.length > LONGEST) return drop(key);
    try {
      localStorage.setItem(key, JSON.stringify({ at: Date.now(), base, text }));
    } catch {
      const oldest = all().filter((draft) => draft.key !== key).pop();
      if (!oldest) return;
      drop(oldest.key);
      keep(name, base, text);
    }
  };
  const forget = (name) => of(name).forEach((draft) => drop(draft.key));
  const clear = () => all().forEach((draft) => drop(draft.key));
  for (const draft of all()) {
    if (Date.now() - draft.at > DAYS * 86_400_000) drop(draft.key);
  }
  return { of, keep, drop, forget, clear };
})();
{
  const { saved, created } = document.currentScript?.dataset ?? {};
  const served = { "#saved": [saved], "#created": [saved, created] }[location.hash];
  if (saved && served) {
    served.forEach(drafts.forget);
    history.replaceState(null, "", location.pathname + location.search);
  }
}
