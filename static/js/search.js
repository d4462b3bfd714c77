// "/" goes to the search box; arrows walk through what was found, Escape comes back.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const box = document.querySelector("[data-search]");
  if (!box) return;
  const at = document.activeElement;
  const isTyping = at.matches("input, textarea, select");
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    box.focus();
    box.select();
    return;
  }
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
