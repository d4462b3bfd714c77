// One letter, one deed: j and k go from row to row, the others press what the row marks with
// data-key, or the page where it stands outside of rows. Never while somebody types, nor with a modifier, nor where the person turned keys off.
const rows = () => [...document.querySelectorAll("[data-row]")].filter((row) => row.offsetParent);

function go(step) {
  const all = rows();
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.body.dataset.keys === "off") return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const key = `[data-key="${CSS.escape(event.key)}"]`;
  const alone = [...document.querySelectorAll(key)].find((one) => !one.closest("[data-row]"));
  if (!alone && (event.key === "j" || event.key === "k")) {
    go(event.key === "j" ? 1 : -1);
    return;
  }
  const row = document.activeElement?.closest("[data-row]");
  const control = row?.querySelector(key) ?? alone;
  if (!control) return;
  event.preventDefault();
  control.click();
  control.closest("details")?.querySelector("textarea")?.focus();
});

// What took the place of the row that was acted on takes the focus, too; other parts of the page
// that come anew meanwhile leave it alone.
let acted = "";
document.addEventListener("htmx:beforeRequest", (event) => {
  acted = event.target.closest("[data-row]")?.id ?? acted;
});
document.addEventListener("htmx:afterSettle", (event) => {
  const row = acted && document.getElementById(acted);
  if (!row || !event.target.contains(row)) return;
  row.focus();
  acted = "";
});
