// "/" goes to the search box, from every page; there arrows walk through what was found and Escape
// comes back.
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const box = document.querySelector("[data-search]");
  const at = document.activeElement;
  const isTyping = at.matches("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !isTyping) {
    const page = document.querySelector("a[data-search-page]");
    if (!box && !page) return;
    event.preventDefault();
    if (!box) {
      page.click();
      return;
    }
    box.focus();
    box.select();
    return;
  }
  if (!box) return;
  if (event.key === "Escape" && at.matches("[data-hit]")) {
    box.focus();
    return;
  }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  if (at !== box && !at.matches("[data-hit]")) return;
  event.preventDefault();
  const hits = [...document.querySelectorAll("[data-hit]")];
  const next = hits.indexOf(at) + (event.key === "ArrowDown" ? 1 : -1);
  (next < 0 ? box : hits[Math.min(next, hits.length - 1)] ?? box).focus();
});

// The address names only what was asked for.
document.addEventListener("htmx:configRequest", (event) => {
  if (!event.target.matches("form.search")) return;
  const asked = event.detail.formData;
  for (const [name, value] of [...asked.entries()]) if (value === "") asked.delete(name);
});
