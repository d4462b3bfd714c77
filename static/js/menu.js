// Menus and confirmations are <details>; Escape and a click elsewhere close them.
const OPEN = "details.menu[open], details.sure[open]";
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing) return;
  for (const menu of document.querySelectorAll(OPEN)) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll(OPEN)) {
    if (!menu.contains(event.target) || event.target.closest("[data-keep]")) menu.open = false;
  }
});
// On a narrow screen the rail and the tabs scroll sideways: bring the current place into view.
for (const here of document.querySelectorAll(".places [aria-current], .tabs [aria-current]")) {
  const row = here.closest("nav");
  if (row && row.scrollWidth > row.clientWidth) {
    row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
  }
}
