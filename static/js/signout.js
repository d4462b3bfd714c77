// Drafts go with the person; the answer's Clear-Site-Data says so again where it is heard.
document.addEventListener("submit", (event) => {
  if (!event.target.matches('form[action$="/accounts/logout/"]')) return;
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith("memoryweb-")) localStorage.removeItem(key);
  }
});
