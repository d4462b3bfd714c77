// What went well is said once: the newest message alone, which can be closed and goes by itself
// after a while, unless somebody points at it or its Undo has the focus. Errors and warnings stay.
(() => {
  const SECONDS = 20;
  const since = new WeakMap();
  setInterval(() => {
    const said = [...document.querySelectorAll("#messages > .note.success")];
    for (const [at, note] of said.entries()) {
      const close = note.querySelector("[data-close]");
      if (close) close.hidden = false;
      if (!since.has(note) || note.matches(":hover, :focus-within")) since.set(note, Date.now());
      const isOver = Date.now() - since.get(note) > SECONDS * 1000;
      if (isOver || at < said.length - 1) note.remove();
    }
  }, 500);
  document.addEventListener("click", (event) => {
    if (event.target.closest("#messages [data-close]")) event.target.closest(".note").remove();
  });
})();
