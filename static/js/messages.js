// What went well is said once: the newest message alone, or in the row that it was done to. It goes
// by itself after a while, unless somebody points at it or its Undo has the focus. Errors stay.
(() => {
  const SECONDS = 8;
  const since = new WeakMap();
  const give = (note) => {
    const row = note.closest(".mine > li");
    (row && !row.querySelector(".say") ? row : note).remove();
  };
  setInterval(() => {
    const said = [...document.querySelectorAll("#messages > .note.success")];
    for (const note of [...said, ...document.querySelectorAll(".mine .done")]) {
      const close = note.querySelector("[data-close]");
      if (close) close.hidden = false;
      if (!since.has(note) || note.matches(":hover, :focus-within")) since.set(note, Date.now());
      const isOver = Date.now() - since.get(note) > SECONDS * 1000;
      if (isOver || (said.includes(note) && note !== said.at(-1))) give(note);
    }
  }, 500);
  document.addEventListener("click", (event) => {
    if (event.target.closest("#messages [data-close]")) event.target.closest(".note").remove();
  });
})();
