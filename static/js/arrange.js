// Files in the prompt are dragged to another place, by mouse, pen or finger; the buttons beside
// them do the same. A finger drags by the handle, so that the rest of the row still scrolls.
{
  let drag = null; // { row, y, isMoving }
  const list = () => drag.row.parentElement;
  const target = (y) => [...list().children].find((row) => {
    const box = row.getBoundingClientRect();
    return row !== drag.row && y < box.top + box.height / 2;
  });
  const clear = () => {
    for (const row of document.querySelectorAll(".drop, .drop-last, .dragged")) {
      row.classList.remove("drop", "drop-last", "dragged");
    }
  };
  const end = () => {
    clear();
    drag = null;
  };
  document.addEventListener("pointerdown", (event) => {
    const row = event.target.closest?.("[data-arrange] > li[data-path]");
    if (!row || event.button !== 0 || !event.isPrimary) return;
    const isHandle = event.target.closest(".grip");
    if (!isHandle && (event.pointerType === "touch" || event.target.closest("a, button"))) return;
    drag = { row, y: event.clientY, isMoving: false };
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag || (!drag.isMoving && Math.abs(event.clientY - drag.y) < 4)) return;
    if (!drag.isMoving) getSelection().removeAllRanges();
    drag.isMoving = true;
    clear();
    drag.row.classList.add("dragged");
    const before = target(event.clientY);
    if (before) before.classList.add("drop");
    else list().lastElementChild.classList.add("drop-last");
  });
  document.addEventListener("pointerup", (event) => {
    if (!drag) return;
    const { row, isMoving } = drag;
    const before = target(event.clientY)?.dataset.path ?? "";
    const follows = row.nextElementSibling?.dataset.path ?? "";
    const swapped = row.parentElement.dataset.arrange;
    end();
    if (!isMoving || before === follows) return;
    const token = document.querySelector("#arrange [name=csrfmiddlewaretoken]").value;
    const values = { before, csrfmiddlewaretoken: token };
    htmx.ajax("POST", row.dataset.url, { target: swapped, swap: "outerHTML", values });
  });
  document.addEventListener("pointercancel", end);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && drag) end();
  });
}
