// A line that is edited where it stands: Enter or Ctrl+Enter saves, Escape leaves it as it was.
// Without this script its buttons do the same. The lines are one stop of Tab: arrows go from one to
// the next, and what can be done with one comes behind its number.
{
  const numbers = () => [...document.querySelectorAll(".blk .num a")];
  const stop = (at) => numbers().forEach((one) => (one.tabIndex = one === at ? 0 : -1));
  document.addEventListener("focusin", (event) => {
    if (event.target.matches(".blk .num a")) stop(event.target);
  });
  document.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.matches?.(".blk .num a")) return;
    event.preventDefault();
    const all = numbers();
    all[all.indexOf(event.target) + step]?.focus();
  });
  const ready = () => {
    const hint = document.querySelector("[data-line-form] [data-hint]");
    if (hint) hint.hidden = false;
    const all = numbers();
    stop(all.find((one) => one.parentElement.parentElement.matches(":focus-within")) ?? all[0]);
  };
  ready();
  document.addEventListener("htmx:load", ready);
  // Whoever leaves the form goes on where they were.
  let line = "";
  document.addEventListener("htmx:beforeRequest", (event) => {
    line = event.target.closest(".blk")?.id ?? "";
  });
  document.addEventListener("htmx:afterSettle", () => {
    const edit = line && document.querySelector(`#${line} .edit`);
    if (edit && document.activeElement === document.body) edit.focus();
    line = "";
  });
  document.addEventListener("keydown", (event) => {
    const form = event.target.closest?.("[data-line-form]");
    // Enter and Escape belong to whoever composes a word (Japanese, Chinese).
    if (!form || event.isComposing || event.target.tagName !== "TEXTAREA") return;
    if (event.key === "Escape") {
      event.preventDefault();
      form.querySelector("[data-cancel]").click();
    }
    const isAsked = event.ctrlKey || event.metaKey || ("single" in form.dataset && !event.shiftKey);
    if (event.key === "Enter" && isAsked) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
}
