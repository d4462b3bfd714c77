// Drafts go with the person; the answer's Clear-Site-Data says so again where it is heard.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches('form[action$="/accounts/logout/"]')) return;
  let keys = [];
  try { keys = Object.keys(localStorage).filter((key) => key.startsWith("memoryweb-")); } catch { /* no store */ }
  const own = `memoryweb-draft:${document.body.dataset.person}:`;
  const isWarned = form.dataset.drafts && keys.some((key) => key.startsWith(own));
  if (isWarned && !confirm(form.dataset.drafts)) {
    event.preventDefault();
    return;
  }
  for (const key of keys) localStorage.removeItem(key);
});
