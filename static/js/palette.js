// Ctrl/⌘ K goes to any page by a few letters of its name, or searches; ? tells the keys.
const dialog = document.getElementById("palette");
const keys = document.getElementById("keys");
let places = null;

async function open() {
  if (!dialog || dialog.open) return;
  keys?.close();
  dialog.showModal();
  const field = dialog.querySelector("input");
  field.value = "";
  if (!places) {
    const answer = await fetch(dialog.dataset.url, { headers: { "X-Requested-With": "fetch" } });
    const page = new DOMParser().parseFromString(answer.ok ? await answer.text() : "", "text/html");
    places = [...page.querySelectorAll("a")].map((one) => document.importNode(one, true));
  }
  show("");
  field.focus();
}

function show(words) {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const says = (one) => one.textContent.toLowerCase();
  const found = places.filter((one) => parts.every((part) => says(one).includes(part))).slice(0, 12);
  if (words.trim()) {
    const search = document.createElement("a");
    search.href = `${dialog.dataset.searchUrl}?q=${encodeURIComponent(words.trim())}`;
    search.textContent = dialog.dataset.find.replace("{words}", words.trim());
    found.push(search);
  }
  dialog.querySelector(".found").replaceChildren(...found);
  choose(0);
}

function choose(at) {
  const all = [...dialog.querySelectorAll(".found a")];
  all.forEach((one, n) => one.classList.toggle("chosen", n === at));
  all[at]?.scrollIntoView({ block: "nearest" });
}

dialog?.querySelector("input").addEventListener("input", (event) => places && show(event.target.value));
dialog?.addEventListener("keydown", (event) => {
  const all = [...dialog.querySelectorAll(".found a")];
  const at = all.findIndex((one) => one.classList.contains("chosen"));
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) choose(Math.min(all.length - 1, Math.max(0, at + step)));
  else if (event.key === "Enter" && event.target.matches("input")) all[at]?.click();
  else return;
  event.preventDefault();
});
for (const one of [dialog, keys]) {
  one?.addEventListener("click", (event) => event.target === one && one.close());
}

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    if (!dialog) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open();
    return;
  }
  if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || dialog?.open) return;
  if (document.body.dataset.keys === "off") return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  event.preventDefault();
  keys?.showModal();
});
