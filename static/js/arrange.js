// Files in the prompt are dragged to another place; the buttons beside them do the same.
{
  let dragged = null;
  const list = (event) => event.target.closest?.("[data-arrange]");
  const below = (rows, y) => rows.find((row) => {
    const box = row.getBoundingClientRect();
    return row !== dragged && y < box.top + box.height / 2;
  });
  const next = (event) => below([...list(event).children], event.clientY);
  const clear = () => {
    for (const row of document.querySelectorAll(".drop, .drop-last")) {
      row.classList.remove("drop", "drop-last");
    }
  };
  document.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.("[data-arrange] > li") ?? null;
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.path);
  });
  document.addEventListener("dragover", (event) => {
    if (!dragged || list(event) !== dragged.parentElement) return;
    event.preventDefault();
    clear();
    const row = next(event);
    if (row) row.classList.add("drop");
    else dragged.parentElement.lastElementChild.classList.add("drop-last");
  });
  document.addEventListener("drop", (event) => {
    if (!dragged || list(event) !== dragged.parentElement) return;
    event.preventDefault();
    const target = dragged.parentElement.dataset.arrange;
    const token = document.querySelector("#arrange [name=csrfmiddlewaretoken]").value;
    const values = { before: next(event)?.dataset.path ?? "", csrfmiddlewaretoken: token };
    htmx.ajax("POST", dragged.dataset.url, { target, swap: "outerHTML", values });
  });
  document.addEventListener("dragend", () => {
    clear();
    dragged = null;
  });
}
